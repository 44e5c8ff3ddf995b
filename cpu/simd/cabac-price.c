/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The price of blocks' bins (cabac-prices.h) from masks of sub-blocks' levels
 * in the order of the scan: bit i for place i. Built once for each instruction
 * set; BDCT_ISA names the object. */
#include "cabac-price.h"

#include <string.h>
#ifdef __SSSE3__
#include <immintrin.h>
#endif

/* Magnitudes of a byte are exact below this. */
#define LARGE 127

/* A sub-block: which of its levels are not 0, and which are above 1; and their
 * magnitudes from [1] on in the order of the scan. */
typedef struct {
  uint8_t magnitude[17];
  uint32_t some, above;
  const BdctLevel *levels;
  int log2_size;
} SubBlock;

static inline int
count_ones (uint32_t mask)
{
#ifdef __POPCNT__
  return __builtin_popcount (mask);
#else
  mask -= mask >> 1 & 0x5555;
  mask = (mask & 0x3333) + (mask >> 2 & 0x3333);
  mask = (mask + (mask >> 4)) & 0x0f0f;
  return (mask + (mask >> 8)) & 31;
#endif
}

static inline uint64_t
load_row (const BdctLevel * levels)
{
  uint64_t row;

  memcpy (&row, levels, sizeof row);
  return row;
}

static inline __attribute__ ((always_inline)) void
find_levels (SubBlock * s, const BdctLevel * levels, const int log2_size)
{
  const BdctLevel *row[4] = { levels, levels + (1 << log2_size),
    levels + (2 << log2_size), levels + (3 << log2_size)
  };

  s->levels = levels;
  s->log2_size = log2_size;
  s->magnitude[0] = 1;
#ifdef __SSSE3__
  {
    const __m128i scan = _mm_setr_epi8 (0, 4, 1, 8, 5, 2, 12, 9, 6, 3, 13, 10,
        7, 14, 11, 15);
    const __m128i upper = _mm_set_epi64x ((int64_t) load_row (row[1]),
        (int64_t) load_row (row[0]));
    const __m128i lower = _mm_set_epi64x ((int64_t) load_row (row[3]),
        (int64_t) load_row (row[2]));
    const __m128i magnitude = _mm_shuffle_epi8 (_mm_abs_epi8 (_mm_packs_epi16
            (upper, lower)), scan);

    _mm_storeu_si128 ((__m128i *) (s->magnitude + 1), magnitude);
    s->some = _mm_movemask_epi8 (_mm_cmpeq_epi8 (magnitude,
            _mm_setzero_si128 ())) ^ 0xffff;
    s->above = _mm_movemask_epi8 (_mm_cmpeq_epi8 (magnitude,
            _mm_max_epu8 (magnitude, _mm_set1_epi8 (2))));
  }
#else
  s->some = s->above = 0;
  for (int i = 0; i < 16; i++) {
    const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
    const int level = row[place >> 2][place & 3];
    const int magnitude = level < 0 ? -level : level;

    s->some |= (uint32_t) (magnitude > 0) << i;
    s->above |= (uint32_t) (magnitude > 1) << i;
    s->magnitude[i + 1] = (uint8_t) (magnitude < LARGE ? magnitude : LARGE);
  }
#endif
}

/* The sub-blocks that have a level other than 0, as bits 8 y + x. */
static inline __attribute__ ((always_inline)) uint64_t
find_sub_blocks (const BdctLevel * levels, const int log2_size)
{
#ifdef __SSE4_1__
  const int row = 1 << log2_size;
  uint64_t coded = 0;

  for (int y = 0; y < row / 4; y++)
    for (int x = 0; x < row; x += 8) {
      __m128i some = _mm_setzero_si128 ();

      for (int i = 0; i < 4; i++)
        some = _mm_or_si128 (some, _mm_loadu_si128 ((const __m128i *)
                (levels + (4 * y + i) * row + x)));
      some = _mm_cmpeq_epi64 (some, _mm_setzero_si128 ());
      coded |= (uint64_t) (_mm_movemask_pd (_mm_castsi128_pd (some)) ^ 3)
          << (8 * y + x / 4);
    }
  return coded;
#else
  return bdct_cabac_sub_blocks (levels, log2_size);
#endif
}

