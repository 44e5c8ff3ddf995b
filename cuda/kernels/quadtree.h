/* blockdct: finding trees on the GPU (quadtree.cu), as quadtree.c calls it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_KERNELS_QUADTREE_H
#define BDCT_CUDA_KERNELS_QUADTREE_H

#include "dct/entropy/cabac-price.h"
#include "dct/rd/quadtree.h"
#include "cuda/launch/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A component's results in blocks of one size, by number, all in device
 * memory. */
typedef struct {
  const BdctLevel *levels;        /* aligned to 8 bytes */
  const BdctBlockRecord *records;
  const uint8_t *quantizer_map;    /* NULL: the first quantizer for all */
  BdctSamples picture;
  int32_t log2_size, columns, rows;
} BdctCudaTreeBlocks;

/* A component: its samples, and its outputs, where they have data. */
typedef struct {
  BdctPlaneLayout layout;         /* of the component's plane */
  int32_t component;
  int32_t sub_x, sub_y;           /* log2 of luma samples to one of its
                                       samples */
  int32_t log2_smallest, columns; /* log2 of the smallest blocks' side, and
                                       their number in a row */
  BdctSamples src, dst;
  BdctSamples levels;             /* picture of the levels
                                       (dct/picture/render.h) */
  BdctBlockRecord *records;       /* of the smallest blocks */
  BdctLevel *frame_levels;        /* the component's part of
                                       BdctFrame.levels */
  /* By size of luma's blocks; empty for sizes without blocks of its own. */
  BdctCudaTreeBlocks sized[BDCT_TREE_SIZES];
} BdctCudaTreeComponent;

/* One frame and job; a kernel's parameter. */
typedef struct {
  BdctCudaTreeComponent component[BDCT_MAX_COMPONENTS]; /* indexed by
                                                             component */
  int32_t n_components, depth;
  int32_t min_log2, max_log2, distortion_shift;
  BdctChromaFormat chroma;
  uint64_t lambda[BDCT_MAX_QUANTIZERS];
  BdctCabacCosts costs;
  uint8_t *sizes;                 /* as in BdctFrame */
  BdctCudaAccumulator *accumulators; /* BDCT_CUDA_ACCUMULATORS of them,
                                          zeroed */
  unsigned long long *counts;     /* the counters of a BdctRateCounts,
                                       zeroed; NULL: bits are not counted */
  uint16_t *bins;                 /* records of all components' runs, in
                                       bdct_cuda_tree_bins_size() bytes */
  uint16_t start[2][BDCT_CABAC_TREE_SLOTS]; /* of luma, of chroma
                                       (dct/entropy/cabac-price.h) */
} BdctCudaTree;

/* Enqueue finding the trees, unless they are given in `sizes`, and writing the
 * requested outputs. */
cudaError_t bdct_cuda_tree_choose (const BdctCudaTree *tree, bool given,
    cudaStream_t stream);

/* Enqueue copying the levels of the blocks in `sizes` to `frame_levels`; or,
 * if they are given, from there to the blocks of each size, of which those that
 * are not in a tree get zeros. */
cudaError_t bdct_cuda_tree_copy_levels (const BdctCudaTree *tree, bool given,
    cudaStream_t stream);

/* Bytes of the records of all components. */
size_t bdct_cuda_tree_bins_size (const BdctCudaTree *tree);

/* Enqueue counting the bins of the levels of the blocks in `sizes`, and pricing
 * what was counted (tree-bins.cu). */
cudaError_t bdct_cuda_tree_count (const BdctCudaTree *tree,
    cudaStream_t stream);
cudaError_t bdct_cuda_tree_price (const BdctCudaTree *tree,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
