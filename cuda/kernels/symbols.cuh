/* blockdct: counting the Huffman symbols of blocks (dct/entropy/rate.h).
 *
 * The zeros before a level and its category are the index of its counter, so
 * that counting takes no branch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <string.h>
#include "dct/entropy/huffman-symbols.h"
#include "dct/entropy/rate.h"

namespace {

/* A thread block's counters, in shared memory. */
struct SymbolCounters
{
  /* By the zeros before a level, and its category. Rows are this far apart so
   * that common symbols have banks of their own. */
  static constexpr int kRow = 21, kRuns = 63, kEnd = kRow * kRuns;
  static constexpr int kDc = kEnd + 1, kCategories = 18;
  static constexpr int kAll = kDc + kCategories;

  uint32_t at[kAll + 1];        /* the last one is for what does not count */
};

static_assert (SymbolCounters::kRow >= SymbolCounters::kCategories);

/* The zigzag order; indices are compile-time constants after unrolling. */
struct Zigzag
{
  uint8_t at[64] = {};

  constexpr Zigzag ()
  {
    for (int k = 0; k < 64; k++)
      at[k] = bdct_zigzag_index[k];
  }
};

BDCT_DEVICE_TABLE Zigzag zigzag = Zigzag ();

/* The category of a level of 16 bits, plus kNoCategory: the exponent of |level|
 * + 1/2, as a float. On 2^23 the magnitude is in the lowest bits. */
BDCT_INLINE uint32_t
category_of (uint32_t magnitude)
{
  uint32_t bits = magnitude | 0x4b000000;
  float v;

  memcpy (&v, &bits, sizeof v);
  v -= 8388607.5f;
  memcpy (&bits, &v, sizeof bits);
  return bits >> 23;
}

/* The magnitudes of two levels. */
BDCT_INLINE uint32_t
magnitudes (uint32_t levels)
{
  return __viaddmax_s16x2 (~levels, 0x00010001, levels);
}

/* Counts a block's AC levels, which are added in zigzag order. */
struct SymbolCount
{
  uint32_t *counter;
  uint32_t run;                 /* the row of the zeros so far, less
                                   kNoCategory */

  static constexpr uint32_t kNoCategory = 126, kNoRun = 0u - kNoCategory;

  BDCT_INLINE
  SymbolCount (SymbolCounters &counters)
    : counter (counters.at), run (kNoRun)
  {
  }

  BDCT_INLINE void
  add (uint32_t magnitude)
  {
    const uint32_t category = category_of (magnitude);
    const bool counts = category > kNoCategory;

    count (run + category, counts);
    run = counts ? kNoRun : run + SymbolCounters::kRow;
  }

  BDCT_INLINE void
  end (void)
  {
    count (SymbolCounters::kEnd, run != kNoRun);
  }

  /* A branch would take longer. */
  BDCT_INLINE void
  count (uint32_t i, bool counts)
  {
    atomicAdd (&counter[counts ? i : (uint32_t) SymbolCounters::kAll], 1u);
  }
};

BDCT_INLINE void
count_dc (SymbolCounters &counters, int difference)
{
  atomicAdd (&counters.at[SymbolCounters::kDc
          + bdct_symbol_category (difference)], 1u);
}

/* Add one of the counters to the component's. */
BDCT_INLINE void
merge_symbols (const SymbolCounters &counters, int i,
    unsigned long long *counts)
{
  const unsigned long long n = counters.at[i];

  if (n == 0)
    return;
  if (i >= SymbolCounters::kDc) {
    atomicAdd (&counts[BDCT_RATE_DC + i - SymbolCounters::kDc], n);
  } else if (i == SymbolCounters::kEnd) {
    atomicAdd (&counts[0x00], n);
  } else {
    const int run = i / SymbolCounters::kRow, category = i
        % SymbolCounters::kRow;

    atomicAdd (&counts[((run & 15) << 4) + category], n);
    if (run > 15)
      atomicAdd (&counts[0xf0], n * (run >> 4));
  }
}

} // namespace
