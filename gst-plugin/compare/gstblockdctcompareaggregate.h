/* blockdct: a frame's way through blockdctcompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_AGGREGATE_H
#define GST_BLOCKDCT_COMPARE_AGGREGATE_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/** Set what takes frames in and gives them out. */
void gst_blockdct_compare_install_aggregate (GstAggregatorClass * klass);

/** Forget what belongs to frames before a flush, or of another stream. */
void gst_blockdct_compare_forget (GstBlockDctCompare * self);

/** Forget what was before a flush, if there was one. */
void gst_blockdct_compare_follow_flush (GstBlockDctCompare * self);

G_END_DECLS
#endif
