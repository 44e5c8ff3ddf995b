/* blockdct: counts symbols in levels in memory, for the CPU engine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HUFFMAN_COUNT_H
#define BDCT_HUFFMAN_COUNT_H

#include "dct/entropy/huffman-symbols.h"
#include "dct/entropy/rate.h"

/* Call this before all other functions. */
void bdct_huffman_count_init (void);

/* A mask of levels of an 8x8 block that are not 0: bit i for place i of the
 * zigzag order. */
uint64_t bdct_huffman_count_places (const BdctLevel *levels);

/* Add the symbols of 8x8 blocks, all of `scan`, to a component's counters
 * (rate.h), except the DC of the first: the caller knows whether a block
 * comes before it. */
void bdct_huffman_count (const BdctLevel *levels, const BdctScan *scan,
    uint32_t counter[BDCT_RATE_COUNTERS]);

#endif
