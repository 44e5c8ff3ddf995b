/* blockdct: runs an encoder that makes B's pictures in blockdctpage.
 *
 * Frames leave the stream before the blockdct `b`, go through the encoder and a
 * decoder, and return after `b` as pictures with their frames' times. So
 * nothing is relinked while frames flow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_ENCODER_H
#define GST_BLOCKDCT_PAGE_ENCODER_H

#include "private.h"

G_BEGIN_DECLS

void gst_blockdct_page_encoder_init (GstBlockDctPage * self);
void gst_blockdct_page_encoder_clear (GstBlockDctPage * self);

/* Use the encoder of a gst-launch line from the next frame on; NULL or "": the
 * blockdct `b`. A line that cannot work is refused with a warning. Any thread
 * may call this and the following functions. */
void gst_blockdct_page_encoder_set (GstBlockDctPage * self,
    const gchar * line);

/* The line in force, owned by the caller; NULL: none. */
gchar *gst_blockdct_page_encoder_get (GstBlockDctPage * self);

/* Add the encoder's delay to b's answer to a LATENCY query. */
void gst_blockdct_page_encoder_add_latency (GstBlockDctPage * self,
    GstQuery * query);

/* Called before the bin starts; before it stops, so that no thread keeps
 * waiting; and when it has stopped. */
void gst_blockdct_page_encoder_start (GstBlockDctPage * self);
void gst_blockdct_page_encoder_interrupt (GstBlockDctPage * self);
void gst_blockdct_page_encoder_stop (GstBlockDctPage * self);

/* An event reaches `b`: the frames in the encoder leave before it. */
void gst_blockdct_page_encoder_see (GstBlockDctPage * self,
    GstEvent * event);

/* Have all frames in the encoder leave. The streaming thread of `b` calls this
 * and the following functions. */
void gst_blockdct_page_encoder_drain (GstBlockDctPage * self);

/* Make B's picture of a frame, which the caller keeps. FALSE: `b` has to make
 * it. */
gboolean gst_blockdct_page_encoder_handle (GstBlockDctPage * self,
    GstBuffer * buffer, GstFlowReturn * ret);

/* A frame bypasses B: the frames in the encoder and in `b` leave before it. */
void gst_blockdct_page_encoder_pass (GstBlockDctPage * self,
    GstBuffer * buffer);

G_END_DECLS
#endif
