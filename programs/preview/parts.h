/* blockdct-preview: the inside of a session, for its own files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PARTS_H
#define PREVIEW_PARTS_H

#include <blockdct/blockdct.h>
#include <gio/gio.h>
#include "../encoders.h"
#include "frames.h"
#include "player.h"
#include "session.h"

G_BEGIN_DECLS

/* The elements that have settings: two blockdct and a blockdctcompare. */
typedef enum
{
  PREVIEW_A, PREVIEW_B, PREVIEW_COMPARE, PREVIEW_N_PARTS
} PreviewPart;

extern const gchar *const preview_part_names[PREVIEW_N_PARTS];

/* An original, and what was made of it elsewhere: of encoders and files. */
typedef struct
{
  GstSample *sample[PREVIEW_N_STREAMS];
} PreviewSet;

struct _PreviewSession
{
  GObject parent;
  PreviewOptions options;
  gchar *codec;                 /* the original's, in words; or NULL */
  gchar *opened;                /* the file, if it is not the first one */
  PreviewOutput output;
  GObject *part[PREVIEW_N_PARTS];
  gint right;                   /* of the views of two pictures: views.c */
  gint number[2][ENCODER_N_SCALES];     /* atomic; of A's and B's encoder */
  gchar *line[2];               /* A's and B's encoder; NULL: a transform */
  GstStructure *more[2];        /* other properties of it, as texts */
  gchar *file[2];               /* A's and B's file, which comes first; or
                                   NULL */
  gboolean aligned[2];          /* whether it is late is known: align.c */
  guint aligning;               /* threads that find this */
  GCancellable *aligner;        /* of the last one; or NULL */
  gboolean measures;            /* blockdctcompare does, for A or B */
  guint watch, bus_watch;       /* sources of the buses of `pipeline` and of the
                                   player */
  PreviewFrames *frames;
  gboolean failed;              /* an error since it was opened */

  /* The block that was clicked on: blocks.c */
  gboolean has_block, block_of_b, block_runs;
  gint block_x, block_y;        /* samples of luma */
  gdouble pressed_x, pressed_y;
  BdctParams block_params;      /* of what was said of it last */

  /* What compares and shows: pipeline.c */
  GstElement *pipeline, *compare, *sink;
  gboolean has_b;               /* B is in it */
  GPtrArray *chain;             /* the elements before `compare` */

  /* The position; used by the main thread: transport.c */
  PreviewPlayer *player;        /* replaced with the lock */
  GstClockTime shown;           /* the frame's time */
  gint64 length;                /* of all frames, while the player starts, too;
                                   0: not known */
  GstClockTime sought;          /* target of the last seek */
  GstClockTime wanted;          /* target of the next seek, after the last
                                   one */
  GstClockTime from, to;        /* the range that is repeated */
  gboolean seeking;
  gint steps_after;             /* to make when the last seek is done */
  gboolean stays;               /* it stays at its end, as it cannot seek
                                   back */
  guint rewind;                 /* source: after the last frame */

  GMutex lock;                  /* protects the following members */
  GCond changed;                /* one of them */
  GstElement *entrance[PREVIEW_N_STREAMS];      /* appsrc, or NULL */
  GstElement *size[2];          /* capsfilter behind those of A and B */
  GstCaps *caps;                /* of the original; or NULL */
  gboolean live;
  gboolean paused;
  gboolean holds;               /* frames wait, and one is shown */
  gboolean closed;              /* frames are dropped */
  guint64 run;                  /* counts pauses, seeks and the like; frames of
                                   another one are not shown */
  gint64 away;                  /* from a frame's time to that in `pipeline` */
  gboolean is_away;             /* it is known */
  GstClockTime last, given;     /* the latest time in `pipeline`; that of an
                                   original */
  GstClockTime seen, reached;   /* that of the frame that left last, and of the
                                   one that is shown */
  guint64 left;                 /* frames that may still come */
  PreviewSet set;               /* that is held, or comes */
  GstSample *before[PREVIEW_N_STREAMS]; /* the latest one before the target */
  gboolean said_scaled[2];      /* that it has another size */
  gint64 shift[2];              /* by which A's and B's file is late, in ns */
  GstClockTime duration, longest;       /* of a frame; and of all so far */
  gboolean varies;              /* the duration, from frame to frame */
  GstClockTime target;          /* of what comes */
  GstClockTime came;            /* the time of the original that came last */
  gboolean moves;               /* they came with different times: it is not a
                                   still picture */
  GstClockTime taken;           /* of the last one that kept its duration */
  gboolean complete;            /* it has come */
  gboolean synced;              /* the player's next frame is the next one */
  guint n_before;               /* frames of an encoder before the target */
  GstStructure *figures;        /* of the frame on its way to the sink */
  GstSample *view;              /* that is shown; or NULL */
  gboolean pushed, stale;       /* the set is being shown; and again */
  guint ended;                  /* streams at their end, as bits */
  gboolean end_shown;           /* the last frame has been shown */
  gint64 start;                 /* monotonic time of the first frame; or 0 */
  GstClockTime start_time;      /* that frame's */
  guint64 n_taken, late;        /* frames, and those that came too late */
};

/* pipeline.c */

/* Make what compares. */
void preview_pipeline_build (PreviewSession * self);

/* Remove what is before it: it is stopped. */
void preview_pipeline_clear (PreviewSession * self);

/* Link it anew for what makes A and B now, and restart it. */
void preview_pipeline_arrange (PreviewSession * self);

/* Hand it a picture at `time` in it. Any thread may call this. */
void preview_pipeline_push (PreviewSession * self, PreviewStream stream,
    GstBuffer * buffer, GstCaps * caps);

/* Have what was handed to it leave blockdct. Any thread may call this. */
void preview_pipeline_drain (PreviewSession * self, PreviewStream stream);

/* There are no more pictures. Any thread may call this. */
void preview_pipeline_end (PreviewSession * self, PreviewStream stream);

/* Whether something else than a blockdct makes A or B: an encoder, or a file;
 * and its line or name, owned by the caller, or NULL. */
gboolean preview_pipeline_is_made (PreviewSession * self,
    PreviewStream stream);
gchar *preview_pipeline_get_line (PreviewSession * self,
    PreviewStream stream);

/* Whether this is shown or compared. */
gboolean preview_pipeline_uses (PreviewSession * self, PreviewStream stream);

/* transport.c */

/* Reset the state before another stream; start it; and stop for good. */
void preview_transport_reset (PreviewSession * self);
gboolean preview_transport_start (PreviewSession * self, GError ** error);
void preview_transport_stop (PreviewSession * self);

/* Start again where it is, with other encoders and files. */
void preview_transport_restart (PreviewSession * self);

/* Whether B is shown has changed. */
void preview_transport_follow_b (PreviewSession * self);

/* Of the original's pictures; called with the lock. */
void preview_transport_take_rate (PreviewSession * self,
    const GstCaps * caps);

/* The main thread calls these when a frame is shown, when the player posts
 * GST_MESSAGE_ASYNC_DONE, when what was sought has come (it makes the seek or
 * the step that was to wait), and when the last frame is shown. */
void preview_transport_take_figures (PreviewSession * self,
    const GstStructure * figures);
void preview_transport_arrive (PreviewSession * self);
void preview_transport_go_on (PreviewSession * self);
void preview_transport_end (PreviewSession * self);

/* session.c */

/* Handle a message of one of both pipelines. */
gboolean preview_session_take_message (GstBus * bus, GstMessage * message,
    gpointer session);

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
