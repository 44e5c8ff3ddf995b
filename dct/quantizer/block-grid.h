/* blockdct: what is known of each block of a frame.
 *
 * The blocks of a frame are numbered by component, Y first, and within one from
 * left to right, then downwards. The last column and row may reach past the
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
  uint32_t sse;     /**< squared errors of its visible samples; 2^32 - 1 stands
                         for more, which takes 12 bits and 64 x 64 samples, or
                         32 x 32 nearly all of which are wrong by a half */
  uint16_t nonzero; /**< levels that are not 0 */
  uint16_t bits;    /**< 0: nothing counts them yet */
} BdctBlockRecord;

/** The blocks of one component; 0 columns for one that the format lacks. */
typedef struct {
  int32_t columns, rows;
  size_t first; /**< number of the first one */
} BdctBlockGrid;

/** How many blocks a frame has, and where. */
size_t bdct_blocks_init (BdctBlockGrid grid[BDCT_MAX_COMPONENTS],
    const BdctLayout *layout, const BdctJob *job);

#ifdef __cplusplus
}
#endif
#endif
