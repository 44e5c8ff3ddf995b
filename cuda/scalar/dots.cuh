/* blockdct: H.265's one-dimensional transforms in a thread's registers, as dot
 * products of pairs. The matrices' entries are bytes and the values have 16
 * bits, so that one instruction multiplies and adds two of them.
 *
 * Values are stored in pairs, in an order that lets words be added at once. For
 * a forward transform a block's second half mirrors the first, so that sums and
 * differences of mirror images are sums and differences of words. For an
 * inverse transform the odd frequencies are adjacent, then the odd multiples of
 * 2, and so on.
 *
 * In the forward transform values are unsigned: samples, and the first pass'
 * results plus 2^14, which the initial value of the dot product compensates.
 * Differences are computed plus 2^15, so that no value of a pair borrows from
 * the other; flipping the highest bit removes the 2^15.
 *
 * The first pass' results are between -2^14 and 2^14 - 2^7: its shift scales
 * the largest residual, 2^(depth - 1), times 64 times the block's side, to
 * 2^14, and no row's magnitudes have a larger sum than row 0's. So sums of two
 * results, plus 2^15, fit 16 bits, and so do differences.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <utility>
#include "dct/transform/matrices.h"
#include "words.cuh"

namespace {

/* The value at a position, and the position of a value, for a forward
 * transform. */
__host__ __device__ constexpr int
mirror_order (int at)
{
  return at ^ at >> 1 ^ at >> 2 ^ at >> 3 ^ at >> 4 ^ at >> 5;
}

BDCT_INLINE int
mirror_place (int i)
{
  return i ^ i >> 1;
}

/* The frequency, of `keep`, at a position, and the position of a frequency, for
 * an inverse transform. */
__host__ __device__ constexpr int
octave_order (int keep, int at)
{
  const int half = at >= 32 ? 32 : at >= 16 ? 16 : at >= 8 ? 8 : at >= 4 ? 4
      : at >= 2 ? 2 : 1;

  return at == 0 ? 0 : (2 * (at - half) + 1) * (keep / 2 / half);
}

BDCT_INLINE int
octave_place (int keep, int k)
{
  const int octave = __ffs (k);

  return k == 0 ? 0 : (keep >> octave) + (k >> octave);
}

/* Both orders of up to 8 values, four bits each, for positions that only the
 * device knows. */
constexpr uint32_t
mirror_places ()
{
  uint32_t r = 0;

  for (int at = 0; at < 8; at++)
    r |= (uint32_t) mirror_order (at) << 4 * at;
  return r;
}

constexpr uint32_t
octave_places (int keep)
{
  uint32_t r = 0;

  for (int at = 0; at < keep; at++)
    r |= (uint32_t) octave_order (keep, at) << 4 * at;
  return r;
}

BDCT_INLINE int
look_up (uint32_t places, int at)
{
  return places >> 4 * at & 15;
}

/* Set entry i of four entries for two pairs. */
constexpr uint32_t
set_entry (uint32_t word, int i, int32_t entry)
{
  return word | (uint32_t) (entry & 255) << i % 4 * 8;
}

/* The offset of the first pass' results. */
constexpr int32_t kBias = 1 << 14;

/* A basis' forward transform: from N values the KEEP lowest frequencies. It
 * computes sums and differences of mirror images at LEVELS levels, and
 * multiplies the results by the matrix. The bits of a sum allow four levels for
 * samples of 12 bits, and one in the second pass. */
template <BdctBasis BASIS, int N, int KEEP, int LEVELS, bool SECOND>
struct Forward
{
  static constexpr int levels = LEVELS, most = LEVELS > 0 ? N / 2 : N;

  uint32_t entries[KEEP][(most + 3) / 4] = {};

  /* The level of row k's products; LEVELS for those of the last sums. */
  static constexpr int
  level (int k)
  {
    int l = 0;

    while (l < LEVELS && k % (2 << l) == 0)
      l++;
    return l;
  }

  static constexpr int
  count (int k)
  {
    return level (k) < LEVELS ? N >> (level (k) + 1) : N >> LEVELS;
  }

  /* The share of row k's product that stems from the offsets of its values. */
  static constexpr int32_t
  excess (int k)
  {
    int32_t sum = 0;

    for (int i = 0; i < count (k); i++)
      sum += bdct_matrix_int (BASIS, k, i);
    return SECOND && level (k) == LEVELS ? sum * (kBias << LEVELS) : 0;
  }

  static constexpr int32_t
  row_sum (int k)
  {
    int32_t sum = 0;

    for (int i = 0; i < N; i++)
      sum += bdct_matrix_int (BASIS, k, i);
    return sum;
  }

  constexpr Forward ()
  {
    for (int k = 0; k < KEEP; k++)
      for (int i = 0; i < count (k); i++)
        entries[k][i / 4] = set_entry (entries[k][i / 4], i,
            bdct_matrix_int (BASIS, k, mirror_order (i)));
  }
};

/* An inverse transform's part at one level: from KEEP frequencies of N the
 * products of the odd ones, or of ALL if only two are left. */
