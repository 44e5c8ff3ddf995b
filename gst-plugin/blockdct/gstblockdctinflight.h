/* blockdct: the engine, and the frames in it. Only the streaming thread calls
 * these functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_INFLIGHT_H
#define GST_BLOCKDCT_INFLIGHT_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* Choose and start a backend, or return FALSE with an element error; close it
 * and drop the frames in it. */
gboolean gst_blockdct_inflight_open (GstBlockDct * self);
void gst_blockdct_inflight_close (GstBlockDct * self);

/* Prepare for the caps in `info`; no frame may be in flight. Returns FALSE
 * with an element error. */
gboolean gst_blockdct_inflight_configure (GstBlockDct * self);

/* Start one frame with the element's settings. The ring holds a reference to
 * each of its buffers. */
GstFlowReturn gst_blockdct_inflight_submit (GstBlockDct * self,
    GstBuffer * inbuf, GstBuffer * outbuf);

/* Whether the latest frame is a repeated one: it leaves at once, as no other
 * frame follows to push it out. */
gboolean gst_blockdct_inflight_is_repeating (GstBlockDct * self);

/* Wait for the oldest frame and take it out of the ring. Its buffers are
 * unmapped and belong to the caller; on an error, which is posted, there are
 * none. */
GstFlowReturn gst_blockdct_inflight_collect (GstBlockDct * self,
    GstBlockDctFrame * frame, BdctStats * stats);

/* Wait for all frames in flight and drop them. */
void gst_blockdct_inflight_discard (GstBlockDct * self);

/* The next frame does not follow the latest one: metrics over time do not
 * compare the two. Dropping frames does this by itself. */
void gst_blockdct_inflight_interrupt (GstBlockDct * self);

G_END_DECLS
#endif
