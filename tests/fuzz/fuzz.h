/* blockdct fuzzer: random steps over the element, and what has to come of each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <gst/gst.h>
#include <gst/video/video.h>
#include "model.h"
#include "picture.h"
#include "steps.h"

/* The kinds: of the stream, of settings, of what else sets them. */
extern const Kind stream_kinds[], query_kinds[], setting_kinds[],
    setter_kinds[];

/* Expectations */

/* A frame that went in and has to come out. */
typedef struct
{
  guint64 serial;               /* its GST_BUFFER_OFFSET */
  gboolean excused;             /* its content and metas are not checked */
  gboolean passed;              /* it goes by untouched: passthrough */
  gboolean after_gap;           /* may have DISCONT in addition */
  gboolean any_settings;        /* other threads set properties meanwhile */
  Shape shape;
  Samples in, out;              /* `out` is the definition's, once checked */
  Samples slack;                /* of it */
  Choice choice;                /* in force when it entered */
  GstVideoInfo info;
  GstClockTime pts, dts, duration, stream_time, running_time;
  guint64 offset_end;
  guint flags;
  guint metas;                  /* bits: META_... */
  guint token;                  /* what the metas say */
  GstBuffer *held;              /* a reference, to see that nobody wrote */
} Frame;

enum
{
  META_ROI = 1,
  META_CROP = 2,
  META_REFERENCE = 4,
  META_CUSTOM = 8,
  META_FIGURES = 16,            /* an earlier blockdct's */
};

/* What is known of a frame that came out. */
typedef struct
{
  GstStructure *report;
  guint64 samples[3], sse[3], levels, nonzero;
  guint64 pixels, rgb_sse[3];   /* of R, G and B; 0: there are none */
  gdouble psnr;
  gint depth;
  gint rate;                    /* 0: none, 1: estimated, 2: exact, -1: it
                                     is not known what it has to be */
  BdctStats stats;              /* with bits, if there is a rate */
  gint n_curve;                 /* settings of the message that is due */
  gint *curve;                  /* them; NULL: not known */
  BdctStats *curve_stats;
  gboolean curve_posted;
  gboolean post, in_interval;   /* a frame message, an interval one is due */
  gboolean posted, excused;
  gboolean pool_start, pooled;  /* a pooled message begins here; and came */
} Record;

/* The world: the element between two pads of ours. */

struct _World
{
  GstElement *element;
  GstPad *src, *sink;           /* ours: before and behind it */
  GstBus *bus;
  GRecMutex lock;               /* of what callbacks write */
  gboolean threaded;

  /* Of the stream. */
  gboolean playing, eos, have_caps, have_segment;
  GstVideoInfo info;
  Shape shape;
  GstSegment segment;
  guint depth, ready_depth;     /* of the engine, and set for the next caps */
  guint64 serial;
  guint n_starts;
  GstClockTime next_time;
  gboolean passthrough;

  Model model;
  GQueue frames;                /* Frame, in flight */
  GPtrArray *records;           /* Record, since the start */
  gboolean new_pool;            /* the next frame begins a pooled message */
  gboolean drops_unsure;
  guint64 n_dropped, dropped_reported;
  gint first_depth;             /* of the first frame; -1: they differ */
  gint alive;                   /* input buffers that somebody holds */

  /* Of the step under way. */
  GQueue messages;
  gboolean may_error, may_warn;
  gint n_warnings;              /* that are due */

  /* Events that are under way: sequence numbers. */
  GQueue down, up;

  /* What pads of ours answer. */
  guint allocation;             /* how the query is answered */
  GstBufferPool *down_pool, *up_pool;
  gboolean up_passing, up_stale;        /* asked for in passthrough; again */
  gboolean live;
  GstClockTime up_min, up_max;

  gboolean qos;                 /* a QoS event may have frames dropped */
  guint handler;                /* what the next message's handler does */
  gchar *stats_file;
  gboolean missed, warned_missed; /* a target, since the start */
  gboolean below;               /* the last frame: min-psnr-warning */
  gint below_due;               /* warnings of that */
  Binding binding[N_BINDINGS];
  GstClockTime last_sync;
};

/* Get to where a buffer can be pushed, as shortly as possible. */
void world_stream (World * w);
gboolean world_set_caps (World * w, GstCaps * caps);
void world_new_segment (World * w, const GstSegment * segment);

/* Send an event downstream; TRUE if it was taken. Serialized ones have to
 * arrive behind all frames. */
gboolean world_event (World * w, GstEvent * event);

/* Push a buffer of a frame, which becomes the world's, as may be excused. */
void world_push (World * w, Frame * frame, GstBuffer * buffer);
void frame_free (Frame * frame);

/* Forget frames in flight, which no one will see. */
void world_lose_frames (World * w);

/* A pad before or behind one of the element's, and the bus's synchronous
 * handler. */
GstPad *world_pad (World * w, const gchar * name);
GstBusSyncReply world_on_message (GstBus * bus, GstMessage * message,
    gpointer w);

/* Say how many warnings the model expects. */
void world_expect_warnings (World * w, gint n);

/* All settings of `names` as one group, from this thread (how 0), between
 * freeze and thaw (1), from another thread (2), or one after the other (3). */
void world_set (World * w, guint how, guint n, const gchar ** names,
    const GValue * values);

#define MAX_SET 8

/* Properties and their values, of which enumerations are ints. */
typedef struct
{
  World *w;
  guint n;
  const gchar *name[MAX_SET];
  GValue value[MAX_SET];
} Group;

/* Add one, without a value yet; and with one. */
GValue *group_add (Group * group, const gchar * name, GType type);
void group_add_int (Group * group, const gchar * name, gint v);
void group_add_double (Group * group, const gchar * name, gdouble v);
void group_add_boolean (Group * group, const gchar * name, gboolean v);

/* Set them as world_set() does; the values are freed. */
void group_set (World * w, guint how, Group * group);

/* What the element's properties say, as the model has it. */
gboolean world_get_bits (World * w);
gint world_get_view (World * w);

/* Checks (check.c, figures.c, report.c) */

/* What the report says was done to a frame, which has to be what was set;
 * with several threads that is all there is to go by. */
void check_choice (World * w, const Frame * f, const GstStructure * s,
    Choice * choice);

/* Compare a frame's figures. Those of what is not known are taken at their
 * word. */
void check_figures (const Frame * f, const Choice * choice, GstStructure * s,
    Figures * figures, const Samples * got);

/* Put what the frame costs, and its curve, into its record. */
void check_costs (const Frame * f, const Choice * choice, Record * record);

/* Compare a buffer with its frame; adds a record. */
void check_frame (World * w, Frame * frame, GstBuffer * buffer);
void check_message (World * w, const GstStructure * s);
void check_curve (World * w, const GstStructure * s);

/* Bits of a kind, as Record has it, in a report. */
void check_rate (const GstStructure * s, gint rate, const BdctStats * stats);
void check_eos (World * w);

/* `mixed`: after frames of different depths, too. */
void check_stats (World * w, gboolean mixed);

void check_stats_file (World * w);
void record_free (gpointer record);

/* Several threads (threads.c) */

/* A frame came out that a group of settings was in force for. */
void threads_seen (World * w, gint group);

#endif
