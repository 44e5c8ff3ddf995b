/* blockdct: handles clicks on blocks in blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_BLOCKS_H
#define GST_BLOCKDCT_PREVIEW_BLOCKS_H

#include "gstblockdctpreviewprivate.h"

G_BEGIN_DECLS

/* Check whether a navigation event, which the caller keeps, is a click, and
 * handle it. */
void gst_blockdct_preview_blocks_see (GstBlockDctPreview * self,
    GstEvent * event);

/* A buffer enters a transform, A or B, and leaves it. A click refers to the
 * frame that left last. */
void gst_blockdct_preview_blocks_enter (GstBlockDctPreview * self,
    gboolean of_b, GstBuffer * buffer);
void gst_blockdct_preview_blocks_leave (GstBlockDctPreview * self,
    gboolean of_b, GstBuffer * buffer);

/* The frames in a transform are dropped. */
void gst_blockdct_preview_blocks_flush (GstBlockDctPreview * self,
    gboolean of_b);

/* Have another thread post a message about the selected block, if its settings
 * have changed. */
void gst_blockdct_preview_blocks_follow (GstBlockDctPreview * self);

/* Drop the pictures. */
void gst_blockdct_preview_blocks_forget (GstBlockDctPreview * self);

G_END_DECLS
#endif
