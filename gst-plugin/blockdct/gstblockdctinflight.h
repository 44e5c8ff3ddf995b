/* blockdct: the engine, and the frames in it. All of it is the streaming
 * thread's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_INFLIGHT_H
#define GST_BLOCKDCT_INFLIGHT_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/** Choose and start a backend; close it, with the frames in it forgotten. An
 * element error is posted where it returns FALSE. */
gboolean gst_blockdct_inflight_open (GstBlockDct * self);
void gst_blockdct_inflight_close (GstBlockDct * self);

/** Prepare for the caps in `info`; nothing may be in flight. An element error
 * is posted where it returns FALSE. */
gboolean gst_blockdct_inflight_configure (GstBlockDct * self);

/** Start one frame with the element's settings: its buffers go into the ring,
 * each with a reference. */
GstFlowReturn gst_blockdct_inflight_submit (GstBlockDct * self,
    GstBuffer * inbuf, GstBuffer * outbuf);

/** Whether the latest frame is to leave at once, as it was shown before and
 * no other one pushes it out. */
gboolean gst_blockdct_inflight_is_repeating (GstBlockDct * self);

/** Wait for the oldest frame and take it out of the ring. Unmapped, its buffers
 * are the caller's; on an error, which is posted, there are none. Behind its
 * own statistics are those of its curve. */
GstFlowReturn gst_blockdct_inflight_collect (GstBlockDct * self,
    GstBlockDctFrame * frame, BdctStats stats[1 + BDCT_MAX_TRIALS]);

/** Wait for what is in flight and forget it. */
void gst_blockdct_inflight_discard (GstBlockDct * self);

G_END_DECLS
#endif
