/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: which frames meet, what is said where inputs do not fit, and
 * seeks, live sources and states. */
#include <string.h>
#include "duel.h"

/* The same picture for reference and distorted, but for one sample in eight. */
static GstBuffer *
similar_new (const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = frame_new (info, n);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i += 8)
    map.data[i] ^= 1;
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Which frames of each input there are, as their times in frames; and which
 * reference frames have to come out. */
typedef struct
{
  const gchar *properties;
  gint reference[8], distorted[8], out[8];      /* up to -1 */
  guint unmatched;
  gboolean timeless;
} Match;

static const Match matches[] = {
  /* The distorted input ends early, or starts late. */
  {"", {0, 1, 2, 3, -1}, {0, 1, -1}, {0, 1, -1}, 2, FALSE},
  {"", {0, 1, 2, 3, -1}, {2, 3, -1}, {2, 3, -1}, 2, FALSE},
  /* It drops frames, or has more of them. */
  {"", {0, 1, 2, 3, -1}, {0, 3, -1}, {0, 3, -1}, 2, FALSE},
  {"", {1, 3, -1}, {0, 1, 2, 3, 4, -1}, {1, 3, -1}, 3, FALSE},
  /* The reference does. */
  {"", {0, 3, 4, -1}, {0, 1, 2, 3, 4, -1}, {0, 3, 4, -1}, 2, FALSE},
  /* Two frames of one time. */
  {"", {0, 1, 1, 2, -1}, {0, 1, 2, -1}, {0, 1, 2, -1}, 1, FALSE},
  {"", {0, 1, 2, -1}, {0, 1, 1, 2, -1}, {0, 1, 2, -1}, 1, FALSE},
  /* Inputs that are known to be shifted. */
  {"offset=2", {0, 1, 2, -1}, {2, 3, 4, -1}, {0, 1, 2, -1}, 0, FALSE},
  {"offset=-1", {0, 1, 2, -1}, {0, 1, 2, -1}, {1, 2, -1}, 2, FALSE},
  /* Without times the n-th meets the n-th. */
  {"", {0, 1, 2, -1}, {5, 6, 7, -1}, {0, 1, 2, -1}, 0, TRUE},
  {"offset=1", {0, 1, 2, -1}, {5, 6, 7, -1}, {0, 1, -1}, 2, TRUE},
};

static void
push_all (Duel * duel, guint input, const GstVideoInfo * info,
    const gint * times, gboolean timeless)
{
  for (guint i = 0; times[i] >= 0; i++) {
    GstBuffer *buffer = frame_new (info, times[i]);

    if (timeless) {
      GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
    }
    duel_push (duel, input, buffer);
  }
  duel_end (duel, input);
}

static void
test_matching (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (matches); i++) {
    const Match *match = &matches[i];
    guint n = 0;
    GstVideoInfo info;
    GstBuffer *out;
    g_autoptr (GstStructure) s;
    g_auto (Duel) duel;

    g_test_message ("match %u", i);
    duel_open (&duel, &info, "I420", 16, 16, 2, match->properties);
    push_all (&duel, DUEL_REFERENCE, &info, match->reference, match->timeless);
    push_all (&duel, DUEL_DISTORTED, &info, match->distorted, match->timeless);
    while ((out = duel_pull (&duel)) != NULL) {
      g_assert_cmpint (match->out[n], >=, 0);
      if (!match->timeless)
        g_assert_cmpuint (GST_BUFFER_PTS (out), ==, match->out[n] * FRAME);
      g_assert_nonnull (duel_figures (out, "dist_sink"));
      gst_buffer_unref (out);
      n++;
    }
    g_assert_cmpint (match->out[n], ==, -1);
    s = duel_wait_report (&duel, "pooled");
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, n);
    g_assert_cmpuint (get_uint64 (s, "unmatched"), ==, match->unmatched);
  }
}

/* A stream that is shifted by two frames finds partners for all but two, each
 * of them wrong. */
