/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const BdctMetricInfo infos[BDCT_N_METRICS] = {
  [BDCT_METRIC_SSIM] = {
        .name = "ssim",
        .description = "structural similarity, as ffmpeg's ssim filter",
        .components = 3,.all = true,.min_side = 8,.grey = true,.stages = 1},
  [BDCT_METRIC_MS_SSIM] = {
        .name = "ms-ssim",
        .description = "multi-scale SSIM of luma, as libvmaf's float_ms_ssim",
        .components = 1,.min_side = 176,.grey = true,.stages = 5},
  [BDCT_METRIC_PSNR_HVS] = {
        .name = "psnr-hvs",
        .description = "PSNR weighted by what is seen, as libvmaf's psnr_hvs",
        .components = 3,.all = true,.in_db = true,.min_side = 8,.stages = 2},
  [BDCT_METRIC_PSNR_B] = {
        .name = "psnr-b",
        .description = "PSNR with the blocking effect factor of Yim and Bovik",
        .components = 3,.in_db = true,.min_side = 2,.grey = true,.stages = 1},
  [BDCT_METRIC_XPSNR] = {
        .name = "xpsnr",
        .description = "PSNR weighted by activity, as ffmpeg's xpsnr filter",
        .components = 3,.in_db = true,.min_side = 1,.grey = true,.stages = 1,
        .history = 2},
};

const BdctMetricInfo *
bdct_metric_info (BdctMetric metric)
{
  return (unsigned) metric < BDCT_N_METRICS ? &infos[metric] : NULL;
}

void
bdct_metric_field (BdctMetric metric, int component,
    char field[BDCT_METRIC_FIELD])
{
  static const char *const ends[] = { "-y", "-u", "-v", "" };

  snprintf (field, BDCT_METRIC_FIELD, "%s%s", infos[metric].name,
      ends[component]);
}

int
bdct_metric_main (BdctMetric metric)
{
  return infos[metric].all ? BDCT_METRIC_ALL : BDCT_Y;
}

bool
bdct_metric_has (BdctMetric metric, int component)
{
  return component == BDCT_METRIC_ALL ? infos[metric].all
      : component < infos[metric].components;
}

bool
bdct_metric_has_figure (const BdctStats * stats, BdctMetric metric,
    int component)
{
  return stats->metrics >> metric & 1 && bdct_metric_has (metric, component)
      && (component == BDCT_METRIC_ALL
      || stats->component[component].samples > 0);
}

/* The sides of a plane as the metric reads it. */
static int
get_width (BdctMetric metric, const BdctLayout * layout, int p)
{
  const BdctPlaneLayout *plane = &layout->plane[p];

  return metric != BDCT_METRIC_PSNR_HVS ? plane->width
      : bdct_psnr_hvs_side (plane->width, layout->plane[0].width);
}

static int
get_height (BdctMetric metric, const BdctLayout * layout, int p)
{
  const BdctPlaneLayout *plane = &layout->plane[p];

  return metric != BDCT_METRIC_PSNR_HVS ? plane->height
      : bdct_psnr_hvs_side (plane->height, layout->plane[0].height);
}

bool
bdct_metric_check (BdctMetric metric, const BdctLayout * layout,
    BdctError * error)
{
  const BdctMetricInfo *info = &infos[metric];
  const BdctPlaneLayout *luma = &layout->plane[0];

  if (layout->chroma == BDCT_CHROMA_400 && !info->grey)
    return bdct_error (error, "its definition wants Y, U and V");
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];
    const int c = plane->component[0], w = get_width (metric, layout, p);
    const int h = get_height (metric, layout, p);

    if (c < info->components && (w < info->min_side || h < info->min_side))
      return bdct_error (error, "a plane of %d x %d samples is too small: its "
          "sides have to be %d or more", w, h, info->min_side);
  }
  if (metric == BDCT_METRIC_XPSNR
      && bdct_xpsnr_is_large (luma->width, luma->height)
      && ((luma->width | luma->height) & 1))
    return bdct_error (error, "it halves pictures as large as %d x %d, whose "
        "sides then have to be even", luma->width, luma->height);
  return true;
}

bool
bdct_metrics_check (unsigned metrics, const BdctLayout * layout,
    BdctError * error)
{
  BdctError reason;

  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && !bdct_metric_check (m, layout, &reason))
      return bdct_error (error, "%s: %s", infos[m].name, reason.message);
  return true;
}

unsigned
bdct_metrics_supported (unsigned metrics, const BdctLayout * layout)
{
  unsigned supported = 0;
  BdctError error;

  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && bdct_metric_check (m, layout, &error))
      supported |= 1u << m;
  return supported;
}

unsigned
bdct_metrics_history (unsigned metrics)
{
  unsigned history = 0;

  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1 && infos[m].history > history)
      history = infos[m].history;
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

double
bdct_metric_figure (const BdctStats * sum, uint64_t frames, int depth,
    BdctMetric metric, int component)
{
  double v = sum->metric[metric][component];

  if (metric == BDCT_METRIC_XPSNR)
    return xpsnr (v, frames,
        (double) (sum->component[component].samples / frames), depth);
  if (metric == BDCT_METRIC_PSNR_B)
    return bdct_psnr (v / frames, depth);
  return v / frames;
}
