/* blockdct: takes frames in, starts pairs, and pushes them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_AGGREGATE_H
#define GST_BLOCKDCT_COMPARE_AGGREGATE_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

/* Install the functions that take frames in and push them. */
void gst_blockdct_compare_install_aggregate (GstAggregatorClass * klass);

/* Drop all state of earlier frames: after a flush, or for another stream. */
void gst_blockdct_compare_forget (GstBlockDctCompare * self);

/* Drop the state from before a flush, if there has been one. */
void gst_blockdct_compare_follow_flush (GstBlockDctCompare * self);

G_END_DECLS
#endif
