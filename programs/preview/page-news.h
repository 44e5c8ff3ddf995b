/* blockdct-preview: what page.c, whose state this is, says to a viewer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PAGE_NEWS_H
#define PREVIEW_PAGE_NEWS_H

#include "encoder.h"
#include "page.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  PreviewPage *page;
  SoupWebsocketConnection *socket;
  guint64 sent;                 /* the page's time then; 0: nothing yet */
  gboolean ready;               /* for the next text */
  gboolean fast;                /* its line is fast, judging by the last
                                   picture */
  guint64 heard;                /* number of commands */
  gboolean planes;              /* it can show them */
  guint64 frame, skipped;
  guint64 point;                /* the number of points that it has */
  guint64 coding;               /* the number of the encoders' properties */
} Viewer;

/* A frame's number, from 1 on; 0: none. */
typedef struct
{
  guint64 number;
  GstSample *sample;
  GstStructure *figures;        /* or NULL */
} Frame;

/* The page's time is `now`, which counts updates; members named `_at` have the
 * time of a change. */
struct _PreviewPage
{
  PreviewSession *session;
  PreviewEncoder *encoder;
  GPtrArray *viewers;
  gboolean visited;             /* there was a viewer */
  guint64 now;
  gchar *notice;
  guint64 notice_at;
  GstStructure *block;
  guint64 block_at, opened_at;
  guint64 n_coding;             /* that there have been; from 1 on */
  gchar *coding[2];             /* what makes A and B */
  GQueue points;                /* of JsonObject: the last frames' figures */
  guint64 n_points;             /* that there have been */
  JsonObject *curve;            /* or NULL */
  guint64 curve_at;
  gboolean computing, curve_wanted;
  /* The newest encoded frame; and the one that is being encoded, or has
   * failed. */
  Frame picture, next;
  PreviewPicture file, next_file;
  guint64 picture_at;
  gboolean encoding;
  PreviewKind kind;             /* of the next frame */

  GMutex lock;                  /* protects the following members */
  gboolean turned;              /* a property has changed */
  gboolean updating;            /* update() will run */
  Frame latest;
};

/* Add everything that is new to a viewer, except the picture; and that, with
 * its figures. */
void preview_news_add (Viewer * viewer, JsonObject * json);
void preview_news_add_picture (Viewer * viewer, JsonObject * json);

G_END_DECLS
#endif
