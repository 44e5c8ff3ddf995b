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

/* Play `n` frames, every third one without error, and return the lines of the
 * file and, if `reports`, what was reported. */
static gchar **
record (const gchar * name, const gchar * format, guint n,
    GstStructure ** reports)
{
  gchar *path = test_path (name), *text, **lines;
  Bench bench;

  bench_init (&bench, format, 64, 48, "stats-file", path, "quality", 40,
      "metrics", BENCH_BITS, "async-depth", 2, NULL);
  for (guint i = 0; i < n; i++) {
    GstBuffer *in = frame_new (&bench.info, i);

    if (i % 3 == 2)
      gst_buffer_memset (in, 0, 128, bench.info.size);
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
  }
  /* Complete before EOS goes on, and so before anybody hears of it. */
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (guint i = 0; i < n && reports != NULL; i++)
    reports[i] = bench_pop_report (&bench, "frame");
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[g_strv_length (lines) - 1], ==, "");
  bench_clear (&bench);
  g_free (text);
  g_free (path);
  return lines;
}

static void
assert_decibels (const gchar * line, const gchar * name, gdouble expected)
{
  gchar *start = strstr (line, name);

  g_assert_nonnull (start);
  start += strlen (name);
  if (isinf (expected))
    g_assert_true (g_str_has_prefix (start, "inf"));
  else
    g_assert_cmpfloat_with_epsilon (g_ascii_strtod (start, NULL), expected,
        0.00501);
}

/* A whole number behind its name. */
static void
assert_number (const gchar * line, const gchar * name, guint64 expected)
{
  gchar *text = g_strdup_printf (" %s:%" G_GUINT64_FORMAT " ", name, expected);

  if (strstr (line, text) == NULL)
    g_error ("'%s' lacks '%s'", line, text);
  g_free (text);
}

/* The header and the lines of libavfilter's vf_psnr.c; and behind these what
 * that has not. */
static void
test_ffmpeg (void)
{
  GstStructure *reports[7];
  gchar **lines = record ("psnr.log", "I420", 7, reports);

  g_assert_cmpint (g_strv_length (lines), ==, 9);
  g_assert_cmpstr (lines[0], ==, "psnr_log_version:2 fields:n,mse_avg,mse_y,"
      "mse_u,mse_v,psnr_avg,psnr_y,psnr_u,psnr_v,bits,bits_y,bits_u,bits_v,"
      "bits_optimized,file_size,file_size_optimized,bpp");
  for (guint i = 0; i < 7; i++) {
    gchar *start = g_strdup_printf ("n:%u mse_avg:", i + 1);

    g_assert_true (g_str_has_prefix (lines[i + 1], start));
    assert_decibels (lines[i + 1], "mse_avg:", get_double (reports[i], "mse"));
    assert_decibels (lines[i + 1], " mse_v:", get_double (reports[i],
            "mse-v"));
    assert_decibels (lines[i + 1], " psnr_avg:", get_double (reports[i],
            "psnr"));
    assert_decibels (lines[i + 1], " psnr_u:", get_double (reports[i],
            "psnr-u"));
    assert_number (lines[i + 1], "bits", get_uint64 (reports[i], "bits"));
    assert_number (lines[i + 1], "file_size", get_uint64 (reports[i],
            "file-size"));
    gst_structure_free (reports[i]);
    g_free (start);
  }
  g_strfreev (lines);
  lines = record ("gray.log", "GRAY8", 3, NULL);
  g_assert_cmpstr (lines[0], ==,
      "psnr_log_version:2 fields:n,mse_avg,mse_y,psnr_avg,psnr_y,bits,bits_y,"
      "bits_optimized,file_size,file_size_optimized,bpp");
  g_assert_true (g_str_has_prefix (lines[3],
          "n:3 mse_avg:0.00 mse_y:0.00 psnr_avg:inf psnr_y:inf bits:"));
  g_strfreev (lines);
  lines = record ("colours.log", "RGB", 1, reports);
  g_assert_nonnull (strstr (lines[0], ",psnr_v,mse_rgb,mse_r,mse_g,mse_b,"
          "psnr_rgb,psnr_r,psnr_g,psnr_b,bits,"));
  assert_decibels (lines[1], " psnr_rgb:", get_double (reports[0],
          "psnr-rgb"));
  gst_structure_free (reports[0]);
  g_strfreev (lines);
}

