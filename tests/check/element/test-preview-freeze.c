/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpreview: frames that are held and shown again. */
#include <string.h>
#include "preview.h"

#define PATIENCE (30 * GST_SECOND)

static guint64
count_frames (GstElement * preview, const gchar * child)
{
  GObject *element = preview_get_child (preview, child);
  GstStructure *s;
  guint64 frames;

  g_object_get (element, "stats", &s, NULL);
  frames = get_uint64 (strcmp (child, "compare") != 0 ? s
      : gst_value_get_structure (gst_structure_get_value (s, "dist_sink")),
      "frames");
  gst_structure_free (s);
  g_object_unref (element);
  return frames;
}

/* A frame is held: it is made again with each change, counts once, and those
 * behind it wait. */
static void
test_freeze (void)
{
  gint quality = 20;
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  for (guint n = 0; n < 3; n++) {
    duel_push (&duel, 0, frame_new (&info, n));
    gst_buffer_unref (duel_pull (&duel));
  }
  g_object_set (preview, "freeze", TRUE, NULL);
  preview_wait_for_repeat (&duel, &info, 2, quality);
  duel_push (&duel, 0, frame_new (&info, 3));
  for (quality = 1; quality < 90; quality += 20) {
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality",
        quality, NULL);
    preview_wait_for_repeat (&duel, &info, 2, quality);
  }
  /* Without a change, too, if not as soon. */
  quality -= 20;
  preview_wait_for_repeat (&duel, &info, 2, quality);
  g_object_set (preview, "freeze", FALSE, NULL);
  out = preview_pull_new (&duel);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 3 * FRAME);
  g_assert_true (preview_is_coded (&info, out, 3, quality));
  gst_buffer_unref (out);
  g_assert_cmpuint (count_frames (preview, "a"), ==, 4);
  g_assert_cmpuint (count_frames (preview, "compare"), ==, 4);
  preview_stop (&duel, preview);
}

/* Of a still, one frame passes, and the end waits. */
static void
test_still (void)
{
  gint quality = 20;
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, TRUE);
  duel_push (&duel, 0, frame_new (&info, 0));
  duel_end (&duel, 0);
  out = duel_pull (&duel);
  g_assert_false (preview_is_repeated (out));
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 0);
  gst_buffer_unref (out);
  quality = 77;
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 77, NULL);
  preview_wait_for_repeat (&duel, &info, 0, quality);
  g_object_set (preview, "freeze", FALSE, NULL);
  g_assert_null (preview_pull_new (&duel));
  preview_stop (&duel, preview);
}

/* The last of ten thousand changes is what is seen. */
static void
test_many_changes (void)
{
  gint quality = 20;
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  duel_push (&duel, 0, frame_new (&info, 0));
  gst_buffer_unref (duel_pull (&duel));
  g_object_set (preview, "freeze", TRUE, NULL);
  for (gint i = 0; i < 10000; i++) {
    quality = 1 + i % 99;
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality",
        quality, NULL);
  }
  preview_wait_for_repeat (&duel, &info, 0, quality);
  preview_stop (&duel, preview);
}

/* After a seek one frame passes, and is held. */
static void
test_seek (void)
{
  GstElement *preview;
  Duel duel = { 0 };
  GstBuffer *out;

  duel_launch (&duel, "videotestsrc num-buffers=1000 ! "
      "video/x-raw,format=I420,width=32,height=32,framerate=25/1 ! "
      "blockdctpreview name=preview freeze=true ! appsink name=out sync=false "
      "max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < 4; i++) {
    if (i > 0)
      g_assert_true (gst_element_seek_simple (duel.pipeline, GST_FORMAT_TIME,
              GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, i * GST_SECOND));
    out = preview_pull_new (&duel);
    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, i * GST_SECOND);
    gst_buffer_unref (out);
    out = duel_pull (&duel);
    g_assert_true (preview_is_repeated (out));
    gst_buffer_unref (out);
  }
  preview_stop (&duel, preview);
}

/* Stopped while a frame is on its way that is later than it was, which is no
 * error. */
static void
test_stop (void)
{
  GstElement *preview;
  Duel duel = { 0 };

  duel_launch (&duel, "videotestsrc ! "
      "video/x-raw,format=I420,width=32,height=32,framerate=25/1 ! "
      "identity sleep-time=500 ! blockdctpreview name=preview ! "
      "appsink name=out sync=false max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  for (gint i = 0; i < test_rounds (200); i++) {
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
    gst_buffer_unref (duel_pull (&duel));
    /* With a clock: only then is anything later. */
    g_assert_cmpint (gst_element_get_state (duel.pipeline, NULL, NULL,
            PATIENCE), ==, GST_STATE_CHANGE_SUCCESS);
    g_object_set (preview, "freeze", TRUE, NULL);
    g_object_set (preview, "freeze", FALSE, NULL);
    gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  }
  preview_stop (&duel, preview);
}

