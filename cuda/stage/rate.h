/* blockdct: what the CUDA engine enqueues for a frame's bits
 * (dct/entropy/rate.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_RATE_H
#define BDCT_CUDA_RATE_H

#include "cuda/frame/frame.h"

/** Enqueue what counts a slot's jobs into its `counts`, which are zeroed, some
 * jobs at a time. `levels` is where their levels are meanwhile, if they are
 * needed at all: one buffer for all slots, as what is enqueued runs in order.
 * It grows on demand. */
bool bdct_rate_enqueue (const BdctSlot *slot, const BdctStaging *staging,
    BdctBuffer *levels, BdctError *error);

#endif
