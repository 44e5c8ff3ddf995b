/* blockdct: the engine, and the pairs in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_FRAMES_H
#define GST_BLOCKDCT_COMPARE_FRAMES_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/* Open the backend, or return FALSE with an element error; close it, and drop
 * the pairs in it. */
gboolean gst_blockdct_compare_frames_open (GstBlockDctCompare * self);
void gst_blockdct_compare_frames_close (GstBlockDctCompare * self);

/* Prepare for the caps of the reference; no pair may be in flight. Returns
 * FALSE with an element error. */
gboolean gst_blockdct_compare_frames_configure (GstBlockDctCompare * self,
    const GstVideoInfo * info);

/* Start a pair, which is taken. The view is drawn on `out`, which is taken,
 * too; NULL: no view is drawn. */
GstFlowReturn gst_blockdct_compare_frames_submit (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    GstBlockDctComparePair * pair, GstBuffer * out,
    const GstBlockDctCompareSettings * settings);

/* Wait for the oldest pair; `*out` is valid until the next one is started. Its
 * buffers are unmapped and belong to the caller; on an error, which is posted,
 * there are none. */
GstFlowReturn gst_blockdct_compare_frames_collect (GstBlockDctCompare * self,
    GstBlockDctCompareInFlight ** out, BdctStats stats[BDCT_MAX_DISTORTED]);

/* Wait for all pairs in flight and drop them. */
void gst_blockdct_compare_frames_discard (GstBlockDctCompare * self);

/* Compare a distorted frame with the reference frames before its partner, and
 * the partner with the distorted frames before it, and keep both for later
 * ones. No pair may be in flight. */
GstFlowReturn gst_blockdct_compare_frames_measure_shifts
    (GstBlockDctCompare * self, const GstBlockDctComparePair * pair,
    guint pad_number,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED]);

G_END_DECLS
#endif
