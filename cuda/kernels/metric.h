/* blockdct: the metrics on the GPU, as metrics.c calls them.
 *
 * A metric computes the results that bdct_metric_finish() (dct/metrics/run.h)
 * turns into figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_METRIC_H
#define BDCT_CUDA_METRIC_H

#include <cuda_runtime_api.h>
#include "dct/metrics/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A component, all in device memory. */
typedef struct {
  BdctMetricPlane plane; /* its `memory` is for the results */
  void *scratch;         /* aligned to 256 bytes; uninitialized */
  int scale;             /* of MS-SSIM's launches for a scale each; else 0 */
} BdctCudaMetricPlane;

/* The components of one picture; a kernel's parameter. */
typedef struct {
  BdctCudaMetricPlane plane[BDCT_MAX_COMPONENTS];
  int n;
} BdctCudaMetricPlanes;

typedef struct {
  /* The bytes of a component's results: the beginning of its `memory` on the
   * CPU engine. */
  size_t (*results) (const BdctMetricPlane *plane);
  /* The bytes of its scratch memory. */
  size_t (*scratch) (const BdctMetricPlane *plane);
  /* Enqueue the computation of the results. */
  cudaError_t (*launch) (const BdctCudaMetricPlanes *planes,
      cudaStream_t stream);
} BdctCudaMetric;

extern const BdctCudaMetric bdct_cuda_ssim, bdct_cuda_ms_ssim,
    bdct_cuda_psnr_hvs, bdct_cuda_xpsnr;

/* Enqueue a copy of luma's `src` to `memory`, 16 bits wide and without gaps,
 * for metrics with a history. */
cudaError_t bdct_cuda_history_copy (const BdctMetricPlane *luma,
    cudaStream_t stream);

/* Enqueue filling a metric's map (dct/metrics/metrics.h), which is the
 * `memory` of the only component. Needs no scratch memory. */
cudaError_t bdct_cuda_ssim_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream);
cudaError_t bdct_cuda_psnr_hvs_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
