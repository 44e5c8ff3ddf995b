/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpreview: A, B and the original through one bin, keys, and frames that
 * are held. */
#include <gst/video/navigation.h>
#include <string.h>
#include "duel.h"

#define PATIENCE (30 * GST_SECOND)
#define WIDTH 48
#define HEIGHT 32

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static gboolean
is_repeated (GstBuffer * buffer)
{
  return gst_buffer_get_custom_meta (buffer, "blockdct-repeated") != NULL;
}

static GObject *
get_child (GstElement * preview, const gchar * name)
{
  return gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (preview), name);
}

/* gst_parse_launch() of 1.22 leaks a child whose property a line sets. */
static void
set_child (GstElement * preview, const gchar * child, const gchar * property,
    const gchar * value)
{
  GObject *object = get_child (preview, child);

  gst_util_set_object_arg (object, property, value);
  g_object_unref (object);
}

/* A playing pipeline of one input, with A at quality 20 and `view` of compare;
 * the preview is the caller's. */
static GstElement *
start (Duel * duel, GstVideoInfo * info, const gchar * view, gint right,
    gboolean freeze)
{
  static const gchar *const children[] = { "a", "b", "compare" };
  GstElement *preview;

  duel_launch (duel, "appsrc name=in format=time max-bytes=0 ! "
      "blockdctpreview name=preview ! appsink name=out sync=false "
      "max-buffers=0");
  duel->n_inputs = 1;
  duel->input[0] = gst_bin_get_by_name (GST_BIN (duel->pipeline), "in");
  preview = gst_bin_get_by_name (GST_BIN (duel->pipeline), "preview");
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    set_child (preview, children[i], "backend", test_backend ());
  set_child (preview, "a", "quality", "20");
  set_child (preview, "compare", "view", view);
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right", right,
      NULL);
  g_object_set (preview, "freeze", freeze, NULL);
  video_info (info, "I420", WIDTH, HEIGHT);
  duel_set_caps (duel, 0, info);
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  return preview;
}

static void
stop (Duel * duel, GstElement * preview)
{
  gst_object_unref (preview);
  duel_clear (duel);
}

/* Whether a picture is what this quality leaves of frame `n`. */
static gboolean
is_coded (const GstVideoInfo * info, GstBuffer * buffer, guint n, gint quality)
{
  BdctParams params = defaults;
  GstBuffer *in = frame_new (info, n), *expected;
  BdctStats stats;
  GstMapInfo map;
  gboolean same;

  params.quality = quality;
  expected = frame_expect (info, in, &params, &stats);
  g_assert_true (gst_buffer_map (expected, &map, GST_MAP_READ));
  same = gst_buffer_get_size (buffer) == map.size
      && gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0;
  gst_buffer_unmap (expected, &map);
  gst_buffer_unref (expected);
  gst_buffer_unref (in);
  return same;
}

/* The next picture that is repeated, and no other, has to be made like this;
 * those on their way may not be yet. */
static void
wait_for_repeat (Duel * duel, const GstVideoInfo * info, guint n, gint quality)
{
  gboolean found = FALSE;

  while (!found) {
    GstBuffer *out = duel_pull (duel);

    g_assert_nonnull (out);
    g_assert_true (is_repeated (out));
    g_assert_false (GST_BUFFER_PTS_IS_VALID (out));
    found = is_coded (info, out, n, quality);
    gst_buffer_unref (out);
  }
}

/* A new frame, behind repeated ones perhaps. */
static GstBuffer *
pull_new (Duel * duel)
{
  GstBuffer *out = duel_pull (duel);

  while (out != NULL && is_repeated (out)) {
    gst_buffer_unref (out);
    out = duel_pull (duel);
  }
  return out;
}

