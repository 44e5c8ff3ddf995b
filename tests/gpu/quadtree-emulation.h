/* Kernels on trees without a GPU: thread blocks one after the other
 * (warp-emulation.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_QUADTREE_EMULATION_H
#define TESTS_QUADTREE_EMULATION_H

#include <string.h>
#include "warp-emulation.h"

/* What a kernel gets to see is on the device. */
static inline void
need_device (const void *memory)
{
  fake_need_device (memory, 1, "a tree of memory of the host");
}

static inline void
need_tree (const BdctCudaTree &tree)
{
  need_device (tree.sizes);
  need_device (tree.accumulators);
  need_device (tree.counts);
  need_device (tree.bins);
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
  const auto tree = fake_work<BdctCudaTree> (other);
  const int across = (int) other->x;

  need_tree (tree);
  emulate_blocks<typename K::Shared> (K::kThreads, across * (int) other->y,
      [&tree, across] (int i, int t, typename K::Shared &shared) {
        K::thread (tree, i % across, i / across, shared, t);
      });
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, int x, int y, cudaStream_t stream)
{
  return fake_launch_work (emulate<K>, *tree, (unsigned) x, (unsigned) y,
      stream);
}

#endif
