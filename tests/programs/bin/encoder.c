/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage: an encoder and its decoder make B's pictures. Each frame has
 * its number drawn on it in bars, which are found again in what was coded. */
#include <string.h>
#include "preview.h"
#include "programs/preview/bin/register.h"

#define WIDTH 128
#define HEIGHT 64
#define BAR 16
#define N_FRAMES 60

#define PATIENCE (30 * GST_SECOND)

/* x265enc 1.22 loses a table for each encoder, and libx264 what it had when it
 * refuses a size. */
#ifdef __SANITIZE_ADDRESS__
#define FINDS_LEAKS TRUE
#else
#define FINDS_LEAKS FALSE
#endif

static const gchar zerolatency[] = "x264enc tune=zerolatency pass=quant "
    "quantizer=30";

/* Bars, dark or light, are the bits of `n`; noise gives the encoder work. */
static GstBuffer *
numbered_new (const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = frame_new (info, n);
  GRand *rand = g_rand_new_with_seed (n);
  GstVideoFrame frame;

  g_assert_true (gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE));
  for (gint p = 0; p < 3; p++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, p); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&frame, p); x++) {
        guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p)
            + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

        row[x] = p > 0 ? 128 : (n >> (x / BAR) & 1 ? 170 : 70)
            + g_rand_int_range (rand, 0, 16);
      }
  gst_video_frame_unmap (&frame);
  g_rand_free (rand);
  return buffer;
}

static guint
read_number (const GstVideoInfo * info, GstBuffer * buffer)
{
  guint sum[WIDTH / BAR] = { 0 }, n = 0;
  GstVideoFrame frame;

  g_assert_true (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++)
      sum[x / BAR] += ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0))
          [y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + x];
  gst_video_frame_unmap (&frame);
  for (guint i = 0; i < WIDTH / BAR; i++)
    n |= (sum[i] > 128 * BAR * HEIGHT) << i;
  return n;
}

/* A playing pipeline that shows B alone. */
static GstElement *
start (Duel * duel, GstVideoInfo * info, const gchar * line)
{
  GstElement *preview = preview_start (duel, info, "single", 1, FALSE);

  g_object_set (preview, "b-encoder", line, NULL);
  video_info (info, "I420", WIDTH, HEIGHT);
  duel_set_caps (duel, 0, info);
  return preview;
}

static void
push (Duel * duel, const GstVideoInfo * info, guint from, guint to)
{
  for (guint n = from; n < to; n++)
    duel_push (duel, 0, numbered_new (info, n));
}

/* The next new picture must be frame `n`'s; its figures' bits, 0 if there are
 * none. */
static guint64
pull (Duel * duel, const GstVideoInfo * info, guint n)
{
  GstBuffer *out = preview_pull_new (duel);
  const GstStructure *s;
  guint64 bits = 0, headers;

  g_assert_nonnull (out);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
  g_assert_cmpuint (read_number (info, out), ==, n);
  s = duel_figures (out, "dist_sink_1");
  g_assert_nonnull (s);
  g_assert_cmpfloat (get_double (s, "psnr"), >, 15);
  g_assert_nonnull (duel_figures (out, "dist_sink"));
  if (gst_structure_get_uint64 (s, "bits", &bits)) {
    g_assert_cmpuint (bits, >, 0);
    g_assert_true (gst_structure_get_uint64 (s, "bits-headers", &headers));
    bits += headers;
  }
  gst_buffer_unref (out);
  return bits;
}

