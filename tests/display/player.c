/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where blockdct-preview goes in a video: the very frame that is asked for, by
 * its figures. Needs no display. Exit status 77, skipped, without what writes
 * the video. */
#include <glib/gstdio.h>
#include <string.h>
#include "pipeline.h"
#include "transport.h"

#define N_FRAMES 60
#define LIMIT (20 * G_TIME_SPAN_SECOND)
/* Matroska has whole milliseconds. */
#define LENGTH (GST_SECOND / 30)

static gchar *folder, *video, *still;

typedef struct
{
  PreviewOptions options;
  GstElement *pipeline, *dct;
  PreviewTransport *transport;
  GstBus *bus;
  gint frame;                   /* the last one that came out; -1: none */
  guint n_ends;                 /* GST_MESSAGE_EOS */
} Player;

static void
open_player (Player * player, gchar * file)
{
  GError *error = NULL;

  *player = (Player) {.options = {.file = file}, .frame = -1 };
  player->pipeline = preview_pipeline_new (&player->options,
      gst_element_factory_make ("fakesink", "sink"), &player->dct, &error);
  g_assert_no_error (error);
  g_object_set (player->dct, "keep-frame", TRUE, NULL);
  player->transport = preview_transport_new (player->pipeline);
  player->bus = gst_element_get_bus (player->pipeline);
}

static void
close_player (Player * player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  preview_transport_free (player->transport);
  gst_object_unref (player->bus);
  gst_object_unref (player->pipeline);
}

static void
take (Player * player, GstMessage * message)
{
  const GstStructure *s = gst_message_get_structure (message);
  guint64 place;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_error ("%" GST_PTR_FORMAT, message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    player->n_ends++;
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_DONE)
    preview_transport_arrive (player->transport);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT
      || !gst_structure_has_name (s, "blockdct"))
    return;
  preview_transport_take_figures (player->transport, s);
  if (g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0
      && gst_structure_get_uint64 (s, "stream-time", &place))
    player->frame = (place + GST_MSECOND) / LENGTH;
}

/* What the main loop of the program does, until a frame is this one. */
static void
wait_frame (Player * player, gint frame)
{
  gint64 end = g_get_monotonic_time () + LIMIT;

  while (player->frame != frame) {
    GstMessage *message = gst_bus_timed_pop (player->bus, GST_SECOND / 10);

    if (message != NULL) {
      take (player, message);
      gst_message_unref (message);
    }
    if (g_get_monotonic_time () > end)
      g_error ("frame %d, not %d", player->frame, frame);
  }
}

/* Nothing else comes. */
static void
settle (Player * player)
{
  GstMessage *message;

  while ((message = gst_bus_timed_pop (player->bus, GST_SECOND / 5)) != NULL) {
    take (player, message);
    gst_message_unref (message);
  }
}

static void
start_paused (Player * player)
{
  preview_transport_set_paused (player->transport, TRUE);
  wait_frame (player, 0);
  settle (player);
}

static void
test_step (void)
{
  Player player;

  open_player (&player, video);
  start_paused (&player);
  for (gint i = 1; i <= 5; i++) {
    g_assert_true (preview_transport_step (player.transport, 1));
    wait_frame (&player, i);
    settle (&player);
    g_assert_cmpint (player.frame, ==, i);
  }
  for (gint i = 4; i >= 0; i--) {
    g_assert_true (preview_transport_step (player.transport, -1));
    wait_frame (&player, i);
    settle (&player);
    g_assert_cmpint (player.frame, ==, i);
  }
  g_assert_true (preview_transport_step (player.transport, -1));
  settle (&player);
  g_assert_cmpint (player.frame, ==, 0);
  close_player (&player);
}

/* From the middle of a frame, and many at once. */
static void
test_back (void)
{
  Player player;

  open_player (&player, video);
  start_paused (&player);
  g_assert_true (preview_transport_seek (player.transport, 20.5 * LENGTH));
  wait_frame (&player, 20);
  settle (&player);
  for (guint i = 0; i < 7; i++)
    g_assert_true (preview_transport_step (player.transport, -1));
  wait_frame (&player, 13);
  settle (&player);
  g_assert_cmpint (player.frame, ==, 13);
  g_assert_true (preview_transport_step (player.transport, 1));
  wait_frame (&player, 14);
  close_player (&player);
}

/* Of ten thousand the last one counts. */
static void
test_drag (void)
{
  GstClockTime position, duration;
  Player player;

  open_player (&player, video);
  start_paused (&player);
  g_assert_true (preview_transport_get_time (player.transport, &position,
          &duration));
  g_assert_cmpuint (position, ==, 0);
  g_assert_cmpuint (duration / GST_MSECOND, ==, 1000 * N_FRAMES / 30);
  for (guint i = 0; i <= 10000; i++)
    preview_transport_seek (player.transport, (10000 - i) * (duration / 10000)
        / 2 + 7.5 * LENGTH);
  wait_frame (&player, 7);
  settle (&player);
  g_assert_cmpint (player.frame, ==, 7);
  close_player (&player);
}

