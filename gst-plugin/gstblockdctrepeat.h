/* blockdct: the frame that is shown, shown again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_REPEAT_H
#define GST_BLOCKDCT_REPEAT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GMutex lock;                  /* of all of it */
  GCond called;                 /* `calling` has ended */
  guint64 asked;                /* changes of what a frame looks like */
  guint64 shown;                /* `asked`, when the frame shown was started */
  GstBuffer *in;                /* its input; NULL: none is kept */
  GstEvent *eos;                /* that came after it; or NULL */
  gboolean running;             /* between READY and READY */
  gboolean paused;
  gboolean flushing;            /* by upstream */
  gboolean scheduled;           /* a thread is under way */
  gboolean waiting;             /* one waits for the stream lock */
  guint busy;                   /* calls that end with a look at `asked` */
  gboolean pushing;             /* one of them is downstream, with a frame */
  gboolean fetched;             /* and was called back: downstream is flushed */
  gboolean calling;             /* a flush is on its way downstream */
} GstBlockDctRepeat;

void gst_blockdct_repeat_init (GstBlockDctRepeat * repeat);
void gst_blockdct_repeat_clear (GstBlockDctRepeat * repeat);

G_END_DECLS
#endif
