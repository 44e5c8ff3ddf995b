/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where blockdct-preview goes in a video: the very frame that is asked for, by
 * its figures. Needs no display. Exit status 77, skipped, without what writes
 * the video. */
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <string.h>
#include <sys/wait.h>
#include "frames.h"
#include "lab.h"
#include "pipeline.h"
#include "recipe.h"
#include "save.h"
#include "transport.h"

#define N_FRAMES 60
/* The system's, which may have PyGObject where the first in PATH has not. */
#define PYTHON "/usr/bin/python3"
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

  open_player (&player, video);
  sink = gst_bin_get_by_name (GST_BIN (player.pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, complain, &n_shown, NULL);
  preview_transport_set_paused (player.transport, FALSE);
  while (player.n_ends == 0) {
    GstMessage *message = gst_bus_timed_pop (player.bus, 20 * GST_SECOND);

    g_assert_nonnull (message);
    player.frame = -1;
    take (&player, message);
    n_made += player.frame >= 0;
    gst_message_unref (message);
  }
  g_assert_cmpint (g_atomic_int_get (&n_shown), ==, n_made);
  g_assert_cmpuint (n_made, >, 0);
  gst_object_unref (pad);
  gst_object_unref (sink);
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

  open_player (&player, video);
  gst_util_set_object_arg (G_OBJECT (player.dct), "transform", "hevc-8x8");
  g_object_set (player.dct, "qp", 40, "async-depth", 4, NULL);
  frames = preview_frames_new (player.dct);
  start_paused (&player);
  preview_transport_step (player.transport, 1);
  wait_frame (&player, 1);
  settle (&player);
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
  close_player (&player);
}

static GBytes *
save (GstElement * dct, GstSample * frame, PreviewSave what)
{
  gchar *path = g_build_filename (folder, "saved.png", NULL);
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

  open_player (&player, still);
  g_object_set (player.dct, "quality", 5, "grid", TRUE, NULL);
  frames = preview_frames_new (player.dct);
  start_paused (&player);
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
  close_player (&player);
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

  open_player (&player, still);
  g_object_set (player.dct, "quality", 5, NULL);
  frames = preview_frames_new (player.dct);
  start_paused (&player);
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
  close_player (&player);
}

static void
replace (gchar ** text, const gchar * old, const gchar * new)
{
  gchar **parts = g_strsplit (*text, old, -1);

  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  g_free (*text);
  *text = g_strjoinv (new, parts);
  g_strfreev (parts);
}

/* What it prints; NULL if it says 77. */
static gchar *
run (const gchar * const *command)
{
  GError *error = NULL;
  gchar *out, *said;
  gint status;

  g_assert_true (g_spawn_sync (NULL, (gchar **) command, NULL,
          G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &said, &status, &error));
  g_assert_no_error (error);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_clear_pointer (&out, g_free);
  else if (status != 0)
    g_error ("%s: %s%s", command[0], out, said);
  g_free (said);
  return out;
}

