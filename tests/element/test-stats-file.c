/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stats-file in its three formats, and where it cannot be written. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"

/* What is written of frames, every third one without error. */
static const struct
{
  const gchar *name, *format, *metrics;
  guint n;
  const gchar *head;            /* the first line, or its end behind ... */
} files[] = {
  /* The header and the lines of libavfilter's vf_psnr.c; and behind these what
   * that has not. */
  {"psnr.log", "I420", "bits", 7, "psnr_log_version:2 fields:n,mse_avg,mse_y,"
        "mse_u,mse_v,psnr_avg,psnr_y,psnr_u,psnr_v,bits,bits_y,bits_u,bits_v,"
        "bits_optimized,file_size,file_size_optimized,bpp"},
  {"gray.log", "GRAY8", "bits", 3, "psnr_log_version:2 fields:n,mse_avg,mse_y,"
        "psnr_avg,psnr_y,bits,bits_y,bits_optimized,file_size,"
        "file_size_optimized,bpp"},
  {"rgb.log", "RGB", "0", 1, "...,psnr_v,mse_rgb,mse_r,mse_g,mse_b,psnr_rgb,"
        "psnr_r,psnr_g,psnr_b"},
  {"ssim.log", "I420", "ssim+xpsnr", 2, "...,psnr_v,ssim_y,ssim_u,ssim_v,ssim,"
        "xpsnr_y,xpsnr_u,xpsnr_v"},
  {"FIGURES.CSV", "NV12", "bits", 4, "index,timestamp,stream-time,running-time,"
        "duration,mse,mse-y,mse-u,mse-v,psnr,psnr-y,psnr-u,psnr-v,identical,"
        "nonzero,transform,quality,qp,backend,bits,bits-y,bits-u,bits-v,"
        "bits-optimized,file-size,file-size-optimized,bits-estimated,"
        "bits-estimated-y,bits-estimated-u,bits-estimated-v,bpp,target-met,"
        "regions,mse-r,mse-g,mse-b,mse-rgb,psnr-r,psnr-g,psnr-b,psnr-rgb,"
        "area-4,area-8,area-16,area-32,deadzone,ssim-y,ssim-u,ssim-v,ssim,"
        "ms-ssim-y,psnr-hvs-y,psnr-hvs-u,psnr-hvs-v,psnr-hvs,xpsnr-y,xpsnr-u,"
        "xpsnr-v"},
  /* The same columns, some of them empty. */
  {"gray.csv", "GRAY8", "bits", 1, "...,xpsnr-v"},
  {"estimated.csv", "I420_10LE", "bits+ssim+xpsnr", 2, "...,xpsnr-v"},
  {"figures.jsonl", "Y444", "bits+ssim+xpsnr", 3, NULL},
};

/* Write a file; the lines of it and what was reported. */
static gchar **
record (guint f, GstStructure ** reports)
{
  gchar *path = test_path (files[f].name), *text, **lines;
  Bench bench;

  bench_init (&bench, files[f].format, 64, 48, "stats-file", path, "quality",
      40, "async-depth", 2, NULL);
  element_set (bench.element, "metrics", files[f].metrics);
  for (guint i = 0; i < files[f].n; i++) {
    GstBuffer *in = frame_new (&bench.info, i);

    if (i % 3 == 2)
      gst_buffer_memset (in, 0, 128, bench.info.size);
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
  }
  /* Complete before EOS goes on, and so before anybody hears of it. */
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (guint i = 0; i < files[f].n; i++)
    reports[i] = bench_pop_report (&bench, "frame");
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[g_strv_length (lines) - 1], ==, "");
  bench_clear (&bench);
  g_free (text);
  g_free (path);
  return lines;
}

/* A number that is not finite, or as many digits as a double has; in a log two,
 * and of metrics six. */
static void
check_number (const gchar * text, gdouble value, gboolean log)
{
  if (isinf (value))
    /* Infinity is no number in JSON. */
    g_assert_true (strcmp (text, "inf") == 0 || strcmp (text, "null") == 0);
  else if (log)
    g_assert_cmpfloat_with_epsilon (g_ascii_strtod (text, NULL), value,
        strlen (strchr (text, '.')) == 3 ? 0.00501 : 0.000000501);
  else
    g_assert_cmpfloat (g_ascii_strtod (text, NULL), ==, value);
}

/* A cell is what the report says; empty: nothing. */
static void
check_cell (const GstStructure * report, const gchar * name,
    const gchar * text, gboolean log)
{
  const GValue *value = gst_structure_get_value (report, name);
  g_autofree gchar *said = NULL;

  g_test_message ("%s: %s", name, text);
  if (value == NULL) {
    g_assert_cmpstr (text, ==, "");
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    check_number (text, g_value_get_double (value), log);
  } else {
    said = G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value)
        : gst_value_serialize (value);
    g_assert_cmpstr (text, ==, said);
  }
}

