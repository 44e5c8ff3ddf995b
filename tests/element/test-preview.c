/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpreview: A and B are any bin, exchanged at any time. */
#include <string.h>
#include "duel.h"
#include "viewer.h"

#define PATIENCE (30 * G_TIME_SPAN_SECOND)
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

/* Whether a picture is what this quality leaves of frame `n`. */
static gboolean
is_of (const GstVideoInfo * info, GstBuffer * buffer, guint n, gint quality)
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

/* Push frame `n`: what must leave then. */
static GstBuffer *
show (Duel * duel, const GstVideoInfo * info, guint n)
{
  GstBuffer *out;

  duel_push (duel, 0, frame_new (info, n));
  out = duel_pull (duel);
  g_assert_nonnull (out);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
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

/* The next picture, which is the `*n`th, if that is known: none is lost. */
static GstBuffer *
take (Duel * duel, guint * n)
{
  GstBuffer *out = duel_pull (duel);

  g_assert_nonnull (out);
  if (n != NULL)
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, (*n)++ * FRAME);
  g_assert_nonnull (duel_figures (out, "dist_sink"));
  return out;
}

/* Take pictures until one has figures of B or none has, and its quality, if one
 * is asked for, is a blockdct's. */
static void
wait_for (Duel * duel, guint * n, gint quality, gboolean there)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE;
  gboolean found = FALSE;

  while (!found) {
    g_autoptr (GstBuffer) out = take (duel, n);
    GstStructure *s = buffer_report (out);
    gint is = 0;

    g_assert_cmpint (g_get_monotonic_time (), <, end);
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
static void
test_descriptions (void)
{
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = start (&duel, &info, "a=\"identity ! blockdct name=x quality=7\" "
      "b=blockdct");
  set_child (preview, "b::quality", 30);
  out = show (&duel, &info, 0);
  g_assert_true (is_of (&info, out, 0, 7));
  gst_buffer_unref (out);
  set_child (preview, "a::x::quality", 8);
  set_child (preview, "compare::right", 1);
  out = show (&duel, &info, 1);
  g_assert_true (is_of (&info, out, 1, 30));
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  gst_buffer_unref (out);
  set_child (preview, "compare::right", 0);
  out = show (&duel, &info, 2);
  g_assert_true (is_of (&info, out, 2, 8));
  gst_buffer_unref (out);
  stop (&duel, preview);
}

/* While it plays: no frame is lost. */
static void
test_exchange (void)
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
static void
test_encoder (void)
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
static void
test_refused (void)
{
  GstElement *preview;
  GstVideoInfo info;
  g_autoptr (GstBuffer) out;
  Duel duel;

  preview = start (&duel, &info, "a=\"blockdct quality=9\"");
  gst_buffer_unref (show (&duel, &info, 0));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    if (strstr (wrong[i].line, "jpeg") && !test_have_element (wrong[i].line))
      continue;
    g_object_set (preview, "a", wrong[i].line, NULL);
    text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "a='",
        wrong[i].line, wrong[i].says, NULL);
    g_object_set (preview, "b", wrong[i].line, NULL);
    text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "b='",
        wrong[i].line, wrong[i].says, NULL);
    expect_text (preview, "a", "blockdct quality=9");
    expect_text (preview, "b", "");
  }
  g_object_set (preview, "a", "", NULL);
  text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "always an A",
      NULL);
  out = show (&duel, &info, 1);
  g_assert_true (is_of (&info, out, 1, 9));
  stop (&duel, preview);
}

