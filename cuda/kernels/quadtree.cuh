/* blockdct: the squares and blocks of H.265's quadtree on the GPU, and how its
 * kernels are launched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dct/base/min.h"
#include "quadtree.h"
#include "threads.cuh"
#ifndef __CUDACC__
#include "quadtree-emulation.h"
#endif

namespace {

constexpr int kSide = BDCT_QUADTREE_SIDE;
constexpr int kSizes = BDCT_TREE_SIZES;
constexpr int kComponents = BDCT_MAX_COMPONENTS;
/* The most sub-blocks, and so blocks, of a component of a square. */
constexpr int kParts = (kSide / 4) * (kSide / 4);

/* Squares in a row or column of as many samples of luma. */
__host__ __device__ inline int
count_squares (int samples)
{
  return (samples - 1) / kSide + 1;
}

/* A square, by its first luma sample. */
struct Square
{
  const BdctCudaTree &tree;
  int left, top;

  BDCT_INLINE bool
  has (int x, int y) const
  {
    const BdctPlaneLayout &luma = tree.component[BDCT_Y].layout;

    return left + x < luma.width && top + y < luma.height;
  }
};

/* The blocks of a component and size in a square. */
struct SizedBlocks
{
  const BdctCudaTreeComponent &component;
  const BdctCudaTreeBlocks &of;
  int x, y;                     /* the square's first block */
  int log2_size, log2_across, log2_parts;

  BDCT_INLINE
  SizedBlocks (const Square &s, int c, int size)
    : component (s.tree.component[c]), of (component.sized[size]),
    log2_size (of.log2_size)
  {
    x = s.left >> component.sub_x >> log2_size;
    y = s.top >> component.sub_y >> log2_size;
    log2_across = BDCT_QUADTREE_LOG2 - component.sub_x - log2_size;
    log2_parts = 2 * (log2_size - 2);
  }

  /* Whether block (bx, by) of the square exists. */
  BDCT_INLINE bool
  has (int bx, int by) const
  {
    return x + bx < of.columns && y + by < of.rows;
  }

  BDCT_INLINE int
  number (int bx, int by) const
  {
    return (y + by) * of.columns + x + bx;
  }

  BDCT_INLINE const BdctLevel *
  levels (int bx, int by) const
  {
    return of.levels + ((size_t) number (bx, by) << 2 * log2_size);
  }

  BDCT_INLINE int
  set (int bx, int by) const
  {
    return of.quantizer_map != nullptr ? of.quantizer_map[number (bx, by)] : 0;
  }
};

/* The size of a component's blocks where luma's are 2^n. */
BDCT_INLINE int
find_size (const BdctCudaTree &tree, int c, int n)
{
  return bdct_quadtree_has_own (tree.chroma, c, n, tree.max_log2) ? n - 2
      : bdct_quadtree_node (tree.chroma, c, n) - 2;
}

/* The number of sub-blocks of a component of a square. */
BDCT_INLINE int
count_parts (const BdctCudaTreeComponent &component)
{
  return kParts >> (component.sub_x + component.sub_y);
}

/* log2 of the side of luma's block at sample (x, y) of the square, which may be
 * in a part of the block beyond the picture. */
BDCT_INLINE int
stored_size (const Square &s, int x, int y)
{
  const BdctCudaTreeComponent &luma = s.tree.component[BDCT_Y];
  const int left = bdct_min (s.left + x, luma.layout.width - 1);
  const int top = bdct_min (s.top + y, luma.layout.height - 1);

  return s.tree.sizes[(size_t) (top >> luma.log2_smallest) * luma.columns
      + (left >> luma.log2_smallest)];
}

#ifdef __CUDACC__

/* `K`: a kernel, whose thread t of thread block (x, y) is K::thread(). */
template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocks)
run (const __grid_constant__ BdctCudaTree tree)
{
  __shared__ typename K::Shared shared;

  K::thread (tree, blockIdx.x, blockIdx.y, shared, threadIdx.x);
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, int x, int y, cudaStream_t stream)
{
  void *args[] = { (void *) tree };

  return cudaLaunchKernel ((const void *) run<K>, dim3 (x, y),
      dim3 (K::kThreads), args, 0, stream);
}

#endif

} // namespace
