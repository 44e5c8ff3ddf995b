/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the steps come from: quantization-file, quantization-scale,
 * quantization-preset, baseline, and what they have to do with
 * quantization-matrix; and scaling-list-file. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static gchar *
write_file (const gchar * name, const gchar * text, gssize size)
{
  gchar *path = test_path (name);

  g_assert_true (g_file_set_contents (path, text, size, NULL));
  return path;
}

/* `n` steps from `first` on, each larger by `by`, in text and in `params`. */
static gchar *
write_steps (const gchar * name, BdctParams * params, gint n, gint first,
    gint by)
{
  GString *text = g_string_new ("# steps\n");
  gchar *path;

  memset (&params->tables, 0, sizeof params->tables);
  params->tables.n_steps = n;
  for (gint i = 0; i < n; i++) {
    params->tables.steps[i] = first + i * by;
    g_string_append_printf (text, "%d%s", first + i * by,
        i % 8 == 7 ? "\n" : " ");
  }
  path = write_file (name, text->str, text->len);
  g_string_free (text, TRUE);
  return path;
}

/* The next warning has all of these. */
#define CHECK_WARNING(bench, ...) \
  text_expect (bench_pop_text (bench, GST_MESSAGE_WARNING), __VA_ARGS__, NULL)

static void
check_path (GstElement * element, const gchar * property,
    const gchar * expected)
{
  gchar *path;

  g_object_get (element, property, &path, NULL);
  g_assert_cmpstr (path, ==, expected);
  g_free (path);
}

static void
check_file (GstElement * element, const gchar * expected)
{
  check_path (element, "quantization-file", expected);
}

/* Live, read again when it is set again, scaled on request. */
static void
test_file (void)
{
  BdctParams params = defaults;
  guint n = 0;
  gchar *path;
  Bench bench;

  bench_init (&bench, "I420", 40, 24, NULL);
  check_file (bench.element, NULL);
  bench_check (&bench, n++, &params);
  path = write_steps ("a", &params, 128, 3, 1);
  g_object_set (bench.element, "quantization-file", path,
      "quantization-tables", BENCH_TABLES_FILE, NULL);
  check_file (bench.element, path);
  bench_check (&bench, n++, &params);
  g_free (path);
  path = write_steps ("a", &params, 64, 90, -1);
  g_object_set (bench.element, "quantization-file", path, NULL);
  bench_check (&bench, n++, &params);
  params.quality = 30;
  g_object_set (bench.element, "quality", 30, NULL);
  bench_check (&bench, n++, &params);
  params.scale_tables = TRUE;
  g_object_set (bench.element, "quantization-scale", TRUE, NULL);
  bench_check (&bench, n++, &params);
  params.transform = BDCT_JPEG_8X8;
  params.baseline = FALSE;
  params.quality = 5;
  g_object_set (bench.element, "baseline", FALSE, "quality", 5, NULL);
  bench_check (&bench, n++, &params);
  /* The file may go, once it is read. */
  g_remove (path);
  bench_check (&bench, n++, &params);
  params.tables.n_steps = 0;
  g_object_set (bench.element, "quantization-file", NULL, NULL);
  check_file (bench.element, NULL);
  bench_check (&bench, n++, &params);
  CHECK_WARNING (&bench, "quantization-tables=file is ignored",
      "quantization-file is not set");
  g_free (path);
  bench_clear (&bench);
}

