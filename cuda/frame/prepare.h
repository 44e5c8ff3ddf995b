/* blockdct: a frame becomes work for the GPU: passes, the index map, the
 * view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PREPARE_H
#define BDCT_PREPARE_H

#include "frame.h"

/** Plan a frame's work and enqueue its uploads; the kernels' stream waits for
 * them. `cells` receive the quantizers' counts. */
bool bdct_slot_prepare (BdctSlot *slot, BdctStaging *staging,
    const BdctFrame *frame, BdctCudaAccumulator *cells, BdctError *error);

#endif
