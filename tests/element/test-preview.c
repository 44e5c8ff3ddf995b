/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpreview: A and B are any bin, exchanged at any time. */
#include <string.h>
#include "duel.h"
#include "viewer.h"

#define WIDTH 48
#define HEIGHT 32

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* gst_parse_launch() of 1.22 leaks a child whose property a line sets. */
static void
set_child (GstElement * preview, const gchar * name, gint value)
{
  gst_child_proxy_set (GST_CHILD_PROXY (preview), name, value, NULL);
}

/* A pipeline with a preview, which is the caller's. */
static GstElement *
launch (Duel * duel, const gchar * line)
{
  duel_launch (duel, line);
  return gst_bin_get_by_name (GST_BIN (duel->pipeline), "preview");
}

/* One that plays frames of the test's. */
static GstElement *
start (Duel * duel, GstVideoInfo * info, const gchar * properties)
{
  gchar *line = g_strdup_printf ("appsrc name=in0 format=time max-bytes=0 ! "
      "blockdctpreview name=preview %s ! appsink name=out sync=false "
      "max-buffers=0", properties);
  GstElement *preview = launch (duel, line);

  g_free (line);
  set_child (preview, "compare::view", 0);
  video_info (info, "I420", WIDTH, HEIGHT);
  duel_set_caps (duel, 0, info);
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  return preview;
}

static void
stop (Duel * duel, GstElement * preview)
{
  gst_clear_object (&preview);
  duel_clear (duel);
}

/* Push frame `n`: what must leave then, as this quality leaves it. */
static GstBuffer *
show (Duel * duel, const GstVideoInfo * info, guint n, gint quality)
{
  BdctParams params = defaults;
  g_autoptr (GstBuffer) in = frame_new (info, n), expected;
  BdctStats stats;
  GstBuffer *out;

  params.quality = quality;
  expected = frame_expect (info, in, &params, &stats);
  duel_push (duel, 0, gst_buffer_ref (in));
  out = duel_pull (duel);
  g_assert_nonnull (out);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
  g_assert_true (frames_equal (info, expected, out));
  return out;
}

/* One of a source that never ends. */
static GstElement *
run (Duel * duel, GstState state)
{
  GstElement *preview;

  preview = launch (duel, "videotestsrc ! video/x-raw,format=I420,width=48,"
      "height=32,framerate=25/1 ! blockdctpreview name=preview ! "
      "appsink name=out sync=false max-buffers=2");
  set_child (preview, "compare::view", 0);
  gst_element_set_state (duel->pipeline, state);
  return preview;
}

/* Take pictures until one has figures of B or none has, and its quality, if one
 * is asked for, is a blockdct's; none of them is lost, if `*n` is the next. */
static void
wait_for (Duel * duel, guint * n, gint quality, gboolean there)
{
  gboolean found = FALSE;

  while (!found) {
    g_autoptr (GstBuffer) out = duel_pull (duel);
    GstStructure *s;
    gint is = 0;

    g_assert_nonnull (out);
    if (n != NULL)
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, (*n)++ * FRAME);
    g_assert_nonnull (duel_figures (out, "dist_sink"));
    s = buffer_report (out);
    found = quality > 0 ? s != NULL && gst_structure_get_int (s, "quality", &is)
        && is == quality
        : (duel_figures (out, "dist_sink_1") != NULL) == there;
  }
}

static void
expect_text (GstElement * element, const gchar * property,
    const gchar * expected)
{
  g_autofree gchar *text = NULL;

  g_object_get (element, property, &text, NULL);
  g_assert_cmpstr (text, ==, expected);
}

/* Both are what their descriptions say, from the first frame on. */
TEST ("/preview/descriptions", test_descriptions)
{
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = start (&duel, &info, "a=\"identity ! blockdct name=x quality=7\" "
      "b=blockdct");
  set_child (preview, "b::quality", 30);
  gst_buffer_unref (show (&duel, &info, 0, 7));
  set_child (preview, "a::x::quality", 8);
  set_child (preview, "compare::right", 1);
  out = show (&duel, &info, 1, 30);
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  gst_buffer_unref (out);
  set_child (preview, "compare::right", 0);
  gst_buffer_unref (show (&duel, &info, 2, 8));
  stop (&duel, preview);
}

