/* blockdct: finding trees on the GPU (quadtree.cu), as quadtree.c calls it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_QUADTREE_LAUNCH_H
#define BDCT_CUDA_QUADTREE_LAUNCH_H

#include "dct/rd/quadtree.h"
#include "cuda/launch/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a component became in blocks of one size, by number, all in device
 * memory. */
typedef struct {
  const BdctLevel *levels;        /**< aligned to 8 bytes */
  const BdctBlockRecord *records;
  const uint8_t *quantizer_map;    /**< NULL: the first */
  BdctSamples picture;
  int32_t log2_size, columns, rows;
} BdctCudaTreeBlocks;

/** A component: its samples, and what is made of it, where there is data. */
typedef struct {
  BdctPlaneLayout layout;         /**< of the plane it is in */
  int32_t component;
  int32_t sub_x, sub_y;           /**< log2 of luma's samples to one of it */
  int32_t log2_smallest, columns; /**< blocks of the smallest size, in a row */
  BdctSamples src, dst;
  BdctSamples levels;             /**< their picture (dct/picture/render.h) */
  BdctBlockRecord *records;       /**< of the smallest blocks */
  /** Of each size of luma's blocks; where it has none of its own, nothing. */
  BdctCudaTreeBlocks sized[BDCT_TREE_SIZES];
} BdctCudaTreeComponent;

/** One frame and job; a kernel's parameter. */
typedef struct {
  BdctCudaTreeComponent component[BDCT_MAX_COMPONENTS]; /**< by number */
  int32_t n_components, depth;
  int32_t min_log2, max_log2, distortion_shift;
  BdctChromaFormat chroma;
  uint64_t lambda[BDCT_MAX_QUANTIZERS];
  BdctCabacCosts costs;
  uint8_t *sizes;                 /**< as BdctFrame.sizes */
  BdctCudaAccumulator *accumulators;            /**< BDCT_CUDA_CELLS of them, zeroed */
  unsigned long long *counts;     /**< for the bits, zeroed: those of a
                                       BdctRateCounts; NULL: not counted */
} BdctCudaTree;

/** Enqueue what finds the trees, makes what is asked for of them, and counts
 * their bins. */
cudaError_t bdct_cuda_tree_choose (const BdctCudaTree *tree,
    cudaStream_t stream);

/** Behind it, what prices these bins. */
cudaError_t bdct_cuda_tree_price (const BdctCudaTree *tree,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
