/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of CABAC's estimate, compiled to run without a GPU. */
#include "cuda/kernels/cabac.cuh"
#include "fake-kernels.h"

/* Thread blocks of a component. */
template <typename K> struct Tiles
{
  const Component *component;
  int tile, n_tiles;
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
    K::thread (*component, tile, n_tiles, shared, t);
  }
};

template <typename K> static void
run (const BdctCudaPlane *plane, int i, const CabacConstants *constants)
{
  const Component c (*plane, i, constants);
  Tiles<K> tiles;

  if (fake_kind_of (c.levels, sizeof (BdctLevel) * c.n_blocks << 2 * c.log2_size)
      != 'd'
      || fake_kind_of (c.records, c.n_runs * bdct_cabac_slots (c.log2_size,
              c.chroma) * sizeof *c.records) != 'd')
    fake_die ("levels on the host");
  tiles.component = &c;
  /* Fewer tiles than runs need */
  tiles.n_tiles = (c.n_runs - 1) / K::kRuns / 2 + 1;
  emulate_blocks (K::kThreads, tiles.n_tiles, &tiles);
}

void
fake_cabac (BdctCudaCount count, const BdctCudaPlane *plane, int i,
    const BdctJob *job)
{
  CabacConstants constants;

  make_cabac (&constants, job, plane->layout.component[i]);
  if (count == BDCT_CUDA_BINS)
    run<Count> (plane, i, &constants);
  else
    run<Price> (plane, i, &constants);
}
