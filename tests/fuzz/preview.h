/* blockdctpreview fuzzer: random steps over the bin, and what has to come of
 * each by its page (steps.h).
 *
 * A thread of its own feeds the bin, as what is frozen holds it. Before each
 * step the bin is at rest: all that the model lets pass came out, and while
 * frozen the frame that is held was shown as the settings want it. What a
 * picture has to be comes from a blockdct of its own, with A's settings or B's;
 * no wait is shorter than a step's limit of time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_PREVIEW_H
#define TESTS_FUZZ_PREVIEW_H

#include <gst/check/gsttestclock.h>
#include "picture.h"
#include "steps.h"

enum
{ CHILD_A, CHILD_B, CHILD_COMPARE, N_CHILDREN };

/* Who says how many frames there were: A, B, and compare of each of them. */
enum
{ COUNT_A, COUNT_B, COUNT_COMPARE_A, COUNT_COMPARE_B, N_COUNTS };

typedef struct
{
  GstVideoInfo info;
  Shape shape;
  GstBuffer *copy;              /* of what went in */
  GstClockTime pts, duration;
  GstClockTime time;            /* running time */
  gint alive;                   /* atomic: somebody holds the buffer */
} Frame;

typedef enum
{
  ITEM_FRAME,
  ITEM_EVENT,
  ITEM_ANOTHER,                 /* an event ahead of another stream */
  ITEM_EOS
} ItemType;

typedef struct
{
  ItemType type;
  Frame *frame;
  gpointer object;              /* buffer or event; the feeder's */
} Item;

/* What has to be seen of a frame. */
typedef struct
{
  Frame *frame;
  GstBuffer *left, *right;      /* NULL: not known */
  gint line, end;               /* columns from `line` to before `end` are
                                     neither's */
  GstStructure *figures;        /* of what passes untouched; or NULL */
  gdouble psnr;                 /* A's, NAN: not to be compared */
  gboolean counts[N_COUNTS];
  GstClockTime time;            /* running time; NONE: not known */
} Expected;

struct _World
{
  GstElement *element, *child[N_CHILDREN];
  GstPad *src, *sink;           /* ours: before and behind it */
  GstBus *bus;
  GMutex lock;                  /* of what callbacks write */
  GCond cond;
  gboolean threaded;
  gint n_children;              /* atomic: that live */

  /* What feeds it. */
  GThread *feeder;
  GMutex stream;                /* of who pushes, with several threads */
  GQueue to_feed;               /* Item */
  gboolean quit, feeding;
  gboolean interrupted;         /* it may be told that all is flushing */
  guint n_fed;

  /* The model. */
  gboolean playing, have_stream, have_caps, have_segment, sent_eos, eos;
  gboolean frozen, live, seen_live, passes;
  GstTestClock *clock;          /* NULL: none */
  GstClockTime since, offset;   /* running time, as it is held back */
  GstVideoInfo info;
  GstSegment segment;
  GstClockTime next_time;
  guint depth;
  GQueue held;                  /* Item, without objects */
  Frame *last;                  /* that can be shown again; NULL: none */
  GPtrArray *frames;            /* Frame, all there were */

  /* What is due. */
  guint n_due;                  /* items that pass */
  GQueue expected;              /* Expected */
  guint eos_due;
  Expected *shown;              /* of `last` while frozen */
  gboolean turned;              /* `freeze` was */
  gboolean repeats;             /* some may come: frozen, or just before */
  gchar *wrong;                 /* with the last of these; NULL: nothing */
  guint64 count[N_COUNTS], pooled[N_COUNTS], said[N_COUNTS];

  /* What callbacks saw. */
  GQueue outputs;               /* Output */
  GQueue messages;
  guint n_new, n_eos;
  gint notified, noted;         /* atomic; as of the last rest */
  guint seeks, navigations;     /* that came out upstream */

  /* A blockdct that is nobody's part. */
  GstElement *plain;
  GstPad *plain_src, *plain_sink;
  GstVideoInfo plain_info;
  GstBuffer *plain_out;
};

/* preview.c */

/* Get to where frames can be pushed; FALSE: an end is held back, and nothing
 * can be behind it. */
gboolean world_stream (World * w);

void world_set_caps (World * w, const GstVideoInfo * info);
void world_set_segment (World * w, const GstSegment * segment);
void world_flush (World * w, gboolean reset);

/* A picture of the caps, and a buffer of it. */
GstBuffer *world_draw (World * w, Frame ** frame, guint content, guint seed,
    guint layout);

/* Feed an event or a buffer, which becomes the feeder's; and without telling
 * the model. */
void world_feed (World * w, ItemType type, Frame * frame, gpointer object);
void world_give (World * w, ItemType type, gpointer object);

/* Whether a buffer is marked as shown again. */
gboolean output_is_repeated (const Output * output);

/* preview-rest.c */

/* Look at the messages that were posted. */
void world_read_messages (World * w);

/* preview-model.c */

/* Let pass what passes. */
void model_run (World * w);

/* `freeze` is set, or turned by a key. */
void model_freeze (World * w, gboolean frozen);

/* A start, or a flush. */
void model_reset (World * w, gboolean start);

/* What a frame has to look like with the settings that are in force. */
Expected *expected_new (World * w, Frame * frame);
void expected_free (Expected * expected);

/* The blockdct that is nobody's part. */
void plain_init (World * w);
void plain_clear (World * w);

/* preview-check.c */

/* What is wrong with an output, to be freed; NULL: nothing. */
gchar *check_output (const Expected * expected, const Output * output);

/* What goes with a frame that is not shown again. */
void check_metas (const Expected * expected, const Output * output);

void check_message (World * w, GstMessage * message);
void check_stats (World * w);

/* preview-steps.c */
extern const Kind preview_kinds[], preview_setting_kinds[];

#endif
