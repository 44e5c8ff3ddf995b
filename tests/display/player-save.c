/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blockdct-preview makes of the frame that is seen: once more, with other
 * settings, and as files. */
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <string.h>
#include "frames.h"
#include "lab.h"
#include "player-bench.h"
#include "save.h"

/* A frame once more: to the last digit, and also where others went in since. */
static void
test_lab (void)
{
  static const gchar *const changes[] = { "view=reconstruction",
    "curve=<20,40>", "rate=true", NULL
  };
  GstStructure *figures = NULL, *curve = NULL;
  gdouble psnr, again, bpp;
  GstSample *frame, *out;
  PreviewFrames *frames;
  GError *error = NULL;
  const GValue *array;
  Player player;

  player_open (&player, player_video);
  gst_util_set_object_arg (G_OBJECT (player.dct), "transform", "hevc-8x8");
  g_object_set (player.dct, "qp", 40, "async-depth", 4, NULL);
  frames = preview_frames_new (player.dct);
  player_start_paused (&player);
  preview_transport_step (player.transport, 1);
  player_wait (&player, 1);
  player_settle (&player);
  frame = preview_frames_get (frames);
  g_assert_nonnull (frame);
  g_assert_cmpuint (GST_BUFFER_PTS (gst_sample_get_buffer (frame))
      / GST_MSECOND, ==, 33);
  out = preview_lab_run (player.dct, frame, changes, &figures, &curve, &error);
  g_assert_no_error (error);
  g_assert_nonnull (out);
  g_assert_true (gst_structure_get_double (figures, "psnr", &psnr));
  g_assert_true (gst_structure_get_double (figures, "bpp", &bpp));
  array = gst_structure_get_value (curve, "psnr");
  g_assert_cmpuint (gst_value_array_get_size (array), ==, 2);
  again = g_value_get_double (gst_value_array_get_value (array, 1));
  g_assert_cmpfloat (again, ==, psnr);
  g_assert_cmpfloat (again, <, g_value_get_double (gst_value_array_get_value
          (array, 0)));
  gst_sample_unref (out);
  gst_structure_free (figures);
  gst_structure_free (curve);
  g_assert_null (preview_lab_run (player.dct, frame, (const gchar *[]) {
          "qp=99", NULL}, NULL, NULL, &error));
  g_assert_nonnull (error);
  g_error_free (error);
  gst_sample_unref (frame);
  preview_frames_free (frames);
  player_close (&player);
}

