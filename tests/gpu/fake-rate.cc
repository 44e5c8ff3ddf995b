/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of CABAC's estimate, compiled to run without a GPU. */
#include "cuda/kernels/rate.cu"
#include "fake-kernels.h"

/* A launch's thread blocks. */
template <typename K> struct Tiles
{
  const BdctCudaBatch *batch;
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
    for (int i = 0; i < batch->plane[p].layout.interleave; i++) {
      const Component c (batch->plane[p], i);

      if (fake_kind_of (c.levels,
              sizeof (BdctLevel) * c.n_blocks << 2 * c.log2_size) != 'd'
          || fake_kind_of (c.records, c.n_runs * bdct_cabac_slots (c.log2_size,
                  c.chroma) * sizeof *c.records) != 'd'
          || fake_kind_of (batch->plane[p].counts,
              sizeof (BdctRateCounts)) != 'd')
        fake_die ("levels on the host");
    }
  tiles.batch = batch;
  emulate_blocks (K::kThreads, batch->n_tiles, &tiles);
  return true;
}

bool
fake_rate (const void *function, const BdctCudaBatch *batch)
{
  return run<Count> (function, batch) || run<Price> (function, batch);
}