/* Refused with file, line and value; the old state stays. */
static void
test_bad_file (void)
{
  BdctParams params = defaults, ignored = defaults;
  gchar *good = write_steps ("good", &params, 64, 5, 2), *path;
  GString *text = g_string_new (NULL);
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "quantization-file", good,
      "quantization-tables", BENCH_TABLES_FILE, NULL);
  bench_check (&bench, 0, &params);

  path = write_steps ("sixty-three", &ignored, 63, 1, 1);
  g_object_set (bench.element, "quantization-file", path, NULL);
  CHECK_WARNING (&bench, "quantization-file", "sixty-three", "line 9",
      "63 of 64");
  /* What is no tables is not kept. */
  g_assert_cmpuint (g_quark_try_string (path), ==, 0);
  g_free (path);

  path = write_steps ("zero", &ignored, 64, 20, -1);
  g_object_set (bench.element, "quantization-file", path, NULL);
  CHECK_WARNING (&bench, "quantization-file", "zero", "line 4", "step 0");
  g_free (path);

  path = test_path ("missing");
  g_object_set (bench.element, "quantization-file", path, NULL);
  CHECK_WARNING (&bench, "quantization-file", "missing", "No such file");
  g_assert_cmpuint (g_quark_try_string (path), ==, 0);
  g_free (path);

  path = test_path ("");
  g_object_set (bench.element, "quantization-file", path, NULL);
  CHECK_WARNING (&bench, "quantization-file", "not a regular file");
  g_free (path);

  path = write_file ("page", "<html>\n", -1);
  g_object_set (bench.element, "quantization-file", path, NULL);
  CHECK_WARNING (&bench, "quantization-file", "page", "line 1, column 1");
  g_free (path);

  /* Of a long name the end is shown; the reason stays in. */
  g_string_append_printf (text, "/%0300d", 7);
  g_object_set (bench.element, "quantization-file", text->str, NULL);
  CHECK_WARNING (&bench, "quantization-file was not changed: ...", "007",
      "File name too long");
  g_string_free (text, TRUE);

  check_file (bench.element, good);
  bench_check (&bench, 1, &params);

  /* What the stream does not allow is set aside, until it does. */
  path = write_steps ("large", &ignored, 128, 130, 1);
  g_object_set (bench.element, "quantization-file", path, NULL);
  bench_check (&bench, 2, &defaults);
  CHECK_WARNING (&bench, "quantization-tables=file is ignored", "256");
  check_file (bench.element, path);
  g_object_set (bench.element, "baseline", FALSE, NULL);
  ignored.baseline = FALSE;
  bench_check (&bench, 3, &ignored);
  g_object_set (bench.element, "baseline", TRUE, NULL);
  bench_check (&bench, 4, &defaults);
  CHECK_WARNING (&bench, "quantization-tables=file is ignored", "256");
  check_file (bench.element, path);
  g_free (path);
  g_free (good);
  bench_clear (&bench);
}

/* A file that is no table may be somebody's secret: no word of it is told. */
static void
test_secret_file (void)
{
  static const gchar *const properties[] = {
    "quantization-file", "scaling-list-file"
  };
  gchar *path = write_file ("secret", "hunter2:$6$abcdef\n", -1);
  Bench bench;

  bench_init (&bench, "I420", 16, 16, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    gchar *text;

    g_object_set (bench.element, properties[i], path, NULL);
    text = bench_pop_text (&bench, GST_MESSAGE_WARNING);
    if (strstr (text, properties[i]) == NULL || strstr (text, "line 1") == NULL
        || strstr (text, "hunter") != NULL || strstr (text, "abc") != NULL)
      g_error ("'%s'", text);
    g_free (text);
  }
  bench_clear (&bench);
  g_free (path);
}

/* Of what is longer than a table could be, nothing is read: the end might be
 * anything. */
static void
test_long_file (void)
{
  static const gchar *const properties[] = {
    "quantization-file", "scaling-list-file"
  };
  BdctParams params = defaults;
  gchar *path = write_steps ("long", &params, 64, 5, 2);
  FILE *file = g_fopen (path, "ab");
  Bench bench;

  fputs ("# all that follows is one comment", file);
  fflush (file);
  g_assert_cmpint (ftruncate (fileno (file), 16 << 20), ==, 0);
  bench_init (&bench, "I420", 16, 16, NULL);
  g_object_set (bench.element, "quantization-file", path,
      "quantization-tables", BENCH_TABLES_FILE, NULL);
  bench_check (&bench, 0, &params);
  g_object_set (bench.element, "quantization-file", NULL,
      "quantization-tables", BDCT_PRESET_ANNEX_K, NULL);
  g_assert_cmpint (ftruncate (fileno (file), (16 << 20) + 1), ==, 0);
  fclose (file);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    g_object_set (bench.element, properties[i], path, NULL);
    CHECK_WARNING (&bench, properties[i], "long", "16777217 bytes", "16 MiB");
  }
  check_file (bench.element, NULL);
  bench_check (&bench, 1, &defaults);
  bench_clear (&bench);
  g_free (path);
}

