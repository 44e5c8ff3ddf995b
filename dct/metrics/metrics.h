/* blockdct: perceptual figures of a frame, by the definitions of the programs
 * that people compare them with.
 *
 * A metric has a row in the table of metrics.c, and for each engine a file of
 * its own. It computes one number for each component, and perhaps one for all.
 * What is added up of windows or blocks are whole numbers, or it is added in a
 * fixed order, so that no figure depends on engine, instruction set or threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRICS_H
#define BDCT_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/error.h"
#include "dct/base/compiler.h"
#include "dct/base/layout.h"
#include "dct/base/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most stages of a metric on the CPU engine. */
#define BDCT_METRIC_STAGES 5

/** Bytes that hold a figure's name. */
#define BDCT_METRIC_FIELD 16

typedef struct {
  const char *name;        /**< nick: "ssim" */
  const char *description; /**< a line for people */
  int components;          /**< whose numbers there are: 1 or 3 */
  bool all;                /**< one for all of them, too */
  bool in_db;
  int min_side;            /**< of a plane whose number there is */
  bool grey;               /**< takes frames without U and V */
  int stages;              /**< on the CPU engine (dct/metrics/kernel.h) */
  unsigned history;        /**< number of earlier frames whose luma is read */
} BdctMetricInfo;

/** The table's row; NULL for a value outside the enumeration. */
const BdctMetricInfo *bdct_metric_info (BdctMetric metric);

/** Whether a metric is supported for frames of a layout; false with the
 * reason. */
bool bdct_metric_check (BdctMetric metric, const BdctLayout *layout,
    BdctError *error);

/** The same of all of these, bits 1 << BdctMetric; the reason names the one. */
bool bdct_metrics_check (unsigned metrics, const BdctLayout *layout,
    BdctError *error);

/** Which of the metrics, bits 1 << BdctMetric, are supported for them. */
unsigned bdct_metrics_supported (unsigned metrics, const BdctLayout *layout);

/** The largest history of the metrics, bits 1 << BdctMetric; 0 for none. */
unsigned bdct_metrics_history (unsigned metrics);

/** Whether xpsnr halves a picture before it looks for activity. */
BDCT_FORCE_INLINE bool
bdct_xpsnr_is_large (int width, int height)
{
  return (int64_t) width * height > 2048 * 1152;
}

/** What psnr-hvs takes of a plane's side: libvmaf rounds chroma's down. */
BDCT_FORCE_INLINE int
bdct_psnr_hvs_side (int side, int luma)
{
  return side < luma && 2 * side > luma ? side - 1 : side;
}

/** The name of a metric's figure: of a component "ssim-y", of BDCT_METRIC_ALL
 * "ssim". */
void bdct_metric_field (BdctMetric metric, int component,
    char field[BDCT_METRIC_FIELD]);

/** Which of them stands for the metric: BDCT_METRIC_ALL, or luma's. */
int bdct_metric_main (BdctMetric metric);

/** Whether it has a figure of a component, or of BDCT_METRIC_ALL; and whether
 * statistics have it. */
bool bdct_metric_has (BdctMetric metric, int component);
bool bdct_metric_has_figure (const BdctStats *stats, BdctMetric metric,
    int component);

/** The figure of one frame, or over the sum of some: of a component, or of
 * BDCT_METRIC_ALL. In dB it is infinite where nothing differs. */
double bdct_metric_figure (const BdctStats *sum, uint64_t frames, int depth,
    BdctMetric metric, int component);

/** Where in luma what a metric sees is lost: a number for each square of so
 * many samples, row by row; none if a side is below 8. Of SSIM, whose windows
 * are 4 apart, 1 - SSIM of the window that begins there, 0 if that is above 1;
 * right of the last one, and below, there are squares without a number. Of
 * PSNR-HVS what is left of the squared errors of a block, by sample; its blocks
 * are side by side here, the last ones up to the border. In 2^-12, rounded
 * down. */
typedef struct {
  int log2_side, columns, rows;
} BdctMetricMap;

/** That of PSNR-HVS, from the sum of a block's squares. */
BDCT_FORCE_INLINE uint32_t
bdct_psnr_hvs_map (float sum)
{
  return sum < 1073741824.0f / 64 ? (uint32_t) (sum * 64) : 1u << 30;
}

BDCT_FORCE_INLINE BdctMetricMap
bdct_metric_map (BdctMetric metric, int width, int height)
{
  const bool ssim = metric == BDCT_METRIC_SSIM;
  BdctMetricMap map = { ssim ? 2 : 3, 0, 0 };

  if (width >= 8 && height >= 8) {
    map.columns = ssim ? (width >> 2) - 1 : ((width - 1) >> 3) + 1;
    map.rows = ssim ? (height >> 2) - 1 : ((height - 1) >> 3) + 1;
  }
  return map;
}

#ifdef __cplusplus
}
#endif
#endif
