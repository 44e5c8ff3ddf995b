/* blockdct: what is said of a pair, and what leaves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_FINISH_H
#define GST_BLOCKDCT_COMPARE_FINISH_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/** The stream is over: what is left to say. */
void gst_blockdct_compare_finish_end (GstBlockDctCompare * self);

/** Let `stats` see the counters. */
void gst_blockdct_compare_finish_publish (GstBlockDctCompare * self);

/** The structure of `stats`. With the object lock. */
GstStructure *gst_blockdct_compare_finish_stats (GstBlockDctCompare * self);


/** Push the oldest pair that is in flight, and say its figures; push all of
 * them. */
GstFlowReturn gst_blockdct_compare_push_oldest (GstBlockDctCompare * self);
GstFlowReturn gst_blockdct_compare_drain (GstBlockDctCompare * self);

G_END_DECLS
#endif
