/* blockdct: a version of the picture in blockdctpreview, A or B, and its
 * exchange for another one while frames flow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstblockdctpreview.h"

/* A version: tee, queue, the element or bin of the description, compare. */
typedef struct
{
  GstBlockDctPreview *preview;
  const gchar *name;            /* the property's and the child's */
  const gchar *side;            /* compare's pad */

  /* Protected by the preview's lock. */
  gchar *description;           /* in force, or about to be */
  GError *refusal;              /* of a description, before the start; or
                                   NULL */
  gboolean pending;             /* `next` takes the place of `version` */
  GstElement *next;             /* NULL: nothing */
  gboolean shows;               /* compare shows A and B then */
  gint phase;                   /* how far its exchange is */
  guint turn;                   /* the number of the exchange */
  gulong probe;                 /* the probe that holds the queue's frames
                                   back; 0: none */

  /* Changed by exchange() alone. */
  GstElement *queue, *version;  /* children; NULL: none */
  gint fresh;                   /* atomic: no picture of `version` has left */
} GstBlockDctPreviewBranch;

struct _GstBlockDctPreview
{
  GstBin parent;
  GstElement *tee, *compare;
  GstPad *entrance;             /* gives the tee its frames */
  GRecMutex relinks;            /* held while children are exchanged */
  gint flows;                   /* atomic: frames may flow */
  GMutex lock;
  GstBlockDctPreviewBranch a, b;
};

/* Exchange the version for what is described; "" or NULL: for none. With
 * `shows`, compare shows A and B from then on. Any thread may call this. */
void gst_blockdct_preview_branch_set (GstBlockDctPreviewBranch * branch,
    const gchar * description, gboolean shows);

/* The child that is the version; NULL: none. */
GstElement *gst_blockdct_preview_branch_get_version
    (GstBlockDctPreviewBranch * branch);

/* No frame comes from now on: end an exchange that has begun. */
void gst_blockdct_preview_branch_stop (GstBlockDctPreviewBranch * branch);

/* Drop what it holds. */
void gst_blockdct_preview_branch_clear (GstBlockDctPreviewBranch * branch);

/* Let compare queue as many originals as A and B may hold frames. */
void gst_blockdct_preview_branch_follow_depth (GstBlockDctPreview * self);
