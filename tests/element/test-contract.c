/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The contract of properties: a row is a test. What each is, and that either
 * end of its range is taken while frames go on. (test-settings.c has what it
 * then does.) */
#include <string.h>
#include "bench.h"

/* R readable, W writable, P may change while playing, S may change in READY
 * only, C controllable. A range that ends where it begins: there is none. */
typedef struct
{
  const gchar *name, *type, *value, *flags;
  gdouble low, high;
} Row;

#define SHARED \
  {"backend", "GstBlockDctBackend", "auto", "RWS", 0, 0}, \
  {"cuda-device-id", "gint", "-1", "RWS", -1, G_MAXINT}, \
  {"threads", "guint", "0", "RWS", 0, 1024}, \
  {"post-messages", "gboolean", "true", "RWPC", 0, 0}, \
  {"interval", "guint64", "0", "RWPC", 0, G_MAXUINT64 - 1}, \
  {"stats", "GstStructure", NULL, "R", 0, 0}, \
  {"stats-file", "gchararray", NULL, "RWS", 0, 0}, \
  {"min-psnr-error", "gdouble", "0", "RWPC", 0, 200}, \
  {"min-psnr-warning", "gdouble", "0", "RWPC", 0, 200}, \
  {"active-backend", "gchararray", NULL, "R", 0, 0}

static const Row of_blockdct[] = {
  SHARED,
  {"transform", "GstBlockDctTransform", "jpeg-8x8", "RWPC", 0, 0},
  {"quality", "gint", "85", "RWPC", 1, 100},
  {"qp", "gint", "26", "RWPC", 0, 51},
  {"chroma-qp-offset", "gint", "0", "RWPC", -12, 12},
  {"deadzone", "gdouble", "0.33333333333333331", "RWPC", 1. / 6, 1. / 3},
  {"min-block", "gint", "4", "RWPC", 4, 32},
  {"max-block", "gint", "32", "RWPC", 4, 32},
  {"lambda-scale", "gdouble", "1", "RWPC", 0, 1000},
  {"scaling-list", "GstBlockDctScalingList", "flat", "RWPC", 0, 0},
  {"scaling-list-file", "gchararray", NULL, "RWP", 0, 0},
  {"quantization-tables", "GstBlockDctQuantizationTables", "annex-k", "RWPC",
      0, 0},
  {"quantization-matrix", "GstValueArray", "<  >", "RWP", 0, 0},
  {"quantization-file", "gchararray", NULL, "RWP", 0, 0},
  {"quantization-scale", "gboolean", "false", "RWPC", 0, 0},
  {"baseline", "gboolean", "true", "RWPC", 0, 0},
  {"async-depth", "guint", "1", "RWS", 1, BDCT_MAX_DEPTH},
  {"chroma-subsampling", "GstBlockDctChromaSubsampling", "4:2:0", "RWPC", 0,
      0},
  {"target-psnr", "gdouble", "0", "RWPC", 0, 200},
  {"target-ssim", "gdouble", "0", "RWPC", 0, 1},
  {"target-bpp", "gdouble", "0", "RWPC", 0, 1000},
  {"target-size", "guint", "0", "RWPC", 0, G_MAXUINT},
  {"metrics", "GstBlockDctMetrics", NULL, "RWPC", 0, 0},
  {"curve", "GstValueArray", "<  >", "RWP", 0, 0},
  {"view", "GstBlockDctView", "reconstruction", "RWPC", 0, 0},
  {"grid", "gboolean", "false", "RWPC", 0, 0},
};