/* All frames through a line: each has its own picture. Returns all bits. */
static guint64
code (const gchar * line)
{
  guint64 sum = 0;
  GstElement *preview;
  GstVideoInfo info;
  GstStructure *s;
  Duel duel;

  preview = start (&duel, &info, line);
  push (&duel, &info, 0, N_FRAMES);
  duel_end (&duel, 0);
  for (guint n = 0; n < N_FRAMES; n++) {
    const guint64 bits = pull (&duel, &info, n);

    g_assert_cmpuint (bits, >, 0);
    sum += bits;
  }
  g_assert_null (duel_pull (&duel));
  for (guint i = 0; i < 2; i++) {
    s = duel_wait_report (&duel, "pooled");
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, N_FRAMES);
    g_assert_cmpuint (get_uint64 (s, "unmatched"), ==, 0);
    if (i > 0)
      g_assert_cmpuint (get_uint64 (s, "bits") + get_uint64 (s,
              "bits-headers"), ==, sum);
    gst_structure_free (s);
  }
  preview_stop (&duel, preview);
  return sum;
}

/* Whether the first encoder of a line is there, and a decoder for it. */
static gboolean
have (const gchar * line)
{
  static const gchar *const decoders[][2] = { {"x264enc", "avdec_h264"},
    {"x265enc", "avdec_h265"}, {"avenc_mpeg4", "avdec_mpeg4"}
  };
  gchar *name = g_strndup (line, strcspn (line, " "));
  gboolean there = test_have_element (name);

  for (guint i = 0; i < G_N_ELEMENTS (decoders) && there; i++)
    if (strcmp (name, decoders[i][0]) == 0)
      there = test_have_element (decoders[i][1]);
  g_free (name);
  return there;
}

/* Finest first. */
static void
code_all (const gchar * const lines[3])
{
  guint64 before = G_MAXUINT64;

  if (!have (lines[0]))
    return;
  for (guint i = 0; i < 3; i++) {
    const guint64 bits = code (lines[i]);

    g_assert_cmpuint (bits, <, before);
    before = bits;
  }
}

static void
test_x264 (void)
{
  static const gchar *const lines[] = { "x264enc pass=quant quantizer=15",
    "x264enc pass=quant quantizer=30", "x264enc pass=quant quantizer=45"
  };

  code_all (lines);
}

static void
test_x265 (void)
{
  static const gchar *const lines[] = {
    "x265enc speed-preset=ultrafast qp=15",
    "x265enc speed-preset=ultrafast qp=30",
    "x265enc speed-preset=ultrafast qp=45"
  };

  if (FINDS_LEAKS)
    return;
  code_all (lines);
}

static void
test_vp8 (void)
{
  static const gchar *const lines[] = {
    "vp8enc deadline=1 min-quantizer=5 max-quantizer=5",
    "vp8enc deadline=1 min-quantizer=30 max-quantizer=30",
    "vp8enc deadline=1 min-quantizer=60 max-quantizer=60"
  };

  code_all (lines);
}

static void
test_jpeg (void)
{
  static const gchar *const lines[] = { "jpegenc quality=90",
    "jpegenc quality=50", "jpegenc quality=10"
  };

  code_all (lines);
}

static void
test_theora (void)
{
  static const gchar *const lines[] = { "theoraenc quality=60",
    "theoraenc quality=30", "theoraenc quality=5"
  };

  code_all (lines);
}

/* A parser is found for streams that need one; threads of the line's own do as
 * well. */
static void
test_others (void)
{
  if (have ("avenc_mpeg4"))
    code ("avenc_mpeg4 qmin=5 qmax=5");
  if (have ("x264enc"))
    code ("x264enc pass=quant quantizer=30 rc-lookahead=10 ! queue");
}

/* The line changes while frames flow: each frame has one picture, none is lost,
 * and the last line does it in the end. */
