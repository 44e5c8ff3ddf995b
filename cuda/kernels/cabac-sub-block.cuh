/* blockdct: what CABAC codes for a 4x4 sub-block, for trees
 * (dct/rd/quadtree.h).
 *
 * The bins are those of dct/entropy/cabac.h, found from masks of a sub-block's
 * levels. In these masks bit p is place 15 - p of the diagonal scan, so that
 * bits are in coding order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_SUB_BLOCK_CUH
#define BDCT_CABAC_SUB_BLOCK_CUH

#include "cabac-prices.cuh"
#include "dct/rd/quadtree.h"
#include "warps.cuh"

namespace {

/* A part of a last position's prefix: log2 of the bins of each context, how
 * many contexts there are, and luma's first one. */
__host__ __device__ constexpr int
last_bins (int log2_size, bool chroma)
{
  return chroma ? log2_size - 2 : (log2_size + 1) >> 2;
}

__host__ __device__ constexpr int
count_last (int log2_size, bool chroma)
{
  return ((2 * log2_size - 2) >> last_bins (log2_size, chroma)) + 1;
}

__host__ __device__ constexpr int
first_last (int log2_size)
{
  return 3 * (log2_size - 2) + ((log2_size - 1) >> 2);
}

/* The places that have digit 1 in a pattern of sigCtx, and those that have 2,
 * << 16, as bits of a mask. */
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

/* floor (log2 (v)) of v > 0 */
BDCT_INLINE int
log2_of (int v)
{
  return 31 - __clz (v);
}

/* The sub-blocks of a block in coding order, the last one of the scan first: x,
 * and 16 y. */
struct Order
{
  uint8_t place[64] = {};
  /* Where in this order its neighbours are; kNone: it has none. */
  uint8_t right[64] = {}, below[64] = {};

  static constexpr uint8_t kNone = 255;

  constexpr Order (int side)
  {
    int n = side * side;

    for (int d = 0; d < 2 * side - 1; d++)
      for (int x = 0; x <= d; x++)
        if (x < side && d - x < side)
          place[--n] = (uint8_t) (x | (d - x) << 4);
    for (int j = 0; j < side * side; j++) {
      right[j] = below[j] = kNone;
      for (int k = 0; k < j; k++) {
        if (place[k] == place[j] + 1)
          right[j] = (uint8_t) k;
        if (place[k] == place[j] + 16)
          below[j] = (uint8_t) k;
      }
    }
  }
};

BDCT_CABAC_TABLE Order order_table[4] = { Order (1), Order (2), Order (4),
  Order (8) };

/* What the sub-blocks of a block, of which neighbouring lanes have one each in
 * coding order, say of a lane's own. */
struct Around
{
  bool right, below;            /* these neighbours have levels */
  bool last;                    /* it has the block's last level */
  bool coded;                   /* it or one that is coded before has levels */
  uint32_t earlier;             /* lanes with levels that are coded before */

  /* It is number `j` of its block. `has`: lanes with levels; `before`: those of
   * the first half of a block of 64, for its second half, else 0. */
  BDCT_INLINE
  Around (const Order &order, uint32_t has, uint32_t before, int j, int lane)
  {
    const int first = lane - j; /* -32 in a second half */
    const bool own = has >> lane & 1;
    const auto is_set = [&] (int k) {
      const uint32_t half = first + k < 0 ? before : has;

      return k != Order::kNone && (half >> ((first + k) & 31) & 1) != 0;
    };

    earlier = has & ((1u << lane) - 1) & (~0u << (first > 0 ? first : 0));
    coded = own || (earlier | before) != 0;
    last = own && (earlier | before) == 0;
    right = is_set (order.right[j]);
    below = is_set (order.below[j]);
  }
};

/* sig_coeff_flag of a sub-block of a block larger than 4x4: the places that
 * have flags, by sigCtx's last addend, and the first one's context, which the
 * block's first place does not have. */
struct Significant
{
  uint32_t there[3];
  bool first;                   /* that place has a flag */
  int here;

