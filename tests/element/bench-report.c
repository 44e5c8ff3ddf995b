/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench.h"

#include <math.h>

static const GValue *
get_field (const GstStructure * s, const gchar * name, GType type)
{
  const GValue *value = gst_structure_get_value (s, name);

  if (value == NULL || !G_VALUE_HOLDS (value, type))
    g_error ("no %s '%s' in %s", g_type_name (type), name,
        gst_structure_to_string (s));
  return value;
}

#define DEFINE_GET(ctype, type, TYPE) \
  ctype \
  get_##type (const GstStructure * s, const gchar * name) \
  { \
    return g_value_get_##type (get_field (s, name, TYPE)); \
  }

DEFINE_GET (guint64, uint64, G_TYPE_UINT64)
DEFINE_GET (gint, int, G_TYPE_INT)
DEFINE_GET (gdouble, double, G_TYPE_DOUBLE)
static
DEFINE_GET (gboolean, boolean, G_TYPE_BOOLEAN)

/* A whole number, named `name` and `of`, or none. */
static void
check_count (const GstStructure * s, const gchar * name, const gchar * of,
    gboolean there, guint64 wanted)
{
  g_autofree gchar *field = g_strconcat (name, of, NULL);

  g_assert_cmpint (gst_structure_has_field (s, field), ==, there);
  if (there)
    g_assert_cmpuint (get_uint64 (s, field), ==, wanted);
}

/* The mean of errors, and its PSNR; none without samples. */
static void
check_error (const GstStructure * s, const gchar * of, guint64 sse,
    guint64 samples, gint depth)
{
  g_autofree gchar *mse = g_strconcat ("mse", of, NULL);
  g_autofree gchar *psnr = g_strconcat ("psnr", of, NULL);
  const gdouble peak = (1 << depth) - 1;

  g_assert_cmpint (gst_structure_has_field (s, mse), ==, samples > 0);
  g_assert_cmpint (gst_structure_has_field (s, psnr), ==, samples > 0);
  if (samples == 0)
    return;
  g_assert_cmpfloat_with_epsilon (get_double (s, mse), (gdouble) sse / samples,
      1e-9);
  if (sse == 0)
    g_assert_cmpfloat (get_double (s, psnr), ==, INFINITY);
  else
    g_assert_cmpfloat_with_epsilon (get_double (s, psnr),
        10 * log10 (peak * peak * samples / sse), 1e-9);
}

void
check_figures (const GstStructure * s, const BdctStats * stats, gint depth)
{
  static const gchar *const yuv[] = { "-y", "-u", "-v" };
  static const gchar *const rgb[] = { "-r", "-g", "-b" };
  BdctCounters sum = { 0 };
  guint64 rgb_sse = 0;

  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];
    const guint64 sse = stats->rgb[c].sse, samples = stats->rgb[c].samples;

    check_count (s, "sse", yuv[c], counters->samples > 0, counters->sse);
    check_count (s, "samples", yuv[c], counters->samples > 0,
        counters->samples);
    check_error (s, yuv[c], counters->sse, counters->samples, depth);
    check_count (s, "sse", rgb[c], samples > 0, sse);
    check_error (s, rgb[c], sse, samples, depth);
    rgb_sse += sse;
    sum.samples += counters->samples;
    sum.sse += counters->sse;
    sum.levels += counters->levels;
    sum.nonzero += counters->nonzero;
  }
  check_error (s, "", sum.sse, sum.samples, depth);
  check_error (s, "-rgb", rgb_sse, 3 * stats->rgb[0].samples, depth);
  g_assert_cmpint (get_boolean (s, "identical"), ==, sum.sse + rgb_sse == 0);
  check_count (s, "levels", "", TRUE, sum.levels);
  check_count (s, "nonzero-levels", "", TRUE, sum.nonzero);
  g_assert_cmpfloat (get_double (s, "nonzero"), ==,
      (gdouble) sum.nonzero / sum.levels);
}

void
check_bits (const GstStructure * s, const BdctStats * stats, gboolean exact)
{
  static const gchar *const of[] = { "-y", "-u", "-v", "" };
  guint64 sum = 0;

  for (guint c = 0; c < G_N_ELEMENTS (of); c++) {
    const gboolean all = c == BDCT_MAX_COMPONENTS;
    const guint64 bits = all ? sum : stats->component[c].bits;
    const gboolean there = all || stats->component[c].samples > 0;
    g_autofree gchar *estimated = g_strconcat ("bits-estimated", of[c], NULL);

    check_count (s, "bits", of[c], there && exact, bits);
    g_assert_cmpint (gst_structure_has_field (s, estimated), ==,
        there && !exact);
    if (there && !exact)
      g_assert_cmpfloat (get_double (s, estimated), ==, bits);
    sum += all ? 0 : bits;
  }
  g_assert_cmpuint (sum, >, 0);
  g_assert_cmpfloat (get_double (s, "bpp"), ==,
      (gdouble) sum / stats->component[0].samples);
  check_count (s, "bits-optimized", "", exact, stats->bits_optimized);
  check_count (s, "file-size", "", exact, stats->file_size);
  check_count (s, "file-size-optimized", "", exact,
      stats->file_size_optimized);
}