static void
test_csv (void)
{
  GstStructure *reports[4];
  gchar **lines = record ("FIGURES.CSV", "NV12", 4, reports), **cells;

  g_assert_cmpstr (lines[0], ==, "index,timestamp,stream-time,running-time,"
      "duration,mse,mse-y,mse-u,mse-v,psnr,psnr-y,psnr-u,psnr-v,identical,"
      "nonzero,transform,quality,qp,backend,bits,bits-y,bits-u,bits-v,"
      "bits-optimized,file-size,file-size-optimized,bits-estimated,"
      "bits-estimated-y,bits-estimated-u,bits-estimated-v,bpp,target-met,"
      "regions,mse-r,mse-g,mse-b,mse-rgb,psnr-r,psnr-g,psnr-b,psnr-rgb,"
      "area-4,area-8,area-16,area-32,deadzone,ssim-y,ssim-u,ssim-v,"
      "ssim,ms-ssim-y,psnr-hvs-y,"
      "psnr-hvs-u,psnr-hvs-v,psnr-hvs,xpsnr-y,xpsnr-u,xpsnr-v");
  for (guint i = 0; i < 4; i++) {
    cells = g_strsplit (lines[i + 1], ",", -1);
    g_assert_cmpint (g_strv_length (cells), ==, 58);
    g_assert_cmpint (atoi (cells[0]), ==, i);
    g_assert_cmpint (atol (cells[1]), ==, i * FRAME);
    if (i == 2)
      g_assert_cmpstr (cells[9], ==, "inf");
    else
      g_assert_cmpfloat (g_ascii_strtod (cells[9], NULL), ==,
          get_double (reports[i], "psnr"));
    g_assert_cmpstr (cells[15], ==, "jpeg-8x8");
    g_assert_cmpstr (cells[16], ==, "40");
    g_assert_cmpstr (cells[17], ==, "");
    g_assert_cmpuint (g_ascii_strtoull (cells[19], NULL, 10), ==,
        get_uint64 (reports[i], "bits"));
    g_assert_cmpuint (g_ascii_strtoull (cells[24], NULL, 10), ==,
        get_uint64 (reports[i], "file-size"));
    g_assert_cmpstr (cells[26], ==, "");
    g_assert_cmpfloat (g_ascii_strtod (cells[30], NULL), ==,
        get_double (reports[i], "bpp"));
    g_assert_cmpstr (cells[31], ==, "");
    g_strfreev (cells);
    gst_structure_free (reports[i]);
  }
  g_strfreev (lines);
  /* The same columns, some of them empty. */
  lines = record ("gray.csv", "GRAY8", 1, NULL);
  cells = g_strsplit (lines[1], ",", -1);
  g_assert_cmpint (g_strv_length (cells), ==, 58);
  g_assert_cmpstr (cells[7], ==, "");
  g_assert_cmpstr (cells[6], !=, "");
  g_strfreev (cells);
  g_strfreev (lines);
  lines = record ("estimated.csv", "I420_10LE", 1, reports);
  cells = g_strsplit (lines[1], ",", -1);
  g_assert_cmpstr (cells[19], ==, "");
  g_assert_cmpfloat (g_ascii_strtod (cells[26], NULL), ==,
      get_double (reports[0], "bits-estimated"));
  gst_structure_free (reports[0]);
  g_strfreev (cells);
  g_strfreev (lines);
}

static void
test_json (void)
{
  GstStructure *reports[3];
  gchar **lines = record ("figures.jsonl", "Y444", 3, reports);
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], *psnr;

  g_assert_cmpint (g_strv_length (lines), ==, 4);
  for (guint i = 0; i < 3; i++) {
    g_assert_true (g_str_has_prefix (lines[i], "{\"type\":\"frame\","));
    g_assert_true (g_str_has_suffix (lines[i], "\"}"));
    gst_structure_free (reports[i]);
  }
  g_assert_nonnull (strstr (lines[1], ",\"index\":1,"));
  g_assert_nonnull (strstr (lines[1], ",\"identical\":false,"));
  g_assert_nonnull (strstr (lines[1], ",\"bits\":"));
  /* Infinity is no number in JSON. */
  g_assert_nonnull (strstr (lines[2], ",\"psnr\":null,"));
  psnr = strstr (lines[1], "\"psnr\":") + 7;
  g_assert_cmpstr (g_ascii_dtostr (text, sizeof text, g_ascii_strtod (psnr,
              NULL)), !=, "0");
  g_strfreev (lines);
}

/* A locale with a decimal comma changes nothing. */
static void
test_locale (void)
{
  gchar **lines;

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL
      && setlocale (LC_ALL, "fr_FR.UTF-8") == NULL) {
    g_test_skip ("no locale with a decimal comma is installed");
    return;
  }
  lines = record ("comma.csv", "I420", 1, NULL);
  g_assert_cmpint (g_strv_length (lines), ==, 3);
  g_assert_null (strchr (lines[1] + strlen (lines[1]) - 3, ','));
  g_strfreev (lines);
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
  test_add ("/stats-file/ffmpeg", test_ffmpeg);
  test_add ("/stats-file/csv", test_csv);
  test_add ("/stats-file/json", test_json);
  test_add ("/stats-file/locale", test_locale);
  test_add ("/stats-file/full", test_full);
  test_add ("/stats-file/restart", test_restart);
  return test_run ();
}
