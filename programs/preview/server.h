/* blockdct-preview: the page's server.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_SERVER_H
#define PREVIEW_SERVER_H

#include <json-glib/json-glib.h>
#include <libsoup/soup.h>
#include "session.h"

typedef struct _PreviewServer PreviewServer;

/* Serve a page with the frames and controls of a session, which outlives it,
 * and print its address. `address` NULL is 127.0.0.1, without a token; any
 * other address has a token in the page's path. `port` 0 is a free one. NULL
 * with an error.
 */
PreviewServer *preview_server_new (PreviewSession * session,
    const gchar * address, guint port, GError ** error);
/* The page's address, owned by the server. */
const gchar *preview_server_get_address (PreviewServer * server);
/* Whether all browsers have gone; FALSE before the first one came. */
gboolean preview_server_is_left (PreviewServer * server);
/* Give the port back, and remove what browsers sent. */
void preview_server_close (PreviewServer * server);
/* The session has to be stopped. */
void preview_server_free (PreviewServer * self);

/* listener.c: the connections to the page's server
 *
 * libsoup's own listener stops at the first connection that it cannot accept.
 * It neither counts connections nor closes idle ones. */
typedef struct _PreviewListener PreviewListener;

/* Listen at an address, and pass its connections to `server`. */
PreviewListener *preview_listener_new (SoupServer * server,
    GSocketAddress * at, GError ** error);
void preview_listener_free (PreviewListener * self);

/* The address with the actual port, owned by the listener. */
GInetSocketAddress *preview_listener_get_address (PreviewListener * self);

/* Keep the connection of `message` even if it is idle: it is a viewer's
 * now. */
void preview_listener_keep (SoupServerMessage * message);

/* files.c: what the page saves, copies and opens
 *
 *     GET view.png, original.png, a.png, b.png     of the shown frame
 *     GET command.txt, program.py                  that show the same
 *     POST open?name=holiday.mp4                   a file to show
 *     POST open?name=holiday-crf23.mp4&side=a      one that is A
 *
 * A file that is opened is kept in a temporary folder until the next one in its
 * place is, as a page cannot name one of its browser's machine. */
typedef struct _PreviewFiles PreviewFiles;

/* For a session, which outlives it. */
PreviewFiles *preview_files_new (PreviewSession * session);
/* Remove the opened file. */
void preview_files_remove (PreviewFiles * files);
/* The session has to be stopped. */
void preview_files_free (PreviewFiles * files);

/* Answer any request with a text. */
void preview_answer (SoupServerMessage * message, guint status,
    const gchar * text);

/* Answer a request for one of these; FALSE: it is for none of them. */
gboolean preview_files_get (PreviewFiles * files, SoupServerMessage * message,
    const gchar * name);

/* Answer whether a file of this size may be sent: browsers send all of it
 * before they look at the answer. */
void preview_files_check (SoupServerMessage * message, const gchar * size);
/* Called when the headers of a POST have come: write its body to a file. `side`
 * is "a" or "b", what it is to be, or NULL: the original. */
void preview_files_receive (SoupServerMessage * message, const gchar * name,
    const gchar * side);
/* Called when its body has come, too: show the file. */
void preview_files_open (PreviewFiles * files, SoupServerMessage * message);

/* encoder.c: frames as what a browser takes, without a loss at 8 bits */

typedef struct _PreviewEncoder PreviewEncoder;

/* NULL with an error that says what to install. */
PreviewEncoder *preview_encoder_new (GError ** error);
void preview_encoder_free (PreviewEncoder * encoder);

typedef enum
{
  PREVIEW_PLANES,               /* Y, U and V, where browsers have the format;
                                   else the next */
  PREVIEW_RGB,                  /* R, G, B and 255 of each sample */
  PREVIEW_PNG                   /* fewer bytes, and much more time */
} PreviewKind;

/* A frame; NULL where a name does not apply. */
typedef struct
{
  GBytes *file;
  const gchar *format;          /* "png", or WebCodecs' name */
  const gchar *matrix;          /* WebCodecs' name, of planes */
  gboolean full;                /* planes have the full range */
  gboolean tone_mapped;         /* it was HDR; R, G and B are SDR */
  gint width, height;
} PreviewPicture;

/* Replace `picture` by the frame, or a map that is not to be tone-mapped; FALSE
 * with an error. It blocks; any thread may call it, one at a time. */
