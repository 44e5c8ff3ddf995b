/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames in flight: latency and position, also at the slowest rate, frames that
 * are late, those before a flush, behind an error, or that pass. */
#include <gst/base/gstbasetransform.h>
#include "bench.h"

static const guint depths[] = { 1, 2, 8, BDCT_MAX_DEPTH };

static void
push_frames (Bench * bench, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    bench_push (bench, i);
}

static void
check_latency (Bench * bench, GstClockTime wanted, gboolean announced)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  g_autoptr (GstMessage) message = bench_pop (bench, GST_MESSAGE_LATENCY);
  GstClockTime min, max;
  gboolean live;

  g_assert_cmpint (message != NULL, ==, announced);
  g_assert_true (gst_pad_peer_query (bench->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  g_assert_true (live);
  g_assert_cmpuint (min, ==, wanted);
  g_assert_cmpuint (max, ==, GST_CLOCK_TIME_NONE);
}

/* Each frame in flight but the first one adds one of latency; a change is
 * announced. */
TEST ("/element/async/latency", test_latency)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstClockTime own = (depths[d] - 1) * FRAME;
    g_auto (Bench) bench;

    bench_init (&bench, NULL, 0, 0, "async-depth", depths[d], NULL);
    gst_harness_set_upstream_latency (bench.h, 7 * GST_MSECOND);
    bench_set_caps (&bench, "I420", 16, 16);
    bench_push (&bench, 0);
    check_latency (&bench, 7 * GST_MSECOND + own, own > 0);

    /* The frame rate counts. */
    gst_harness_set_src_caps_str (bench.h,
        "video/x-raw,format=I420,width=16,height=16,framerate=50/1");
    check_latency (&bench, 7 * GST_MSECOND + own / 2, own > 0);
  }
}

/* Late frames are left out, said so and counted. */
TEST ("/element/async/qos", test_qos)
{
  static const guint left[] = { 0, 1, 4, 5 };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstStructure *s;
    g_auto (Bench) bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d],
        "qos", TRUE, NULL);
    push_frames (&bench, 0, 2);
    gst_harness_push_upstream_event (bench.h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, 0, 3 * FRAME));
    push_frames (&bench, 2, 4);
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint i = 0; i < G_N_ELEMENTS (left); i++) {
      g_autoptr (GstBuffer) out = bench_take (&bench);

      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, left[i] * FRAME);
      g_assert_cmpint (GST_BUFFER_IS_DISCONT (out), ==, i == 2);
      s = bench_pop_report (&bench, "frame");
      g_assert_cmpuint (get_uint64 (s, "index"), ==, i);
      g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, left[i] * FRAME);
      gst_structure_free (s);
    }
    g_assert_null (bench_pull (&bench));
    for (guint i = 2; i < 4; i++) {
      g_autoptr (GstMessage) message = bench_pop (&bench, GST_MESSAGE_QOS);
      guint64 timestamp;

      g_assert_nonnull (message);
      gst_message_parse_qos (message, NULL, NULL, NULL, &timestamp, NULL);
      g_assert_cmpuint (timestamp, ==, i * FRAME);
    }
    g_assert_null (bench_pop (&bench, GST_MESSAGE_QOS));
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

TEST ("/element/async/position", test_position)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    guint held = depths[d] - 1, n_frames = held + 6;
    g_autoptr (GstQuery) drain = gst_query_new_drain ();
    GstSegment segment;
    g_auto (Bench) bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d], NULL);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.start = segment.time = 100 * FRAME;
    gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
    push_frames (&bench, 100, n_frames);
    check_position (&bench, (100 + n_frames - held) * FRAME);
    gst_pad_peer_query (bench.h->srcpad, drain);
    push_frames (&bench, 100 + n_frames, 1 + held);
    check_position (&bench, (101 + n_frames) * FRAME);
  }
}

/* XPSNR compares a frame with those before it, but not with those before a
 * flush, whether they have left or were dropped by it. */
TEST ("/element/async/xpsnr-after-flush", test_xpsnr_after_flush)
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
TEST ("/element/async/behind-an-error", test_error_behind)
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

/* One frame in 68 years: all times stay times, or unknown. */
TEST ("/element/async/slowest", test_slowest)
{
  const GstClockTime year68 = G_GUINT64_CONSTANT (2147483647) * GST_SECOND;

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstCaps *caps = video_caps ("I420", 16, 16);
    GstClockTime min, max;
    g_autoptr (GstQuery) query = gst_query_new_latency ();
    gboolean live;
    g_auto (Bench) bench;
    g_autoptr (GstPad) pad;

    bench_init (&bench, NULL, 0, 0, "async-depth", depths[d], "interval",
        (guint64) GST_SECOND, NULL);
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 1, 2147483647,
        NULL);
    video_info (&bench.info, "I420", 16, 16);
    gst_harness_set_src_caps (bench.h, caps);
    gst_harness_set_upstream_latency (bench.h, 5);
    pad = gst_element_get_static_pad (bench.element, "src");
    g_assert_true (gst_pad_query (pad, query));
    gst_query_parse_latency (query, &live, &min, &max);
    if (depths[d] <= 8)
      g_assert_cmpuint (min, ==, 5 + (depths[d] - 1) * year68);
    else
      g_assert_cmpuint (min, ==, GST_CLOCK_TIME_NONE - 1);
    g_assert_cmpuint (max, >=, min);
    for (guint n = 0; n < 3; n++) {
      GstBuffer *in = frame_new (&bench.info, n);

      GST_BUFFER_PTS (in) = n < 2 ? n * year68 : GST_CLOCK_TIME_NONE - 2;
      GST_BUFFER_DURATION (in) = GST_CLOCK_TIME_NONE;
      g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
  }
}

/* What gst_base_transform_set_passthrough() asks for: frames pass as they are,
 * behind those before them, and nothing is said of them. */
TEST ("/element/async/passthrough", test_passthrough)
{
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstBuffer *in[12], *out;
    GstBaseTransform *trans;
    g_auto (Bench) bench;

    bench_init (&bench, "I420", 16, 16, "async-depth", depths[d], NULL);
    trans = GST_BASE_TRANSFORM (bench.element);
    for (guint n = 0; n < G_N_ELEMENTS (in); n++) {
      if (n % 4 == 0)
        gst_base_transform_set_passthrough (trans, n == 4);
      in[n] = frame_new (&bench.info, n);
      g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (in[n])), ==,
          GST_FLOW_OK);
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 0; n < G_N_ELEMENTS (in); n++) {
      gboolean passed = n >= 4 && n < 8;

      out = gst_harness_try_pull (bench.h);
      g_assert_nonnull (out);
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
      g_assert_cmpint (out == in[n], ==, passed);
      g_assert_cmpint (buffer_report (out) == NULL, ==, passed);
      gst_buffer_unref (out);
      g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (in[n]), ==, 1);
      gst_buffer_unref (in[n]);
    }
    for (guint n = 0; n < 8; n++)
      gst_structure_free (bench_pop_report (&bench, "frame"));
    gst_structure_free (bench_pop_report (&bench, "pooled"));
  }
}
