/* blockdct: the metrics of a pass over a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRICS_RUN_H
#define BDCT_METRICS_RUN_H

#include "dct/quantizer/job.h"
#include "kernel.h"

/** Frames whose luma may be asked for beside those in flight: one that is shown
 * again, and the two before it (engine.h: number). */
#define BDCT_HISTORY_EXTRA 3

/** What there is to compare. */
typedef struct {
  const BdctLayout *layout;
  const BdctJob *job;
  unsigned metrics;        /**< supported ones, bits 1 << BdctMetric */
  BdctImage src, rec;      /**< planes of the layout */
  const uint16_t *luma[3]; /**< as BdctMetricPlane's; for XPSNR alone */
  int frame_rate;
} BdctMetricsTask;

/** The work on one pass. A run of zeros has none. */
typedef struct {
  const BdctMetricKernel *const *kernels;
  unsigned metrics;
  int n_planes[BDCT_N_METRICS];
  BdctMetricPlane plane[BDCT_N_METRICS][BDCT_MAX_COMPONENTS];
} BdctMetricsRun;

/** Describe component `i` of a plane of a task. */
void bdct_metrics_describe (BdctMetricPlane *to, const BdctMetricsTask *task,
    int plane, int i);

/** Describe a task. Returns how many bytes of memory it takes. */
size_t bdct_metrics_init (BdctMetricsRun *run,
    const BdctMetricKernel *const *kernels, const BdctMetricsTask *task);

/** Give it the memory, aligned to 64 bytes; unused before its first stage and
 * after bdct_metrics_finish(). */
void bdct_metrics_place (BdctMetricsRun *run, uint8_t *memory);

/** Pieces of a stage, 0 for one behind the last; and one of them, as
 * kernel.h has it. */
int bdct_metrics_count (const BdctMetricsRun *run, int stage);
void bdct_metrics_work (const BdctMetricsRun *run, int stage, int piece);

/** Make the figures of it; when all stages are done. */
void bdct_metrics_finish (const BdctMetricsRun *run, BdctStats *stats);

#endif
