/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `curve`: what a frame would be at other settings, against an element that is
 * given one setting after another. */
#include <string.h>
#include "curve.h"

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
  g_autofree gchar *text = get_curve (bench);

  g_assert_cmpstr (text, ==, expected);
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
  static const guint sizes[] = { G_N_ELEMENTS (some), 1 };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint t = 0; t < G_N_ELEMENTS (transforms) - test_on_cuda (); t++) {
      gint first = has_qp (transforms[t]) ? 0 : 1, n;
      GstStructure *reports[MAX_SETTINGS], *s, *own;
      g_auto (Bench) bench;

      n = run_all (formats[f], 3, transforms[t], reports);
      bench_init (&bench, formats[f], WIDTH, HEIGHT, "transform",
          transforms[t], NULL);
      set_deadzone (&bench, transforms[t]);
      element_set (bench.element, "curve", "<all>");
      assert_curve (&bench, "< (string)all >");
      own = bench_report (&bench, 3);
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
      for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
        set_curve (&bench, some, sizes[k]);
        gst_structure_free (bench_report (&bench, 3));
        s = pop_curve (&bench, 1 + k);
        for (guint i = 0; i < sizes[k]; i++)
          assert_entry (s, sizes[k], i, reports[some[i] - first]);
        gst_structure_free (s);
      }
      /* There is none without messages. */
      g_object_set (bench.element, "post-messages", FALSE, NULL);
      bench_pass (&bench, 3);
      pop_curve (&bench, -1);
      free_all (reports, n);
    }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/curve/formats", test_by_format);
  return test_run ();
}
