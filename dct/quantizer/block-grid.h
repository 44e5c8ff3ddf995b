/* blockdct: the blocks of a frame and their records.
 *
 * Blocks are numbered by component, Y first, and within a component from left
 * to right, then downwards. The last column and row may reach beyond the
 * picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_BLOCKS_H
#define BDCT_BLOCKS_H

#include "dct/base/layout.h"
#include "job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set the grid of every component; returns the number of blocks of the
 * frame. */
size_t bdct_blocks_init (BdctBlockGrid grid[BDCT_MAX_COMPONENTS],
    const BdctLayout *layout, const BdctJob *job);

/* Write each block's quantizer from each picture's of a stack. */
void bdct_blocks_map_stack (const BdctLayout *layout,
    const BdctBlockGrid grid[BDCT_MAX_COMPONENTS], const uint8_t *stack_map,
    uint8_t *map);

#ifdef __cplusplus
}
#endif
#endif
