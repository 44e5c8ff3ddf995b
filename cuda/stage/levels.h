/* blockdct: what the CUDA engine enqueues for levels in the caller's memory,
 * output or input (engine.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_STAGE_LEVELS_H
#define BDCT_CUDA_STAGE_LEVELS_H

#include "cuda/frame/frame.h"

/* Enqueue a frame from its levels, with their picture, except for its bits. */
bool bdct_levels_read (const BdctCudaFrame *frame, const BdctStaging *staging,
    BdctError *error);

/* Enqueue the levels of a frame without trees, and their picture, if they are
 * output or shown. */
bool bdct_levels_write (const BdctCudaFrame *frame,
    const BdctStaging *staging, BdctError *error);

#endif
