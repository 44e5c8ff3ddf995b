/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * B, the second set of settings: its figures and its picture are those of an
 * element that has them alone, whatever A is; the keys that turn it. (Every
 * sample of every pair of pictures is in tests/check/test-view.c.) */
#include <string.h>
#include "bench.h"

#define W 128
#define H 72
#define N_FRAMES 2

/* Of each report of an element with these settings; A alone if `second` is
 * below 0. */
static Bench
start (const gchar * format, gint transform, gint second, gint quality,
    gint qp, const gchar * view)
{
  Bench bench;

  bench_init (&bench, format, W, H, "transform", transform, "quality",
      quality, "qp", qp, "rate", TRUE, "b-transform", 1 + second,
      "b-quality", 20, "b-qp", 37, "chroma-qp-offset", 3, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "metrics",
      "ssim+psnr-b");
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", view);
  return bench;
}

/* A field of an element's own report has to be in the other one's. */
typedef struct
{
  const GstStructure *other;
  const gchar *before;          /* its name there */
  guint n;
} Compare;

static gboolean
compare_field (GQuark field, const GValue * value, gpointer data)
{
  static const gchar *const not_of_b[] = { "type", "timestamp", "stream-time",
    "running-time", "duration", "index", "backend", "dropped", "view"
  };
  Compare *c = data;
  gchar *name = g_strconcat (c->before, g_quark_to_string (field), NULL);
  const GValue *other = gst_structure_get_value (c->other, name);
  gboolean skipped = FALSE;

  for (guint i = 0; *c->before != '\0' && i < G_N_ELEMENTS (not_of_b); i++)
    skipped |= strcmp (not_of_b[i], g_quark_to_string (field)) == 0;
  if (skipped) {
    g_assert_null (other);
  } else if (strcmp (name, "view") == 0) {
    g_assert_nonnull (other);
    c->n++;
  } else if (other == NULL || gst_value_compare (value, other)
      != GST_VALUE_EQUAL) {
    gchar *a = gst_value_serialize (value);

    g_error ("%s is not %s", name, a);
  } else {
    c->n++;
  }
  g_free (name);
  return TRUE;
}

/* Both sets' figures are in `both`. */
static void
compare (const GstStructure * both, const GstStructure * a,
    const GstStructure * b)
{
  Compare of_a = { both, "", 0 }, of_b = { both, "b-", 0 };

  gst_structure_foreach (a, compare_field, &of_a);
  gst_structure_foreach (b, compare_field, &of_b);
  g_assert_cmpuint (of_b.n, >, 10);
  g_assert_cmpint (gst_structure_n_fields (both), ==, of_a.n + of_b.n);
}

/* Two frames, and what is said at the end. */
static void
check_alone (const gchar * format, gint transform, gint second)
{
  Bench both = start (format, transform, second, 55, 18, "reconstruction-b");
  Bench a = start (format, transform, -1, 55, 18, "reconstruction");
  Bench b = start (format, second, -1, 20, 37, "reconstruction");
  Bench *benches[] = { &both, &a, &b };
  GstStructure *s[3];

  for (guint n = 0; n <= N_FRAMES; n++) {
    GstBuffer *out[3] = { NULL };

    for (guint i = 0; i < 3; i++) {
      if (n < N_FRAMES) {
        bench_push (benches[i], n);
        out[i] = bench_pull (benches[i]);
      } else {
        gst_harness_push_event (benches[i]->h, gst_event_new_eos ());
      }
      s[i] = bench_pop_report (benches[i], n < N_FRAMES ? "frame" : "pooled");
    }
    if (n < N_FRAMES)
      g_assert_true (frames_equal (&both.info, out[0], out[2]));
    compare (s[0], s[1], s[2]);
    for (guint i = 0; i < 3; i++) {
      gst_structure_free (s[i]);
      gst_clear_buffer (&out[i]);
    }
  }
  for (guint i = 0; i < 3; i++)
    g_object_get (benches[i]->element, "stats", &s[i], NULL);
  compare (s[0], s[1], s[2]);
  for (guint i = 0; i < 3; i++) {
    gst_structure_free (s[i]);
    bench_clear (benches[i]);
  }
}

