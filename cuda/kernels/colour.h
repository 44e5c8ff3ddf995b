/* blockdct: conversion of R, G and B on the GPU (rgb-to-planes.cu,
 * planes-to-rgb.cu), as cuda/run.c calls it.
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

/* The bytes of luma's rows in memory are a multiple of this, those of chroma's
 * of its half where chroma is half as wide, so that every block with a visible
 * sample is entirely in memory. */
#define BDCT_CUDA_COLOUR_ALIGN 128

/* A frame of R, G and B in conversion, all in device memory: images of pixels,
 * and images of planes whose rows have all columns up to their stride
 * (bdct_staging_planes()). Images that are not needed have no data. */
typedef struct {
  BdctLayout layout;
  BdctImage src, dst;       /* pixels */
  BdctImage planes;         /* from `src`, including all columns in memory */
  BdctImage rec;            /* the reconstruction */
  BdctImage shown;          /* the planes that `dst` is made from; may be
                                 `rec` */
  ptrdiff_t src_pitch, dst_pitch; /* bytes from one picture of a stack to the
                                       next */
  /* For the errors of R, G and B; NULL: not requested. Of a stack, `sums` has
   * each picture's instead. */
  BdctCudaAccumulator *accumulators;
  unsigned long long (*sums)[3];
} BdctCudaColour;

/* Enqueue the conversion of `src` to `planes`. */
cudaError_t bdct_cuda_rgb_to_planes_launch (const BdctCudaColour *colour,
    cudaStream_t stream);

/* Enqueue the conversion of `shown` to `dst`, which adds up the squared errors
 * of R, G and B in `rec`. `render` is the view that drew `shown`; NULL: there
 * is none. */
cudaError_t bdct_cuda_planes_to_rgb_launch (const BdctCudaColour *colour,
    const BdctRender *render, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