static void
test_changes (void)
{
  static const gchar *const lines[] = { "x264enc pass=quant quantizer=%u",
    "jpegenc quality=%u", NULL, zerolatency,
    "x264enc tune=zerolatency pass=quant quantizer=%u"
  };
  GstElement *preview;
  GstVideoInfo info;
  guint n = 0;
  Duel duel;

  if (!have (lines[0]) || !have (lines[1]))
    return;
  preview = start (&duel, &info, "jpegenc");
  for (guint i = 0; i < 20; i++, n += 5) {
    const gchar *form = lines[i % G_N_ELEMENTS (lines)];
    gchar *line = form == NULL ? NULL : strstr (form, "%u") == NULL
        ? g_strdup (form) : g_strdup_printf (form, 20 + i), *given;

    push (&duel, &info, n, n + 5);
    for (guint k = 0; i % 3 == 1 && k < 5 && i > 9; k++)
      g_usleep (1000);
    g_object_set (preview, "b-encoder", line, NULL);
    g_object_get (preview, "b-encoder", &given, NULL);
    g_assert_cmpstr (given, ==, line);
    g_free (given);
    g_free (line);
  }
  push (&duel, &info, n, n + 5);
  for (guint k = 0; k < n; k++)
    pull (&duel, &info, k);
  /* None of these had come when the line was set. */
  for (guint k = n; k < n + 5; k++)
    g_assert_cmpuint (pull (&duel, &info, k), >, 0);
  duel_end (&duel, 0);
  g_assert_null (duel_pull (&duel));
  preview_stop (&duel, preview);
}

/* The bits that a frame has which is coded alone. */
static guint64
code_alone (const gchar * line, guint n)
{
  GstElement *preview;
  GstVideoInfo info;
  guint64 bits;
  Duel duel;

  preview = start (&duel, &info, line);
  push (&duel, &info, n, n + 1);
  duel_end (&duel, 0);
  bits = pull (&duel, &info, n);
  g_assert_null (duel_pull (&duel));
  preview_stop (&duel, preview);
  return bits;
}

/* Pull repeated pictures until one, of frame `n`, has so many bits; with 0, the
 * first one. */
static void
wait_for_repeat (Duel * duel, const GstVideoInfo * info, guint n, guint64 bits)
{
  guint64 found = 1, headers = 0;

  do {
    GstBuffer *out = duel_pull (duel);
    const GstStructure *s;

    g_assert_nonnull (out);
    g_assert_true (preview_is_repeated (out));
    g_assert_cmpuint (read_number (info, out), ==, n);
    s = duel_figures (out, "dist_sink_1");
    g_assert_nonnull (s);
    if (!gst_structure_get_uint64 (s, "bits", &found))
      found = 1;
    else if (gst_structure_get_uint64 (s, "bits-headers", &headers))
      found += headers;
    gst_buffer_unref (out);
  } while (bits > 0 && found != bits);
}

/* Wait until so many frames have come in, whether B's pictures have come out or
 * not. */
static void
wait_for_frames (GstElement * preview, guint n)
{
  GObject *a = preview_get_child (preview, "a");
  guint64 frames = 0;

  while (frames < n) {
    GstStructure *s;

    g_usleep (1000);
    g_object_get (a, "stats", &s, NULL);
    frames = get_uint64 (s, "frames");
    gst_structure_free (s);
  }
  g_object_unref (a);
}

/* While a frame is held, what the encoder holds comes out; a change codes that
 * frame alone; afterwards frames go on. */
static void
test_freeze (void)
{
  static const gchar *const lines[] = { "jpegenc quality=30",
    "x264enc pass=quant quantizer=25", "jpegenc quality=70",
    "x264enc pass=quant quantizer=40"
  };
  guint n = 0;
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  if (!have (lines[0]) || !have (lines[1]))
    return;
  preview = start (&duel, &info, lines[1]);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    push (&duel, &info, n, n + 5);
    wait_for_frames (preview, n + 5);
    g_object_set (preview, "freeze", TRUE, NULL);
    for (guint end = n + 5; n < end; n++)
      pull (&duel, &info, n);
    wait_for_repeat (&duel, &info, n - 1, 0);
    for (guint k = 0; k < G_N_ELEMENTS (lines); k++) {
      const gchar *line = lines[(i + k) % G_N_ELEMENTS (lines)];

      g_object_set (preview, "b-encoder", line, NULL);
      if (k > 0)
        wait_for_repeat (&duel, &info, n - 1, code_alone (line, n - 1));
    }
    /* And the blockdct b, and back. */
    g_object_set (preview, "b-encoder", NULL, NULL);
    wait_for_repeat (&duel, &info, n - 1, 1);
    g_object_set (preview, "b-encoder", lines[i], NULL);
    wait_for_repeat (&duel, &info, n - 1, code_alone (lines[i], n - 1));
    g_object_set (preview, "freeze", FALSE, NULL);
  }
  push (&duel, &info, n, n + 1);
  duel_end (&duel, 0);
  g_assert_cmpuint (pull (&duel, &info, n), >, 0);
  g_assert_null (preview_pull_new (&duel));
  preview_stop (&duel, preview);
}

