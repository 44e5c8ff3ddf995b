/* The fuzzer of invariants: a pipeline that runs, what was sent into it, and
 * what has come out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef WORLD_H
#define WORLD_H

#include "invariants.h"

typedef struct
{
  guint depth, threads;
  guint before;                 /* 1: a queue, 2: a tee and a queue */
  guint after;                  /* 1: a queue, 2: a tee and two queues */
  gboolean offers;              /* the sink has a pool */
  guint slow;                   /* us that the sink takes for a frame */
  guint n_pads;
  gboolean untimed;             /* frames have no times */
  gint late;                    /* frames by which distorted inputs are late */
  gboolean beside;              /* another thread reads, asks, and sets again */
} Shape;

#define MAX_SINKS 2

/* What was sent: a frame, with its partners, or an event. */
typedef struct
{
  gchar *event;                 /* NULL: a frame */
  Input input;
  guint lo, hi;                 /* the versions of the settings that may be in
                                   force */
} Item;
#define OPEN G_MAXUINT

typedef struct
{
  gchar *text;
  gchar *type;                  /* `frame`, `interval`, `pooled`; NULL: a
                                   curve */
  guint pad;
  guint64 index, frames;
} Message;

/* What a pad's figures sum to. */
typedef struct
{
  guint64 frames, figure[3], pooled, spanned, unmatched;
  gint depth;
} Sum;

typedef struct
{
  GstPad *pad;                  /* ours; NULL: there is none */
  GstPad *sink;                 /* the element's, if on request */
  GstElement *queue;
  GstCaps *caps;
  GstBufferPool *pool;
} Source;

typedef struct
{
  Subject subject;
  Shape shape;
  GstElement *pipeline, *element, *part[N_PARTS];
  Source source[MAX_PADS];
  GstPad *sink[MAX_SINKS];
  GstClockTime now;             /* running time of the next frame */
  GstSegment segment;
  GMutex setting;               /* protects who sets versions */
  GArray *versions;             /* of Settings */
  GThread *beside;
  gint over;                    /* atomic: for beside */
  GQueue items;                 /* Item, since the start or the last flush */
  guint next_event;
  gboolean settled;             /* no frame waits for those that match it */

  GMutex lock;                  /* protects what follows */
  GCond cond;
  GQueue arrived[MAX_SINKS];    /* strings */
  GQueue messages[N_PARTS], spans[N_PARTS];     /* Message */
  guint told[N_PARTS];          /* how many of `spans` come before EOS */
  gboolean stopped;

  guint last[N_PARTS];          /* the version of the last frame */
  Index index;
  Sum sum[N_PARTS][MAX_PADS];
  gboolean sums_known, pooled_known, unmatched_known, spans_known;
  gint alive;                   /* atomic: buffers and elements */
} World;

/* From a segment's start to its first frame. */
#define MARGIN (10 * GST_SECOND)

/* pipeline.c */
World *world_new (Subject subject, const Shape * shape);
void world_free (World * w);

void world_start (World * w);
void world_stop (World * w, GstState state);
void source_add (World * w, guint i);
void source_remove (World * w, guint i);
/* What comes before frames. */
void source_begin (World * w, guint i);
void source_caps (World * w, guint i, GstCaps * caps);
void source_event (World * w, guint i, GstEvent * event);
/* The events of one flush have one number. */
void source_flush (GstPad * pad, gboolean stop, guint32 number);

/* world.c */
void world_set_caps (World * w, guint64 format, guint64 size, guint64 rate);
void world_set_segment (World * w, GstClockTime start);
void world_frame (World * w, guint64 seed, guint look, guint times,
    guint64 pads);
void world_event (World * w, GstEvent * event, gchar * text);
void world_query (World * w, gboolean allocation);
void world_flush (World * w, gboolean seek);
void world_end (World * w);
void world_set (World * w, guint64 property, guint64 value, gboolean settled);
void world_pad (World * w, guint pad);
/* Wait until all that was sent has arrived, and check it. */
void world_settle (World * w);

/* check.c */
/* Whatever has arrived is as it should be; with `all` all has arrived. */
void check_arrived (World * w, gboolean all);
void check_sums (World * w);
void check_end (World * w);
/* The rest never arrives: a flush, a stop. */
void check_lost (World * w);
/* Totals begin anew. */
void check_restart (World * w);

#endif
