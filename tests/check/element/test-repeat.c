/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * With keep-frame the frame that is shown is shown again, in pipelines that are
 * paused or at their end: what the sink then has, what went downstream for it,
 * and that upstream notices nothing. */
#include "repeat.h"

#ifdef HAVE_CONTROLLER
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#endif

/* The sink has frame `n` as this quality makes it. */
static void
check_shown (World * world, guint n, gint quality)
{
  GstBuffer *buffer = world_wait_for_quality (world, quality);
  BdctParams params = BDCT_PARAMS_DEFAULT;
  GstBuffer *in = frame_new (&world->info, n), *expected;
  GstStructure *s = buffer_report (buffer);
  BdctStats stats;

  params.quality = quality;
  expected = frame_expect (&world->info, in, &params, &stats);
  g_assert_true (frames_equal (&world->info, expected, buffer));
  check_figures (s, &stats, 8);
  g_assert_true (get_boolean (s, "repeated"));
  g_assert_cmpuint (get_uint64 (s, "index"), ==, n);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, n * FRAME);
  gst_buffer_unref (in);
  gst_buffer_unref (expected);
  gst_buffer_unref (buffer);
}

static guint64
count_frames (World * world)
{
  GstStructure *stats;
  guint64 frames;

  g_object_get (world->dct, "stats", &stats, NULL);
  frames = get_uint64 (stats, "frames");
  gst_structure_free (stats);
  return frames;
}

static void
check_paused (guint depth)
{
  World world;

  world_init (&world, 8, depth, NULL);
  g_object_set (world.sink, "sync", TRUE, NULL);
  world_start (&world, GST_STATE_PAUSED);
  for (gint quality = 10; quality < 15; quality++) {
    g_object_set (world.dct, "quality", quality, NULL);
    check_shown (&world, 0, quality);
    g_assert_cmpuint (count_frames (&world), ==, 1);
  }
  world_set_state (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_assert_cmpuint (count_frames (&world), ==, 8);
  g_assert_cmpuint (world_check_steps (&world, 8), >=, 5);
  world_clear (&world);
}

static void
test_paused (void)
{
  check_paused (1);
  check_paused (2);
  check_paused (4);
}

/* The sink's frame, when it has another than `old`. */
static GstBuffer *
wait_for_other (World * world, GstBuffer * old)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT;
  GstBuffer *buffer = NULL;

  while (buffer == NULL) {
    GstSample *sample = NULL;

    g_object_get (world->sink, "last-sample", &sample, NULL);
    if (sample != NULL) {
      if (gst_sample_get_buffer (sample) != old)
        buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
      gst_sample_unref (sample);
    }
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (200);
  }
  return buffer;
}

/* What is shown, one change after the other, is what an element that has these
 * settings makes of the frame. */
