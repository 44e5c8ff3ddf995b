/* blockdct: what the CUDA engine enqueues for a frame's bits
 * (dct/entropy/rate.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_STAGE_RATE_H
#define BDCT_CUDA_STAGE_RATE_H

#include "cuda/frame/frame.h"

/* Set the destination of the levels that the launch of a frame's picture
 * writes: where they are counted, in the memory of the frame's slot. */
bool bdct_rate_place_levels (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

/* Enqueue the count of a frame's bits into its counts, which are zeroed. Trees
 * are counted where they are made. The memory of the frame's slot holds the
 * levels and the counts of their bins meanwhile. */
bool bdct_rate_enqueue (const BdctCudaFrame *frame, BdctStaging *staging,
    cudaStream_t stream, BdctError *error);

#endif
