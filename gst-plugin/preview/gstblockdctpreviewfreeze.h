/* blockdct: where blockdctpreview holds its input back, and shows its last
 * frame again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_FREEZE_H
#define GST_BLOCKDCT_PREVIEW_FREEZE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_PREVIEW_FREEZE \
  (gst_blockdct_preview_freeze_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctPreviewFreeze, gst_blockdct_preview_freeze,
    GST, BLOCKDCT_PREVIEW_FREEZE, GstElement)

/** An element with pads sink and src, with a reference that floats. All that
 * follows may be called from any thread. */
GstElement *gst_blockdct_preview_freeze_new (void);

/** While frozen, buffers and serialized events wait (those of a live input are
 * dropped), and the last buffer leaves again once a second, marked as repeated
 * (gstblockdctmark.h). The first buffer of a stream, or after a flush,
 * passes in any case. What waited leaves later by as long as it had to wait. */
void gst_blockdct_preview_freeze_set (GstBlockDctPreviewFreeze * self,
    gboolean frozen);

gboolean gst_blockdct_preview_freeze_get (GstBlockDctPreviewFreeze * self);

/** What is made of a buffer has changed: while frozen, the last one leaves
 * again at once. */
void gst_blockdct_preview_freeze_change (GstBlockDctPreviewFreeze * self);

/** The repeated buffer that left last has come to its end: the next one may
 * leave. Without this it waits for a second. */
void gst_blockdct_preview_freeze_shown (GstBlockDctPreviewFreeze * self);

/** What is downstream is about to stop, before this element does: what it
 * refuses from now on is no error. Until the pads are activated again. */
void gst_blockdct_preview_freeze_stop (GstBlockDctPreviewFreeze * self);

G_END_DECLS
#endif