static void
test_presets (void)
{
  BdctParams params = defaults;
  guint n = 0;
  Bench bench;

  bench_init (&bench, "I420", 24, 40, NULL);
  for (gint i = BDCT_N_PRESETS - 1; i >= 0; i--) {
    params.preset = i;
    params.quality = 10 + 10 * i;
    element_set (bench.element, "quantization-tables",
        bdct_preset_info (i)->name);
    g_object_set (bench.element, "quality", params.quality, NULL);
    bench_check (&bench, n++, &params);
  }
  bench_clear (&bench);
}

/* Steps above 255 at 8 bits: of low qualities, and a matrix's. */
static void
test_baseline (void)
{
  BdctParams params = defaults;
  Bench bench;

  params.quality = 2;
  bench_init (&bench, "Y444", 16, 32, "quality", 2, NULL);
  bench_check (&bench, 0, &params);
  params.baseline = FALSE;
  g_object_set (bench.element, "baseline", FALSE, NULL);
  bench_check (&bench, 1, &params);
  params.n_steps = 64;
  for (gint i = 0; i < 64; i++)
    params.steps[i] = 250 + i;
  set_matrix (bench.element, params.steps, 64);
  bench_check (&bench, 2, &params);
  bench_clear (&bench);
}

/* Matrix and file are kept, whichever is in force. */
static void
test_choice (void)
{
  BdctParams file = defaults, matrix = defaults, named = defaults;
  gchar *path = write_steps ("b", &file, 64, 7, 1);
  GstElement *element;
  Bench bench;

  matrix.n_steps = 64;
  for (gint i = 0; i < 64; i++)
    matrix.steps[i] = 12;
  named.preset = BDCT_PRESET_KLEIN;
  bench_init (&bench, "I420", 16, 16, "quantization-file", path, NULL);
  element = bench.element;
  bench_check (&bench, 0, &defaults);
  set_matrix (element, matrix.steps, 64);
  bench_check (&bench, 1, &matrix);
  g_object_set (element, "quantization-tables", BENCH_TABLES_FILE, NULL);
  bench_check (&bench, 2, &file);
  g_object_set (element, "quantization-tables", BDCT_PRESET_KLEIN, NULL);
  bench_check (&bench, 3, &named);
  element_set (element, "quantization-tables", "matrix");
  bench_check (&bench, 4, &matrix);
  check_file (element, path);
  g_free (path);
  bench_clear (&bench);
}

/* A choice of what is not set is said, once until it is set. */
static void
test_choice_of_none (void)
{
  Bench bench;

  bench_init (&bench, "I420", 16, 16, NULL);
  element_set (bench.element, "quantization-tables", "matrix");
  bench_check (&bench, 0, &defaults);
  CHECK_WARNING (&bench, "quantization-tables=matrix is ignored",
      "quantization-matrix is not set");
  bench_check (&bench, 1, &defaults);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
  bench_clear (&bench);
}

/* Scaling lists as a file and in `params`. */
static gchar *
write_lists (const gchar * name, BdctParams * params, guint seed)
{
  static const gchar *const components[] = { "LUMA", "CHROMAU", "CHROMAV" };
  BdctScalingLists *lists = &params->lists;
  GString *text = g_string_new ("# lists\n");
  gchar *path;

  memset (lists, 16, sizeof *lists);
  for (gint size = 0; size < 4; size++)
    for (gint c = 0; c < (size == 3 ? 1 : 3); c++) {
      gint n = size == 0 ? 4 : 8, side = 4 << size;

      g_string_append_printf (text, "INTRA%dX%d_%s =\n", side, side,
          components[c]);
      for (gint i = 0; i < n * n; i++) {
        gint m = 16 + (seed + 7 * size + 3 * c + i * 5) % 100;

        lists->factor[size][c][i / n * 8 + i % n] = m;
        g_string_append_printf (text, "%d,%s", m, i % n == n - 1 ? "\n" : "");
      }
      lists->dc[size][c] = lists->factor[size][c][0];
      if (size < 2)
        continue;
      lists->dc[size][c] += 40 + seed;
      g_string_append_printf (text, "INTRA%dX%d_%s_DC =\n%d\n", side, side,
          components[c], lists->dc[size][c]);
    }
  for (gint c = 1; c < 3; c++) {
    memcpy (lists->factor[3][c], lists->factor[2][c], 64);
    lists->dc[3][c] = lists->dc[2][c];
  }
  path = write_file (name, text->str, text->len);
  lists->name = g_quark_from_string (path);
  g_string_free (text, TRUE);
  return path;
}

