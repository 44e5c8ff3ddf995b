/* blockdct: what the CUDA engine's host side (engine.c) and its kernels
 * (kernels.cu) have in common.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_LAUNCH_H
#define BDCT_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include "dct/job.h"
#include "dct/layout.h"
#include "dct/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One plane, all in device memory. */
typedef struct {
  const uint8_t *src;
  uint8_t *dst;
  int64_t src_stride, dst_stride; /**< bytes */
  int32_t width, height, shift, interleave; /**< as in layout.h */
  int32_t component[2];
  /* bdct_cuda_cut() fills in the rest. */
  int32_t row_bytes;  /**< of a row's samples */
  int32_t block;      /**< samples of a transform block's side */
  int32_t grey;       /**< the middle sample, as it lies in memory */
  int32_t aligned;    /**< whether every row begins at a multiple of 16 */
  int32_t tiles_x;    /**< tiles of the plane from left to right */
  int32_t first_tile; /**< of the plane among the frame's */
  const void *constants; /**< the tensor-core kernels' */
  struct BdctCudaCell *cells; /**< the frame's */
} BdctCudaPlane;

/** What a frame's blocks add up. Every block adds to one of several cells, so
 * that a whole frame does not queue for the same few addresses; the host adds
 * the cells. */
typedef struct BdctCudaCell {
  unsigned long long sse[BDCT_MAX_COMPONENTS];
  unsigned long long nonzero[BDCT_MAX_COMPONENTS];
  unsigned long long unused[2]; /* a cell has cache sectors of its own */
} BdctCudaCell;

#define BDCT_CUDA_CELLS 16

/** A frame, all in device memory. */
typedef struct {
  BdctJob job;
  BdctCudaPlane plane[BDCT_MAX_PLANES];
  int32_t n_planes, n_tiles;
  /** The tensor-core kernel that does it, or NULL. */
  const struct BdctTensorKernel *tensor;
  BdctCudaCell *cells; /**< BDCT_CUDA_CELLS of them, zeroed */
} BdctCudaFrame;

/** The most planes of a launch: as many as fit a kernel's 4 KiB of parameters.
 */
#define BDCT_CUDA_MAX_PLANES 24

/** A kernel's only parameter: the planes of some frames of one job. */
typedef struct {
  BdctJob job;
  BdctCudaPlane plane[BDCT_CUDA_MAX_PLANES];
  int32_t n_planes, n_tiles;
  int32_t span;        /**< tiles that a warp of a tensor-core kernel does */
} BdctCudaBatch;

/** What launches on one device need. */
typedef struct BdctCudaDevice BdctCudaDevice;

/** Describe the current device and upload the matrices into the current
 * context, where every engine uploads the same. `tensor`: use the tensor cores
 * if there are kernels for them. Freed with bdct_cuda_close(). */
cudaError_t bdct_cuda_open (BdctCudaDevice **device, bool tensor,
    cudaStream_t stream);

/** In the context it was opened in, after its launches. */
void bdct_cuda_close (BdctCudaDevice *device);

/** Choose the kernel and fill in what the frame's description says this does.
 * False if the frame has more tiles than a launch takes. */
bool bdct_cuda_cut (BdctCudaFrame *frame, const BdctCudaDevice *device);

/** Enqueue frames of one layout that bdct_cuda_cut() has cut: one launch for
 * all planes of as many in a row as have one job and fit. All launches of a
 * device go into one stream. */
cudaError_t bdct_cuda_launch (const BdctCudaFrame *const *frames, int n_frames,
    BdctCudaDevice *device, cudaStream_t stream);

/** Whether the tensor cores are used. */
bool bdct_cuda_has_tensor (const BdctCudaDevice *device);

#ifdef __cplusplus
}
#endif
#endif
