/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "levels.h"

#include "dct/quantizer/block-grid.h"
#include "dct/rd/quadtree.h"

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