static const Row of_compare[] = {
  SHARED,
  {"metrics", "GstBlockDctCompareMetrics", "peak signal-to-noise ratio",
      "RWPC", 0, 0},
  {"view", "GstBlockDctCompareView", "wipe", "RWPC", 0, 0},
  {"left", "gint", "-1", "RWPC", -1, 2},
  {"right", "gint", "0", "RWPC", -1, 2},
  {"wipe-position", "gdouble", "0.5", "RWPC", 0, 1},
  {"difference-gain", "gdouble", "4", "RWPC", 0, 64},
  {"zoom", "gdouble", "1", "RWPC", 1, 16},
  {"zoom-x", "gdouble", "0.5", "RWPC", 0, 1},
  {"zoom-y", "gdouble", "0.5", "RWPC", 0, 1},
  {"overlay", "gboolean", "false", "RWPC", 0, 0},
  {"interactive", "gboolean", "false", "RWP", 0, 0},
  {"offset", "gint", "0", "RWPC", -100000, 100000},
};

static const gchar *const transforms[] = { "jpeg-8x8", "dct-8x8",
  "hevc-dst-4x4", "hevc-4x4", "hevc-8x8", "hevc-16x16", "hevc-32x32",
  "h264-4x4", "h264-8x8", "vvc-64x64", "hevc-quadtree"
};

static void
check_flags (GParamSpec * pspec, const gchar * letters)
{
  static const struct
  {
    gchar letter;
    guint flag;
  } flags[] = {
    {'R', G_PARAM_READABLE}, {'W', G_PARAM_WRITABLE},
    {'P', GST_PARAM_MUTABLE_PLAYING}, {'S', GST_PARAM_MUTABLE_READY},
    {'C', GST_PARAM_CONTROLLABLE},
  };

  for (guint f = 0; f < G_N_ELEMENTS (flags); f++)
    g_assert_cmpint ((pspec->flags & flags[f].flag) != 0, ==,
        strchr (letters, flags[f].letter) != NULL);
}

static void
check_default (GstElement * element, const Row * row)
{
  GValue value = G_VALUE_INIT;
  g_autofree gchar *text;

  g_object_get_property (G_OBJECT (element), row->name, &value);
  text = gst_value_serialize (&value);
  g_assert_cmpstr (text, ==, row->value);
  g_value_unset (&value);
}

/* The ends of a range, which GObject holds to. */
static void
check_range (GParamSpec * pspec, const Row * row)
{
  gdouble low = 0, high = 0;

  if (G_IS_PARAM_SPEC_INT (pspec)) {
    low = G_PARAM_SPEC_INT (pspec)->minimum;
    high = G_PARAM_SPEC_INT (pspec)->maximum;
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    low = G_PARAM_SPEC_UINT (pspec)->minimum;
    high = G_PARAM_SPEC_UINT (pspec)->maximum;
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    low = G_PARAM_SPEC_UINT64 (pspec)->minimum;
    high = G_PARAM_SPEC_UINT64 (pspec)->maximum;
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    low = G_PARAM_SPEC_DOUBLE (pspec)->minimum;
    high = G_PARAM_SPEC_DOUBLE (pspec)->maximum;
  }
  g_assert_cmpfloat (low, ==, row->low);
  g_assert_cmpfloat (high, ==, row->high);
}

/* Either end is read back as it was set. */
static void
check_end (GstElement * element, GParamSpec * pspec, gdouble end)
{
  GValue number = G_VALUE_INIT, value = G_VALUE_INIT, now = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_DOUBLE);
  g_value_set_double (&number, end);
  g_value_init (&value, pspec->value_type);
  if (pspec->value_type == G_TYPE_UINT64)
    g_value_set_uint64 (&value, end == 0 ? 0 : G_MAXUINT64 - 1);
  else
    g_assert_true (g_value_transform (&number, &value));
  g_object_set_property (G_OBJECT (element), pspec->name, &value);
  g_object_get_property (G_OBJECT (element), pspec->name, &now);
  g_assert_cmpint (g_param_values_cmp (pspec, &value, &now), ==, 0);
}

