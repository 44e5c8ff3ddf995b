/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes figures from the results that either engine has left in the
 * planes' memory. Compiled once, so that no figure depends on engine or
 * instruction set. cpu/metrics/ names the sources of the formulas. */
#include "run.h"

#include <math.h>
#include "dct/base/min.h"
#include "ms-ssim.h"
#include "psnr-hvs.h"
#include "ssim.h"
#include "xpsnr.h"

typedef double Values[BDCT_MAX_COMPONENTS + 1];

static void
finish_ssim (const BdctMetricPlane * planes, int n_planes, Values value)
{
  double samples = 0;

  for (int c = 0; c < n_planes; c++)
    samples += (double) planes[c].width * planes[c].height;
  for (int c = 0; c < n_planes; c++) {
    const BdctMetricPlane *plane = &planes[c];
    const double share = (double) plane->width * plane->height / samples;
    const double *of_row = plane->memory;
    double sum = 0;

    for (int y = 0; y < bdct_ssim_rows (plane); y++)
      sum += of_row[y];
    value[c] = sum / ((double) bdct_ssim_rows (plane)
        * bdct_ssim_columns (plane));
    value[BDCT_METRIC_ALL] += share * value[c];
  }
}

static void
finish_ms_ssim (const BdctMetricPlane * planes, int n_planes, Values value)
{
  /* The exponents of each scale's luminance, contrast and structure. */
  static const float luminance[BDCT_MS_SSIM_SCALES] = { 0, 0, 0, 0, 0.1333f };
  static const float contrast[BDCT_MS_SSIM_SCALES] =
      { 0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f };
  double product = 1;

  for (int scale = 0; scale < BDCT_MS_SSIM_SCALES; scale++) {
    const BdctMsSsimSums *sums = bdct_ms_ssim_sums (planes, scale);
    const double n = (double) bdct_ms_ssim_columns (planes, scale)
        * bdct_ms_ssim_rows (planes, scale);
    double sum[3] = { 0 };
    float mean[3];

    for (int i = 0; i < bdct_ms_ssim_strips (planes, scale); i++)
      for (int k = 0; k < 3; k++)
        sum[k] += sums[i].sum[k] * 0x1p-40;
    for (int k = 0; k < 3; k++)
      mean[k] = sum[k] / n;
    product *= pow (mean[0], luminance[scale]) * pow (mean[1], contrast[scale])
        * pow (mean[2], contrast[scale]);
  }
  value[BDCT_Y] = product;
}

static double
decibels (double score)
{
  return 10 * (-1 * log10 (score));
}

static void
finish_psnr_hvs (const BdctMetricPlane * planes, int n_planes, Values value)
{
  double score[BDCT_MAX_COMPONENTS];

  for (int c = 0; c < n_planes; c++) {
    const BdctMetricPlane *plane = &planes[c];
    const double peak = (1 << plane->depth) - 1;
    const int rows = bdct_psnr_hvs_rows (plane);
    const uint64_t *of_row = plane->memory;
    double sum = 0;

    for (int y = 0; y < rows; y++)
      sum += of_row[y];
    score[c] = ldexp (sum, -BDCT_PSNR_HVS_BITS (plane->depth))
        / (64.0 * bdct_psnr_hvs_columns (plane) * rows * peak * peak);
    value[c] = decibels (score[c]);
  }
  value[BDCT_METRIC_ALL] = decibels (score[0] * .8
      + .1 * (score[1] + score[2]));
}

/* In small pictures, limit the weight of each block to that of its heaviest
 * neighbour among those that ffmpeg's xpsnr filter compares. */
static void
smooth (BdctXpsnrBlock * block, int columns, int rows)
{
  for (int y = 0, i = 0; y < rows; y++)
    for (int x = 0; x < columns; x++, i++) {
      double most;

      if (x == 0)
        most = i > 1 ? block[i - 2].weight : 0;
      else
        most = x > 1 ? fmax (block[i - 2].weight, block[i].weight)
            : block[i].weight;
      if (i > columns)
        most = fmax (most, block[i - 1 - columns].weight);
      if (i > 0 && block[i - 1].weight > most)
        block[i - 1].weight = most;
      if (x == columns - 1 && y == rows - 1 && i > columns) {
        most = fmax (block[i - 1].weight, block[i - columns].weight);
        if (block[i].weight > most)
          block[i].weight = most;
      }
    }
}

static void
finish_xpsnr (const BdctMetricPlane * planes, int n_planes, Values value)
{
  const BdctMetricPlane *luma = &planes[BDCT_Y];
  const BdctXpsnrGrid grid = bdct_xpsnr_grid (luma);
  const int n_weights = grid.columns * grid.rows;
  const double average = sqrt (16.0 * (1 << (2 * luma->depth - 9))
      / sqrt (fmax (0.00001, bdct_xpsnr_ratio (luma))));
  BdctXpsnrBlock *weights = luma->memory;

  if (grid.weighted && (int64_t) luma->width * luma->height <= 640 * 480)
    smooth (weights, grid.columns, grid.rows);
  for (int c = 0; c < n_planes; c++) {
    const BdctMetricPlane *plane = &planes[c];
    const BdctXpsnrBlock *block = plane->memory;
    const int n = bdct_xpsnr_blocks (plane);
    double sum = 0;

    for (int i = 0; i < n; i++)
      sum += block[i].sum[BDCT_XPSNR_ERROR]
          * weights[bdct_min (i, n_weights - 1)].weight;
    value[c] = sqrt ((double) (uint64_t) (grid.weighted ? sum * average + 0.5
            : sum));
  }
}

void
bdct_metric_finish (BdctMetric metric, const BdctMetricPlane * planes,
    int n_planes, double value[BDCT_MAX_COMPONENTS + 1])
{
  static void (*const finish[BDCT_N_METRICS]) (const BdctMetricPlane * planes,
      int n_planes, Values value) = {
    [BDCT_METRIC_SSIM] = finish_ssim,
    [BDCT_METRIC_MS_SSIM] = finish_ms_ssim,
    [BDCT_METRIC_PSNR_HVS] = finish_psnr_hvs,
    [BDCT_METRIC_XPSNR] = finish_xpsnr,
  };

  finish[metric] (planes, n_planes, value);
}