  BDCT_INLINE
  Significant (uint32_t nonzero, int log2_size, bool chroma, bool dc,
      const Around &around)
  {
    constexpr uint64_t both = BDCT_CABAC_SIG_BOTH, none = BDCT_CABAC_SIG_NONE;
    constexpr uint64_t right = BDCT_CABAC_SIG_RIGHT;
    constexpr uint64_t below = BDCT_CABAC_SIG_BELOW;
    constexpr uint32_t of_both = find_digits (both);
    constexpr uint32_t of_right = find_digits (right);
    constexpr uint32_t of_below = find_digits (below);
    constexpr uint32_t of_none = find_digits (none);
    const uint32_t digits = around.right ? around.below ? of_both : of_right
        : around.below ? of_below : of_none;
    const int from = around.last ? __ffs ((int) nonzero) : 0;
    /* The first place has a context of its own, or its level is inferred. */
    const bool inferred = !around.last && !dc && nonzero == 0x8000;
    const uint32_t all = (0xffffu << from) & (dc || inferred ? 0x7fff : 0xffff);

    there[1] = all & digits;
    there[2] = all & (digits >> 16);
    there[0] = all & ~(there[1] | there[2]);
    first = dc && from < 16;
    here = (log2_size == 3 ? 9 : chroma ? 12 : 21) + (chroma || dc ? 0 : 3);
  }
};

/* Entry l << 4 | h of four levels' classes (0, 1, 2, above 2, with the lower
 * bits in l and the higher ones in h): h's bits of those that are not 0, moved
 * together, and how many these are << 4. */
struct Together
{
  uint8_t entry[256] = {};

  constexpr Together ()
  {
    for (int l = 0; l < 16; l++)
      for (int h = 0; h < 16; h++) {
        int n = 0, v = 0;

        for (int i = 0; i < 4; i++)
          if ((l | h) >> i & 1)
            v |= (h >> i & 1) << n++;
        entry[l << 4 | h] = (uint8_t) (v | n << 4);
      }
  }
};

BDCT_CABAC_TABLE Together together_table;

/* A sub-block: its levels that are not 0, of the first eight of these those
 * above 1, in order, and whether the first of those is above 2. */
struct Levels
{
  uint32_t nonzero, above_1, above_2;
  /* Levels that flags alone do not code: `beyond` the first eight, the `third`
   * flag says so, the others. */
  uint32_t escapes, beyond, third;
};

/* The magnitudes of a sub-block's levels, two words a row. Returns whether one
 * is not 0. */
BDCT_INLINE bool
load_magnitudes (const BdctLevel *from, int log2_size, uint32_t magnitude[8])
{
  uint32_t all = 0;

  BDCT_UNROLL for (int v = 0; v < 4; v++) {
    const uint2 four = *(const uint2 *) (from + (v << log2_size));

    magnitude[2 * v] = __viaddmax_s16x2 (~four.x, 0x00010001, four.x);
    magnitude[2 * v + 1] = __viaddmax_s16x2 (~four.y, 0x00010001, four.y);
    all |= four.x | four.y;
  }
  return all != 0;
}

