/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames in flight: with any async-depth the same comes out, in the same order,
 * between the same events. */
#include <string.h>
#include "bench.h"

static const guint depths[] = { 1, 2, 8, BDCT_MAX_DEPTH };

/* What left the element, as text: frame numbers and event names. */
static GstPadProbeReturn
record (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GString *log = data;

  (void) pad;
  if (log->len > 0)
    g_string_append_c (log, ' ');
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    g_string_append_printf (log, "%u", (guint) (GST_BUFFER_PTS
            (GST_PAD_PROBE_INFO_BUFFER (info)) / FRAME));
  else
    g_string_append (log, GST_EVENT_TYPE_NAME (GST_PAD_PROBE_INFO_EVENT
            (info)));
  return GST_PAD_PROBE_OK;
}

static GString *
start_recording (Bench * bench)
{
  GstPad *pad = gst_element_get_static_pad (bench->element, "src");
  GString *log = g_string_new (NULL);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, record, log,
      NULL);
  gst_object_unref (pad);
  return log;
}

static void
push_frames (Bench * bench, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    bench_push (bench, i);
}

static void
push_segment (Bench * bench, guint start, guint base)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = start * FRAME;
  segment.base = base * FRAME;
  g_assert_true (gst_harness_push_event (bench->h,
          gst_event_new_segment (&segment)));
}

/* Frame `n` and all that belongs to it is next. */
static void
check_out (Bench * bench, guint n, guint index, const BdctParams * params)
{
  GstBuffer *in = frame_new (&bench->info, n), *expected, *out;
  GstStructure *s;
  BdctStats stats;

  expected = frame_expect (&bench->info, in, params, &stats);
  out = bench_take (bench);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
  g_assert_cmpuint (GST_BUFFER_DURATION (out), ==, FRAME);
  g_assert_true (frames_equal (&bench->info, expected, out));
  s = bench_pop_report (bench, "frame");
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, n * FRAME);
  g_assert_cmpuint (get_uint64 (s, "index"), ==, index);
  g_assert_cmpint (get_int (s, "quality"), ==, params->quality);
  check_figures (s, &stats, 8);
  g_assert_nonnull (buffer_report (out));
  g_assert_true (gst_structure_is_equal (s, buffer_report (out)));
  gst_structure_free (s);
  gst_buffer_unref (in);
  gst_buffer_unref (expected);
  gst_buffer_unref (out);
}

/* Settings change with every frame, so that a report of another frame, or one
 * made with the settings of another, would show. */
static void
test_order (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    guint depth = depths[d], n_frames = depth + 6, n_out = 0;
    BdctParams params = BDCT_PARAMS_DEFAULT;
    GstStructure *s;
    Bench bench;

    bench_init (&bench, "NV12", 40, 36, "async-depth", depth, NULL);
    for (guint n = 0; n < n_frames; n++) {
      GstBuffer *in = frame_new (&bench.info, n);

      /* As of every source. */
      if (n == 0)
        GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_DISCONT);
      g_object_set (bench.element, "quality", 1 + n, NULL);
      g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
      if (n + 1 >= depth) {
        params.quality = 1 + n_out;
        check_out (&bench, n_out, n_out, &params);
        n_out++;
      }
      g_assert_null (bench_pull (&bench));
      bench_pop_report (&bench, NULL);
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (; n_out < n_frames; n_out++) {
      params.quality = 1 + n_out;
      check_out (&bench, n_out, n_out, &params);
    }
    g_assert_null (bench_pull (&bench));
    s = bench_pop_report (&bench, "pooled");
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, n_frames);
    gst_structure_free (s);
    bench_clear (&bench);
  }
}

/* What comes before an event leaves before it. */
static void
test_events (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GString *log;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d], NULL);
    log = start_recording (&bench);
    push_frames (&bench, 0, 3);
    gst_harness_push_event (bench.h,
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
            gst_structure_new_empty ("test")));
    push_frames (&bench, 3, 1);
    gst_harness_push_event (bench.h, gst_event_new_gap (4 * FRAME, FRAME));
    push_frames (&bench, 5, 2);
    gst_harness_push_event (bench.h, gst_event_new_tag (gst_tag_list_new
            (GST_TAG_TITLE, "test", NULL)));
    push_frames (&bench, 7, 1);
    bench_set_caps (&bench, "NV12", 24, 8);
    push_frames (&bench, 8, 2);
    push_segment (&bench, 10, 10);
    push_frames (&bench, 10, 2);
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    /* The harness sends a segment after caps. */
    g_assert_cmpstr (log->str, ==, "0 1 2 custom-downstream 3 gap 5 6 tag 7 "
        "caps segment 8 9 segment 10 11 eos");
    g_string_free (log, TRUE);
    bench_clear (&bench);
  }
}

