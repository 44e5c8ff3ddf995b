/* blockdct: the state of the bin blockdctpage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_PRIVATE_H
#define GST_BLOCKDCT_PAGE_PRIVATE_H

#include <gst/gst.h>
#include "gst-plugin/blockdct/gstblockdct.h"
#include "freeze.h"

G_BEGIN_DECLS

/* The last frame of a transform, and its input. */
typedef struct
{
  GQueue inputs;                /* buffers in the transform, the oldest first */
  GstBuffer *in;                /* the input of the frame that left last; or
                                   NULL */
  GstBlockDctShown shown;       /* of the same frame */
} GstBlockDctPageMade;

/* The block that a viewer has clicked on. Any thread may use it. */
typedef struct
{
  GMutex lock;                  /* protects all following members */
  GstBlockDctPageMade made[2];       /* A's and B's */
  gboolean pressed;             /* the button is down, since (x, y) */
  gdouble pressed_x, pressed_y;
  gboolean any;                 /* a block is selected */
  gint x, y;                    /* its place, in samples of the picture's
                                   luma */
  gboolean of_b;                /* B's block; else A's */
  gboolean posted;              /* a message about it has been posted */
  BdctParams params;            /* the parameters in that message */
  gboolean scheduled;           /* a thread is going to post */
  guint readers;                /* threads that read a frame */
  GCond read;                   /* `readers` has decreased */
} GstBlockDctPageBlocks;

/* One run of an encoder. */
typedef struct _GstBlockDctPageSession GstBlockDctPageSession;

/* The encoder that makes B's pictures. */
typedef struct
{
  GMutex lock;
  GCond changed;                /* the state of a session */

  /* Protected by the lock. */
  gchar *line;                  /* NULL: the blockdct b makes B's pictures */
  guint generation;             /* counts the lines */
  GstMessage *refusal;          /* of a line, not posted yet; or NULL */
  gboolean flushing;            /* or not running: no thread waits */
  GstBlockDctPageSession *session;   /* NULL: none runs */

  gint runs;                    /* atomic: the encoder made B's latest
                                   picture */

  /* Used by the streaming thread of b. */
  GstBuffer *kept;              /* the latest picture; or NULL */
  guint kept_generation;        /* of the line that made it */
  gboolean in_b;                /* b may hold frames */
  gboolean own_caps;            /* b's source pad has the caps of the encoder's
                                   pictures */
} GstBlockDctPageEncoder;

/* The numbers of A's and B's pictures in compare's `left` and `right`. */
#define GST_BLOCKDCT_PAGE_A 0
#define GST_BLOCKDCT_PAGE_B 1

typedef struct _GstBlockDctPage GstBlockDctPage;

#define GST_BLOCKDCT_PAGE_CAST(object) ((GstBlockDctPage *) (object))

struct _GstBlockDctPage
{
  GstBin parent;

  /* Children, owned by the bin. */
  GstBlockDctPageFreeze *freeze;
  GstElement *a, *b, *compare;

  GstPad *entrance_of_a;        /* the sink pad of the queue before A */
  gint shows_b;                 /* atomic: B's picture is shown */
  GstBlockDctPageBlocks blocks;
  GstBlockDctPageEncoder encoder;
};

G_END_DECLS
#endif
