/* blockdct: the blocks of a frame, their levels and their records.
 *
 * Blocks are numbered by component, Y first, and within a component from left
 * to right, then downwards. The last column and row may reach beyond the
 * picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_BLOCK_GRID_H
#define BDCT_BLOCK_GRID_H

#include "dct/base/layout.h"
#include "job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set the grid of every component; returns the number of blocks of the
 * frame. */
size_t bdct_blocks_init (BdctBlockGrid grid[BDCT_MAX_COMPONENTS],
    const BdctLayout *layout, const BdctJob *job);

/* Levels in memory, as engines pass them between stages: int16_t, blocks by
 * number, each row-major without a gap, rows are vertical frequency. Chains
 * that keep fewer frequencies than their blocks have (job.h) have keep x keep
 * levels. The transforms of a block with a second stage follow each other row
 * by row, each with its levels; the second stage's are where its DCs were, in
 * the first place of each. */
typedef int16_t BdctLevel;

/* The number of levels of a block in memory. */
static inline int
bdct_rate_block_levels (const BdctComponentJob *job)
{
  const int wide = 1 << bdct_job_log2_across (job);
  const int high = 1 << bdct_job_log2_down (job);

  return ((job->keep < wide ? job->keep : wide)
      * (job->keep < high ? job->keep : high)) << bdct_job_log2_parts (job);
}

/* The number of levels of a frame. Sets `first`, unless it is NULL, to the
 * index of each component's first level; components follow each other, Y first.
 * bdct_quadtree_level() has the places of a tree's levels. */
size_t bdct_count_levels (const BdctLayout *layout, const BdctJob *job,
    size_t first[BDCT_MAX_COMPONENTS]);

/* Write each block's quantizer from each picture's of a stack. */
void bdct_blocks_map_stack (const BdctLayout *layout,
    const BdctBlockGrid grid[BDCT_MAX_COMPONENTS], const uint8_t *stack_map,
    uint8_t *map);

#ifdef __cplusplus
}
#endif
#endif