/* Times are those of the segment a frame came in. */
static void
test_segments (void)
{
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", 8, NULL);
  push_segment (&bench, 0, 100);
  push_frames (&bench, 0, 3);
  push_segment (&bench, 50, 200);
  push_frames (&bench, 50, 3);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint n = 0; n < 6; n++) {
    GstStructure *s = bench_pop_report (&bench, "frame");

    g_assert_cmpuint (get_uint64 (s, "running-time"), ==,
        (n < 3 ? 100 + n : 200 + n - 3) * FRAME);
    g_assert_cmpuint (get_uint64 (s, "stream-time"), ==,
        (n < 3 ? n : 50 + n - 3) * FRAME);
    gst_structure_free (s);
  }
  bench_clear (&bench);
}

/* A caps change empties the engine under the old caps. */
static void
test_caps_change (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  GstVideoInfo old;
  Bench bench;

  bench_init (&bench, "I420", 32, 24, "async-depth", 4, NULL);
  push_frames (&bench, 0, 2);
  old = bench.info;
  bench_set_caps (&bench, "Y444", 19, 51);
  bench.info = old;
  check_out (&bench, 0, 0, &params);
  check_out (&bench, 1, 1, &params);
  video_info (&bench.info, "Y444", 19, 51);
  push_frames (&bench, 2, 4);
  check_out (&bench, 2, 2, &params);
  g_assert_null (bench_pull (&bench));
  bench_clear (&bench);
}

/* A serialized query is answered when all before it has left. */
static void
test_query (void)
{
  GstQuery *query = gst_query_new_drain ();
  GString *log;
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", 8, NULL);
  log = start_recording (&bench);
  push_frames (&bench, 0, 3);
  gst_pad_peer_query (bench.h->srcpad, query);
  g_assert_cmpstr (log->str, ==, "0 1 2");
  gst_query_unref (query);
  g_string_free (log, TRUE);
  bench_clear (&bench);
}

static void
test_flush (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    guint depth = depths[d], before = depth == 1 ? 0 : 1;
    BdctParams params = BDCT_PARAMS_DEFAULT;
    GstStructure *s;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depth, NULL);
    push_frames (&bench, 0, before);
    gst_harness_push_event (bench.h, gst_event_new_flush_start ());
    gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
    /* What was in flight is gone, with its messages. */
    g_assert_null (bench_pull (&bench));
    bench_pop_report (&bench, NULL);
    push_segment (&bench, 100, 0);
    for (guint n = 0; n < depth; n++) {
      g_assert_null (bench_pull (&bench));
      bench_push (&bench, 100 + n);
    }
    check_out (&bench, 100, 0, &params);
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 1; n < depth; n++)
      check_out (&bench, 100 + n, n, &params);
    s = bench_pop_report (&bench, "pooled");
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, depth);
    gst_structure_free (s);
    bench_clear (&bench);
  }
}

/* Stopped with frames in flight, and started again. */
static void
test_restart (void)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_NULL };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    GstCaps *caps = video_caps ("I420", 24, 16);
    Bench bench;

    bench_init (&bench, "I420", 24, 16, "async-depth", depths[d], NULL);
    for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
      push_frames (&bench, 0, depths[d] - 1);
      gst_element_set_state (bench.element, states[i]);
      g_assert_null (bench_pull (&bench));
      bench_pop_report (&bench, NULL);

      gst_element_set_state (bench.element, GST_STATE_PLAYING);
      gst_harness_push_event (bench.h, gst_event_new_stream_start ("again"));
      gst_harness_push_event (bench.h, gst_event_new_caps (caps));
      push_segment (&bench, 0, 0);
      push_frames (&bench, 10, 1);
      gst_harness_push_event (bench.h, gst_event_new_eos ());
      check_out (&bench, 10, 0, &params);
      g_assert_null (bench_pull (&bench));
      gst_structure_free (bench_pop_report (&bench, "pooled"));
      gst_harness_push_event (bench.h, gst_event_new_flush_start ());
      gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
      push_segment (&bench, 0, 0);
    }
    gst_caps_unref (caps);
    bench_clear (&bench);
  }
}

