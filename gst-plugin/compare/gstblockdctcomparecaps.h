/* blockdct: caps and memory of blockdctcompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_CAPS_H
#define GST_BLOCKDCT_COMPARE_CAPS_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/** Set what negotiates caps and answers and sends allocation queries. */
void gst_blockdct_compare_install_caps (GstAggregatorClass * klass);

/** Have the engine ready for a pair; `*changed`: it was not. */
GstFlowReturn gst_blockdct_compare_follow_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    gboolean * changed);

/** Negotiate the caps that leave, if the view, the pads it shows or their caps
 * have changed. What was drawn in those before leaves first. */
GstFlowReturn gst_blockdct_compare_follow_output (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    const GstBlockDctCompareSettings * settings, gboolean changed);

/** Before frames are looked at: go over to caps that a flush left behind. */
void gst_blockdct_compare_follow_sticky_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED]);

/** A pad's caps are these from its next frame on. */
gboolean gst_blockdct_compare_set_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad, GstCaps * caps);

G_END_DECLS
#endif
