/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The presets that are installed, and those of a user. */
#include <glib/gstdio.h>
#include <string.h>
#include "bench.h"

/* The user's folder of data. */
static gchar *data;

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
  Bench bench;
  gchar **names;

  bench_init (&bench, "I420", 64, 64, NULL);
  names = gst_preset_get_preset_names (GST_PRESET (bench.element));
  for (guint i = 0; i < G_N_ELEMENTS (presets); i++) {
    gint steps[64], tables;
    GstStructure *s;
    gchar *comment;

    for (guint k = 0; k < G_N_ELEMENTS (steps); k++)
      steps[k] = 3;
    set_matrix (bench.element, steps, G_N_ELEMENTS (steps));
    g_assert_true (g_strv_contains ((const gchar * const *) names,
            presets[i].name));
    g_assert_true (gst_preset_get_meta (GST_PRESET (bench.element),
            presets[i].name, "comment", &comment));
    g_free (comment);
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
    gst_structure_free (s);
    g_object_get (bench.element, "quantization-tables", &tables, NULL);
    g_assert_cmpint (tables, ==, BDCT_PRESET_ANNEX_K);
  }
  g_assert_false (gst_preset_load_preset (GST_PRESET (bench.element), "none"));
  g_strfreev (names);
  bench_clear (&bench);
}

/* One that a user saves comes back; what it does not name stays. */
static void
test_save (void)
{
  gchar *presets = g_build_filename (data, "gstreamer-1.0", "presets", NULL);
  gchar *path = g_build_filename (presets, "GstBlockDct.prs", NULL);
  GstPreset *preset;
  Bench bench;
  gint quality;

  g_mkdir_with_parents (presets, 0700);
  bench_init (&bench, "I420", 16, 16, "quality", 31, NULL);
  preset = GST_PRESET (bench.element);
  g_assert_true (gst_preset_save_preset (preset, "new"));
  g_object_set (bench.element, "quality", 40, NULL);
  g_assert_true (gst_preset_load_preset (preset, "new"));
  g_object_get (bench.element, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 31);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
  bench_clear (&bench);
  g_unlink (path);
  g_rmdir (presets);
  g_free (presets);
  presets = g_build_filename (data, "gstreamer-1.0", NULL);
  g_rmdir (presets);
  g_free (presets);
  g_free (path);
}

int
main (int argc, char **argv)
{
  int ret;

  data = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", data, TRUE);
  test_init (&argc, &argv);
  test_add ("/preset/save", test_save);
  test_add ("/preset/load", test_load);
  ret = test_run ();
  g_rmdir (data);
  g_free (data);
  return ret;
}
