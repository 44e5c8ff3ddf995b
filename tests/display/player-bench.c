/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "player-bench.h"

#include <glib/gstdio.h>

#define LIMIT (20 * G_TIME_SPAN_SECOND)

gchar *player_folder, *player_video, *player_still;

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

static void
remove_files (void)
{
  g_unlink (player_video);
  g_unlink (player_still);
  g_rmdir (player_folder);
  g_free (player_video);
  g_free (player_still);
  g_free (player_folder);
}

gboolean
player_begin (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  gst_init (argc, argv);
  player_folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_assert_nonnull (player_folder);
  player_video = g_build_filename (player_folder, "video.mkv", NULL);
  player_still = g_build_filename (player_folder, "still.jpg", NULL);
  if (make ("videotestsrc pattern=ball num-buffers=" G_STRINGIFY (N_FRAMES)
          " ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! "
          "jpegenc ! matroskamux", player_video)
      && make ("videotestsrc num-buffers=1 ! jpegenc", player_still))
    return TRUE;
  g_print ("SKIPPED: no jpegenc and matroskamux (gstreamer1.0-plugins-good)\n");
  remove_files ();
  return FALSE;
}

gint
player_end (void)
{
  gint status = g_test_run ();

  remove_files ();
  return status;
}

static void
take_figures (Player * player, const GstStructure * figures)
{
  guint64 place;

  if (gst_structure_get_uint64 (figures, "stream-time", &place))
    player->frame = (place + GST_MSECOND) / LENGTH;
  player->n_frames++;
}

static void
take_end (Player * player, const gchar * text)
{
  if (text != NULL)
    g_error ("%s", text);
  player->ended = TRUE;
}

void
player_open (Player * player, gchar * file, gboolean ends)
{
  GError *error = NULL;

  *player = (Player) {.options = {.file = file,.ends = ends}, .frame = -1 };
  player->session = preview_session_new (&player->options, PREVIEW_PAGE,
      &error);
  g_assert_no_error (error);
  g_signal_connect_swapped (player->session, "figures",
      G_CALLBACK (take_figures), player);
  g_signal_connect_swapped (player->session, "ended", G_CALLBACK (take_end),
      player);
}

void
player_close (Player * player)
{
  preview_session_stop (player->session);
  g_object_unref (player->session);
}

void
player_set (Player * player, const gchar * pair)
{
  GError *error = NULL;

  preview_session_set_text (player->session, pair, &error);
  g_assert_no_error (error);
}

void
player_wait (Player * player, gint frame)
{
  gint64 end = g_get_monotonic_time () + LIMIT;

  while (player->frame != frame) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
    if (g_get_monotonic_time () > end)
      g_error ("frame %d, not %d", player->frame, frame);
  }
}

void
player_settle (Player * player)
{
  gint64 last = g_get_monotonic_time ();

  (void) player;
  while (g_get_monotonic_time () < last + G_TIME_SPAN_SECOND / 5) {
    if (g_main_context_iteration (NULL, FALSE))
      last = g_get_monotonic_time ();
    else
      g_usleep (1000);
  }
}

void
player_start_paused (Player * player)
{
  preview_session_set_paused (player->session, TRUE);
  preview_session_start (player->session);
  player_wait (player, 0);
  player_settle (player);
}
