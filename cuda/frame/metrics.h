/* blockdct: the metrics of a frame on the GPU: memory, launches, figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_METRICS_H
#define BDCT_CUDA_METRICS_H

#include "cuda/device/staging.h"
#include "dct/metrics/run.h"

/* Of one frame: a run, for each distorted picture of a comparison. */
typedef struct {
  int n;              /* runs; a frame without metrics has none */
  BdctMetricsRun run[BDCT_MAX_DISTORTED];
  BdctBuffer results; /* of all runs, one behind the other */
} BdctFrameMetrics;

/* Allocate memory for the results, when all runs are described. */
bool bdct_frame_metrics_reserve (BdctFrameMetrics *metrics,
    const BdctStaging *staging, BdctError *error);

/* Enqueue a run on this reconstruction, in the kernels' stream. Runs use
 * `scratch` one after the other. */
bool bdct_frame_metrics_enqueue (BdctFrameMetrics *metrics, int i,
    const BdctImage *rec, BdctBuffer *scratch, const BdctStaging *staging,
    BdctError *error);

/* Enqueue the copy of all results; and, once it is done, compute the
 * figures, in an entry of the statistics for each run. */
bool bdct_frame_metrics_download (const BdctFrameMetrics *metrics,
    cudaStream_t stream, BdctError *error);
void bdct_frame_metrics_finish (BdctFrameMetrics *metrics, BdctStats *stats);

/* Enqueue a metric's map of a component (metrics.h) to the component's
 * `memory`, after the work that makes its reconstruction. */
bool bdct_cuda_map_enqueue (BdctMetric metric, const BdctMetricPlane *plane,
    const BdctStaging *staging, BdctError *error);

#endif
