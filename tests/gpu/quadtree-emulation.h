/* The kernels of cuda/kernels/quadtree.cu without a GPU: thread blocks one
 * after the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_QUADTREE_EMULATION_H
#define TESTS_QUADTREE_EMULATION_H

#include <string.h>
#include "fake-kernels.h"

/* What a kernel gets to see is on the device. */
static inline void
need_device (const void *memory)
{
  if (memory != NULL && fake_kind_of (memory, 1) != 'd')
    fake_die ("a tree of memory of the host");
}

static inline void
need_tree (const BdctCudaTree &tree)
{
  need_device (tree.sizes);
  need_device (tree.accumulators);
  need_device (tree.counts);
  need_device (tree.strings);
  for (int c = 0; c < tree.n_components; c++) {
    need_device (tree.component[c].src.data);
    need_device (tree.component[c].dst.data);
    need_device (tree.component[c].levels.data);
    need_device (tree.component[c].records);
    need_device (tree.component[c].frame_levels);
    for (const BdctCudaTreeBlocks &blocks : tree.component[c].sized) {
      need_device (blocks.levels);
      need_device (blocks.records);
      need_device (blocks.quantizer_map);
      need_device (blocks.picture.data);
    }
  }
}

template <typename K> void
emulate (const FakeOther *other)
{
  const BdctCudaTree &tree = other->tree;

  need_tree (tree);
  for (unsigned y = 0; y < other->y; y++)
    for (unsigned x = 0; x < other->x; x++) {
      typename K::Shared shared;

      memset (&shared, 0x5a, sizeof shared);
      K::block (tree, (int) x, (int) y, shared);
    }
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, unsigned x, unsigned y, cudaStream_t stream)
{
  FakeOther other = {};

  other.compute = emulate<K>;
  other.tree = *tree;
  other.x = x;
  other.y = y;
  return fake_launch (&other, stream);
}

#endif
