/* blockdct: the kernels of comparisons (comparison.cu), as cuda/run.c calls
 * them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_COMPARISON_H
#define BDCT_CUDA_COMPARISON_H

#include "cuda/launch/kernel.h"
#include "dct/engine/compare.h"
#include "metric.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A plane of memory, of all pictures. */
typedef struct {
  BdctPlaneLayout layout;
  BdctSamples reference, distorted[BDCT_MAX_DISTORTED];
} BdctCudaCompared;

/* Adding up squared errors of planes, with all pictures in device memory; a
 * kernel's parameter. */
typedef struct {
  int32_t depth, n_planes, n_distorted;
  int32_t first[BDCT_MAX_PLANES + 1]; /* first thread block of each plane;
                                           then their number */
  BdctCudaCompared plane[BDCT_MAX_PLANES];
  /* BDCT_CUDA_ACCUMULATORS for each picture, zeroed. */
  BdctCudaAccumulator *accumulators[BDCT_MAX_DISTORTED];
} BdctCudaErrors;

cudaError_t bdct_cuda_errors_launch (const BdctCudaErrors *errors,
    cudaStream_t stream);

/* Likewise for R, G and B. */
typedef struct {
  BdctRgb rgb;
  int32_t width, height, n_distorted;
  BdctImage reference, distorted[BDCT_MAX_DISTORTED];
  BdctCudaAccumulator *accumulators[BDCT_MAX_DISTORTED];
} BdctCudaRgbErrors;

cudaError_t bdct_cuda_rgb_errors_launch (const BdctCudaRgbErrors *errors,
    cudaStream_t stream);

/* Enqueue filling the records of 8 x 8 blocks. The `memory` of each component
 * is its first record. */
cudaError_t bdct_cuda_records_launch (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream);

/* A plane to be packed from its components, whatever their layout. */
typedef struct {
  int32_t depth;
  BdctPlaneLayout layout;
  BdctSamples to;
  BdctScattered from[2];
} BdctCudaPack;

cudaError_t bdct_cuda_pack_launch (const BdctCudaPack *pack,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