/* From these. */
BDCT_INLINE Levels
find_levels (const uint32_t magnitude[8], const uint8_t together[256])
{
  uint32_t b[4], low = 0, high = 0, above = 0, index[4];
  Levels r = {};
  int n = 0;

  /* A byte a level's class */
  BDCT_UNROLL for (int y = 0; y < 4; y++)
    b[y] = __byte_perm (__vminu2 (magnitude[2 * y], 0x00030003),
        __vminu2 (magnitude[2 * y + 1], 0x00030003), 0x6420);

  /* By fours in coding order */
  const uint32_t four[4] = {
    /* (3, 3), (3, 2), (2, 3), (3, 1) */
    __byte_perm (__byte_perm (b[3], b[2], 0x0273), b[1], 0x7210),
    /* (2, 2), (1, 3), (3, 0), (2, 1) */
    __byte_perm (__byte_perm (b[2], b[3], 0x0052),
        __byte_perm (b[0], b[1], 0x0063), 0x5410),
    /* (1, 2), (0, 3), (2, 0), (1, 1) */
    __byte_perm (__byte_perm (b[2], b[3], 0x0041),
        __byte_perm (b[0], b[1], 0x0052), 0x5410),
    /* (0, 2), (1, 0), (0, 1), (0, 0) */
    __byte_perm (__byte_perm (b[0], b[1], 0x0410), b[2], 0x0214),
  };

  BDCT_UNROLL for (int k = 3; k >= 0; k--) {
    /* The products move the four bits to the top. */
    const uint32_t l = (four[k] & 0x01010101) * 0x10204080;
    const uint32_t h = (four[k] & 0x02020202) * 0x08102040;

    low = low << 4 | l >> 28;
    high = high << 4 | h >> 28;
    index[k] = (l >> 24 & 0xf0) | h >> 28;
  }
  BDCT_UNROLL for (int k = 0; k < 4; k++) {
    const uint32_t entry = together[index[k]];

    above |= (entry & 15) << n;
    n += (int) (entry >> 4);
  }

  const uint32_t first = high & (0 - high);     /* of those above 1 */

  r.nonzero = low | high;
  r.above_1 = above & 255;
  r.above_2 = r.above_1 != 0 && (first & low) != 0;
  if (n > 8) {
    r.beyond = r.nonzero;
    BDCT_UNROLL for (int i = 0; i < 8; i++)
      r.beyond &= r.beyond - 1;
  }
  r.third = first & low & ~r.beyond;
  r.escapes = r.beyond | r.third | (high & ~first);
  return r;
}

/* The bins of coeff_abs_level_remaining, without a branch; anything for what is
 * below 0. */
BDCT_INLINE int
count_remaining (int value, int rice)
{
  const int low = (value >> rice) + 1 + rice;
  const int high = 4 + 2 * (31 - __clz (value - (2 << rice))) - rice;

  return value < 4 << rice ? low : high;
}

/* The bypass bins of a level by what codes it, and the Rice parameter after
 * it. */
struct Escapes
{
  static constexpr int kMost = 255;

  /* Entry kind << 11 | rice << 8 | magnitude: bins << 11 | rice << 8. Kinds:
   * flags alone; then those of which flags code up to 1, none, or up to 2. */
  uint16_t entry[4 << 11] = {};

  constexpr Escapes ()
  {
    for (int kind = 0; kind < 4; kind++)
      for (int rice = 0; rice < 5; rice++)
        for (int m = 0; m <= kMost; m++) {
          const int base = kind == 1 ? 2 : kind == 2 ? 1 : 3;
          const bool is = kind > 0 && m >= base;
          const int next = rice + (is && rice < 4 && m > 3 << rice);

          entry[kind << 11 | rice << 8 | m] = (uint16_t) (next << 8
              | (is ? count (m - base, rice) << 11 : 0));
        }
  }

  /* coeff_abs_level_remaining's */
  static constexpr int
  count (int value, int rice)
  {
    int log2 = 0;

    while (value - (2 << rice) >= 2 << log2)
      log2++;
    return value < 4 << rice ? (value >> rice) + 1 + rice
        : 4 + 2 * log2 - rice;
  }
};

BDCT_CABAC_TABLE Escapes escapes_table;

/* Bits of a mask, with a 0 behind each. */
BDCT_INLINE uint32_t
spread_bits (uint32_t v)
{
  v = (v | v << 8) & 0x00ff00ff;
  v = (v | v << 4) & 0x0f0f0f0f;
  v = (v | v << 2) & 0x33333333;
  return (v | v << 1) & 0x55555555;
}

