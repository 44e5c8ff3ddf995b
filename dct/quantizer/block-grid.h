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

#include <stddef.h>
#include <stdint.h>
#include "dct/base/layout.h"
#include "job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One block's share of the statistics (stats.h). */
typedef struct {
  uint32_t sse;     /**< squared errors of its visible samples, saturated at
                         2^32 - 1, which only 12 bits reach, with blocks of
                         64 x 64, or of 32 x 32 with nearly all samples wrong
                         by half the range */
  uint16_t nonzero; /**< levels that are not 0 */
  uint16_t bits;    /**< reserved: 0; the record is 8 bytes */
} BdctBlockRecord;

/** The blocks of one component; 0 columns for one that the format lacks. */
typedef struct {
  int32_t columns, rows;
  size_t first; /**< number of the first one */
} BdctBlockGrid;

/** Set the grid of every component; returns the number of blocks of the
 * frame. */
size_t bdct_blocks_init (BdctBlockGrid grid[BDCT_MAX_COMPONENTS],
    const BdctLayout *layout, const BdctJob *job);

#ifdef __cplusplus
}
#endif
#endif