/* B that is first shown while a frame is held is made of that frame. */
static void
test_shown_when_frozen (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  if (!have ("x264enc"))
    return;
  preview = start (&duel, &info, "x264enc pass=quant quantizer=30");
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right", 0, NULL);
  push (&duel, &info, 0, 1);
  gst_buffer_unref (preview_pull_new (&duel));
  g_object_set (preview, "freeze", TRUE, NULL);
  gst_buffer_unref (duel_pull (&duel));
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right", 1, NULL);
  for (gboolean shown = FALSE; !shown;) {
    GstBuffer *out = duel_pull (&duel);

    g_assert_true (preview_is_repeated (out));
    g_assert_cmpuint (read_number (&info, out), ==, 0);
    shown = duel_figures (out, "dist_sink_1") != NULL;
    g_assert_true (!shown || gst_structure_has_field (duel_figures (out,
                "dist_sink_1"), "bits"));
    gst_buffer_unref (out);
  }
  g_object_set (preview, "freeze", FALSE, NULL);
  preview_stop (&duel, preview);
}

/* B is hidden and shown: no frame is lost, whoever is seen. */
static void
test_hidden (void)
{
  guint n = 0, shown = 0;
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  if (!have ("x264enc"))
    return;
  preview = start (&duel, &info, "x264enc pass=quant quantizer=30");
  for (guint i = 0; i < 20; i++) {
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right",
        i % 2 == 0, NULL);
    push (&duel, &info, n, n + 5);
    n += 5;
    g_usleep (5000);
  }
  duel_end (&duel, 0);
  for (guint k = 0; k < n; k++) {
    GstBuffer *out = preview_pull_new (&duel);
    const GstStructure *s;

    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, k * FRAME);
    g_assert_cmpuint (read_number (&info, out), ==, k);
    s = duel_figures (out, "dist_sink_1");
    if (s != NULL) {
      g_assert_cmpuint (get_uint64 (s, "bits"), >, 0);
      g_assert_cmpfloat (get_double (s, "psnr"), >, 15);
      shown++;
    }
    gst_buffer_unref (out);
  }
  g_assert_cmpuint (shown, >, 0);
  g_assert_null (duel_pull (&duel));
  preview_stop (&duel, preview);
}

/* A warning that names all of these has been posted; other ones may be. */
static void
expect_warning (Duel * duel, const gchar * line, const gchar * what)
{
  gchar *text = duel_wait_text (duel, GST_MESSAGE_WARNING);

  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, line));
  g_assert_nonnull (strstr (text, what));
  g_free (text);
}

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer data)
{
  gchar *line;

  (void) pspec;
  g_object_get (object, "b-encoder", &line, NULL);
  if (line == NULL)
    g_atomic_int_inc ((gint *) data);
  g_free (line);
}

