/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "row.h"

#include <math.h>
#include "row-columns.h"

#define TRANSFORM (MEASURE_EXACT | MEASURE_ESTIMATE)
#define ANY (TRANSFORM | MEASURE_CODED)

const MeasureColumn measure_columns[MEASURE_N_COLUMNS] = {
  {"frames", MEASURE_FRAMES, ANY},
  {"samples-y", MEASURE_SAMPLES_Y, ANY},
  {"samples-u", MEASURE_SAMPLES_U, ANY},
  {"samples-v", MEASURE_SAMPLES_V, ANY},
  {"sse-y", MEASURE_SSE_Y, ANY},
  {"sse-u", MEASURE_SSE_U, ANY},
  {"sse-v", MEASURE_SSE_V, ANY},
  {"levels", MEASURE_LEVELS, TRANSFORM},
  {"nonzero-levels", MEASURE_NONZERO, TRANSFORM},
  {"bits-y", MEASURE_BITS_Y, MEASURE_EXACT},
  {"bits-u", MEASURE_BITS_U, MEASURE_EXACT},
  {"bits-v", MEASURE_BITS_V, MEASURE_EXACT},
  {"bits", MEASURE_BITS, MEASURE_EXACT | MEASURE_CODED},
  {"bits-headers", MEASURE_BITS_HEADERS, MEASURE_CODED},
  {"bits-optimized", MEASURE_BITS_OPTIMIZED, MEASURE_EXACT},
  {"file-size", MEASURE_FILE_SIZE, MEASURE_EXACT | MEASURE_CODED},
  {"file-size-optimized", MEASURE_FILE_SIZE_OPTIMIZED, MEASURE_EXACT},
  {"bits-estimated-y", MEASURE_BITS_Y, MEASURE_ESTIMATE},
  {"bits-estimated-u", MEASURE_BITS_U, MEASURE_ESTIMATE},
  {"bits-estimated-v", MEASURE_BITS_V, MEASURE_ESTIMATE},
  {"bits-estimated", MEASURE_BITS, MEASURE_ESTIMATE},
};

const gchar *
measure_row_name (const MeasureRow * row)
{
  return row->encoder != NULL ? row->encoder
      : bdct_transform_info (row->transform)->name;
}

gboolean
measure_row_same_series (const MeasureRow * a, const MeasureRow * b)
{
  return a->transform == b->transform && a->encoder == b->encoder
      && a->scale == b->scale;
}

gboolean
measure_row_set_stats (MeasureRow * row, const BdctStats * stats, gint64 frames)
{
  BdctCounters total = bdct_counters_sum (stats->component);
  const BdctCounters *c = stats->component;
  guint64 count[MEASURE_N_COUNTS] = {
    frames, c[0].samples, c[1].samples, c[2].samples, c[0].sse, c[1].sse,
    c[2].sse, total.levels, total.nonzero, c[0].bits, c[1].bits, c[2].bits,
    total.bits, 0, stats->bits_optimized, stats->file_size,
    stats->file_size_optimized
  };

  for (guint i = 0; i < MEASURE_N_COUNTS; i++) {
    if (count[i] > G_MAXINT64)
      return FALSE;
    row->count[i] = count[i];
  }
  return total.sse_high == 0 && total.sse <= G_MAXINT64;
}

gdouble
measure_row_psnr (const MeasureRow * row, gint plane)
{
  const gint64 *samples = &row->count[MEASURE_SAMPLES_Y];
  const gint64 *sse = &row->count[MEASURE_SSE_Y];
  BdctCounters counters = { 0 };

  for (gint p = 0; p < BDCT_MAX_COMPONENTS; p++)
    if (plane < 0 || p == plane) {
      counters.samples += samples[p];
      counters.sse += sse[p];
    }
  return bdct_psnr (bdct_mse (&counters), row->depth);
}

void
measure_row_get_stats (const MeasureRow * row, BdctStats * stats)
{
  *stats = (BdctStats) {
  .metrics = row->count[MEASURE_FRAMES] > 0 ? row->metrics.there : 0};
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++)
    stats->component[c].samples = row->count[MEASURE_SAMPLES_Y + c];
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      stats->metric[m][c] = measure_metrics_get (&row->metrics, m, c);
}

gdouble
measure_row_figure (const MeasureRow * row, const BdctStats * stats,
    guint metric, guint component)
{
  gdouble figure;

  return bdct_metric_figure (stats, row->count[MEASURE_FRAMES], row->depth,
      metric, component, &figure) ? figure : NAN;
}

gdouble
measure_row_quality (const MeasureRow * row, gint metric)
{
  BdctStats stats;

  if (metric < 0)
    return measure_row_psnr (row, -1);
  measure_row_get_stats (row, &stats);
  return measure_row_figure (row, &stats, metric,
      bdct_metric_info (metric)->main);
}

guint
measure_rows_metrics (const GArray * rows)
{
  guint metrics = 0;

  for (guint i = 0; i < rows->len; i++)
    metrics |= g_array_index (rows, MeasureRow, i).metrics.there;
  return metrics;
}

gdouble
measure_row_bpp (const MeasureRow * row)
{
  gint64 samples = row->count[MEASURE_SAMPLES_Y];

  return samples ? (gdouble) row->count[MEASURE_BITS] / samples : 0.0;
}

gdouble
measure_row_size (const MeasureRow * row)
{
  return row->exact ? row->count[MEASURE_FILE_SIZE]
      : row->count[MEASURE_BITS] / 8.0;
}

gboolean
measure_row_has_plane (const MeasureRow * row, MeasureCount count)
{
  switch (count) {
    case MEASURE_SAMPLES_U:
    case MEASURE_SSE_U:
    case MEASURE_BITS_U:
      return row->count[MEASURE_SAMPLES_U] > 0;
    case MEASURE_SAMPLES_V:
    case MEASURE_SSE_V:
    case MEASURE_BITS_V:
      return row->count[MEASURE_SAMPLES_V] > 0;
    default:
      return TRUE;
  }
}

gboolean
measure_row_has_column (const MeasureRow * row, guint i)
{
  const MeasureColumn *column = &measure_columns[i];

  return measure_row_has_plane (row, column->count)
      && column->of & (row->encoder != NULL ? MEASURE_CODED
      : row->exact ? MEASURE_EXACT : MEASURE_ESTIMATE);
}

const gchar *
measure_name_sum (guint metric, guint component)
{
  gchar name[32];

  g_snprintf (name, sizeof name, "sum-%s",
      measure_name_figure (metric, component));
  return g_intern_string (name);
}

const gchar *
measure_name_figure (guint metric, guint component)
{
  return bdct_metric_info (metric)->figure[component];
}
