/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "player-bench.h"
#include "parts.h"

#include <glib/gstdio.h>

#define LIMIT (2 * G_TIME_SPAN_MINUTE)

gchar *player_folder, *player_video, *player_still;

static gboolean
make (const gchar * description, const gchar * file)
{
  gchar *all = g_strdup_printf ("%s ! filesink location=%s", description, file);
  g_autoptr (GstElement) pipeline = gst_parse_launch_full (all, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstMessage *message;
  gboolean ok = FALSE;
  g_autoptr (GstBus) bus = NULL;

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

static void
take_figures (Player * player, const GstStructure * figures)
{
  guint64 place;

  if (gst_structure_get_uint64 (figures, "stream-time", &place))
    player->frame = (place + GST_MSECOND) / LENGTH;
  player->n_frames++;
  g_clear_pointer (&player->figures, gst_structure_free);
  player->figures = gst_structure_copy (figures);
}

static void
take_end (Player * player, const gchar * text)
{
  if (text != NULL)
    g_error ("%s", text);
  player->ended = TRUE;
}

static void
set_up (Player * player, gconstpointer data)
{
  const PlayerTest *test = data;
  GError *error = NULL;

  player->options.file = *test->file;
  player->options.ends = test->output == PREVIEW_FILES;
  player->frame = -1;
  player->session = preview_session_new (&player->options, test->output,
      &error);
  g_assert_no_error (error);
  g_signal_connect_swapped (player->session, "figures",
      G_CALLBACK (take_figures), player);
  g_signal_connect_swapped (player->session, "ended", G_CALLBACK (take_end),
      player);
}

static void
run (Player * player, gconstpointer data)
{
  ((const PlayerTest *) data)->run (player);
}

static void
tear_down (Player * player, gconstpointer data)
{
  (void) data;
  preview_session_stop (player->session);
  g_object_unref (player->session);
  g_clear_pointer (&player->figures, gst_structure_free);
}

gint
player_run (int argc, char **argv, const PlayerTest * tests, guint n)
{
  gint status = 77;

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  player_folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_assert_nonnull (player_folder);
  player_video = g_build_filename (player_folder, "video.mkv", NULL);
  player_still = g_build_filename (player_folder, "still.jpg", NULL);
  for (guint i = 0; i < n; i++)
    g_test_add (tests[i].path, Player, &tests[i], set_up, run, tear_down);
  if (make ("videotestsrc pattern=ball num-buffers=" G_STRINGIFY (N_FRAMES)
          " ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! "
          "jpegenc ! matroskamux", player_video)
      && make ("videotestsrc num-buffers=1 ! jpegenc", player_still))
    status = g_test_run ();
  else
    g_print ("SKIPPED: no jpegenc and matroskamux "
        "(gstreamer1.0-plugins-good)\n");
  remove_files ();
  return status;
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

gdouble
player_wait_for_b (Player * player, const gchar * line)
{
  gint64 end = g_get_monotonic_time () + LIMIT;
  gdouble psnr;

  for (;;) {
    const GstStructure *s = player->figures;

    if (s != NULL && gst_structure_get_double (s, "b-psnr", &psnr)
        && g_strcmp0 (gst_structure_get_string (s, "b-encoder"), line) == 0)
      return psnr;
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
    if (g_get_monotonic_time () > end)
      g_error ("B is not of '%s'", line != NULL ? line : "the transform");
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
player_rest (Player * player, gint frame)
{
  player_wait (player, frame);
  player_settle (player);
  g_assert_cmpint (player->frame, ==, frame);
}

void
player_seek (Player * player, GstClockTime place, gint frame)
{
  g_assert_true (preview_session_seek (player->session, place));
  player_rest (player, frame);
}

void
player_start_paused (Player * player)
{
  preview_session_set_paused (player->session, TRUE);
  preview_session_start (player->session);
  player_rest (player, 0);
}
