/* blockdct: the state of the bin blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_PRIVATE_H
#define GST_BLOCKDCT_PREVIEW_PRIVATE_H

#include <gst/gst.h>
#include "gst-plugin/blockdct/gstblockdctshown.h"
#include "gstblockdctpreviewfreeze.h"

G_BEGIN_DECLS

/** What a transform has made last, and of what. */
typedef struct
{
  GQueue inputs;                /* buffers that are in it, the oldest first */
  GstBuffer *in;                /* that of the frame which left last; or NULL */
  GstBlockDctShown shown;       /* the same frame's */
} GstBlockDctPreviewMade;

/** The block that a viewer has clicked on; from any thread. */
typedef struct
{
  GMutex lock;                  /* of all that follows */
  GstBlockDctPreviewMade made[2];       /* A's and B's */
  gboolean pressed;             /* the button is down, since (x, y) */
  gdouble pressed_x, pressed_y;
  gboolean any;                 /* a block was clicked on */
  gint x, y;                    /* where, in samples of the picture's luma */
  gboolean of_b;                /* B's block; else A's */
  gboolean posted;              /* a message about it */
  BdctParams params;            /* what it was made with then */
  gboolean scheduled;           /* a thread is under way */
  guint readers;                /* threads that have a frame in hand */
  GCond read;                   /* there is one less */
} GstBlockDctPreviewBlocks;

/** One run of an encoder. */
typedef struct _GstBlockDctPreviewSession GstBlockDctPreviewSession;

/** The encoder that makes B's pictures. */
typedef struct
{
  GMutex lock;
  GCond changed;                /* what a session says of itself */

  /* Protected by the lock. */
  gchar *line;                  /* NULL: the blockdct b is B */
  guint generation;             /* counts the lines */
  GstMessage *refusal;          /* of a line, that nobody has heard; or NULL */
  gboolean flushing;            /* or not running: nothing waits */
  GstBlockDctPreviewSession *session;   /* NULL: none runs */

  gint runs;                    /* atomic: it made B's latest picture */

  /* Of the streaming thread of b. */
  GstBuffer *kept;              /* the latest picture; or NULL */
  guint kept_generation;        /* of the line that made it */
  gboolean in_b;                /* b may hold frames */
  gboolean own_caps;            /* b's source pad has those of the pictures */
} GstBlockDctPreviewEncoder;

/** The numbers of A's and B's pictures in compare's `left` and `right`. */
#define GST_BLOCKDCT_PREVIEW_A 0
#define GST_BLOCKDCT_PREVIEW_B 1

typedef struct _GstBlockDctPreview GstBlockDctPreview;

#define GST_BLOCKDCT_PREVIEW_CAST(object) ((GstBlockDctPreview *) (object))

struct _GstBlockDctPreview
{
  GstBin parent;

  /* Children, which are the bin's. */
  GstBlockDctPreviewFreeze *freeze;
  GstElement *a, *b, *compare;

  GstPad *entrance_of_a;        /* the sink pad of the queue before it */
  gint shows_b;                 /* atomic: B is one of the pictures shown */
  GstBlockDctPreviewBlocks blocks;
  GstBlockDctPreviewEncoder encoder;
};

G_END_DECLS
#endif
