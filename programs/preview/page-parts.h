/* blockdct-preview: the inside of a page, for its own files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PAGE_PARTS_H
#define PREVIEW_PAGE_PARTS_H

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
  guint coding;                 /* the number of what makes A and B */
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

/* page-news.c */

/* Add everything that is new to a viewer, except the picture; and that, with
 * its figures. */
void preview_news_add (Viewer * viewer, JsonObject * json);
void preview_news_add_picture (Viewer * viewer, JsonObject * json);

/* protocol-read.c */

/* Run a command; FALSE with an error. */
gboolean preview_protocol_run (PreviewSession * session, const gchar * text,
    GError ** error);

/* protocol-write.c: values, structures and properties as JSON */

/* An object with `name`, `about`, `default`, and either `values` (of an
 * enumeration) or `flags`, each with `nick` and `about`, or `minimum`,
 * `maximum` and `step` (of numbers), or neither (true or false). */
JsonObject *preview_protocol_write_control (const gchar * name,
    GParamSpec * pspec);

/* A number, a string (for an enumeration, the nick), true or false, or an
 * array of these (for flags, of their nicks); infinity, and anything else that
 * JSON lacks, is null. */
JsonNode *preview_protocol_write_value (const GValue * value);

/* An object with the structure's fields; and these in another object. */
JsonObject *preview_protocol_write_structure (const GstStructure * structure);
void preview_protocol_add_structure (JsonObject * object,
    const GstStructure * structure);

/* curve.c: PSNR over bits of the frame that is shown */

/* Compute, in another thread, A's curve, and B's if a transform makes it: the
 * message `blockdct-curve` at twenty settings. `figures` are those of the frame
 * that is shown. `done`, in the main thread, owns {"a": message, "b": message},
 * without what failed. FALSE: there is no frame. */
gboolean preview_curve_run (PreviewSession * session,
    const GstStructure * figures, void (*done) (JsonObject * curves,
        gpointer data), gpointer data);

G_END_DECLS
#endif
