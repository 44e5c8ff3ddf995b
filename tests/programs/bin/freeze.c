/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage: frames that are held and shown again. */
#include <glib/gstdio.h>
#include <string.h>
#include "preview.h"
#include "programs/preview/bin/register.h"

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
  for (guint n = 0; n < 3; n++)
    duel_pass (&duel, frame_new (&info, n));
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

/* A change does not wait for the second after which a frame is shown again
 * anyway: of ten, one at least does not on any machine. */
static void
test_at_once (void)
{
  gint64 least = G_MAXINT64;
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  duel_pass (&duel, frame_new (&info, 0));
  g_object_set (preview, "freeze", TRUE, NULL);
  preview_wait_for_repeat (&duel, &info, 0, 20);
  for (gint quality = 30; quality < 40; quality++) {
    const gint64 start = g_get_monotonic_time ();

    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", quality,
        NULL);
    preview_wait_for_repeat (&duel, &info, 0, quality);
    least = MIN (least, g_get_monotonic_time () - start);
  }
  g_assert_cmpint (least, <, G_TIME_SPAN_SECOND / 2);
  preview_stop (&duel, preview);
}

typedef struct
{
  const gchar *child, *name, *value;
} Change;

/* What a preview that has these settings from the start makes of frame 0. */
static GstBuffer *
show_changed (const Change * changes, guint n)
{
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  for (guint i = 0; i < n; i++)
    preview_set_child (preview, changes[i].child, changes[i].name,
        changes[i].value);
  duel_push (&duel, 0, frame_new (&info, 0));
  out = duel_pull (&duel);
  preview_stop (&duel, preview);
  return out;
}

/* Changes of A, of B, and of what is shown of them, one after the other. */
static void
test_changes (void)
{
  static const Change changes[] = {
    {"compare", "view", "difference"}, {"compare", "zoom", "4"},
    {"compare", "zoom-x", "0.9"}, {"compare", "zoom-y", "0.1"},
    {"compare", "view", "wipe"}, {"compare", "zoom", "2.5"},
    {"compare", "wipe-position", "0.8"}, {"compare", "left", "0"},
    {"compare", "right", "-1"}, {"b", "transform", "hevc-8x8"},
    {"compare", "right", "1"}, {"b", "qp", "44"}, {"compare", "view", "single"},
    {"b", "transform", "jpeg-8x8"}, {"b", "quality", "7"},
    {"b", "grid", "true"},
    {"compare", "view", "difference"}, {"compare", "difference-gain", "9"},
    {"compare", "view", "flicker"}, {"compare", "left", "1"},
    {"compare", "zoom", "1"}, {"b", "quality", "3"},
    {"compare", "left", "0"}, {"a", "quality", "4"},
    {"compare", "view", "error-map"}, {"a", "transform", "hevc-dst-4x4"},
  };
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  duel_pass (&duel, frame_new (&info, 0));
  g_object_set (preview, "freeze", TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    const gint64 end = g_get_monotonic_time () + PATIENCE / GST_USECOND;
    GstBuffer *wanted = show_changed (changes, i + 1);
    gboolean found = FALSE;

    g_test_message ("%s::%s=%s", changes[i].child, changes[i].name,
        changes[i].value);
    preview_set_child (preview, changes[i].child, changes[i].name,
        changes[i].value);
    while (!found) {
      GstBuffer *out = duel_pull (&duel);

      g_assert_true (preview_is_repeated (out));
      found = frames_equal (&info, wanted, out);
      gst_buffer_unref (out);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
    gst_buffer_unref (wanted);
  }
  g_assert_cmpuint (count_frames (preview, "a"), ==, 1);
  g_assert_cmpuint (count_frames (preview, "compare"), ==, 1);
  preview_stop (&duel, preview);
}

/* Count the lines of a file of statistics, but for its first one. */
static guint
count_lines (const gchar * path)
{
  guint n = 0;
  gchar *text;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const gchar * c = text; *c != '\0'; c++)
    n += *c == '\n';
  g_free (text);
  return n - 1;
}

/* Messages about a frame that is shown again say so, there are none with an
 * interval, and no limit ends a pipeline for it. It is in no file, and in no
 * pooled figure. */
