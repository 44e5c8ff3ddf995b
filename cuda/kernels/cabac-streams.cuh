/* blockdct: CABAC's bins as strings of bits by context ("streams"), and what a
 * 4x4 sub-block adds to each.
 *
 * The bins are those of dct/entropy/cabac.h, found another way: not level by
 * level but from masks of a sub-block's levels. In these masks bit p is place
 * 15 - p of the diagonal scan, so that bits are in coding order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_STREAMS_CUH
#define BDCT_CABAC_STREAMS_CUH

#include "cabac-strings.h"
#include "dct/entropy/cabac.h"
#include "dct/rd/quadtree.h"
#include "warps.cuh"

namespace {

constexpr int kSubBlocks = BDCT_CABAC_SEGMENT / 16; /* of a segment */
constexpr int kPacks = 8;

/* The same of a segment of trees, at most. */
constexpr int kTreeSubBlocks = BDCT_QUADTREE_SEGMENT * BDCT_QUADTREE_SIDE
    * BDCT_QUADTREE_SIDE / 16;
constexpr int kTreePacks = 12;

/* The first contexts of luma and of chroma */
struct Contexts
{
  int cbf, last_x, last_y, sub, sig, greater1, greater2;
};

__host__ __device__ constexpr Contexts
find_contexts (bool chroma)
{
  return chroma ? Contexts { BDCT_CABAC_CHROMA_CBF, BDCT_CABAC_CHROMA_LAST_X,
    BDCT_CABAC_CHROMA_LAST_Y, BDCT_CABAC_CHROMA_SUB_BLOCK,
    BDCT_CABAC_CHROMA_SIG, BDCT_CABAC_CHROMA_GREATER1,
    BDCT_CABAC_CHROMA_GREATER2 }
      : Contexts { BDCT_CABAC_LUMA_CBF, BDCT_CABAC_LUMA_LAST_X,
    BDCT_CABAC_LUMA_LAST_Y, BDCT_CABAC_LUMA_SUB_BLOCK, BDCT_CABAC_LUMA_SIG,
    BDCT_CABAC_LUMA_GREATER1, BDCT_CABAC_LUMA_GREATER2 };
}

/* The most flags of a sub-block's significance with a digit of
 * BdctCabacSubBlock.pattern: of 4x4 blocks, of larger ones. */
__host__ __device__ constexpr int
small_digit (int d)
{
  return d < 4 ? 1 : d < 8 ? 2 : 3;
}

__host__ __device__ constexpr int
large_digit (int d)
{
  return d == 0 ? 10 : d == 1 ? 5 : 16;
}

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

/* The streams of a component with blocks of one size, or with trees. The
 * threads of a warp count the bins of their sub-blocks in kPacks words, several
 * streams in each. */
struct Streams
{
  int n = 0, words = 0;         /* streams, and words of all */
  int last_x = 0, n_last = 0, sub = 0, sig = 0, greater1 = 0, greater2 = 0;
  int16_t context[BDCT_CABAC_TREE_STREAMS] = {};
  int16_t word[BDCT_CABAC_TREE_STREAMS] = {}; /* where it begins */
  /* Its count: bits `shift` on of a pack, `width` of them. Pack kPerBlock: it
   * has one bin a block; kLast: it is of the last positions, or of what else is
   * put down by itself. */
  int8_t pack[BDCT_CABAC_TREE_STREAMS] = {};
  int8_t shift[BDCT_CABAC_TREE_STREAMS] = {};
  int8_t width[BDCT_CABAC_TREE_STREAMS] = {};

  static constexpr int kPerBlock = -1, kLast = -2;

  /* `bins`: as many as a segment can have. */
  __host__ __device__ constexpr void
  add (int its_context, int bins, int its_pack, int its_shift, int its_width)
  {
    context[n] = (int16_t) its_context;
    word[n] = (int16_t) words;
    pack[n] = (int8_t) its_pack;
    shift[n] = (int8_t) its_shift;
    width[n] = (int8_t) its_width;
    words += bins / 32 + 1;     /* with room for the 1 behind them */
    n++;
  }

  __host__ __device__ constexpr void
  add_last (const Contexts &c, int log2_size, bool chroma, int blocks)
  {
    const int offset = chroma ? 0 : first_last (log2_size);
    const int log2_bins = last_bins (log2_size, chroma);

    n_last = count_last (log2_size, chroma);
    last_x = n;
    for (int i = 0; i < n_last; i++)
      add (c.last_x + offset + i, blocks << log2_bins, kLast, 0, 0);
    for (int i = 0; i < n_last; i++)
      add (c.last_y + offset + i, blocks << log2_bins, kLast, 0, 0);
  }

