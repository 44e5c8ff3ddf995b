/* blockdct: the price of records of CABAC's bins (dct/entropy/cabac-price.h) on
 * the GPU: a thread a slot of a segment.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dct/entropy/cabac-price.h"
#include "warps.cuh"

#ifdef __CUDACC__
#define BDCT_CABAC_TABLE static __device__ const
#else
#define BDCT_CABAC_TABLE static const
#endif

namespace {

constexpr BdctCabacTables
make_tables ()
{
  BdctCabacTables tables = {};

  bdct_cabac_fill (&tables);
  return tables;
}

BDCT_CABAC_TABLE BdctCabacTables price_tables = make_tables ();

BDCT_INLINE void
copy_tables (BdctCabacTables &to, int t, int n_threads)
{
  for (int k = t; k < (int) (sizeof to / 4); k += n_threads)
    ((uint32_t *) &to)[k] = ((const uint32_t *) &price_tables)[k];
}

/* What a segment's bins of a slot cost; `p` is the slot's at a slice's start. A
 * batch is read before it is used. Only the steps of p, the second of four
 * loops, depend on each other. */
BDCT_INLINE uint32_t
price_segment (const uint16_t *records, int n_runs, int slots, int segment,
    int slot, bool bypass, uint32_t p, const BdctCabacTables &tables)
{
  constexpr int kBatch = 8;    /* divides a segment */
  const int first = segment * BDCT_CABAC_SEGMENT;
  const int end = first + BDCT_CABAC_SEGMENT < n_runs
      ? first + BDCT_CABAC_SEGMENT : n_runs;
  const int from = bypass || first == 0 ? first
      : first - BDCT_CABAC_SEGMENT;
  uint32_t now[kBatch], next[kBatch], price = 0;

  records += slot;
  BDCT_UNROLL for (int i = 0; i < kBatch; i++)
    next[i] = from + i < end ? records[(size_t) (from + i) * slots] : 0;
  for (int r = from; r < end; r += kBatch) {
    uint32_t keep[kBatch], add[kBatch], at[kBatch];

    BDCT_UNROLL for (int i = 0; i < kBatch; i++) {
      now[i] = next[i];
      next[i] = r + kBatch + i < end
          ? records[(size_t) (r + kBatch + i) * slots] : 0;
    }
    if (bypass) {
      BDCT_UNROLL for (int i = 0; i < kBatch; i++)
        price += now[i] << BDCT_CABAC_PRICE_BITS;
      continue;
    }
    BDCT_UNROLL for (int i = 0; i < kBatch; i++) {
      const uint32_t n1 = now[i] >> 8, n = (now[i] & 255) + n1;

      keep[i] = tables.step[2 * n];
      add[i] = tables.step[2 * n + 1] * n1;
    }
    BDCT_UNROLL for (int i = 0; i < kBatch; i++) {
      at[i] = p;
      p = bdct_cabac_follow (p, keep[i], add[i]);
    }
    if (r >= first) {
      BDCT_UNROLL for (int i = 0; i < kBatch; i++)
        if (now[i] != 0)
          price += bdct_cabac_beta (at[i], now[i] & 255, now[i] >> 8,
              tables.gamma);
    }
  }
  return price;
}

/* Add what the threads of a warp have. */
BDCT_INLINE void
add_price (unsigned long long *to, unsigned long long price, int t)
{
  BDCT_UNROLL for (int d = 16; d > 0; d /= 2)
    price += from_xor (price, d);
  if (t % 32 == 0 && price != 0)
    atomicAdd (to, price);
}

} // namespace
