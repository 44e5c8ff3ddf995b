/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of levels by rate and distortion, compiled to run without a GPU.
 */
#include "cuda/kernels/rdoq.cu"
#include "fake-kernels.h"

template <typename K> static bool
run (const void *function, const BdctCudaBatch *batch)
{
  if (function != &kernel<K>)
    return false;
  for (int p = 0; p < batch->n_planes; p++)
    if (fake_kind_of (batch->plane[p].levels[0], 1) != 'd'
        || fake_kind_of (batch->plane[p].constants, 1) != 'd')
      fake_die ("levels on the host");
  for (int tile = 0; tile < batch->n_tiles; tile++)
    run_tile<K> (*batch, tile);
  return true;
}

bool
fake_rdoq (const void *function, const BdctCudaBatch *batch)
{
  return run<Choose> (function, batch) || run<Draw> (function, batch);
}
