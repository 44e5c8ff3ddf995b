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

    const bool given = std::is_same_v<K, Reconstruct>
        || std::is_same_v<K, ReconstructShort>;
    const void *of[] = { plane.dst.data, plane.src.data, plane.constants,
      given ? plane.from_levels : plane.levels[0] };

    for (const void *memory : of)
      fake_need_device (memory, 1, "levels on the host");
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
