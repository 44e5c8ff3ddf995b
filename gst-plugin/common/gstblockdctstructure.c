/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctstructure.h"
#include <blockdct/blockdct.h>

/* Fields of a report. As a structure is filled for every frame, names are
 * interned once, and no string is copied. Fields by component come in
 * threes. */
typedef enum
{
  TYPE, TIMESTAMP, STREAM_TIME, RUNNING_TIME, DURATION, INDEX, FRAMES,
  MSE_Y, MSE_U, MSE_V, PSNR_Y, PSNR_U, PSNR_V, MSE, PSNR, IDENTICAL, NONZERO,
  MSE_R, MSE_G, MSE_B, PSNR_R, PSNR_G, PSNR_B, MSE_RGB, PSNR_RGB,
  BITS_Y, BITS_U, BITS_V, BITS, BITS_OPTIMIZED, FILE_SIZE, FILE_SIZE_OPTIMIZED,
  BITS_ESTIMATED_Y, BITS_ESTIMATED_U, BITS_ESTIMATED_V, BITS_ESTIMATED, BPP,
  AREA_4, AREA_8, AREA_16, AREA_32, TRANSFORM, QUALITY, QP, DEADZONE,
  TARGET_MET, REGIONS, BACKEND, PSNR_MEAN, PSNR_MEAN_CAPPED, PSNR_MIN, PSNR_MAX,
  DROPPED, SSE_Y, SSE_U, SSE_V, SAMPLES_Y, SAMPLES_U, SAMPLES_V, SETTING,
  REPEATED, PAD, UNMATCHED, VIEW, GRID, BITS_HEADERS, SSE_R, SSE_G, SSE_B,
  LEVELS, NONZERO_LEVELS, N_FIELDS
} Field;

static const gchar *const names[N_FIELDS] = {
  "type", "timestamp", "stream-time", "running-time", "duration", "index",
  "frames", "mse-y", "mse-u", "mse-v", "psnr-y", "psnr-u", "psnr-v", "mse",
  "psnr", "identical", "nonzero", "mse-r", "mse-g", "mse-b", "psnr-r", "psnr-g",
  "psnr-b", "mse-rgb", "psnr-rgb", "bits-y", "bits-u", "bits-v", "bits",
  "bits-optimized", "file-size", "file-size-optimized", "bits-estimated-y",
  "bits-estimated-u", "bits-estimated-v", "bits-estimated", "bpp", "area-4",
  "area-8", "area-16", "area-32", "transform", "quality", "qp", "deadzone",
  "target-met", "regions", "backend", "psnr-mean", "psnr-mean-capped",
  "psnr-min", "psnr-max", "dropped", "sse-y", "sse-u", "sse-v", "samples-y",
  "samples-u", "samples-v", "setting", "repeated", "pad", "unmatched", "view",
  "grid", "bits-headers", "sse-r", "sse-g", "sse-b", "levels", "nonzero-levels"
};

static GQuark fields[N_FIELDS];
static GQuark metric_fields[BDCT_N_METRICS][BDCT_METRIC_ALL + 1];
static GQuark sum_fields[BDCT_N_METRICS][BDCT_METRIC_ALL + 1];
static const gchar *transforms[BDCT_N_TRANSFORMS];
static const gchar *views[BDCT_N_VIEWS];
static const gchar *frame_type, *interval_type, *pooled_type;

static void
name_metrics (void)
{
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++) {
      const gchar *name = bdct_metric_info (m)->figure[c];
      gchar *sum = name != NULL ? g_strconcat ("sum-", name, NULL) : NULL;

      metric_fields[m][c] = g_quark_from_static_string (name);
      sum_fields[m][c] = g_quark_from_string (sum);
      g_free (sum);
    }
}

void
gst_blockdct_structure_init (void)
{
  for (guint i = 0; i < N_FIELDS; i++)
    fields[i] = g_quark_from_static_string (names[i]);
  name_metrics ();
  for (guint i = 0; i < BDCT_N_TRANSFORMS; i++)
    transforms[i] = g_intern_static_string (bdct_transform_info (i)->name);
  for (guint i = 0; i < BDCT_N_VIEWS; i++)
    views[i] = g_intern_static_string (bdct_view_info (i)->name);
  frame_type = g_intern_static_string ("frame");
  interval_type = g_intern_static_string ("interval");
  pooled_type = g_intern_static_string ("pooled");
}

