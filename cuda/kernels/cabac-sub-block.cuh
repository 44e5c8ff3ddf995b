/* blockdct: what CABAC codes for a 4x4 sub-block (dct/entropy/cabac.h), found
 * from masks of its levels. In these bit p is place 15 - p of the diagonal
 * scan, so that bits are in coding order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cabac-prices.cuh"
#include "warps.cuh"

namespace {

/* A part of a last position's prefix: log2 of the bins of each context, and
 * luma's first context. */
__host__ __device__ constexpr int
last_bins (int log2_size, bool chroma)
{
  return chroma ? log2_size - 2 : (log2_size + 1) >> 2;
}

__host__ __device__ constexpr int
first_last (int log2_size)
{
  return 3 * (log2_size - 2) + ((log2_size - 1) >> 2);
}

/* floor (log2 (v)) of v > 0 */
BDCT_INLINE int
log2_floor (int v)
{
#ifdef __CUDACC__
  int n;

  asm ("bfind.u32 %0, %1;" : "=r" (n) : "r" (v));
  return n;
#else
  return 31 - __clz (v);
#endif
}

/* Of sub-block j in coding order: x, y << 8, which one is its right neighbour
 * << 16 and the one below << 24; 255: none. */
struct Order
{
  uint32_t entry[85] = {};

  constexpr Order ()
  {
    for (int log2 = 0, at = 0; log2 < 4; at += 1 << 2 * log2++) {
      const int side = 1 << log2;
      int place[64] = {}, n = side * side;

      for (int d = 0; d < 2 * side - 1; d++)
        for (int x = 0; x <= d; x++)
          if (x < side && d - x < side)
            place[--n] = x | (d - x) << 8;
      for (int j = 0; j < side * side; j++) {
        uint32_t right = 255, below = 255;

        for (int k = 0; k < j; k++) {
          right = place[k] == place[j] + 1 ? k : right;
          below = place[k] == place[j] + 256 ? k : below;
        }
        entry[at + j] = place[j] | right << 16 | below << 24;
      }
    }
  }
};
BDCT_CABAC_TABLE Order order_table;

BDCT_INLINE uint32_t
find_place (int log2_size, int j)
{
  return order_table.entry[((1 << 2 * (log2_size - 2)) - 1) / 3 + j];
}

/* What the sub-blocks of a block, of which neighbouring lanes have one each in
 * coding order, say of a lane's own. */
struct Around
{
  bool right, below;            /* these neighbours have levels */
  bool last;                    /* it has the block's last level */
  bool coded;                   /* it or one that is coded before has levels */
  uint32_t earlier;             /* lanes with levels that are coded before */

  /* It is number `j` of its block, at find_place(). `has`: lanes with levels;
   * `before`: those of the first half of a block of 64, for its second half,
   * else 0. */
  BDCT_INLINE
  Around (uint32_t place, uint32_t has, uint32_t before, int j, int lane)
  {
    const int first = lane - j; /* -32 in a second half */
    const bool own = has >> lane & 1;
    const auto is_set = [&] (int k) {
      const uint32_t half = first + k < 0 ? before : has;

      return k != 255 && (half >> ((first + k) & 31) & 1) != 0;
    };

    earlier = has & ((1u << lane) - 1) & (~0u << (first > 0 ? first : 0));
    coded = own || (earlier | before) != 0;
    last = own && (earlier | before) == 0;
    right = is_set ((int) (place >> 16 & 255));
    below = is_set ((int) (place >> 24));
  }
};

/* The places, in coding order, of a digit of a pattern of sigCtx. */
template <uint64_t PATTERN, int DIGIT> struct Places
{
  static constexpr uint32_t
  find ()
  {
    uint32_t mask = 0;

    for (int i = 0; i < 16; i++)
      mask |= (uint32_t) ((int) (PATTERN >> 4 * i & 15) == DIGIT) << (15 - i);
    return mask;
  }
  static constexpr uint32_t mask = find ();
};