static guint64
count_frames (GstElement * preview, const gchar * child)
{
  GObject *element = get_child (preview, child);
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

/* What comes out is A, and what is said of it is what A says. */
static void
test_a (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "single", 0, FALSE);
  for (guint n = 0; n < 3; n++) {
    GstCustomMeta *meta;
    GstBuffer *out;

    duel_push (&duel, 0, frame_new (&info, n));
    out = duel_pull (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
    g_assert_true (is_coded (&info, out, n, 20));
    meta = gst_buffer_get_custom_meta (out, "blockdct");
    g_assert_cmpfloat (get_double (gst_custom_meta_get_structure (meta),
            "psnr"), ==, get_double (duel_figures (out, "dist_sink"), "psnr"));
    g_assert_null (duel_figures (out, "dist_sink_1"));
    gst_buffer_unref (out);
  }
  stop (&duel, preview);
}

/* Pull pictures until one comes with figures of B, or without. */
static void
wait_for_b (Duel * duel, gboolean there)
{
  const gint64 end = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  gboolean found = FALSE;

  while (!found && g_get_monotonic_time () < end) {
    GstBuffer *out = duel_pull (duel);

    g_assert_nonnull (out);
    g_assert_nonnull (duel_figures (out, "dist_sink"));
    found = (duel_figures (out, "dist_sink_1") != NULL) == there;
    gst_buffer_unref (out);
  }
  g_assert_true (found);
}

/* B runs while it is looked at. */
static void
test_b (void)
{
  GstElement *preview;
  Duel duel = { 0 };

  duel_launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=48,"
      "height=32,framerate=25/1 ! blockdctpreview name=preview ! "
      "appsink name=out sync=false max-buffers=2");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  set_child (preview, "b", "transform", "hevc-8x8");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  wait_for_b (&duel, FALSE);
  for (gint i = 0; i < test_rounds (20); i++) {
    gst_child_proxy_set (GST_CHILD_PROXY (preview), i % 2 ? "compare::left"
        : "compare::right", 1, NULL);
    wait_for_b (&duel, TRUE);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::left", -1,
        "compare::right", 0, NULL);
    wait_for_b (&duel, FALSE);
  }
  stop (&duel, preview);
}

/* B that is asked for before the start is there from the first frame on. */
static void
test_b_first (void)
{
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = start (&duel, &info, "single", 1, FALSE);
  set_child (preview, "b", "quality", "30");
  duel_push (&duel, 0, frame_new (&info, 0));
  out = duel_pull (&duel);
  g_assert_true (is_coded (&info, out, 0, 30));
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  gst_buffer_unref (out);
  stop (&duel, preview);
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

  preview = start (&duel, &info, "single", 0, FALSE);
  for (guint n = 0; n < 3; n++) {
    duel_push (&duel, 0, frame_new (&info, n));
    gst_buffer_unref (duel_pull (&duel));
  }
  g_object_set (preview, "freeze", TRUE, NULL);
  wait_for_repeat (&duel, &info, 2, quality);
  duel_push (&duel, 0, frame_new (&info, 3));
  for (quality = 1; quality < 90; quality += 20) {
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality",
        quality, NULL);
    wait_for_repeat (&duel, &info, 2, quality);
  }
  /* Without a change, too, if not as soon. */
  quality -= 20;
  wait_for_repeat (&duel, &info, 2, quality);
  g_object_set (preview, "freeze", FALSE, NULL);
  out = pull_new (&duel);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 3 * FRAME);
  g_assert_true (is_coded (&info, out, 3, quality));
  gst_buffer_unref (out);
  g_assert_cmpuint (count_frames (preview, "a"), ==, 4);
  g_assert_cmpuint (count_frames (preview, "compare"), ==, 4);
  stop (&duel, preview);
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

  preview = start (&duel, &info, "single", 0, TRUE);
  duel_push (&duel, 0, frame_new (&info, 0));
  duel_end (&duel, 0);
  out = duel_pull (&duel);
  g_assert_false (is_repeated (out));
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 0);
  gst_buffer_unref (out);
  quality = 77;
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 77, NULL);
  wait_for_repeat (&duel, &info, 0, quality);
  g_object_set (preview, "freeze", FALSE, NULL);
  g_assert_null (pull_new (&duel));
  stop (&duel, preview);
}

/* The last of ten thousand changes is what is seen. */
static void
test_many_changes (void)
{
  gint quality = 20;
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "single", 0, FALSE);
  duel_push (&duel, 0, frame_new (&info, 0));
  gst_buffer_unref (duel_pull (&duel));
  g_object_set (preview, "freeze", TRUE, NULL);
  for (gint i = 0; i < 10000; i++) {
    quality = 1 + i % 99;
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality",
        quality, NULL);
  }
  wait_for_repeat (&duel, &info, 0, quality);
  stop (&duel, preview);
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
    out = pull_new (&duel);
    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, i * GST_SECOND);
    gst_buffer_unref (out);
    out = duel_pull (&duel);
    g_assert_true (is_repeated (out));
    gst_buffer_unref (out);
  }
  stop (&duel, preview);
}

