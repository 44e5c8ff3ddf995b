/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts the bits of trees' levels, as rate.cu does for blocks of one size. */
#include "tree-bins.cuh"
#ifndef __CUDACC__
#include "tree-emulation.h"
#endif

namespace {

using TreeCost = Cost<TreeComponent>;

#ifdef __CUDACC__

/* `K` is TreeBins or TreeCost, for components from `first` on. */
template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocksAtOnce)
count (const __grid_constant__ BdctCudaTree tree, int first)
{
  __shared__ typename K::Shared shared;

  K::thread (TreeComponent (tree, first + blockIdx.y), blockIdx.x, shared,
      threadIdx.x);
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, int first, int n_components, int n_blocks,
    int n_threads, cudaStream_t stream)
{
  void *args[] = { (void *) tree, &first };

  return cudaLaunchKernel ((const void *) count<K>,
      dim3 (n_blocks, n_components), dim3 (n_threads), args, 0, stream);
}

#endif

int
count_segments (int width, int height)
{
  return TreeComponent::count_across (width) * count_squares (height);
}

} // namespace

extern "C" size_t
bdct_cuda_tree_strings_size (int n_components, int width, int height)
{
  return (size_t) n_components * count_segments (width, height)
      * sizeof (BdctCabacTreeStrings);
}

extern "C" cudaError_t
bdct_cuda_tree_count (const BdctCudaTree *tree, cudaStream_t stream)
{
  const BdctPlaneLayout *luma = &tree->component[BDCT_Y].layout;
  const BdctCudaTreeComponent *chroma = &tree->component[BDCT_U];
  const int n = count_segments (luma->width, luma->height);
  cudaError_t err = launch<TreeBins<false>> (tree, BDCT_Y, 1, n,
      kTreeSubBlocks, stream);

  if (err == cudaSuccess && tree->n_components > 1)
    err = launch<TreeBins<true>> (tree, BDCT_U, tree->n_components - 1, n,
        kTreeSubBlocks >> (chroma->sub_x + chroma->sub_y), stream);
  return err != cudaSuccess ? err : launch<TreeCost> (tree, BDCT_Y,
      tree->n_components, (n - 1) / TreeCost::kSegments + 1,
      TreeCost::kThreads, stream);
}
