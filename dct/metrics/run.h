/* blockdct: the metrics of one job's frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRICS_RUN_H
#define BDCT_METRICS_RUN_H

#include "kernel.h"

/* The pictures to compare, and their metrics. */
typedef struct {
  const BdctLayout *layout;
  unsigned metrics;        /* supported metrics, bits 1 << BdctMetric */
  BdctImage src, rec;      /* planes of the layout */
  const uint16_t *luma[3]; /* as in BdctMetricPlane; for metrics with a
                                history */
  int frame_rate;
} BdctMetricsInput;

/* The work on one task. A zeroed run has none. */
typedef struct {
  const BdctMetricKernel *const *kernels; /* or NULL */
  unsigned metrics;
  int n_planes[BDCT_N_METRICS];
  BdctMetricPlane plane[BDCT_N_METRICS][BDCT_MAX_COMPONENTS];
} BdctMetricsRun;

/* Describe component `i` of a plane of a task. */
void bdct_metrics_describe (BdctMetricPlane *to, const BdctMetricsInput *task,
    int plane, int i);

/* Describe the run of a task. Returns the bytes of memory that it needs.
 * `kernels`: NULL for an engine that places and computes the results itself;
 * the run then needs 0 bytes, and of the functions below only
 * bdct_metrics_finish() may be called. */
size_t bdct_metrics_init (BdctMetricsRun *run,
    const BdctMetricKernel *const *kernels, const BdctMetricsInput *task);

/* Set the run's memory, aligned to 64 bytes. It is in use from the first stage
 * to bdct_metrics_finish(). */
void bdct_metrics_place (BdctMetricsRun *run, uint8_t *memory);

/* The number of pieces of a stage, 0 for the stage after the last; and the
 * work of one piece with the caller's scratch memory (kernel.h). */
int bdct_metrics_count (const BdctMetricsRun *run, int stage);
void bdct_metrics_work (const BdctMetricsRun *run, int stage, int piece,
    void *scratch);

/* Compute a metric's values in BdctStats.metric, which are 0 before, from the
 * results in its planes' memory. XPSNR's changes its results: call it once. */
void bdct_metric_finish (BdctMetric metric, const BdctMetricPlane *planes,
    int n_planes, double value[BDCT_MAX_COMPONENTS + 1]);

/* Compute the figures, after all stages are done. */
void bdct_metrics_finish (const BdctMetricsRun *run, BdctStats *stats);

#endif
