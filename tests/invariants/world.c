/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is sent. */
#include "world.h"

#include <string.h>

static void
on_buffer_gone (gpointer data, GstMiniObject * gone)
{
  (void) gone;
  g_atomic_int_add ((gint *) data, -1);
}

/* Whether a frame's settings are read while it is pushed. */
static gboolean
is_direct (World * w)
{
  return w->subject == TRANSFORM && w->shape.before == 0;
}

static Item *
expect (World * w, gchar * event)
{
  Item *item = g_new0 (Item, 1);

  item->event = event;
  item->lo = w->versions->len - 1;
  item->hi = is_direct (w) ? item->lo : OPEN;
  item->input.segment = w->segment;
  item->input.late = w->subject == COMPARE ? w->shape.late : 0;
  g_queue_push_tail (&w->items, item);
  return item;
}

static GstClockTime
get_duration (World * w)
{
  GstVideoInfo info;

  gst_video_info_from_caps (&info, w->source[0].caps);
  return GST_VIDEO_INFO_FPS_N (&info) > 0
      ? GST_SECOND / GST_VIDEO_INFO_FPS_N (&info) : 40 * GST_MSECOND;
}

/* The frame of one pad, which comes up to a third of its duration early or
 * late. */
static GstBuffer *
make_frame (World * w, guint i, guint64 seed, guint look, guint times,
    guint64 pads)
{
  const GstClockTime duration = get_duration (w);
  const gint64 jitter = pads >> (12 + 5 * i) & 31;
  GstClockTime pts = w->now - w->segment.base + w->segment.start;
  GstBuffer *buffer = frame_new (w->source[i].caps,
      seed + ((pads >> 32 & 1) ? 0 : i), look, w->source[i].pool);

  if (i > 0)
    pts += (jitter & 1 ? -1 : 1) * (jitter / 2) * (gint64) duration / 45
        + w->shape.late * (gint64) duration;
  GST_BUFFER_PTS (buffer) = w->shape.untimed || times == 2
      ? GST_CLOCK_TIME_NONE : times == 6 ? pts - 3 * duration : pts;
  GST_BUFFER_DTS (buffer) = times == 5 ? pts - duration : GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = times == 4 ? GST_CLOCK_TIME_NONE : duration;
  GST_BUFFER_OFFSET (buffer) = seed;
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), on_buffer_gone,
      &w->alive);
  g_atomic_int_inc (&w->alive);
  return buffer;
}

/* Which pads get a frame: with `pads` 0, all. */
static guint
choose_pads (World * w, guint64 pads)
{
  guint mask = 0;

  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL && (w->subject != COMPARE
            || w->shape.untimed || (pads >> 3 * i & 7) != 7))
      mask |= 1u << i;
  return mask;
}

/* Frames of one time, of which some may be missing: without a partner they are
 * counted, and do not arrive. */
void
world_frame (World * w, guint64 seed, guint look, guint times, guint64 pads)
{
  const guint mask = choose_pads (w, pads);
  const gboolean matched = w->subject != COMPARE || (mask & 1 && mask > 1);
  const gboolean reversed = pads >> 33 & 1;
  GstBuffer *buffer[MAX_PADS] = { NULL };
  Item *item = NULL;

  if (w->subject == COMPARE && (times == 2 || times == 3 || times == 6))
    times = 0;
  if (times == 1)
    w->now += 5 * get_duration (w);
  for (guint i = 0; i < MAX_PADS; i++)
    if (mask >> i & 1)
      buffer[i] = make_frame (w, i, seed, look, times, pads);
  w->settled = FALSE;
  if (matched)
    item = expect (w, NULL);
  for (guint i = 0; i < MAX_PADS; i++) {
    if (item != NULL && w->source[i].pad != NULL)
      item->input.caps[i] = gst_caps_ref (w->source[i].caps);
    if (item != NULL && buffer[i] != NULL)
      item->input.in[i] = frame_plain (buffer[i], w->source[i].caps);
    if (w->source[i].pad != NULL && i > 0)
      w->sum[PART_COMPARE][i].unmatched += (mask & 1) != (mask >> i & 1);
  }
  for (guint k = 0; k < MAX_PADS; k++) {
    const guint i = reversed ? MAX_PADS - 1 - k : k;
    GstFlowReturn ret = buffer[i] != NULL
        ? gst_pad_push (w->source[i].pad, buffer[i]) : GST_FLOW_OK;

    if (ret != GST_FLOW_OK)
      fail ("a frame is refused: %s", gst_flow_get_name (ret));
    if (buffer[i] != NULL)
      count_frame ();
  }
  if (times != 3)
    w->now += get_duration (w);
}

/* An event on the first pad keeps its place. Others go no further. */
void
world_event (World * w, GstEvent * event, gchar * text)
{
  for (guint i = 1; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      source_event (w, i, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new_empty (pad_names[i])));
  expect (w, text);
  source_event (w, 0, event);
}