  __host__ __device__ constexpr void
  add_sig (const Contexts &c, int log2_size, bool chroma, int blocks)
  {
    const int others = kSubBlocks - blocks;
    const int here = c.sig + (chroma && log2_size > 3 ? 12
        : log2_size == 3 ? 9 : 21);

    sig = n;
    if (log2_size == 2) {
      for (int d = 0; d < 9; d++)
        add (c.sig + d, small_digit (d) * blocks, d < 4 || d == 8 ? 1 : 0,
            d < 4 ? 7 + 6 * d : d == 8 ? 0 : 7 * (d - 4), d < 4 ? 6 : 7);
      return;
    }
    add (c.sig, blocks, 3, 24, 6);
    for (int d = 0; d < 3; d++)
      add (here + d, large_digit (d) * (chroma ? kSubBlocks : blocks),
          chroma ? 0 : 4, 10 * d, 10);
    for (int d = 0; d < 3 && !chroma; d++)
      add (here + 3 + d, large_digit (d) * others, 0, 10 * d, 10);
  }

  __host__ __device__ constexpr void
  add_greater (const Contexts &c, int log2_size, bool chroma, int blocks)
  {
    const bool one = log2_size == 2 || chroma; /* pair of sets */
    const int sets = log2_size == 2 ? 1 : chroma ? 2 : 4;
    const int first = log2_size == 2 ? 2 : chroma ? 1 : 5; /* pack of set 0 */

    greater1 = n;
    for (int s = 0; s < sets; s++) {
      const int subs = one ? kSubBlocks : s < 2 ? blocks : kSubBlocks - blocks;
      const int its = s < 2 ? first + s : s - 1;
      const bool low = !one && s < 2;

      add (c.greater1 + 4 * s, 7 * subs, its, 14, 8);
      add (c.greater1 + 4 * s + 1, subs, low ? 7 : 3,
          log2_size == 2 ? 0 : (low ? 0 : 12) + 6 * (s & 1), 6);
      add (c.greater1 + 4 * s + 2, subs, its, 0, 6);
      add (c.greater1 + 4 * s + 3, 6 * subs, its, 6, 8);
    }
    greater2 = n;
    for (int s = 0; s < sets; s++)
      add (c.greater2 + s, one ? kSubBlocks : s < 2 ? blocks
          : kSubBlocks - blocks, s < 2 ? first + s : s - 1, 22, 6);
  }

  __host__ __device__ constexpr
  Streams (int log2_size, bool chroma)
  {
    const Contexts c = find_contexts (chroma);
    const int blocks = BDCT_CABAC_SEGMENT >> 2 * log2_size;

    add (c.cbf, blocks, kPerBlock, 0, 0);
    add_last (c, log2_size, chroma, blocks);
    sub = n;
    for (int i = 0; i < 2 && log2_size > 2; i++)
      add (c.sub + i, kSubBlocks - blocks, 3, 6 * i, 6);
    add_sig (c, log2_size, chroma, blocks);
    add_greater (c, log2_size, chroma, blocks);
  }

  /* Of trees: stream k is the k-th of the component's contexts. */
  __host__ __device__ constexpr
  Streams (bool chroma)
  {
    const Contexts c = find_contexts (chroma);

    add (c.cbf, kTreeSubBlocks, kLast, 0, 0);
    add_tree_last (c.last_x, chroma);
    add_tree_last (c.last_y, chroma);
    sub = n;
    for (int i = 0; i < 2; i++)
      add (c.sub + i, kTreeSubBlocks, 11, 6 * i, 6);
    add_tree_sig (c.sig, chroma);
    add_tree_greater (c, chroma);
    for (int i = 5; i > 2 && !chroma; i--)
      add (BDCT_CABAC_LUMA_SPLIT + 5 - i, kTreeSubBlocks >> 2 * (i - 2), kLast,
          0, 0);
  }

  /* Chroma's blocks share contexts, with at most a bin a sub-block in each. */
  __host__ __device__ constexpr void
  add_tree_last (int context, bool chroma)
  {
    const int first = n;

    for (int i = 2; i <= 5 && !chroma; i++)
      for (int k = 0; k < count_last (i, false); k++)
        add (context + n - first, kTreeSubBlocks >> 2 * (i - 2)
            << last_bins (i, false), kLast, 0, 0);
    for (int k = 0; k < 3 && chroma; k++)
      add (context + k, kTreeSubBlocks, kLast, 0, 0);
  }

