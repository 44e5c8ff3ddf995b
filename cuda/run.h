/* blockdct: what is enqueued for a frame, or a comparison, step by step.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_RUN_H
#define BDCT_CUDA_RUN_H

#include "cuda/frame/frame.h"

/* Whether a frame's launches can be one with those of other frames: not if
 * they read planes of R, G and B, or write levels, to memory that frames
 * share. */
bool bdct_cuda_frame_shares_launches (const BdctCudaFrame *frame);

/* Enqueue all steps, but the launches that frames share. */
bool bdct_cuda_frame_run (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

/* Let a stream wait for the count of a frame's bits, which may run beside
 * the other steps. */
bool bdct_cuda_frame_wait_for_bits (const BdctCudaFrame *frame,
    const BdctDevice *device, cudaStream_t stream, BdctError *error);

/* Bits (stage/rate.c): set the destination of the levels that the launch of a
 * frame's picture writes: where they are counted, in the memory of the frame's
 * slot. */
bool bdct_rate_place_levels (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

/* Enqueue the count of a frame's bits into its counts, which are zeroed. Trees
 * are counted where they are made. The memory of the frame's slot holds the
 * levels and the counts of their bins meanwhile. */
bool bdct_rate_enqueue (const BdctCudaFrame *frame, BdctStaging *staging,
    cudaStream_t stream, BdctError *error);

/* Trees (stage/quadtree.c): allocate all memory for a job with them. */
bool bdct_quadtree_reserve (const BdctJob *job, BdctStaging *staging,
    BdctError *error);

/* Enqueue all of such a frame, with its statistics and its bits. */
bool bdct_quadtree_enqueue (const BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

#endif
