/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Started, stopped, given other caps, more than once and side by side; and what
 * it says when it cannot start. */
#include <string.h>
#include "bench.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* A whole pipeline, stopped at its end, while it plays, and at once. */
static void
test_pipeline (void)
{
  gchar *line;

  if (!test_have_element ("videotestsrc") || !test_have_element ("fakesink"))
    return;
  line = g_strdup_printf ("videotestsrc name=src ! "
      "video/x-raw,format=I420,width=90,height=70 ! "
      "blockdct name=b backend=%s async-depth=3 ! fakesink name=sink",
      test_backend ());
  for (guint round = 0; round < 3; round++) {
    GstElement *pipeline = gst_parse_launch (line, NULL);
    GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
    GstElement *dct = gst_bin_get_by_name (GST_BIN (pipeline), "b");
    GstBus *bus = gst_element_get_bus (pipeline);

    g_object_set (src, "num-buffers", round == 0 ? 7 : -1, NULL);
    for (guint i = 0; i < 8; i++) {
      GstStructure *stats;
      guint64 frames = 0;

      g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING),
          !=, GST_STATE_CHANGE_FAILURE);
      if (round == 0) {
        GstMessage *message = gst_bus_timed_pop_filtered (bus,
            60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

        g_assert_nonnull (message);
        g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
        gst_message_unref (message);
      }
      for (gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
          round == 1 && frames < 3;) {
          g_assert_cmpint (g_get_monotonic_time (), <, end);
          g_object_get (dct, "stats", &stats, NULL);
          frames = get_uint64 (stats, "frames");
          gst_structure_free (stats);
          g_usleep (1000);
        }
      /* Stopping flushes the bus, with the messages that say what happened. */
      gst_element_set_state (pipeline, GST_STATE_NULL);
      g_object_get (dct, "stats", &stats, NULL);
      if (round == 0)
        g_assert_cmpuint (get_uint64 (stats, "frames"), ==, 7);
      gst_structure_free (stats);
    }
    gst_object_unref (bus);
    gst_object_unref (src);
    gst_object_unref (dct);
    gst_object_unref (pipeline);
  }
  g_free (line);
}

static void
test_renegotiation (void)
{
  static const gchar *formats[] = { "I420", "NV12", "Y444", "GRAY8", "Y42B" };
  static const gint sizes[][2] = {
    {16, 16}, {1, 1}, {130, 7}, {33, 64}, {64, 33}, {17, 9},
  };
  Bench bench;
  guint n = 0;

  bench_init (&bench, NULL, 0, 0, NULL);
  for (guint i = 0; i < 60; i++) {
    guint size = i % G_N_ELEMENTS (sizes);

    bench_set_caps (&bench, formats[i % G_N_ELEMENTS (formats)],
        sizes[size][0], sizes[size][1]);
    bench_check (&bench, n++, &defaults);
    if (i % 2)
      bench_check (&bench, n++, &defaults);
  }
  bench_clear (&bench);
}

/* Downstream asks for it again and again, with frames in flight. */
static void
test_reconfigure (void)
{
  guint n_out = 0;
  Bench bench;

  bench_init (&bench, "I420", 24, 16, "async-depth", 4, NULL);
  for (guint n = 0; n < 30; n++) {
    GstBuffer *out;

    if (n % 3 == 1)
      gst_harness_push_upstream_event (bench.h, gst_event_new_reconfigure ());
    bench_push (&bench, n);
    while ((out = bench_pull (&bench)) != NULL) {
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n_out++ * FRAME);
      gst_buffer_unref (out);
    }
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  while (gst_harness_buffers_in_queue (bench.h) > 0) {
    gst_buffer_unref (bench_pull (&bench));
    n_out++;
  }
  g_assert_cmpuint (n_out, ==, 30);
  bench_clear (&bench);
}

static gpointer
run_one (gpointer data)
{
  BdctParams params = defaults;
  Bench bench;

  params.transform = GPOINTER_TO_INT (data);
  if (test_on_cuda () && params.transform == BDCT_DCT_8X8)
    params.transform = BDCT_JPEG_8X8;
  for (guint round = 0; round < 3; round++) {
    bench_init (&bench, "I420", 50, 40, "transform", params.transform, NULL);
    for (guint n = 0; n < 20; n++)
      bench_check (&bench, n, &params);
    bench_clear (&bench);
  }
  return NULL;
}

static void
test_instances (void)
{
  GThread *threads[BDCT_N_TRANSFORMS];

  for (gint t = 0; t < BDCT_N_TRANSFORMS; t++)
    threads[t] = g_thread_new ("instance", run_one, GINT_TO_POINTER (t));
  for (gint t = 0; t < BDCT_N_TRANSFORMS; t++)
    g_thread_join (threads[t]);
}