static BdctParams
scaled_params (BdctTransform transform)
{
  BdctParams params = defaults;

  params.transform = transform;
  params.qp = 30;
  return params;
}

#define SCALED "transform", BDCT_HEVC_32X32, "qp", 30

/* Live, and read again when it is set again; not used while the list is another
 * one. */
static void
test_lists_live (void)
{
  BdctParams params = scaled_params (BDCT_HEVC_16X16);
  gchar *path = write_lists ("live", &params, 3);
  guint n = 0;
  Bench bench;

  bench_init (&bench, "I420", 40, 40, "transform", BDCT_HEVC_16X16, "qp", 30,
      NULL);
  check_path (bench.element, "scaling-list-file", NULL);
  g_object_set (bench.element, "scaling-list-file", path, NULL);
  bench_check (&bench, n++, &params);
  params.scaling_list = BDCT_SCALING_FILE;
  g_object_set (bench.element, "scaling-list", BDCT_SCALING_FILE, NULL);
  bench_check (&bench, n++, &params);
  g_free (write_lists ("live", &params, 50));
  g_object_set (bench.element, "scaling-list-file", path, NULL);
  bench_check (&bench, n++, &params);
  /* The file may go, once it is read. */
  g_remove (path);
  bench_check (&bench, n++, &params);
  params.scaling_list = BDCT_SCALING_DEFAULT;
  g_object_set (bench.element, "scaling-list", BDCT_SCALING_DEFAULT, NULL);
  bench_check (&bench, n++, &params);
  g_free (path);
  bench_clear (&bench);
}

/* Refused with file, line and value; the old lists stay. */
static void
test_bad_lists (void)
{
  BdctParams params = scaled_params (BDCT_HEVC_32X32), ignored = params;
  gchar *good = write_lists ("good-lists", &params, 5), *path;
  Bench bench;

  params.scaling_list = BDCT_SCALING_FILE;
  bench_init (&bench, "I420", 40, 40, SCALED, "scaling-list-file", good,
      "scaling-list", BDCT_SCALING_FILE, NULL);
  path = write_file ("zero-lists", "INTRA4X4_LUMA =\n16, 16,\n0\n", -1);
  g_object_set (bench.element, "scaling-list-file", path, NULL);
  CHECK_WARNING (&bench, "scaling-list-file", "zero-lists", "line 3",
      "0, number 3 of INTRA4X4_LUMA");
  g_free (path);
  path = write_steps ("steps", &ignored, 64, 16, 1);
  g_object_set (bench.element, "scaling-list-file", path, NULL);
  CHECK_WARNING (&bench, "scaling-list-file", "line 2", "16 comes before");
  g_free (path);
  path = test_path ("missing");
  g_object_set (bench.element, "scaling-list-file", path, NULL);
  CHECK_WARNING (&bench, "scaling-list-file", "missing", "No such file");
  g_free (path);
  check_path (bench.element, "scaling-list-file", good);
  bench_check (&bench, 0, &params);
  g_free (good);
  bench_clear (&bench);
}

/* `file` without one is flat, aloud. */
static void
test_no_lists (void)
{
  BdctParams params = scaled_params (BDCT_HEVC_32X32), lists = params;
  gchar *path = write_lists ("own", &lists, 5);
  Bench bench;

  bench_init (&bench, "I420", 40, 40, SCALED, "scaling-list",
      BDCT_SCALING_FILE, NULL);
  bench_check (&bench, 0, &params);
  CHECK_WARNING (&bench, "scaling-list is ignored",
      "needs a scaling-list-file");
  g_object_set (bench.element, "scaling-list-file", path, NULL);
  params = lists;
  params.scaling_list = BDCT_SCALING_FILE;
  bench_check (&bench, 1, &params);
  check_path (bench.element, "scaling-list-file", path);
  g_free (path);
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/tables/file", test_file);
  test_add ("/tables/bad", test_bad_file);
  test_add ("/tables/secret-file", test_secret_file);
  test_add ("/tables/long-file", test_long_file);
  test_add ("/tables/presets", test_presets);
  test_add ("/tables/baseline", test_baseline);
  test_add ("/tables/choice", test_choice);
  test_add ("/tables/choice-of-none", test_choice_of_none);
  test_add ("/tables/lists/live", test_lists_live);
  test_add ("/tables/lists/bad", test_bad_lists);
  test_add ("/tables/lists/none", test_no_lists);
  return test_run ();
}