  /* Packs 0 to 3 have those of blocks of 8x8, the first sub-block's and the
   * others', and of larger ones; of chroma, 0 and 2, of all of them. The first
   * stream is the only one that 4x4 blocks share with others. */
  __host__ __device__ constexpr void
  add_tree_sig (int context, bool chroma)
  {
    sig = n;
    for (int d = 0; d < 9; d++)
      add (context + d, small_digit (d) * kTreeSubBlocks,
          d == 0 ? 11 : d < 4 || d == 8 ? 5 : 4, d == 0 ? 12
          : d < 4 ? 7 + 6 * d : d == 8 ? 0 : 7 * (d - 4), d < 4 ? 6 : 7);
    for (int i = 9; i < (chroma ? 15 : 27); i++) {
      const int blocks = kTreeSubBlocks >> (i < 15 ? 2 : 4);
      const bool used = i < 15 || i > 20, dc = i < 12 || (i > 20 && i < 24);

      add (context + i, !used ? 0 : large_digit (i % 3) * (chroma
              ? kTreeSubBlocks : dc ? blocks : kTreeSubBlocks - (i < 15
                  ? blocks : blocks >> 2)), chroma ? (i - 9) / 3 * 2
          : (i < 15 ? 0 : 2) + !dc, 10 * (i % 3), used ? 10 : 0);
    }
  }

  /* Packs 6 on have a set each. */
  __host__ __device__ constexpr void
  add_tree_greater (const Contexts &c, bool chroma)
  {
    const int sets = chroma ? 2 : 4;

    greater1 = n;
    for (int s = 0; s < sets; s++) {
      add (c.greater1 + 4 * s, 7 * kTreeSubBlocks, 6 + s, 14, 8);
      add (c.greater1 + 4 * s + 1, kTreeSubBlocks, 10, 6 * s, 6);
      add (c.greater1 + 4 * s + 2, kTreeSubBlocks, 6 + s, 0, 6);
      add (c.greater1 + 4 * s + 3, 6 * kTreeSubBlocks, 6 + s, 6, 8);
    }
    greater2 = n;
    for (int s = 0; s < sets; s++)
      add (c.greater2 + s, kTreeSubBlocks, 6 + s, 22, 6);
  }
};

template <typename Strings> __host__ __device__ constexpr bool
has_room (const Streams &s)
{
  return s.words * sizeof (uint32_t) <= sizeof Strings::bits
      && s.n <= (int) sizeof Strings::exit;
}

static_assert (has_room<BdctCabacStrings> (Streams (2, false))
    && has_room<BdctCabacStrings> (Streams (2, true))
    && has_room<BdctCabacStrings> (Streams (3, false))
    && has_room<BdctCabacStrings> (Streams (3, true))
    && has_room<BdctCabacStrings> (Streams (4, false))
    && has_room<BdctCabacStrings> (Streams (4, true))
    && has_room<BdctCabacStrings> (Streams (5, false))
    && has_room<BdctCabacStrings> (Streams (5, true))
    && has_room<BdctCabacTreeStrings> (Streams (false))
    && has_room<BdctCabacTreeStrings> (Streams (true)));

/* The same, for what is found at run time: [log2_size - 2][chroma]. */
BDCT_CABAC_TABLE Streams streams_table[4][2] = {
  { Streams (2, false), Streams (2, true) },
  { Streams (3, false), Streams (3, true) },
  { Streams (4, false), Streams (4, true) },
  { Streams (5, false), Streams (5, true) },
};

/* Of trees: [chroma]. */
BDCT_CABAC_TABLE Streams tree_streams_table[2] = { Streams (false),
  Streams (true) };

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

/* The significance of a sub-block's levels by context, that is by digit of
 * BdctCabacSubBlock.pattern: the mask's bits sorted by digit, each digit's in
 * coding order. A mask's halves are looked up by themselves. */
struct Sort
{
  /* No neighbour has levels, the right one, the one below, 4x4; with both the
   * one digit leaves the mask as it is. */
  uint16_t half[4][2][256];
  /* The last one is of both neighbours. How many bits of a digit there are from
   * bit k on: 8 bits a digit in larger blocks; in 4x4 a bit each of the first
   * four digits, and two of the others. */
  uint32_t count[5][17];
};