/* Zeros and ones of a mask's bins, 2^shift apart. */
BDCT_INLINE uint32_t
count_pair (uint32_t coded, uint32_t ones, int shift = 8)
{
  return __popc (coded & ~ones) | __popc (coded & ones) << shift;
}

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

/* Levels that are not 0, above 1, above 2; those `beyond` the first eight; of
 * the others those above 1, `above`, and the `first` of these, which is also
 * the `third` if it is above 2. */
struct Levels
{
  uint32_t nonzero, above_1, above_2, beyond, above, first, third;
};

BDCT_INLINE Levels
find_levels (const uint32_t magnitude[8])
{
  uint32_t b[4], low = 0, high = 0;

  for (int y = 0; y < 4; y++)
    b[y] = __byte_perm (__vminu2 (magnitude[2 * y], 0x00030003),
        __vminu2 (magnitude[2 * y + 1], 0x00030003), 0x6420);

  const uint32_t four[4] = {    /* by fours in coding order, a byte each */
    __byte_perm (__byte_perm (b[3], b[2], 0x0273), b[1], 0x7210),
    __byte_perm (__byte_perm (b[2], b[3], 0x0052),
        __byte_perm (b[0], b[1], 0x0063), 0x5410),
    __byte_perm (__byte_perm (b[2], b[3], 0x0041),
        __byte_perm (b[0], b[1], 0x0052), 0x5410),
    __byte_perm (__byte_perm (b[0], b[1], 0x0410), b[2], 0x0214),
  };
  for (int k = 3; k >= 0; k--) {
    low = low << 4 | ((four[k] & 0x01010101) * 0x10204080) >> 28;
    high = high << 4 | ((four[k] & 0x02020202) * 0x08102040) >> 28;
  }

  Levels r;

  r.nonzero = r.beyond = low | high;
  for (int i = 0; i < 8; i++)
    r.beyond &= r.beyond - 1;
  r.above_1 = high;
  r.above_2 = high & low;
  r.above = high & ~r.beyond;
  r.first = r.above & (0 - r.above);
  r.third = r.first & r.above_2;
  return r;
}

/* The bypass bins of the levels that flags alone do not code: those beyond the
 * first eight, the one that two flags say is above 2 (`third`), others above 1
 * (`others`). As long as none is above 3 the Rice parameter stays 0. */
BDCT_INLINE uint32_t
count_escapes (const uint32_t magnitude[8], const Levels &mask)
{
  const uint32_t beyond = mask.beyond, third = mask.third;
  const uint32_t others = mask.above & ~mask.first;
  const uint32_t escapes = beyond | third | others;
  const uint32_t kinds = beyond | third << 16;
  uint32_t all = 0, bins, in_warp, its;
  int rice = 0;

  BDCT_UNROLL for (int k = 0; k < 8; k++)
    all |= magnitude[k];

  const bool large = (all & 0xfffcfffc) != 0;

  bins = __popc (beyond | third | others << 16)
      + __popc ((beyond & mask.above_1) | (others & mask.above_2) << 16)
      + __popc (beyond & mask.above_2);
  its = large ? escapes : 0;
  in_warp = or_lanes (its);
  if (in_warp == 0)
    return bins;
  if (large)
    bins = 0;
  BDCT_UNROLL for (int p = 0; p < 16; p++)
    if (in_warp >> p & 1) {
      const int at = (int) (BDCT_CABAC_SCAN >> 4 * (15 - p) & 15);
      const int m = (int) (at & 1 ? magnitude[at >> 1] >> 16
          : magnitude[at >> 1] & 0xffff);
      /* m - 2, + 1 beyond, - 1 of the third */
      const int value = __dp4a ((int) ((kinds >> p & 0x00010001) | 0x0200),
          0x00ffff01, m);
      const int prefix = value >> rice;
      const int n = prefix < 4 ? prefix : 2 * log2_floor (prefix - 2) + 3;

      if (its >> p & 1) {
        bins += n + rice + 1;
        if (m > 3 << rice)
          rice = rice < 4 ? rice + 1 : 4;
      }
    }
  return bins;
}

