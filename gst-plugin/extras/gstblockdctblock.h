/* blockdct: what became of one block, for whoever clicks on it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_BLOCK_H
#define GST_BLOCKDCT_BLOCK_H

#include <gst/video/video.h>
#include "dct/layout.h"
#include "dct/view.h"
#include "gst-plugin/gstblockdctreport.h"

G_BEGIN_DECLS
/** A frame on display. */
    typedef struct
{
  GstBuffer *in;                /* the original; NULL if there is no frame */
  GstVideoInfo info;
  BdctLayout layout;
  BdctView view;
  BdctParams params;
  GstBlockDctSecond second;
  guint64 index;
  GstBlockDctTimes times;
} GstBlockDctShown;

/** Post the message `blockdct-block` about the blocks that (x, y) of the view,
 * in samples of luma, is in; nothing outside the picture. From any thread. */
void gst_blockdct_block_post (GstElement * element,
    const GstBlockDctShown * shown, gint x, gint y);

G_END_DECLS
#endif
