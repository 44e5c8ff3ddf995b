/* blockdct: the tensor-core kernels, which take most jobs on the GPUs they are
 * tested on, for the launcher (kernels.cu), which has others for the rest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TENSOR_H
#define BDCT_TENSOR_H

#include "launch.h"

/** The major compute capability that the kernels are for: where their exactness
 * has been tested. */
#define BDCT_TENSOR_MAJOR 9

#define BDCT_TENSOR_TILE_BYTES 128 /**< of each row of a warp's tile */

/** The most bytes of a plane's constants: a multiple of 32 times 16. */
#define BDCT_TENSOR_CONSTANTS (32 * 1024)

typedef struct BdctTensorKernel {
  const void *function; /**< kernel, with a BdctCudaBatch as parameter */
  int rows;             /**< of a warp's tile */
  int warps;            /**< of a block */
  int blocks;           /**< that a multiprocessor holds at once */
  /** Write a plane's constants. */
  void (*make_constants) (void *to, const BdctCudaPlane &plane,
      const BdctJob &job);
} BdctTensorKernel;

/** Whether the current device has the kernels: its capability is
 * BDCT_TENSOR_MAJOR, and code compiled for that is what it runs. */
cudaError_t bdct_tensor_check (bool *has);

/** The kernel for a frame of which job, planes and n_planes are set; NULL if
 * none takes it. */
const BdctTensorKernel *bdct_tensor_find (const BdctCudaFrame *frame);

#endif