void
world_query (World * w, gboolean allocation)
{
  /* A query waits for frames before it, and these for their partners. */
  if (w->subject == COMPARE)
    world_settle (w);
  for (guint i = 0; i < MAX_PADS; i++) {
    GstQuery *query;

    if (w->source[i].pad == NULL)
      continue;
    query = allocation ? gst_query_new_allocation (w->source[i].caps, TRUE)
        : gst_query_new_drain ();
    gst_pad_peer_query (w->source[i].pad, query);
    gst_query_unref (query);
  }
  /* What came before a query has left before it. */
  if (w->subject == TRANSFORM && w->shape.after == 0)
    check_arrived (w, TRUE);
}

void
world_set_caps (World * w, guint64 format, guint64 size, guint64 rate)
{
  static const gint rates[] = { 25, 10, 30, 50, 0 };
  const gint fps = rates[rate % (w->subject == COMPARE ? 4 : 5)];
  const gint width = 1 + size % 80, height = 1 + size / 80 % 50;

  for (guint i = 0; i < MAX_PADS; i++) {
    source_caps (w, i, caps_draw (i == 0 ? format : format >> 8 * i, width,
            height, fps, i == 0 ? NULL : w->source[0].caps));
    if (w->source[i].pad != NULL)
      source_event (w, i, gst_event_new_caps (w->source[i].caps));
  }
  /* No frame is near one of another rate. */
  w->now += GST_SECOND;
}

void
world_set_segment (World * w, GstClockTime start)
{
  gst_segment_init (&w->segment, GST_FORMAT_TIME);
  w->segment.start = w->segment.position = start;
  w->segment.time = start / 2;
  w->segment.base = w->now - MARGIN;
  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      source_event (w, i, gst_event_new_segment (&w->segment));
}

/* Wait until the last event that was sent has arrived. */
static void
wait_for_last (World * w)
{
  const Item *last = g_queue_peek_tail (&w->items);

  g_mutex_lock (&w->lock);
  for (guint i = 0; i < MAX_SINKS && w->sink[i] != NULL; i++)
    while (g_queue_find_custom (&w->arrived[i], last->event,
            (GCompareFunc) strcmp) == NULL)
      g_cond_wait (&w->cond, &w->lock);
  g_mutex_unlock (&w->lock);
}

void
world_settle (World * w)
{
  gchar *text = g_strdup_printf ("mark, n=(uint)%u;", ++w->next_event);

  if (w->subject == COMPARE)
    world_frame (w, w->next_event, 0, 0, 0);
  world_event (w, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("mark", "n", G_TYPE_UINT, w->next_event, NULL)),
      text);
  wait_for_last (w);
  check_arrived (w, TRUE);
  check_sums (w);
  w->settled = TRUE;
}

void
world_set (World * w, guint64 property, guint64 value, gboolean settled)
{
  const Item *oldest = g_queue_peek_head (&w->items);
  Settings settings = g_array_index (w->versions, Settings,
      w->versions->len - 1), before = settings;

  if (!is_direct (w) && oldest != NULL && (settled
          || oldest->lo + (w->subject == PREVIEW ? 1 : 3) < w->versions->len))
    world_settle (w);
  settings_change (&settings, w->subject, property, value);
  g_mutex_lock (&w->setting);
  g_array_append_val (w->versions, settings);
  for (guint p = 0; p < N_PARTS; p++) {
    if (w->part[p] != NULL)
      settings_apply (&settings, &before, p, w->part[p]);
    w->spans_known = w->spans_known && settings_report (&settings, p) != SILENT;
  }
  g_mutex_unlock (&w->setting);
}

void
world_flush (World * w, gboolean seek)
{
  if (seek) {
    GstElement *sink = gst_pad_get_parent_element (w->sink[0]);

    gst_element_send_event (sink, gst_event_new_seek (1, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
    gst_object_unref (sink);
  } else {
    const guint32 number = gst_util_seqnum_next ();

    for (guint k = 0; k < 2 * MAX_PADS; k++)
      if (w->source[k % MAX_PADS].pad != NULL)
        source_flush (w->source[k % MAX_PADS].pad, k >= MAX_PADS, number);
  }
  check_lost (w);
  world_set_segment (w, w->segment.start);
}

/* When the reference ends, compare refuses what comes to other pads, and does
 * not count frames that wait in queues before it. */
void
world_end (World * w)
{
  if (w->subject == COMPARE && w->shape.before > 0)
    world_settle (w);
  expect (w, g_strdup ("eos"));
  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      gst_pad_push_event (w->source[i].pad, gst_event_new_eos ());
  wait_for_last (w);
  check_arrived (w, TRUE);
  check_end (w);
}

void
world_pad (World * w, guint pad)
{
  if (w->subject != COMPARE || w->shape.untimed)
    return;
  world_settle (w);
  if (w->source[pad].pad != NULL) {
    source_remove (w, pad);
  } else {
    source_add (w, pad);
    source_begin (w, pad);
  }
}
