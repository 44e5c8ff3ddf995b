/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blockdct-preview makes of the frame that is seen: once more, with other
 * settings, and as files. */
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <string.h>
#include "server.h"
#include "parts.h"
#include "player-bench.h"

static GBytes *
save (Player * player, GstSample * frame, PreviewSave what)
{
  GError *error = NULL;
  GBytes *png = preview_session_save (player->session, frame, what, &error);
  gsize size;
  const gchar *data = g_bytes_get_data (png, &size);

  g_assert_no_error (error);
  g_assert_true (size > 100 && memcmp (data, "\211PNG", 4) == 0);
  return png;
}

/* A frame of odd sizes, whose rows are padded. */
static GstSample *
make_frame (const gchar * format)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 "
      "pattern=smpte100 ! video/x-raw,format=%s,width=97,height=65 ! "
      "appsink name=sink", format);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return sample;
}

/* The samples of a component where WebCodecs has them. */
static void
check_component (const GstVideoFrame * frame, guint component,
    const guint8 * data, gsize step)
{
  const gint width = GST_VIDEO_FRAME_COMP_WIDTH (frame, component);

  for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (frame, component); y++)
    for (gint x = 0; x < width; x++)
      g_assert_cmpint (data[step * (y * width + x)], ==, ((guint8 *)
              GST_VIDEO_FRAME_COMP_DATA (frame, component))[y
              * GST_VIDEO_FRAME_COMP_STRIDE (frame, component)
              + x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component)]);
}

static void
test_planes (Player * player)
{
  static const struct
  {
    const gchar *format, *name;
    gsize chroma, step;         /* samples of U, bytes between two of them */
  } rows[] = {
    {"I420", "I420", 49 * 33, 1}, {"NV12", "NV12", 49 * 33, 2},
    {"Y42B", "I422", 49 * 65, 1}, {"Y444", "I444", 97 * 65, 1},
    {"I420_10LE", "RGBX", 0, 0}, {"GRAY8", "RGBX", 0, 0},
  };
  PreviewEncoder *encoder = preview_encoder_new (NULL);
  PreviewPicture picture = { 0 };
  GError *error = NULL;

  (void) player;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstSample) sample = make_frame (rows[i].format);
    const gsize n = rows[i].chroma;
    GstVideoFrame frame;
    GstVideoInfo info;
    const guint8 *data;
    gsize size;

    g_assert_true (preview_encoder_run (encoder, sample, PREVIEW_PLANES,
            FALSE, &picture, &error));
    g_assert_cmpstr (picture.format, ==, rows[i].name);
    data = g_bytes_get_data (picture.file, &size);
    g_assert_cmpuint (size, ==, n > 0 ? 97 * 65 + 2 * n : 4 * 97 * 65);
    if (n == 0)
      continue;
    gst_video_info_from_caps (&info, gst_sample_get_caps (sample));
    g_assert_true (gst_video_frame_map (&frame, &info,
            gst_sample_get_buffer (sample), GST_MAP_READ));
    check_component (&frame, 0, data, 1);
    check_component (&frame, 1, data + 97 * 65, rows[i].step);
    check_component (&frame, 2, data + 97 * 65 + (rows[i].step == 2 ? 1 : n),
        rows[i].step);
    gst_video_frame_unmap (&frame);
  }
  g_bytes_unref (picture.file);
  preview_encoder_free (encoder);
}

/* A file's R, G and B, and nothing else of it. */
static GstVideoFrame *
decode (GBytes * png)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch
      ("appsrc name=src ! pngdec ! "
      "videoconvert ! video/x-raw,format=RGB ! appsink name=sink", NULL);
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
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
  return frame;
}

static void
free_frame (GstVideoFrame * frame)
{
  gst_video_frame_unmap (frame);
  g_free (frame);
}