static void
check_row (GstElement * element, const Row * row)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (element), row->name);
  const GType type = pspec->value_type;

  g_assert_cmpstr (g_type_name (type), ==, row->type);
  if (G_TYPE_IS_ENUM (type) || G_TYPE_IS_FLAGS (type))
    g_assert_true (gst_type_is_plugin_api (type, NULL));
  check_flags (pspec, row->flags);
  check_range (pspec, row);
  if (row->value != NULL)
    check_default (element, row);
  if (row->low == row->high)
    return;
  check_end (element, pspec, row->low);
  check_end (element, pspec, row->high);
}

static void
test_compare (gconstpointer data)
{
  g_autoptr (GstElement) element = element_new ("blockdctcompare");

  check_row (element, data);
}

/* A frame goes in, and comes out; but below min-psnr-error, which says so. */
static void
pass_frame (Bench * bench, const gchar * name, guint n)
{
  const GstFlowReturn ret = gst_harness_push (bench->h,
      frame_new (&bench->info, n));
  GstBuffer *out = bench_pull (bench);
  GstMessage *message;

  if (strcmp (name, "min-psnr-error") == 0 && n == 1) {
    text_expect (bench_pop_text (bench, GST_MESSAGE_ERROR), name, NULL);
  } else {
    g_assert_cmpint (ret, ==, GST_FLOW_OK);
    g_assert_nonnull (out);
  }
  gst_clear_buffer (&out);
  /* What has no effect on the frame is said. */
  while ((message = bench_pop (bench, GST_MESSAGE_ELEMENT
              | GST_MESSAGE_WARNING)) != NULL)
    gst_message_unref (message);
}

static void
test_blockdct (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (GstElement) element = element_new ("blockdct");
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (element), row->name);
  Bench bench;

  check_row (element, row);
  if (strchr (row->flags, 'P') != NULL && row->low != row->high) {
    bench_init (&bench, "I420", 40, 24, NULL);
    check_end (bench.element, pspec, row->low);
    pass_frame (&bench, row->name, 0);
    check_end (bench.element, pspec, row->high);
    pass_frame (&bench, row->name, 1);
    bench_clear (&bench);
  }
}

/* No property is missing in the tables. */
static void
test_all (void)
{
  static const gchar *const names[] = { "blockdct", "blockdctcompare" };
  static const guint rows[] = { G_N_ELEMENTS (of_blockdct),
    G_N_ELEMENTS (of_compare)
  };

  for (guint e = 0; e < G_N_ELEMENTS (names); e++) {
    g_autoptr (GstElement) element = element_new (names[e]);
    guint n, n_own = 0;
    GParamSpec **pspecs =
        g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

    for (guint i = 0; i < n; i++)
      n_own += pspecs[i]->owner_type == G_OBJECT_TYPE (element);
    g_assert_cmpuint (n_own, ==, rows[e]);
    g_free (pspecs);
  }
}

static void
test_transforms (void)
{
  GEnumClass *klass = g_type_class_ref (g_type_from_name
      ("GstBlockDctTransform"));

  g_assert_cmpuint (klass->n_values, ==, G_N_ELEMENTS (transforms));
  for (guint i = 0; i < G_N_ELEMENTS (transforms); i++)
    g_assert_nonnull (g_enum_get_value_by_nick (klass, transforms[i]));
  g_type_class_unref (klass);
}

static void
add_rows (const gchar * name, const Row * rows, guint n, GTestDataFunc func)
{
  for (guint i = 0; i < n; i++) {
    gchar *path = g_strdup_printf ("/contract/%s/%s", name, rows[i].name);

    g_test_add_data_func (path, &rows[i], func);
    g_free (path);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  add_rows ("blockdct", of_blockdct, G_N_ELEMENTS (of_blockdct),
      test_blockdct);
  add_rows ("blockdctcompare", of_compare, G_N_ELEMENTS (of_compare),
      test_compare);
  test_add ("/contract/all", test_all);
  test_add ("/contract/transforms", test_transforms);
  return test_run ();
}
