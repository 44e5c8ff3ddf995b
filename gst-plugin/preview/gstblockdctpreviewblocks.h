/* blockdct: the block that a viewer of blockdctpreview has clicked on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_BLOCKS_H
#define GST_BLOCKDCT_PREVIEW_BLOCKS_H

#include <gst/gst.h>
#include "dct/job.h"

G_BEGIN_DECLS

/** From any thread. */
typedef struct
{
  GMutex lock;                  /* of all that follows */
  gboolean pressed;             /* the button is down, since (x, y) */
  gdouble pressed_x, pressed_y;
  gboolean any;                 /* a block was clicked on */
  gint x, y;                    /* where, in samples of the picture's luma */
  gboolean of_b;                /* B's block; else A's */
  gboolean told;                /* a message was about it */
  BdctParams params;            /* what it was made with then */
  gboolean scheduled;           /* a thread is under way */
} GstBlockDctPreviewBlocks;

G_END_DECLS
#endif
