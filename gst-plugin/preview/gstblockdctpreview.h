/* blockdct: GstBlockDctPreview, a bin of two transforms and a comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_H
#define GST_BLOCKDCT_PREVIEW_H

#include <gst/gst.h>
#include "gstblockdctpreviewblocks.h"
#include "gstblockdctpreviewfreeze.h"

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_PREVIEW (gst_blockdct_preview_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctPreview, gst_blockdct_preview, GST,
    BLOCKDCT_PREVIEW, GstBin)
GST_ELEMENT_REGISTER_DECLARE (blockdctpreview);

/** The numbers of A's and B's pictures in compare's `left` and `right`. */
#define GST_BLOCKDCT_PREVIEW_A 0
#define GST_BLOCKDCT_PREVIEW_B 1

struct _GstBlockDctPreview
{
  GstBin parent;

  /* Children, which are the bin's. */
  GstBlockDctPreviewFreeze *freeze;
  GstElement *a, *b, *compare;

  gint shows_b;                 /* atomic: B is one of the pictures shown */
  GstBlockDctPreviewBlocks blocks;
};

/* gstblockdctpreviewkeys.c */

/** Handle a navigation event if it is about A, B or freeze; the caller keeps
 * it. FALSE: it is not. */
gboolean gst_blockdct_preview_keys_handle (GstBlockDctPreview * self,
    GstEvent * event);

/* gstblockdctpreviewblocks.c */

/** Look at a navigation event, which stays the caller's: it may be a click. */
void gst_blockdct_preview_blocks_see (GstBlockDctPreview * self,
    GstEvent * event);

/** Have another thread post what became of the block that was clicked on, if
 * it is made with other settings now. */
void gst_blockdct_preview_blocks_follow (GstBlockDctPreview * self);

/** There is no picture any more. */
void gst_blockdct_preview_blocks_forget (GstBlockDctPreview * self);

G_END_DECLS
#endif
