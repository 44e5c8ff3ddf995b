/* blockdct: an encoder that makes B's pictures in blockdctpreview.
 *
 * Frames leave the stream in front of the blockdct `b`, go through the encoder
 * and a decoder, and come back behind `b` as pictures with their frames' times.
 * So nothing is linked anew while frames flow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_ENCODER_H
#define GST_BLOCKDCT_PREVIEW_ENCODER_H

#include "gstblockdctpreviewprivate.h"

G_BEGIN_DECLS

void gst_blockdct_preview_encoder_init (GstBlockDctPreview * self);
void gst_blockdct_preview_encoder_clear (GstBlockDctPreview * self);

/** Use the encoder of a gst-launch line from the next frame on; NULL or "": the
 * blockdct `b`. A line that cannot work is refused with a warning. From any
 * thread, as is what follows. */
void gst_blockdct_preview_encoder_set (GstBlockDctPreview * self,
    const gchar * line);

/** The line in force, the caller's; NULL: there is none. */
gchar *gst_blockdct_preview_encoder_get (GstBlockDctPreview * self);

/** Add how long the encoder holds frames back to b's answer to a LATENCY
 * query. */
void gst_blockdct_preview_encoder_add_latency (GstBlockDctPreview * self,
    GstQuery * query);

/** Before the bin starts; before it stops, so that no thread waits any more;
 * and when it has stopped. */
void gst_blockdct_preview_encoder_start (GstBlockDctPreview * self);
void gst_blockdct_preview_encoder_interrupt (GstBlockDctPreview * self);
void gst_blockdct_preview_encoder_stop (GstBlockDctPreview * self);

/** An event reaches `b`: what the encoder holds leaves before it. */
void gst_blockdct_preview_encoder_see (GstBlockDctPreview * self,
    GstEvent * event);

/** Have all that the encoder holds leave. The streaming thread of `b`, as for
 * what follows. */
void gst_blockdct_preview_encoder_drain (GstBlockDctPreview * self);

/** Make B's picture of a frame, which stays the caller's. FALSE: `b` is to make
 * it. */
gboolean gst_blockdct_preview_encoder_handle (GstBlockDctPreview * self,
    GstBuffer * buffer, GstFlowReturn * ret);

/** A frame goes past B: what the encoder and `b` hold leaves before it. */
void gst_blockdct_preview_encoder_pass (GstBlockDctPreview * self,
    GstBuffer * buffer);

G_END_DECLS
#endif