/* Of place `next` - 1; 1 of none. */
static inline int
magnitude_before (const SubBlock * s, int next)
{
  int level = s->magnitude[next], place;

  if (__builtin_expect (level < LARGE, 1))
    return level;
  place = (int) (BDCT_CABAC_SCAN >> 4 * (next - 1) & 15);
  level = s->levels[((place >> 2) << s->log2_size) + (place & 3)];
  return level < 0 ? -level : level;
}

/* The bypass bins of a remainder: of `base` and more. */
static inline uint32_t
count_remainder (const BdctCabacPrices * prices, int magnitude, int base,
    int rice)
{
  if (__builtin_expect (magnitude < BDCT_CABAC_SMALL, 1))
    return prices->remainder[base - 1][rice][magnitude];
  return (uint32_t) bdct_cabac_remaining (magnitude - base, rice);
}

/* Those of levels, the highest place first, of which `with_flag` have a flag
 * for whether they are above 1. */
static inline uint32_t
count_remainders (const BdctCabacPrices * prices, const SubBlock * s,
    uint32_t mask, int with_flag, int rice)
{
  uint32_t bins = 0;

  for (; mask != 0; with_flag--) {
    const int i = bdct_cabac_log2 (mask);
    const int magnitude = magnitude_before (s, i + 1);

    mask ^= 1u << i;
    bins += count_remainder (prices, magnitude, with_flag > 0 ? 2 : 1, rice);
    rice += rice < 4 && magnitude > 3 << rice;
  }
  return bins;
}

/* The highest n bits of a mask, or all. */
static inline uint32_t
keep_highest (uint32_t mask, int n_bits, int n)
{
  for (; n_bits > n; n_bits--)
    mask &= mask - 1;
  return mask;
}

/* The flags of levels above 1 and 2, and the remainders. `greater`: whether a
 * level with a flag is above 1. What most sub-blocks have is without branches,
 * as these would be guessed wrongly. */
static inline __attribute__ ((always_inline)) uint32_t
price_magnitudes (const BdctCabacPrices * prices, int set, const SubBlock * s,
    bool * greater)
{
  /* The first level above 1 is before place `next`, 0 if there is none. */
  const int next = bdct_cabac_log2 (s->above << 1 | 1);
  const int before = count_ones (s->some >> next);
  const int magnitude = magnitude_before (s, next);
  const int kind = (magnitude > 1) + (magnitude > 2);
  const uint32_t rest = s->some & ((1u << next) - 1) >> 1;
  const int left = count_ones (rest), n = before + (next > 0) + left;
  uint32_t with_flag = rest, cost = prices->flags[set][before][kind], bins;
  int n_more;

  if (__builtin_expect (n > 8, 0)) {
    *greater = kind > 0 && before < 8;
    if (!*greater)
      return cost + (count_remainders (prices, s, s->some
              ^ keep_highest (s->some, n, 8), 0, 0) << BDCT_CABAC_COST_BITS);
    with_flag = keep_highest (rest, left, 7 - before);
    bins = count_remainders (prices, s, rest, 7 - before, magnitude > 3);
  } else {
    *greater = kind > 0;
    bins = count_remainders (prices, s, rest & s->above, 8, magnitude > 3);
  }
  bins += count_remainder (prices, magnitude, 3, 0);
  n_more = count_ones (with_flag & s->above);
  return cost
      + (uint32_t) (count_ones (with_flag) - n_more) * prices->more[set][0]
      + (uint32_t) n_more * prices->more[set][1]
      + (bins << BDCT_CABAC_COST_BITS);
}

static inline uint32_t
price_some (const BdctCabacSignificance * s, uint32_t some)
{
  return s->some[0][some & 15] + s->some[1][some >> 4 & 15]
      + s->some[2][some >> 8 & 15] + s->some[3][some >> 12];
}

