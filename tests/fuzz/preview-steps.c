/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of the stream through blockdctpage, and of the world around it. */
#include "preview.h"

#include <string.h>

/* Of 8 bits, so that all of a stream is pooled. */
static const gchar *const formats[] = { "I420", "NV12", "YV12", "Y42B", "Y444",
  "GRAY8", "RGB", "BGRx", "GBR"
};

static void
run_caps (World * w, const gint64 * arg)
{
  static const gint rates[][2] = { {25, 1}, {0, 1}, {30000, 1001}, {1, 1} };
  GstVideoInfo info;

  if (!world_stream (w))
    return;
  video_info (&info, formats[arg[0]], arg[1], arg[2]);
  info.fps_n = rates[arg[3]][0];
  info.fps_d = rates[arg[3]][1];
  world_set_caps (w, &info);
}

static void
set_times (World * w, GstBuffer * buffer, gint how)
{
  GST_BUFFER_PTS (buffer) = w->next_time;
  GST_BUFFER_DURATION (buffer) = FRAME;
  w->next_time += FRAME;
  switch (how) {
    case 0:
      GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
      break;
    case 1:
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
      break;
    case 2:
      w->next_time += 9 * FRAME + 1;
      break;
    case 3:                    /* back, but not out of the segment */
      w->next_time -= MIN (w->next_time - w->segment.start, 3 * FRAME);
      break;
    default:
      break;
  }
}

/* With frames in flight A and B wait for the next one, or an event. */
static void
drain (World * w)
{
  if (w->depth > 1)
    world_feed (w, ITEM_EVENT, NULL,
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
            gst_structure_new_empty ("fuzz")));
}

/* n content seed layout time */
static void
run_push (World * w, const gint64 * arg)
{
  if (!world_stream (w))
    return;
  for (gint i = 0; i < arg[0]; i++) {
    Frame *frame;
    GstBuffer *buffer = world_draw (w, &frame, arg[1], arg[2] + i, arg[3]);

    set_times (w, buffer, arg[4]);
    frame->pts = GST_BUFFER_PTS (buffer);
    frame->duration = GST_BUFFER_DURATION (buffer);
    frame->time = gst_segment_to_running_time (&w->segment, GST_FORMAT_TIME,
        frame->pts);
    world_feed (w, ITEM_FRAME, frame, buffer);
  }
  drain (w);
}

static void
run_gap (World * w, const gint64 * arg)
{
  (void) arg;
  if (!world_stream (w))
    return;
  world_feed (w, ITEM_EVENT, NULL, gst_event_new_gap (w->next_time, FRAME));
  w->next_time += FRAME;
}

static void
run_event (World * w, const gint64 * arg)
{
  if (!world_stream (w))
    return;
  world_feed (w, ITEM_EVENT, NULL, arg[0] == 0
      ? gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "fuzz", NULL))
      : gst_event_new_custom (arg[0] == 1 ? GST_EVENT_CUSTOM_DOWNSTREAM
          : GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
          gst_structure_new_empty ("fuzz")));
}

static void
make_segment (GstSegment * segment, const gint64 * arg)
{
  gst_segment_init (segment, GST_FORMAT_TIME);
  segment->base = arg[0] * FRAME;
  segment->start = segment->position = arg[1] * FRAME;
  segment->time = arg[2] * FRAME;
}

static void
run_segment (World * w, const gint64 * arg)
{
  GstSegment segment;

  if (!world_stream (w))
    return;
  make_segment (&segment, arg);
  world_set_segment (w, &segment);
}

/* With a clock running time goes on. */
static void
run_flush (World * w, const gint64 * arg)
{
  world_start (w);
  world_flush (w, arg[0] && w->clock == NULL);
}

/* It comes up once, however many branches there are; then one flushes. */
static void
run_seek (World * w, const gint64 * arg)
{
  GstSegment segment;

  if (!world_stream (w))
    return;
  world_settle (w);
  w->seeks = 0;
  doing ("a seek");
  gst_pad_push_event (w->sink, gst_event_new_seek (1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, arg[1] * FRAME,
          GST_SEEK_TYPE_NONE, GST_CLOCK_TIME_NONE));
  check (w->seeks > 0, "no seek came up");
  world_flush (w, w->clock == NULL);
  make_segment (&segment, arg);
  world_set_segment (w, &segment);
}