/* Whether the sub-block with levels that is coded before a lane's has some
 * above 1. `above`: lanes whose have; `before`: whether the last one of the
 * first half of a block of 64 has. */
BDCT_INLINE bool
follows_greater (const Around &around, uint32_t above, bool before)
{
  return around.earlier == 0 ? before
      : above >> log2_floor ((int) around.earlier) & 1;
}

/* The flags for levels above 1, by ctxInc, and above 2: zeros, and ones << 8 */
struct Greater
{
  uint32_t one[4], two;
};

BDCT_INLINE Greater
find_greater (const Levels &mask)
{
  const int all = __popc (mask.nonzero), n = all < 8 ? all : 8;
  const int ones = mask.above ? __popc (mask.nonzero & (mask.first - 1)) : n;
  const int upto = ones < n ? ones + 1 : n;     /* flags with ctxInc 1 to 3 */
  const int more = __popc (mask.above) - (mask.above != 0);

  return { { (uint32_t) (n - upto - more) | more << 8,
      n == 0 ? 0u : ones == 0 ? 256u : 1u,
      upto < 2 ? 0u : ones == 1 && n > 1 ? 256u : 1u,
      upto < 3 ? 0u : ones < n ? (uint32_t) (upto - 3) | 256
      : (uint32_t) upto - 2 },
    mask.above == 0 ? 0u : mask.third ? 256u : 1u };
}

/* sig_coeff_flag: the places that have flags. Of a block larger than 4x4 those
 * by sigCtx's last addend, and the block's first place, with a context of its
 * own. */
BDCT_INLINE uint32_t
find_coded (uint32_t nonzero, bool last)
{
  const uint32_t lowest = nonzero & (0 - nonzero);

  return last ? 0xffff & ~(lowest | (lowest - 1)) : 0xffff;
}

struct Significant
{
  uint32_t there[3], first;

  BDCT_INLINE
  Significant (uint32_t coded, uint32_t nonzero, bool dc, bool last,
      bool on_right, bool on_below)
  {
    constexpr uint64_t none = BDCT_CABAC_SIG_NONE;
    constexpr uint64_t right = BDCT_CABAC_SIG_RIGHT;
    constexpr uint64_t below = BDCT_CABAC_SIG_BELOW;
    const uint32_t zero = on_right ? on_below ? 0 : Places<right, 0>::mask
        : on_below ? Places<below, 0>::mask : Places<none, 0>::mask;
    const uint32_t one = on_right ? on_below ? 0 : Places<right, 1>::mask
        : on_below ? Places<below, 1>::mask : Places<none, 1>::mask;

    first = dc ? coded & 0x8000 : 0;
    if (dc || (!last && nonzero == 0x8000))
      coded &= 0x7fff;          /* that level is inferred */
    there[0] = coded & zero;
    there[1] = coded & one;
    there[2] = coded & ~(zero | one);
  }
};

/* The context of addend 0 there, behind the first one of all */
BDCT_INLINE int
first_significant (int log2_size, bool chroma, bool dc)
{
  return (log2_size == 3 ? 9 : chroma ? 12 : 21) + (chroma || dc ? 0 : 3);
}

/* The prefix of a last position, and the bins of its suffix */
BDCT_INLINE int
last_prefix (int position)
{
  const int log2 = position < 4 ? 0 : log2_floor (position);

  return position < 4 ? position : 2 * log2 + (position >> (log2 - 1) & 1);
}

BDCT_INLINE int
last_suffix (int position)
{
  return position < 4 ? 0 : log2_floor (position) - 1;
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

} // namespace
