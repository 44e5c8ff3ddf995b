/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where buffers come from, whoever asks for them, and when. */
#include <gst/base/gstbasetransform.h>
#include "bench.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static void
start (Bench * bench, Offer * downstream, guint depth)
{
  g_autoptr (GstPad) pad;

  bench_init (bench, NULL, 0, 0, "async-depth", depth, NULL);
  pad = gst_element_get_static_pad (bench->element, "src");
  offer_pool (pad, downstream);
  bench_set_caps (bench, "I420", 33, 17);
}

/* Push frames while downstream holds many of them, or, with a pool that has a
 * limit, the one that it shows: nobody waits for a buffer. */
static void
check_pool (guint depth, guint min, guint max, gboolean used)
{
  Offer downstream = { gst_video_buffer_pool_new (), min, max };
  const guint most = used && max > 0 ? 1 : 12, n_frames = depth + 20;
  GQueue held = G_QUEUE_INIT;
  guint n_out = 0;
  g_auto (Bench) bench;

  start (&bench, &downstream, depth);
  for (guint n = 0; n < n_frames; n++) {
    GstBuffer *out;

    bench_push (&bench, n);
    while ((out = gst_harness_try_pull (bench.h)) != NULL) {
      g_autoptr (GstBuffer) in = frame_new (&bench.info, n_out), expected;
      BdctStats stats;

      expected = frame_expect (&bench.info, in, &defaults, &stats);
      g_assert_true (frames_equal (&bench.info, expected, out));
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n_out++ * FRAME);
      g_assert_cmpint (out->pool == downstream.pool, ==, used);
      g_queue_push_tail (&held, out);
      if (held.length > most)
        gst_buffer_unref (g_queue_pop_head (&held));
    }
  }
  g_assert_cmpuint (n_out, ==, n_frames - depth + 1);
  g_queue_clear_full (&held, (GDestroyNotify) gst_buffer_unref);
  gst_object_unref (downstream.pool);
}

TEST ("/element/buffers/downstream-pool", test_downstream_pool)
{
  static const guint depths[] = { 1, 2, 16 };

  check_pool (1, 0, 0, TRUE);
  check_pool (4, 2, 0, TRUE);
  /* One that cannot give what is in flight beside what downstream needs, or
   * keeps without saying so: the frame that it shows. */
  check_pool (4, 3, 4, FALSE);
  check_pool (2, 2, 2, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    check_pool (depths[i], 0, depths[i], FALSE);
    check_pool (depths[i], 0, depths[i] + 1, TRUE);
  }
}

/* Upstream is offered a pool, and may use a GstVideoMeta. */
TEST ("/element/buffers/propose", test_propose)
{
  static const gboolean need[] = { TRUE, FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (need); i++) {
    const guint depth = 3;
    guint size, min, max, n_metas = 0;
    GstBufferPool *pool = NULL;
    g_autoptr (GstQuery) query;
    g_autoptr (GstCaps) caps;
    g_auto (Bench) bench;

    bench_init (&bench, "NV12", 50, 30, "async-depth", depth, NULL);
    caps = video_caps ("NV12", 50, 30);
    query = gst_query_new_allocation (caps, need[i]);
    g_assert_true (gst_pad_peer_query (bench.h->srcpad, query));
    for (guint m = 0; m < gst_query_get_n_allocation_metas (query); m++)
      n_metas += gst_query_parse_nth_allocation_meta (query, m, NULL)
          == GST_VIDEO_META_API_TYPE;
    g_assert_cmpuint (n_metas, ==, 1);
    g_assert_cmpuint (gst_query_get_n_allocation_pools (query), ==, 1);
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    g_assert_cmpuint (size, >=, bench.info.size);
    g_assert_cmpuint (min, >=, depth);
    g_assert_cmpuint (max, ==, 0);
    g_assert_cmpint (pool != NULL, ==, need[i]);
    gst_clear_object (&pool);
  }
}

