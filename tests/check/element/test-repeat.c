/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * With keep-frame the frame that is shown is shown again, in pipelines that are
 * paused or at their end: what the sink then has, what went downstream for it,
 * and that upstream notices nothing. */
#include "bench.h"

#ifdef HAVE_CONTROLLER
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#endif

#define SIDE 64
#define TIMEOUT (10 * G_USEC_PER_SEC)

/* What left the element. */
typedef struct
{
  GstEventType event;           /* GST_EVENT_UNKNOWN: a frame */
  guint64 index;
  gboolean repeated;
} Step;

typedef struct
{
  GstElement *pipeline, *dct, *sink;
  GstPad *feed;
  GstVideoInfo info;
  guint n;                      /* frames to feed */
  GThread *feeder;
  GstFlowReturn ret;            /* of the last push */
  GMutex lock;
  GArray *steps;
  GMutex states;                /* held while the pipeline changes its own */
  gint pushed;                  /* atomic: by feed_all() */
} World;

static GstPadProbeReturn
on_step (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  World *world = data;
  Step step = { 0 };

  (void) pad;
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    const GstStructure *s = buffer_report (GST_PAD_PROBE_INFO_BUFFER (info));

    step.index = get_uint64 (s, "index");
    step.repeated = gst_structure_has_field (s, "repeated");
  } else {
    step.event = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));
  }
  g_mutex_lock (&world->lock);
  g_array_append_val (world->steps, step);
  g_mutex_unlock (&world->lock);
  return GST_PAD_PROBE_OK;
}

/* A pipeline for `n` frames in which nothing moves yet. */
static void
world_init (World * world, guint n, guint depth, const gchar * between)
{
  GstPad *pad;

  *world = (World) {
  .n = n};
  g_mutex_init (&world->lock);
  g_mutex_init (&world->states);
  world->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  video_info (&world->info, "I420", SIDE, SIDE);
  world->pipeline = gst_pipeline_new (NULL);
  world->dct = gst_element_factory_make ("blockdct", NULL);
  world->sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (world->sink, "sync", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (world->dct), "backend", test_backend ());
  g_object_set (world->dct, "keep-frame", TRUE, "async-depth", depth, NULL);
  test_share_context (world->dct);
  gst_bin_add_many (GST_BIN (world->pipeline), world->dct, world->sink, NULL);
  if (between != NULL) {
    GstElement *queue = gst_element_factory_make (between, NULL);

    gst_bin_add (GST_BIN (world->pipeline), queue);
    g_assert_true (gst_element_link_many (world->dct, queue, world->sink,
            NULL));
  } else {
    g_assert_true (gst_element_link (world->dct, world->sink));
  }
  pad = gst_element_get_static_pad (world->dct, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      on_step, world, NULL);
  gst_object_unref (pad);
  world->feed = gst_pad_new ("feed", GST_PAD_SRC);
  gst_pad_set_active (world->feed, TRUE);
  pad = gst_element_get_static_pad (world->dct, "sink");
  g_assert_cmpint (gst_pad_link (world->feed, pad), ==, GST_PAD_LINK_OK);
  gst_object_unref (pad);
}