static void
check_latency (Bench * bench, GstClockTime min, GstClockTime max)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime got_min, got_max;
  gboolean live;

  g_assert_true (gst_pad_peer_query (bench->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &got_min, &got_max);
  g_assert_true (live);
  g_assert_cmpuint (got_min, ==, min);
  g_assert_cmpuint (got_max, ==, max);
  gst_query_unref (query);
}

/* Each frame in flight but the first one adds one of latency; a change is
 * announced. */
static void
test_latency (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstClockTime own = (depths[d] - 1) * FRAME;
    GstMessage *message;
    Bench bench;

    bench_init (&bench, NULL, 0, 0, "async-depth", depths[d], NULL);
    gst_harness_set_upstream_latency (bench.h, 7 * GST_MSECOND);
    bench_set_caps (&bench, "I420", 16, 16);
    bench_push (&bench, 0);
    check_latency (&bench, 7 * GST_MSECOND + own, GST_CLOCK_TIME_NONE);
    message = bench_pop (&bench, GST_MESSAGE_LATENCY);
    g_assert_cmpint (message != NULL, ==, own > 0);
    g_clear_pointer (&message, gst_message_unref);

    /* The frame rate counts. */
    gst_harness_set_src_caps_str (bench.h,
        "video/x-raw,format=I420,width=16,height=16,framerate=50/1");
    check_latency (&bench, 7 * GST_MSECOND + own / 2, GST_CLOCK_TIME_NONE);
    message = bench_pop (&bench, GST_MESSAGE_LATENCY);
    g_assert_cmpint (message != NULL, ==, own > 0);
    g_clear_pointer (&message, gst_message_unref);
    bench_clear (&bench);
  }
}

/* A flag belongs to the frame it came with. */
static void
test_flags (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    guint n_frames = depths[d] + 12;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d], NULL);
    for (guint n = 0; n < n_frames; n++) {
      GstBuffer *in = frame_new (&bench.info, n);

      if (n % 5 == 0)
        GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_DISCONT);
      if (n % 3 == 1)
        GST_BUFFER_FLAG_SET (in, GST_VIDEO_BUFFER_FLAG_INTERLACED
            | GST_VIDEO_BUFFER_FLAG_TFF | GST_BUFFER_FLAG_MARKER);
      if (n == 4)
        GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
      g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 0; n < n_frames; n++) {
      GstBuffer *out = bench_pull (&bench);

      g_test_message ("depth %u, frame %u", depths[d], n);
      g_assert_nonnull (out);
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
      g_assert_cmpint (GST_BUFFER_IS_DISCONT (out), ==, n % 5 == 0);
      g_assert_cmpint (GST_BUFFER_FLAG_IS_SET (out,
              GST_VIDEO_BUFFER_FLAG_TFF), ==, n % 3 == 1);
      g_assert_cmpint (GST_BUFFER_FLAG_IS_SET (out,
              GST_BUFFER_FLAG_MARKER), ==, n % 3 == 1);
      gst_buffer_unref (out);
    }
    g_assert_null (bench_pull (&bench));
    bench_clear (&bench);
  }
}

/* Late frames are left out, said so and counted. */
static void
test_qos (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstStructure *s;
    GString *log;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d],
        "qos", TRUE, NULL);
    log = start_recording (&bench);
    push_frames (&bench, 0, 2);
    gst_harness_push_upstream_event (bench.h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, 0, 3 * FRAME));
    push_frames (&bench, 2, 4);
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    g_assert_cmpstr (log->str, ==, "0 1 4 5 eos");
    g_string_free (log, TRUE);
    for (guint i = 0; i < 4; i++) {
      GstBuffer *out = bench_pull (&bench);

      g_assert_cmpint (GST_BUFFER_IS_DISCONT (out), ==, i == 2);
      gst_buffer_unref (out);
    }
    for (guint i = 0; i < 2; i++) {
      GstMessage *message = bench_pop (&bench, GST_MESSAGE_QOS);
      guint64 timestamp;

      g_assert_nonnull (message);
      gst_message_parse_qos (message, NULL, NULL, NULL, &timestamp, NULL);
      g_assert_cmpuint (timestamp, ==, (2 + i) * FRAME);
      gst_message_unref (message);
    }
    g_assert_null (bench_pop (&bench, GST_MESSAGE_QOS));
    for (guint i = 0; i < 4; i++) {
      s = bench_pop_report (&bench, "frame");
      g_assert_cmpuint (get_uint64 (s, "index"), ==, i);
      g_assert_cmpuint (get_uint64 (s, "timestamp"), ==,
          (i < 2 ? i : i + 2) * FRAME);
      gst_structure_free (s);
    }
    s = bench_pop_report (&bench, "pooled");
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, 4);
    g_assert_cmpuint (get_uint64 (s, "dropped"), ==, 2);
    gst_structure_free (s);
    g_object_get (bench.element, "stats", &s, NULL);
    g_assert_cmpuint (get_uint64 (s, "dropped"), ==, 2);
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, 4);
    gst_structure_free (s);
    bench_clear (&bench);
  }
}

