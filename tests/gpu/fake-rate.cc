/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of CABAC's estimate, compiled to run without a GPU. */
#include "cuda/kernels/rate.cu"
#include "fake-kernels.h"

template <typename K> static bool
run (const void *function, const BdctCudaBatch *batch)
{
  if (function != &kernel<K>)
    return false;
  for (int p = 0; p < batch->n_planes; p++)
    for (int i = 0; i < batch->plane[p].layout.interleave; i++) {
      const Component c (batch->plane[p], i);

      fake_need_device (c.levels, sizeof (BdctLevel) * c.n_blocks << 2
          * c.log2_size, "levels on the host");
      fake_need_device (c.records, c.n_runs * bdct_cabac_slots (c.log2_size,
              c.chroma) * sizeof *c.records, "records on the host");
      fake_need_device (batch->plane[p].counts, sizeof (BdctRateCounts),
          "counts on the host");
    }
  emulate_blocks<typename K::Shared> (K::kThreads, batch->n_tiles,
      [batch] (int tile, int t, typename K::Shared &shared) {
        run_thread<K> (*batch, tile, shared, t);
      });
  return true;
}

bool
fake_rate (const void *function, const BdctCudaBatch *batch)
{
  return run<Count> (function, batch) || run<Price> (function, batch);
}
