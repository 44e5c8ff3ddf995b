/* blockdct: reports a frame that comes out of the engine: messages, meta,
 * `stats`, and the file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_FINISH_H
#define GST_BLOCKDCT_FINISH_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* Reset the statistics and open `stats-file`, if it is set. Returns FALSE with
 * an element error. */
gboolean gst_blockdct_finish_open (GstBlockDct * self);

/* The stream has ended or stopped: post and write the remaining statistics. */
void gst_blockdct_finish_end (GstBlockDct * self);
void gst_blockdct_finish_close (GstBlockDct * self);

/* Copy the counters to `stats`. */
void gst_blockdct_finish_publish (GstBlockDct * self);

/* Take the oldest frame out of the engine and report it. `*buffer` is the
 * caller's. */
GstFlowReturn gst_blockdct_finish_frame (GstBlockDct * self,
    GstBuffer ** buffer);

G_END_DECLS
#endif
