/* blockdct: runs an encoder that makes B's pictures in blockdctpreview.
 *
 * Frames leave the stream before the blockdct `b`, go through the encoder and a
 * decoder, and return after `b` as pictures with their frames' times. So
 * nothing is relinked while frames flow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_ENCODER_H
#define GST_BLOCKDCT_PREVIEW_ENCODER_H

#include "gstblockdctpreviewprivate.h"

G_BEGIN_DECLS

void gst_blockdct_preview_encoder_init (GstBlockDctPreview * self);
void gst_blockdct_preview_encoder_clear (GstBlockDctPreview * self);

/* Use the encoder of a gst-launch line from the next frame on; NULL or "": the
 * blockdct `b`. A line that cannot work is refused with a warning. Any thread
 * may call this and the following functions. */
void gst_blockdct_preview_encoder_set (GstBlockDctPreview * self,
    const gchar * line);

/* The line in force, owned by the caller; NULL: none. */
gchar *gst_blockdct_preview_encoder_get (GstBlockDctPreview * self);

/* Add the encoder's delay to b's answer to a LATENCY query. */
void gst_blockdct_preview_encoder_add_latency (GstBlockDctPreview * self,
    GstQuery * query);

/* Called before the bin starts; before it stops, so that no thread keeps
 * waiting; and when it has stopped. */
void gst_blockdct_preview_encoder_start (GstBlockDctPreview * self);
void gst_blockdct_preview_encoder_interrupt (GstBlockDctPreview * self);
void gst_blockdct_preview_encoder_stop (GstBlockDctPreview * self);

/* An event reaches `b`: the frames in the encoder leave before it. */
void gst_blockdct_preview_encoder_see (GstBlockDctPreview * self,
    GstEvent * event);

/* Have all frames in the encoder leave. The streaming thread of `b` calls this
 * and the following functions. */
void gst_blockdct_preview_encoder_drain (GstBlockDctPreview * self);

/* Make B's picture of a frame, which the caller keeps. FALSE: `b` has to make
 * it. */
gboolean gst_blockdct_preview_encoder_handle (GstBlockDctPreview * self,
    GstBuffer * buffer, GstFlowReturn * ret);

/* A frame bypasses B: the frames in the encoder and in `b` leave before it. */
void gst_blockdct_preview_encoder_pass (GstBlockDctPreview * self,
    GstBuffer * buffer);

G_END_DECLS
#endif