/* An encoder that fails is replaced by the blockdct b, and frames go on. */
static void
fail (const gchar * line, gint width, gint height, const gchar * cause)
{
  gint notified = 0;
  GstElement *preview;
  GstVideoInfo info;
  gchar *left;
  Duel duel;

  preview = start (&duel, &info, line);
  g_signal_connect (preview, "notify::b-encoder", G_CALLBACK (count_notify),
      &notified);
  video_info (&info, "I420", width, height);
  duel_set_caps (&duel, 0, &info);
  for (guint n = 0; n < 12; n++)
    duel_push (&duel, 0, frame_new (&info, n));
  duel_end (&duel, 0);
  for (guint n = 0; n < 12; n++) {
    GstBuffer *out = duel_pull (&duel);

    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
    gst_buffer_unref (out);
  }
  g_assert_null (duel_pull (&duel));
  expect_warning (&duel, line, cause);
  g_assert_cmpint (g_atomic_int_get (&notified), ==, 1);
  g_object_get (preview, "b-encoder", &left, NULL);
  g_assert_null (left);
  preview_stop (&duel, preview);
}

static void
test_failures (void)
{
  if (!have ("x264enc"))
    return;
  fail ("identity error-after=5 ! x264enc tune=zerolatency", WIDTH, HEIGHT,
      "identity");
  fail ("identity error-after=1 ! x264enc", WIDTH, HEIGHT, "identity");
  fail ("queue ! identity error-after=5 ! x264enc", WIDTH, HEIGHT, "");
  fail ("x264enc ! identity error-after=3", WIDTH, HEIGHT, "identity");
  fail ("x264enc tune=zerolatency ! identity eos-after=3", WIDTH, HEIGHT,
      "eos");
  fail ("capsfilter caps=video/x-raw,width=9999 ! x264enc", WIDTH, HEIGHT,
      "128x64");
  if (!FINDS_LEAKS)
    fail ("x264enc", 33, 17, "x264enc");
}

/* The encoder fails while a frame is held. */
static void
test_failure_when_frozen (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  if (!have (zerolatency))
    return;
  preview = start (&duel, &info, zerolatency);
  push (&duel, &info, 0, 3);
  for (guint n = 0; n < 3; n++)
    pull (&duel, &info, n);
  g_object_set (preview, "freeze", TRUE, NULL);
  wait_for_repeat (&duel, &info, 2, 0);
  g_object_set (preview, "b-encoder", "identity error-after=1 ! x264enc", NULL);
  expect_warning (&duel, "identity error-after=1", "identity");
  wait_for_repeat (&duel, &info, 2, 1);
  g_object_set (preview, "b-encoder", "x264enc drop-probability=1", NULL);
  expect_warning (&duel, "x264enc drop-probability=1", "refused");
  g_object_set (preview, "freeze", FALSE, NULL);
  push (&duel, &info, 3, 4);
  g_assert_cmpuint (pull (&duel, &info, 3), ==, 0);
  preview_stop (&duel, preview);
}

/* What cannot work is refused when it is set, and changes nothing. */
static void
test_bad_lines (void)
{
  static const gchar *const lines[][2] = {
    {"nosuchenc", "nosuchenc"}, {"x264enc no-such=1", "no-such"},
    {"x264enc ! nosuchparse", "nosuchparse"}, {"identity", "no encoder"},
    {"x264enc ! fakesink", "coded"}, {"videotestsrc ! x264enc", "pictures"},
    {"x264enc !", ""}, {"! !", ""},
    {"x264enc ! video/x-nosuch", ""}
  };
  GstElement *preview;
  GstVideoInfo info;
  gchar *line;
  Duel duel;

  if (!have (zerolatency))
    return;
  preview = start (&duel, &info, zerolatency);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_object_set (preview, "b-encoder", lines[i][0], NULL);
    expect_warning (&duel, lines[i][0], lines[i][1]);
    g_object_get (preview, "b-encoder", &line, NULL);
    g_assert_cmpstr (line, ==, zerolatency);
    g_free (line);
    push (&duel, &info, i, i + 1);
    g_assert_cmpuint (pull (&duel, &info, i), >, 0);
  }
  g_object_set (preview, "b-encoder", "", NULL);
  g_object_get (preview, "b-encoder", &line, NULL);
  g_assert_null (line);
  preview_stop (&duel, preview);
}

