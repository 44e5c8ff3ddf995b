/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where blockdct-preview goes in a video: the very frame that is asked for, by
 * its figures. */
#include <string.h>
#include "player-bench.h"

static void
test_step (void)
{
  Player player;

  player_open (&player, player_video);
  player_start_paused (&player);
  for (gint i = 1; i <= 5; i++) {
    g_assert_true (preview_transport_step (player.transport, 1));
    player_wait (&player, i);
    player_settle (&player);
    g_assert_cmpint (player.frame, ==, i);
  }
  for (gint i = 4; i >= 0; i--) {
    g_assert_true (preview_transport_step (player.transport, -1));
    player_wait (&player, i);
    player_settle (&player);
    g_assert_cmpint (player.frame, ==, i);
  }
  g_assert_true (preview_transport_step (player.transport, -1));
  player_settle (&player);
  g_assert_cmpint (player.frame, ==, 0);
  player_close (&player);
}

/* From the middle of a frame, and many at once. */
static void
test_back (void)
{
  Player player;

  player_open (&player, player_video);
  player_start_paused (&player);
  g_assert_true (preview_transport_seek (player.transport, 20.5 * LENGTH));
  player_wait (&player, 20);
  player_settle (&player);
  for (guint i = 0; i < 7; i++)
    g_assert_true (preview_transport_step (player.transport, -1));
  player_wait (&player, 13);
  player_settle (&player);
  g_assert_cmpint (player.frame, ==, 13);
  g_assert_true (preview_transport_step (player.transport, 1));
  player_wait (&player, 14);
  player_close (&player);
}

/* Says that this frame came a second too late, and counts it. */
static GstPadProbeReturn
complain (GstPad * pad, GstPadProbeInfo * info, gpointer n)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);

  g_atomic_int_inc ((gint *) n);
  gst_pad_push_event (pad, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2,
          GST_SECOND, GST_BUFFER_PTS (frame)));
  return GST_PAD_PROBE_OK;
}

/* Who is late skips frames before they are transformed, not after that. */
static void
test_late (void)
{
  GstElement *sink;
  gint n_shown = 0;
  guint n_made = 0;
  Player player;
  GstPad *pad;

  player_open (&player, player_video);
  sink = gst_bin_get_by_name (GST_BIN (player.pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, complain, &n_shown, NULL);
  preview_transport_set_paused (player.transport, FALSE);
  while (player.n_ends == 0) {
    GstMessage *message = gst_bus_timed_pop (player.bus, 20 * GST_SECOND);

    g_assert_nonnull (message);
    player.frame = -1;
    player_take (&player, message);
    n_made += player.frame >= 0;
    gst_message_unref (message);
  }
  g_assert_cmpint (g_atomic_int_get (&n_shown), ==, n_made);
  g_assert_cmpuint (n_made, >, 0);
  gst_object_unref (pad);
  gst_object_unref (sink);
  player_close (&player);
}

/* Of ten thousand the last one counts. */
static void
test_drag (void)
{
  GstClockTime position, duration;
  Player player;

  player_open (&player, player_video);
  player_start_paused (&player);
  g_assert_true (preview_transport_get_time (player.transport, &position,
          &duration));
  g_assert_cmpuint (position, ==, 0);
  g_assert_cmpuint (duration / GST_MSECOND, ==, 1000 * N_FRAMES / 30);
  for (guint i = 0; i <= 10000; i++)
    preview_transport_seek (player.transport, (10000 - i) * (duration / 10000)
        / 2 + 7.5 * LENGTH);
  player_wait (&player, 7);
  player_settle (&player);
  g_assert_cmpint (player.frame, ==, 7);
  player_close (&player);
}

/* Both ends are in it, and then comes its start. */
static void
test_range (void)
{
  GstClockTime from, to;
  Player player;

  player_open (&player, player_video);
  player_start_paused (&player);
  preview_transport_seek (player.transport, 30.5 * LENGTH);
  player_wait (&player, 30);
  player_settle (&player);
  g_assert_true (preview_transport_mark (player.transport));
  preview_transport_seek (player.transport, 25.5 * LENGTH);
  player_wait (&player, 25);
  player_settle (&player);
  g_assert_true (preview_transport_mark (player.transport));
  preview_transport_get_range (player.transport, &from, &to);
  g_assert_cmpuint (from, ==, (guint64) (25.5 * LENGTH));
  g_assert_cmpuint (to, >=, 31 * LENGTH);
  preview_transport_set_paused (player.transport, FALSE);
  for (guint i = 1; i <= 3; i++) {
    while (player.n_ends < i) {
      GstMessage *message = gst_bus_timed_pop (player.bus, 20 * GST_SECOND);

      g_assert_nonnull (message);
      player_take (&player, message);
      g_assert_cmpint (player.frame, >=, 25);
      g_assert_cmpint (player.frame, <=, 31);
      gst_message_unref (message);
    }
    g_assert_cmpint (player.frame, >=, 30);
    preview_transport_rewind (player.transport);
    player_wait (&player, 25);
  }
  preview_transport_mark (player.transport);
  player_wait (&player, N_FRAMES - 1);
  player_close (&player);
}

/* A picture stays, and cannot be gone through. */
static void
test_still (void)
{
  Player player;

  player_open (&player, player_still);
  preview_transport_set_paused (player.transport, FALSE);
  player_wait (&player, 0);
  player_settle (&player);
  g_assert_cmpuint (player.n_ends, ==, 1);
  preview_transport_rewind (player.transport);
  g_assert_true (preview_transport_stays (player.transport));
  g_assert_false (preview_transport_moves (player.transport));
  g_assert_false (preview_transport_mark (player.transport));
  player_close (&player);
}

/* Another file in the same window, as often as it is asked for. */
static void
test_open (void)
{
  GError *error = NULL;
  Player player;

  player_open (&player, player_still);
  preview_transport_set_paused (player.transport, FALSE);
  player_wait (&player, 0);
  player_settle (&player);
  g_assert_false (preview_pipeline_open (player.pipeline, &(PreviewOptions) {
          .camera = FALSE,.pattern = "none"}, &error));
  g_assert_nonnull (strstr (error->message, "no test pattern 'none'"));
  g_clear_error (&error);
  g_assert_false (preview_transport_is_paused (player.transport));
  for (guint i = 0; i < 3; i++) {
    player.options.file = i % 2 == 0 ? player_video : player_still;
    g_assert_true (preview_pipeline_open (player.pipeline, &player.options,
            &error));
    preview_transport_reset (player.transport);
    player.frame = -1;
    preview_transport_set_paused (player.transport, FALSE);
    player_wait (&player, i % 2 == 0 ? N_FRAMES - 1 : 0);
    player_settle (&player);
    g_assert_cmpint (preview_transport_moves (player.transport), ==,
        i % 2 == 0);
  }
  player_close (&player);
}

int
main (int argc, char **argv)
{
  if (!player_begin (&argc, &argv))
    return 77;
  g_test_add_func ("/player/step", test_step);
  g_test_add_func ("/player/back", test_back);
  g_test_add_func ("/player/late", test_late);
  g_test_add_func ("/player/drag", test_drag);
  g_test_add_func ("/player/range", test_range);
  g_test_add_func ("/player/still", test_still);
  g_test_add_func ("/player/open", test_open);
  return player_end ();
}
