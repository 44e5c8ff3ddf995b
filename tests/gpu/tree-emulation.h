/* The kernels of cuda/kernels/tree-bins.cu without a GPU: thread blocks one
 * after the other (warp-emulation.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_TREE_EMULATION_H
#define TESTS_TREE_EMULATION_H

#include "quadtree-emulation.h"

/* A component's thread blocks. */
template <typename K> struct Tiles
{
  const TreeComponent *component;
  int tile;
  typename K::Shared shared;

  void
  begin (int i)
  {
    tile = i;
    memset ((void *) &shared, 0x5a, sizeof shared);
  }

  void
  run (int t)
  {
    K::thread (*component, tile, shared, t);
  }
};

template <typename K> void
emulate_warps (const FakeOther *other)
{
  need_tree (other->tree);
  for (int k = 0; k < other->tree.n_components; k++) {
    const TreeComponent c (other->tree, k);
    Tiles<K> tiles;

    tiles.component = &c;
    emulate_blocks (K::kThreads, (int) other->x, &tiles);
  }
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, int n_blocks, cudaStream_t stream)
{
  FakeOther other = {};

  other.compute = emulate_warps<K>;
  other.tree = *tree;
  other.x = (unsigned) n_blocks;
  other.y = (unsigned) tree->n_components;
  return fake_launch (&other, stream);
}

#endif
