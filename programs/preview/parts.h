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

/* The elements in blockdctpage that have settings. */
typedef enum
{
  PREVIEW_A, PREVIEW_B, PREVIEW_COMPARE, PREVIEW_N_PARTS
} PreviewPart;

extern const gchar *const preview_part_names[PREVIEW_N_PARTS];

struct _PreviewSession
{
  GObject parent;
  PreviewOptions options;
  gchar *opened;                /* the file, if it is not the first one */
  PreviewOutput output;
  GstElement *pipeline, *bin, *sink;
  GObject *part[PREVIEW_N_PARTS];
  gint number[ENCODER_N_SCALES];        /* atomic; of B's encoder */
  gboolean encodes;             /* an encoder makes B */
  guint watch;                  /* source of the bus */
  PreviewFrames *frames;
  gboolean fresh;               /* the sink's thread: its frame is new */
  gboolean failed;              /* an error since it was opened */
  guint64 late, played;         /* frames */

  /* The position; used by the main thread */
  GstClockTime shown;           /* the frame's time */
  GstClockTime duration;        /* of a frame */
  GstClockTime sought;          /* target of the last seek */
  GstClockTime wanted;          /* target of the next seek, after the last
                                   one */
  GstClockTime from, to;        /* the range that is repeated */
  gboolean seeking;
  guint steps_after;            /* to make when the last seek is done */
  gboolean moves;               /* it is not a still picture */
  gboolean stays;               /* it stays at its end, as it cannot seek
                                   back */
  guint rewind;                 /* source: after the last frame */

  GMutex lock;                  /* protects the following members, and
                                   `freeze` */
  gboolean paused;
  gboolean ended;               /* the input has ended */
  gboolean end_shown;           /* its last frame has been shown */
  gboolean passed;              /* a frame has passed since the last flush */
  guint steps;                  /* number of frames that may still pass */
  gboolean stepped;             /* frames have passed in steps, ahead of time */
};

/* pipeline.c */

/* Make the elements but the source; FALSE with an error. */
gboolean preview_pipeline_build (PreviewSession * self, GError ** error);

/* Replace the source by that of `options`; the pipeline is then in READY if it
 * had another source. FALSE with an error, and nothing is changed. */
gboolean preview_pipeline_open (PreviewSession * self,
    const PreviewOptions * options, GError ** error);

/* The element made by preview_source_new(); the caller owns the reference. */
GstElement *preview_pipeline_get_source (PreviewSession * self);

/* transport.c */

/* Reset the state before another stream; and stop starting seeks. */
void preview_transport_reset (PreviewSession * self);
void preview_transport_stop (PreviewSession * self);

/* The main thread calls these when a frame is shown, when the pipeline posts
 * GST_MESSAGE_ASYNC_DONE, and when the last frame is shown. */
void preview_transport_take_figures (PreviewSession * self,
    const GstStructure * figures);
void preview_transport_arrive (PreviewSession * self);
void preview_transport_end (PreviewSession * self);

/* Pause or play if a key has changed `freeze`. */
void preview_transport_follow (PreviewSession * self);

/* Streaming threads call these: whether the input may end, or stays at its
 * last frame; after a flush; whether the frame that comes in belongs to a step;
 * whether the last frame is shown, for the first time. */
gboolean preview_transport_may_end (PreviewSession * self);
void preview_transport_flush (PreviewSession * self);
gboolean preview_transport_pass (PreviewSession * self);
gboolean preview_transport_is_end (PreviewSession * self);

/* controls.c */

/* Emit `changed` from now on. */
void preview_controls_follow (PreviewSession * self);

/* Set one element's "NAME=VALUE". */
gboolean preview_set_property (GObject * element, const gchar * pair,
    GError ** error);

/* Call `take` with each property of the part that determines the picture or
 * the engine, and that does not have its default value. */
void preview_session_foreach (PreviewSession * self, PreviewPart part,
    void (*take) (GParamSpec * pspec, const GValue * value, gpointer data),
    gpointer data);

G_END_DECLS
#endif
