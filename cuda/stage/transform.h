/* blockdct: what the CUDA engine enqueues for a group of jobs, besides launches
 * that are shared with other frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_TRANSFORM_H
#define BDCT_CUDA_TRANSFORM_H

#include "cuda/frame/frame.h"

/* The picture of job `k` of a group, a trial whose metrics are computed: in
 * memory that the groups use one after the other. */
BdctImage bdct_cuda_trial_picture (const BdctStaging *staging,
    const BdctCudaMemory *memory, int k);

/* Enqueue the rate-distortion jobs of group `g`; and the others, with the
 * pictures of trials, unless their launches are shared
 * (bdct_cuda_frame_shares_launches()). */
bool bdct_cuda_transform_enqueue (BdctCudaFrame *frame, int g,
    const BdctStaging *staging, BdctCudaMemory *memory, BdctError *error);

#endif