/* Both ends are in it, and then comes its start. */
static void
test_range (void)
{
  GstClockTime from, to;
  Player player;

  open_player (&player, video);
  start_paused (&player);
  preview_transport_seek (player.transport, 30.5 * LENGTH);
  wait_frame (&player, 30);
  settle (&player);
  g_assert_true (preview_transport_mark (player.transport));
  preview_transport_seek (player.transport, 25.5 * LENGTH);
  wait_frame (&player, 25);
  settle (&player);
  g_assert_true (preview_transport_mark (player.transport));
  preview_transport_get_range (player.transport, &from, &to);
  g_assert_cmpuint (from, ==, (guint64) (25.5 * LENGTH));
  g_assert_cmpuint (to, >=, 31 * LENGTH);
  preview_transport_set_paused (player.transport, FALSE);
  for (guint i = 1; i <= 3; i++) {
    while (player.n_ends < i) {
      GstMessage *message = gst_bus_timed_pop (player.bus, 20 * GST_SECOND);

      g_assert_nonnull (message);
      take (&player, message);
      g_assert_cmpint (player.frame, >=, 25);
      g_assert_cmpint (player.frame, <=, 31);
      gst_message_unref (message);
    }
    g_assert_cmpint (player.frame, >=, 30);
    preview_transport_rewind (player.transport);
    wait_frame (&player, 25);
  }
  preview_transport_mark (player.transport);
  wait_frame (&player, N_FRAMES - 1);
  close_player (&player);
}

/* A picture stays, and cannot be gone through. */
static void
test_still (void)
{
  Player player;

  open_player (&player, still);
  preview_transport_set_paused (player.transport, FALSE);
  wait_frame (&player, 0);
  settle (&player);
  g_assert_cmpuint (player.n_ends, ==, 1);
  preview_transport_rewind (player.transport);
  g_assert_true (preview_transport_stays (player.transport));
  g_assert_false (preview_transport_moves (player.transport));
  g_assert_false (preview_transport_mark (player.transport));
  close_player (&player);
}

/* Another file in the same window, as often as it is asked for. */
static void
test_open (void)
{
  GError *error = NULL;
  Player player;

  open_player (&player, still);
  preview_transport_set_paused (player.transport, FALSE);
  wait_frame (&player, 0);
  settle (&player);
  g_assert_false (preview_pipeline_open (player.pipeline, &(PreviewOptions) {
          .camera = FALSE,.pattern = "none"}, &error));
  g_assert_nonnull (strstr (error->message, "no test pattern 'none'"));
  g_clear_error (&error);
  g_assert_false (preview_transport_is_paused (player.transport));
  for (guint i = 0; i < 3; i++) {
    player.options.file = i % 2 == 0 ? video : still;
    g_assert_true (preview_pipeline_open (player.pipeline, &player.options,
            &error));
    preview_transport_reset (player.transport);
    player.frame = -1;
    preview_transport_set_paused (player.transport, FALSE);
    wait_frame (&player, i % 2 == 0 ? N_FRAMES - 1 : 0);
    settle (&player);
    g_assert_cmpint (preview_transport_moves (player.transport), ==,
        i % 2 == 0);
  }
  close_player (&player);
}

static gboolean
make (const gchar * description, const gchar * file)
{
  gchar *all = g_strdup_printf ("%s ! filesink location=%s", description, file);
  GstElement *pipeline = gst_parse_launch_full (all, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstMessage *message;
  gboolean ok = FALSE;
  GstBus *bus;

  g_free (all);
  if (pipeline == NULL)
    return FALSE;
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  ok = message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  g_clear_pointer (&message, gst_message_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return ok;
}

int
main (int argc, char **argv)
{
  gint status;

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_assert_nonnull (folder);
  video = g_build_filename (folder, "video.mkv", NULL);
  still = g_build_filename (folder, "still.jpg", NULL);
  if (!make ("videotestsrc num-buffers=60 pattern=ball ! video/x-raw,"
          "format=I420,width=64,height=48,framerate=30/1 ! jpegenc ! "
          "matroskamux", video)
      || !make ("videotestsrc num-buffers=1 ! jpegenc", still)) {
    g_print ("SKIPPED: no jpegenc and matroskamux "
        "(gstreamer1.0-plugins-good)\n");
    return 77;
  }
  g_test_add_func ("/player/step", test_step);
  g_test_add_func ("/player/back", test_back);
  g_test_add_func ("/player/drag", test_drag);
  g_test_add_func ("/player/range", test_range);
  g_test_add_func ("/player/still", test_still);
  g_test_add_func ("/player/open", test_open);
  status = g_test_run ();
  g_unlink (video);
  g_unlink (still);
  g_rmdir (folder);
  g_free (video);
  g_free (still);
  g_free (folder);
  return status;
}