/* Other caps wait behind a frame that is held. */
static void
test_caps_change (void)
{
  GstElement *preview;
  GstVideoInfo infos[2];
  GstBuffer *out;
  Duel duel;

  preview = start (&duel, &infos[0], "single", 0, FALSE);
  video_info (&infos[1], "I420", 2 * WIDTH, HEIGHT);
  for (guint n = 0; n < 6; n++) {
    const GstVideoInfo *old = &infos[n % 2], *new = &infos[(n + 1) % 2];
    const gint quality = 30 + n;

    duel_push (&duel, 0, frame_new (old, 2 * n));
    out = pull_new (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 2 * n * FRAME);
    gst_buffer_unref (out);
    g_object_set (preview, "freeze", TRUE, NULL);
    duel_set_caps (&duel, 0, new);
    duel_push (&duel, 0, frame_new (new, 2 * n + 1));
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", quality,
        NULL);
    wait_for_repeat (&duel, old, 2 * n, quality);
    g_object_set (preview, "freeze", FALSE, NULL);
    out = pull_new (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, (2 * n + 1) * FRAME);
    g_assert_true (is_coded (new, out, 2 * n + 1, quality));
    gst_buffer_unref (out);
  }
  stop (&duel, preview);
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
  out = pull_new (&duel);
  g_assert_cmpuint (GST_BUFFER_PTS (out), >=, held + 40 * GST_MSECOND);
  gst_buffer_unref (out);
  stop (&duel, preview);
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

  preview = start (&duel, &info, "wipe", 0, FALSE);
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
  stop (&duel, preview);
}

static void
press (GstElement * preview, const gchar * key)
{
  GstPad *src = gst_element_get_static_pad (preview, "src");

  gst_pad_send_event (src, gst_event_new_navigation (gst_structure_new
          ("application/x-gst-navigation", "event", G_TYPE_STRING, "key-press",
              "key", G_TYPE_STRING, key, NULL)));
  gst_object_unref (src);
}

static gint
get_child_int (GstElement * preview, const gchar * name)
{
  gint value;

  gst_child_proxy_get (GST_CHILD_PROXY (preview), name, &value, NULL);
  return value;
}

/* Keys of A, B and freeze are the bin's, the others compare's. */
static void
test_keys (void)
{
  GstElement *preview;
  GstVideoInfo info;
  gboolean frozen;
  gint view;
  Duel duel;

  preview = start (&duel, &info, "wipe", 0, FALSE);
  set_child (preview, "compare", "interactive", "true");
  press (preview, "Up");
  g_assert_cmpint (get_child_int (preview, "a::quality"), ==, 21);
  press (preview, "b");
  g_assert_cmpint (get_child_int (preview, "b::quality"), ==, 21);
  g_assert_cmpint (get_child_int (preview, "compare::left"), ==, 0);
  g_assert_cmpint (get_child_int (preview, "compare::right"), ==, 1);
  press (preview, "Right");
  g_assert_cmpint (get_child_int (preview, "a::transform"), ==, 1);
  press (preview, "x");
  g_assert_cmpint (get_child_int (preview, "a::transform"), ==, 0);
  g_assert_cmpint (get_child_int (preview, "b::transform"), ==, 1);
  press (preview, "f");
  g_object_get (preview, "freeze", &frozen, NULL);
  g_assert_true (frozen);
  view = get_child_int (preview, "compare::view");
  press (preview, "v");
  g_assert_cmpint (get_child_int (preview, "compare::view"), !=, view);
  g_object_set (preview, "freeze", FALSE, NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::interactive",
      FALSE, NULL);
  press (preview, "Up");
  g_assert_cmpint (get_child_int (preview, "a::quality"), ==, 21);
  stop (&duel, preview);
}

/* Stopped and started again, frozen or not, with B and without. */
static void
test_restart (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "wipe", 0, FALSE);
  for (gint i = 0; i < test_rounds (20); i++) {
    g_object_set (preview, "freeze", i % 3 == 1, NULL);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right",
        i % 4 < 2 ? 1 : 0, NULL);
    duel_set_caps (&duel, 0, &info);
    for (guint n = 0; n < 4; n++)
      duel_push (&duel, 0, frame_new (&info, n));
    if (i % 2)
      gst_buffer_unref (duel_pull (&duel));
    gst_element_set_state (duel.pipeline, i % 5 ? GST_STATE_READY
        : GST_STATE_NULL);
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  }
  stop (&duel, preview);
}