/* Every transform beside another one, and beside itself. */
static void
test_alone (void)
{
  static const gchar *const formats[] = { "I420", "NV12", "Y444_12LE", "GRAY8",
    "P010_10LE", "Y42B"
  };
  guint f = 0;

  for (gint t = 0; t < BDCT_N_TRANSFORMS; t++) {
    check_alone (formats[f++ % G_N_ELEMENTS (formats)], t, t);
    check_alone (formats[f++ % G_N_ELEMENTS (formats)],
        (t + 1 + t % 3) % BDCT_N_TRANSFORMS, t);
  }
}

/* R, G and B: of B there are figures of Y, U and V. */
static void
test_rgb (void)
{
  Bench both = start ("BGRx", BDCT_JPEG_8X8, BDCT_HEVC_16X16, 55,
      18, "reconstruction-b");
  Bench b = start ("BGRx", BDCT_HEVC_16X16, -1, 20, 37, "reconstruction");
  GstStructure *s, *alone;
  GstBuffer *out[2];

  out[0] = bench_frame (&both, 0, &s);
  out[1] = bench_frame (&b, 0, &alone);
  g_assert_true (frames_equal (&both.info, out[0], out[1]));
  g_assert_cmpfloat (get_double (s, "b-psnr"), ==, get_double (alone, "psnr"));
  g_assert_cmpfloat (get_double (s, "b-mse-u"), ==,
      get_double (alone, "mse-u"));
  g_assert_true (gst_structure_has_field (s, "psnr-r"));
  g_assert_false (gst_structure_has_field (s, "b-psnr-r"));
  gst_structure_free (s);
  gst_structure_free (alone);
  gst_buffer_unref (out[0]);
  gst_buffer_unref (out[1]);
  bench_clear (&both);
  bench_clear (&b);
}

/* It changes from frame to frame, with several of them in flight, beside a
 * curve of all settings there may be; pooled is what frames with B had. */
static void
test_live (void)
{
  /* Those that all engines make the same bytes of. */
  static const BdctTransform transforms[] = { BDCT_JPEG_8X8, BDCT_HEVC_16X16,
    BDCT_HEVC_DST_4X4
  };
  guint n_with = 0;
  gdouble sum = 0;
  GstMessage *message;
  GstStructure *s;
  Bench bench;

  bench_init (&bench, "I420", W, H, "async-depth", 4, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "curve", "<1, 50, 100>");
  for (guint i = 0; i < 12; i++) {
    const gint b = i % 4 == 3 ? 0 : 1 + (gint) transforms[i % 3];

    g_object_set (bench.element, "b-transform", b, "b-quality", 10 + 5 * i,
        "b-qp", 20 + i, "left", BDCT_SIDE_A, "right", b > 0 ? BDCT_SIDE_B
        : BDCT_SIDE_ORIGINAL, "view", i % 2 ? BDCT_VIEW_WIPE
        : BDCT_VIEW_DIFFERENCE, NULL);
    g_assert_cmpint (gst_harness_push (bench.h, frame_new (&bench.info, i)),
        ==, GST_FLOW_OK);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint i = 0; i < 12; i++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    GstBuffer *in = frame_new (&bench.info, i), *out = bench_pull (&bench);
    BdctStats stats;

    s = buffer_report (out);
    g_assert_nonnull (s);
    g_assert_cmpint (gst_structure_has_field (s, "b-psnr"), ==, i % 4 != 3);
    if (i % 4 != 3) {
      params.transform = transforms[i % 3];
      params.quality = 10 + 5 * i;
      params.qp = 20 + i;
      frame_rate (&bench.info, in, &params, &stats);
      g_assert_cmpfloat (get_double (s, "b-mse-y"), ==,
          bdct_mse (&stats.component[BDCT_Y]));
      if (i % 3)
        g_assert_cmpint (get_int (s, "b-qp"), ==, 20 + (gint) i);
      else
        g_assert_cmpint (get_int (s, "b-quality"), ==, 10 + 5 * (gint) i);
      sum += get_double (s, "b-mse");
      n_with++;
    }
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  while ((message = bench_pop (&bench, GST_MESSAGE_ELEMENT)) != NULL)
    gst_message_unref (message);
  g_object_get (bench.element, "stats", &s, NULL);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 12);
  g_assert_cmpuint (get_uint64 (s, "b-frames"), ==, n_with);
  g_assert_cmpfloat_with_epsilon (get_double (s, "b-mse"), sum / n_with, 1e-9);
  gst_structure_free (s);
  bench_clear (&bench);
}

