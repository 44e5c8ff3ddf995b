/* blockdct element tests: a pipeline with keep-frame, and what leaves the
 * element in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_REPEAT_H
#define TESTS_ELEMENT_REPEAT_H

#include "bench.h"

/* A frame's, and how long what must come may take. */
#define SIDE 64
#define TIMEOUT (10 * G_USEC_PER_SEC)

/* What left the element. */
typedef struct
{
  GstEventType event;           /* GST_EVENT_UNKNOWN: a frame */
  guint64 index;
  gboolean repeated;
} Step;

typedef struct
{
  GstElement *pipeline, *dct, *sink;
  GstPad *feed;
  GstVideoInfo info;
  guint n;                      /* frames to feed */
  GThread *feeder;
  GstFlowReturn ret;            /* of the last push */
  GMutex lock;
  GArray *steps;
  gint pushed;                  /* atomic: by feed_all() */
} World;

/** A pipeline for `n` frames in which nothing moves yet, with an element
 * `between` blockdct and the sink, if not NULL. */
void world_init (World * world, guint n, guint depth, const gchar * between);
void world_clear (World * world);

/** What comes before the first frame; and that, all frames and the end: a
 * thread's function. */
void world_push_start (World * world);
gpointer world_feed (gpointer world);

void world_set_state (World * world, GstState state);

/** Feed it from a thread, and wait until it has that state. */
void world_start (World * world, GstState state);
void world_wait_for_end (World * world);

/** The sink's frame, when it has one of this quality, to which it has to
 * come. */
GstBuffer *world_wait_for_quality (World * world, gint quality);

/** The index of what left follows the one before, or is it again; a frame that
 * was called back before it was seen here comes as a repeated one at once. */
void world_check_index (const Step * step, guint64 * next);

/** Every frame left once, besides the repeated ones; these come after a flush
 * and a segment, and are the one before. Returns their number. */
guint world_check_steps (World * world, guint n);

#endif
