/* blockdct: single blocks in 16-bit lanes: quantizers, records and levels. For
 * tile16.c.
 *
 * This file converts between the order of coefficients (passes16.h) and that of
 * blocks. `size` is a block's side, `bytes` are a sample's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_BLOCKS16_H
#define BDCT_BLOCKS16_H

#include <string.h>
#include "passes16.h"
#include "quantize16.h"

/* The index in its unit of block `i` of a lane. With 2-byte samples, two
 * vectors adjacent in memory become one of coefficients, so that a lane has the
 * blocks of two lanes. */
BDCT_FORCE_INLINE int
block_of (int size, int bytes, int lane, int i)
{
  const int at = i * size;

  return size > 8 ? lane : bytes == 1 ? (16 * lane + at) / size
      : (at / 8 * 8 * LANES + 8 * lane + at % 8) / size;
}

/* A mask of the elements of the unit's blocks with a quantizer. */
static V
mask_of (int size, int bytes, const uint8_t * quantizers, int n_blocks,
    int quantizer)
{
  int16_t mask[8 * LANES];

  for (int i = 0; i < 8 * LANES; i++) {
    int of_lane = size == 4 ? i % 8 / 2 : size == 8 ? i / 2 % 2 : 0;
    int block = block_of (size, bytes, i / 8, of_lane);

    mask[i] = -(block < n_blocks
        && (quantizers ? quantizers[block] : 0) == quantizer);
  }
  return load (mask);
}

/* Write the records of a unit's blocks one by one; `count` has the counts in
 * 32-bit elements. The sums of errors are in the order of samples. */
static void
put_each_record (int size, int bytes, const Sums * sums, V count,
    BdctBlockRecord * to)
{
  uint32_t value[4 * LANES], error[2][4 * LANES];
  uint64_t sum[2 * LANES] = { 0 };

  store (value, count);
  store (error[0], sums->sse[0]);
  store (error[1], sums->sse[1]);
  for (int h = 0; h < (size == 32 ? 2 : 1); h++)
    for (int i = 0; i < 4 * LANES; i++)
      sum[(bytes == 1 ? 16 * (h * LANES + i / 4) + i % 4 * 4
            : 8 * ((2 * h + i % 4 / 2) * LANES + i / 4) + i % 2 * 4) / size]
          += error[h][i];
  for (int i = 0; i < UNIT (size) / size; i++) {
    const uint32_t *of = value + 4 * (i % LANES);

    to[i].sse = sum[i] < UINT32_MAX ? sum[i] : UINT32_MAX;
    to[i].nonzero = size == 8 ? of[i / LANES] : of[0] + of[1] + of[2] + of[3];
    to[i].reserved = 0;
  }
}

/* Write the records of a unit's blocks. */
static void
put_records (int size, int bytes, const Sums * sums, BdctBlockRecord * to)
{
  V n = madd16 (sums->count, set16 (1)), sse = sums->sse[0], a, b;

  if (size == 8)                /* the lane's blocks b and c, as b c b c */
    n = add32 (n, high64 (n, n));
  if (size == 4) {              /* an element is a block */
    a = low32 (sse, n);
    b = high32 (sse, n);
    if (bytes == 1)
      join (&a, &b, a, b);
    store (to, a);
    store (to + 2 * LANES, b);
  } else if (size == 8 && bytes == 1) {
    store (to, low32 (pairsum32 (sse, sse), n));
  } else {
    put_each_record (size, bytes, sums, n, to);
  }
}

/* Store 8 levels, from level `first` on, of block `i` of each lane. */
BDCT_FORCE_INLINE void
put_lanes (const int size, int bytes, BdctLevel * to, int i, int first, V v)
{
  const int block = block_of (size, bytes, 0, i);
  const int step = block_of (size, bytes, 1, i) - block;

  store_lanes ((uint8_t *) (to + block * size * size + first),
      step * size * size * (int) sizeof *to, v);
}

static void
put_levels_4 (int bytes, BdctLevel * to, const V * v)
{
  for (int h = 0; h < 2; h++) {
    const V a = low16 (v[h], v[2 + h]), b = high16 (v[h], v[2 + h]);
    const V c = low16 (v[4 + h], v[6 + h]), d = high16 (v[4 + h], v[6 + h]);

    put_lanes (4, bytes, to, 0, 8 * h, low32 (a, c));
    put_lanes (4, bytes, to, 1, 8 * h, high32 (a, c));
    put_lanes (4, bytes, to, 2, 8 * h, low32 (b, d));
    put_lanes (4, bytes, to, 3, 8 * h, high32 (b, d));
  }
}

static void
put_levels_8 (int bytes, BdctLevel * to, const V * v)
{
  for (int y = 0; y < 8; y++) {
    V a = shuffle8 (v[y], WORDS (0, 4, 1, 5, 2, 6, 3, 7));
    V b = shuffle8 (v[8 + y], WORDS (0, 1, 4, 5, 2, 3, 6, 7));

    put_lanes (8, bytes, to, 0, 8 * y, low16 (a, b));
    put_lanes (8, bytes, to, 1, 8 * y, high16 (a, b));
  }
}

