/* blockdct: what is enqueued for a frame, or a comparison, step by step.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_RUN_H
#define BDCT_CUDA_RUN_H

#include "cuda/frame/frame.h"

/* Enqueue what a frame's shared launches read; and, after these, the rest
 * of its steps. */
bool bdct_cuda_frame_begin (const BdctCudaFrame *frame,
    const BdctStaging *staging, BdctError *error);
bool bdct_cuda_frame_run (BdctCudaFrame *frame, const BdctStaging *staging,
    BdctCudaMemory *memory, BdctError *error);

/* Let a stream wait for the count of a frame's bits, which may run beside
 * the other steps. */
bool bdct_cuda_frame_wait_for_bits (const BdctCudaFrame *frame,
    const BdctDevice *device, cudaStream_t stream, BdctError *error);

#endif