/* Before the start, nothing starts, until a right one is set. */
static void
test_refused_at_start (void)
{
  Duel duel = { 0 };
  GstElement *preview;
  g_autoptr (GstBuffer) out;

  preview = launch (&duel, "videotestsrc num-buffers=1 ! video/x-raw,"
      "format=I420,width=48,height=32 ! blockdctpreview name=preview b=blokdct "
      "! appsink name=out");
  g_assert_cmpint (gst_element_set_state (duel.pipeline, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  text_expect (duel_wait_text (&duel, GST_MESSAGE_ERROR), "b='blokdct'", NULL);
  expect_text (preview, "b", "");
  g_object_set (preview, "b", "blockdct", NULL);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  out = duel_pull (&duel);
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  stop (&duel, preview);
}

/* A bin that was never started goes with its last reference. */
static void
test_refused_unused (void)
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
static void
test_pause (void)
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
static void
test_set_and_restart (void)
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

static gint
get_child_int (GstElement * preview, const gchar * name)
{
  GValue value = G_VALUE_INIT;
  gint i;

  gst_child_proxy_get_property (GST_CHILD_PROXY (preview), name, &value);
  i = G_VALUE_HOLDS_ENUM (&value) ? g_value_get_enum (&value)
      : G_VALUE_HOLDS_BOOLEAN (&value) ? g_value_get_boolean (&value)
      : g_value_get_int (&value);
  g_value_unset (&value);
  return i;
}

/* Key b shows A and B when B is in place: not a B that took its place. */
static void
test_key_overtaken (void)
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
  g_assert_cmpint (get_child_int (preview, "compare::left"), ==, -1);
  g_assert_cmpint (get_child_int (preview, "compare::right"), ==, 0);
  stop (&duel, preview);
}

/* The keys of A and B, with `interactive` alone. */
static void
test_keys (void)
{
  GstElement *preview;
  guint n = 0;
  Duel duel;

  preview = run (&duel, GST_STATE_PLAYING);
  set_child (preview, "a::quality", 20);
  set_child (preview, "a::qp", 30);
  viewer_do (preview, "key Up");
  g_assert_cmpint (get_child_int (preview, "a::quality"), ==, 20);
  set_child (preview, "compare::interactive", TRUE);
  viewer_do (preview, "key Up");
  viewer_do (preview, "key Up");
  viewer_do (preview, "key Down");
  g_assert_cmpint (get_child_int (preview, "a::quality"), ==, 21);
  viewer_do (preview, "key b");
  wait_for (&duel, &n, 0, TRUE);
  g_assert_cmpint (get_child_int (preview, "b::quality"), ==, 21);
  g_assert_cmpint (get_child_int (preview, "compare::left"), ==, 0);
  g_assert_cmpint (get_child_int (preview, "compare::right"), ==, 1);
  viewer_do (preview, "key Left");
  g_assert_cmpint (get_child_int (preview, "a::transform"), ==,
      BDCT_N_TRANSFORMS - 1);
  viewer_do (preview, "key Up");
  g_assert_cmpint (get_child_int (preview, "a::qp"), ==, 29);
  viewer_do (preview, "key x");
  g_assert_cmpint (get_child_int (preview, "a::transform"), ==, 0);
  g_assert_cmpint (get_child_int (preview, "b::transform"), ==,
      BDCT_N_TRANSFORMS - 1);
  g_assert_cmpint (get_child_int (preview, "b::qp"), ==, 29);
  viewer_do (preview, "key g");
  g_assert_true (get_child_int (preview, "a::grid"));
  g_assert_true (get_child_int (preview, "b::grid"));
  stop (&duel, preview);
}

typedef struct
{
  GstElement *pipeline;
  GAsyncQueue *done;
} Seeker;

/* Seeks that do not flush. */
static gpointer
seek_on (gpointer data)
{
  Seeker *seeker = data;

  for (guint i = 0; i < 40; i++)
    gst_element_seek (seeker->pipeline, 1.0, GST_FORMAT_TIME,
        GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, i * GST_SECOND,
        GST_SEEK_TYPE_NONE, 0);
  g_async_queue_push (seeker->done, seeker);
  return NULL;
}

/* A seek that does not flush meets an exchange. */
static void
test_seek (void)
{
  Seeker seeker = {.done = g_async_queue_new () };
  GstElement *preview;
  GThread *thread;
  Duel duel;

  preview = launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=48,"
      "height=32,framerate=25/1 ! blockdctpreview name=preview ! "
      "fakesink name=out sync=false");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  gst_element_get_state (duel.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  seeker.pipeline = duel.pipeline;
  thread = g_thread_new ("seek", seek_on, &seeker);
  for (guint i = 0; i < 40; i++) {
    g_object_set (preview, "b", i % 2 ? "" : "blockdct quality=5", NULL);
    g_usleep (2000);
  }
  g_assert_nonnull (g_async_queue_timeout_pop (seeker.done, PATIENCE));
  g_thread_join (thread);
  g_async_queue_unref (seeker.done);
  stop (&duel, preview);
}

/* An element in B's description may have A's name. */
static void
test_names (void)
{
  GstVideoInfo info;
  GstElement *preview, *b, *inner;
  gint quality;
  Duel duel;

  preview = start (&duel, &info,
      "b=\"identity ! blockdct name=a quality=3 ! identity\"");
  set_child (preview, "compare::interactive", TRUE);
  set_child (preview, "a::quality", 20);
  viewer_do (preview, "key Up");
  b = gst_bin_get_by_name (GST_BIN (preview), "b");
  inner = gst_bin_get_by_name (GST_BIN (b), "a");
  g_object_get (inner, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 3);
  gst_object_unref (inner);
  gst_object_unref (b);
  stop (&duel, preview);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/preview/descriptions", test_descriptions);
  test_add ("/preview/exchange", test_exchange);
  test_add ("/preview/encoder", test_encoder);
  test_add ("/preview/refused", test_refused);
  test_add ("/preview/refused-at-start", test_refused_at_start);
  test_add ("/preview/refused-unused", test_refused_unused);
  test_add ("/preview/pause", test_pause);
  test_add ("/preview/set-and-restart", test_set_and_restart);
  test_add ("/preview/keys", test_keys);
  test_add ("/preview/key-overtaken", test_key_overtaken);
  test_add ("/preview/names", test_names);
  test_add ("/preview/seek", test_seek);
  return test_run ();
}
