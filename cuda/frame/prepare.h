/* blockdct: makes launches on the GPU from a planned frame or comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_PREPARE_H
#define BDCT_CUDA_PREPARE_H

#include "frame.h"

/* Prepare all of a frame whose plan and first sums are set, and enqueue its
 * uploads, for which its kernels' stream then waits. `before`: the frame whose
 * source it shares, if it does; may be the same memory. After an error nothing
 * uses the caller's memory any longer. */
bool bdct_cuda_prepare_frame (BdctCudaFrame *frame, BdctStaging *staging,
    const BdctFrame *request, const BdctCudaFrame *before, BdctError *error);

/* The same for a comparison. `job`: bdct_comparison_job(). */
bool bdct_cuda_prepare_comparison (BdctCudaFrame *frame, BdctStaging *staging,
    const BdctComparison *comparison, const BdctJob *job, BdctError *error);

#endif