/* While it plays: no frame is lost. */
TEST ("/preview/exchange", test_exchange)
{
  GstElement *preview;
  guint n = 0;
  Duel duel;

  preview = run (&duel, GST_STATE_PLAYING);
  for (gint i = 1; i <= test_rounds (20); i++) {
    g_autofree gchar *line = g_strdup_printf (i % 3 ? "blockdct quality=%d"
        : "queue ! blockdct quality=%d async-depth=3 ! identity", i);

    g_object_set (preview, "a", line, NULL);
    expect_text (preview, "a", line);
    wait_for (&duel, &n, i, FALSE);
    g_object_set (preview, "b", "blockdct", NULL);
    wait_for (&duel, &n, 0, TRUE);
    g_object_set (preview, "b", i % 2 ? "" : "identity ! identity", NULL);
    g_object_set (preview, "b", "", "a", "blockdct quality=40", NULL);
    wait_for (&duel, &n, 0, FALSE);
    wait_for (&duel, &n, 40, FALSE);
  }
  stop (&duel, preview);
}

/* An encoder as B, and its bits; what it holds leaves before another one takes
 * its place. */
TEST ("/preview/encoder", test_encoder)
{
  GstElement *preview;
  GstVideoInfo info;
  guint with_b = 0, n_out = 0;
  GstBuffer *out;
  Duel duel;

  if (!test_have_element ("x264enc") || !test_have_element ("avdec_h264"))
    return;
  preview = start (&duel, &info, "b=\"x264enc rc-lookahead=10 ! blockdctcoded "
      "! avdec_h264\"");
  set_child (preview, "compare::left", 0);
  set_child (preview, "compare::right", 1);
  for (guint n = 0; n < 50; n++)
    duel_push (&duel, 0, frame_new (&info, n));
  g_object_set (preview, "b",
      "x264enc tune=zerolatency ! blockdctcoded ! avdec_h264", NULL);
  for (guint n = 50; n < 100; n++)
    duel_push (&duel, 0, frame_new (&info, n));
  duel_end_all (&duel);
  while ((out = duel_pull (&duel)) != NULL) {
    const GstStructure *s = duel_figures (out, "dist_sink_1");

    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n_out++ * FRAME);
    g_assert_nonnull (duel_figures (out, "dist_sink"));
    if (s != NULL)
      g_assert_cmpuint (get_uint64 (s, "bits"), >, 0);
    with_b += s != NULL;
    gst_buffer_unref (out);
  }
  g_assert_cmpuint (n_out, ==, 100);
  g_assert_cmpuint (with_b, ==, 100);
  expect_text (preview, "b",
      "x264enc tune=zerolatency ! blockdctcoded ! avdec_h264");
  stop (&duel, preview);
}

/* Descriptions that cannot work, and what is said of them. */
static const struct
{
  const gchar *line, *says;
} wrong[] = {
  {"blokdct", "blokdct"}, {"blockdct qualty=3", "qualty"},
  {"fakesink", "gives pictures"}, {"videotestsrc", "takes pictures"},
  {"jpegenc", "decoder"}, {"jpegdec", "videoconvert"},
};

/* While it plays, a wrong one is a warning, and the one of before stays. */
TEST ("/preview/refused", test_refused)
{
  static const gchar *const names[] = { "a", "b" };
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "a=\"blockdct quality=9\"");
  gst_buffer_unref (show (&duel, &info, 0, 9));
  for (guint i = 0; i < 2 * G_N_ELEMENTS (wrong); i++) {
    const gchar *line = wrong[i / 2].line, *name = names[i % 2];
    g_autofree gchar *said = g_strdup_printf ("%s='%s'", name, line);

    if (strstr (line, "jpeg") && !test_have_element (line))
      continue;
    g_object_set (preview, name, line, NULL);
    text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), said,
        wrong[i / 2].says, NULL);
    expect_text (preview, "a", "blockdct quality=9");
    expect_text (preview, "b", "");
  }
  g_object_set (preview, "a", "", NULL);
  text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "always an A",
      NULL);
  gst_buffer_unref (show (&duel, &info, 1, 9));
  stop (&duel, preview);
}

