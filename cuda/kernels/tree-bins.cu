/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts the bits of trees' levels, as rate.cu does for blocks of one size. */
#include "tree-bins.cuh"
#ifndef __CUDACC__
#include "tree-emulation.h"
#endif

namespace {

#ifdef __CUDACC__

/* `K` is TreeCount or TreePrice, for a component for each row of the grid. */
template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocksAtOnce)
count (const __grid_constant__ BdctCudaTree tree)
{
  __shared__ typename K::Shared shared;

  K::thread (TreeComponent (tree, blockIdx.y), blockIdx.x, shared,
      threadIdx.x);
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, int n_blocks, cudaStream_t stream)
{
  void *args[] = { (void *) tree };

  return cudaLaunchKernel ((const void *) count<K>,
      dim3 (n_blocks, tree->n_components), dim3 (K::kThreads), args, 0, stream);
}

#endif

/* Luma's */
int
count_runs (const BdctCudaTree *tree)
{
  const BdctPlaneLayout &luma = tree->component[BDCT_Y].layout;

  return count_squares (luma.width) * count_squares (luma.height)
      * (kParts / 16);
}

} // namespace

extern "C" size_t
bdct_cuda_tree_bins_size (const BdctCudaTree *tree)
{
  return (size_t) count_runs (tree) * (BDCT_CABAC_TREE_SLOTS
      + (tree->n_components - 1) * BDCT_CABAC_TREE_CHROMA_SLOTS)
      * sizeof (uint16_t);
}

extern "C" cudaError_t
bdct_cuda_tree_count (const BdctCudaTree *tree, cudaStream_t stream)
{
  return launch<TreeCount> (tree, (count_runs (tree) - 1) / TreeCount::kRuns
      + 1, stream);
}

extern "C" cudaError_t
bdct_cuda_tree_price (const BdctCudaTree *tree, cudaStream_t stream)
{
  const int at_once = TreePrice::kThreads / BDCT_CABAC_TREE_SLOTS;

  return launch<TreePrice> (tree, (count_runs (tree) - 1)
      / (at_once * BDCT_CABAC_SEGMENT) + 1, stream);
}