static GBytes *
save (GstElement * dct, GstSample * frame, PreviewSave what)
{
  gchar *path = g_build_filename (player_folder, "saved.png", NULL);
  GError *error = NULL;
  gchar *data;
  gsize size;

  g_assert_true (preview_save (dct, frame, what, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_true (size > 100 && memcmp (data, "\211PNG", 4) == 0);
  g_unlink (path);
  g_free (path);
  return g_bytes_new_take (data, size);
}

/* All three differ; with a view they are what they are called. */
static void
test_save (void)
{
  GBytes *view, *original, *reconstruction;
  PreviewFrames *frames;
  GError *error = NULL;
  GstSample *frame;
  Player player;

  player_open (&player, player_still);
  g_object_set (player.dct, "quality", 5, "grid", TRUE, NULL);
  frames = preview_frames_new (player.dct);
  player_start_paused (&player);
  frame = preview_frames_get (frames);
  view = save (player.dct, frame, PREVIEW_SAVE_VIEW);
  original = save (player.dct, frame, PREVIEW_SAVE_ORIGINAL);
  reconstruction = save (player.dct, frame, PREVIEW_SAVE_A);
  g_assert_false (g_bytes_equal (view, original));
  g_assert_false (g_bytes_equal (view, reconstruction));
  g_assert_false (g_bytes_equal (original, reconstruction));
  g_bytes_unref (view);
  g_object_set (player.dct, "grid", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (player.dct), "view", "original");
  view = save (player.dct, frame, PREVIEW_SAVE_VIEW);
  g_assert_true (g_bytes_equal (view, original));
  g_assert_false (preview_save (player.dct, frame, PREVIEW_SAVE_VIEW,
          "/nowhere/x.png", &error));
  g_assert_nonnull (error);
  g_error_free (error);
  g_bytes_unref (view);
  g_bytes_unref (original);
  g_bytes_unref (reconstruction);
  gst_sample_unref (frame);
  preview_frames_free (frames);
  player_close (&player);
}

/* A file's R, G and B, and nothing else of it. */
static GstVideoFrame *
decode (GBytes * png)
{
  GstElement *pipeline = gst_parse_launch ("appsrc name=src ! pngdec ! "
      "videoconvert ! video/x-raw,format=RGB ! appsink name=sink", NULL);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstVideoFrame *frame = g_new0 (GstVideoFrame, 1);
  GstVideoInfo info;
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (src), gst_buffer_new_wrapped_bytes
      (png));
  gst_app_src_end_of_stream (GST_APP_SRC (src));
  sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  g_assert_nonnull (sample);
  g_assert_true (gst_video_info_from_caps (&info, gst_sample_get_caps
          (sample)));
  g_assert_true (gst_video_frame_map (frame, &info, gst_sample_get_buffer
          (sample), GST_MAP_READ));
  gst_sample_unref (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return frame;
}

static void
free_frame (GstVideoFrame * frame)
{
  gst_video_frame_unmap (frame);
  g_free (frame);
}

static GstVideoFrame *
save_frame (GstElement * dct, GstSample * frame, PreviewSave what)
{
  GBytes *png = save (dct, frame, what);
  GstVideoFrame *decoded = decode (png);

  g_bytes_unref (png);
  return decoded;
}

/* Pixel (x, y) of the one is (x / zoom + left, y / zoom + top) of the other. */
static void
assert_zoomed (const GstVideoFrame * zoomed, const GstVideoFrame * of,
    gint zoom, gint left, gint top)
{
  gint width = GST_VIDEO_FRAME_WIDTH (of), height = GST_VIDEO_FRAME_HEIGHT (of);

  g_assert_cmpint (GST_VIDEO_FRAME_WIDTH (zoomed), ==, width);
  g_assert_cmpint (GST_VIDEO_FRAME_HEIGHT (zoomed), ==, height);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++) {
      const guint8 *a = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (zoomed, 0)
          + y * GST_VIDEO_FRAME_PLANE_STRIDE (zoomed, 0) + 3 * x;
      const guint8 *b = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (of, 0)
          + (y / zoom + top) * GST_VIDEO_FRAME_PLANE_STRIDE (of, 0)
          + 3 * (x / zoom + left);

      if (memcmp (a, b, 3) != 0)
        g_error ("(%d, %d): %d %d %d, not %d %d %d", x, y, a[0], a[1], a[2],
            b[0], b[1], b[2]);
    }
}

/* The view as it is seen; A, B and the original whole, whatever is seen. */
static void
test_save_zoomed (void)
{
  static const PreviewSave whole[] = { PREVIEW_SAVE_A, PREVIEW_SAVE_B,
    PREVIEW_SAVE_ORIGINAL
  };
  static const gchar *const views[] = { "reconstruction", "reconstruction-b",
    "original"
  };
  PreviewFrames *frames;
  GstVideoFrame *plain[3];
  GError *error = NULL;
  GstSample *frame;
  Player player;

  player_open (&player, player_still);
  g_object_set (player.dct, "quality", 5, NULL);
  frames = preview_frames_new (player.dct);
  player_start_paused (&player);
  frame = preview_frames_get (frames);
  g_assert_false (preview_save (player.dct, frame, PREVIEW_SAVE_B, "b.png",
          &error));
  g_assert_nonnull (strstr (error->message, "no B"));
  g_error_free (error);
  gst_util_set_object_arg (G_OBJECT (player.dct), "b-transform", "hevc-16x16");
  g_object_set (player.dct, "b-qp", 45, NULL);
  for (guint i = 0; i < 3; i++)
    plain[i] = save_frame (player.dct, frame, whole[i]);
  g_object_set (player.dct, "zoom", 4.0, "zoom-x", 1.0, "zoom-y", 0.0, NULL);
  for (guint i = 0; i < 3; i++) {
    GstVideoFrame *again = save_frame (player.dct, frame, whole[i]), *view;
    gint width = GST_VIDEO_FRAME_WIDTH (again);

    assert_zoomed (again, plain[i], 1, 0, 0);
    gst_util_set_object_arg (G_OBJECT (player.dct), "view", views[i]);
    view = save_frame (player.dct, frame, PREVIEW_SAVE_VIEW);
    assert_zoomed (view, plain[i], 4, width - width / 4, 0);
    free_frame (again);
    free_frame (view);
  }
  for (guint i = 0; i < 3; i++)
    free_frame (plain[i]);
  gst_sample_unref (frame);
  preview_frames_free (frames);
  player_close (&player);
}

int
main (int argc, char **argv)
{
  if (!player_begin (&argc, &argv))
    return 77;
  g_test_add_func ("/player-save/lab", test_lab);
  g_test_add_func ("/player-save/save", test_save);
  g_test_add_func ("/player-save/save-zoomed", test_save_zoomed);
  return player_end ();
}