template <BdctBasis BASIS, int FULL, int N, int KEEP, bool ALL> struct Inverse
{
  static constexpr int count = ALL ? KEEP : KEEP / 2;
  static constexpr int rows = ALL ? N : N / 2;

  uint32_t entries[rows][(count + 3) / 4] = {};

  constexpr Inverse ()
  {
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < count; k++)
        entries[i][k / 4] = set_entry (entries[i][k / 4], k,
            bdct_matrix_int (BASIS, (FULL / N)
                * (ALL ? octave_order (KEEP, k) : 2 * k + 1), i));
  }
};

/* Not const, so that the compiler takes entries from constant memory as
 * operands, and does not build each with an instruction. */
template <typename Table> __constant__ Table dots_table = Table ();

template <int COUNT, bool SIGNED> BDCT_INLINE int32_t
dot_pairs (const uint32_t *pair, const uint32_t *entries, int32_t sum)
{
  BDCT_UNROLL for (int i = 0; i < COUNT / 2; i++)
    sum = i % 2 ? dot<SIGNED, true> (pair[i], entries[i / 2], sum)
        : dot<SIGNED, false> (pair[i], entries[i / 2], sum);
  return sum;
}

/* Row K. */
template <typename Table, int K> struct ForwardRow
{
  static constexpr int count = Table::count (K);
  static constexpr bool differences = Table::level (K) < Table::levels;
  static constexpr int32_t excess = Table::excess (K);
  static constexpr int32_t row_sum = Table::row_sum (K);

  static BDCT_INLINE void
  run (int32_t *y, const uint32_t *pair, int32_t start, int32_t middle)
  {
    y[K] = dot_pairs<count, differences> (pair, dots_table<Table>.entries[K],
        start - excess - middle * row_sum);
  }
};

/* Rows FIRST, FIRST + STEP, ... */
template <typename Table, int FIRST, int STEP, int... I> BDCT_INLINE void
forward_rows (int32_t *y, const uint32_t *pair, int32_t start, int32_t middle,
    std::integer_sequence<int, I...>)
{
  (ForwardRow<Table, FIRST + STEP * I>::run (y, pair, start, middle), ...);
}

/* Rows 0, STEP, 2 STEP, ... from N / STEP values. */
template <typename Table, int N, int KEEP, int STEP, int LEVELS>
BDCT_INLINE void
forward_level (int32_t *y, uint32_t *e, int32_t start, int32_t middle)
{
  if constexpr (LEVELS == 0) {
    forward_rows<Table, 0, STEP> (y, e, start, middle,
        std::make_integer_sequence<int, KEEP / STEP> ());
  } else {
    constexpr uint32_t lift = 0x80008000;
    uint32_t o[N / STEP / 4];

    BDCT_UNROLL for (int i = 0; i < N / STEP / 4; i++) {
      const uint32_t a = e[i], b = e[N / STEP / 4 + i];

      e[i] = a + b;
      o[i] = (a - b + lift) ^ lift;
    }
    forward_rows<Table, STEP, 2 * STEP> (y, o, start, middle,
        std::make_integer_sequence<int, KEEP / STEP / 2> ());
    forward_level<Table, N, KEEP, 2 * STEP, LEVELS - 1> (y, e, start, middle);
  }
}

constexpr int
log2_of (int n)
{
  return n > 1 ? 1 + log2_of (n / 2) : 0;
}

template <bool DENSE, int N, bool SECOND> struct Depth
{
  static constexpr int most = SECOND ? 1 : 4;
  static constexpr int value = DENSE ? 0
      : log2_of (N) - 1 < most ? log2_of (N) - 1 : most;
};

/* y = M (x - middle) + start; overwrites the pairs. For the SECOND pass x has
 * kBias added and `middle` is 0. */
template <BdctBasis BASIS, bool DENSE, int N, int KEEP, bool SECOND>
BDCT_INLINE void
forward_dots (int32_t *y, uint32_t *pair, int32_t start, int32_t middle)
{
  constexpr int levels = Depth<DENSE, N, SECOND>::value;

  forward_level<Forward<BASIS, N, KEEP, levels, SECOND>, N, KEEP, 1, levels>
      (y, pair, start, middle);
}

/* y = M^T x + start, for x in octave_order(). */
template <BdctBasis BASIS, bool DENSE, int FULL, int N, int KEEP>
BDCT_INLINE void
inverse_dots (int32_t *y, const uint32_t *pair, int32_t start)
{
  if constexpr (DENSE || KEEP == 2) {
    using Table = Inverse<BASIS, FULL, N, KEEP, true>;

    BDCT_UNROLL for (int i = 0; i < N; i++)
      y[i] = dot_pairs<KEEP, true> (pair, dots_table<Table>.entries[i], start);
  } else {
    using Table = Inverse<BASIS, FULL, N, KEEP, false>;

    inverse_dots<BASIS, DENSE, FULL, N / 2, KEEP / 2> (y, pair, start);
    BDCT_UNROLL for (int i = 0; i < N / 2; i++) {
      const int32_t e = y[i], o = dot_pairs<KEEP / 2, true> (pair + KEEP / 4,
          dots_table<Table>.entries[i], 0);

      y[i] = e + o;
      y[N - 1 - i] = e - o;
    }
  }
}

} // namespace
