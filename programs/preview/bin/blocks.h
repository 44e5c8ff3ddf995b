/* blockdct: handles clicks on blocks in blockdctpage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_BLOCKS_H
#define GST_BLOCKDCT_PAGE_BLOCKS_H

#include "private.h"

G_BEGIN_DECLS

/* Check whether a navigation event, which the caller keeps, is a click, and
 * handle it. */
void gst_blockdct_page_blocks_see (GstBlockDctPage * self,
    GstEvent * event);

/* A buffer enters a transform, A or B, and leaves it. A click refers to the
 * frame that left last. */
void gst_blockdct_page_blocks_enter (GstBlockDctPage * self,
    gboolean of_b, GstBuffer * buffer);
void gst_blockdct_page_blocks_leave (GstBlockDctPage * self,
    gboolean of_b, GstBuffer * buffer);

/* The frames in a transform are dropped. */
void gst_blockdct_page_blocks_flush (GstBlockDctPage * self,
    gboolean of_b);

/* Have another thread post a message about the selected block, if its settings
 * have changed. */
void gst_blockdct_page_blocks_follow (GstBlockDctPage * self);

/* Drop the pictures. */
void gst_blockdct_page_blocks_forget (GstBlockDctPage * self);

G_END_DECLS
#endif