/* The flags of a sub-block that has the last level, and that level's place. */
static inline uint32_t
price_last (const BdctCabacPrices * prices, const BdctCabacSignificance * s,
    uint32_t some, int number)
{
  const int n = bdct_cabac_log2 (some);
  const int place = (int) (BDCT_CABAC_SCAN >> 4 * n & 15);

  return s->zeros[n] + price_some (s, some ^ 1u << n)
      + prices->last[0][4 * (number & 7) + (place & 3)]
      + prices->last[1][4 * (number >> 3) + (place >> 2)];
}

static inline __attribute__ ((always_inline)) uint32_t
price_4x4 (const BdctCabacPrices * prices, const BdctLevel * levels)
{
  SubBlock s;
  bool greater;

  find_levels (&s, levels, 2);
  return prices->coded[1]
      + price_last (prices, &prices->significance[1][0], s.some, 0)
      + price_magnitudes (prices, 0, &s, &greater);
}

/* The flags of the sub-blocks before the one with the last level. */
static inline uint32_t
price_sub_block_flags (const BdctCabacPrices * prices, uint64_t before,
    uint64_t coded, uint64_t beside)
{
  uint32_t cost = 0;

  for (int k = 0; k < 2; k++) {
    const uint64_t some = before & (k ? beside : ~beside);
    const int n = __builtin_popcountll (some);
    const int n_coded = __builtin_popcountll (some & coded);

    cost += (uint32_t) (n - n_coded) * prices->sub_block[k][0]
        + (uint32_t) n_coded * prices->sub_block[k][1];
  }
  return cost;
}

static inline __attribute__ ((always_inline)) uint32_t
price_block (const BdctCabacPrices * prices, const BdctLevel * levels,
    const int log2_size)
{
  const uint64_t coded = find_sub_blocks (levels, log2_size);
  const uint64_t right = coded >> 1 & UINT64_C (0x7f7f7f7f7f7f7f7f);
  const uint64_t below = coded >> 8;
  uint64_t ordered = 0;
  uint32_t cost;
  bool last = true, greater = false;

  for (uint64_t left = coded; left != 0; left &= left - 1)
    ordered |= UINT64_C (1) << prices->order[__builtin_ctzll (left)];
  cost = prices->coded[1] + price_sub_block_flags (prices,
      prices->before[63 - __builtin_clzll (ordered)], coded, right | below);
  for (ordered |= 1; ordered != 0; last = false) {
    const int i = 63 - __builtin_clzll (ordered), number = prices->number[i];
    const BdctCabacSignificance *significance =
        &prices->significance[i == 0][(right >> number & 1)
        + 2 * (below >> number & 1)];
    SubBlock s;

    ordered ^= UINT64_C (1) << i;
    find_levels (&s, levels
        + ((((number >> 3) << log2_size) + (number & 7)) << 2), log2_size);
    if (last)
      cost += price_last (prices, significance, s.some, number);
    else
      cost += significance->zeros[16] + price_some (significance, s.some)
          - significance->inferred[s.some == 1];
    cost += price_magnitudes (prices, (i == 0 ? 0 : prices->set) + greater, &s,
        &greater);
  }
  return cost;
}

static inline __attribute__ ((always_inline)) void
price_all (const BdctCabacPrices * prices, const BdctLevel * levels,
    const BdctBlockRecord * records, int n_blocks, const int log2_size,
    uint32_t * rates)
{
  for (int i = 0; i < n_blocks; i++)
    rates[i] = records[i].nonzero == 0 ? prices->coded[0]
        : log2_size == 2 ? price_4x4 (prices, levels + 16 * (size_t) i)
        : price_block (prices, levels + ((size_t) i << 2 * log2_size),
        log2_size);
}

static void
price_blocks (const BdctCabacPrices * prices, const BdctLevel * levels,
    const BdctBlockRecord * records, int n_blocks, int log2_size,
    uint32_t * rates)
{
  switch (log2_size) {
    case 2:
      price_all (prices, levels, records, n_blocks, 2, rates);
      break;
    case 3:
      price_all (prices, levels, records, n_blocks, 3, rates);
      break;
    case 4:
      price_all (prices, levels, records, n_blocks, 4, rates);
      break;
    default:
      price_all (prices, levels, records, n_blocks, 5, rates);
      break;
  }
}

const BdctCabacPriceFunc BDCT_CONCAT (bdct_cabac_price_, BDCT_ISA) =
    price_blocks;
