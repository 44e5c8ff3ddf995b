/* blockdct-preview: the inside of a session, for its own files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PARTS_H
#define PREVIEW_PARTS_H

#include <blockdct/blockdct.h>
#include <gio/gio.h>
#include "../encoders.h"
#include "session.h"

/* source.c: the source of the video */

/* A floating bin from a gst-launch description. NULL with an error that says
 * where to get a missing element. */
GstElement *preview_make (const gchar * elements, GError ** error);

/* A floating bin with upright video at its pad "src". NULL with an error that
 * says what to do. */
GstElement *preview_source_new (const PreviewOptions * options,
    GError ** error);

/* What is wrong with the file that `source` could not decode; owned by the
 * caller. */
gchar *preview_source_explain (GstElement * source, const GError * error,
    const gchar * debug);

/* The source as a gst-launch description that ends in "!"; `source` was made
 * by preview_source_new() from `options`. With `still`, it repeats one picture.
 * The caller owns it. */
gchar *preview_source_describe (const PreviewOptions * options,
    GstElement * source, gboolean still);

/* The longest wait for a picture. */
#define PREVIEW_LIMIT (100 * GST_SECOND)

/* Stop a pipeline with a source for good. */
void preview_source_stop (GstElement * pipeline);

/* A value as gst_parse_launch() reads it; owned by the caller. */
gchar *preview_source_quote (const gchar * value);

/* player.c: the pipeline that decodes the original, has encoders make versions
 * of it, and decodes versions that are files */

/* The streams of pictures; also the numbers of blockdctcompare's inputs. */
typedef enum
{
  PREVIEW_ORIGINAL, PREVIEW_OF_A, PREVIEW_OF_B, PREVIEW_N_STREAMS
} PreviewStream;

typedef struct _PreviewPlayer PreviewPlayer;

/* A stopped player of a session's original: `line` has A's and B's encoder,
 * each up to its decoder, `file` their files; NULL: neither. A place is later
 * by the session's shift in them. NULL with an error. */
PreviewPlayer *preview_player_new (PreviewSession * session,
    gchar * const line[2], gchar * const file[2], GError ** error);

/* Whether there is such a stream. */
gboolean preview_player_has (PreviewPlayer * self, PreviewStream stream);

/* Play from `place` to `end`, which may be GST_CLOCK_TIME_NONE. Nothing is
 * taken before the place is reached, in the call of preview_player_arrive() for
 * the pipeline's first GST_MESSAGE_ASYNC_DONE. Returns whether it is live. */
gboolean preview_player_start (PreviewPlayer * self, GstClockTime place,
    GstClockTime end);
void preview_player_arrive (PreviewPlayer * self);

/* What comes from now on is stale, until a seek that follows. */
void preview_player_expect (PreviewPlayer * self);
gboolean preview_player_is_stale (PreviewPlayer * self, PreviewStream stream);

/* Go elsewhere. FALSE: the streams cannot seek. */
gboolean preview_player_seek (PreviewPlayer * self, GstClockTime place,
    GstClockTime end);

/* The original's duration in ns; 0: it is not known; -1: it cannot seek. */
gint64 preview_player_get_duration (PreviewPlayer * self);

/* The pipeline, and the source of a stream in it; NULL: it encodes the
 * original. */
GstElement *preview_player_get_pipeline (PreviewPlayer * self);
GstElement *preview_player_get_source (PreviewPlayer * self,
    PreviewStream stream);

/* The stream that an element in the pipeline belongs to. */
PreviewStream preview_player_find (PreviewPlayer * self, GstObject * object);

/* Stop it and free it: in another thread, as an encoder may take minutes for a
 * frame, unless the caller waits. Calls of `take` that wait have to return. */
void preview_player_free (PreviewPlayer * self, gboolean waits);

/* frames.c: the pictures and the figures of the frame that is shown */

typedef struct _PreviewFrames PreviewFrames;

/* What an original carries, in `offset` and `offset_end`, for this. */
#define PREVIEW_TIME(buffer) GST_BUFFER_OFFSET (buffer)
#define PREVIEW_RUN(buffer) GST_BUFFER_OFFSET_END (buffer)

/* Watch what leaves blockdctcompare. */
PreviewFrames *preview_frames_new (PreviewSession * session);
void preview_frames_free (PreviewFrames * self);

/* Watch what comes to an input of it; NULL: there is no such input. `line` is
 * what makes it, an encoder or a file; NULL: a blockdct. */
void preview_frames_watch (PreviewFrames * self, PreviewStream input,
    GstPad * pad, const gchar * line);

/* Forget the pictures in flight, and the frame. */
void preview_frames_clear (PreviewFrames * self);

