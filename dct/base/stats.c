/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats.h"

#include <math.h>

static void
counters_add (BdctCounters * a, const BdctCounters * b)
{
  a->samples += b->samples;
  a->sse += b->sse;
  a->sse_high += b->sse_high + (a->sse < b->sse);
  a->levels += b->levels;
  a->nonzero += b->nonzero;
  a->bits += b->bits;
}

/* INT64_MAX is for good. */
static int64_t
add_billionths (int64_t a, int64_t b)
{
  int64_t sum;

  return a == INT64_MAX || b == INT64_MAX || __builtin_add_overflow (a, b, &sum)
      ? INT64_MAX : sum;
}

void
bdct_stats_add (BdctStats * a, const BdctStats * b)
{
  if (a == NULL || b == NULL)
    return;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    counters_add (&a->component[c], &b->component[c]);
  for (int k = 0; k < 3; k++)
    counters_add (&a->rgb[k], &b->rgb[k]);
  for (int i = 0; i < BDCT_TREE_SIZES; i++)
    a->area[i] += b->area[i];
  a->bits_optimized += b->bits_optimized;
  a->file_size += b->file_size;
  a->file_size_optimized += b->file_size_optimized;
  a->metrics &= b->metrics;
  for (int m = 0; a->metrics != 0 && m < BDCT_N_METRICS; m++)
    for (int c = 0; c <= BDCT_METRIC_ALL; c++) {
      a->metric[m][c] += b->metric[m][c];
      a->billionths[m][c] = add_billionths (a->billionths[m][c],
          b->billionths[m][c]);
    }
}

BdctCounters
bdct_counters_sum (const BdctCounters counters[3])
{
  BdctCounters total = { 0 };

  for (int c = 0; counters != NULL && c < 3; c++)
    counters_add (&total, &counters[c]);
  return total;
}

bool
bdct_stats_shares (const BdctStats * stats, double share[BDCT_TREE_SIZES])
{
  uint64_t all = 0;

  if (stats == NULL || share == NULL)
    return false;
  for (int i = 0; i < BDCT_TREE_SIZES; i++)
    all += stats->area[i];
  for (int i = 0; all > 0 && i < BDCT_TREE_SIZES; i++)
    share[i] = (double) stats->area[i] / all;
  return all > 0;
}

double
bdct_mse (const BdctCounters * counters)
{
  return counters == NULL || counters->samples == 0 ? 0.0
      : (ldexp ((double) counters->sse_high, 64) + counters->sse)
      / counters->samples;
}

double
bdct_psnr (double mse, int depth)
{
  double peak = (1 << depth) - 1;

  return mse > 0.0 ? 10.0 * log10 (peak * peak / mse) : INFINITY;
}

static void
add_psnr (BdctPool * pool, double psnr, int depth)
{
  double capped = fmin (psnr, 6 * depth + 12);

  if (pool->measured == 0) {
    pool->psnr_min = pool->psnr_max = pool->psnr_mean = psnr;
  } else {
    pool->psnr_min = fmin (pool->psnr_min, psnr);
    pool->psnr_max = fmax (pool->psnr_max, psnr);
    /* A running mean. The difference of two infinities would be NaN. */
    if (isinf (psnr) || isinf (pool->psnr_mean))
      pool->psnr_mean = INFINITY;
    else
      pool->psnr_mean += (psnr - pool->psnr_mean) / (pool->measured + 1);
  }
  pool->psnr_mean_capped += (capped - pool->psnr_mean_capped)
      / (pool->measured + 1);
  pool->measured++;
}

void
bdct_pool_add (BdctPool * pool, const BdctStats * stats, int depth)
{
  BdctCounters total;

  if (pool == NULL || stats == NULL)
    return;
  total = bdct_stats_total (stats);
  if (total.samples > 0)
    add_psnr (pool, bdct_psnr (bdct_mse (&total), depth), depth);
  if (pool->frames++ == 0)
    pool->sum.metrics = stats->metrics;
  bdct_stats_add (&pool->sum, stats);
}
