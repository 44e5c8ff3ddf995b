/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "block-grid.h"

#include <string.h>
#include "dct/rd/quadtree.h"

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

/* The number of levels of a component whose blocks have this grid. */
static size_t
count_component (const BdctLayout * layout, const BdctJob * job, int c,
    const BdctBlockGrid * grid)
{
  const BdctPlaneLayout *luma = &layout->plane[0];

  if (grid->columns == 0)
    return 0;
  if (bdct_job_is_tree (job))
    return (size_t) ((luma->width - 1) / BDCT_QUADTREE_SIDE + 1)
        * ((luma->height - 1) / BDCT_QUADTREE_SIDE + 1)
        * bdct_quadtree_square_levels (bdct_layout_sub_x (layout, c),
        bdct_layout_sub_y (layout, c));
  return (size_t) grid->columns * grid->rows
      * bdct_rate_block_levels (&job->component[c]);
}

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
    n += count_component (layout, job, c, &grid[c]);
  }
  return n;
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