/* An input of the frame that left last, owned by the caller; NULL: there was
 * none. */
GstSample *preview_frames_get (PreviewFrames * self, PreviewStream input);

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
  gboolean turns;               /* to a view of one, which leaves `right` */
  gint number[2][ENCODER_N_SCALES];     /* atomic; of A's and B's encoder */
  gchar *line[2];               /* A's and B's encoder; NULL: a transform */
  guint n_codings;              /* counts changes of A's and B's maker, from
                                   1 on */
  GstStructure *more[2];        /* other properties of it, as texts */
  gchar *file[2];               /* A's and B's file, which comes first; or
                                   NULL */
  gchar *broken[2];             /* why it has failed, and a transform is in its
                                   place; or NULL */
  gboolean aligned[2];          /* its shift has been looked for: align.c */
  guint aligning;               /* threads that look for one */
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
  gboolean paused;              /* the main thread alone changes it */
  gboolean holds;               /* frames wait, and one is shown */
  gboolean closed;              /* frames are dropped */
  GstClockTime shown;           /* the time of the last frame that was shown */
  gboolean fresh;               /* none of this run was */
  gboolean arrives;             /* what was sought: the main thread will go
                                   on */
  guint64 run;                  /* counts pauses, seeks and the like; frames of
                                   another one are not shown */
  gint64 away;                  /* from a frame's time to that in `pipeline` */
  gboolean is_away;             /* it is known */
  GstClockTime last;            /* the latest time in `pipeline` */
  GstClockTime given[PREVIEW_N_STREAMS];        /* that of each stream */
  GstClockTime seen, reached;   /* that of the frame that left last, and of the
                                   one that is shown */
  guint64 left;                 /* frames that may still come */
  PreviewSet set;               /* that is held, or comes */
  GstSample *before[PREVIEW_N_STREAMS]; /* the latest one before the target */
  gboolean said_scaled[2];      /* that A's or B's file is scaled */
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
  guint n_before[2];            /* frames of A's and B's encoder before the
                                   target */
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

/* Whether an encoder makes it, and it is shown or compared. */
gboolean preview_pipeline_encodes (PreviewSession * self,
    PreviewStream stream);

/* Whether this is shown or compared. */
gboolean preview_pipeline_uses (PreviewSession * self, PreviewStream stream);

/* transport.c */

/* The duration of a frame. */
GstClockTime preview_session_get_frame_duration (PreviewSession * self);

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

/* The main thread calls these when the player posts GST_MESSAGE_ASYNC_DONE,
 * when what was sought has come (it makes the seek or the step that was to
 * wait), and when the last frame is shown. */
void preview_transport_arrive (PreviewSession * self);
void preview_transport_go_on (PreviewSession * self);
void preview_transport_end (PreviewSession * self);

/* session.c */

/* A streaming thread calls this: a picture leaves that was made from this
 * original; the figures may be NULL. FALSE: it is not to be shown. */
gboolean preview_session_show (PreviewSession * self, GstBuffer * original,
    const GstStructure * figures);

/* Whether there is an original; else A's file is in its place, and B is
 * compared with that. */
gboolean preview_session_has_original (PreviewSession * self);

/* Handle a message of one of both pipelines. */
gboolean preview_session_take_message (GstBus * bus, GstMessage * message,
    gpointer session);

/* controls.c */

/* Emit `changed` from now on. */
void preview_controls_follow (PreviewSession * self);

/* Set one element's "NAME=VALUE". */
gboolean preview_set_property (GObject * element, const gchar * pair,
    GError ** error);

/* A property's valid values; owned by the caller. */
gchar *preview_describe_range (GParamSpec * pspec);

/* Call `take` with each property of the part that determines the picture or
 * the engine, and that does not have its default value. */
void preview_session_foreach (PreviewSession * self, PreviewPart part,
    void (*take) (GParamSpec * pspec, const GValue * value, gpointer data),
    gpointer data);

/* flow.c: the pictures' way from the player to what compares */

/* The player's threads call these: a picture, which it keeps, has come, and the
 * next one comes after the return; there are no more. */
void preview_flow_take (PreviewSession * self, PreviewPlayer * player,
    PreviewStream stream, GstSample * sample);
void preview_flow_end (PreviewSession * self, PreviewPlayer * player,
    PreviewStream stream);

/* Whether an encoder makes a picture that is shown. */
gboolean preview_flow_encodes (PreviewSession * self);

/* With the lock: the frames that A's or B's encoder has made on its way to the
 * one that is to be held; -1: it makes none. */
gint preview_flow_count (PreviewSession * self, guint side);