static void
put_levels_16 (int bytes, BdctLevel * to, const V * v)
{
  for (int y = 0; y < 16; y++) {
    V even = shuffle8 (v[y], WORDS (0, 4, 2, 5, 1, 6, 3, 7));

    put_lanes (16, bytes, to, 0, 16 * y, low16 (even, v[16 + y]));
    put_lanes (16, bytes, to, 0, 16 * y + 8, high16 (even, v[16 + y]));
  }
}

static void
put_levels_32 (int bytes, BdctLevel * to, const V * v)
{
  for (int y = 0; y < 32; y++) {
    V a = shuffle8 (v[y], WORDS (0, 4, 2, 5, 1, 6, 3, 7));
    V low = low16 (a, v[32 + y]), high = high16 (a, v[32 + y]);

    put_lanes (32, bytes, to, 0, 32 * y, low16 (low, v[64 + y]));
    put_lanes (32, bytes, to, 0, 32 * y + 8, high16 (low, v[64 + y]));
    put_lanes (32, bytes, to, 0, 32 * y + 16, low16 (high, v[96 + y]));
    put_lanes (32, bytes, to, 0, 32 * y + 24, high16 (high, v[96 + y]));
  }
}

/* Store the levels of `n_blocks` blocks of consecutive units. Those of a unit
 * that is not whole go through `some`, as long as BDCT_TILE16_VECTORS. */
static void
put_levels (int size, int bytes, const V * levels, int n_blocks,
    BdctLevel * some, BdctLevel * to)
{
  static void (*const all[]) (int bytes, BdctLevel * to, const V * v) = {
    put_levels_4, put_levels_8, put_levels_16, put_levels_32
  };
  const int unit = UNIT (size) / size, block = size * size;

  for (; n_blocks > 0; n_blocks -= unit, to += unit * block) {
    all[__builtin_ctz (size) - 2] (bytes, n_blocks < unit ? some : to, levels);
    if (n_blocks < unit)
      memcpy (to, some, n_blocks * block * sizeof *to);
    levels += unit * block / (8 * LANES);
  }
}

/* The reverse of put_lanes(). */
BDCT_FORCE_INLINE V
get_lanes (const int size, int bytes, const BdctLevel * from, int i, int first)
{
  const int block = block_of (size, bytes, 0, i);
  const int step = block_of (size, bytes, 1, i) - block;

  return load_lanes ((const uint8_t *) (from + block * size * size + first),
      step * size * size * (int) sizeof *from);
}

static void
get_levels_4 (int bytes, const BdctLevel * from, V * v)
{
  for (int h = 0; h < 2; h++) {
    V x[4];

    BDCT_UNROLL for (int i = 0; i < 4; i++)
      x[i] = shuffle8 (get_lanes (4, bytes, from, i, 8 * h),
          WORDS (0, 4, 1, 5, 2, 6, 3, 7));
    transpose (x);
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      v[2 * i + h] = x[i];
  }
}

/* The order of eight frequencies, all or the even ones (tile16-tables.h). */
#define CLASSES WORDS (0, 4, 2, 6, 1, 3, 5, 7)

static void
get_levels_8 (int bytes, const BdctLevel * from, V * v)
{
  for (int y = 0; y < 8; y++) {
    const V a = shuffle8 (get_lanes (8, bytes, from, 0, 8 * y), CLASSES);
    const V b = shuffle8 (get_lanes (8, bytes, from, 1, 8 * y), CLASSES);

    v[y] = low32 (a, b);
    v[8 + y] = high32 (a, b);
  }
}

/* Part even and odd frequencies. */
BDCT_FORCE_INLINE void
part (V * even, V * odd, V a, V b)
{
  const V order = WORDS (0, 2, 4, 6, 1, 3, 5, 7);

  a = shuffle8 (a, order);
  b = shuffle8 (b, order);
  *even = low64 (a, b);
  *odd = high64 (a, b);
}

static void
get_levels_16 (int bytes, const BdctLevel * from, V * v)
{
  for (int y = 0; y < 16; y++) {
    V even;

    part (&even, &v[16 + y], get_lanes (16, bytes, from, 0, 16 * y),
        get_lanes (16, bytes, from, 0, 16 * y + 8));
    v[y] = shuffle8 (even, CLASSES);
  }
}

static void
get_levels_32 (int bytes, const BdctLevel * from, V * v)
{
  for (int y = 0; y < 32; y++) {
    V even[2];

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      part (&even[i], &v[64 + 32 * i + y],
          get_lanes (32, bytes, from, 0, 32 * y + 16 * i),
          get_lanes (32, bytes, from, 0, 32 * y + 16 * i + 8));
    part (&even[0], &v[32 + y], even[0], even[1]);
    v[y] = shuffle8 (even[0], CLASSES);
  }
}

/* The reverse of put_levels(). */
static void
get_levels (int size, int bytes, V * levels, int n_blocks, BdctLevel * some,
    const BdctLevel * from)
{
  static void (*const all[]) (int bytes, const BdctLevel * from, V * v) = {
    get_levels_4, get_levels_8, get_levels_16, get_levels_32
  };
  const int unit = UNIT (size) / size, block = size * size;

  for (; n_blocks > 0; n_blocks -= unit, from += unit * block) {
    if (n_blocks < unit) {
      memset (some, 0, unit * block * sizeof *some);
      from = memcpy (some, from, n_blocks * block * sizeof *from);
    }
    all[__builtin_ctz (size) - 2] (bytes, from, levels);
    levels += unit * block / (8 * LANES);
  }
}

#endif
