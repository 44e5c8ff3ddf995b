/* blockdct: caps and memory of blockdctcompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_CAPS_H
#define GST_BLOCKDCT_COMPARE_CAPS_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/* Install the functions that negotiate caps, and answer and send allocation
 * queries. */
void gst_blockdct_compare_install_caps (GstAggregatorClass * klass);

/* Configure the engine for a pair, if needed: then `*changed` is TRUE. */
GstFlowReturn gst_blockdct_compare_follow_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    gboolean * changed);

/* Negotiate the output caps, if the view, the pads it shows or their caps have
 * changed. Frames with the old caps leave first. */
GstFlowReturn gst_blockdct_compare_follow_output (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    const GstBlockDctCompareSettings * settings, gboolean changed);

/* Apply caps that a flush has left behind, before frames are looked at. */
void gst_blockdct_compare_follow_sticky_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED]);

/* Set a pad's caps, from its next frame on. */
gboolean gst_blockdct_compare_set_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad, GstCaps * caps);

G_END_DECLS
#endif
