/* blockdct: the choice of a 4x4 sub-block's levels by rate and distortion, one
 * after the other, in a given context (dct/rd/rdoq.h; rdoq.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_RDOQ_LEVELS_CUH
#define BDCT_RDOQ_LEVELS_CUH

#include "dct/entropy/cabac.h"
#include "dct/rd/rdoq.h"
#include "warps.cuh"

namespace {

/* The position of a sub-block, and the numbers of its neighbours in coding
 * order, where the last one is 0; kNowhere: it has none. */
struct Position
{
  uint8_t x, y, right, below;
};

constexpr uint8_t kNowhere = 255;

/* How CABAC codes the next level of a sub-block: with greater1's context 1, 2
 * or 3; from GREATER on after a level above 1, by Rice parameter; and from
 * FLAGLESS on after 8 levels, likewise. */
enum Coding { CODING_FIRST, CODING_THIRD = 2, CODING_GREATER,
  CODING_FLAGLESS = CODING_GREATER + 5, N_CODINGS = CODING_FLAGLESS + 5 };

/* Levels from here on are not in a table. */
constexpr int kManyLevels = 16;

/* A component's numbers. Rates are in 2^-15 bit. */
struct alignas (16) Constants
{
  /* [4 dc + 2 below + right][place]: the rate of zeros at all places below it,
   * and what the flag of a level takes more than that of a zero. */
  uint2 significance[8][16];
  /* [2 dc + greater][coding][level]: rate without significance flag; entry 0:
   * of a large one without its remainder */
  uint32_t level[4][N_CODINGS][kManyLevels];
  uint32_t zeros[8];            /* of 16 zeros; as significance */
  uint32_t sub_block[2][2];     /* [a neighbour has levels][flag] */
  uint32_t block[2];            /* the coded block flag */
  uint32_t last[2][BDCT_QUADTREE_SIDE];
  int2 quantizer[65];           /* quant, dequant; 64: of frequency (0, 0) */
  /* The least magnitudes that have a nearest level above 0, and from bit 16 on
   * a plain one; a plain one above 1 */
  uint2 threshold[65];
  Position position[64];
  int32_t lambda, scale;        /* of rates, and of squared errors */
  int32_t quant_bits, quant_half, quant_add;
  int32_t dequant_bits, dequant_half;
};

/* A key is the number of a sub-block's context: bits 0 and 1 say that the
 * neighbours to the right and below have levels, bit 2 that the sub-block
 * before has some above 1; bits 3 and up are 1 + the place of the block's last
 * level if it is in this one. */
constexpr int kNoKey = 255;

BDCT_INLINE int
highest (uint32_t v)
{
  return 31 - __clz ((int) v);
}

BDCT_INLINE int
highest (uint64_t v)
{
  const uint32_t high = (uint32_t) (v >> 32);

  return high != 0 ? 32 + highest (high) : highest ((uint32_t) v);
}

BDCT_INLINE int
lowest (uint32_t v)
{
  return __ffs ((int) v) - 1;
}

BDCT_INLINE int
lowest (uint64_t v)
{
  return (uint32_t) v != 0 ? lowest ((uint32_t) v)
      : 32 + lowest ((uint32_t) (v >> 32));
}

