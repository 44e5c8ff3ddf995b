/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames at many settings: `curve`, and the targets that choose one. What they
 * have to say comes from an element that is given one setting after another. */
#include <math.h>
#include <string.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif
#include "bench.h"

#define MAX_SETTINGS 100
#define WIDTH 45
#define HEIGHT 27

static gboolean
has_qp (BdctTransform transform)
{
  return transform != BDCT_JPEG_8X8 && transform != BDCT_DCT_8X8;
}

static const gchar *
setting_name (BdctTransform transform)
{
  return has_qp (transform) ? "qp" : "quality";
}

/* What a frame costs and loses at each setting, by single runs; `[0]` is the
 * lowest setting. Returns how many there are. */
static gint
run_all (const gchar * format, guint n, BdctTransform transform,
    GstStructure * reports[MAX_SETTINGS])
{
  gint first = has_qp (transform) ? 0 : 1, last = has_qp (transform) ? 51 : 100;
  Bench bench;

  bench_init (&bench, format, WIDTH, HEIGHT, "transform", transform, "rate",
      TRUE, "threads", 1, NULL);
  for (gint i = first; i <= last; i++) {
    g_object_set (bench.element, setting_name (transform), i, NULL);
    bench_push (&bench, n);
    reports[i - first] = bench_pop_report (&bench, "frame");
    g_assert_cmpint (get_int (reports[i - first], setting_name (transform)), ==,
        i);
  }
  bench_clear (&bench);
  return last - first + 1;
}

static void
free_all (GstStructure ** reports, gint n)
{
  for (gint i = 0; i < n; i++)
    gst_structure_free (reports[i]);
}

/* Curves */

static void
set_curve (Bench * bench, const gint * settings, guint n)
{
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < n; i++) {
    GValue v = G_VALUE_INIT;

    g_value_init (&v, G_TYPE_INT);
    g_value_set_int (&v, settings[i]);
    gst_value_array_append_and_take_value (&array, &v);
  }
  g_object_set_property (G_OBJECT (bench->element), "curve", &array);
  g_value_unset (&array);
}

static gchar *
get_curve (Bench * bench)
{
  GValue array = G_VALUE_INIT;
  gchar *text;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (bench->element), "curve", &array);
  text = gst_value_serialize (&array);
  g_value_unset (&array);
  return text;
}

static void
assert_curve (Bench * bench, const gchar * expected)
{
  gchar *text = get_curve (bench);

  g_assert_cmpstr (text, ==, expected);
  g_free (text);
}

/* The next message, which must be a curve; with `index` below 0 no curve may
 * be left. */
static GstStructure *
pop_curve (Bench * bench, gint64 index)
{
  GstMessage *message = bench_pop (bench, GST_MESSAGE_ELEMENT);
  GstStructure *s;

  if (index < 0) {
    g_assert_null (message);
    return NULL;
  }
  g_assert_nonnull (message);
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_assert_true (gst_structure_has_name (s, "blockdct-curve"));
  g_assert_cmpuint (get_uint64 (s, "index"), ==, index);
  return s;
}

static const GValue *
get_item (const GstStructure * s, const gchar * name, guint n, guint i,
    GType type)
{
  const GValue *array = gst_structure_get_value (s, name), *v;

  g_assert_true (array != NULL && GST_VALUE_HOLDS_ARRAY (array));
  g_assert_cmpuint (gst_value_array_get_size (array), ==, n);
  v = gst_value_array_get_value (array, i);
  g_assert_true (G_VALUE_HOLDS (v, type));
  return v;
}

/* Entry `i` of `n` says what `report` does. */
static void
assert_entry (const GstStructure * s, guint n, guint i,
    const GstStructure * report)
{
  static const gchar *names[] = { "psnr-y", "psnr-u", "psnr-v", "psnr",
    "nonzero", "bits-estimated"
  };
  gint setting;

  g_assert_true (gst_structure_get_int (report, "quality", &setting)
      || gst_structure_get_int (report, "qp", &setting));
  g_assert_cmpint (g_value_get_int (get_item (s, "setting", n, i, G_TYPE_INT)),
      ==, setting);
  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    g_assert_cmpint (gst_structure_has_field (s, names[k]), ==,
        gst_structure_has_field (report, names[k]));
    if (gst_structure_has_field (s, names[k]))
      g_assert_cmpfloat (g_value_get_double (get_item (s, names[k], n, i,
                  G_TYPE_DOUBLE)), ==, get_double (report, names[k]));
  }
  g_assert_cmpint (gst_structure_has_field (s, "bits"), ==,
      gst_structure_has_field (report, "bits"));
  if (gst_structure_has_field (s, "bits"))
    g_assert_cmpuint (g_value_get_uint64 (get_item (s, "bits", n, i,
                G_TYPE_UINT64)), ==, get_uint64 (report, "bits"));
}

