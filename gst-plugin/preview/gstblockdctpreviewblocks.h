/* blockdct: clicks on blocks in blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_BLOCKS_H
#define GST_BLOCKDCT_PREVIEW_BLOCKS_H

#include "gstblockdctpreviewprivate.h"

G_BEGIN_DECLS

/** Look at a navigation event, which stays the caller's: it may be a click. */
void gst_blockdct_preview_blocks_see (GstBlockDctPreview * self,
    GstEvent * event);

/** A buffer enters a transform, and leaves it: A, or B if `of_b`. Blocks are
 * those of the frame that left last. */
void gst_blockdct_preview_blocks_enter (GstBlockDctPreview * self,
    gboolean of_b, GstBuffer * buffer);
void gst_blockdct_preview_blocks_leave (GstBlockDctPreview * self,
    gboolean of_b, GstBuffer * buffer);

/** What is in a transform never leaves it. */
void gst_blockdct_preview_blocks_flush (GstBlockDctPreview * self,
    gboolean of_b);

/** Have another thread post what became of the block that was clicked on, if
 * it is made with other settings now. */
void gst_blockdct_preview_blocks_follow (GstBlockDctPreview * self);

/** There is no picture any more. */
void gst_blockdct_preview_blocks_forget (GstBlockDctPreview * self);

G_END_DECLS
#endif
