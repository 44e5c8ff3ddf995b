/* blockdct: what is to be done to a frame on the GPU: passes, the map of its
 * sets, its view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PREPARE_H
#define BDCT_PREPARE_H

#include "frame.h"

/** Prepare all of a frame and enqueue its uploads, which the stream of the
 * kernels then waits for. `cells`: for the sets. */
bool bdct_slot_prepare (BdctSlot *slot, BdctStaging *staging,
    const BdctFrame *frame, BdctCudaCell *cells, BdctError *error);

#endif