static void
test_messages (void)
{
  static const gchar *const children[] = { "a", "compare" };
  gchar *path = test_path ("stats.csv");
  guint n_frames[2] = { 0 }, n_repeated[2] = { 0 }, n_pooled[2] = { 0 };
  GstElement *preview;
  GstMessage *message;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  preview_set_child (preview, "compare", "stats-file", path);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  duel_set_caps (&duel, 0, &info);
  duel_pass (&duel, frame_new (&info, 0));
  g_object_set (preview, "freeze", TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    preview_set_child (preview, children[i], "min-psnr-error", "90");
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 30, NULL);
  preview_wait_for_repeat (&duel, &info, 0, 30);
  for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
    preview_set_child (preview, children[i], "interval", "1000000000");
    preview_set_child (preview, children[i], "min-psnr-error", "0");
  }
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 31, NULL);
  preview_wait_for_repeat (&duel, &info, 0, 31);
  g_object_set (preview, "freeze", FALSE, NULL);
  duel_end (&duel, 0);
  g_assert_null (preview_pull_new (&duel));
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  while ((message = gst_bus_pop_filtered (duel.bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);
    const guint k = gst_structure_has_name (s, "blockdct-compare");
    const gchar *type = gst_structure_get_string (s, "type");

    /* B is not shown. */
    if (g_strcmp0 (gst_structure_get_string (s, "pad"), "dist_sink_1") == 0)
      g_assert_cmpstr (type, ==, "pooled");
    else if (strcmp (type, "frame") != 0)
      n_pooled[k] += get_uint64 (s, "frames") == 1;
    else if (gst_structure_has_field (s, "repeated"))
      n_repeated[k]++;
    else
      n_frames[k]++;
    if (k == 0 && gst_structure_has_field (s, "repeated"))
      g_assert_cmpint (get_int (s, "quality"), <, 31);
    gst_message_unref (message);
  }
  for (guint k = 0; k < 2; k++) {
    g_assert_cmpuint (n_frames[k], ==, 1);
    g_assert_cmpuint (n_repeated[k], >, 0);
    g_assert_cmpuint (n_pooled[k], ==, 1);
  }
  g_assert_cmpuint (count_lines (path), ==, 1);
  preview_stop (&duel, preview);
  g_free (path);
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

/* After a seek one frame passes, and is held. */
static void
test_seek (void)
{
  GstElement *preview;
  Duel duel = { 0 };
  GstBuffer *out;

  duel_launch (&duel, "videotestsrc num-buffers=1000 ! "
      "video/x-raw,format=I420,width=32,height=32,framerate=25/1 ! "
      "blockdctpage name=preview freeze=true ! appsink name=out sync=false "
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
      "identity sleep-time=500 ! blockdctpage name=preview ! "
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

/* Behind other caps, or another segment, what was shown is not shown again: a
 * frame of what follows passes first. */
static void
test_new_stream (void)
{
  for (guint i = 0; i < 2; i++) {
    GstElement *preview = element_new ("blockdctpage");
    GstVideoInfo info;
    GstSegment segment;
    GstBuffer *out;
    GstHarness *h;

    preview_set_child (preview, "a", "backend", test_backend ());
    preview_set_child (preview, "b", "backend", test_backend ());
    preview_set_child (preview, "compare", "backend", test_backend ());
    preview_set_child (preview, "compare", "view", "single");
    h = gst_harness_new_with_element (preview, "sink", "src");
    video_info (&info, "I420", PREVIEW_WIDTH, PREVIEW_HEIGHT);
    gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
    g_assert_cmpint (gst_harness_push (h, frame_new (&info, 0)), ==,
        GST_FLOW_OK);
    out = gst_harness_pull (h);
    g_assert_nonnull (out);
    gst_buffer_unref (out);
    if (i == 0) {
      video_info (&info, "NV12", 40, 24);
      gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
    } else {
      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_harness_push_event (h, gst_event_new_segment (&segment));
    }
    g_object_set (preview, "freeze", TRUE, NULL);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 20, NULL);
    g_usleep (20000);
    g_assert_cmpint (gst_harness_push (h, frame_new (&info, 1)), ==,
        GST_FLOW_OK);
    out = gst_harness_pull (h);
    g_assert_nonnull (out);
    g_assert_false (preview_is_repeated (out));
    g_assert_cmpuint (gst_buffer_get_size (out), ==, info.size);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
    gst_object_unref (preview);
  }
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
      "blockdctpage name=preview ! appsink name=out sync=false "
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
  preview_bin_register ();
  test_add ("/preview-freeze/freeze", test_freeze);
  test_add ("/preview-freeze/at-once", test_at_once);
  test_add ("/preview-freeze/changes", test_changes);
  test_add ("/preview-freeze/messages", test_messages);
  test_add ("/preview-freeze/still", test_still);
  test_add ("/preview-freeze/seek", test_seek);
  test_add ("/preview-freeze/stop", test_stop);
  test_add ("/preview-freeze/caps-change", test_caps_change);
  test_add ("/preview-freeze/new-stream", test_new_stream);
  test_add ("/preview-freeze/live", test_live);
  test_add ("/preview-freeze/times", test_times);
  return test_run ();
}