/* Before there is a bus, too: it is said at the start. */
static void
test_bad_line_at_launch (void)
{
  static const gchar line[] = "nosuchenc qp=1";
  GstElement *preview;
  Duel duel;

  duel_launch (&duel, "blockdctpage name=preview "
      "b-encoder=\"nosuchenc qp=1\" ! fakesink "
      "videotestsrc num-buffers=1 ! preview. appsink name=out");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  expect_warning (&duel, line, "nosuchenc");
  preview_stop (&duel, preview);
}

/* A live source goes on while an encoder holds frames back. */
static void
test_live (void)
{
  guint coded = 0, n = 0;
  GstElement *preview;
  GstBuffer *out;
  Duel duel;

  if (!have ("x264enc"))
    return;
  duel_launch (&duel, "videotestsrc is-live=true num-buffers=300 ! video/x-raw,"
      "format=I420,width=128,height=64,framerate=100/1 ! "
      "blockdctpage name=preview ! appsink name=out sync=false "
      "max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  preview_set_child (preview, "compare", "right", "1");
  g_object_set (preview, "b-encoder", "x264enc rc-lookahead=20", NULL);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  while ((out = duel_pull (&duel)) != NULL) {
    GstMessage *message;

    while ((message = gst_bus_pop_filtered (duel.bus,
                GST_MESSAGE_LATENCY)) != NULL) {
      gst_bin_recalculate_latency (GST_BIN (duel.pipeline));
      gst_message_unref (message);
    }
    n++;
    coded += duel_figures (out, "dist_sink_1") != NULL;
    gst_buffer_unref (out);
  }
  g_test_message ("%u of %u frames met their coded pictures", coded, n);
  g_assert_cmpuint (n, >, 0);
  preview_stop (&duel, preview);
}

/* More frames than may wait are not held back for ever. */
static void
test_lookahead (void)
{
  static const gchar line[] = "x264enc rc-lookahead=250 sync-lookahead=250 "
      "pass=quant quantizer=30";
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  if (!have (line))
    return;
  preview = start (&duel, &info, line);
  push (&duel, &info, 0, 200);
  for (guint n = 0; n < 100; n++)
    pull (&duel, &info, n);
  expect_warning (&duel, line, "lookahead");
  duel_end (&duel, 0);
  for (guint n = 100; n < 200; n++)
    pull (&duel, &info, n);
  g_assert_null (duel_pull (&duel));
  duel_abort (&duel);
  gst_object_unref (preview);
}

/* Other caps: what the encoder holds leaves before. */
static void
test_caps_change (void)
{
  GstVideoInfo infos[2];
  GstElement *preview;
  GstBuffer *out;
  Duel duel;

  if (!have ("x264enc"))
    return;
  preview = start (&duel, &infos[0], "x264enc pass=quant quantizer=30");
  video_info (&infos[1], "NV12", 2 * WIDTH, HEIGHT);
  for (guint n = 0; n < 40; n++) {
    if (n % 5 == 0)
      duel_set_caps (&duel, 0, &infos[n / 5 % 2]);
    duel_push (&duel, 0, frame_new (&infos[n / 5 % 2], n));
  }
  duel_end (&duel, 0);
  for (guint n = 0; n < 40; n++) {
    out = duel_pull (&duel);
    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
    g_assert_cmpuint (gst_buffer_get_size (out), ==, infos[n / 5 % 2].size);
    g_assert_true (gst_structure_has_field (duel_figures (out, "dist_sink_1"),
            "bits"));
    gst_buffer_unref (out);
  }
  g_assert_null (duel_pull (&duel));
  preview_stop (&duel, preview);
}

/* R, G and B, and other formats that encoders do not take. */
static void
test_layouts (void)
{
  static const gchar *const formats[] = { "RGB", "BGRx", "NV12", "Y444",
    "Y42B", "I420_10LE"
  };

  if (!have (zerolatency))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstElement *preview;
    GstVideoInfo info;
    GstBuffer *out;
    Duel duel;

    preview = start (&duel, &info, zerolatency);
    video_info (&info, formats[i], WIDTH, HEIGHT);
    duel_set_caps (&duel, 0, &info);
    duel_push (&duel, 0, frame_new (&info, 0));
    out = duel_pull (&duel);
    g_assert_cmpuint (gst_buffer_get_size (out), ==, info.size);
    g_assert_true (gst_structure_has_field (duel_figures (out, "dist_sink_1"),
            "bits"));
    gst_buffer_unref (out);
    preview_stop (&duel, preview);
  }
}