constexpr Sort
make_sort ()
{
  const uint64_t pattern[5] = { UINT64_C (0x0000000000111112),
    UINT64_C (0x0001002100210212), UINT64_C (0x0000010012012122),
    UINT64_C (0x8885875467436120), UINT64_C (0x2222222222222222) };
  Sort s = {};

  for (int i = 0; i < 5; i++) {
    int to[16] = {}, n = 0;

    for (int d = 0; d < 9; d++)
      for (int p = 0; p < 16; p++)
        if ((int) (pattern[i] >> 4 * (15 - p) & 15) == d)
          to[p] = n++;
    for (int h = 0; h < 2 && i < 4; h++)
      for (int v = 0; v < 256; v++)
        for (int b = 0; b < 8; b++)
          if (v >> b & 1)
            s.half[i][h][v] = (uint16_t) (s.half[i][h][v] | 1 << to[8 * h + b]);
    /* In 4x4 the last place has no flag: its level is a block's last one. */
    for (int k = 0; k <= 16; k++)
      for (int p = i == 3 && k == 0 ? 1 : k; p < 16; p++) {
        const int d = (int) (pattern[i] >> 4 * (15 - p) & 15);

        s.count[i][k] += 1u << (i != 3 ? 8 * d : d < 4 ? d : 2 * d - 4);
      }
  }
  return s;
}

BDCT_CABAC_TABLE Sort sort_table = make_sort ();

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

/* bdct_cabac_remaining(), without a branch; anything for what is below 0. */
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

  /* bdct_cabac_remaining() */
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

/* sig_coeff_flag of a sub-block of a block larger than 4x4: by digit, and the
 * one with a context of its own, the block's first. */
struct Significant
{
  Some digit[3], first;
};

/* `neighbours`: 1 if the right one has levels, 2 if the one below does.
 * `last`: it has the block's last level; `coded`: it has flags at all. */
BDCT_INLINE Significant
find_significant (const Sort &sort, uint32_t nonzero, int neighbours, bool dc,
    bool last, bool coded)
{
  const bool both = neighbours == 3;
  const int from = last ? __ffs ((int) nonzero) : 0;
  const uint32_t count = coded ? sort.count[both ? 4 : neighbours][from] : 0;
  const uint32_t sorted = both ? nonzero
      : (uint32_t) sort.half[neighbours][0][nonzero & 255]
      | sort.half[neighbours][1][nonzero >> 8];
  const int size0 = both ? 0 : neighbours == 0 ? 10 : 8;
  const int size1 = both ? 0 : neighbours == 0 ? 5 : 4;
  const int n0 = (int) (count & 255), n1 = (int) (count >> 8 & 255);
  const int n2 = (int) (count >> 16);
  const bool has_first = coded && from < 16;
  /* The first place has a context of its own, or its level is inferred. */
  const bool apart = has_first && (dc || (!last && nonzero == 0x8000));
  Significant r;

  r.digit[0] = { sorted >> (size0 - n0) & ((1u << n0) - 1), n0 };
  r.digit[1] = { sorted >> (size0 + size1 - n1) & ((1u << n1) - 1), n1 };
  r.digit[2] = { sorted >> (16 - n2) & ((1u << (n2 - apart)) - 1),
    n2 - apart };
  r.first = { dc && has_first ? nonzero >> 15 : 0, dc && has_first };
  return r;
}

/* Those of a 4x4 block, of one digit, from what Sort has of it. */
BDCT_INLINE uint32_t
find_significant_4 (uint32_t sorted, uint32_t count, int digit)
{
  const int at = digit < 4 ? digit : 2 * digit - 4;
  const int size = digit < 4 ? 1 : digit < 8 ? 2 : 4;
  const int n = (int) (count >> at & (digit < 4 ? 1 : 3));

  return sorted >> (at + size - n) & ((1u << n) - 1);
}

/* The prefix of a last position, and the bins of its suffix */
BDCT_INLINE int
last_prefix (int position)
{
  const int log2 = position < 4 ? 0 : bdct_cabac_log2 (position);

  return position < 4 ? position : 2 * log2 + (position >> (log2 - 1) & 1);
}

BDCT_INLINE int
last_suffix (int position)
{
  return position < 4 ? 0 : bdct_cabac_log2 (position) - 1;
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