static void
test_shift (void)
{
  for (gint shift = -2; shift <= 3; shift++) {
    /* A short stream is enough. */
    const gint n = shift % 2 ? 20 : 60;
    GstVideoInfo info;
    gchar *wanted = g_strdup_printf ("offset=%d fits better", shift);
    GstBuffer *out;
    g_auto (Duel) duel;

    duel_open (&duel, &info, "I420", 64, 64, 2, "");
    for (gint i = 0; i < n; i++) {
      GstBuffer *b = similar_new (&info, i + 3 - shift);

      GST_BUFFER_PTS (b) = i * FRAME;
      out = frame_new (&info, i + 3);
      GST_BUFFER_PTS (out) = i * FRAME;
      duel_push_pair (&duel, out, b);
    }
    duel_end_all (&duel);
    duel_drain (&duel);
    if (shift != 0) {
      text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), wanted, NULL);
    }
    g_free (wanted);
  }
}

/* Of a still, earlier frames of a picture that gets worse are better, and yet
 * not shifted. */
static void
test_still (void)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", 64, 64, 2, "");
  for (gint i = 0; i < 60; i++) {
    GstBuffer *reference = frame_new (&info, 3), *distorted;
    GstMapInfo map;

    GST_BUFFER_PTS (reference) = i * FRAME;
    distorted = gst_buffer_copy_deep (reference);
    g_assert_true (gst_buffer_map (distorted, &map, GST_MAP_READWRITE));
    for (gsize k = 0; k < map.size; k += 8)
      map.data[k] ^= 1 << MIN (i / 5, 7);
    gst_buffer_unmap (distorted, &map);
    duel_push_pair (&duel, reference, distorted);
  }
  duel_end_all (&duel);
  duel_drain (&duel);
  g_assert_null (gst_bus_pop_filtered (duel.bus, GST_MESSAGE_WARNING));
}

#define POOL_SIZE 100

static GstPadProbeReturn
offer_pool (GstPad * pad, GstPadProbeInfo * probe, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (probe);
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;
  GstCaps *caps;

  (void) pad;
  (void) data;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  g_assert_true (gst_video_info_from_caps (&info, caps));
  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, info.size, 0, POOL_SIZE);
  g_assert_true (gst_buffer_pool_set_config (pool, config));
  gst_query_add_allocation_pool (query, pool, info.size, 0, POOL_SIZE);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

static void
keep (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer data)
{
  (void) sink;
  (void) pad;
  g_async_queue_push (data, gst_buffer_ref (buffer));
}

typedef struct
{
  GstElement *pipeline;
  GAsyncQueue *kept, *done;
} Kept;

static gpointer
stop_kept (gpointer data)
{
  Kept *kept = data;

  gst_element_set_state (kept->pipeline, GST_STATE_NULL);
  g_async_queue_push (kept->done, kept);
  return NULL;
}

/* It stops while all buffers of the pool that it draws into are elsewhere. */
static void
test_kept (void)
{
  Kept kept = {.kept = g_async_queue_new (),.done = g_async_queue_new () };
  g_autoptr (GstElement) pipeline = gst_parse_launch ("videotestsrc ! "
      "video/x-raw,format=I420,width=32,height=32 ! tee name=t ! queue ! "
      "c.ref_sink t. ! queue ! c.dist_sink blockdctcompare name=c backend=cpu "
      "view=wipe post-messages=false ! fakesink name=out "
      "signal-handoffs=true", NULL);
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (out, "sink");
  GThread *thread;
  GstBuffer *buffer;
  gboolean stops;

  kept.pipeline = pipeline;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer_pool, NULL,
      NULL);
  g_signal_connect (out, "handoff", G_CALLBACK (keep), kept.kept);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (g_async_queue_length (kept.kept) < POOL_SIZE - 1)
    g_usleep (1000);
  /* The next one waits, soon if not yet. */
  g_usleep (100000);
  thread = g_thread_new ("stop", stop_kept, &kept);
  stops = g_async_queue_timeout_pop (kept.done, 20 * G_USEC_PER_SEC) != NULL;
  while ((buffer = g_async_queue_try_pop (kept.kept)) != NULL)
    gst_buffer_unref (buffer);
  g_thread_join (thread);
  g_async_queue_unref (kept.kept);
  g_async_queue_unref (kept.done);
  g_assert_true (stops);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/compare-flow/matching", test_matching);
  test_add ("/compare-flow/shift", test_shift);
  test_add ("/compare-flow/still", test_still);
  test_add ("/compare-flow/kept", test_kept);
  return test_run ();
}
