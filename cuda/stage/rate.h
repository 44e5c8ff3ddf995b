/* blockdct: what the CUDA engine enqueues for a frame's bits
 * (dct/entropy/rate.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_RATE_H
#define BDCT_CUDA_RATE_H

#include "cuda/frame/frame.h"

/* Set the destination of the levels that the launch of a frame's picture
 * writes: where they are counted. */
bool bdct_rate_place_levels (BdctCudaFrame *frame, const BdctStaging *staging,
    BdctBuffer *levels, BdctError *error);

/* Enqueue the count of a frame's bits into its counts, which are zeroed. Trees
 * are counted where they are made. `levels` holds the levels and the counts of
 * their bins meanwhile, for all frames that are counted in `stream`, whose work
 * runs in order. It grows on demand. */
bool bdct_rate_enqueue (const BdctCudaFrame *frame,
    const BdctStaging *staging, BdctBuffer *levels, cudaStream_t stream,
    BdctError *error);

#endif