/* Half a second of each picture, by the stream's time. */
static void
test_flicker (void)
{
  Bench bench;

  bench_init (&bench, "I420", W, H, "view", BDCT_VIEW_FLICKER, "left",
      BDCT_SIDE_B, "b-transform", 1 + BDCT_HEVC_8X8, "b-qp", 44, NULL);
  for (guint i = 0; i < 30; i++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    GstBuffer *in = frame_new (&bench.info, i), *out, *rec;
    GstStructure *s;
    BdctStats stats;

    if (i * FRAME / (GST_SECOND / 2) % 2 == 0) {
      params.transform = BDCT_HEVC_8X8;
      params.qp = 44;
    }
    rec = frame_expect (&bench.info, in, &params, &stats);
    out = bench_frame (&bench, i, &s);
    g_assert_true (frames_equal (&bench.info, rec, out));
    gst_structure_free (s);
    gst_buffer_unref (in);
    gst_buffer_unref (rec);
    gst_buffer_unref (out);
  }
  bench_clear (&bench);
}

/* Where there is none, a view shows A in its place, and says so: once, until
 * there is one again. */
static void
test_none (void)
{
  Bench bench;

  bench_init (&bench, "I420", W, H, "view", BDCT_VIEW_RECONSTRUCTION_B, NULL);
  for (guint i = 0; i < 4; i++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    GstBuffer *in = frame_new (&bench.info, i), *out, *rec;
    GstStructure *s;
    BdctStats stats;

    g_object_set (bench.element, "b-transform", i == 2, NULL);
    rec = frame_expect (&bench.info, in, &params, &stats);
    out = bench_frame (&bench, i, &s);
    g_assert_true (frames_equal (&bench.info, rec, out));
    g_assert_cmpint (gst_structure_has_field (s, "b-psnr"), ==, i == 2);
    if (i % 3 == 0) {
      gchar *text = bench_pop_text (&bench, GST_MESSAGE_WARNING);

      g_assert_nonnull (strstr (text, "there is no B"));
      g_free (text);
    }
    g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
    gst_structure_free (s);
    gst_buffer_unref (in);
    gst_buffer_unref (rec);
    gst_buffer_unref (out);
  }
  bench_clear (&bench);
}

static void
notified (GObject * object, GParamSpec * pspec, guint * n)
{
  (void) object, (void) pspec;
  ++*n;
}

/* Steps that A takes, and B, which has them too, does not. */
static void
test_set_aside (void)
{
  gint steps[64], transform;
  GstStructure *s;
  guint n = 0;
  gchar *text;
  Bench bench;

  for (guint i = 0; i < 64; i++)
    steps[i] = 300;
  bench_init (&bench, "I420", W, H, "transform", BDCT_DCT_8X8, NULL);
  set_matrix (bench.element, steps, 64);
  g_object_set (bench.element, "b-transform", 1 + BDCT_JPEG_8X8, NULL);
  g_signal_connect (bench.element, "notify::b-transform",
      G_CALLBACK (notified), &n);
  bench_push (&bench, 0);
  gst_buffer_unref (bench_pull (&bench));
  text = bench_pop_text (&bench, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "b-transform=jpeg-8x8 is set aside"));
  g_free (text);
  s = bench_pop_report (&bench, "frame");
  g_assert_false (gst_structure_has_field (s, "b-psnr"));
  gst_structure_free (s);
  g_object_get (bench.element, "b-transform", &transform, NULL);
  g_assert_cmpint (transform, ==, 0);
  g_assert_cmpuint (n, ==, 1);
  bench_clear (&bench);
}

/* The properties that keys turn, in one line. */
static gchar *
describe (const Bench * bench)
{
  static const gchar *const names[] = { "transform", "quality", "qp",
    "b-transform", "b-quality", "b-qp", "left", "right", "view"
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GValue value = G_VALUE_INIT;
    gchar *v;

    g_object_get_property (G_OBJECT (bench->element), names[i], &value);
    v = gst_value_serialize (&value);
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", v);
    g_free (v);
    g_value_unset (&value);
  }
  return g_string_free (text, FALSE);
}

