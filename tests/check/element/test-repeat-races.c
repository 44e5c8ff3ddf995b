/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * With keep-frame the frame that is shown is shown again, whatever upstream and
 * the application do meanwhile (test-repeat.c: what is shown). */
#include "repeat.h"

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
    world_wait_for_end (&world);
  thread = g_thread_new ("hammer", hammer, &world);
  hammer (&world);
  g_thread_join (thread);
  g_object_set (world.dct, "quality", 99, NULL);
  gst_buffer_unref (world_wait_for_quality (&world, 99));
  world_set_state (&world, GST_STATE_PLAYING);
  world_wait_for_end (&world);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_assert_cmpuint (world_check_steps (&world, 5), >, 0);
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
    world.feeder = g_thread_new ("feed", world_feed, &world);
    g_assert_cmpint (gst_element_get_state (world.pipeline, NULL, NULL,
            10 * GST_SECOND), !=, GST_STATE_CHANGE_FAILURE);
  }
  g_atomic_int_set (&world.n, 1000);
  g_thread_join (thread);
  g_object_set (world.dct, "quality", 99, NULL);
  gst_buffer_unref (world_wait_for_quality (&world, 99));
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
    world_set_state (&world, GST_STATE_PLAYING);
    g_usleep (i % 3 * 300);
    if (i % 2 == 0)
      world_wait_for_end (&world);
    world_set_state (&world, GST_STATE_PAUSED);
    world_set_state (&world, GST_STATE_READY);
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
      world_push_start (world);
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
      /* A bin on its way to PLAYING, which it also is behind its thread's back,
       * overlooks it: GStreamer's affair. */
      GST_STATE_LOCK (world->pipeline);
      gst_pad_push_event (world->feed, gst_event_new_flush_start ());
      GST_STATE_UNLOCK (world->pipeline);
      gst_pad_push_event (world->feed, gst_event_new_flush_stop (i % 2));
      world_push_start (world);
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

  world_push_start (world);
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
  world_set_state (&world, GST_STATE_PAUSED);
  world.feeder = g_thread_new ("feed", feed_all, &world);
  thread = g_thread_new ("turn", turn, &world);
  for (guint i = 0; g_atomic_int_get (&world.n) < 1000; i++) {
    world_set_state (&world, i % 2 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    if (i % 2 == 0)
      wait_for_push (&world);
    g_usleep (i * 37 % 1500);
  }
  world_set_state (&world, GST_STATE_PLAYING);
  g_thread_join (g_steal_pointer (&world.feeder));
  g_thread_join (thread);
  g_assert_cmpint (world.ret, ==, GST_FLOW_OK);
  g_object_set (world.dct, "quality", 98, NULL);
  g_object_set (world.dct, "quality", 99, NULL);
  world_wait_for_end (&world);
  for (guint i = 0; i < world.steps->len; i++) {
    const Step *step = &g_array_index (world.steps, Step, i);

    if (step->event == GST_EVENT_UNKNOWN)
      world_check_index (step, &next);
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

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/repeat/many", test_many);
  test_add ("/repeat/flush", test_flush);
  test_add ("/repeat/states", test_states);
  test_add ("/repeat/anything", test_anything);
  return test_run ();
}
