/* blockdct: CABAC's bins of levels in memory, as the CPU engine counts and
 * prices them: cabac.h's, to the last bit, of many blocks at a time.
 *
 * Contexts adapt each by itself, so a run of blocks is as well the bins of each
 * context one after the other. A word has some of one context: from the highest
 * bit on the context's number, and in the lowest 56 a 1 with the bins behind
 * it. Words of one context are in the order of its bins. The number of words
 * comes before them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_BINS_H
#define BDCT_CABAC_BINS_H

#include "dct/entropy/cabac.h"
#include "dct/entropy/rate.h"
#include "dct/rd/quadtree.h"

/** Where a context stands: a state of cabac.h, times 32. */
typedef uint16_t BdctCabacBinsState;

/** Call this before what follows. */
void bdct_cabac_bins_init (void);

/** The words that runs take at most: bdct_bins_words() of all their blocks, and
 * for each run BDCT_BINS_RUN. A fifth to a half of what the levels do. */
size_t bdct_cabac_bins_words (size_t n_blocks, int log2_size);

#define BDCT_CABAC_BINS_RUN (BDCT_CABAC_CHROMA + 2)

/** Write a run of blocks, at least one, and add their bins and their bypass
 * bins to a component's counters (rate.h). */
void bdct_cabac_bins_write (uint64_t *run, const BdctLevel *levels,
    int n_blocks,
    int log2_size, bool chroma, uint32_t counter[BDCT_RATE_COUNTERS]);

/** A run that is written little by little, of blocks of several sizes: open it,
 * write, and close it. `run` has room for all of it. */
typedef struct {
  uint64_t open[BDCT_CABAC_CONTEXTS]; /* words, yet without the context */
  uint64_t *run, *word;
  uint32_t *counter;
  bool chroma;
  uint32_t bypass;
} BdctCabacBinsWriter;

void bdct_cabac_bins_open (BdctCabacBinsWriter *writer, uint64_t *run,
    bool chroma,
    uint32_t counter[BDCT_RATE_COUNTERS]);
void bdct_cabac_bins_blocks (BdctCabacBinsWriter *writer,
    const BdctLevel *levels,
    int n_blocks, int log2_size);
void bdct_cabac_bins_flag (BdctCabacBinsWriter *writer, int context, bool bin);
void bdct_cabac_bins_close (BdctCabacBinsWriter *writer);

/** The states in which a frame's contexts start, those of luma or chroma. */
void bdct_cabac_bins_start (const BdctRateCounts *counts, bool chroma,
    BdctCabacBinsState state[BDCT_CABAC_CONTEXTS]);

/** Have two sets of states adapt to a run. Returns what its bins cost in the
 * first ones, in 2^-15 bit. */
uint64_t bdct_cabac_bins_adapt (const uint64_t *run,
    BdctCabacBinsState first[BDCT_CABAC_CONTEXTS],
    BdctCabacBinsState second[BDCT_CABAC_CONTEXTS]);

#endif
