/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "levels.h"

#include "dct/quantizer/block-grid.h"

size_t
bdct_count_levels (const BdctLayout * layout, const BdctJob * job,
    size_t first[BDCT_MAX_COMPONENTS])
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t n = 0;

  bdct_blocks_init (grid, layout, job);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    if (first != NULL)
      first[c] = n;
    n += (size_t) grid[c].columns * grid[c].rows
        * bdct_rate_block_levels (&job->component[c]);
  }
  return n;
}