/* With the lock: what is on its way is not shown; begin another run, which
 * holds its first frame, or plays; forget the held frame. */
void preview_flow_drop (PreviewSession * self);
void preview_flow_begin (PreviewSession * self, gboolean holds);
void preview_flow_clear (PreviewSession * self);

/* Hold the frame that is shown; FALSE: there is none. */
gboolean preview_flow_hold (PreviewSession * self);

/* A setting has changed, in any thread: show the held frame again. */
void preview_flow_change (PreviewSession * self);

/* The thread of what compares calls this: whether a frame is to be shown, after
 * a wait for its time. */
gboolean preview_flow_show (PreviewSession * self, GstBuffer * original);

/* And this, with the view of that frame. */
void preview_flow_shown (PreviewSession * self, GstSample * view);

/* The view as it is shown with the settings in force, owned by the caller; or
 * NULL. Any thread may call this. */
GstSample *preview_flow_get_view (PreviewSession * self);

/* coding.c: what makes A and B: a blockdct, an encoder at a
 * quality, a QP, a CRF or a bitrate, or a file */

/* The description of a control with this name; NULL: it is not one of
 * these. */
GParamSpec *preview_coding_find_pspec (const gchar * name);

/* The value of such a control. */
gint preview_coding_get (PreviewSession * self, const gchar * name);

/* Set such a control. A number that the chosen encoder does not accept becomes
 * the nearest one. */
void preview_coding_set (PreviewSession * self, const gchar * name,
    gint value);

/* Set "NAME=VALUE" of the chosen encoder's other properties, whose names are
 * encoder::NAME and b::encoder::NAME. FALSE with an error. */
gboolean preview_coding_set_property (PreviewSession * self,
    const gchar * pair, GError ** error);

/* Have the encoder of a line make A (0) or B (1); NULL: the blockdct. FALSE
 * with an error, and nothing is changed. */
gboolean preview_coding_set_line (PreviewSession * self, guint side,
    const gchar * line, GError ** error);

/* Have a file be A (0) or B (1). */
void preview_coding_set_file (PreviewSession * self, guint side,
    const gchar * file);

/* What makes A (0) or B (1) has failed: it stays the choice, and a transform is
 * shown until it is chosen again, or is another one. */
void preview_coding_fail (PreviewSession * self, guint side,
    const gchar * why);

/* Set the numbers, and from now on have blockdctcompare measure A's metrics
 * while an encoder makes A or B. */
void preview_coding_follow (PreviewSession * self);

/* views.c: all views as one choice: blockdctcompare's views of two
 * pictures, one picture alone, and A's own views */

/* The description of the control `view`, or of `left` and `right`, whose
 * values are blockdctcompare's numbers; NULL: it is another control. */
GParamSpec *preview_views_find_pspec (PreviewSession * self,
    const gchar * name);

gint preview_views_get (PreviewSession * self);
void preview_views_set (PreviewSession * self, gint view);

/* The current view's value. */
const GEnumValue *preview_views_get_value (PreviewSession * self);

/* Called when blockdctcompare's pictures have changed, or its view (`turned`):
 * A's own views are shown alone, and no picture is shown beside itself. Any
 * thread may call this. */
void preview_views_follow (PreviewSession * self, gboolean turned);

/* blocks.c: the block that was clicked on */

/* The button is pressed or released ("press", "release") at a sample of the
 * picture: a click chooses a block, and the signal `block` says what it is. */
void preview_blocks_point (PreviewSession * self, const gchar * what,
    gdouble x, gdouble y);

/* A frame is shown: say what the block is now, if its settings are others. */
void preview_blocks_follow (PreviewSession * self);

/* beside.c: two whole frames, beside each other or stacked */

/* From a half to the other one: chroma's samples are whole. */
#define PREVIEW_BESIDE_STEP(side) (((side) + 1) & ~1)

/* One sample with both, owned by the caller; NULL: their formats or sizes
 * differ, or one is missing. Any thread may call this. */
GstSample *preview_beside_make (GstSample * first, GstSample * second,
    gboolean stacked);

/* line.c: completes what a person types of an encoder */

/* The description of a bin that gives an encoder's pictures: the line, as for
 * gst-launch-1.0, with what decodes its stream and counts its bits; owned by
 * the caller. NULL with an error: it cannot work. */
gchar *preview_line_describe (const gchar * line, GError ** error);

/* align.c: by how much the files that are A and B are late */

/* Find it in another thread, for each file that is new to its original; then
 * play it in time, and say so. Without a display, wait for that. */
void preview_align_start (PreviewSession * self);

/* End it; no thread is left. */
void preview_align_stop (PreviewSession * self);

#endif
