/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: which frames meet, what is said where inputs do not fit, and
 * seeks, live sources and states. */
#include <string.h>
#include "duel.h"

/* Frame `n` at the time of `at`; one sample in eight differs by `bits`. */
static GstBuffer *
similar_new (const GstVideoInfo * info, guint n, guint at, guint8 bits)
{
  GstBuffer *buffer = frame_new (info, n);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i += 8)
    map.data[i] ^= bits;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = at * FRAME;
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

TEST ("/compare-flow/matching", test_matching)
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
TEST ("/compare-flow/shift", test_shift)
{
  for (gint shift = -2; shift <= 3; shift++) {
    /* A short stream is enough. */
    const gint n = shift % 2 ? 20 : 60;
    g_autofree gchar *wanted = g_strdup_printf ("offset=%d fits better", shift);
    GstVideoInfo info;
    g_auto (Duel) duel;

    duel_open (&duel, &info, "I420", 64, 64, 2, "");
    for (gint i = 0; i < n; i++)
      duel_push_pair (&duel, similar_new (&info, i + 3, i, 0),
          similar_new (&info, i + 3 - shift, i, 1));
    duel_end_all (&duel);
    duel_drain (&duel);
    if (shift != 0)
      text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), wanted, NULL);
  }
}

/* Of a still, earlier frames of a picture that gets worse are better, and yet
 * not shifted. */
TEST ("/compare-flow/still", test_still)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", 64, 64, 2, "");
  for (gint i = 0; i < 60; i++)
    duel_push_pair (&duel, similar_new (&info, 3, i, 0),
        similar_new (&info, 3, i, 1 << MIN (i / 5, 7)));
  duel_end_all (&duel);
  duel_drain (&duel);
}

/* It stops while all buffers of the pool that it draws into are elsewhere. */
TEST ("/compare-flow/kept", test_kept)
{
  Offer offer = { gst_video_buffer_pool_new (), 0, 100 };
  g_autoptr (GstPad) pad;
  GstBuffer *kept[100];
  g_auto (Duel) duel;

  duel_launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=32,"
      "height=32 ! tee name=t ! queue ! compare.ref_sink t. ! queue ! "
      "compare.dist_sink blockdctcompare name=compare backend=cpu view=wipe "
      "post-messages=false ! appsink name=out sync=false");
  pad = gst_element_get_static_pad (duel.sink, "sink");
  offer_pool (pad, &offer);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    kept[i] = duel_pull (&duel);
    g_assert_true (kept[i]->pool == offer.pool);
  }
  /* The next one waits, soon if not yet. */
  g_usleep (100000);
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    gst_buffer_unref (kept[i]);
  gst_object_unref (offer.pool);
}
