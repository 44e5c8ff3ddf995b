/* blockdct: what a frame's view is made of: images, and the sizes of a tree's
 * blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SLOT_VIEW_H
#define BDCT_SLOT_VIEW_H

#include "frame.h"

/** A frame's view, a plain one included, while it is planned. Images that are
 * not needed have no data. */
typedef struct {
  const BdctView *view;         /**< the frame's */
  BdctImage rec, levels;        /**< what the quantizers' passes make */
  BdctImage drawn;              /**< what it is drawn on */
} BdctSlotView;

/** Have memory for all that the frame's view is made of. The slot has the quantizers,
 * and both ends of the frame. */
bool bdct_slot_view_place (BdctSlot *slot, BdctStaging *staging,
    const BdctFrame *frame, BdctSlotView *view, BdctError *error);

/** Describe how it is drawn, if it is no plain one. `records`, `sets`: the
 * blocks', on the device; NULL without. */
void bdct_slot_view_describe (BdctSlot *slot, const BdctLayout *layout,
    const BdctSlotView *view, const BdctBlockRecord *records,
    const uint8_t *quantizers);

#endif
