/* blockdct: the metrics on the GPU, as metrics.c calls them.
 *
 * What a metric computes there is what its finish() reads on the CPU engine
 * (dct/metrics/kernel.h), which makes the figure of it.
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

/** A component, all in device memory. */
typedef struct {
  BdctMetricPlane plane; /**< its `memory` is for the results */
  void *scratch;         /**< aligned to 256 bytes; what is in it is nobody's */
} BdctCudaMetricPlane;

/** Those of one picture; a kernel's parameter. */
typedef struct {
  BdctCudaMetricPlane plane[BDCT_MAX_COMPONENTS];
  int n;
} BdctCudaMetricPlanes;

typedef struct {
  /** Bytes of the results of a component: the beginning of what it has in
   * `memory` on the CPU engine. */
  size_t (*results) (const BdctMetricPlane *plane);
  /** Bytes of its scratch memory. */
  size_t (*scratch) (const BdctMetricPlane *plane);
  /** Enqueue what computes the results. */
  cudaError_t (*launch) (const BdctCudaMetricPlanes *planes,
      cudaStream_t stream);
} BdctCudaMetric;

extern const BdctCudaMetric bdct_cuda_ssim, bdct_cuda_ms_ssim,
    bdct_cuda_psnr_hvs, bdct_cuda_psnr_b, bdct_cuda_xpsnr;

/** Enqueue what makes a frame's luma 16 bits wide, without gaps, as XPSNR takes
 * it: of `src`, in `memory`. */
cudaError_t bdct_cuda_history_copy (const BdctMetricPlane *luma,
    cudaStream_t stream);

/** Enqueue what fills a metric's map (dct/metrics/metrics.h), which is the
 * `memory` of the one component that there is. It takes no scratch memory. */
cudaError_t bdct_cuda_ssim_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream);
cudaError_t bdct_cuda_psnr_hvs_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
