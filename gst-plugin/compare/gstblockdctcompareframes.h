/* blockdct: the engine, and the pairs in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_FRAMES_H
#define GST_BLOCKDCT_COMPARE_FRAMES_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/** Open the backend; an element error is posted where it returns FALSE. Close
 * it, with what is in it forgotten. */
gboolean gst_blockdct_compare_frames_open (GstBlockDctCompare * self);
void gst_blockdct_compare_frames_close (GstBlockDctCompare * self);

/** Prepare for the caps of the reference; nothing may be in flight. An element
 * error is posted where it returns FALSE. */
gboolean gst_blockdct_compare_frames_configure (GstBlockDctCompare * self,
    const GstVideoInfo * info);

/** Start a pair, which is taken. `out`: what the view is drawn on, taken, too;
 * NULL: nothing is drawn. */
GstFlowReturn gst_blockdct_compare_frames_submit (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    GstBlockDctComparePair * pair, GstBuffer * out,
    const GstBlockDctCompareSettings * settings);

/** Wait for the oldest pair; `*out` stays until the next one is started.
 * Unmapped, its buffers are the caller's; on an error, which is posted, there
 * are none. */
GstFlowReturn gst_blockdct_compare_frames_collect (GstBlockDctCompare * self,
    GstBlockDctCompareInFlight ** out, BdctStats stats[BDCT_MAX_DISTORTED]);

/** Wait for all that is in flight and forget it. */
void gst_blockdct_compare_frames_discard (GstBlockDctCompare * self);

/** Measure a distorted frame against the reference frames before its own, and
 * the other way round. Nothing may be in flight. */
GstFlowReturn gst_blockdct_compare_frames_measure_shifts
    (GstBlockDctCompare * self, const GstBlockDctComparePair * pair,
    guint pad_number,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED]);

G_END_DECLS
#endif
