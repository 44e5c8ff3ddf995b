/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The presets that are installed. */
#include "bench.h"

/* Each is there and complete, whatever was set before. */
static void
test_load (void)
{
  static const struct
  {
    const gchar *name, *transform;
    gint quality, qp;
  } presets[] = {
    {"archive", "jpeg-8x8", 95, -1}, {"web-thumbnail", "jpeg-8x8", 60, -1},
    {"broadcast-contribution", "hevc-16x16", -1, 17},
    {"worst-case", "hevc-32x32", -1, 51},
  };
  g_auto (Bench) bench;
  g_auto (GStrv) names;

  bench_init (&bench, "I420", 64, 64, NULL);
  names = gst_preset_get_preset_names (GST_PRESET (bench.element));
  for (guint i = 0; i < G_N_ELEMENTS (presets); i++) {
    gint steps[64], tables;
    g_autoptr (GstStructure) s;
    g_autofree gchar *comment = NULL;

    for (guint k = 0; k < G_N_ELEMENTS (steps); k++)
      steps[k] = 3;
    set_matrix (bench.element, steps, G_N_ELEMENTS (steps));
    g_assert_true (g_strv_contains ((const gchar * const *) names,
            presets[i].name));
    g_assert_true (gst_preset_get_meta (GST_PRESET (bench.element),
            presets[i].name, "comment", &comment));
    g_assert_true (gst_preset_load_preset (GST_PRESET (bench.element),
            presets[i].name));
    bench_pass (&bench, i);
    s = bench_pop_report (&bench, "frame");
    g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==,
        presets[i].transform);
    if (presets[i].qp >= 0)
      g_assert_cmpint (get_int (s, "qp"), ==, presets[i].qp);
    else
      g_assert_cmpint (get_int (s, "quality"), ==, presets[i].quality);
    g_object_get (bench.element, "quantization-tables", &tables, NULL);
    g_assert_cmpint (tables, ==, BDCT_PRESET_ANNEX_K);
  }
  g_assert_false (gst_preset_load_preset (GST_PRESET (bench.element), "none"));
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/preset/load", test_load);
  return test_run ();
}