static GstElement *
start_source (Duel * duel, const gchar * line)
{
  GstElement *preview;

  duel_launch (duel, "videotestsrc ! video/x-raw,format=I420,width=128,"
      "height=64,framerate=25/1 ! identity sleep-time=500 ! "
      "blockdctpage name=preview ! appsink name=out sync=false "
      "max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel->pipeline), "preview");
  preview_set_child (preview, "compare", "right", "1");
  g_object_set (preview, "b-encoder", line, NULL);
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  return preview;
}

static void
wait_for_state (Duel * duel)
{
  g_assert_cmpint (gst_element_get_state (duel->pipeline, NULL, NULL, PATIENCE),
      ==, GST_STATE_CHANGE_SUCCESS);
}

static void
seek (Duel * duel, GstClockTime to)
{
  g_assert_true (gst_element_seek_simple (duel->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, to));
}

/* The next new picture, which has figures of an encoder. */
static GstClockTime
pull_time (Duel * duel)
{
  GstBuffer *out = preview_pull_new (duel);
  GstClockTime time;

  g_assert_nonnull (out);
  time = GST_BUFFER_PTS (out);
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  g_assert_true (gst_structure_has_field (duel_figures (out, "dist_sink_1"),
          "bits"));
  gst_buffer_unref (out);
  return time;
}

static void
test_seek (void)
{
  GstElement *preview;
  Duel duel;

  if (!have ("x264enc"))
    return;
  preview = start_source (&duel, "x264enc pass=quant quantizer=30");
  for (guint i = 0; i < 10; i++) {
    const GstClockTime to = i * 7 * GST_SECOND;

    if (i > 0)
      seek (&duel, to);
    for (guint n = 0; n < (i % 3 == 0 ? 70 : 3); n++)
      g_assert_cmpuint (pull_time (&duel), ==, to + n * FRAME);
    wait_for_state (&duel);
  }
  /* While a frame is held, too: its picture is there without a next frame. */
  g_object_set (preview, "freeze", TRUE, NULL);
  for (guint i = 0; i < 5; i++) {
    seek (&duel, i * GST_SECOND);
    g_assert_cmpuint (pull_time (&duel), ==, i * GST_SECOND);
    wait_for_state (&duel);
  }
  preview_stop (&duel, preview);
}

/* A sink that takes nothing: frames wait everywhere, and all stops at once. */
static void
test_stop_when_full (void)
{
  if (!have ("x264enc"))
    return;
  for (guint i = 0; i < 6; i++) {
    GstElement *preview;
    Duel duel;

    duel_launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=128,"
        "height=64,framerate=25/1 ! blockdctpage name=preview ! "
        "appsink name=out sync=false max-buffers=1");
    preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
    preview_set_child (preview, "compare", "right", "1");
    g_object_set (preview, "b-encoder", i % 2 ? zerolatency : "queue ! "
        "x264enc tune=zerolatency ! queue", NULL);
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
    gst_buffer_unref (duel_pull (&duel));
    g_usleep (200000);
    if (i > 1)
      g_object_set (preview, "b-encoder", i > 3 ? NULL : "jpegenc", NULL);
    g_usleep (20000);
    preview_stop (&duel, preview);
  }
}

