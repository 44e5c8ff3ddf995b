/* blockdct-preview: the inside of a session, for its own files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PARTS_H
#define PREVIEW_PARTS_H

#include "../encoders.h"
#include "frames.h"
#include "session.h"

G_BEGIN_DECLS

/** The elements in blockdctpreview that have settings. */
typedef enum
{
  PREVIEW_A, PREVIEW_B, PREVIEW_COMPARE, PREVIEW_N_PARTS
} PreviewPart;

extern const gchar *const preview_part_names[PREVIEW_N_PARTS];

struct _PreviewSession
{
  GObject parent;
  PreviewOptions options;
  gchar *opened;                /* the file, where it is not the first one */
  PreviewOutput output;
  GstElement *pipeline, *bin, *sink;
  GObject *part[PREVIEW_N_PARTS];
  GObject *widget;
  gint number[ENCODER_N_SCALES];        /* atomic; of B's encoder */
  gboolean encodes;             /* what makes B is an encoder */
  guint watch;                  /* of the bus */
  PreviewFrames *frames;
  gboolean fresh;               /* the sink's thread: its frame is new */
  gboolean failed;              /* since it was opened */
  guint64 late, played;         /* frames */

  /* Of the main thread: where it is */
  GstClockTime shown;           /* the frame's time */
  GstClockTime duration;        /* of a frame */
  GstClockTime sought;          /* where the last seek went */
  GstClockTime wanted;          /* where to go when that one has arrived */
  GstClockTime from, to;        /* what is repeated */
  gboolean seeking;
  guint steps_after;            /* to make when the last seek has arrived */
  gboolean moves;               /* it is no still picture */
  gboolean stays;               /* at its end, as there is no way back */
  guint rewind;                 /* source: when the last frame is over */

  GMutex lock;                  /* for what follows, and `freeze` */
  gboolean paused;
  gboolean ended;               /* the input */
  gboolean end_shown;           /* the last frame of it was shown */
  gboolean passed;              /* a frame, since the last flush */
  guint steps;                  /* frames that may still pass */
  gboolean stepped;             /* some have: they were ahead of time */
};

/* pipeline.c */

/** Make the elements but the source; FALSE with an error. */
gboolean preview_pipeline_build (PreviewSession * self, GError ** error);

/** Have it show what `options` name, and leave it in READY if it showed
 * something else; or FALSE with an error, and nothing is changed. */
gboolean preview_pipeline_open (PreviewSession * self,
    const PreviewOptions * options, GError ** error);

/** What preview_source_new() made for it; the caller's reference. */
GstElement *preview_pipeline_get_source (PreviewSession * self);

/* transport.c */

/** Forget the old stream, before another one; start no seek any more. */
void preview_transport_reset (PreviewSession * self);
void preview_transport_stop (PreviewSession * self);

/** The main thread calls these when a frame is shown, when the pipeline posts
 * GST_MESSAGE_ASYNC_DONE, and when the last frame is shown. */
void preview_transport_take_figures (PreviewSession * self,
    const GstStructure * figures);
void preview_transport_arrive (PreviewSession * self);
void preview_transport_end (PreviewSession * self);

/** Pause or play if a key has turned `freeze`. */
void preview_transport_follow (PreviewSession * self);

/** Streaming threads call these: may the input end, or does it stay at its last
 * frame; a flush is over; is the frame that comes in one of a step; is the last
 * frame shown, for the first time. */
gboolean preview_transport_may_end (PreviewSession * self);
void preview_transport_flush (PreviewSession * self);
gboolean preview_transport_pass (PreviewSession * self);
gboolean preview_transport_is_end (PreviewSession * self);

/* controls.c */

/** Emit `changed` from here on. */
void preview_controls_follow (PreviewSession * self);

/** Set one element's "NAME=VALUE". */
gboolean preview_set_property (GObject * element, const gchar * pair,
    GError ** error);

/** Call `take` with each property of the part that makes what is shown, or by
 * which engine, and is not as it is without being set. */
void preview_session_foreach (PreviewSession * self, PreviewPart part,
    void (*take) (GParamSpec * pspec, const GValue * value, gpointer data),
    gpointer data);

G_END_DECLS
#endif
