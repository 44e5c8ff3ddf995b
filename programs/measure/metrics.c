/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include <math.h>
#include <string.h>

#define UNITS 1e9

gdouble
measure_metrics_get (const MeasureMetrics * metrics, guint metric,
    guint component)
{
  gint64 sum = metrics->sum[metric][component];

  return sum == MEASURE_INFINITE ? INFINITY : sum / UNITS;
}

guint
measure_metrics_choose (guint metrics, const BdctLayout * layout,
    const gchar * format, GString * without)
{
  guint supported = metrics;
  BdctError reason;

  for (guint m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && !bdct_metric_check (m, layout, &reason)) {
      supported &= ~(1u << m);
      g_string_append_printf (without, "  no %s of %s: %s\n",
          bdct_metric_info (m)->name, format, reason.message);
    }
  return supported;
}

static gint
find_metric (const gchar * name)
{
  for (gint m = 0; m < BDCT_N_METRICS; m++)
    if (strcmp (name, bdct_metric_info (m)->name) == 0)
      return m;
  return -1;
}

static void
refuse (const gchar * option, const gchar * text, const gchar * other,
    GError ** error)
{
  GString *known = g_string_new (other);

  for (gint m = 0; m < BDCT_N_METRICS; m++)
    g_string_append_printf (known, ", %s", bdct_metric_info (m)->name);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "%s: '%s' is not one of %s", option, text, known->str);
  g_string_free (known, TRUE);
}

gboolean
measure_metrics_parse (const gchar * names, guint * metrics, GError ** error)
{
  gchar **all = g_strsplit (names != NULL ? names : "", ",", -1);
  gboolean ok = names == NULL || all[0] != NULL;

  *metrics = 0;
  for (gchar ** name = all; ok && *name != NULL; name++) {
    gint metric = find_metric (*name);

    ok = metric >= 0 || strcmp (*name, "all") == 0;
    *metrics |= metric >= 0 ? 1 << metric : (1 << BDCT_N_METRICS) - 1;
  }
  if (!ok)
    refuse ("--metrics", names, "all", error);
  g_strfreev (all);
  return ok;
}

gboolean
measure_metrics_find (const gchar * name, gint * metric, GError ** error)
{
  *metric = -1;
  if (name == NULL || strcmp (name, "psnr") == 0)
    return TRUE;
  *metric = find_metric (name);
  if (*metric < 0)
    refuse ("--plot-metric", name, "psnr", error);
  return *metric >= 0;
}

const gchar *
measure_metrics_label (gint metric)
{
  return metric < 0 ? "PSNR" : bdct_metric_info (metric)->name;
}

static gboolean
add (gint64 * sum, gint64 other)
{
  if (*sum == MEASURE_INFINITE || other == MEASURE_INFINITE) {
    *sum = MEASURE_INFINITE;
    return TRUE;
  }
  return !__builtin_add_overflow (*sum, other, sum) && *sum < MEASURE_INFINITE;
}

gboolean
measure_metrics_add (MeasureMetrics * sum, const MeasureMetrics * other)
{
  gboolean fits = TRUE;

  sum->there &= other->there;
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      fits = add (&sum->sum[m][c], other->sum[m][c]) && fits;
  return fits;
}

gboolean
measure_metrics_add_frame (MeasureMetrics * sum, const BdctStats * stats)
{
  MeasureMetrics frame = {.there = stats->metrics };

  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++) {
      gdouble units = rint (stats->metric[m][c] * UNITS);

      if (isinf (units))
        frame.sum[m][c] = MEASURE_INFINITE;
      else if (fabs (units) < 0x1p62)
        frame.sum[m][c] = units;
      else
        return FALSE;
    }
  return measure_metrics_add (sum, &frame);
}
