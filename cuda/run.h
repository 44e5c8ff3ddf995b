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

#endif
