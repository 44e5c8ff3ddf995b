/* blockdctcompare fuzzer: random steps over the element, and what has to come
 * of each by the contract (steps.h).
 *
 * After each push the model matches its own frames as the element has to, and
 * waits until all that is due came out and the rest is let go of: then the
 * element is at rest, and the next one finds it in a state that is known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_COMPARE_H
#define TESTS_FUZZ_COMPARE_H

#include "picture.h"
#include "steps.h"

#define N_INPUTS 4              /* the reference, then the distorted ones */
#define N_DISTORTED (N_INPUTS - 1)

extern const gchar *const input_names[N_INPUTS];

/* What waits at an input. */
typedef enum
{
  ITEM_FRAME,
  ITEM_GAP_EVENT,               /* becomes the next once it is reached */
  ITEM_GAP,
  ITEM_EVENT,                   /* what frames behind it wait for */
  ITEM_EOS
} ItemType;

typedef struct
{
  ItemType type;
  guint number;                 /* from 0, of all inputs */
  GstClockTime pts, duration, time;     /* `time` is the running time */
  GstClockTime stream_time;
  GstVideoInfo info;
  Shape shape;
  Samples samples;
  gboolean dirty;               /* with bits that are to be ignored */
  gboolean is_view;             /* its meta says that it is no picture */
  gint alive;                   /* atomic: somebody holds the buffer */
} Item;

typedef struct
{
  GstPad *pad;                  /* ours; NULL: the element has no such pad */
  GQueue queue;                 /* Item */
  gboolean have_stream, have_segment, sent_eos, eos;
  GstVideoInfo info;            /* of the caps that were sent; format UNKNOWN:
                                     none were */
  GstSegment segment;
  GstClockTime next_time;
  guint64 arrived;
  GstClockTime last_time;
  gint seeks;                   /* atomic: that came up */
  GMutex stream;                /* of who pushes, with several threads */
} Input;

/* What the model knows of the properties. */
typedef struct
{
  gint metrics, view, left, right, offset;
  gdouble min_error, min_warning;
  gdouble position, gain, zoom, zoom_x, zoom_y;
  gboolean post, overlay, interactive;
  guint64 interval;
} Settings;

/* Frames that met. */
typedef struct
{
  Item *item[N_INPUTS];
  Settings settings;
  gint record[N_DISTORTED];     /* -1: none */
} Pair;

/* A pair's figures, of one distorted input. */
typedef struct
{
  GstStructure *report;         /* that came out; NULL: none did */
  guint64 sse[3], samples[3];   /* of the planes; no samples: `metrics` has no
                                     psnr, or there is no such plane */
  guint64 rgb_sse[3], pixels;   /* of R, G and B */
  gint depth;
  gboolean post, in_interval, posted;
} Record;

/* A pooled message that is due. */
typedef struct
{
  guint first, n;
  guint64 unmatched;
} Pool;

struct _World
{
  GstElement *element;
  GstPad *sink;
  GstBus *bus;
  GMutex lock;                  /* of what callbacks write */
  GCond cond;
  gboolean threaded;

  Input input[N_INPUTS];
  Settings settings;
  gboolean playing;
  gboolean over;                /* it takes nothing until a flush or start */
  GPtrArray *items;             /* Item, all there were */

  /* Of the matching. */
  gboolean decided, by_time;
  GstClockTime smallest_gap;
  guint64 unmatched[N_DISTORTED];
  guint64 n_pairs;

  /* Of the step under way. */
  GQueue pairs;                 /* Pair, that are due */
  GQueue skipped;               /* Item, that have to be let go of */
  guint eos_due;
  gint errors_due;
  GPtrArray *warnings_due;      /* parts of their texts */
  gboolean may_fail;            /* nobody knows what comes of it */

  /* What callbacks saw. */
  GQueue outputs;               /* Output */
  GQueue messages;
  guint n_eos;
  gint n_errors;
  gboolean nav_passed;

  /* Of somebody in front of the picture. */
  gint width, height;           /* of the one that is shown; 0: none was yet,
                                     -1: nobody knows */
  gint space_view, space_right; /* that were left for the left picture */