/* Anything may happen while the encoder holds frames. */
static void
test_anything (void)
{
  static const gchar *const lines[] = { "x264enc pass=quant quantizer=30",
    NULL, "jpegenc", zerolatency, "queue ! x264enc speed-preset=1 ! queue",
    "identity error-after=20 ! x264enc"
  };
  GRand *rand = g_rand_new_with_seed (g_test_rand_int ());
  GstElement *preview;
  GstMessage *message;
  Duel duel;

  if (!have ("x264enc") || !have ("jpegenc"))
    return;
  preview = start_source (&duel, lines[0]);
  wait_for_state (&duel);
  /* GStreamer wants no seek, and no other state, before a state is reached. */
  for (gint i = 0; i < test_rounds (150); i++) {
    const gint value = g_rand_int_range (rand, 0, 100);

    switch (g_rand_int_range (rand, 0, 7)) {
      case 0:
      case 1:
        g_object_set (preview, "b-encoder",
            lines[value % G_N_ELEMENTS (lines)], NULL);
        break;
      case 2:
        g_object_set (preview, "freeze", value % 2, NULL);
        break;
      case 3:
        gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right",
            value % 2, NULL);
        break;
      case 4:
        seek (&duel, value * GST_SECOND);
        wait_for_state (&duel);
        break;
      case 5:
        gst_element_set_state (duel.pipeline, value % 3 == 0 ? GST_STATE_READY
            : value % 3 == 1 ? GST_STATE_PAUSED : GST_STATE_NULL);
        if (value % 3 == 1)
          wait_for_state (&duel);
        gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
        wait_for_state (&duel);
        break;
      default:
        g_object_set (preview, "freeze", FALSE, NULL);
        gst_buffer_unref (preview_pull_new (&duel));
        break;
    }
  }
  g_object_set (preview, "freeze", FALSE, NULL);
  gst_buffer_unref (preview_pull_new (&duel));
  g_rand_free (rand);
  gst_object_unref (preview);
  /* Of what is on the bus warnings alone were asked for. */
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  message = gst_bus_pop_filtered (duel.bus, GST_MESSAGE_ERROR);
  if (message != NULL) {
    gchar *text = gst_structure_to_string (gst_message_get_structure
        (message));

    g_test_message ("%s: %s", GST_MESSAGE_SRC_NAME (message), text);
    g_free (text);
    g_test_fail ();
    gst_message_unref (message);
  }
  duel_abort (&duel);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  preview_bin_register ();
  test_add ("/preview-encoder/x264", test_x264);
  test_add ("/preview-encoder/x265", test_x265);
  test_add ("/preview-encoder/vp8", test_vp8);
  test_add ("/preview-encoder/jpeg", test_jpeg);
  test_add ("/preview-encoder/theora", test_theora);
  test_add ("/preview-encoder/others", test_others);
  test_add ("/preview-encoder/changes", test_changes);
  test_add ("/preview-encoder/freeze", test_freeze);
  test_add ("/preview-encoder/shown-when-frozen", test_shown_when_frozen);
  test_add ("/preview-encoder/hidden", test_hidden);
  test_add ("/preview-encoder/failures", test_failures);
  test_add ("/preview-encoder/failure-when-frozen", test_failure_when_frozen);
  test_add ("/preview-encoder/bad-lines", test_bad_lines);
  test_add ("/preview-encoder/bad-line-at-launch", test_bad_line_at_launch);
  test_add ("/preview-encoder/live", test_live);
  test_add ("/preview-encoder/lookahead", test_lookahead);
  test_add ("/preview-encoder/caps-change", test_caps_change);
  test_add ("/preview-encoder/layouts", test_layouts);
  test_add ("/preview-encoder/seek", test_seek);
  test_add ("/preview-encoder/stop-when-full", test_stop_when_full);
  test_add ("/preview-encoder/anything", test_anything);
  return test_run ();
}
