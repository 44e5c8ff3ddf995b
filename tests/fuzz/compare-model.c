/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who meets whom, by the contract. */
#include "compare.h"

/* The element lets 64 frames wait; more would stop this thread. */
#define MAX_WAITING 60

/* Half of a frame's duration where nothing tells it. */
#define DEFAULT_DURATION (20 * GST_MSECOND)

Item *
item_new (World * w, guint input, ItemType type)
{
  Item *item = g_new0 (Item, 1);

  item->type = type;
  item->number = w->items->len;
  item->info = w->input[input].info;
  item->pts = item->duration = item->time = GST_CLOCK_TIME_NONE;
  item->stream_time = GST_CLOCK_TIME_NONE;
  g_ptr_array_add (w->items, item);
  g_queue_push_tail (&w->input[input].queue, item);
  return item;
}

gboolean
input_is_full (const Input * input)
{
  return input->queue.length >= MAX_WAITING;
}

void
item_forget (World * w, guint input)
{
  Item *item;

  while ((item = g_queue_pop_head (&w->input[input].queue)) != NULL)
    g_queue_push_tail (&w->skipped, item);
}

void
model_reset (World * w, gboolean start)
{
  for (guint i = 0; i < N_INPUTS; i++) {
    Input *input = &w->input[i];

    item_forget (w, i);
    input->arrived = 0;
    input->last_time = GST_CLOCK_TIME_NONE;
    input->eos = input->sent_eos = input->have_segment = FALSE;
    if (start) {
      input->have_stream = FALSE;
      gst_video_info_init (&input->info);
    }
  }
  w->decided = w->over = FALSE;
  w->smallest_gap = GST_CLOCK_TIME_NONE;
  if (!start)
    return;
  w->warned = w->below = 0;
  w->width = w->height = 0;
  w->n_pairs = 0;
  for (guint i = 0; i < N_DISTORTED; i++) {
    w->unmatched[i] = w->pool_unmatched[i] = w->stats_unmatched[i] = 0;
    w->pool_first[i] = w->stats_first[i] = 0;
    g_ptr_array_set_size (w->records[i], 0);
  }
}

static gboolean
is (const Input * input, ItemType type)
{
  const Item *item = g_queue_peek_head ((GQueue *) & input->queue);

  return item != NULL && item->type == type;
}

static void
drop (World * w, Input * input)
{
  g_queue_push_tail (&w->skipped, g_queue_pop_head (&input->queue));
}

/* The frame that is next; NULL: none is there yet. */
static Item *
peek (World * w, Input * input)
{
  while (is (input, ITEM_GAP))
    drop (w, input);
  return is (input, ITEM_FRAME) ? g_queue_peek_head (&input->queue) : NULL;
}

static Item *
take (Input * input)
{
  Item *item = g_queue_pop_head (&input->queue);

  input->arrived++;
  input->last_time = item->time;
  return item;
}

static void
skip (World * w, guint i)
{
  g_queue_push_tail (&w->skipped, take (&w->input[i]));
  w->unmatched[i - 1]++;
}

static GstClockTime
get_duration (const World * w, const Item * item)
{
  if (GST_VIDEO_INFO_FPS_N (&item->info) > 0)
    return gst_util_uint64_scale_int (GST_SECOND,
        GST_VIDEO_INFO_FPS_D (&item->info), GST_VIDEO_INFO_FPS_N (&item->info));
  if (GST_CLOCK_TIME_IS_VALID (item->duration) && item->duration > 0)
    return item->duration;
  return GST_CLOCK_TIME_IS_VALID (w->smallest_gap) ? w->smallest_gap
      : DEFAULT_DURATION;
}

/* By time, or in order of arrival; FALSE: not all are there yet. */
static gboolean
decide (World * w)
{
  guint with = 0, without = 0;

  if (w->decided)
    return TRUE;
  for (guint i = 0; i < N_INPUTS; i++) {
    Input *input = &w->input[i];
    Item *item = input->pad != NULL ? peek (w, input) : NULL;

    if (item != NULL && GST_CLOCK_TIME_IS_VALID (item->time))
      with++;
    else if (item != NULL)
      without++;
    else if (input->pad != NULL && !input->eos)
      return FALSE;
  }
  w->decided = TRUE;
  w->by_time = without == 0;
  if (with > 0 && without > 0 && world_warns_first (w, WARNED_MIXED))
    world_expect_warning (w, "Some inputs have no timestamps");
  return TRUE;
}

/* Whether the partner of a reference frame that is at `at` is next. */
static gboolean
find_partner (World * w, guint i, gint64 at, gint64 tolerance, gint64 behind,
    gboolean * waits)
{
  Input *input = &w->input[i];
  Item *item;

  while ((item = peek (w, input)) != NULL) {
    const gint64 here = (w->by_time ? (gint64) item->time
        : (gint64) input->arrived) - behind;

    if (!w->by_time || GST_CLOCK_TIME_IS_VALID (item->time)) {
      if (here > at + tolerance)
        return FALSE;
      if (here >= at - tolerance)
        return TRUE;
    }
    skip (w, i);
  }
  *waits |= !input->eos;
  return FALSE;
}

