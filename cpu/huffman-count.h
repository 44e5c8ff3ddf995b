/* blockdct: what levels in memory consist of, as the CPU engine counts it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COUNT_H
#define BDCT_COUNT_H

#include "dct/entropy/huffman-symbols.h"
#include "dct/entropy/rate.h"

/** Call this before what follows. */
void bdct_huffman_count_init (void);

/** Which levels of an 8x8 block are not 0: bit i for place i of the zigzag
 * order. */
uint64_t bdct_huffman_count_places (const BdctLevel *levels);

/** Add the symbols of 8x8 blocks, all those of `scan`, to a component's
 * counters (rate.h). The DC of the first is left to the caller, who knows
 * whether a block comes before it. */
void bdct_huffman_count (const BdctLevel *levels, const BdctScan *scan,
    uint32_t counter[BDCT_RATE_COUNTERS]);

#endif