/* Of CSV each column; of a log and of JSON what stands behind a name. */
static void
check_line (guint f, const gchar * head, const gchar * line,
    const GstStructure * report)
{
  const gboolean log = g_str_has_suffix (files[f].name, ".log");
  const gboolean csv = !log && head != NULL;
  g_auto (GStrv) names = head != NULL ? g_strsplit (log ? strstr (head, "n,")
      + 2 : head, ",", -1) : NULL;
  g_auto (GStrv) cells = g_strsplit_set (line, csv ? "," : log ? " " : "{,}",
      -1);

  if (csv)
    g_assert_cmpuint (g_strv_length (cells), ==, g_strv_length (names));
  for (guint i = 0; csv && names[i] != NULL; i++)
    check_cell (report, names[i], cells[i], FALSE);
  if (log) {
    g_autofree gchar *first = g_strdup_printf ("n:%u", (guint) get_uint64
        (report, "index") + 1);

    g_assert_cmpstr (cells[0], ==, first);
    /* There is a blank behind each. */
    g_assert_cmpuint (g_strv_length (cells), ==, 2 + g_strv_length (names));
  }
  for (guint i = 1; !csv && cells[i] != NULL && *cells[i] != '\0'; i++) {
    g_auto (GStrv) pair = g_strsplit (cells[i], ":", 2);
    gchar *name = g_strdelimit (pair[0], log ? "_" : "\"", log ? '-' : ' ');

    if (log)
      g_assert_true (g_str_has_prefix (cells[i], names[i - 1]));
    if (g_str_has_suffix (name, "-avg"))
      *strrchr (name, '-') = '\0';
    check_cell (report, g_strstrip (name), g_strstrip (g_strdelimit (pair[1],
                "\"", ' ')), log);
  }
  if (head == NULL)
    g_assert_cmpint (g_strv_length (cells), ==, gst_structure_n_fields (report)
        + 2);
}

static void
test_file (gconstpointer data)
{
  const guint f = GPOINTER_TO_UINT (data);
  const gchar *head = files[f].head;
  GstStructure *reports[7];
  gchar **lines = record (f, reports);

  g_assert_cmpuint (g_strv_length (lines), ==, files[f].n + 1 + (head != NULL));
  if (head != NULL && g_str_has_prefix (head, "..."))
    g_assert_true (g_str_has_suffix (lines[0], head + 3));
  else if (head != NULL)
    g_assert_cmpstr (lines[0], ==, head);
  for (guint i = 0; i < files[f].n; i++) {
    check_line (f, head != NULL ? lines[0] : NULL, lines[i + (head != NULL)],
        reports[i]);
    gst_structure_free (reports[i]);
  }
  g_strfreev (lines);
}

/* A locale with a decimal comma changes nothing. */
static void
test_locale (void)
{
  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL
      && setlocale (LC_ALL, "fr_FR.UTF-8") == NULL) {
    g_test_skip ("no locale with a decimal comma is installed");
    return;
  }
  test_file (GUINT_TO_POINTER (G_N_ELEMENTS (files) - 2));
  setlocale (LC_ALL, "C");
}

/* A full disk is an error, once, that names the file. */
static void
test_full (void)
{
  gchar *path = test_path ("full.log");
  Bench bench;

  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip ("no /dev/full");
    g_free (path);
    return;
  }
  g_assert_cmpint (symlink ("/dev/full", path), ==, 0);
  bench_init (&bench, "I420", 64, 48, "stats-file", path, "async-depth", 1,
      NULL);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (gst_harness_push (bench.h, frame_new (&bench.info, i)),
        ==, GST_FLOW_ERROR);
  text_expect (bench_pop_text (&bench, GST_MESSAGE_ERROR), "No space left",
      "stats-file", path, NULL);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ERROR));
  bench_clear (&bench);
  g_free (path);
}

/* Neither messages nor the interval matter; each start begins anew. */
static void
test_restart (void)
{
  gchar *path = test_path ("again.csv"), *text;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 64, 48, "stats-file", path, "post-messages",
      FALSE, "interval", GST_SECOND, NULL);
  for (guint run = 0; run < 3; run++) {
    if (run > 0) {
      gst_element_set_state (bench.element, GST_STATE_READY);
      gst_element_set_state (bench.element, GST_STATE_PLAYING);
      bench_set_caps (&bench, "I420", 64, 48);
    }
    bench_pass (&bench, run);
  }
  gst_element_set_state (bench.element, GST_STATE_NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\n0,80000000,"));
  g_assert_null (strstr (text, "\n0,40000000,"));
  g_free (text);
  g_free (path);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree gchar *path = g_strconcat ("/stats-file/", files[i].name, NULL);

    test_add_row (path, test_file, GUINT_TO_POINTER (i));
  }
  test_add ("/stats-file/locale", test_locale);
  test_add ("/stats-file/full", test_full);
  test_add ("/stats-file/restart", test_restart);
  return test_run ();
}
