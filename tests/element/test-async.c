/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames in flight: latency and position, frames that are late, those before a
 * flush, and those behind an error. */
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

static void
check_latency (Bench * bench, GstClockTime min, GstClockTime max)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime got_min, got_max;
  gboolean live;

  g_assert_true (gst_pad_peer_query (bench->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &got_min, &got_max);
  g_assert_true (live);
  g_assert_cmpuint (got_min, ==, min);
  g_assert_cmpuint (got_max, ==, max);
}

/* Each frame in flight but the first one adds one of latency; a change is
 * announced. */
static void
test_latency (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstClockTime own = (depths[d] - 1) * FRAME;
    GstMessage *message;
    g_auto (Bench) bench;

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
  }
}

/* Late frames are left out, said so and counted. */
static void
test_qos (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstStructure *s;
    GString *log;
    g_auto (Bench) bench;

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
      g_autoptr (GstBuffer) out = bench_pull (&bench);

      g_assert_cmpint (GST_BUFFER_IS_DISCONT (out), ==, i == 2);
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
  }
}

static void
drain (Bench * bench)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  gst_pad_peer_query (bench->h->srcpad, query);
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
    g_auto (Bench) bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d], NULL);
    push_segment (&bench, 100, 0);
    push_frames (&bench, 100, n_frames);
    check_position (&bench, (100 + n_frames - held) * FRAME);
    drain (&bench);
    push_frames (&bench, 100 + n_frames, 1 + held);
    check_position (&bench, (101 + n_frames) * FRAME);
  }
}

/* XPSNR compares a frame with those before it, but not with those before a
 * flush, whether they have left or were dropped by it. */
static void
test_xpsnr_after_flush (void)
{
  gdouble alone[4];
  GstSegment segment;
  GstStructure *s;
  Bench bench;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint depth = 1; depth <= 4; depth++) {
    for (guint before = 0; before < 6; before++) {
      bench_init (&bench, "I420", 192, 176, "async-depth", depth, NULL);
      element_set (bench.element, "metrics", "xpsnr");
      for (guint n = 0; n < before; n++)
        bench_push (&bench, 100 + n);
      for (guint n = depth; n <= before; n++)
        gst_structure_free (bench_pop_report (&bench, "frame"));
      if (before > 0) {
        gst_harness_push_event (bench.h, gst_event_new_flush_start ());
        gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
        gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
      }
      for (guint n = 0; n < G_N_ELEMENTS (alone); n++)
        bench_push (&bench, n);
      g_assert_true (gst_harness_push_event (bench.h, gst_event_new_eos ()));
      for (guint n = 0; n < G_N_ELEMENTS (alone); n++) {
        s = bench_pop_report (&bench, "frame");
        if (depth == 1 && before == 0)
          alone[n] = get_double (s, "xpsnr-y");
        g_assert_cmpfloat (get_double (s, "xpsnr-y"), ==, alone[n]);
        gst_structure_free (s);
      }
      gst_structure_free (bench_pop_report (&bench, "pooled"));
      bench_clear (&bench);
    }
  }
}

/* Frames that are in flight behind one that is below a limit go with it. */
static void
test_error_behind (void)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstStructure *s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 64, 48, "min-psnr-error", 30.0, "async-depth", 4,
      "quality", 3, NULL);
  for (guint n = 0; n < 8 && ret == GST_FLOW_OK; n++)
    ret = gst_harness_push (bench.h, frame_new (&bench.info, n));
  g_assert_cmpint (ret, ==, GST_FLOW_ERROR);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  g_assert_cmpuint (gst_harness_buffers_received (bench.h), ==, 0);
  s = bench_pop_report (&bench, "frame");
  g_assert_cmpuint (get_uint64 (s, "index"), ==, 0);
  gst_structure_free (s);
  g_free (bench_pop_text (&bench, GST_MESSAGE_ERROR));
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ERROR));
  s = bench_pop_report (&bench, "pooled");
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 1);
  gst_structure_free (s);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/async/latency", test_latency);
  test_add ("/element/async/qos", test_qos);
  test_add ("/element/async/position", test_position);
  test_add ("/element/async/xpsnr-after-flush", test_xpsnr_after_flush);
  test_add ("/element/async/behind-an-error", test_error_behind);
  return test_run ();
}