static void
run_eos (World * w, const gint64 * arg)
{
  (void) arg;
  if (!world_stream (w))
    return;
  w->sent_eos = TRUE;
  world_feed (w, ITEM_EOS, NULL, gst_event_new_eos ());
}

static void
run_state (World * w, const gint64 * arg)
{
  world_change_state (w, w->element, arg[0]);
}

/* depth clock threads: what is set while it is stopped. A live input has no
 * clock here: what comes of it would depend on this machine's speed. Without a
 * clock compare takes two frames of a live input, and of no more than these A
 * or B may hold one back. */
static void
run_ready (World * w, const gint64 * arg)
{
  world_start (w);
  world_stop (w, GST_STATE_READY);
  w->live = arg[1] == 1;
  w->depth = w->live ? MIN (arg[0], 2) : arg[0];
  gst_clear_object (&w->clock);
  if (arg[1] == 2) {
    w->clock = GST_TEST_CLOCK (gst_test_clock_new ());
    gst_test_clock_set_time (w->clock, GST_SECOND);
  }
  gst_element_set_clock (w->element, (GstClock *) w->clock);
  for (guint i = 0; i < N_CHILDREN; i++)
    g_object_set (w->child[i], "threads", (guint) arg[2], NULL);
  g_object_set (w->child[CHILD_A], "async-depth", w->depth, NULL);
  g_object_set (w->child[CHILD_B], "async-depth", 1 + (guint) arg[3] % w->depth,
      NULL);
}

static void
run_time (World * w, const gint64 * arg)
{
  if (w->clock != NULL)
    gst_test_clock_advance_time (w->clock, arg[0] * GST_MSECOND);
}

static void
run_query (World * w, const gint64 * arg)
{
  GstQuery *query = NULL;
  GstCaps *caps;
  gint64 position;
  gboolean live;

  if (!world_stream (w))
    return;
  world_settle (w);
  /* Serialized ones wait behind what is held. */
  if (arg[0] < 2 && w->held.length > 0)
    return;
  doing ("a query");
  switch (arg[0]) {
    case 0:
      query = gst_query_new_drain ();
      gst_pad_peer_query (w->src, query);
      break;
    case 1:
      caps = gst_pad_get_current_caps (w->src);
      query = gst_query_new_allocation (caps, arg[1]);
      gst_pad_peer_query (w->src, query);
      gst_clear_caps (&caps);
      break;
    case 2:
      query = gst_query_new_latency ();
      if (gst_pad_peer_query (w->sink, query)) {
        gst_query_parse_latency (query, &live, NULL, NULL);
        check (live == w->live, "live or not was changed");
      }
      break;
    case 3:
      caps = gst_pad_peer_query_caps (arg[1] ? w->src : w->sink, NULL);
      check (!gst_caps_is_empty (caps), "the bin takes no caps");
      gst_caps_unref (caps);
      break;
    case 4:
      check (gst_pad_peer_query_position (w->sink, GST_FORMAT_TIME, &position)
          && position == 123456789, "nobody knows the position");
      break;
    default:
      gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
      break;
  }
  if (query != NULL)
    gst_query_unref (query);
}

const Kind preview_kinds[] = {
  {"push", 300, run_push, {{"n", 1, 5}, {"content", 0, 24}, {"seed", 0, 9999},
          {"layout", 0, N_LAYOUTS - 1}, {"time", 0, 29}}},
  {"caps", 25, run_caps, {{"format", 0, G_N_ELEMENTS (formats) - 1},
          {"width", 1, 40}, {"height", 1, 40}, {"rate", 0, 3}}},
  {"gap", 10, run_gap, {{.name = NULL}}},
  {"event", 10, run_event, {{"what", 0, 2}}},
  {"segment", 15, run_segment, {{"base", 0, 20}, {"start", 0, 20},
          {"time", 0, 20}}},
  {"flush", 15, run_flush, {{"reset", 0, 1}}},
  {"seek", 20, run_seek, {{"base", 0, 20}, {"start", 0, 20},
          {"time", 0, 20}}},
  {"eos", 20, run_eos, {{.name = NULL}}},
  {"state", 15, run_state, {{"to", 0, 2}}},
  {"ready", 12, run_ready, {{"depth", 1, 3}, {"clock", 0, 3},
          {"threads", 1, 3}, {"other", 0, 2}}},
  {"time", 30, run_time, {{"by", 0, 5000}}},
  {"query", 25, run_query, {{"what", 0, 5}, {"n", 0, 1}}},
  {.name = NULL}
};
