/* blockdct: the element by which blockdctpage holds its input and repeats
 * its last frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_FREEZE_H
#define GST_BLOCKDCT_PAGE_FREEZE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_PAGE_FREEZE \
  (gst_blockdct_page_freeze_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctPageFreeze, gst_blockdct_page_freeze,
    GST, BLOCKDCT_PAGE_FREEZE, GstElement)

/* A new element with pads sink and src, with a floating reference. Any thread
 * may call the following functions. */
GstElement *gst_blockdct_page_freeze_new (void);

/* While frozen, buffers and serialized events wait (those of a live input are
 * dropped), and the last buffer leaves again once a second, marked as repeated
 * (gstblockdctstatistics.h). The first buffer of a stream, or after a flush,
 * always passes. Buffers that waited leave later by the time they waited. */
void gst_blockdct_page_freeze_set (GstBlockDctPageFreeze * self,
    gboolean frozen);

gboolean gst_blockdct_page_freeze_get (GstBlockDctPageFreeze * self);

/* Settings downstream have changed: while frozen, the last buffer leaves again
 * at once. */
void gst_blockdct_page_freeze_change (GstBlockDctPageFreeze * self);

/* The latest repeated buffer has been shown: the next one may leave. Without
 * this call it waits for a second. */
void gst_blockdct_page_freeze_shown (GstBlockDctPageFreeze * self);

/* Elements downstream are about to stop before this one: until the pads are
 * activated again, it is no error that they refuse buffers. */
void gst_blockdct_page_freeze_stop (GstBlockDctPageFreeze * self);

G_END_DECLS
#endif
