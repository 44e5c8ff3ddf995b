/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element tells: times, and a controller's; `active-backend`. (Fields:
 * docs/make-reference --check; sums of frames: tests/programs/measure/said.py.)
 */
#include <string.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif
#include "bench.h"

/* Push `in`, which is taken; the meta on what comes out, to be freed. */
static GstStructure *
push_for_meta (Bench * bench, GstBuffer * in)
{
  GstStructure *s;
  g_autoptr (GstBuffer) out;

  g_assert_cmpint (gst_harness_push (bench->h, in), ==, GST_FLOW_OK);
  out = bench_take (bench);
  g_assert_nonnull (buffer_report (out));
  s = gst_structure_copy (buffer_report (out));
  return s;
}

/* Times follow the segment. */
static void
test_times (void)
{
  static const struct
  {
    guint start, time, base;
    gdouble rate;
  } segments[] = {
    {0, 0, 0, 1.0}, {10, 0, 7, 1.0}, {4, 100, 1000, 2.0}, {3, 5, 9, 0.5},
  };

  for (guint i = 0; i < G_N_ELEMENTS (segments); i++) {
    guint64 start = segments[i].start * FRAME;
    guint64 time = segments[i].time * FRAME;
    guint64 base = segments[i].base * FRAME;
    GstSegment segment;
    g_auto (Bench) bench;

    bench_init (&bench, "I420", 16, 16, NULL);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.rate = segments[i].rate;
    segment.start = start;
    segment.time = time;
    segment.base = base;
    gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
    for (guint n = 0; n < 3; n++) {
      g_autoptr (GstStructure) s;

      s = bench_report (&bench, segments[i].start + n);
      g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, start + n * FRAME);
      g_assert_cmpuint (get_uint64 (s, "stream-time"), ==, time + n * FRAME);
      g_assert_cmpuint (get_uint64 (s, "running-time"), ==,
          base + (guint64) (n * FRAME / segments[i].rate));
      g_assert_cmpuint (get_uint64 (s, "duration"), ==, FRAME);
      g_assert_cmpuint (get_uint64 (s, "index"), ==, n);
      g_assert_cmpuint (get_uint64 (s, "frames"), ==, 1);
    }
  }
}

/* Without a duration it is that of the frame rate; what is unknown, as where a
 * segment is not in time, is GST_CLOCK_TIME_NONE. */
static void
test_unknown_times (void)
{
  static const gchar *names[] = { "timestamp", "stream-time", "running-time" };
  GstSegment segment;
  GstStructure *s;
  GstBuffer *in;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, NULL);
  in = frame_new (&bench.info, 5);
  GST_BUFFER_DURATION (in) = GST_CLOCK_TIME_NONE;
  s = push_for_meta (&bench, in);
  g_assert_cmpuint (get_uint64 (s, "duration"), ==, FRAME);
  gst_structure_free (s);

  in = frame_new (&bench.info, 6);
  GST_BUFFER_PTS (in) = GST_CLOCK_TIME_NONE;
  s = push_for_meta (&bench, in);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpuint (get_uint64 (s, names[i]), ==, GST_CLOCK_TIME_NONE);
  gst_structure_free (s);

  gst_harness_set_src_caps_str (bench.h,
      "video/x-raw,format=I420,width=16,height=16,framerate=0/1");
  in = frame_new (&bench.info, 7);
  GST_BUFFER_DURATION (in) = GST_CLOCK_TIME_NONE;
  s = push_for_meta (&bench, in);
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, 7 * FRAME);
  g_assert_cmpuint (get_uint64 (s, "duration"), ==, GST_CLOCK_TIME_NONE);
  gst_structure_free (s);

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
  s = push_for_meta (&bench, frame_new (&bench.info, 3));
  g_assert_cmpuint (get_uint64 (s, names[0]), ==, 3 * FRAME);
  for (guint i = 1; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpuint (get_uint64 (s, names[i]), ==, GST_CLOCK_TIME_NONE);
  gst_structure_free (s);
}

#ifdef HAVE_CONTROLLER
/* Time is the stream's, whatever the buffers' timestamps are. */
static void
test_controller_segment (void)
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

/* All is told when EOS arrives downstream. */
static GstPadProbeReturn
check_told (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
    gst_structure_free (bench_pop_report (data, "frame"));
    gst_structure_free (bench_pop_report (data, "pooled"));
  }
  return GST_PAD_PROBE_OK;
}

static void
test_pooled_before_eos (void)
{
  g_autoptr (GstPad) pad;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", 3, NULL);
  pad = gst_element_get_static_pad (bench.element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_told,
      &bench, NULL);
  bench_push (&bench, 0);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  bench_pop_report (&bench, NULL);
}

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer data)
{
  (void) object, (void) pspec;
  ++*(guint *) data;
}

static void
test_active_backend (void)
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

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/messages/times", test_times);
  test_add ("/element/messages/unknown-times", test_unknown_times);
#ifdef HAVE_CONTROLLER
  test_add ("/element/messages/controller", test_controller_segment);
#endif
  test_add ("/element/messages/pooled-before-eos", test_pooled_before_eos);
  test_add ("/element/messages/active-backend", test_active_backend);
  return test_run ();
}