/* Before the start, nothing starts, until a right one is set. */
TEST ("/preview/refused-at-start", test_refused_at_start)
{
  GstElement *preview;
  g_autoptr (GstBuffer) out;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "b=blokdct");
  text_expect (duel_wait_text (&duel, GST_MESSAGE_ERROR), "b='blokdct'", NULL);
  g_assert_cmpint (GST_STATE (duel.pipeline), <, GST_STATE_PAUSED);
  expect_text (preview, "b", "");
  g_object_set (preview, "b", "blockdct", NULL);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  out = show (&duel, &info, 0, defaults.quality);
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  stop (&duel, preview);
}

/* A bin that was never started goes with its last reference. */
TEST ("/preview/refused-unused", test_refused_unused)
{
  GstElement *preview = gst_element_factory_make ("blockdctpreview", NULL);
  gpointer left = preview;

  gst_object_ref_sink (preview);
  g_object_add_weak_pointer (G_OBJECT (preview), &left);
  g_object_set (preview, "b", "blokdct", NULL);
  gst_object_unref (preview);
  g_assert_null (left);
}

static void
wait_for_state (Duel * duel)
{
  g_assert_cmpint (gst_element_get_state (duel->pipeline, NULL, NULL,
          30 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
}

/* The figure `field` of a pad in the picture of a pause. */
static GstStructure *
seek_and_take (Duel * duel, GstClockTime to)
{
  GstSample *sample;
  GstStructure *s;

  g_assert_true (gst_element_seek_simple (duel->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, to));
  g_signal_emit_by_name (duel->sink, "try-pull-preroll", 30 * GST_SECOND,
      &sample);
  g_assert_nonnull (sample);
  g_assert_cmpuint (GST_BUFFER_PTS (gst_sample_get_buffer (sample)), ==, to);
  s = gst_structure_copy (duel_figures (gst_sample_get_buffer (sample),
          "dist_sink"));
  gst_sample_unref (sample);
  wait_for_state (duel);
  return s;
}

/* In a pause, too: the picture is made again after a flushing seek. */
TEST ("/preview/pause", test_pause)
{
  Duel duel;
  GstElement *preview = run (&duel, GST_STATE_PAUSED);

  wait_for_state (&duel);
  for (gint i = 0; i < test_rounds (20); i++) {
    const gboolean fine = i % 2 == 0;
    g_autoptr (GstStructure) s;

    g_object_set (preview, "a", fine ? "blockdct quality=100"
        : "identity ! blockdct quality=1", NULL);
    if (i % 3 == 0)
      g_object_set (preview, "b", fine ? "blockdct" : "", NULL);
    s = seek_and_take (&duel, i * GST_SECOND);
    if (fine)
      g_assert_cmpfloat (get_double (s, "psnr"), >, 35);
    else
      g_assert_cmpfloat (get_double (s, "psnr"), <, 35);
  }
  stop (&duel, preview);
}

typedef struct
{
  GstElement *preview;
  gint done;                    /* atomic */
} Setter;

static gpointer
set_versions (gpointer data)
{
  static const gchar *const lines[] = { "blockdct", "identity",
    "queue ! identity"
  };
  Setter *self = data;

  for (gint i = 0; i < test_rounds (3000); i++)
    g_object_set (self->preview, i % 2 ? "a" : "b", lines[i % 3], NULL);
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

/* Versions are set while the bin starts and stops: there is always an A. */
TEST ("/preview/set-and-restart", test_set_and_restart)
{
  Setter setter = { NULL, FALSE };
  GThread *thread;
  Duel duel;

  setter.preview = run (&duel, GST_STATE_PLAYING);
  gst_bus_set_flushing (duel.bus, TRUE);
  thread = g_thread_new ("set", set_versions, &setter);
  while (!g_atomic_int_get (&setter.done)) {
    gst_element_set_state (duel.pipeline, GST_STATE_READY);
    gst_element_set_state (duel.pipeline, GST_STATE_PAUSED);
  }
  g_thread_join (thread);
  gst_element_set_state (duel.pipeline, GST_STATE_READY);
  gst_bus_set_flushing (duel.bus, FALSE);
  g_object_set (setter.preview, "a", "blockdct quality=7", NULL);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  /* appsink of 1.22 keeps two from before. */
  wait_for (&duel, NULL, 7, FALSE);
  stop (&duel, setter.preview);
}

/* Key b shows A and B when B is in place: not a B that took its place. */
TEST ("/preview/key-overtaken", test_key_overtaken)
{
  g_autoptr (GstStructure) s;
  Duel duel;
  GstElement *preview = run (&duel, GST_STATE_PAUSED);

  set_child (preview, "compare::interactive", TRUE);
  wait_for_state (&duel);
  viewer_do (preview, "key b");
  g_object_set (preview, "b", "", NULL);
  gst_structure_free (seek_and_take (&duel, GST_SECOND));
  g_object_set (preview, "b", "identity", NULL);
  s = seek_and_take (&duel, 2 * GST_SECOND);
  viewer_expect (preview, "compare::left=-1 compare::right=0");
  stop (&duel, preview);
}

/* The keys of A and B, with `interactive` alone. */
TEST ("/preview/keys", test_keys)
{
  GstElement *preview;
  guint n = 0;
  Duel duel;

  preview = run (&duel, GST_STATE_PLAYING);
  set_child (preview, "a::quality", 20);
  set_child (preview, "a::qp", 30);
  viewer_do (preview, "key Up");
  viewer_expect (preview, "a::quality=20");
  set_child (preview, "compare::interactive", TRUE);
  viewer_do (preview, "key Up");
  viewer_do (preview, "key Up");
  viewer_do (preview, "key Down");
  viewer_expect (preview, "a::quality=21");
  viewer_do (preview, "key b");
  wait_for (&duel, &n, 0, TRUE);
  viewer_expect (preview, "b::quality=21 compare::left=0 compare::right=1");
  viewer_do (preview, "key Left");
  viewer_do (preview, "key Up");
  viewer_expect (preview, "a::transform=hevc-quadtree a::qp=29");
  viewer_do (preview, "key x");
  viewer_expect (preview, "a::transform=jpeg-8x8 b::transform=hevc-quadtree "
      "b::qp=29");
  viewer_do (preview, "key g");
  viewer_expect (preview, "a::grid=true b::grid=true");
  stop (&duel, preview);
}

/* Seeks that do not flush. */
static void
seek_on (GstElement * pipeline, gpointer done)
{
  for (guint i = 0; i < 40; i++)
    gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE,
        GST_SEEK_TYPE_SET, i * GST_SECOND, GST_SEEK_TYPE_NONE, 0);
  g_async_queue_push (done, done);
}

/* A seek that does not flush meets an exchange. */
TEST ("/preview/seek", test_seek)
{
  GAsyncQueue *done = g_async_queue_new ();
  GstElement *preview;
  Duel duel;

  preview = launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=48,"
      "height=32,framerate=25/1 ! blockdctpreview name=preview ! "
      "fakesink name=out sync=false");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  gst_element_get_state (duel.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  gst_element_call_async (duel.pipeline, seek_on, done, NULL);
  for (guint i = 0; i < 40; i++) {
    g_object_set (preview, "b", i % 2 ? "" : "blockdct quality=5", NULL);
    g_usleep (2000);
  }
  g_async_queue_pop (done);
  g_async_queue_unref (done);
  stop (&duel, preview);
}

/* An element in B's description may have A's name. */
TEST ("/preview/names", test_names)
{
  GstVideoInfo info;
  GstElement *preview;
  Duel duel;

  preview = start (&duel, &info,
      "b=\"identity ! blockdct name=a quality=3 ! identity\"");
  set_child (preview, "compare::interactive", TRUE);
  set_child (preview, "a::quality", 20);
  viewer_do (preview, "key Up");
  viewer_expect (preview, "b::a::quality=3");
  stop (&duel, preview);
}
