/* blockdct: reports a pair that comes out of the engine, and pushes it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_FINISH_H
#define GST_BLOCKDCT_COMPARE_FINISH_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/* At the end of a stream, post and write the remaining statistics. */
void gst_blockdct_compare_finish_end (GstBlockDctCompare * self);

/* Copy the counters to `stats`. */
void gst_blockdct_compare_finish_publish (GstBlockDctCompare * self);

/* Make the structure of `stats`. Called with the object lock. */
GstStructure *gst_blockdct_compare_finish_stats (GstBlockDctCompare * self);


/* Report and push the oldest pair in flight; or all of them. */
GstFlowReturn gst_blockdct_compare_push_oldest (GstBlockDctCompare * self);
GstFlowReturn gst_blockdct_compare_drain (GstBlockDctCompare * self);

G_END_DECLS
#endif