  /* How the sink behaves. */
  guint slow;                   /* microseconds */
  gboolean refuse;              /* caps */
  GstFlowReturn flow;           /* of the next buffer */

  /* What was said. */
  GPtrArray *records[N_DISTORTED];
  guint pool_first[N_DISTORTED], stats_first[N_DISTORTED];
  guint64 pool_unmatched[N_DISTORTED];  /* in messages before */
  guint64 stats_unmatched[N_DISTORTED];
  GQueue pools[N_DISTORTED];    /* Pool */
  guint warned;                 /* bits 1 << Warning */
  guint below;
  gchar *stats_file;
};

/* What the element warns of once; the last two by the pad's number. */
typedef enum
{
  WARNED_MIXED,
  WARNED_UNMATCHED,
  WARNED_CAPS,
  WARNED_VIEW = WARNED_CAPS + N_DISTORTED
} Warning;

/* Whether this is the first such warning since the start. */
static inline gboolean
world_warns_first (World * w, guint warning)
{
  const gboolean first = !(w->warned >> warning & 1);

  w->warned |= 1u << warning;
  return first;
}

/* compare.c */

/* Get to where frames can be pushed to an input. */
void world_stream (World * w, guint input);

void world_add_pad (World * w, guint input);
void world_remove_pad (World * w, guint input);

/* Send an event to an input. */
void world_send (World * w, guint input, GstEvent * event);
void world_set_caps (World * w, guint input, const GstVideoInfo * info);
void world_set_segment (World * w, guint input, const GstSegment * segment,
    guint32 seqnum);

/* Push a frame, which becomes the world's. */
void world_push (World * w, guint input, Item * item, GstBuffer * buffer);

/* A thread that is not the input's flushes it, and sends a segment. */
void world_flush_stream (Input * input, guint32 seqnum);

/* Flush the inputs of a mask, all at once if it is all of them. */
void world_flush (World * w, guint mask, guint32 seqnum);

/* A warning is due whose text has this in it. */
void world_expect_warning (World * w, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

/* compare-model.c */

Item *item_new (World * w, guint input, ItemType type);
void item_forget (World * w, guint input);

/* Whether more waits at an input than the element may be given. */
gboolean input_is_full (const Input * input);

/* Meet all frames that are there. */
void model_run (World * w);

/* A start, or a flush of all inputs. */
void model_reset (World * w, gboolean start);

/* compare-check.c */

/* What has to be said of a pair. Returns whether it leaves; else there is an
 * error. */
gboolean check_announce (World * w, Pair * pair);

/* What came out is this pair. */
void check_output (World * w, const Pair * pair, const Output * output);

void check_report (World * w, const GstStructure * s);
void check_end (World * w);
void check_stats (World * w);
void record_free (gpointer record);

/* The errors of two frames, whatever lies where in memory. */
void check_measure (const Item * a, const Item * b, Record * record);

/* Figures that a buffer carries for an input; NULL: there are none. */
GstStructure *check_find (GstBuffer * buffer, guint input);
void check_figures (const Record * record, const GstStructure * s);

/* `left` or `right`, where that input has no frame. */
gint check_side (const Pair * pair, gint side, gboolean right);

/* The sum of a record's errors, by samples. */
gdouble check_mse (const Record * record);

/* compare-view.c */

/* How many times as large the view is; and how many columns, or rows, of the
 * enlarged picture are not seen. */
gdouble view_zoom (const Settings * settings);
gint view_hidden (const Settings * settings, gint side);

/* Where luma's (x, y) of the view is in the enlarged picture, from its part
 * that is seen on; TRUE: in the second of two. */
gboolean view_locate (const Settings * settings, gint width, gint height,
    gint * x, gint * y);

/* What came out shows what the two pictures have, where that is known here. */
void view_check (const Pair * pair, const GstVideoInfo * info,
    GstBuffer * buffer);

/* compare-steps.c, compare-viewer.c */
extern const Kind compare_kinds[], compare_viewer_kinds[];

/* What the properties say, and that it is what the model knows. */
Settings settings_read (World * w);
void settings_check (World * w);

#endif