BDCT_INLINE int
place_of (int i)
{
  return (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
}

/* Whether one of the first 8 levels is above 1. */
BDCT_INLINE bool
is_greater (uint32_t coded)
{
  const uint32_t above = coded >> 16;

  return above != 0
      && __popc ((coded & 0xffff) >> highest (above) >> 1) < 8;
}

/* A quantizer at work on one coefficient. */
struct Coefficient
{
  int magnitude, negative, dequant;
  int64_t scaled;

  BDCT_INLINE
  Coefficient (int c, int2 quantizer)
    : magnitude (c < 0 ? -c : c), negative (c < 0), dequant (quantizer.y),
      scaled ((int64_t) magnitude * quantizer.x)
  {
  }

  BDCT_INLINE int
  quantize (const Constants &k, int32_t add) const
  {
    const int level = (int) ((scaled + add) >> k.quant_bits);

    return level < INT16_MAX ? level : INT16_MAX;
  }

  BDCT_INLINE int
  nearest (const Constants &k) const
  {
    return quantize (k, k.quant_half);
  }

  /* A level's squared error less that of 0. As levels are at most the nearest
   * ones, all fits: without the clip, a dequantized level is at most the
   * coefficient and half a step. */
  BDCT_INLINE int
  difference (const Constants &k, int level) const
  {
    const int d = (level * dequant + k.dequant_half - negative)
        >> k.dequant_bits;
    const int limit = INT16_MAX + negative;
    const int clipped = d < limit ? d : limit;

    return clipped * (clipped - 2 * magnitude);
  }
};

/* The state of CABAC's coding of a sub-block's levels, as
 * bdct_cabac_sub_block() has it. */
struct Coder
{
  const uint32_t (*rates)[kManyLevels]; /* by coding */
  int coding = CODING_FIRST, n = 0, rice = 0;

  BDCT_INLINE
  Coder (const uint32_t (*rates)[kManyLevels]) : rates (rates)
  {
  }

  /* Of a level below kManyLevels, or of any one. */
  BDCT_INLINE int
  price (int level) const
  {
    return (int) rates[coding][level];
  }

  BDCT_INLINE int
  price_any (int level) const
  {
    const int base = coding < CODING_GREATER ? 3
        : coding < CODING_FLAGLESS ? 2 : 1;

    return level < kManyLevels ? price (level) : (int) (rates[coding][0]
        + ((uint32_t) bdct_cabac_remaining (level - base, rice)
            << BDCT_CABAC_COST_BITS));
  }

  BDCT_INLINE void
  advance (int level)
  {
    const int next = coding + (level == 1 && coding < CODING_THIRD);

    rice += rice < 4 && level > 3 << rice;
    n++;
    coding = n >= 8 ? CODING_FLAGLESS + rice
        : level > 1 ? CODING_GREATER + rice : next;
  }
};

/* What a sub-block's context says of its flags. */
struct Flags
{
  const uint2 *significance;    /* see Constants */
  int from;                     /* place of the block's last level; -1: it is
                                   not in this sub-block */
  bool flagged;                 /* the sub-block has a flag */
  int inferred;                 /* what a level whose flag that one implies
                                   takes more than a zero */
  uint32_t base;                /* rate of its flag, and of zeros at all places
                                   below the last level's */

  BDCT_INLINE
  Flags (const Constants &k, int key, bool dc)
    : significance (k.significance[4 * dc + (key & 3)]), from ((key >> 3) - 1),
      flagged (!dc && from < 0), inferred (-(int) significance[1].x)
  {
    base = (flagged ? k.sub_block[(key & 3) != 0][1] : 0)
        + (from < 0 ? k.zeros[4 * dc + (key & 3)] : significance[from].x);
  }

  /* Whether the level at place i has a flag of its own. */
  BDCT_INLINE bool
  has_flag (int i, bool any) const
  {
    return i != from && (i > 0 || any || !flagged);
  }

  /* What a level takes more than a zero besides its price. */
  BDCT_INLINE int
  rate (uint2 entry, int i, bool has_flag) const
  {
    return has_flag ? (int) entry.y : i == from ? 0 : inferred;
  }
};

/* The index into the tables of place `place` of the scan's i-th, in a block of
 * side 2^LOG2. */
template <int LOG2> BDCT_INLINE int
index_of (Position p, int place, int i, bool dc)
{
  constexpr int shift = LOG2 > 3 ? LOG2 - 3 : 0;

  return dc && i == 0 ? 64 : (p.y << (5 - shift)) + (p.x << (2 - shift))
      + (place >> 2 >> shift << 3) + ((place & 3) >> shift);
}

/* The levels chosen of a sub-block. */
struct Choice
{
  uint32_t coded;               /* places that have one, and from bit 16 on
                                   those that have one above 1 */
  uint32_t lower;               /* those of lower ones, and from bit 16 on of
                                   the levels priced */
  /* Costs: of these levels; with the last level at last_place, of its position
   * less those of all before it; and of the levels priced */
  int64_t cost, last, price;
  int last_place;
};

/* Levels that are priced as others are chosen. */
struct Priced
{
  uint32_t levels;              /* places that have one, and from bit 16 on
                                   those of lower ones */
  int key;
};

/* A lane's coefficients: of two places in a row, then the next lane's. */
typedef int16_t Coefficients[32][2];

/* Choose a sub-block's levels, of the places that are `candidates`, and price
 * others if `prices`: `plain` ones are the plain quantizer's. */
template <int LOG2> BDCT_INLINE Choice
choose_levels (const Constants &k, Position p, bool dc, int key,
    uint32_t candidates, const Coefficients *coefficients, bool prices,
    bool plain, Priced priced)
{
  const Flags flags (k, key, dc), price (k, priced.key, dc);
  uint32_t left = candidates;
  Coder coder (k.level[2 * dc + (key >> 2 & 1)]);
  Coder pricer (k.level[2 * dc + (priced.key >> 2 & 1)]);
  Choice r = { 0, 0, 0, INT64_MAX, 0, 0 };

  if (flags.from >= 0)
    left &= (2u << flags.from) - 1;
  while (left != 0) {
    const int i = highest (left), place = place_of (i);
    const Coefficient c (coefficients[place >> 1][0][place & 1],
        k.quantizer[index_of<LOG2> (p, place, i, dc)]);
    const int high = c.nearest (k);
    const int64_t high_error = add_product (0, c.difference (k, high), k.scale);
    const int64_t low_error = add_product (0, c.difference (k, high - 1),
        k.scale);
    const int its = plain ? c.quantize (k, k.quant_add)
        : high - (int) (priced.levels >> (16 + i) & 1);
    int high_price, low_price, its_price = 0;

    left ^= 1u << i;
    if (high < kManyLevels) {
      high_price = coder.price (high);
      low_price = coder.price (high - 1);
      if (prices)
        its_price = pricer.price (its);
    } else {
      high_price = coder.price_any (high);
      low_price = coder.price_any (high - 1);
      if (prices)
        its_price = pricer.price_any (its);
    }
    if (prices && (priced.levels >> i & 1)) {
      const bool has_flag = price.has_flag (i, pricer.n > 0);

      r.price = add_product (r.price + (its < high ? low_error : high_error),
          k.lambda, price.rate (price.significance[i], i, has_flag)
          + its_price);
      r.lower |= (uint32_t) (its < high) << (16 + i);
      pricer.advance (its);
    }

    const uint2 entry = flags.significance[i];
    const bool has_flag = flags.has_flag (i, coder.n > 0);
    const int rate = flags.rate (entry, i, has_flag);
    const int64_t high_cost = add_product (high_error, k.lambda,
        rate + high_price);
    const int64_t low_cost = add_product (low_error, k.lambda,
        rate + low_price);
    const bool is_low = high > 1 && (!has_flag || low_cost < 0);
    const bool is_high = is_low ? high_cost < low_cost
        : !has_flag || high_cost < 0;

    if (is_low || is_high) {
      const int level = is_high ? high : high - 1;
      const int64_t end = add_product (-r.cost, k.lambda,
          (int) (k.last[0][4 * p.x + (place & 3)]
              + k.last[1][4 * p.y + (place >> 2)] + entry.x - flags.base
              - rate));

      if (end < r.last) {
        r.last = end;
        r.last_place = i;
      }
      r.cost += is_high ? high_cost : low_cost;
      r.coded |= (level > 1 ? 0x10001u : 1u) << i;
      r.lower |= (uint32_t) (level < high) << i;
      coder.advance (level);
    }
  }
  r.cost = add_product (r.cost, k.lambda, (int) flags.base);
  r.price = add_product (r.price, k.lambda, (int) price.base);
  if (flags.flagged && add_product (0, k.lambda,
          (int) k.sub_block[(key & 3) != 0][0]) <= r.cost) {
    r.coded = 0;
    r.lower &= 0xffff0000;
  }
  return r;
}

} // namespace

#endif
