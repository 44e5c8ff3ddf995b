/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The presets that are installed, and what presets hold. */
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

/* What makes the picture, and not where the element runs or what it writes to
 * which file: a preset that has that, as of another version, leaves it, and
 * says so. */
static void
test_pictures_only (void)
{
  static const gchar *others[] = { "stats-file", "backend", "cuda-device-id",
    "threads", "async-depth", "post-messages", "interval", "qos", "name",
    "metrics", "curve", "min-psnr-error"
  };
  static const gchar *pictures[] = { "transform", "quality", "qp",
    "chroma-qp-offset", "scaling-list", "scaling-list-file",
    "quantization-tables", "quantization-matrix", "quantization-file",
    "quantization-scale", "baseline", "view", "grid", "target-psnr",
    "target-ssim", "target-bpp", "target-size"
  };
  gchar *presets = g_build_filename (data, "gstreamer-1.0", "presets", NULL);
  gchar *path = g_build_filename (presets, "GstBlockDct.prs", NULL);
  gchar *victim = g_build_filename (data, "victim", NULL);
  gchar *text = g_strdup_printf ("[_presets_]\nversion=0.0.1\n"
      "element-name=GstBlockDct\n\n[old]\nquality=31\nthreads=3\n"
      "stats-file=%s\n", victim), *now;
  gchar **names;
  GstPreset *preset;
  guint threads;
  Bench bench;
  gint quality;

  g_mkdir_with_parents (presets, 0700);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (g_file_set_contents (victim, "precious", -1, NULL));
  bench_init (&bench, "I420", 16, 16, "threads", 1, "stats-file", NULL, NULL);
  gst_element_set_state (bench.element, GST_STATE_NULL);
  preset = GST_PRESET (bench.element);
  names = gst_preset_get_property_names (preset);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_false (g_strv_contains ((const gchar **) names, others[i]));
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    g_assert_true (g_strv_contains ((const gchar **) names, pictures[i]));
  g_strfreev (names);
  g_assert_true (gst_preset_load_preset (preset, "old"));
  text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING), "'old'",
      "threads, stats-file", NULL);
  g_object_get (bench.element, "quality", &quality, "threads", &threads,
      "stats-file", &now, NULL);
  g_assert_cmpint (quality, ==, 31);
  g_assert_cmpuint (threads, ==, 1);
  g_assert_null (now);
  g_free (text);

  g_object_set (bench.element, "stats-file", victim, NULL);
  g_assert_true (gst_preset_save_preset (preset, "new"));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_null (strstr (strstr (text, "[new]"), "stats-file"));
  g_assert_nonnull (strstr (strstr (text, "[new]"), "quality=31"));
  g_free (text);
  g_assert_true (g_file_get_contents (victim, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "precious");
  g_free (text);
  bench_clear (&bench);
  g_unlink (path);
  g_unlink (victim);
  g_rmdir (presets);
  g_free (presets);
  presets = g_build_filename (data, "gstreamer-1.0", NULL);
  g_rmdir (presets);
  g_free (presets);
  g_free (victim);
  g_free (path);
}

int
main (int argc, char **argv)
{
  int ret;

  data = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", data, TRUE);
  test_init (&argc, &argv);
  test_add ("/preset/pictures-only", test_pictures_only);
  test_add ("/preset/load", test_load);
  ret = test_run ();
  g_rmdir (data);
  g_free (data);
  return ret;
}
