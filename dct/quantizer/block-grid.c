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

void
bdct_blocks_map_stack (const BdctLayout * layout,
    const BdctBlockGrid grid[BDCT_MAX_COMPONENTS], const uint8_t * stack_map,
    uint8_t * map)
{
  const int n = bdct_layout_pictures (layout);

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const size_t of_picture = (size_t) grid[c].columns * grid[c].rows / n;

    for (int i = 0; i < n; i++)
      memset (map + grid[c].first + i * of_picture, stack_map[i], of_picture);
  }
}
