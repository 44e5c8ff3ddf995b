/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Waiting until blockdctpage is at rest, and what came of a step. */
#include "preview.h"

#include <string.h>

#define MOST_STALE 30           /* more than there is room for */

#define LOCK(w) g_mutex_lock (&(w)->lock)
#define UNLOCK(w) g_mutex_unlock (&(w)->lock)

void
world_read_messages (World * w)
{
  GstMessage *message;

  for (;;) {
    LOCK (w);
    message = g_queue_pop_head (&w->messages);
    UNLOCK (w);
    if (message == NULL)
      return;
    check_message (w, message);
    gst_message_unref (message);
  }
}

/* A repeated frame has no time, and comes only while frozen, or as the last
 * before the next frame. Whether it is up to date is seen later. */
static void
look_at_repeated (World * w, const Output * output)
{
  check (w->repeats, "a frame is shown again that is not held");
  check (!GST_BUFFER_PTS_IS_VALID (output->buffer)
      && !GST_BUFFER_DTS_IS_VALID (output->buffer)
      && !GST_BUFFER_DURATION_IS_VALID (output->buffer),
      "a repeated frame has a time");
  g_free (w->wrong);
  w->wrong = w->shown != NULL ? check_output (w->shown, output) : NULL;
}

static void
look_at_new (World * w, const Output * output)
{
  Expected *expected = g_queue_pop_head (&w->expected);
  gchar *wrong;

  check (expected != NULL, "a frame came out that is held, or twice");
  check (GST_BUFFER_PTS (output->buffer) == expected->frame->pts
      && GST_BUFFER_DURATION (output->buffer) == expected->frame->duration,
      "a frame came out at %" GST_TIME_FORMAT ", not at %" GST_TIME_FORMAT,
      GST_TIME_ARGS (GST_BUFFER_PTS (output->buffer)),
      GST_TIME_ARGS (expected->frame->pts));
  check (output->time == expected->time, "a frame's running time is %"
      GST_TIME_FORMAT ", not %" GST_TIME_FORMAT, GST_TIME_ARGS (output->time),
      GST_TIME_ARGS (expected->time));
  wrong = check_output (expected, output);
  check (wrong == NULL, "%s", wrong);
  check_metas (expected, output);
  expected_free (expected);
  /* Those before it are out of date. */
  g_clear_pointer (&w->wrong, g_free);
  w->repeats = w->frozen;
  count_frames (1);
}

static guint
look_at_outputs (World * w)
{
  Output *output;
  guint n = 0;

  for (;;) {
    LOCK (w);
    output = g_queue_pop_head (&w->outputs);
    UNLOCK (w);
    if (output == NULL)
      return n;
    if (output_is_repeated (output))
      n++, look_at_repeated (w, output);
    else
      look_at_new (w, output);
    output_free (output);
  }
}

static gboolean
is_all_said (const World * w)
{
  return memcmp (w->said, w->count, sizeof w->said) == 0
      && (!w->eos || memcmp (w->pooled, w->count, sizeof w->pooled) == 0);
}

/* What is said at the end may follow it. */
static void
wait_for_messages (World * w)
{
  world_read_messages (w);
  for (guint i = 0; i < N_COUNTS; i++)
    check (w->said[i] <= w->count[i] && w->pooled[i] <= w->count[i],
        "more is said of frames than there were: %u or %u of %u",
        (guint) w->said[i], (guint) w->pooled[i], (guint) w->count[i]);
  doing ("messages that are due");
  while (w->playing && !is_all_said (w)) {
    LOCK (w);
    while (g_queue_is_empty (&w->messages))
      g_cond_wait (&w->cond, &w->lock);
    UNLOCK (w);
    world_read_messages (w);
  }
}

/* The frame that is held is shown as it is to look now; if nothing has changed
 * no one has to show it. */
static void
wait_for_repeated (World * w)
{
  const gboolean changed = w->turned
      || w->noted != g_atomic_int_get (&w->notified);
  gboolean seen;
  guint n = 0;

  if (changed || w->shown == NULL) {
    expected_free (w->shown);
    w->shown = expected_new (w, w->last);
  }
  seen = look_at_outputs (w) > 0;
  doing ("a frame that is shown again");
  while ((changed && !seen) || w->wrong != NULL) {
    LOCK (w);
    while (g_queue_is_empty (&w->outputs))
      g_cond_wait (&w->cond, &w->lock);
    UNLOCK (w);
    seen = look_at_outputs (w) > 0;
    /* Some were on their way when the settings changed. */
    check (w->wrong == NULL || ++n < MOST_STALE, "a frame is shown again and "
        "again as it was before a change: %s", w->wrong);
  }
}

void
world_settle (World * w)
{
  doing ("what passes");
  LOCK (w);
  while (w->n_fed < w->n_due || w->n_eos < w->eos_due
      || w->n_new < w->expected.length)
    g_cond_wait (&w->cond, &w->lock);
  w->n_new = w->n_eos = w->eos_due = 0;
  UNLOCK (w);
  if (w->playing && w->frozen && w->last != NULL && !w->eos)
    wait_for_repeated (w);
  else
    look_at_outputs (w);
  check (g_queue_is_empty (&w->expected), "frames are missing");
  w->noted = g_atomic_int_get (&w->notified);
  w->turned = FALSE;
  wait_for_messages (w);
  check_stats (w);
}