static GstVideoFrame *
save_frame (Player * player, GstSample * frame, PreviewSave what)
{
  g_autoptr (GBytes) png = save (player, frame, what);
  GstVideoFrame *decoded = decode (png);

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
test_save_zoomed (Player * player)
{
  static const PreviewSave whole[] = { PREVIEW_SAVE_A, PREVIEW_SAVE_B,
    PREVIEW_SAVE_ORIGINAL
  };
  static const gchar *const sides[] = { "right=a", "right=b",
    "right=original"
  };
  GstVideoFrame *plain[3];
  GError *error = NULL;
  g_autoptr (GstSample) frame = NULL;

  player_set (player, "quality=5");
  player_set (player, "wipe-position=0");
  player_start_paused (player);
  frame = preview_session_get_original (player->session);
  g_assert_null (preview_session_save (player->session, frame, PREVIEW_SAVE_B,
          &error));
  g_assert_nonnull (strstr (error->message, "no B"));
  g_error_free (error);
  player_set (player, "b::transform=hevc-16x16");
  player_set (player, "b::qp=45");
  player_set (player, "left=b");
  for (guint i = 0; i < 3; i++)
    plain[i] = save_frame (player, frame, whole[i]);
  player_set (player, "zoom=4");
  player_set (player, "zoom-x=1");
  player_set (player, "zoom-y=0");
  for (guint i = 0; i < 3; i++) {
    GstVideoFrame *again = save_frame (player, frame, whole[i]), *view;
    gint width = GST_VIDEO_FRAME_WIDTH (again);

    assert_zoomed (again, plain[i], 1, 0, 0);
    player_set (player, sides[i]);
    view = save_frame (player, frame, PREVIEW_SAVE_VIEW);
    assert_zoomed (view, plain[i], 4, width - width / 4, 0);
    free_frame (again);
    free_frame (view);
  }
  for (guint i = 0; i < 3; i++)
    free_frame (plain[i]);
}

static void
take_notice (gchar ** notice, const gchar * text)
{
  g_free (*notice);
  *notice = g_strdup (text);
}

/* A line that does not do is said to be so. */
static void
refuse (Player * player, const gchar * line)
{
  g_autofree gchar *notice = NULL;
  g_autoptr (GError) error = NULL;
  gulong id = g_signal_connect_swapped (player->session, "notice",
      G_CALLBACK (take_notice), &notice);

  if (!preview_coding_set_line (player->session, 1, line, &error))
    notice = g_strdup (error->message);
  while (notice == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (notice, line));
  g_signal_handler_disconnect (player->session, id);
}

static gint
get_number (Player * player, const gchar * name)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;

  preview_session_get_value (player->session, preview_find_control (name),
      &value);
  g_value_init (&number, G_TYPE_INT);
  g_value_transform (&value, &number);
  return g_value_get_int (&number);
}

/* Of a frame that stands: its picture and figures, and what is saved. */
static void
test_encoder (Player * player)
{
  g_autoptr (GBytes) of_transform = NULL;
  g_autoptr (GBytes) of_encoder = NULL;
  g_autoptr (GBytes) view = NULL;
  g_autoptr (GstSample) frame = NULL;
  gdouble transform, fine, coarse;
  gint chosen;

  player_set (player, "b::quality=20");
  player_set (player, "left=a");
  player_set (player, "right=b");
  player_start_paused (player);
  transform = player_wait_for_b (player, NULL);
  frame = preview_session_get_original (player->session);
  of_transform = save (player, frame, PREVIEW_SAVE_B);
  player_set (player, "b::encoder=jpegenc-quality");
  chosen = get_number (player, "b::encoder");
  fine = player_wait_for_b (player, "jpegenc quality=75");
  player_set (player, "b::encoder-qp=3");
  player_set (player, "b::encoder-quality=5");
  coarse = player_wait_for_b (player, "jpegenc quality=5");
  g_assert_cmpfloat (coarse, <, fine);
  g_assert_cmpfloat (coarse, !=, transform);
  refuse (player, "nonsense");
  g_assert_cmpint (get_number (player, "b::encoder"), ==, chosen);
  player_set (player, "zoom=3");
  of_encoder = save (player, frame, PREVIEW_SAVE_B);
  g_assert_false (g_bytes_equal (of_encoder, of_transform));
  player_set (player, "view=b");
  view = save (player, frame, PREVIEW_SAVE_VIEW);
  g_assert_true (g_bytes_equal (view, of_encoder));
  refuse (player, "identity error-after=1 ! jpegenc");
  g_assert_cmpint (get_number (player, "b::encoder"), ==, 1);
  g_assert_cmpfloat (player_wait_for_b (player, NULL), ==, transform);
  player_set (player, "b::encoder=jpegenc-quality");
  player_wait_for_b (player, "jpegenc quality=5");
  player_set (player, "b::encoder=transform");
  g_assert_cmpfloat (player_wait_for_b (player, NULL), ==, transform);
}

/* A number that an encoder does not take is not shown, either. */
static void
test_limit (Player * player)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x264enc");

  if (factory == NULL) {
    g_test_skip ("there is no x264enc");
    return;
  }
  player_set (player, "b::encoder-qp=60");
  g_assert_cmpint (get_number (player, "b::encoder-qp"), ==, 60);
  player_set (player, "b::encoder=x264enc-qp");
  g_assert_cmpint (get_number (player, "b::encoder-qp"), ==, 50);
  player_set (player, "b::encoder=x264enc-bitrate");
  player_set (player, "b::encoder-bitrate=300");
  g_assert_cmpstr (player->session->line[1], ==, "x264enc bitrate=300");
}

int
main (int argc, char **argv)
{
  static const PlayerTest tests[] = {
    {"/player-save/planes", test_planes, &player_video, PREVIEW_PAGE},
    {"/player-save/save-zoomed", test_save_zoomed, &player_still, PREVIEW_PAGE},
    {"/player-save/encoder", test_encoder, &player_video, PREVIEW_PAGE},
    {"/player-save/encoder-still", test_encoder, &player_still, PREVIEW_PAGE},
    {"/player-save/limit", test_limit, &player_still, PREVIEW_PAGE},
  };

  return player_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
