/* blockdct: what is said of a frame that comes out of the engine, and to whom.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_FINISH_H
#define GST_BLOCKDCT_FINISH_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/** Begin anew, with `stats-file` open if it is set; an element error is posted
 * where it returns FALSE. */
gboolean gst_blockdct_finish_open (GstBlockDct * self);

/** The stream is over, or stopped: post what is left and write it. */
void gst_blockdct_finish_end (GstBlockDct * self);
void gst_blockdct_finish_close (GstBlockDct * self);

/** Let `stats` see the counters. */
void gst_blockdct_finish_publish (GstBlockDct * self);

/** Take the oldest frame out of the engine and report it. `*buffer` is the
 * caller's. */
GstFlowReturn gst_blockdct_finish_frame (GstBlockDct * self,
    GstBuffer ** buffer);

G_END_DECLS
#endif
