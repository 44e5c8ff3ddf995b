/* blockdct: what the bins of 4x4 sub-blocks cost in states that do not adapt
 * (dct/rd/quadtree.h), without going through them: from the numbers of zeros
 * and ones of each context, which masks have (cabac-sub-block.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cabac-sub-block.cuh"

namespace {

/* Costs in 2^-15 bit, in a thread block's shared memory. */
struct Prices
{
  static constexpr int kPrefixes = 10;

  uint2 bin[BDCT_CABAC_CONTEXTS]; /* of 0, of 1 */
  /* By chroma and size: of a last position's prefixes, of x and of y */
  uint32_t last[2][4][2][kPrefixes];
  /* Of 4x4 blocks' significance, by chroma: what a half of a mask costs more
   * than zeros; zeros from bit k on */
  uint32_t small[2][2][256], small_zeros[2][17];

  static BDCT_INLINE int
  small_context (int chroma, int p)
  {
    return (chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG)
        + (int) (BDCT_CABAC_SIG_4X4 >> 4 * (15 - p) & 15);
  }

  /* For the threads of a thread block, which meet before it and behind it. */
  BDCT_INLINE void
  fill (const BdctCabacCosts &costs, int t, int n_threads)
  {
    for (int k = t; k < BDCT_CABAC_CONTEXTS; k += n_threads)
      bin[k] = { costs.bin[k][0], costs.bin[k][1] };
    for (int k = t; k < 4 * 256; k += n_threads) {
      const int chroma = k >> 9, half = k >> 8 & 1;
      uint32_t sum = 0;

      for (int i = 0; i < 8; i++)
        if (k >> i & 1) {
          const int context = small_context (chroma, 8 * half + i);

          sum += costs.bin[context][1] - costs.bin[context][0];
        }
      small[chroma][half][k & 255] = sum;
    }
    for (int k = t; k < 2 * 17; k += n_threads) {
      uint32_t sum = 0;

      for (int p = k % 17; p < 16; p++)
        sum += costs.bin[small_context (k / 17, p)][0];
      small_zeros[k / 17][k % 17] = sum;
    }
    for (int k = t; k < 2 * 4 * 2 * kPrefixes; k += n_threads)
      fill_last (costs, k / kPrefixes / 8, k / kPrefixes / 2 % 4,
          k / kPrefixes % 2, k % kPrefixes);
  }

  BDCT_INLINE void
  fill_last (const BdctCabacCosts &costs, int chroma, int size, int is_y,
      int prefix)
  {
    const int log2_size = size + 2;
    const int first = (chroma ? is_y ? BDCT_CABAC_CHROMA_LAST_Y
        : BDCT_CABAC_CHROMA_LAST_X : (is_y ? BDCT_CABAC_LUMA_LAST_Y
            : BDCT_CABAC_LUMA_LAST_X) + first_last (log2_size));
    const int longest = 2 * log2_size - 1;
    uint32_t sum = 0;

    for (int i = 0; i <= prefix && i < longest; i++)
      sum += costs.bin[first + (i >> last_bins (log2_size, chroma != 0))]
          [i < prefix];
    last[chroma][size][is_y][prefix] = sum;
  }
};

/* A bin of a context, if it is there */
BDCT_INLINE uint32_t
price_bin (const Prices &prices, int context, bool there, bool bin)
{
  const uint2 cost = prices.bin[context];

  return there ? bin ? cost.y : cost.x : 0;
}

/* n bins, of which `ones` are 1 */
BDCT_INLINE uint32_t
price_bins (const Prices &prices, int context, int n, int ones)
{
  const uint2 cost = prices.bin[context];

  return n * cost.x + ones * (cost.y - cost.x);
}

/* Bins as a pair: zeros, and ones << 8 */
BDCT_INLINE uint32_t
price_pair (const Prices &prices, int context, uint32_t pair)
{
  const uint2 cost = prices.bin[context];

  return (pair & 255) * cost.x + (pair >> 8) * cost.y;
}

/* A sub-block's significance in a block larger than 4x4 */
BDCT_INLINE uint32_t
price_significant (const Prices &prices, uint32_t nonzero, int log2_size,
    bool chroma, bool dc, const Around &around)
{
  const Significant s (find_coded (nonzero, around.last), nonzero, dc,
      around.last, around.right, around.below);
  const int sig = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  const int here = sig + first_significant (log2_size, chroma, dc);
  uint32_t cost = price_bin (prices, sig, s.first, nonzero >> 15);

  BDCT_UNROLL for (int d = 0; d < 3; d++)
    cost += price_bins (prices, here + d, __popc (s.there[d]),
        __popc (s.there[d] & nonzero));
  return cost;
}

/* The flags of levels above 1 and 2 */
BDCT_INLINE uint32_t
price_greater (const Prices &prices, const Levels &found, bool chroma, int set)
{
  const Greater g = find_greater (found);
  const int one = (chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1) + 4 * set;
  const int two = (chroma ? BDCT_CABAC_CHROMA_GREATER2
      : BDCT_CABAC_LUMA_GREATER2) + set;

  uint32_t cost = price_pair (prices, two, g.two);

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    cost += price_pair (prices, one + i, g.one[i]);
  return cost;
}

} // namespace