/* Other caps wait behind a frame that is held. */
static void
test_caps_change (void)
{
  GstElement *preview;
  GstVideoInfo infos[2];
  GstBuffer *out;
  Duel duel;

  preview = preview_start (&duel, &infos[0], "single", 0, FALSE);
  video_info (&infos[1], "I420", 2 * PREVIEW_WIDTH, PREVIEW_HEIGHT);
  for (guint n = 0; n < 6; n++) {
    const GstVideoInfo *old = &infos[n % 2], *new = &infos[(n + 1) % 2];
    const gint quality = 30 + n;

    duel_push (&duel, 0, frame_new (old, 2 * n));
    out = preview_pull_new (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 2 * n * FRAME);
    gst_buffer_unref (out);
    g_object_set (preview, "freeze", TRUE, NULL);
    duel_set_caps (&duel, 0, new);
    duel_push (&duel, 0, frame_new (new, 2 * n + 1));
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", quality,
        NULL);
    preview_wait_for_repeat (&duel, old, 2 * n, quality);
    g_object_set (preview, "freeze", FALSE, NULL);
    out = preview_pull_new (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, (2 * n + 1) * FRAME);
    g_assert_true (preview_is_coded (new, out, 2 * n + 1, quality));
    gst_buffer_unref (out);
  }
  preview_stop (&duel, preview);
}

/* A live input goes on meanwhile: what it gives is dropped. */
static void
test_live (void)
{
  GstElement *preview;
  Duel duel = { 0 };
  GstBuffer *out;
  GstClockTime held;

  duel_launch (&duel, "videotestsrc is-live=true ! "
      "video/x-raw,format=I420,width=32,height=32,framerate=100/1 ! "
      "blockdctpreview name=preview ! appsink name=out sync=false "
      "max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  out = duel_pull (&duel);
  gst_buffer_unref (out);
  g_object_set (preview, "freeze", TRUE, NULL);
  held = 0;
  do {
    out = duel_pull (&duel);
    if (GST_BUFFER_PTS_IS_VALID (out))
      held = GST_BUFFER_PTS (out);
    else
      g_usleep (50000);
    gst_buffer_unref (out);
  } while (GST_BUFFER_PTS_IS_VALID (out));
  g_object_set (preview, "freeze", FALSE, NULL);
  out = preview_pull_new (&duel);
  g_assert_cmpuint (GST_BUFFER_PTS (out), >=, held + 40 * GST_MSECOND);
  gst_buffer_unref (out);
  preview_stop (&duel, preview);
}

/* When the next new frame is due. */
static GstClockTime
pull_running_time (Duel * duel)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  while (!GST_CLOCK_TIME_IS_VALID (time)) {
    GstSample *sample;

    g_signal_emit_by_name (duel->sink, "try-pull-sample", PATIENCE, &sample);
    g_assert_nonnull (sample);
    time = gst_segment_to_running_time (gst_sample_get_segment (sample),
        GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  return time;
}

/* Frames that were held back are not late afterwards. */
static void
test_times (void)
{
  GstElement *preview;
  GstClockTime before, since, until, after;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "wipe", 0, FALSE);
  duel_push (&duel, 0, frame_new (&info, 0));
  before = pull_running_time (&duel);
  g_assert_cmpuint (before, ==, 0);
  g_assert_cmpint (gst_element_get_state (duel.pipeline, NULL, NULL, PATIENCE),
      ==, GST_STATE_CHANGE_SUCCESS);
  for (guint n = 1; n < 3; n++) {
    g_object_set (preview, "freeze", TRUE, NULL);
    since = gst_element_get_current_running_time (preview);
    duel_push (&duel, 0, frame_new (&info, n));
    g_usleep (100000);
    until = gst_element_get_current_running_time (preview);
    g_object_set (preview, "freeze", FALSE, NULL);
    after = pull_running_time (&duel);
    g_assert_cmpuint (after, >=, before + FRAME + (until - since));
    before = after;
  }
  preview_stop (&duel, preview);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/preview-freeze/freeze", test_freeze);
  test_add ("/preview-freeze/still", test_still);
  test_add ("/preview-freeze/many-changes", test_many_changes);
  test_add ("/preview-freeze/seek", test_seek);
  test_add ("/preview-freeze/stop", test_stop);
  test_add ("/preview-freeze/caps-change", test_caps_change);
  test_add ("/preview-freeze/live", test_live);
  test_add ("/preview-freeze/times", test_times);
  return test_run ();
}
