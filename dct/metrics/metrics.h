/* blockdct: perceptual figures of a frame, as reference programs define them.
 *
 * A metric has a row in the table of metrics.c and a source file for each
 * engine. It computes one number for each component, and some metrics one for
 * all. Sums over windows or blocks are whole numbers or are added in a fixed
 * order, so that no figure depends on engine, instruction set or threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRICS_H
#define BDCT_METRICS_H

#include "dct/base/error.h"
#include "dct/base/compiler.h"
#include "dct/base/layout.h"
#include "dct/base/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of stages of a metric on the CPU engine. */
#define BDCT_METRIC_STAGES 5

/* Whether a metric supports a layout, both of which are valid. */
bool bdct_metric_supports (BdctMetric metric, const BdctLayout *layout,
    BdctError *error);

/* Whether all of the metrics, bits 1 << BdctMetric, support a layout. Returns
 * false with the reason, naming the metric. */
bool bdct_metrics_check (unsigned metrics, const BdctLayout *layout,
    BdctError *error);

/* The metrics, bits 1 << BdctMetric, that support a layout. */
unsigned bdct_metrics_supported (unsigned metrics, const BdctLayout *layout);

/* The number of a metric's stages on the CPU engine (dct/metrics/kernel.h). */
int bdct_metric_stages (BdctMetric metric);

/* The maximum number of earlier frames whose luma one of the metrics, bits
 * 1 << BdctMetric, reads; 0 if none does. */
unsigned bdct_metrics_history (unsigned metrics);

/* Whether XPSNR halves a picture before it computes the activity. */
BDCT_FORCE_INLINE bool
bdct_xpsnr_is_large (int width, int height)
{
  return (int64_t) width * height > 2048 * 1152;
}

/* A map of where in luma a metric finds distortion: a number in 2^-12,
 * rounded down, for each square of 2^log2_side samples, row-major; empty if
 * a side of the picture is below 8. For SSIM, whose windows begin 4 samples
 * apart, it is 1 - SSIM of the window that begins at the square, or 0 if
 * that SSIM is above 1; squares right of and below the last window have no
 * number. For PSNR-HVS it is the squared error of a block after masking, per
 * sample; here its blocks are adjacent, and the last ones end at the border. */
typedef struct {
  int log2_side, columns, rows;
} BdctMetricMap;

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
