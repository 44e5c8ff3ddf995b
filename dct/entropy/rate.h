/* blockdct: the bits that a frame's levels cost.
 *
 * An engine counts (BdctRateCounts), in any order, and the host prices the
 * counts. Both engines share the code that determines what to count:
 * huffman-symbols.h for Huffman symbols, cabac-price.h for CABAC's bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_RATE_H
#define BDCT_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/layout.h"
#include "dct/base/stats.h"
#include "dct/quantizer/block-grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the levels of a job are priced. */
static inline BdctCoder
bdct_job_coder (const BdctJob *job)
{
  return bdct_transform_row (job->transform)->coder;
}

/* Whether a job's bits are exactly those of a file, not an estimate:
 * jpeg-8x8 at a depth of 8. */
bool bdct_rate_is_exact (const BdctJob *job);

/* The number of counters of a component: differences of DC levels that a caller
 * gives may have more categories than a file. */
#define BDCT_RATE_COUNTERS 288

/* Counts of a frame's levels, by component.
 *
 * HUFFMAN: [(run << 4) + size] AC symbols (T.81 F.1.2.2; 0x00 is EOB, 0xf0
 * ZRL), [BDCT_RATE_DC + category] DC differences. The blocks missing from the
 * last MCUs are not counted; pricing adds them. CABAC: [0] the price of the
 * bins in 2^-BDCT_CABAC_PRICE_BITS bit (cabac-price.h). */
typedef struct {
  uint64_t counter[BDCT_MAX_COMPONENTS][BDCT_RATE_COUNTERS];
} BdctRateCounts;

enum { BDCT_RATE_DC = 256 };

/* Set the bits in `stats` (stats.h) to the cost of a frame's counts, and the
 * sizes of files with Annex K's tables and, if `optimized`, with optimal ones,
 * which takes some 10 us. */
void bdct_rate_price (const BdctRateCounts *counts, const BdctLayout *layout,
    const BdctJob *job, bool optimized, BdctStats *stats);

/* Set the bits and the file size of a picture of a stack
 * (BdctFrame.stack_bits) from its own counts and job. */
void bdct_rate_price_picture (const BdctRateCounts *counts,
    const BdctLayout *stack, const BdctJob *job, uint64_t bits[2]);

/* The bytes of a JFIF file, as libjpeg writes it, without its scan.
 * `n_symbols` is the number of symbols in its Huffman tables; 0 for Annex
 * K's. */
uint64_t bdct_file_head (const BdctLayout *layout, const BdctJob *job,
    int n_symbols);

#ifdef __cplusplus
}
#endif
#endif