/* All settings, and some in their own order, are what single runs give; the
 * frame's own message does not know of it. */
static void
test_by_format (void)
{
  static const gchar *formats[] = { "GRAY8", "I420", "Y42B", "I420_10LE" };
  static const BdctTransform transforms[] = { BDCT_JPEG_8X8, BDCT_HEVC_8X8,
    BDCT_DCT_8X8
  };
  static const gint some[] = { 40, 7, 40, 51 };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint t = 0; t < G_N_ELEMENTS (transforms) - test_on_cuda (); t++) {
      gint first = has_qp (transforms[t]) ? 0 : 1, n;
      GstStructure *reports[MAX_SETTINGS], *s, *own;
      Bench bench;

      n = run_all (formats[f], 3, transforms[t], reports);
      bench_init (&bench, formats[f], WIDTH, HEIGHT, "transform",
          transforms[t], NULL);
      gst_util_set_object_arg (G_OBJECT (bench.element), "curve", "<all>");
      assert_curve (&bench, "< (string)all >");
      bench_push (&bench, 3);
      own = bench_pop_report (&bench, "frame");
      g_assert_false (gst_structure_has_field (own, "bpp"));
      s = pop_curve (&bench, 0);
      for (gint i = 0; i < n; i++)
        assert_entry (s, n, i, reports[i]);
      g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==,
          bdct_transform_info (transforms[t])->name);
      g_assert_cmpstr (gst_structure_get_string (s, "backend"), ==,
          gst_structure_get_string (own, "backend"));
      g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, 3 * FRAME);
      g_assert_cmpuint (get_uint64 (s, "stream-time"), ==, 3 * FRAME);
      g_assert_cmpuint (get_uint64 (s, "running-time"), ==, 3 * FRAME);
      g_assert_cmpuint (get_uint64 (s, "duration"), ==, FRAME);
      gst_structure_free (own);
      gst_structure_free (s);
      set_curve (&bench, some, G_N_ELEMENTS (some));
      bench_push (&bench, 3);
      gst_structure_free (bench_pop_report (&bench, "frame"));
      s = pop_curve (&bench, 1);
      for (guint i = 0; i < G_N_ELEMENTS (some); i++)
        assert_entry (s, G_N_ELEMENTS (some), i, reports[some[i] - first]);
      gst_structure_free (s);
      pop_curve (&bench, -1);
      free_all (reports, n);
      bench_clear (&bench);
    }
}

/* Each frame has the curve it entered with, behind its own message. */
static void
test_curve_live (void)
{
  static const gint settings[] = { 11, 22, 33, 44, 50 };

  for (guint depth = 1; depth <= 8; depth += depth) {
    Bench bench;

    bench_init (&bench, "I420", WIDTH, HEIGHT, "async-depth", depth, NULL);
    for (guint n = 0; n < 10; n++) {
      if (n == 7)
        g_object_set (bench.element, "transform", BDCT_HEVC_4X4, NULL);
      set_curve (&bench, settings, n % 5);
      bench_push (&bench, n);
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 0; n < 10; n++) {
      GstStructure *s = bench_pop_report (&bench, "frame");

      g_assert_cmpuint (get_uint64 (s, "index"), ==, n);
      gst_structure_free (s);
      if (n % 5 == 0)
        continue;
      s = pop_curve (&bench, n);
      g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==,
          n < 7 ? "jpeg-8x8" : "hevc-4x4");
      for (guint i = 0; i < n % 5; i++)
        g_assert_cmpint (g_value_get_int (get_item (s, "setting", n % 5, i,
                    G_TYPE_INT)), ==, settings[i]);
      gst_structure_free (s);
    }
    gst_structure_free (bench_pop_report (&bench, "pooled"));
    pop_curve (&bench, -1);
    bench_clear (&bench);
  }
}

