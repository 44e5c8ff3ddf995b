/* blockdct: what the CUDA engine enqueues for a frame's levels that go to the
 * caller's memory or come from it (engine.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_STAGE_LEVELS_H
#define BDCT_CUDA_STAGE_LEVELS_H

#include "cuda/frame/frame.h"

/** Where a component's levels are on the device. */
BdctLevel *bdct_cuda_frame_levels (const BdctCudaFrame *frame, int component);

/** Enqueue what makes job 0 of its levels, but for its bits. */
bool bdct_levels_read (const BdctCudaFrame *frame, const BdctStaging *staging,
    BdctError *error);

/** Enqueue what makes the levels of job 0, which is no rate-distortion job. */
bool bdct_levels_write (const BdctCudaFrame *frame,
    const BdctStaging *staging, BdctError *error);

#endif
