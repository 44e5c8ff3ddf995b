/* blockdct: what the bins of 4x4 sub-blocks cost in states that do not adapt
 * (dct/rd/quadtree.h), without going through them: from the numbers of zeros
 * and ones of each context, which masks have (cabac-streams.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TREE_PRICE_CUH
#define BDCT_TREE_PRICE_CUH

#include "cabac-streams.cuh"

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
  uint8_t together[256];

  static BDCT_INLINE int
  small_context (int chroma, int p)
  {
    return (chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG)
        + (int) (UINT64_C (0x8885875467436120) >> 4 * (15 - p) & 15);
  }

  /* For the threads of a thread block, which meet before it and behind it. */
  BDCT_INLINE void
  fill (const BdctCabacCosts &costs, int t, int n_threads)
  {
    for (int k = t; k < BDCT_CABAC_CONTEXTS; k += n_threads)
      bin[k] = { costs.bin[k][0], costs.bin[k][1] };
    for (int k = t; k < 256; k += n_threads)
      together[k] = together_table.entry[k];
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

/* Bins of a context that are there if n is not 0 */
BDCT_INLINE uint32_t
price_bin (const Prices &prices, int context, bool there, bool bin)
{
  const uint2 cost = prices.bin[context];

  return there ? bin ? cost.y : cost.x : 0;
}

/* n of them, of which some are 1 */
BDCT_INLINE uint32_t
price_bins (const Prices &prices, int context, int n, int ones)
{
  const uint2 cost = prices.bin[context];

  return n * cost.x + ones * (cost.y - cost.x);
}

/* The places that have digit 1 in a pattern of BdctCabacSubBlock, and those
 * that have 2, << 16, as bits of a mask. */
__host__ __device__ constexpr uint32_t
find_digits (uint64_t pattern)
{
  uint32_t digits = 0;

  for (int p = 0; p < 16; p++)
    for (int d = 1; d < 3; d++)
      if ((int) (pattern >> 4 * (15 - p) & 15) == d)
        digits |= 1u << (p + 16 * (d - 1));
  return digits;
}

/* A sub-block's significance in a block larger than 4x4, as find_significant()
 * has it. */
BDCT_INLINE uint32_t
price_significant (const Prices &prices, uint32_t nonzero, int log2_size,
    bool chroma, bool dc, const Around &around)
{
  constexpr uint32_t of_both = find_digits (UINT64_C (0x2222222222222222));
  constexpr uint32_t of_right = find_digits (UINT64_C (0x0001002100210212));
  constexpr uint32_t of_below = find_digits (UINT64_C (0x0000010012012122));
  constexpr uint32_t of_none = find_digits (UINT64_C (0x0000000000111112));
  const uint32_t digits = around.right ? around.below ? of_both : of_right
      : around.below ? of_below : of_none;
  const int sig = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  const int here = sig + (log2_size == 3 ? 9 : chroma ? 12 : 21)
      + (chroma || dc ? 0 : 3);
  const int from = around.last ? __ffs ((int) nonzero) : 0;
  /* The first place has a context of its own, or its level is inferred. */
  const bool inferred = !around.last && !dc && nonzero == 0x8000;
  const uint32_t there = (0xffffu << from) & (dc || inferred ? 0x7fff : 0xffff);
  const uint32_t one = there & digits, two = there & (digits >> 16);
  const uint32_t zero = there & ~(one | two);

  return price_bins (prices, here, __popc (zero), __popc (zero & nonzero))
      + price_bins (prices, here + 1, __popc (one), __popc (one & nonzero))
      + price_bins (prices, here + 2, __popc (two), __popc (two & nonzero))
      + price_bin (prices, sig, dc && from < 16, nonzero >> 15);
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

  return price_bin (prices, one + 1, g.one[1].n != 0, g.one[1].bits)
      + price_bin (prices, one + 2, g.one[2].n != 0, g.one[2].bits)
      + price_bins (prices, one + 3, g.one[3].n, g.one[3].bits != 0)
      + price_bins (prices, one, g.one[0].n, __popc (g.one[0].bits))
      + price_bin (prices, two, g.two.n != 0, g.two.bits);
}

} // namespace

#endif