static void
push_start (World * world)
{
  GstCaps *caps = gst_video_info_to_caps (&world->info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (world->feed, gst_event_new_stream_start ("test"));
  gst_pad_push_event (world->feed, gst_event_new_caps (caps));
  gst_pad_push_event (world->feed, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static gpointer
feed (gpointer data)
{
  World *world = data;

  push_start (world);
  world->ret = GST_FLOW_OK;
  for (guint i = 0; i < world->n && world->ret == GST_FLOW_OK; i++)
    world->ret = gst_pad_push (world->feed, frame_new (&world->info, i));
  if (world->ret == GST_FLOW_OK)
    gst_pad_push_event (world->feed, gst_event_new_eos ());
  return NULL;
}

static void
set_state (World * world, GstState state)
{
  g_assert_cmpint (gst_element_set_state (world->pipeline, state), !=,
      GST_STATE_CHANGE_FAILURE);
}

static void
world_start (World * world, GstState state)
{
  set_state (world, state);
  world->feeder = g_thread_new ("feed", feed, world);
  g_assert_cmpint (gst_element_get_state (world->pipeline, NULL, NULL,
          10 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
}

static void
wait_for_end (World * world)
{
  GstBus *bus = gst_element_get_bus (world->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
world_clear (World * world)
{
  set_state (world, GST_STATE_NULL);
  if (world->feeder != NULL)
    g_thread_join (world->feeder);
  gst_pad_set_active (world->feed, FALSE);
  gst_object_unref (world->feed);
  gst_object_unref (world->pipeline);
  g_array_unref (world->steps);
  g_mutex_clear (&world->lock);
  g_mutex_clear (&world->states);
}

/* The sink's frame, when it has one of this quality; it has to come to that. */
static GstBuffer *
wait_for_quality (World * world, gint quality)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT;
  GstBuffer *buffer = NULL;

  while (buffer == NULL) {
    GstSample *sample = NULL;

    g_object_get (world->sink, "last-sample", &sample, NULL);
    if (sample != NULL) {
      gint now = get_int (buffer_report (gst_sample_get_buffer (sample)),
          "quality");

      if (now == quality)
        buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
      gst_sample_unref (sample);
    }
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (200);
  }
  return buffer;
}

/* The sink has frame `n` as this quality makes it. */
static void
check_shown (World * world, guint n, gint quality)
{
  GstBuffer *buffer = wait_for_quality (world, quality);
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

/* The index of what left follows the one before, or is it again; a frame that
 * was called back before it was seen here comes as a repeated one at once. */
static void
check_index (const Step * step, guint64 * next)
{
  if (step->repeated && step->index + 1 == *next)
    return;
  g_assert_cmpuint (step->index, ==, *next);
  ++*next;
}

/* Every frame left once, besides the repeated ones; these come after a flush
 * and a segment, and are the one before. Returns their number. */
static guint
check_steps (World * world, guint n)
{
  guint64 next = 0;
  guint repeated = 0;
  gboolean segment = FALSE, flushing = FALSE;

  for (guint i = 0; i < world->steps->len; i++) {
    const Step *step = &g_array_index (world->steps, Step, i);

    switch (step->event) {
      case GST_EVENT_UNKNOWN:
        /* It may just be on its way when the flush begins. */
        g_assert_true (segment);
        check_index (step, &next);
        repeated += step->repeated;
        break;
      case GST_EVENT_FLUSH_START:
        g_assert_false (flushing);
        flushing = TRUE;
        break;
      case GST_EVENT_FLUSH_STOP:
        g_assert_true (flushing);
        flushing = segment = FALSE;
        break;
      case GST_EVENT_SEGMENT:
        g_assert_false (segment || flushing);
        segment = TRUE;
        break;
      case GST_EVENT_EOS:
        break;
      default:
        g_assert_false (flushing);
        break;
    }
  }
  g_assert_cmpuint (next, ==, n);
  return repeated;
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
  set_state (&world, GST_STATE_PLAYING);
  wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_assert_cmpuint (count_frames (&world), ==, 8);
  g_assert_cmpuint (check_steps (&world, 8), >=, 5);
  world_clear (&world);
}

static void
test_paused (void)
{
  check_paused (1);
  check_paused (2);
  check_paused (4);
}

/* With one frame it is a still picture. */
static void
check_end (guint n, guint depth)
{
  World world;

  world_init (&world, n, depth, NULL);
  world_start (&world, GST_STATE_PLAYING);
  wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  for (gint quality = 10; quality < 15; quality++) {
    g_object_set (world.dct, "quality", quality, NULL);
    check_shown (&world, n - 1, quality);
    wait_for_end (&world);
  }
  set_state (&world, GST_STATE_PAUSED);
  g_object_set (world.dct, "quality", 20, NULL);
  check_shown (&world, n - 1, 20);
  set_state (&world, GST_STATE_PLAYING);
  wait_for_end (&world);
  g_assert_cmpuint (count_frames (&world), ==, n);
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_assert_cmpuint (check_steps (&world, n), >=, 6);
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
  set_state (&world, GST_STATE_PLAYING);
  wait_for_end (&world);
  g_object_set (world.dct, "quality", 11, NULL);
  g_usleep (20000);
  g_assert_cmpuint (check_steps (&world, 2), ==, 0);
  world_clear (&world);
}

/* 10,000 changes, faster than they can be shown: the last one stays. */
static gpointer
hammer (gpointer data)
{
  World *world = data;

  for (gint i = 0; i < test_rounds (10000); i++)
    g_object_set (world->dct, "quality", 1 + i % 90, NULL);
  return NULL;
}

static void
check_many (GstState state, guint depth, const gchar * between)
{
  GThread *thread;
  World world;

  world_init (&world, 5, depth, between);
  world_start (&world, state);
  if (state == GST_STATE_PLAYING)
    wait_for_end (&world);
  thread = g_thread_new ("hammer", hammer, &world);
  hammer (&world);
  g_thread_join (thread);
  g_object_set (world.dct, "quality", 99, NULL);
  gst_buffer_unref (wait_for_quality (&world, 99));
  set_state (&world, GST_STATE_PLAYING);
  wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_assert_cmpuint (check_steps (&world, 5), >, 0);
  world_clear (&world);
}

static void
test_many (void)
{
  check_many (GST_STATE_PAUSED, 1, NULL);
  check_many (GST_STATE_PAUSED, 4, NULL);
  check_many (GST_STATE_PLAYING, 1, NULL);
  check_many (GST_STATE_PAUSED, 1, "queue");
}

/* Changes all the time, whatever happens. */
static gpointer
turn (gpointer data)
{
  World *world = data;

  for (gint i = 0; g_atomic_int_get (&world->n) < 1000; i++) {
    g_object_set (world->dct, "quality", 1 + i % 90, NULL);
    g_usleep (i % 7 * 50);
  }
  return NULL;
}

/* A flush from upstream, as of a seek, while the frame is repeated: it brings
 * what comes after it. */
static void
test_flush (void)
{
  World world;
  GThread *thread;

  world_init (&world, 4, 1, NULL);
  world_start (&world, GST_STATE_PAUSED);
  thread = g_thread_new ("turn", turn, &world);
  for (gint i = 0; i < test_rounds (100); i++) {
    g_usleep (i % 5 * 300);
    gst_pad_push_event (world.feed, gst_event_new_flush_start ());
    g_thread_join (world.feeder);
    gst_pad_push_event (world.feed, gst_event_new_flush_stop (TRUE));
    world.feeder = g_thread_new ("feed", feed, &world);
    g_assert_cmpint (gst_element_get_state (world.pipeline, NULL, NULL,
            10 * GST_SECOND), !=, GST_STATE_CHANGE_FAILURE);
  }
  g_atomic_int_set (&world.n, 1000);
  g_thread_join (thread);
  g_object_set (world.dct, "quality", 99, NULL);
  gst_buffer_unref (wait_for_quality (&world, 99));
  world_clear (&world);
}

/* Stopped and started, paused and resumed. */
static void
test_states (void)
{
  World world;
  GThread *thread;

  world_init (&world, 4, 2, NULL);
  thread = g_thread_new ("turn", turn, &world);
  for (gint i = 0; i < test_rounds (50); i++) {
    world_start (&world, GST_STATE_PAUSED);
    g_usleep (i % 5 * 300);
    set_state (&world, GST_STATE_PLAYING);
    g_usleep (i % 3 * 300);
    if (i % 2 == 0)
      wait_for_end (&world);
    set_state (&world, GST_STATE_PAUSED);
    set_state (&world, GST_STATE_READY);
    g_thread_join (g_steal_pointer (&world.feeder));
    gst_pad_set_active (world.feed, FALSE);
    gst_pad_set_active (world.feed, TRUE);
  }
  g_atomic_int_set (&world.n, 1000);
  g_thread_join (thread);
  world_clear (&world);
}

/* All that may come from upstream, in any order. */
static GstFlowReturn
push_something (World * world, GRand * rand, guint i)
{
  GstSegment segment;
  GstQuery *query;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  switch (g_rand_int_range (rand, 0, 40)) {
    case 0:
      gst_pad_push_event (world->feed, gst_event_new_gap (i * FRAME, FRAME));
      break;
    case 1:
      gst_pad_push_event (world->feed, gst_event_new_tag (gst_tag_list_new
              (GST_TAG_TITLE, "test", NULL)));
      break;
    case 2:
      gst_pad_push_event (world->feed, gst_event_new_segment (&segment));
      break;
    case 3:
      video_info (&world->info, i % 2 ? "NV12" : "I420", SIDE,
          SIDE + i % 3 * 2);
      push_start (world);
      break;
    case 4:
      query = gst_query_new_drain ();
      gst_pad_peer_query (world->feed, query);
      gst_query_unref (query);
      break;
    case 5:
      gst_pad_push_event (world->feed, gst_event_new_eos ());
      g_usleep (g_rand_int_range (rand, 0, 2000));
      /* fall through */
    case 6:
      /* A bin on its way to PLAYING overlooks it: GStreamer's affair. */
      g_mutex_lock (&world->states);
      gst_pad_push_event (world->feed, gst_event_new_flush_start ());
      g_mutex_unlock (&world->states);
      gst_pad_push_event (world->feed, gst_event_new_flush_stop (i % 2));
      push_start (world);
      break;
    default:
      return gst_pad_push (world->feed, frame_new (&world->info, i));
  }
  return GST_FLOW_OK;
}

static gpointer
feed_all (gpointer data)
{
  World *world = data;
  GRand *rand = g_rand_new_with_seed (world->n);

  push_start (world);
  world->ret = GST_FLOW_OK;
  for (gint i = 0; i < test_rounds (2000) && world->ret == GST_FLOW_OK; i++) {
    world->ret = push_something (world, rand, i);
    g_atomic_int_inc (&world->pushed);
  }
  gst_pad_push_event (world->feed, gst_event_new_eos ());
  g_rand_free (rand);
  g_atomic_int_set (&world->n, 1000);
  return NULL;
}

/* What plays goes on. */
static void
wait_for_push (World * world)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT;
  gint before = g_atomic_int_get (&world->pushed);

  while (g_atomic_int_get (&world->pushed) == before
      && g_atomic_int_get (&world->n) < 1000) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (100);
  }
}

static void
check_anything (guint seed, guint depth, const gchar * between)
{
  World world;
  GThread *thread;
  guint64 next = 0;

  world_init (&world, seed, depth, between);
  set_state (&world, GST_STATE_PAUSED);
  world.feeder = g_thread_new ("feed", feed_all, &world);
  thread = g_thread_new ("turn", turn, &world);
  for (guint i = 0; g_atomic_int_get (&world.n) < 1000; i++) {
    g_mutex_lock (&world.states);
    set_state (&world, i % 2 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    g_mutex_unlock (&world.states);
    if (i % 2 == 0)
      wait_for_push (&world);
    g_usleep (i * 37 % 1500);
  }
  set_state (&world, GST_STATE_PLAYING);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_thread_join (thread);
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_object_set (world.dct, "quality", 98, NULL);
  g_object_set (world.dct, "quality", 99, NULL);
  wait_for_end (&world);
  for (guint i = 0; i < world.steps->len; i++) {
    const Step *step = &g_array_index (world.steps, Step, i);

    if (step->event == GST_EVENT_UNKNOWN)
      check_index (step, &next);
  }
  world_clear (&world);
}

static void
test_anything (void)
{
  for (guint seed = 1; seed <= 2; seed++) {
    check_anything (seed, 1, NULL);
    check_anything (seed, 3, NULL);
    check_anything (seed, 2, "queue");
  }
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
  wait_for_end (&world);
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
  wait_for_end (&world);
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
  test_add ("/repeat/end", test_end_of_stream);
  test_add ("/repeat/nothing", test_nothing);
  test_add ("/repeat/many", test_many);
  test_add ("/repeat/flush", test_flush);
  test_add ("/repeat/states", test_states);
  test_add ("/repeat/anything", test_anything);
  test_add ("/repeat/new-stream", test_new_stream);
  test_add ("/repeat/messages", test_messages);
#ifdef HAVE_CONTROLLER
  test_add ("/repeat/handler", test_handler);
#endif
  return test_run ();
}
