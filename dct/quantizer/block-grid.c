/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "block-grid.h"

#include <string.h>

size_t
bdct_blocks_init (BdctBlockGrid grid[BDCT_MAX_COMPONENTS],
    const BdctLayout * layout, const BdctJob * job)
{
  size_t count = 0;

  memset (grid, 0, BDCT_MAX_COMPONENTS * sizeof grid[0]);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      BdctComponent c = layout->plane[p].component[i];
      const BdctComponentJob *cj = &job->component[c];

      grid[c].columns =
          ((layout->plane[p].width - 1) >> cj->log2_width) + 1;
      grid[c].rows = ((layout->plane[p].height - 1) >> cj->log2_height) + 1;
    }
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    grid[c].first = count;
    count += (size_t) grid[c].columns * grid[c].rows;
  }
  return count;
}