static void
add_uint64 (GstStructure * s, guint field, guint64 v)
{
  gst_structure_id_set (s, fields[field], G_TYPE_UINT64, v, NULL);
}

static void
add_int (GstStructure * s, guint field, gint v)
{
  gst_structure_id_set (s, fields[field], G_TYPE_INT, v, NULL);
}

static void
add_uint (GstStructure * s, guint field, guint v)
{
  gst_structure_id_set (s, fields[field], G_TYPE_UINT, v, NULL);
}

static void
add_double (GstStructure * s, guint field, gdouble v)
{
  gst_structure_id_set (s, fields[field], G_TYPE_DOUBLE, v, NULL);
}

static void
add_boolean (GstStructure * s, guint field, gboolean v)
{
  gst_structure_id_set (s, fields[field], G_TYPE_BOOLEAN, v, NULL);
}

static void
add_string (GstStructure * s, guint field, const gchar * interned)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_interned_string (&value, interned);
  gst_structure_id_take_value (s, fields[field], &value);
}

static gdouble
get_share (const BdctCounters * total)
{
  return total->levels ? (gdouble) total->nonzero / total->levels : 0.0;
}

/* Add the errors of each component that exists. */
static void
add_errors (GstStructure * s, guint sse, guint mse, guint psnr,
    const BdctCounters counters[3], gint depth)
{
  for (guint c = 0; c < 3; c++) {
    if (counters[c].samples == 0)
      continue;
    add_uint64 (s, sse + c, counters[c].sse_high > 0 ? G_MAXUINT64
        : counters[c].sse);
    add_double (s, mse + c, bdct_mse (&counters[c]));
    add_double (s, psnr + c, bdct_psnr (bdct_mse (&counters[c]), depth));
  }
}

/* The figures that frames, intervals and the whole stream have in common. */
static void
add_figures (GstStructure * s, const BdctStats * stats, gint depth)
{
  BdctCounters total = bdct_counters_sum (stats->component);
  BdctCounters rgb = bdct_counters_sum (stats->rgb);
  gdouble mse = bdct_mse (&total);

  if (total.samples == 0)
    return;
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++)
    if (stats->component[c].samples > 0)
      add_uint64 (s, SAMPLES_Y + c, stats->component[c].samples);
  add_errors (s, SSE_Y, MSE_Y, PSNR_Y, stats->component, depth);
  add_double (s, MSE, mse);
  add_double (s, PSNR, bdct_psnr (mse, depth));
  add_errors (s, SSE_R, MSE_R, PSNR_R, stats->rgb, depth);
  if (rgb.samples > 0) {
    add_double (s, MSE_RGB, bdct_mse (&rgb));
    add_double (s, PSNR_RGB, bdct_psnr (bdct_mse (&rgb), depth));
  }
  add_boolean (s, IDENTICAL, mse == 0 && bdct_mse (&rgb) == 0);
  if (total.levels > 0) {
    add_uint64 (s, LEVELS, total.levels);
    add_uint64 (s, NONZERO_LEVELS, total.nonzero);
    add_double (s, NONZERO, get_share (&total));
  }
}

/* The bits that they have in common. A sum that contains an estimate is an
 * estimate. */
static void
add_bits (GstStructure * s, const BdctStats * stats,
    GstBlockDctRate rate)
{
  gboolean exact = rate == GST_BLOCKDCT_RATE_EXACT;
  guint64 bits = bdct_counters_sum (stats->component).bits;

  if (rate == GST_BLOCKDCT_RATE_NONE)
    return;
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];

    if (counters->samples > 0 && exact)
      add_uint64 (s, BITS_Y + c, counters->bits);
    else if (counters->samples > 0)
      add_double (s, BITS_ESTIMATED_Y + c, counters->bits);
  }
  if (exact) {
    add_uint64 (s, BITS, bits);
    add_uint64 (s, BITS_OPTIMIZED, stats->bits_optimized);
    add_uint64 (s, FILE_SIZE, stats->file_size);
    add_uint64 (s, FILE_SIZE_OPTIMIZED, stats->file_size_optimized);
  } else {
    add_double (s, BITS_ESTIMATED, bits);
  }
  add_double (s, BPP, (gdouble) bits / stats->component[BDCT_Y].samples);
}