/* Of two in series each works on what the other made, and the buffer tells of
 * the second alone. */
static void
test_series (void)
{
  gchar *line = g_strdup_printf ("blockdct backend=%s quality=30 ! "
      "blockdct backend=%s transform=hevc-16x16 qp=40", test_backend (),
      test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  BdctParams first = defaults, second = defaults;
  GstBuffer *in, *out, *between, *expected;
  GstVideoInfo info;
  GstStructure *s;
  BdctStats stats;

  gst_harness_set_src_caps (h, video_caps ("NV12", 50, 38));
  video_info (&info, "NV12", 50, 38);
  first.quality = 30;
  second.transform = BDCT_HEVC_16X16;
  second.qp = 40;
  in = frame_new (&info, 0);
  between = frame_expect (&info, in, &first, &stats);
  expected = frame_expect (&info, between, &second, &stats);
  g_assert_cmpint (gst_harness_push (h, in), ==, GST_FLOW_OK);
  out = gst_harness_try_pull (h);
  g_assert_nonnull (out);
  g_assert_true (frames_equal (&info, expected, out));
  s = buffer_report (out);
  g_assert_nonnull (s);
  g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==,
      "hevc-16x16");
  check_figures (s, &stats, 8);
  gst_buffer_unref (between);
  gst_buffer_unref (expected);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  g_free (line);
}

/* Backends */

/* Try to start with these; the error's text, or NULL if it started. */
static gchar *
try_start (const gchar * backend, gint device_id, gchar ** active)
{
  GstElement *element = element_new ("blockdct");
  GstBus *bus = gst_bus_new ();
  gchar *text = NULL;

  gst_element_set_bus (element, bus);
  element_set (element, "backend", backend);
  g_object_set (element, "cuda-device-id", device_id, NULL);
  if (gst_element_set_state (element, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_FAILURE) {
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    GError *error = NULL;
    gchar *debug = NULL;

    g_assert_nonnull (message);
    gst_message_parse_error (message, &error, &debug);
    g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
    text = g_strdup_printf ("%s\n%s", error->message, debug);
    g_test_message ("%s", text);
    g_error_free (error);
    g_free (debug);
    gst_message_unref (message);
    g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  }
  g_object_get (element, "active-backend", active, NULL);
  if (text != NULL) {
    /* What failed leaves nothing behind: the element starts once it can. */
    gst_element_set_state (element, GST_STATE_NULL);
    element_set (element, "backend", "cpu");
    g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), !=,
        GST_STATE_CHANGE_FAILURE);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  return text;
}

static void
test_no_device (void)
{
  gchar *active, *text = try_start ("cuda", -1, &active);

  if (text == NULL) {
    g_assert_true (g_str_has_prefix (active, "cuda:"));
    g_test_skip ("there is a CUDA device");
  } else {
    /* What, why and what to do. */
    g_assert_nonnull (strstr (text, "backend=cuda"));
    g_assert_nonnull (strstr (text, "backend=cpu"));
    g_assert_null (active);
  }
  g_free (active);
  g_free (text);
}

static void
test_wrong_device (void)
{
  gchar *active, *text = try_start ("cuda", 99, &active);

  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, "cuda-device-id"));
  g_assert_null (active);
  g_free (active);
  g_free (text);
}

static void
test_auto (void)
{
  gchar *active, *text = try_start ("cuda", -1, &active);
  gboolean have_cuda = text == NULL;

  g_free (active);
  g_free (text);
  text = try_start ("auto", -1, &active);
  g_assert_null (text);
  g_assert_true (g_str_has_prefix (active, have_cuda ? "cuda:" : "cpu:"));
  g_free (active);

  text = try_start ("cpu", -1, &active);
  g_assert_null (text);
  g_assert_true (g_str_has_prefix (active, "cpu:"));
  g_free (active);
}

/* With backend=auto and nothing but system memory around, frames go through
 * whatever runs. */
static void
test_auto_frames (void)
{
  Bench bench;

  bench_init (&bench, NULL, 0, 0, "backend", 0, NULL);
  bench_set_caps (&bench, "I420", 34, 18);
  for (guint n = 0; n < 3; n++)
    bench_check (&bench, n, &defaults);
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/lifecycle/pipeline", test_pipeline);
  test_add ("/element/lifecycle/renegotiation", test_renegotiation);
  test_add ("/element/lifecycle/reconfigure", test_reconfigure);
  test_add ("/element/lifecycle/instances", test_instances);
  test_add ("/element/lifecycle/series", test_series);
  test_add ("/element/lifecycle/no-device", test_no_device);
  test_add ("/element/lifecycle/wrong-device", test_wrong_device);
  test_add ("/element/lifecycle/auto", test_auto);
  test_add ("/element/lifecycle/auto-frames", test_auto_frames);
  return test_run ();
}