/* One a frame whatever the interval is; none without messages. */
static void
test_curve_interval (void)
{
  static const gint settings[] = { 50 };
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "interval", 2 * FRAME, NULL);
  set_curve (&bench, settings, 1);
  bench_push (&bench, 0);
  gst_structure_free (pop_curve (&bench, 0));
  bench_push (&bench, 1);
  gst_structure_free (bench_pop_report (&bench, "interval"));
  gst_structure_free (pop_curve (&bench, 1));
  g_object_set (bench.element, "post-messages", FALSE, NULL);
  bench_push (&bench, 2);
  pop_curve (&bench, -1);
  bench_clear (&bench);
}

/* All settings after as many others. */
static void
test_curve_all (void)
{
  gint settings[52];
  Bench bench;

  bench_init (&bench, "GRAY8", 16, 16, "transform", BDCT_HEVC_8X8, NULL);
  for (gint i = 0; i < 52; i++)
    settings[i] = 51 - i;
  set_curve (&bench, settings, 52);
  for (guint n = 0; n < 2; n++) {
    GstStructure *s;
    const GValue *array;

    bench_push (&bench, n);
    gst_structure_free (bench_pop_report (&bench, "frame"));
    s = pop_curve (&bench, n);
    array = gst_structure_get_value (s, "setting");
    g_assert_cmpuint (gst_value_array_get_size (array), ==, 52);
    g_assert_cmpint (g_value_get_int (gst_value_array_get_value (array, 0)),
        ==, n == 0 ? 51 : 0);
    gst_structure_free (s);
    gst_util_set_object_arg (G_OBJECT (bench.element), "curve", "<all>");
  }
  bench_clear (&bench);
}

static void
assert_warning (Bench * bench, const gchar * part, const gchar * other)
{
  gchar *text = bench_pop_text (bench, GST_MESSAGE_WARNING);

  g_assert_nonnull (strstr (text, part));
  g_assert_nonnull (strstr (text, other));
  g_free (text);
  g_assert_null (bench_pop (bench, GST_MESSAGE_WARNING));
}

static void
count (GObject * object, GParamSpec * pspec, gint * n)
{
  (void) object, (void) pspec;
  ++*n;
}

/* What cannot be is refused, with the value and the range, and the curve that
 * was stays. */
static void
test_curve_refused (void)
{
  static const gint right[] = { 20, 60 }, high[] = { 20, 101 };
  static const gint low[] = { -1 }, zero[] = { 30, 0 };
  gint many[BDCT_MAX_OTHERS + 1], n = 0;
  Bench bench;

  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    many[i] = 1 + i % 51;
  bench_init (&bench, "I420", 16, 16, NULL);
  set_curve (&bench, right, 2);
  set_curve (&bench, high, 2);
  assert_warning (&bench, "setting 101 at index 1", "0 to 100");
  set_curve (&bench, low, 1);
  assert_warning (&bench, "setting -1 at index 0", "0 to 100");
  set_curve (&bench, zero, 2);
  assert_warning (&bench, "setting 0 at index 1", "1 to 100 (jpeg-8x8)");
  set_curve (&bench, many, G_N_ELEMENTS (many));
  assert_warning (&bench, "128", "129");
  gst_util_set_object_arg (G_OBJECT (bench.element), "curve", "<most>");
  assert_warning (&bench, "curve was not changed", "index 0");
  assert_curve (&bench, "< (int)20, (int)60 >");
  set_curve (&bench, many, G_N_ELEMENTS (many) - 1);
  bench_push (&bench, 0);
  gst_structure_free (bench_pop_report (&bench, "frame"));
  gst_structure_free (pop_curve (&bench, 0));
  /* A transform that does not have it sets it aside. */
  set_curve (&bench, right, 2);
  g_signal_connect (bench.element, "notify::curve", G_CALLBACK (count), &n);
  g_object_set (bench.element, "transform", BDCT_HEVC_8X8, NULL);
  bench_push (&bench, 1);
  gst_structure_free (bench_pop_report (&bench, "frame"));
  pop_curve (&bench, -1);
  assert_warning (&bench, "setting 60 at index 1", "0 to 51 (hevc-8x8)");
  assert_curve (&bench, "<  >");
  g_assert_cmpint (n, ==, 1);
  /* Both at once is a group. */
  g_object_freeze_notify (G_OBJECT (bench.element));
  set_curve (&bench, right, 2);
  g_object_set (bench.element, "transform", BDCT_JPEG_8X8, NULL);
  g_object_thaw_notify (G_OBJECT (bench.element));
  bench_push (&bench, 2);
  gst_structure_free (bench_pop_report (&bench, "frame"));
  gst_structure_free (pop_curve (&bench, 2));
  bench_clear (&bench);
}