/* Shares of the picture by the side of its blocks, where a tree chose them. */
static void
add_areas (GstStructure * s, const BdctStats * stats)
{
  gdouble share[BDCT_TREE_SIZES];

  if (!bdct_stats_shares (stats, share))
    return;
  for (guint i = 0; i < BDCT_TREE_SIZES; i++)
    add_double (s, AREA_4 + i, share[i]);
}

static void
add_metrics (GstStructure * s, const BdctStats * stats,
    guint64 frames, gint depth)
{
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++) {
      GValue v = G_VALUE_INIT;
      gdouble figure;

      if (!bdct_metric_figure (stats, frames, depth, m, c, &figure))
        continue;
      g_value_init (&v, G_TYPE_DOUBLE);
      g_value_set_double (&v, figure);
      gst_structure_id_take_value (s, metric_fields[m][c], &v);
      gst_structure_id_set (s, sum_fields[m][c], G_TYPE_INT64,
          stats->billionths[m][c], NULL);
    }
}

static void
add_times (GstStructure * s, const GstBlockDctTimes * t)
{
  add_uint64 (s, TIMESTAMP, t->timestamp);
  add_uint64 (s, STREAM_TIME, t->stream_time);
  add_uint64 (s, RUNNING_TIME, t->running_time);
  add_uint64 (s, DURATION, t->duration);
}

static void
add_pool (GstStructure * s, const BdctPool * pool,
    GstBlockDctRate rate, gint depth)
{
  add_uint64 (s, FRAMES, pool->frames);
  add_figures (s, &pool->sum, depth);
  add_bits (s, &pool->sum, rate);
  add_areas (s, &pool->sum);
  add_metrics (s, &pool->sum, pool->frames, depth);
}

/* Add the recipe and its results. */
static void
add_made (GstStructure * s, const BdctPool * pool,
    const BdctParams * params, GstBlockDctRate rate, gint depth)
{
  add_pool (s, pool, rate, depth);
  add_string (s, TRANSFORM, transforms[params->transform]);
  if (bdct_transform_info (params->transform)->has_qp) {
    add_int (s, QP, params->qp);
    add_double (s, DEADZONE, params->deadzone);
  } else {
    add_int (s, QUALITY, params->quality);
  }
}

static void
add_span (GstStructure * s, const gchar * type, const GstBlockDctSpan * span)
{
  const GstBlockDctRecipe *recipe = &span->recipe;

  add_string (s, TYPE, type);
  add_times (s, &span->times);
  add_uint64 (s, INDEX, span->first_index);
  if (recipe->pad != NULL) {
    add_string (s, PAD, recipe->pad);
    add_pool (s, &span->pool, GST_BLOCKDCT_RATE_NONE, recipe->depth);
    if (recipe->coded) {
      add_uint64 (s, BITS, recipe->bits);
      add_uint64 (s, BITS_HEADERS, recipe->header_bits);
    }
    add_string (s, BACKEND, recipe->backend);
    return;
  }
  add_made (s, &span->pool, &recipe->params, recipe->rate, recipe->depth);
  if (recipe->target)
    add_boolean (s, TARGET_MET, recipe->target_met);
  if (recipe->regions > 0)
    add_uint (s, REGIONS, recipe->regions);
  add_string (s, BACKEND, recipe->backend);
}

static void
add_spread (GstStructure * s, const BdctPool * pool)
{
  if (pool->frames == 0 || bdct_counters_sum (pool->sum.component).samples == 0)
    return;
  add_double (s, PSNR_MEAN, pool->psnr_mean);
  add_double (s, PSNR_MEAN_CAPPED, pool->psnr_mean_capped);
  add_double (s, PSNR_MIN, pool->psnr_min);
  add_double (s, PSNR_MAX, pool->psnr_max);
}

void
gst_blockdct_structure_frame (GstStructure * s, const GstBlockDctSpan * span)
{
  add_span (s, frame_type, span);
  if (span->recipe.pad == NULL)
    add_string (s, VIEW, views[span->recipe.view]);
  if (span->recipe.grid)
    add_boolean (s, GRID, TRUE);
}

void
gst_blockdct_structure_repeated (GstStructure * s)
{
  add_boolean (s, REPEATED, TRUE);
}