/* Without the property lateness is no reason. */
static void
test_no_qos (void)
{
  GString *log;
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", 1, NULL);
  log = start_recording (&bench);
  gst_harness_push_upstream_event (bench.h,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, 0, 3 * FRAME));
  push_frames (&bench, 0, 3);
  g_assert_cmpstr (log->str, ==, "0 1 2");
  g_assert_null (bench_pop (&bench, GST_MESSAGE_QOS));
  g_string_free (log, TRUE);
  bench_clear (&bench);
}

static void
drain (Bench * bench)
{
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (bench->h->srcpad, query);
  gst_query_unref (query);
}

/* Where the source pad is: at the end of the last frame that left it. */
static void
check_position (Bench * bench, GstClockTime expected)
{
  GstPad *pad = gst_element_get_static_pad (bench->element, "src");
  gint64 position = -1;

  g_assert_true (gst_pad_query_position (pad, GST_FORMAT_TIME, &position));
  g_assert_cmpint (position, ==, expected);
  gst_object_unref (pad);
}

static void
test_position (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    guint held = depths[d] - 1, n_frames = held + 6;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d], NULL);
    push_segment (&bench, 100, 0);
    push_frames (&bench, 100, n_frames);
    check_position (&bench, (100 + n_frames - held) * FRAME);
    drain (&bench);
    push_frames (&bench, 100 + n_frames, 1 + held);
    check_position (&bench, (101 + n_frames) * FRAME);
    bench_clear (&bench);
  }
}

static void
check_processed (Bench * bench, guint64 expected)
{
  GstMessage *message;
  GstFormat format;
  guint64 processed = 0;

  while ((message = bench_pop (bench, GST_MESSAGE_QOS)) != NULL) {
    gst_message_parse_qos_stats (message, &format, &processed, NULL);
    g_assert_cmpint (format, ==, GST_FORMAT_BUFFERS);
    gst_message_unref (message);
  }
  g_assert_cmpuint (processed, ==, expected);
}

/* QoS messages count all frames that were pushed out by others. */
static void
test_processed (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    guint held = depths[d] - 1, n_frames = held + 6;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d],
        "qos", TRUE, NULL);
    push_frames (&bench, 0, n_frames);
    gst_harness_push_upstream_event (bench.h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, 0,
            (n_frames + 1) * FRAME));
    push_frames (&bench, n_frames, 1);
    check_processed (&bench, n_frames - held);
    drain (&bench);
    push_frames (&bench, n_frames + 1, 1);
    check_processed (&bench, n_frames - held);
    push_frames (&bench, n_frames + 2, 2);
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 0; n < n_frames + 2; n++) {
      GstBuffer *out = bench_pull (&bench);

      g_assert_cmpint (GST_BUFFER_IS_DISCONT (out), ==, n == n_frames);
      gst_buffer_unref (out);
    }
    bench_clear (&bench);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/async/order", test_order);
  test_add ("/element/async/events", test_events);
  test_add ("/element/async/segments", test_segments);
  test_add ("/element/async/caps-change", test_caps_change);
  test_add ("/element/async/query", test_query);
  test_add ("/element/async/flush", test_flush);
  test_add ("/element/async/restart", test_restart);
  test_add ("/element/async/latency", test_latency);
  test_add ("/element/async/flags", test_flags);
  test_add ("/element/async/qos", test_qos);
  test_add ("/element/async/no-qos", test_no_qos);
  test_add ("/element/async/position", test_position);
  test_add ("/element/async/processed", test_processed);
  return test_run ();
}