/* Before the stream is known the order of properties does not matter; what is
 * wrong by then is said at the first frame. */
static void
test_curve_early (void)
{
  for (guint right = 0; right < 2; right++) {
    Bench bench;

    bench_init (&bench, NULL, 0, 0, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "curve", "<0, 51>");
    if (right)
      g_object_set (bench.element, "transform", BDCT_HEVC_8X8, NULL);
    bench_set_caps (&bench, "I420", 16, 16);
    bench_push (&bench, 0);
    gst_structure_free (bench_pop_report (&bench, "frame"));
    if (right)
      gst_structure_free (pop_curve (&bench, 0));
    else
      assert_warning (&bench, "setting 0 at index 0", "1 to 100 (jpeg-8x8)");
    pop_curve (&bench, -1);
    bench_clear (&bench);
  }
}

/* Targets */

typedef struct
{
  const gchar *name;
  gboolean psnr;                /* at least, else at most */
  gdouble value;
} Target;

static void
set_target (Bench * bench, const gchar * name, gdouble value)
{
  if (strcmp (name, "target-size") == 0)
    g_object_set (bench->element, name, (guint) value, NULL);
  else
    g_object_set (bench->element, name, value, NULL);
}

static gdouble
get_measure (const GstStructure * report, const gchar * name)
{
  if (strcmp (name, "target-psnr") == 0)
    return get_double (report, "psnr");
  if (strcmp (name, "target-bpp") == 0)
    return get_double (report, "bpp");
  return gst_structure_has_field (report, "file-size")
      ? get_uint64 (report, "file-size")
      : get_double (report, "bits-estimated") / 8;
}

/* The coarsest of those that keep a PSNR, the finest of those that keep to a
 * size; else what comes nearest. */
static gint
find (GstStructure ** reports, gint n, gboolean qp, const Target * target,
    gboolean * met)
{
  gint found = -1, nearest = 0;
  gdouble best = target->psnr ? -INFINITY : INFINITY;

  for (gint fineness = 0; fineness < n; fineness++) {
    gint i = qp ? n - 1 - fineness : fineness;
    gdouble v = get_measure (reports[i], target->name);

    if (target->psnr ? v >= target->value : v <= target->value)
      if (found < 0 || !target->psnr)
        found = i;
    if (target->psnr ? v > best : v <= best) {
      best = v;
      nearest = i;
    }
  }
  *met = found >= 0;
  return *met ? found : nearest;
}

/* Every frame gets what all single runs say, at any depth, and nothing else
 * of it changes. */
