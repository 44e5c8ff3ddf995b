/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The largest pictures, the slowest rates, and what others may set or send that
 * no video has: refused with a reason, or as good as any. */
#include <gst/base/gstbasetransform.h>
#include <string.h>
#include "bench.h"

/* A side that is too long is refused with the caps. (By blockdct:
 * test-settings.c.) */
static void
test_too_large_elsewhere (void)
{
  static const gchar *const names[][2] = {
    {"blockdctcompare", "ref_sink"}, {"blockdctcompare", "dist_sink"},
    {"blockdctpreview", "sink"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element = element_new (names[i][0]);
    GstPad *pad = gst_element_get_static_pad (element, names[i][1]);
    GstCaps *caps = video_caps ("GRAY8", 65536, 1);
    g_autoptr (GstBus) bus = gst_bus_new ();
    GstMessage *message;

    gst_element_set_bus (element, bus);
    gst_element_set_state (element, GST_STATE_PAUSED);
    gst_pad_send_event (pad, gst_event_new_stream_start ("test"));
    g_assert_false (gst_pad_send_event (pad, gst_event_new_caps (caps)));
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    g_assert_nonnull (message);
    text_expect (message_text (message), "65536 x 1", "65535", NULL);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_caps_unref (caps);
    gst_object_unref (pad);
  }
}

/* One frame in 68 years: all times stay times, or unknown. */
static void
test_slowest (void)
{
  static const guint depths[] = { 1, 2, 10, BDCT_MAX_DEPTH };
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
    if (d < 2)
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
static void
test_passthrough (void)
{
  static const guint depths[] = { 1, 4 };

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

static guint
count_reconfigure (GstHarness * h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (h)) != NULL) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE;
    gst_event_unref (event);
  }
  return n;
}

/* While frames pass, upstream is told how many buffers others need. The frames
 * in flight need more: it has to ask again. */
static void
test_passthrough_pool (void)
{
  GstBaseTransform *trans;
  g_autoptr (GstQuery) query;
  g_autoptr (GstCaps) caps;
  g_auto (Bench) bench;

  bench_init (&bench, NULL, 0, 0, NULL);
  trans = GST_BASE_TRANSFORM (bench.element);
  gst_base_transform_set_passthrough (trans, TRUE);
  bench_set_caps (&bench, "I420", 16, 16);
  caps = gst_pad_get_current_caps (bench.h->srcpad);
  query = gst_query_new_allocation (caps, TRUE);
  gst_pad_peer_query (bench.h->srcpad, query);
  bench_push (&bench, 0);
  count_reconfigure (bench.h);
  gst_base_transform_set_passthrough (trans, FALSE);
  bench_push (&bench, 1);
  g_assert_cmpuint (count_reconfigure (bench.h), ==, 1);
  bench_push (&bench, 2);
  g_assert_cmpuint (count_reconfigure (bench.h), ==, 0);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/limits/too-large-elsewhere", test_too_large_elsewhere);
  test_add ("/limits/slowest", test_slowest);
  test_add ("/limits/passthrough", test_passthrough);
  test_add ("/limits/passthrough-pool", test_passthrough_pool);
  return test_run ();
}
