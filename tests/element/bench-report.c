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
DEFINE_GET (gboolean, boolean, G_TYPE_BOOLEAN)

static void
check_psnr (gdouble psnr, gdouble mse, gint depth)
{
  gdouble peak = (1 << depth) - 1;

  if (mse == 0)
    g_assert_true (isinf (psnr) && psnr > 0);
  else
    g_assert_cmpfloat_with_epsilon (psnr, 10 * log10 (peak * peak / mse),
        1e-9);
}

void
check_figures (const GstStructure * s, const BdctStats * stats, gint depth)
{
  static const gchar *mse[] = { "mse-y", "mse-u", "mse-v" };
  static const gchar *psnr[] = { "psnr-y", "psnr-u", "psnr-v" };
  static const gchar *sse[] = { "sse-y", "sse-u", "sse-v" };
  static const gchar *samples[] = { "samples-y", "samples-u", "samples-v" };
  static const gchar *rgb[][3] = { {"sse-r", "mse-r", "psnr-r"},
    {"sse-g", "mse-g", "psnr-g"}, {"sse-b", "mse-b", "psnr-b"}
  };
  BdctCounters sum = { 0 };
  gdouble rgb_mse = 0;

  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];
    gdouble expected;

    if (stats->rgb[c].samples > 0) {
      expected = (gdouble) stats->rgb[c].sse / stats->rgb[c].samples;
      rgb_mse += expected / 3;
      g_assert_cmpuint (get_uint64 (s, rgb[c][0]), ==, stats->rgb[c].sse);
      g_assert_cmpfloat (get_double (s, rgb[c][1]), ==, expected);
      check_psnr (get_double (s, rgb[c][2]), expected, depth);
    } else
      g_assert_false (gst_structure_has_field (s, rgb[c][0]));
    if (counters->samples == 0) {
      g_assert_false (gst_structure_has_field (s, mse[c]));
      g_assert_false (gst_structure_has_field (s, psnr[c]));
      g_assert_false (gst_structure_has_field (s, sse[c]));
      g_assert_false (gst_structure_has_field (s, samples[c]));
      continue;
    }
    g_assert_cmpuint (get_uint64 (s, sse[c]), ==, counters->sse);
    g_assert_cmpuint (get_uint64 (s, samples[c]), ==, counters->samples);
    expected = (gdouble) counters->sse / counters->samples;
    g_assert_cmpfloat (get_double (s, mse[c]), ==, expected);
    check_psnr (get_double (s, psnr[c]), expected, depth);
    sum.samples += counters->samples;
    sum.sse += counters->sse;
    sum.levels += counters->levels;
    sum.nonzero += counters->nonzero;
  }
  if (stats->rgb[0].samples > 0) {
    g_assert_cmpfloat_with_epsilon (get_double (s, "mse-rgb"), rgb_mse, 1e-9);
    check_psnr (get_double (s, "psnr-rgb"), get_double (s, "mse-rgb"), depth);
  }
  g_assert_cmpfloat (get_double (s, "mse"), ==,
      (gdouble) sum.sse / sum.samples);
  check_psnr (get_double (s, "psnr"), get_double (s, "mse"), depth);
  g_assert_cmpint (get_boolean (s, "identical"), ==, sum.sse == 0
      && stats->rgb[0].sse + stats->rgb[1].sse + stats->rgb[2].sse == 0);
  g_assert_cmpuint (get_uint64 (s, "levels"), ==, sum.levels);
  g_assert_cmpuint (get_uint64 (s, "nonzero-levels"), ==, sum.nonzero);
  g_assert_cmpfloat (get_double (s, "nonzero"), ==,
      (gdouble) sum.nonzero / sum.levels);
}

void
check_bits (const GstStructure * s, const BdctStats * stats, gboolean exact)
{
  static const gchar *const names[2][4] = {
    {"bits-estimated", "bits-estimated-y", "bits-estimated-u",
        "bits-estimated-v"}, {"bits", "bits-y", "bits-u", "bits-v"}
  };
  guint64 bits = 0;

  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];

    bits += counters->bits;
    g_assert_false (gst_structure_has_field (s, names[!exact][1 + c]));
    if (counters->samples == 0)
      g_assert_false (gst_structure_has_field (s, names[exact][1 + c]));
    else
      g_assert_cmpfloat (exact ? get_uint64 (s, names[1][1 + c])
          : get_double (s, names[0][1 + c]), ==, counters->bits);
  }
  g_assert_cmpuint (bits, >, 0);
  g_assert_cmpfloat (exact ? get_uint64 (s, "bits")
      : get_double (s, "bits-estimated"), ==, bits);
  g_assert_cmpfloat (get_double (s, "bpp"), ==,
      (gdouble) bits / stats->component[0].samples);
  g_assert_cmpint (gst_structure_has_field (s, "file-size"), ==, exact);
  g_assert_cmpint (gst_structure_has_field (s, "bits-optimized"), ==, exact);
  g_assert_cmpint (gst_structure_has_field (s, "file-size-optimized"), ==,
      exact);
  if (!exact)
    return;
  g_assert_cmpuint (get_uint64 (s, "bits-optimized"), ==,
      stats->bits_optimized);
  g_assert_cmpuint (get_uint64 (s, "file-size"), ==, stats->file_size);
  g_assert_cmpuint (get_uint64 (s, "file-size-optimized"), ==,
      stats->file_size_optimized);
}