static void
test_targets (void)
{
  static const struct
  {
    const gchar *format;
    BdctTransform transform;
  } streams[] = {
    {"I420", BDCT_JPEG_8X8}, {"GRAY8", BDCT_HEVC_8X8},
    {"I420_10LE", BDCT_JPEG_8X8}, {"Y444", BDCT_H264_4X4},
  };
  static const Target targets[] = {
    {"target-psnr", TRUE, 32}, {"target-psnr", TRUE, 45.5},
    {"target-psnr", TRUE, 190}, {"target-psnr", TRUE, 1},
    {"target-bpp", FALSE, 1.5}, {"target-bpp", FALSE, 4},
    {"target-bpp", FALSE, 0.0001}, {"target-bpp", FALSE, 900},
    {"target-size", FALSE, 700}, {"target-size", FALSE, 1200},
    {"target-size", FALSE, 1}, {"target-size", FALSE, 1000000},
  };

  for (guint k = 0; k < G_N_ELEMENTS (streams); k++) {
    BdctTransform transform = streams[k].transform;
    GstStructure *reports[2][MAX_SETTINGS], *s;
    gint n = 0, first = has_qp (transform) ? 0 : 1;

    for (guint f = 0; f < 2; f++)
      n = run_all (streams[k].format, f, transform, reports[f]);
    for (guint depth = 1; depth <= 8; depth = depth == 1 ? 2 : 4 * depth) {
      gboolean missed = FALSE;
      GstMessage *message;
      Bench bench;

      bench_init (&bench, streams[k].format, WIDTH, HEIGHT, "async-depth",
          depth, "transform", transform, "rate", TRUE, NULL);
      for (guint t = 0; t < G_N_ELEMENTS (targets); t++) {
        if (t > 0)
          set_target (&bench, targets[t - 1].name, 0);
        set_target (&bench, targets[t].name, targets[t].value);
        bench_push (&bench, 0);
        bench_push (&bench, 1);
      }
      gst_harness_push_event (bench.h, gst_event_new_eos ());
      for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
        for (guint f = 0; f < 2; f++) {
          gboolean met;
          gint i = find (reports[f], n, has_qp (transform), &targets[t], &met);

          s = bench_pop_report (&bench, "frame");
          g_assert_cmpuint (get_uint64 (s, "index"), ==, 2 * t + f);
          g_assert_cmpint (get_int (s, setting_name (transform)), ==,
              first + i);
          g_assert_cmpint (get_boolean (s, "target-met"), ==, met);
          g_assert_cmpfloat (get_double (s, "psnr"), ==,
              get_double (reports[f][i], "psnr"));
          g_assert_cmpfloat (get_double (s, "bpp"), ==,
              get_double (reports[f][i], "bpp"));
          missed |= !met;
          gst_structure_free (s);
        }
      s = bench_pop_report (&bench, "pooled");
      g_assert_cmpint (get_boolean (s, "target-met"), ==, !missed);
      gst_structure_free (s);
      /* However often one is missed. */
      g_assert_true (missed);
      message = bench_pop (&bench, GST_MESSAGE_WARNING);
      g_assert_nonnull (message);
      gst_message_unref (message);
      g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
      bench_clear (&bench);
    }
    for (guint f = 0; f < 2; f++)
      free_all (reports[f], n);
  }
}

/* The picture is the one that the chosen setting makes; without `rate` nothing
 * is said of bits; and the next caps are others. */
static void
test_target_picture (void)
{
  static const gint widths[] = { 48, 72 };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  Bench bench;

  bench_init (&bench, NULL, 0, 0, "target-bpp", 2.0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    GstBuffer *in, *out, *expected;
    GstStructure *s;
    BdctStats stats;

    bench_set_caps (&bench, i ? "Y444" : "I420", widths[i], 40);
    in = frame_new (&bench.info, i);
    gst_harness_push (bench.h, gst_buffer_ref (in));
    out = bench_pull (&bench);
    s = bench_pop_report (&bench, "frame");
    g_assert_false (gst_structure_has_field (s, "bpp"));
    params.quality = get_int (s, "quality");
    expected = frame_expect (&bench.info, in, &params, &stats);
    g_assert_true (frames_equal (&bench.info, expected, out));
    frame_rate (&bench.info, in, &params, &stats);
    g_assert_cmpuint (bdct_stats_total (&stats).bits, <=, widths[i] * 40 * 2);
    params.quality++;
    frame_rate (&bench.info, in, &params, &stats);
    g_assert_cmpuint (bdct_stats_total (&stats).bits, >, widths[i] * 40 * 2);
    gst_structure_free (s);
    gst_buffer_unref (expected);
    gst_buffer_unref (out);
    gst_buffer_unref (in);
  }
  /* The property is the user's. */
  g_object_get (bench.element, "quality", &params.quality, NULL);
  g_assert_cmpint (params.quality, ==, 85);
  g_object_set (bench.element, "target-bpp", 0.0, NULL);
  bench_push (&bench, 2);
  {
    GstStructure *s = bench_pop_report (&bench, "frame");

    g_assert_cmpint (get_int (s, "quality"), ==, 85);
    g_assert_false (gst_structure_has_field (s, "target-met"));
    gst_structure_free (s);
  }
  bench_clear (&bench);
}

static void
assert_targets (Bench * bench, gdouble psnr, gdouble bpp, guint size)
{
  gdouble got_psnr, got_bpp;
  guint got_size;

  g_object_get (bench->element, "target-psnr", &got_psnr, "target-bpp",
      &got_bpp, "target-size", &got_size, NULL);
  g_assert_cmpfloat (got_psnr, ==, psnr);
  g_assert_cmpfloat (got_bpp, ==, bpp);
  g_assert_cmpuint (got_size, ==, size);
}