static void
warn_unmatched (World * w, guint64 least)
{
  if (w->n_pairs > 0 || w->input[0].arrived < least
      || !world_warns_first (w, WARNED_UNMATCHED))
    return;
  world_expect_warning (w, "None of %" G_GUINT64_FORMAT " reference frames",
      w->input[0].arrived);
}

static void
end (World * w, gboolean well)
{
  for (guint i = 0; i < N_INPUTS; i++)
    item_forget (w, i);
  if (well) {
    warn_unmatched (w, 1);
    check_end (w);
    w->eos_due++;
  }
  w->over = TRUE;
}

/* The sink takes a pair, or says what it says. */
static void
leave (World * w, Pair * pair)
{
  w->width = pair->item[0]->info.width;
  w->height = pair->item[0]->info.height;
  if (!check_announce (w, pair)) {
    w->width = -1;
    g_free (pair);
    w->errors_due++;
    end (w, FALSE);
    return;
  }
  g_queue_push_tail (&w->pairs, pair);
  if (w->flow == GST_FLOW_OK)
    return;
  for (guint i = 0; i < N_INPUTS; i++)
    item_forget (w, i);
  w->eos_due += w->flow == GST_FLOW_EOS || w->flow == GST_FLOW_ERROR;
  w->over = TRUE;
}

/* One reference frame. FALSE: it waits, or all is over. */
static gboolean
meet (World * w)
{
  Input *reference = &w->input[0];
  gboolean found[N_INPUTS] = { FALSE }, waits = FALSE, more = TRUE;
  Item *item = peek (w, reference);
  gint64 at, tolerance = 0, behind = w->settings.offset;
  guint met = 0;
  Pair *pair;

  if (item == NULL && reference->eos) {
    for (guint i = 1; i < N_INPUTS; i++)
      while (w->input[i].pad != NULL && w->input[i].queue.length > 0)
        if (is (&w->input[i], ITEM_FRAME))
          skip (w, i);
        else
          drop (w, &w->input[i]);
    end (w, TRUE);
    return FALSE;
  }
  if (item == NULL || !decide (w))
    return FALSE;
  at = reference->arrived;
  if (w->by_time) {
    if (GST_CLOCK_TIME_IS_VALID (reference->last_time)
        && item->time > reference->last_time)
      w->smallest_gap = MIN (w->smallest_gap, item->time
          - reference->last_time);
    at = item->time;
    tolerance = get_duration (w, item) / 2;
    behind *= (gint64) get_duration (w, item);
  }
  for (guint i = 1; i < N_INPUTS; i++)
    if (w->input[i].pad != NULL)
      met += found[i] = find_partner (w, i, at, tolerance, behind, &waits);
  if (waits)
    return FALSE;
  w->decided = FALSE;
  pair = g_new0 (Pair, 1);
  pair->settings = w->settings;
  pair->item[0] = take (reference);
  for (guint i = 1; i < N_INPUTS; i++)
    if (found[i])
      pair->item[i] = take (&w->input[i]);
    else if (w->input[i].pad != NULL)
      w->unmatched[i - 1]++;
  if (met == 0) {
    g_queue_push_tail (&w->skipped, pair->item[0]);
    g_free (pair);
    warn_unmatched (w, 64);
    return TRUE;
  }
  w->n_pairs++;
  leave (w, pair);
  for (guint i = 0; i < N_INPUTS && !w->over && more; i++)
    if (w->input[i].pad != NULL)
      more = is (&w->input[i], ITEM_FRAME) || is (&w->input[i], ITEM_GAP);
  return !w->over;
}

/* What is in front of frames is seen, and whether all inputs have something. */
static gboolean
is_ready (World * w)
{
  gboolean ready = TRUE;

  for (guint i = 0; i < N_INPUTS; i++) {
    Input *input = &w->input[i];

    while (is (input, ITEM_EVENT) || is (input, ITEM_EOS)) {
      input->eos |= is (input, ITEM_EOS);
      drop (w, input);
    }
    if (is (input, ITEM_GAP_EVENT))
      ((Item *) g_queue_peek_head (&input->queue))->type = ITEM_GAP;
    ready = ready && (input->pad == NULL || input->eos
        || input->queue.length > 0);
  }
  return ready;
}

void
model_run (World * w)
{
  if (!w->playing)
    return;
  while (!w->over && is_ready (w)) {
    const guint before = w->input[0].queue.length + w->input[1].queue.length
        + w->input[2].queue.length + w->input[3].queue.length;

    /* Where it waits it has taken what is there, or an event is next. */
    if (!meet (w) && !w->over && before == w->input[0].queue.length
        + w->input[1].queue.length + w->input[2].queue.length
        + w->input[3].queue.length)
      fail ("the model waits with frames on all inputs");
  }
}