static void
test_views (void)
{
  static const struct
  {
    const gchar *name, *value;
  } steps[] = {
    {"zoom", "4"}, {"zoom-x", "0.9"}, {"zoom-y", "0.1"}, {"view", "wipe"},
    {"zoom", "2.5"}, {"wipe-position", "0.8"}, {"left", "a"},
    {"right", "original"}, {"b-transform", "hevc-8x8"}, {"right", "b"},
    {"b-qp", "44"}, {"view", "reconstruction-b"}, {"b-transform", "jpeg-8x8"},
    {"b-quality", "7"}, {"grid", "true"}, {"view", "difference"},
    {"difference-gain", "9"}, {"view", "flicker"}, {"left", "b"},
    {"zoom", "1"}, {"quality", "3"}, {"view", "size-map"},
  };
  GstBuffer *shown;
  World world;
  Bench bench;

  world_init (&world, 2, 1, NULL);
  bench_init (&bench, "I420", SIDE, SIDE, NULL);
  world_start (&world, GST_STATE_PAUSED);
  shown = wait_for_other (&world, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    GstBuffer *in = frame_new (&world.info, 0), *expected, *next;

    g_test_message ("%s=%s", steps[i].name, steps[i].value);
    gst_util_set_object_arg (G_OBJECT (world.dct), steps[i].name,
        steps[i].value);
    gst_util_set_object_arg (G_OBJECT (bench.element), steps[i].name,
        steps[i].value);
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    expected = bench_pull (&bench);
    gst_structure_free (bench_pop_report (&bench, "frame"));
    next = wait_for_other (&world, shown);
    g_assert_true (get_boolean (buffer_report (next), "repeated"));
    g_assert_true (frames_equal (&world.info, expected, next));
    gst_buffer_unref (expected);
    gst_buffer_unref (shown);
    shown = next;
  }
  gst_buffer_unref (shown);
  g_assert_cmpuint (count_frames (&world), ==, 1);
  bench_clear (&bench);
  world_set_state (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_assert_cmpuint (world_check_steps (&world, 2), >=,
      G_N_ELEMENTS (steps));
  world_clear (&world);
}

/* With one frame it is a still picture. */
static void
check_end (guint n, guint depth)
{
  World world;

  world_init (&world, n, depth, NULL);
  world_start (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  for (gint quality = 10; quality < 15; quality++) {
    g_object_set (world.dct, "quality", quality, NULL);
    check_shown (&world, n - 1, quality);
    world_wait_for_end (&world);
  }
  world_set_state (&world, GST_STATE_PAUSED);
  g_object_set (world.dct, "quality", 20, NULL);
  check_shown (&world, n - 1, 20);
  world_set_state (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  g_assert_cmpuint (count_frames (&world), ==, n);
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_assert_cmpuint (world_check_steps (&world, n), >=, 6);
  world_clear (&world);
}

static void
test_end_of_stream (void)
{
  check_end (3, 1);
  check_end (6, 4);
  check_end (1, 1);
  check_end (1, 4);
}

/* What does not concern the picture, is not new, or was not asked for. */
static void
test_nothing (void)
{
  World world;

  world_init (&world, 2, 1, NULL);
  world_start (&world, GST_STATE_PAUSED);
  g_object_set (world.dct, "quality", 85, "interval", (guint64) 5,
      "min-psnr-warning", 1.0, "interactive", TRUE, NULL);
  g_usleep (20000);
  g_object_set (world.dct, "keep-frame", FALSE, NULL);
  g_object_set (world.dct, "quality", 10, NULL);
  g_usleep (20000);
  world_set_state (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  g_object_set (world.dct, "quality", 11, NULL);
  g_usleep (20000);
  g_assert_cmpuint (world_check_steps (&world, 2), ==, 0);
  world_clear (&world);
}

/* What is kept goes with its caps, and with its segment. */
static void
test_new_stream (void)
{
  Bench bench;

  bench_init (&bench, "I420", SIDE, SIDE, "keep-frame", TRUE, "quality", 50,
      NULL);
  for (gint i = 0; i < 2; i++) {
    bench_push (&bench, i);
    gst_buffer_unref (bench_pull (&bench));
    gst_structure_free (bench_pop_report (&bench, "frame"));
    if (i == 0) {
      bench_set_caps (&bench, "NV12", 40, 24);
    } else {
      GstSegment segment;

      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.start = GST_SECOND;
      gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
    }
    gst_element_set_state (bench.element, GST_STATE_PAUSED);
    g_object_set (bench.element, "quality", 10 + i, NULL);
    g_usleep (20000);
    g_assert_null (bench_pull (&bench));
    gst_element_set_state (bench.element, GST_STATE_PLAYING);
  }
  bench_clear (&bench);
}

/* The message of a repeated frame, and its curve's; none with an interval; no
 * limit ends a pipeline for it. */
static void
test_messages (void)
{
  GstStructure *s;
  GstBus *bus;
  GstMessage *message;
  World world;

  world_init (&world, 1, 1, NULL);
  bus = gst_element_get_bus (world.pipeline);
  world_start (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  gst_util_set_object_arg (G_OBJECT (world.dct), "min-psnr-error", "90");
  g_object_set (world.dct, "quality", 30, NULL);
  check_shown (&world, 0, 30);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_ELEMENT);
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_assert_cmpstr (gst_structure_get_string (s, "type"), ==, "frame");
  g_assert_true (get_boolean (s, "repeated"));
  g_assert_cmpint (get_int (s, "quality"), ==, 30);
  gst_structure_free (s);
  g_object_set (world.dct, "interval", GST_SECOND, "quality", 31, NULL);
  check_shown (&world, 0, 31);
  world_wait_for_end (&world);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT));
  gst_object_unref (bus);
  world_clear (&world);
}

#ifdef HAVE_CONTROLLER
static void
on_quality (GObject * dct, GParamSpec * pspec, gpointer data)
{
  gint *armed = data;

  (void) pspec;
  if (!g_atomic_int_compare_and_exchange (armed, 1, 2))
    return;
  gst_element_set_state (GST_ELEMENT (dct), GST_STATE_NULL);
  g_atomic_int_set (armed, 3);
}

/* Who hears that a controlled property is set for the frame that is shown again
 * may stop the element, with others in flight. */
static void
test_handler (void)
{
  GstControlSource *source = gst_interpolation_control_source_new ();
  gint64 end = g_get_monotonic_time () + TIMEOUT;
  gint armed = 0;
  World world;

  world_init (&world, 8, 3, NULL);
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 0.5);
  gst_object_add_control_binding (GST_OBJECT (world.dct),
      gst_direct_control_binding_new (GST_OBJECT (world.dct), "quality",
          source));
  gst_object_unref (source);
  world_start (&world, GST_STATE_PAUSED);
  g_signal_connect (world.dct, "notify::quality", G_CALLBACK (on_quality),
      &armed);
  g_atomic_int_set (&armed, 1);
  g_object_set (world.dct, "grid", TRUE, NULL);
  while (g_atomic_int_get (&armed) != 3) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (200);
  }
  world_clear (&world);
}
#endif

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/repeat/paused", test_paused);
  test_add ("/repeat/views", test_views);
  test_add ("/repeat/end", test_end_of_stream);
  test_add ("/repeat/nothing", test_nothing);
  test_add ("/repeat/new-stream", test_new_stream);
  test_add ("/repeat/messages", test_messages);
#ifdef HAVE_CONTROLLER
  test_add ("/repeat/handler", test_handler);
#endif
  return test_run ();
}