static GstStructure *
describe_span (const gchar * type, const GstBlockDctSpan * span)
{
  GstStructure *s = gst_structure_new_empty (span->recipe.pad != NULL
      ? GST_BLOCKDCT_COMPARE_NAME : GST_BLOCKDCT_NAME);

  add_span (s, type, span);
  add_spread (s, &span->pool);
  return s;
}

GstStructure *
gst_blockdct_structure_interval (const GstBlockDctSpan * span)
{
  return describe_span (interval_type, span);
}

GstStructure *
gst_blockdct_structure_pooled (const GstBlockDctSpan * span, guint64 dropped)
{
  GstStructure *s = describe_span (pooled_type, span);

  add_uint64 (s, span->recipe.pad != NULL ? UNMATCHED : DROPPED, dropped);
  return s;
}

/* Set an array's item to a value of a setting's statistics. */
static void
set_item (GValue * v, Field field, const BdctStats * stats, gint depth)
{
  BdctCounters total = bdct_counters_sum (stats->component);
  gdouble mse = bdct_mse (field >= PSNR_Y && field <= PSNR_V
      ? &stats->component[field - PSNR_Y] : &total);

  if (field == BITS) {
    g_value_init (v, G_TYPE_UINT64);
    g_value_set_uint64 (v, total.bits);
    return;
  }
  g_value_init (v, G_TYPE_DOUBLE);
  g_value_set_double (v, field == BITS_ESTIMATED ? (gdouble) total.bits
      : field == NONZERO ? get_share (&total) : bdct_psnr (mse, depth));
}

static void
add_items (GstStructure * s, Field field, const GstBlockDctCurve * curve,
    const BdctStats * stats, gint depth)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, curve->n);
  for (gint i = 0; i < curve->n; i++) {
    GValue v = G_VALUE_INIT;

    if (field == SETTING) {
      g_value_init (&v, G_TYPE_INT);
      g_value_set_int (&v, curve->setting[i]);
    } else {
      set_item (&v, field, &stats[i], depth);
    }
    gst_value_array_append_and_take_value (&array, &v);
  }
  gst_structure_id_take_value (s, fields[field], &array);
}

static void
add_metric_items (GstStructure * s, guint metric, guint component,
    const GstBlockDctCurve * curve, const BdctStats * stats, gint depth)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, curve->n);
  for (gint i = 0; i < curve->n; i++) {
    GValue v = G_VALUE_INIT;
    gdouble figure = 0;

    bdct_metric_figure (&stats[i], 1, depth, metric, component, &figure);
    g_value_init (&v, G_TYPE_DOUBLE);
    g_value_set_double (&v, figure);
    gst_value_array_append_and_take_value (&array, &v);
  }
  gst_structure_id_take_value (s, metric_fields[metric][component], &array);
}

GstStructure *
gst_blockdct_structure_curve (const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times, guint64 index)
{
  GstStructure *s = gst_structure_new_empty (GST_BLOCKDCT_NAME "-curve");
  gdouble figure;

  add_times (s, times);
  add_uint64 (s, INDEX, index);
  add_string (s, TRANSFORM, transforms[recipe->params.transform]);
  add_string (s, BACKEND, recipe->backend);
  add_items (s, SETTING, curve, stats, recipe->depth);
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++)
    if (stats->component[c].samples > 0)
      add_items (s, PSNR_Y + c, curve, stats, recipe->depth);
  add_items (s, PSNR, curve, stats, recipe->depth);
  add_items (s, NONZERO, curve, stats, recipe->depth);
  add_items (s, exact ? BITS : BITS_ESTIMATED, curve, stats, recipe->depth);
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      if (bdct_metric_figure (stats, 1, recipe->depth, m, c, &figure))
        add_metric_items (s, m, c, curve, stats, recipe->depth);
  return s;
}

GstStructure *
gst_blockdct_structure_stats (const GstBlockDctTotals * totals,
    const gchar * pad)
{
  const BdctPool *pool = &totals->pool;
  GstStructure *s = gst_structure_new_empty (pad != NULL ? pad
      : GST_BLOCKDCT_NAME "-stats");

  add_uint64 (s, FRAMES, pool->frames);
  add_uint64 (s, pad != NULL ? UNMATCHED : DROPPED, totals->dropped);
  if (pool->frames == 0)
    return s;
  add_uint64 (s, INDEX, totals->first_index);
  add_pool (s, pool, totals->rate, totals->depth);
  add_spread (s, pool);
  return s;
}