static void
test_keys (void)
{
  static const struct
  {
    const gchar *key, *after;
  } steps[] = {
    {"x", "jpeg-8x8 40 26 none 85 26 original a reconstruction"},
    {"c", "jpeg-8x8 40 26 none 85 26 original a reconstruction"},
    {"b", "jpeg-8x8 40 26 jpeg-8x8 40 26 original a reconstruction"},
    {"Up", "jpeg-8x8 41 26 jpeg-8x8 40 26 original a reconstruction"},
    {"Right", "dct-8x8 41 26 jpeg-8x8 40 26 original a reconstruction"},
    {"x", "jpeg-8x8 40 26 dct-8x8 41 26 original a reconstruction"},
    {"space", "jpeg-8x8 40 26 dct-8x8 41 26 original a original"},
    {"space", "jpeg-8x8 40 26 dct-8x8 41 26 original a reconstruction"},
    {"c", "jpeg-8x8 40 26 dct-8x8 41 26 a b reconstruction"},
    {"space", "jpeg-8x8 40 26 dct-8x8 41 26 a b reconstruction-b"},
    {"space", "jpeg-8x8 40 26 dct-8x8 41 26 a b reconstruction"},
    {"c", "jpeg-8x8 40 26 dct-8x8 41 26 original b reconstruction"},
    {"v", "jpeg-8x8 40 26 dct-8x8 41 26 original b original"},
    {"v", "jpeg-8x8 40 26 dct-8x8 41 26 original b reconstruction-b"},
    {"c", "jpeg-8x8 40 26 dct-8x8 41 26 original a reconstruction-b"},
    {"v", "jpeg-8x8 40 26 dct-8x8 41 26 original a wipe"},
    {"space", "jpeg-8x8 40 26 dct-8x8 41 26 original a original"},
    {"space", "jpeg-8x8 40 26 dct-8x8 41 26 original a wipe"},
  };
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, "quality", 40, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gchar *text;

    gst_harness_push_upstream_event (bench.h,
        gst_navigation_event_new_key_press (steps[i].key, 0));
    text = describe (&bench);
    g_test_message ("%s", steps[i].key);
    g_assert_cmpstr (text, ==, steps[i].after);
    g_free (text);
  }
  bench_clear (&bench);
}

/* A click's block is that of the picture it is on; on the original, the other
 * one's. */
static void
test_click (void)
{
  static const struct
  {
    BdctSide left, right;
    gdouble x;
    const gchar *side;
    gint size;
  } clicks[] = {
    {BDCT_SIDE_A, BDCT_SIDE_B, 5, "a", 8}, {BDCT_SIDE_A, BDCT_SIDE_B, 99, "b",
        16}, {BDCT_SIDE_ORIGINAL, BDCT_SIDE_B, 5, "b", 16},
    {BDCT_SIDE_A, BDCT_SIDE_ORIGINAL, 99, "a", 8},
  };
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, "view",
      BDCT_VIEW_WIPE, "b-transform", 1 + BDCT_HEVC_16X16, "b-qp", 33, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (clicks); i++) {
    GstStructure *s;

    g_object_set (bench.element, "left", clicks[i].left, "right",
        clicks[i].right, NULL);
    gst_buffer_unref (bench_frame (&bench, i, &s));
    gst_structure_free (s);
    s = bench_click (&bench, clicks[i].x, 5);
    g_assert_cmpstr (gst_structure_get_string (s, "side"), ==, clicks[i].side);
    g_assert_cmpint (get_int (s, "size"), ==, clicks[i].size);
    if (clicks[i].size == 16)
      g_assert_cmpint (get_int (s, "qp"), ==, 33);
    gst_structure_free (s);
  }
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/second/alone", test_alone);
  test_add ("/second/rgb", test_rgb);
  test_add ("/second/live", test_live);
  test_add ("/second/flicker", test_flicker);
  test_add ("/second/none", test_none);
  test_add ("/second/set-aside", test_set_aside);
  test_add ("/second/keys", test_keys);
  test_add ("/second/click", test_click);
  return test_run ();
}