static void
take_picture (GstElement * sink, GstBuffer * buffer, GstPad * pad,
    GByteArray * pictures)
{
  GstMapInfo map;

  (void) sink, (void) pad;
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (pictures, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* The frames in a file are these. */
static void
compare_pictures (const gchar * path, const GByteArray * pictures)
{
  gchar *data;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpmem (data, size, pictures->data, pictures->len);
  g_unlink (path);
  g_free (data);
}

/* The line's frames are the program's, and so are their figures. Its elements
 * write these to standard output for that. */
static void
compare_recipe (Player * player, const gchar * figures,
    const GByteArray * pictures)
{
  gchar *path = g_build_filename (folder, "frames", NULL);
  gchar *sink = g_strdup_printf ("filesink location=%s", path);
  GstElement *source = preview_pipeline_get_source (player->pipeline);
  gchar *shell = preview_recipe_for_shell (&player->options, source, FALSE,
      player->dct);
  gchar *python = preview_recipe_for_python (&player->options, source, FALSE,
      player->dct);
  gchar *out;

  replace (&shell, "gst-launch-1.0 ", "gst-launch-1.0 -q ");
  replace (&shell, " blockdct ", " blockdct stats-file=- ");
  replace (&shell, "autovideosink", sink);
  out = run ((const gchar *[]) {"timeout", "60", "sh", "-c", shell, NULL});
  g_assert_cmpstr (out, ==, figures);
  compare_pictures (path, pictures);
  g_free (out);
  replace (&python, "blockdct ", "blockdct stats-file=- ");
  replace (&python, "autovideosink", sink);
  replace (&python, "import gi\n", "import sys\ntry:\n    import gi\n"
      "except ImportError:\n    sys.exit(77)\n");
  out = run ((const gchar *[]) {"timeout", "60", "python3", "-c", python,
          NULL});
  if (out == NULL && g_file_test (PYTHON, G_FILE_TEST_IS_EXECUTABLE))
    out = run ((const gchar *[]) {"timeout", "60", PYTHON, "-c", python,
            NULL});
  if (out != NULL) {
    g_assert_cmpstr (out, ==, figures);
    compare_pictures (path, pictures);
  } else {
    g_test_message ("python3 has no gi: not run");
  }
  g_free (out);
  g_free (path);
  g_free (sink);
  g_free (shell);
  g_free (python);
  gst_object_unref (source);
}

static void
test_recipe (void)
{
  gchar *steps = g_build_filename (folder, "it's 64 \"steps\".txt", NULL);
  gchar *path = g_build_filename (folder, "figures.log", NULL);
  GByteArray *pictures = g_byte_array_new ();
  GString *text = g_string_new (NULL);
  GstElement *sink;
  gchar *figures;
  Player player;

  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "%u ", 3 + i);
  g_assert_true (g_file_set_contents (steps, text->str, -1, NULL));
  open_player (&player, video);
  sink = gst_bin_get_by_name (GST_BIN (player.pipeline), "sink");
  g_object_set (sink, "signal-handoffs", TRUE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (take_picture), pictures);
  gst_object_unref (sink);
  g_object_set (player.dct, "quantization-file", steps, "stats-file", path,
      "wipe-position", 0.25, NULL);
  gst_util_set_object_arg (G_OBJECT (player.dct), "view", "wipe");
  gst_util_set_object_arg (G_OBJECT (player.dct), "metrics", "ssim+psnr-b");
  gst_util_set_object_arg (G_OBJECT (player.dct), "b-transform", "hevc-8x8");
  gst_util_set_object_arg (G_OBJECT (player.dct), "left", "b");
  gst_util_set_object_arg (G_OBJECT (player.dct), "right", "a");
  g_object_set (player.dct, "b-qp", 40, "zoom", 2.5, "zoom-x", 0.3, "zoom-y",
      1 / 3.0, NULL);
  preview_transport_set_paused (player.transport, FALSE);
  wait_frame (&player, N_FRAMES - 1);
  for (guint i = 0; i < 50 && player.n_ends == 0; i++)
    settle (&player);
  g_assert_cmpuint (player.n_ends, ==, 1);
  gst_element_set_state (player.pipeline, GST_STATE_READY);
  g_assert_true (g_file_get_contents (path, &figures, NULL, NULL));
  compare_recipe (&player, figures, pictures);
  close_player (&player);
  g_byte_array_unref (pictures);
  g_unlink (steps);
  g_unlink (path);
  g_string_free (text, TRUE);
  g_free (figures);
  g_free (steps);
  g_free (path);
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
  g_test_add_func ("/player/late", test_late);
  g_test_add_func ("/player/drag", test_drag);
  g_test_add_func ("/player/range", test_range);
  g_test_add_func ("/player/still", test_still);
  g_test_add_func ("/player/open", test_open);
  g_test_add_func ("/player/lab", test_lab);
  g_test_add_func ("/player/save", test_save);
  g_test_add_func ("/player/save-zoomed", test_save_zoomed);
  g_test_add_func ("/player/recipe", test_recipe);
  status = g_test_run ();
  g_unlink (video);
  g_unlink (still);
  g_rmdir (folder);
  g_free (video);
  g_free (still);
  g_free (folder);
  return status;
}
