/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "target.h"

#include <gio/gio.h>
#include <math.h>

/* At least, not at most. */
static gboolean
wants_quality (const MeasureTarget * target)
{
  return target->psnr > 0.0 || target->ssim > 0.0;
}

gboolean
measure_target_is_set (const MeasureTarget * target)
{
  return wants_quality (target) || target->bpp > 0.0 || target->size > 0.0;
}

gboolean
measure_target_check (const MeasureTarget * target, const GArray * rows,
    GError ** error)
{
  for (guint i = 0; i < rows->len && target->size > 0.0; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);

    if (!row->exact || row->coded)
      continue;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "--target-size: a file-size of %s is a model's; measure it with "
        "--exact-size", row->file);
    return FALSE;
  }
  return TRUE;
}

/* How far a row is above the target; below it if negative. */
static gdouble
get_excess (const MeasureTarget * target, const MeasureRow * row)
{
  if (target->psnr > 0.0)
    return measure_row_psnr (row, -1) - target->psnr;
  if (target->ssim > 0.0) {
    gdouble ssim = measure_row_quality (row, BDCT_METRIC_SSIM);

    return isnan (ssim) ? -INFINITY : ssim - target->ssim;
  }
  if (target->bpp > 0.0)
    return measure_row_bpp (row) - target->bpp;
  return measure_row_size (row) - target->size;
}

static gboolean
is_finer (const MeasureRow * a, const MeasureRow * b)
{
  return a->scale == MEASURE_QP ? a->setting < b->setting
      : a->setting > b->setting;
}

/* Whether `row` is to be taken rather than `best`. */
static gboolean
is_better (const MeasureTarget * target, const MeasureRow * row,
    const MeasureRow * best)
{
  /* Up to the quality, down to the bits. */
  gdouble sign = wants_quality (target) ? 1.0 : -1.0;
  gdouble a = sign * get_excess (target, row);
  gdouble b = sign * get_excess (target, best);

  if (a >= 0.0 && b >= 0.0)
    return is_finer (row, best) == (sign < 0.0);
  return a > b;
}

GArray *
measure_target_choose (const MeasureTarget * target, const GArray * rows)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (MeasureRow));

  for (guint i = 0; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);
    MeasureRow *best = chosen->len > 0
        ? &g_array_index (chosen, MeasureRow, chosen->len - 1) : NULL;

    if (row->frame >= 0)
      continue;
    if (best == NULL || best->file != row->file
        || g_strcmp0 (best->format, row->format) != 0
        || !measure_row_same_series (best, row))
      g_array_append_val (chosen, *row);
    else if (is_better (target, row, best))
      *best = *row;
  }
  for (guint i = 0; i < chosen->len; i++) {
    MeasureRow *row = &g_array_index (chosen, MeasureRow, i);
    gdouble excess = get_excess (target, row);

    row->target = (wants_quality (target) ? excess >= 0.0 : excess <= 0.0)
        ? MEASURE_TARGET_MET : MEASURE_TARGET_MISSED;
  }
  return chosen;
}
