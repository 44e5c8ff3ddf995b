/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of CABAC's estimate, compiled to run without a GPU. */
#include "cuda/kernels/cabac.cuh"
#include "fake-kernels.h"

/* Thread blocks of a component. */
template <typename K> struct Tiles
{
  const Component *component;
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

template <typename K> static void
run (const BdctCudaPlane *plane, int i, const BdctComponentJob *job)
{
  const Component c (*plane, i, job);
  Tiles<K> tiles;

  if (fake_kind_of (c.levels, sizeof (BdctLevel) * c.n_blocks << 2 * c.log2_size)
      != 'd'
      || fake_kind_of (c.strings, c.n_segments * sizeof *c.strings) != 'd')
    fake_die ("levels on the host");
  tiles.component = &c;
  emulate_blocks (K::kThreads, (c.n_segments - 1) / K::kSegments + 1, &tiles);
}

void
fake_cabac (BdctCudaCount count, const BdctCudaPlane *plane, int i,
    const BdctComponentJob *job)
{
  if (count == BDCT_CUDA_BINS)
    run<Bins> (plane, i, job);
  else
    run<Cost<Component>> (plane, i, job);
}