/* A second one is refused; one in the place of another is not, in any order. */
static void
test_exclusive (void)
{
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "target-psnr", 30.0, NULL);
  g_object_set (bench.element, "target-bpp", 2.0, NULL);
  assert_warning (&bench, "target-psnr=30", "target-bpp=2");
  assert_targets (&bench, 30, 0, 0);
  g_object_set (bench.element, "target-bpp", 2.0, "target-psnr", 0.0, NULL);
  assert_targets (&bench, 0, 2, 0);
  g_object_set (bench.element, "target-bpp", 0.0, "target-size", 5000, NULL);
  assert_targets (&bench, 0, 0, 5000);
  g_object_set (bench.element, "target-size", 0, "target-psnr", 31.0,
      "target-bpp", 3.0, "quality", 12, NULL);
  assert_warning (&bench, "target-psnr=31", "target-bpp=3");
  assert_targets (&bench, 0, 0, 5000);
  bench_push (&bench, 0);
  gst_structure_free (bench_pop_report (&bench, "frame"));
  bench_clear (&bench);
}

#ifdef HAVE_CONTROLLER
/* By stream time: what one frame is made with is what it would be made with
 * alone. */
static void
test_target_controlled (void)
{
  static const gdouble psnr[] = { 30, 0, 42, 36 };
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstStructure *reports[MAX_SETTINGS], *s;
  Bench bench;

  bench_init (&bench, "I420", WIDTH, HEIGHT, NULL);
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (bench.element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (bench.element),
          "target-psnr", source));
  for (guint n = 0; n < G_N_ELEMENTS (psnr); n++)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (source), n * FRAME, psnr[n]);
  for (guint n = 0; n < G_N_ELEMENTS (psnr); n++) {
    Target target = { "target-psnr", TRUE, psnr[n] };
    gint n_all = run_all ("I420", n, BDCT_JPEG_8X8, reports);
    gboolean met;

    bench_push (&bench, n);
    s = bench_pop_report (&bench, "frame");
    g_assert_cmpint (get_int (s, "quality"), ==, psnr[n] == 0 ? 85
        : 1 + find (reports, n_all, FALSE, &target, &met));
    gst_structure_free (s);
    free_all (reports, n_all);
  }
  gst_object_unref (source);
  bench_clear (&bench);
}
#endif

/* With a matrix there is no quality to choose: said once, and nothing done. */
static void
test_matrix (void)
{
  static const gint settings[] = { 50 };
  gint steps[64];
  GstStructure *s;
  gchar *text;
  Bench bench;

  for (guint i = 0; i < 64; i++)
    steps[i] = 9;
  bench_init (&bench, "I420", 16, 16, "target-psnr", 30.0, NULL);
  set_curve (&bench, settings, 1);
  set_matrix (bench.element, steps, 64);
  for (guint n = 0; n < 2; n++) {
    bench_push (&bench, n);
    s = bench_pop_report (&bench, "frame");
    g_assert_false (gst_structure_has_field (s, "target-met"));
    g_assert_cmpint (get_int (s, "quality"), ==, 85);
    gst_structure_free (s);
  }
  pop_curve (&bench, -1);
  text = bench_pop_text (&bench, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "A target has no effect"));
  g_free (text);
  assert_warning (&bench, "curve has no effect", "quantization-matrix");
  /* It has none itself where there is a QP. */
  g_object_set (bench.element, "transform", BDCT_HEVC_8X8, NULL);
  bench_push (&bench, 2);
  s = bench_pop_report (&bench, "frame");
  g_assert_true (gst_structure_has_field (s, "target-met"));
  gst_structure_free (s);
  gst_structure_free (pop_curve (&bench, 2));
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/curve/formats", test_by_format);
  test_add ("/curve/live", test_curve_live);
  test_add ("/curve/interval", test_curve_interval);
  test_add ("/curve/refused", test_curve_refused);
  test_add ("/curve/early", test_curve_early);
  test_add ("/curve/all", test_curve_all);
  test_add ("/target/all", test_targets);
  test_add ("/target/picture", test_target_picture);
  test_add ("/target/exclusive", test_exclusive);
#ifdef HAVE_CONTROLLER
  test_add ("/target/controlled", test_target_controlled);
#endif
  test_add ("/sweep/matrix", test_matrix);
  return test_run ();
}
