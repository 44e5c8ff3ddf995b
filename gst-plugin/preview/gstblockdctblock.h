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

/** A place in the picture, in samples of luma, and whose blocks are there. */
typedef struct
{
  gint x, y;
  BdctSide side;                /* A, or B */
} GstBlockDctPlace;

/** What (x, y) of the view, in samples of luma, shows; FALSE outside of it. */
gboolean gst_blockdct_block_locate (const GstBlockDctShown * shown, gint x,
    gint y, GstBlockDctPlace * place);

/** What the blocks at a place are made with; A's, if there is no B any more. */
BdctParams gst_blockdct_block_params (const GstBlockDctShown * shown,
    const GstBlockDctPlace * place);

/** The message `blockdct-block` about the blocks at a place of the frame, to be
 * posted by `element`; `repeated` if there was one about this place before.
 * NULL where there can be none, as the log says. From any thread. */
GstMessage *gst_blockdct_block_describe (GstElement * element,
    const GstBlockDctShown * shown, const GstBlockDctPlace * place,
    gboolean repeated);

G_END_DECLS
#endif
