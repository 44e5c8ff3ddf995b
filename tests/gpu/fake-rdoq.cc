/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of levels by rate and distortion, compiled to run without a GPU.
 */
#include "cuda/kernels/rdoq.cu"
#include "fake-kernels.h"

template <typename K> struct Tiles
{
  const BdctCudaBatch *batch;
  int tile;
  Shared shared;

  void
  begin (int i)
  {
    tile = i;
    memset ((void *) &shared, 0x5a, sizeof shared);
  }

  void
  run (int t)
  {
    run_thread<K> (*batch, tile, shared, t);
  }
};

template <typename K> static bool
run (const void *function, const BdctCudaBatch *batch)
{
  Tiles<K> tiles;

  if (function != &kernel<K>)
    return false;
  for (int p = 0; p < batch->n_planes; p++)
    if (fake_kind_of (batch->plane[p].levels[0], 1) != 'd'
        || fake_kind_of (batch->plane[p].constants, 1) != 'd')
      fake_die ("levels on the host");
  tiles.batch = batch;
  emulate_blocks (kThreads, batch->n_tiles, &tiles);
  return true;
}

bool
fake_rdoq (const void *function, const BdctCudaBatch *batch)
{
  return run<Choose<false>> (function, batch)
      || run<Choose<true>> (function, batch) || run<Draw> (function, batch);
}
