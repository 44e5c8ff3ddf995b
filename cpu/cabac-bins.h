/* blockdct: CABAC's bins of levels in memory, as the CPU engine counts and
 * prices them: the same as cabac.h's, to the last bit, for many blocks at a
 * time.
 *
 * Each context adapts by itself, so the bins of a run of blocks can be stored
 * by context. A word has bins of one context: the context's number in the
 * highest byte and, in the lowest 56 bits, a 1 followed by the bins. Words of
 * one context are in the order of its bins. The number of words comes before
 * them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_BINS_H
#define BDCT_CABAC_BINS_H

#include "dct/entropy/cabac.h"
#include "dct/entropy/rate.h"
#include "dct/rd/quadtree.h"

/* The state of a context: a state of cabac.h, times 32. */
typedef uint16_t BdctCabacBinsState;

/* Call this before all other functions. */
void bdct_cabac_bins_init (void);

/* The maximum number of words of runs: bdct_bins_words() for all their
 * blocks, plus BDCT_BINS_RUN for each run. They take a fifth to a half of
 * the memory of the levels. */
size_t bdct_cabac_bins_words (size_t n_blocks, int log2_size);

#define BDCT_CABAC_BINS_RUN (BDCT_CABAC_CHROMA + 2)

/* Write a run of blocks, at least one, and add their bins and their bypass
 * bins to a component's counters (rate.h). */
void bdct_cabac_bins_write (uint64_t *run, const BdctLevel *levels,
    int n_blocks,
    int log2_size, bool chroma, uint32_t counter[BDCT_RATE_COUNTERS]);

/* A run that is written in parts, from blocks of several sizes: open it,
 * write, and close it. `run` has room for all of it. */
typedef struct {
  uint64_t open[BDCT_CABAC_CONTEXTS]; /* words without the context's number
                                       * yet */
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

/* The states of a frame's contexts at the start, for luma or chroma. */
void bdct_cabac_bins_start (const BdctRateCounts *counts, bool chroma,
    BdctCabacBinsState state[BDCT_CABAC_CONTEXTS]);

/* Adapt two sets of states to a run. Returns the cost of its bins in the
 * first set, in 2^-15 bit. */
uint64_t bdct_cabac_bins_adapt (const uint64_t *run,
    BdctCabacBinsState first[BDCT_CABAC_CONTEXTS],
    BdctCabacBinsState second[BDCT_CABAC_CONTEXTS]);

#endif