/* The next frame that is not shown again, which has to come soon. */
static GstClockTime
get_new_time (Duel * duel)
{
  GstBuffer *out = pull_new (duel);
  GstClockTime time;

  g_assert_nonnull (out);
  g_assert_nonnull (duel_figures (out, "dist_sink"));
  time = GST_BUFFER_PTS (out);
  gst_buffer_unref (out);
  return time;
}

static void
set_int (GstElement * preview, const gchar * name, gint value)
{
  gst_child_proxy_set (GST_CHILD_PROXY (preview), name, value, NULL);
}

/* GStreamer wants no seek, and no other state, before a state is reached. */
static void
wait_for_state (Duel * duel)
{
  g_assert_cmpint (gst_element_get_state (duel->pipeline, NULL, NULL, PATIENCE),
      ==, GST_STATE_CHANGE_SUCCESS);
}

static void
do_anything (Duel * duel, GstElement * preview, GRand * rand)
{
  static const gchar *const keys[] = { "Up", "Down", "Left", "Right", "b", "x",
    "c", "v", "f", "g", "space", "m"
  };
  static const gchar *const views[] = { "single", "wipe", "flicker",
    "error-map"
  };
  const gint value = g_rand_int_range (rand, 0, 100);
  GstClockTime to = value * GST_SECOND;

  switch (g_rand_int_range (rand, 0, 11)) {
    case 0:
    case 1:
      g_object_set (preview, "freeze", value % 2, NULL);
      break;
    case 2:
      set_int (preview, "a::quality", 1 + value);
      break;
    case 3:
      set_int (preview, "b::transform", value % 3);
      break;
    case 4:
      set_int (preview, "compare::right", value % 3 - 1);
      break;
    case 5:
      set_child (preview, "compare", "view", views[value % 4]);
      break;
    case 6:
      g_assert_true (gst_element_seek_simple (duel->pipeline, GST_FORMAT_TIME,
              GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, to));
      g_assert_cmpuint (get_new_time (duel), ==, to);
      wait_for_state (duel);
      break;
    case 7:
      gst_element_set_state (duel->pipeline, GST_STATE_PAUSED);
      wait_for_state (duel);
      gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
      wait_for_state (duel);
      break;
    case 8:
      /* appsink of 1.22 keeps what it has in READY. */
      gst_element_set_state (duel->pipeline, value % 2 ? GST_STATE_READY
          : GST_STATE_NULL);
      gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
      if (value % 2 == 0)
        g_assert_cmpuint (get_new_time (duel), ==, 0);
      wait_for_state (duel);
      break;
    case 9:
      press (preview, keys[value % G_N_ELEMENTS (keys)]);
      break;
    default:                   /* if frozen, one that is repeated */
      set_int (preview, "a::qp", value % 52);
      gst_buffer_unref (duel_pull (duel));
      break;
  }
}

/* Whatever is done, in whatever order, frames go on afterwards. */
static void
test_anything (void)
{
  GRand *rand = g_rand_new_with_seed (g_test_rand_int ());
  GstElement *preview;
  Duel duel = { 0 };

  /* appsink of 1.22, where it is full, may hang on its way to PAUSED. */
  duel_launch (&duel, "videotestsrc ! video/x-raw,"
      "format=I420,width=16,height=16,framerate=25/1 ! "
      "identity sleep-time=500 ! blockdctpreview name=preview ! "
      "appsink name=out sync=false max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  set_child (preview, "a", "backend", test_backend ());
  set_child (preview, "b", "backend", test_backend ());
  set_child (preview, "compare", "backend", test_backend ());
  set_child (preview, "compare", "interactive", "true");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  g_assert_cmpuint (get_new_time (&duel), ==, 0);
  for (gint i = 0; i < test_rounds (400); i++) {
    do_anything (&duel, preview, rand);
    if (i % 20 == 19) {
      g_object_set (preview, "freeze", FALSE, NULL);
      get_new_time (&duel);
    }
  }
  g_rand_free (rand);
  stop (&duel, preview);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/preview/a", test_a);
  test_add ("/preview/b", test_b);
  test_add ("/preview/b-first", test_b_first);
  test_add ("/preview/freeze", test_freeze);
  test_add ("/preview/still", test_still);
  test_add ("/preview/many-changes", test_many_changes);
  test_add ("/preview/seek", test_seek);
  test_add ("/preview/caps-change", test_caps_change);
  test_add ("/preview/live", test_live);
  test_add ("/preview/times", test_times);
  test_add ("/preview/keys", test_keys);
  test_add ("/preview/restart", test_restart);
  test_add ("/preview/anything", test_anything);
  return test_run ();
}
