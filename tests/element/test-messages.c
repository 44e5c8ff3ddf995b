/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element tells: times, and a controller's; `active-backend`. (Fields:
 * docs/make-reference --check; sums of frames: tests/programs/measure/said.py;
 * that all is told at EOS: invariants.) */
#include <string.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif
#include "bench.h"

#define NONE -1

/* A segment, a frame 2 frames behind its start, and what is said of that, in
 * frames. Times follow the segment; without a duration it is that of the frame
 * rate; what is unknown, as where a segment is not in time, is
 * GST_CLOCK_TIME_NONE. */
static const struct
{
  GstFormat format;
  gint start, time, base;
  gdouble rate;
  gint fps;
  gboolean timed, lasts;        /* the buffer has a time, a duration */
  gint said[4];
} times[] = {
  {GST_FORMAT_TIME, 0, 0, 0, 1, 25, TRUE, TRUE, {2, 2, 2, 1}},
  {GST_FORMAT_TIME, 10, 0, 7, 1, 25, TRUE, TRUE, {12, 2, 9, 1}},
  {GST_FORMAT_TIME, 4, 100, 1000, 2, 25, TRUE, TRUE, {6, 102, 1001, 1}},
  {GST_FORMAT_TIME, 3, 5, 9, 0.5, 25, TRUE, TRUE, {5, 7, 13, 1}},
  {GST_FORMAT_TIME, 0, 0, 0, 1, 25, TRUE, FALSE, {2, 2, 2, 1}},
  {GST_FORMAT_TIME, 0, 0, 0, 1, 25, FALSE, TRUE, {NONE, NONE, NONE, 1}},
  {GST_FORMAT_TIME, 0, 0, 0, 1, 0, TRUE, FALSE, {2, 2, 2, NONE}},
  {GST_FORMAT_BYTES, 0, 0, 0, 1, 25, TRUE, TRUE, {2, NONE, NONE, 1}},
};

TEST ("/element/messages/times", test_times)
{
  static const gchar *const names[] = { "timestamp", "stream-time",
    "running-time", "duration"
  };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    GstCaps *caps = video_caps ("I420", 16, 16);
    g_autoptr (GstStructure) s;
    GstSegment segment;
    GstBuffer *in;
    g_auto (Bench) bench;

    g_test_message ("%u", i);
    bench_init (&bench, NULL, 0, 0, NULL);
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, times[i].fps, 1,
        NULL);
    gst_harness_set_src_caps (bench.h, caps);
    video_info (&bench.info, "I420", 16, 16);
    gst_segment_init (&segment, times[i].format);
    segment.rate = times[i].rate;
    segment.start = times[i].start * FRAME;
    segment.time = times[i].time * FRAME;
    segment.base = times[i].base * FRAME;
    gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
    in = frame_new (&bench.info, times[i].start + 2);
    if (!times[i].timed)
      GST_BUFFER_PTS (in) = GST_CLOCK_TIME_NONE;
    if (!times[i].lasts)
      GST_BUFFER_DURATION (in) = GST_CLOCK_TIME_NONE;
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    s = bench_pop_report (&bench, "frame");
    for (guint k = 0; k < G_N_ELEMENTS (names); k++)
      g_assert_cmpuint (get_uint64 (s, names[k]), ==, times[i].said[k] == NONE
          ? GST_CLOCK_TIME_NONE : (guint) times[i].said[k] * FRAME);
  }
}

#ifdef HAVE_CONTROLLER
/* Time is the stream's, whatever the buffers' timestamps are. */
TEST ("/element/messages/controller", test_controller_segment)
{
  g_autoptr (GstControlSource) source;
  GstSegment segment;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 32, 32, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 2 * FRAME;
  segment.time = 100 * FRAME;
  gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
  source = gst_interpolation_control_source_new ();
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (bench.element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (bench.element),
          "quality", source));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 11);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      101 * FRAME, 77);
  for (guint n = 2; n < 4; n++) {
    g_autoptr (GstStructure) s;

    bench_pass (&bench, n);
    s = bench_pop_report (&bench, "frame");
    g_assert_cmpint (get_int (s, "quality"), ==, n == 2 ? 11 : 77);
  }
}
#endif

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer data)
{
  (void) object, (void) pspec;
  ++*(guint *) data;
}

TEST ("/element/messages/active-backend", test_active_backend)
{
  guint notified = 0;
  gchar *backend;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "threads", 1, NULL);
  g_object_get (bench.element, "active-backend", &backend, NULL);
  g_assert_nonnull (backend);
  if (test_on_cuda ())
    g_assert_true (g_str_has_prefix (backend, "cuda:"));
  else
    g_assert_true (g_str_has_prefix (backend, "cpu:")
        && g_str_has_suffix (backend, " 1 thread"));
  g_free (backend);
  g_signal_connect (bench.element, "notify::active-backend",
      G_CALLBACK (count_notify), &notified);
  gst_element_set_state (bench.element, GST_STATE_NULL);
  g_object_get (bench.element, "active-backend", &backend, NULL);
  g_assert_null (backend);
  g_assert_cmpuint (notified, ==, 1);
  /* The GPU, where there is one. */
  element_set (bench.element, "backend", "auto");
  gst_element_set_state (bench.element, GST_STATE_PAUSED);
  g_object_get (bench.element, "active-backend", &backend, NULL);
  g_assert_true (!test_on_cuda () || g_str_has_prefix (backend, "cuda:"));
  g_assert_nonnull (backend);
  g_free (backend);
}
