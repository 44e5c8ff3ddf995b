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

void
player_open (Player * player, gchar * file)
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

void
player_close (Player * player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  preview_transport_free (player->transport);
  gst_object_unref (player->bus);
  gst_object_unref (player->pipeline);
}

void
player_take (Player * player, GstMessage * message)
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

void
player_wait (Player * player, gint frame)
{
  gint64 end = g_get_monotonic_time () + LIMIT;

  while (player->frame != frame) {
    GstMessage *message = gst_bus_timed_pop (player->bus, GST_SECOND / 10);

    if (message != NULL) {
      player_take (player, message);
      gst_message_unref (message);
    }
    if (g_get_monotonic_time () > end)
      g_error ("frame %d, not %d", player->frame, frame);
  }
}

void
player_settle (Player * player)
{
  GstMessage *message;

  while ((message = gst_bus_timed_pop (player->bus, GST_SECOND / 5)) != NULL) {
    player_take (player, message);
    gst_message_unref (message);
  }
}

void
player_start_paused (Player * player)
{
  preview_transport_set_paused (player->transport, TRUE);
  player_wait (player, 0);
  player_settle (player);
}