typedef struct
{
  Bench *bench;
  gint max;                     /* how many to push */
  gint n;                       /* pushed; atomic */
  GstFlowReturn ret;
} Pusher;

static gpointer
push_all (gpointer data)
{
  Pusher *pusher = data;

  do {
    pusher->ret = gst_harness_push (pusher->bench->h,
        frame_new (&pusher->bench->info, pusher->n));
    g_atomic_int_inc (&pusher->n);
  } while (pusher->ret == GST_FLOW_OK && pusher->n < pusher->max);
  return NULL;
}

/* How many frames, of at least LEAST, are taken before the element waits. */
static gint
wait_until_stuck (Pusher * pusher, gint least)
{
  gint before, n = -1;

  do {
    before = n;
    g_usleep (200000);
    n = g_atomic_int_get (&pusher->n);
  } while (n != before || n < least);
  return n;
}

/* A downstream that returns no buffer of a pool with a limit: the element takes
 * some frames, then waits, until a flush or a stop ends that at once. */
TEST ("/element/buffers/back-pressure", test_back_pressure)
{
  static const guint depths[] = { 1, 4 };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    Offer downstream = { gst_video_buffer_pool_new (), 0, 64 };
    Pusher pusher = {.max = 10000 };
    GstSegment segment;
    GThread *thread;
    g_auto (Bench) bench;
    gint n;

    start (&bench, &downstream, depths[d]);
    pusher.bench = &bench;
    thread = g_thread_new ("push", push_all, &pusher);
    n = wait_until_stuck (&pusher, 12);
    g_assert_cmpint (n, <, 300);
    gst_harness_push_event (bench.h, gst_event_new_flush_start ());
    g_thread_join (thread);
    g_assert_cmpint (pusher.ret, ==, GST_FLOW_FLUSHING);

    gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
    thread = g_thread_new ("push", push_all, &pusher);
    wait_until_stuck (&pusher, 0);
    gst_element_set_state (bench.element, GST_STATE_NULL);
    g_thread_join (thread);
    g_assert_cmpint (pusher.ret, ==, GST_FLOW_FLUSHING);
    gst_object_unref (downstream.pool);
  }
}

/* A device's memory has a limit, of the element's own: reaching it is said. */
TEST ("/element/buffers/device-limit", test_device_limit)
{
  Pusher pusher = {.max = 10000 };
  GThread *thread;
  Bench bench;
  gint n;

  if (!test_on_cuda ()) {
    g_test_skip ("BLOCKDCT_TEST_BACKEND is not cuda");
    return;
  }
  bench_init (&bench, NULL, 0, 0, "async-depth", 2, NULL);
  gst_harness_set_sink_caps_str (bench.h, "video/x-raw(memory:CUDAMemory)");
  bench_set_caps (&bench, "I420", 64, 64);
  pusher.bench = &bench;
  thread = g_thread_new ("push", push_all, &pusher);
  n = wait_until_stuck (&pusher, 64);
  g_assert_cmpint (n, <, 300);
  gst_harness_push_event (bench.h, gst_event_new_flush_start ());
  g_thread_join (thread);
  g_assert_cmpint (pusher.ret, ==, GST_FLOW_FLUSHING);
  text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING), "output buffers",
      NULL);
  bench_clear (&bench);
}

/* A source that asks for buffers again, by a serialized query, while the
 * element stops. */
typedef struct
{
  GstPad *pad, *sink;           /* the source's, and the element's */
  GRand *rand;
  gint frames;                  /* atomic */
  gint asks;                    /* atomic: the query is on its way */
} Asking;