gboolean preview_encoder_run (PreviewEncoder * encoder, GstSample * frame,
    PreviewKind kind, gboolean map, PreviewPicture * picture, GError ** error);

/* Set the error that is posted on the bus or, without one, `other`. */
void preview_encoder_explain (GstBus * bus, const gchar * other,
    GError ** error);

/* page.c: what a page in a browser shows and changes
 *
 * A viewer is a browser's WebSocket. It is sent one JSON text with everything
 * that is new to it, and no other until it has answered "shown": changes in
 * between are not queued, the next text has the state at that time. The same
 * goes for frames: if the text has "picture", the newest frame follows it,
 * encoded by encoder.c.
 *
 *     {"controls": [...], "presets": [...]   at first (page-news.c)
 *      "heard": commands that came from this viewer,
 *      "values": {control: value},
 *      "name": the source's, "file-a", "file-b": those of files that are A and
 *      B, or null, "no-reference": true if A's is in the place of the original,
 *      "failed-a", "failed-b": why what was chosen for them is not shown, or
 *      null, "encoded-a", "encoded-b": frames that their encoders have made on
 *      the way to the one that comes, or -1,
 *      "late": frames that were too late,
 *      "position", "duration", "frame-duration", and "from" and "to" of the
 *      range that is repeated: seconds, where they are known,
 *      "paused": true, "moves": false for a still, "notice": "a warning",
 *      "opened": true where another file is shown,
 *      "points": [the figures of each frame that was shown since],
 *      "block": {...}, "curve": {"a": {...}, "b": {...}},
 *      "picture": {"frame": number, "skipped": frames not sent to this viewer,
 *        "format", "matrix", "full", "width", "height": encoder.c},
 *      "tone-mapped": true where that was HDR, and figures are of what it was,
 *      "figures": {...} of this frame}
 *
 * It may send "planes", if it can show them; "shown", or "shown 3.5" if the
 * picture was in transit for 3.5 ms; "curve", for those of the shown frame; and
 * these commands:
 *
 *     set NAME=VALUE                            of a control
 *     preset NAME
 *     no-original                               A's file is in its place
 *     pause, play
 *     step, back                                to the next frame, the last one
 *     seek SECONDS
 *     mark                                      the start of a repeated range,
 *                                               its end, none
 *     press X Y, move X Y, release X Y          of the picture's samples
 *     key NAME                                  such as Up, g, space
 *
 * Pictures are raw if all viewers that wait for one have fast lines, else PNG.
 */
typedef struct _PreviewPage PreviewPage;

/* A page for a session, which outlives it. NULL with an error that says what
 * to install. */
PreviewPage *preview_page_new (PreviewSession * session, GError ** error);
/* Close all viewers and free the page. The session has to be stopped. */
void preview_page_free (PreviewPage * page);

/* Whether there was a viewer, and there is none any more. */
gboolean preview_page_is_left (PreviewPage * page);

/* Whether there is room for another viewer. */
gboolean preview_page_has_room (PreviewPage * page);
void preview_page_add_viewer (PreviewPage * page,
    SoupWebsocketConnection * socket);

/* What a viewer is sent when it is new to it. */
typedef enum
{
  PREVIEW_CONTROLS, PREVIEW_PRESETS, PREVIEW_PROPERTIES, PREVIEW_OPENED,
  PREVIEW_NOTICE, PREVIEW_BLOCK, PREVIEW_CURVE, PREVIEW_N_NEWS
} PreviewNews;

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
} Viewer;

/* A frame's number, from 1 on; 0: none. */
typedef struct
{
  guint64 number;
  GstSample *sample;
  GstStructure *figures;        /* or NULL */
  PreviewPicture file;          /* once it is encoded */
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
  struct
  {
    JsonNode *is;               /* or NULL */
    guint64 at;
  } news[PREVIEW_N_NEWS];
  guint coding;                 /* the number of what makes A and B */
  JsonArray *points;            /* the last frames' figures */
  guint64 n_points;             /* that there have been */
  gboolean computing, curve_wanted;     /* a curve */
  /* The newest encoded frame; and the one that is being encoded, or has
   * failed. */
  Frame picture, next;
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

JsonNode *preview_news_write_structure (const GstStructure * structure);
JsonNode *preview_news_write_controls (PreviewSession * session);
JsonNode *preview_news_write_presets (PreviewSession * session);

/* Of the other properties of A's and B's encoder. */
JsonNode *preview_news_write_properties (PreviewSession * session);

#endif