/* The bypass bins of the levels that flags alone do not code. */
BDCT_INLINE int
count_escapes (const uint32_t magnitude[8], const Levels &levels)
{
  const uint32_t in_warp = or_lanes (levels.escapes);
  const uint32_t kinds = spread_bits (levels.escapes & ~levels.beyond)
      | spread_bits (levels.beyond | levels.third) << 1;
  uint32_t all = 0, state = 0;
  int rice = 0, bins = 0;

  BDCT_UNROLL for (int k = 0; k < 8; k++)
    all |= magnitude[k];
  if (!any_lane ((all & 0xff00ff00) != 0)) {
    BDCT_UNROLL for (int p = 0; p < 16; p++)
      if (in_warp >> p & 1) {
        const int at = (int) (BDCT_CABAC_SCAN >> 4 * (15 - p) & 15);
        const uint32_t m = magnitude[at >> 1] >> 16 * (at & 1) & 255;
        const uint32_t kind = (2 * p < 11 ? kinds << (11 - 2 * p)
            : kinds >> (2 * p - 11)) & 0x1800;
        const uint32_t entry = escapes_table.entry[kind | m | state];

        bins += (int) (entry >> 11);
        state = entry & 0x700;
      }
    return bins;
  }
  BDCT_UNROLL for (int p = 0; p < 16; p++)
    if (in_warp >> p & 1) {
      const int at = (int) (BDCT_CABAC_SCAN >> 4 * (15 - p) & 15);
      const int m = (int) (at & 1 ? magnitude[at >> 1] >> 16
          : magnitude[at >> 1] & 0xffff);
      const bool is = levels.escapes >> p & 1;
      const int more = count_remaining (m - 2 - (int) (levels.third >> p & 1)
          + (int) (levels.beyond >> p & 1), rice);

      bins += is ? more : 0;
      rice += is & (rice < 4) & (m > 3 << rice);
    }
  return bins;
}

/* Bins of a context: `n` of them, the first one lowest. */
struct Some
{
  uint32_t bits;
  int n;
};

/* The flags for levels above 1, by ctxInc, and above 2. */
struct Greater
{
  Some one[4], two;
};

BDCT_INLINE Greater
find_greater (const Levels &levels)
{
  const uint32_t g = levels.above_1;
  const int count = __popc (levels.nonzero), n = count < 8 ? count : 8;
  const int ones = g != 0 ? __ffs ((int) g) - 1 : n;    /* before the first */
  const int upto = ones < n ? ones + 1 : n;     /* flags with ctxInc 1 to 3 */
  Greater r;

  r.one[1] = { g & 1, n > 0 };
  r.one[2] = { g >> 1 & (upto > 1), upto > 1 };
  r.one[3] = { upto > 2 && ones < n ? 1u << (upto - 3) : 0,
    upto > 2 ? upto - 2 : 0 };
  r.one[0] = { g >> upto, n - upto };
  r.two = { levels.above_2, ones < n };
  return r;
}

/* The prefix of a last position, and the bins of its suffix */
BDCT_INLINE int
last_prefix (int position)
{
  const int log2 = position < 4 ? 0 : log2_of (position);

  return position < 4 ? position : 2 * log2 + (position >> (log2 - 1) & 1);
}

BDCT_INLINE int
last_suffix (int position)
{
  return position < 4 ? 0 : log2_of (position) - 1;
}

/* The prefixes of the last position, in a sub-block that begins at (4 x, 4 y)
 * of its block: that of x, and 16 times that of y. Adds the suffixes' bins. */
BDCT_INLINE uint8_t
find_prefixes (uint32_t nonzero, int x, int y, uint32_t *bypass)
{
  const int i = 16 - __ffs ((int) nonzero);
  const int in = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);

  x = 4 * x + (in & 3);
  y = 4 * y + (in >> 2);
  *bypass += last_suffix (x) + last_suffix (y);
  return (uint8_t) (last_prefix (x) | last_prefix (y) << 4);
}

/* What of a prefix is in the i-th context, of 1 << log2_bins bins each */
BDCT_INLINE Some
find_last (int prefix, int log2_size, int log2_bins, int i)
{
  const int size = 1 << log2_bins;
  const int all = prefix + (prefix < 2 * log2_size - 1) - (i << log2_bins);
  const int ones = prefix - (i << log2_bins);

  return { (1u << (ones < 0 ? 0 : ones > size ? size : ones)) - 1,
    all < 0 ? 0 : all > size ? size : all };
}

} // namespace

#endif
