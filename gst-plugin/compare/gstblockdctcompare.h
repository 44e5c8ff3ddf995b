/* blockdct: the element blockdctcompare.
 *
 * Its parts: pads and how far they run ahead (gstblockdctcomparepad.h), and in
 * gstblockdctcompareprivate.h matching, caps and memory, pairs in the engine,
 * their reports and the output.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstaggregator.h>

#define GST_TYPE_BLOCKDCT_COMPARE (gst_blockdct_compare_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctCompare, gst_blockdct_compare, GST,
    BLOCKDCT_COMPARE, GstAggregator)
GST_ELEMENT_REGISTER_DECLARE (blockdctcompare);

/* Limit how far an input may run ahead to `max_frames`, for inputs that come
 * from one source, frame by frame; 0: the default limit. Any thread may call
 * this. */
void gst_blockdct_compare_set_lockstep (GstElement * compare,
    guint max_frames);

/* Ask upstream whether it is live: GstAggregator's latency is the user's
 * then. */
void gst_blockdct_compare_follow_latency (GstElement * compare);
