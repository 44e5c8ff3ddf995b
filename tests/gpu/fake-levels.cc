/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels on a frame's levels, compiled to run without a GPU. */
#include "cuda/kernels/levels.cu"
#include "fake-kernels.h"

#include <string.h>
#include <type_traits>

template <typename K> static bool
run (const void *function, const BdctCudaBatch *batch)
{
  static thread_local typename K::Shared shared;

  if (function != &kernel<K>)
    return false;
  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane &plane = batch->plane[p];

    if ((plane.dst.data != nullptr && fake_kind_of (plane.dst.data, 1) != 'd')
        || (plane.src.data != nullptr
            && fake_kind_of (plane.src.data, 1) != 'd')
        || fake_kind_of (plane.constants, 1) != 'd'
        || (std::is_same_v<K, Reconstruct>
            || std::is_same_v<K, ReconstructShort>
            ? fake_kind_of (plane.from_levels, 1)
            : fake_kind_of (plane.levels[0], 1)) != 'd')
      fake_die ("levels on the host");
  }
  for (int tile = 0; tile < batch->n_tiles; tile++) {
    memset ((void *) &shared, 0x5a, sizeof shared);
    run_tile<K> (*batch, tile, 0, 1, shared);
  }
  return true;
}

bool
fake_levels (const void *function, const BdctCudaBatch *batch)
{
  return run<Reconstruct> (function, batch)
      || run<ReconstructShort> (function, batch)
      || run<Symbols> (function, batch) || run<Draw> (function, batch);
}