static GstPadProbeReturn
ask_again (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Asking *asking = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    if (g_atomic_int_add (&asking->frames, 1) == 19)
      gst_pad_mark_reconfigure (pad);
  } else if (g_atomic_int_get (&asking->frames) == 20
      && GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info))
      == GST_QUERY_ALLOCATION) {
    g_atomic_int_set (&asking->asks, TRUE);
    while (!GST_PAD_IS_FLUSHING (asking->sink))
      g_thread_yield ();
    g_usleep (g_rand_int_range (asking->rand, 0, 2) * 30);
  }
  return GST_PAD_PROBE_OK;
}

/* `-m thorough` on the command line takes ten thousand rounds of each kind. */
TEST ("/element/buffers/stop-while-asked", test_stop_while_asked)
{
  static const gint depths[] = { 1, 2, 16 };
  const gint rounds = test_rounds (g_test_thorough () ? 10000 : 30);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (depths); i++) {
    gchar *line = g_strdup_printf ("videotestsrc name=src is-live=%d ! "
        "video/x-raw,format=I420,width=320,height=240,framerate=10000/1 ! "
        "blockdct name=b backend=%s async-depth=%d ! fakesink", i % 2,
        test_backend (), depths[i / 2]);
    GstElement *pipeline = gst_parse_launch (line, NULL);
    GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
    GstElement *dct = gst_bin_get_by_name (GST_BIN (pipeline), "b");
    Asking asking = {
      .pad = gst_element_get_static_pad (src, "src"),
      .sink = gst_element_get_static_pad (dct, "sink"),
      .rand = g_rand_new_with_seed (i),
    };

    test_share_context (dct);
    gst_pad_add_probe (asking.pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, ask_again, &asking, NULL);
    for (gint round = 0; round < rounds; round++) {
      g_atomic_int_set (&asking.frames, 0);
      g_atomic_int_set (&asking.asks, FALSE);
      g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING),
          !=, GST_STATE_CHANGE_FAILURE);
      while (!g_atomic_int_get (&asking.asks))
        g_usleep (50);
      g_assert_cmpint (gst_element_set_state (pipeline, round % 2
              ? GST_STATE_NULL : GST_STATE_READY), ==,
          GST_STATE_CHANGE_SUCCESS);
    }
    g_rand_free (asking.rand);
    gst_object_unref (asking.pad);
    gst_object_unref (asking.sink);
    gst_object_unref (dct);
    gst_object_unref (src);
    gst_object_unref (pipeline);
    g_free (line);
  }
}

static gpointer
flush_often (gpointer pad)
{
  for (gint i = 0; i < test_rounds (2000); i++) {
    gst_pad_push_event (pad, gst_event_new_flush_start ());
    g_usleep (1 + i * 37 % 150);
    gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
    g_usleep (1 + i * 53 % 150);
  }
  gst_pad_set_active (pad, FALSE);
  return NULL;
}

/* Upstream of blockdctcompare frees a query as soon as it flushes, whoever is
 * about to answer it. */
TEST ("/element/buffers/flush-while-asked", test_flush_while_asked)
{
  g_autoptr (GstElement) compare = element_new ("blockdctcompare");
  g_autoptr (GstCaps) caps = video_caps ("I420", 64, 64);
  static const gchar *const pads[] = { "ref_sink", "dist_sink" };
  GstHarness *h[G_N_ELEMENTS (pads)];
  GThread *thread;

  element_set (compare, "backend", test_backend ());
  test_share_context (compare);
  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    h[i] = gst_harness_new_with_element (compare, pads[i], i ? NULL : "src");
    gst_harness_set_src_caps (h[i], gst_caps_ref (caps));
  }
  thread = g_thread_new ("flush", flush_often, h[0]->srcpad);
  while (GST_PAD_IS_ACTIVE (h[0]->srcpad)) {
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

    gst_pad_peer_query (h[0]->srcpad, query);
  }
  g_thread_join (thread);
  for (guint i = 0; i < G_N_ELEMENTS (pads); i++)
    gst_harness_teardown (h[i]);
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
TEST ("/element/buffers/passthrough-pool", test_passthrough_pool)
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
