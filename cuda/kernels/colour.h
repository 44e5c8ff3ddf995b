/* blockdct: R, G and B on the GPU (rgb-to-planes.cu, planes-to-rgb.cu), as
 * engine.c calls it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_COLOUR_H
#define BDCT_CUDA_COLOUR_H

#include "cuda/launch/kernel.h"
#include "dct/picture/render.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of luma in memory are a multiple of it long, chroma's that of its half
 * where it is half as wide: any block that has a sample of the picture is
 * whole. */
#define BDCT_CUDA_COLOUR_ALIGN 128

/** One frame of R, G and B on its way, all in device memory: images of pixels,
 * and images of planes whose rows have as many columns as are between them
 * (bdct_staging_planes()). What is not needed has no data. */
typedef struct {
  BdctLayout layout;
  BdctImage src, dst;       /**< pixels */
  BdctImage planes;         /**< made of `src`, all their columns */
  BdctImage rec;            /**< the reconstruction, ... */
  BdctImage shown;          /**< ... and what `dst` is made of; may be `rec` */
  /** Of the errors of R, G and B; NULL: not asked. */
  BdctCudaAccumulator *accumulators;
} BdctCudaColour;

/** Enqueue what makes `planes` of `src`. */
cudaError_t bdct_cuda_rgb_to_planes_launch (const BdctCudaColour *colour,
    cudaStream_t stream);

/** Enqueue what makes `dst` and adds up the squared errors of R, G and B in
 * `rec`. `render`: how `shown` came to be; NULL: there is none. */
cudaError_t bdct_cuda_planes_to_rgb_launch (const BdctCudaColour *colour,
    const BdctRender *render, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
