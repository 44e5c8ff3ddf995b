/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include <math.h>
#include <stddef.h>
#include "psnr-hvs.h"

typedef struct {
  BdctMetricInfo info;
  int components; /* with a figure: 1 (Y) or 3 */
  int min_side;   /* least side of a plane that has a figure */
  bool grey;      /* frames without U and V are supported */
  int stages;
  unsigned history;
} MetricRow;

static const MetricRow rows[BDCT_N_METRICS] = {
  [BDCT_METRIC_SSIM] = {
        .info = {"ssim", "structural similarity, as ffmpeg's ssim filter",
            {"ssim-y", "ssim-u", "ssim-v", "ssim"}, BDCT_METRIC_ALL, false},
        .components = 3,.min_side = 8,.grey = true,.stages = 1},
  [BDCT_METRIC_MS_SSIM] = {
        .info = {"ms-ssim",
            "multi-scale SSIM of luma, as libvmaf's float_ms_ssim",
            {"ms-ssim-y"}, BDCT_Y, false},
        .components = 1,.min_side = 176,.grey = true,.stages = 5},
  [BDCT_METRIC_PSNR_HVS] = {
        .info = {"psnr-hvs",
            "PSNR weighted by contrast sensitivity, as libvmaf's psnr_hvs",
            {"psnr-hvs-y", "psnr-hvs-u", "psnr-hvs-v", "psnr-hvs"},
            BDCT_METRIC_ALL, true},
        .components = 3,.min_side = 8,.stages = 1},
  [BDCT_METRIC_XPSNR] = {
        .info = {"xpsnr",
            "PSNR weighted by activity, as ffmpeg's xpsnr filter",
            {"xpsnr-y", "xpsnr-u", "xpsnr-v"}, BDCT_Y, true},
        .components = 3,.min_side = 1,.grey = true,.stages = 1,.history = 2},
};

const BdctMetricInfo *
bdct_metric_info (BdctMetric metric)
{
  return (unsigned) metric < BDCT_N_METRICS ? &rows[metric].info : NULL;
}

int
bdct_metric_stages (BdctMetric metric)
{
  return rows[metric].stages;
}

/* A plane's side as the metric reads it. */
static int
get_side (BdctMetric metric, int side, int luma)
{
  return metric != BDCT_METRIC_PSNR_HVS ? side
      : bdct_psnr_hvs_side (side, luma);
}

bool
bdct_metric_supports (BdctMetric metric, const BdctLayout * layout,
    BdctError * error)
{
  const MetricRow *row = &rows[metric];
  const BdctPlaneLayout *luma = &layout->plane[0];

  if (layout->chroma == BDCT_CHROMA_400 && !row->grey)
    return bdct_error (error, "it needs Y, U and V");
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];
    const int c = plane->component[0];
    const int w = get_side (metric, plane->width, luma->width);
    const int h = get_side (metric, plane->height, luma->height);

    if (c < row->components && (w < row->min_side || h < row->min_side))
      return bdct_error (error, "a plane of %d x %d samples is too small: "
          "its sides must be at least %d", w, h, row->min_side);
  }
  if (metric == BDCT_METRIC_XPSNR
      && bdct_xpsnr_is_large (luma->width, luma->height)
      && ((luma->width | luma->height) & 1))
    return bdct_error (error, "it halves pictures as large as %d x %d, so "
        "their sides must be even", luma->width, luma->height);
  return true;
}

bool
bdct_metrics_check (unsigned metrics, const BdctLayout * layout,
    BdctError * error)
{
  BdctError reason;

  if (metrics >> BDCT_N_METRICS != 0)
    return bdct_error (error, "metrics 0x%x have bits of none, from 1 << %d on",
        metrics, BDCT_N_METRICS);
  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && !bdct_metric_supports (m, layout, &reason))
      return bdct_error (error, "%s: %s", rows[m].info.name, reason.message);
  return true;
}

unsigned
bdct_metrics_supported (unsigned metrics, const BdctLayout * layout)
{
  unsigned supported = 0;

  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && bdct_metric_supports (m, layout, NULL))
      supported |= 1u << m;
  return supported;
}

unsigned
bdct_metrics_history (unsigned metrics)
{
  unsigned history = 0;

  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && rows[m].history > history)
      history = rows[m].history;
  return history;
}

/* ffmpeg's mean over frames is the mean of the square roots. Where it is below
 * 1, ffmpeg's figure is infinite. */
static double
xpsnr (double roots, uint64_t frames, double samples, int depth)
{
  double peak = (1 << depth) - 1, root = roots / frames;

  return root >= 1.0 ? 10.0 * log10 (samples * peak * peak / (root * root))
      : INFINITY;
}

bool
bdct_metric_figure (const BdctStats * sum, uint64_t frames, int depth,
    BdctMetric metric, int component, double *figure)
{
  double v;

  if (sum == NULL || figure == NULL || frames == 0
      || bdct_metric_info (metric) == NULL || component < 0
      || component > BDCT_METRIC_ALL || !(sum->metrics >> metric & 1)
      || rows[metric].info.figure[component] == NULL
      || (component != BDCT_METRIC_ALL
          && sum->component[component].samples == 0))
    return false;
  v = sum->metric[metric][component];
  if (metric == BDCT_METRIC_XPSNR)
    *figure = xpsnr (v, frames,
        (double) (sum->component[component].samples / frames), depth);
  else
    *figure = v / frames;
  return true;
}
