/* blockdct: writing each block's levels, as block-grid.h has them, besides the
 * picture and the sums.
 *
 * A lane has levels in pairs of halves (exact.cuh), at vertical frequencies 2t
 * and 2t + 1 of horizontal frequency g. It exchanges one with its neighbour, so
 * that both have a pair of a row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tiles.cuh"

namespace {

/* Two levels as halves, with their signs, as integers of 16 bits. */
BDCT_INLINE uint32_t
signed_words (uint32_t halves)
{
  const uint32_t sign = signs_of (halves);

  return __viaddmax_s16x2 ((halves & 0x7fff7fff) ^ sign, sign & 0x00010001,
      0x80008000);
}

template <bool LEVELS, int SIZE, typename S> struct LevelSink;

template <int SIZE, typename S> struct LevelSink<false, SIZE, S>
{
  BDCT_INLINE void begin_tile (const BdctCudaPlane &, const Place &, bool, int)
  {
  }

  BDCT_INLINE void put (int, int, int, int, uint32_t) {}
};

/* Of a row of squares of SIZE, each a block or four. */
template <int SIZE, typename S> struct LevelSink<true, SIZE, S>
{
  /* Squares of 8 x 8: in a row of a quarter, of a square and of the tile */
  static constexpr int in_quarter = SIZE > 8 ? SIZE / 16 : 1;
  static constexpr int in_square = SIZE / 8, in_tile = S::bytes / 8;
  static constexpr bool fits = SIZE <= 16;      /* a bit for each, in a word */

  uint8_t *to;                  /* this lane's levels in the first square */
  /* Bytes to those in the second one, which is the next or of the second
   * component; to those two squares further on; to the quarters of a square;
   * and 8 rows down in a block. */
  int32_t second, step, right, down, below;
  uint32_t there;               /* a bit for each square of 8 x 8: whether it is
                                   in the plane; of the first row if not all
                                   fit */
  int32_t high;                 /* rows from this lane's levels on */
  Permutation exchange;

  static_assert (S::rows == SIZE);

  /* Of bits of a component's squares of 8 x 8: those of both components, whose
   * squares come in turn. */
  static BDCT_INLINE uint32_t
  in_both (uint32_t bits)
  {
    constexpr uint32_t square = (1 << in_square) - 1;
    uint32_t both = 0;

    BDCT_UNROLL for (int k = 0; k < in_tile / 2; k += in_square)
      both |= (bits & square << k) << k;
    return both | both << in_square;
  }

  BDCT_INLINE void
  begin_tile (const BdctCudaPlane &plane, const Place &p, bool pairs, int lane)
  {
    const int log2 = plane.log2_width, mask = (1 << log2) - 1;
    const int v = lane % 4 * 2 + lane / 4 % 2, u = lane / 4 & ~1;
    const int x = p.x * (S::bytes >> pairs), y = p.y * S::rows;
    const int rows = ((plane.layout.height - 1) >> log2) + 1;
    const int block = ((y + v) >> log2) * plane.columns + ((x + u) >> log2);
    const int bytes = 2 << 2 * log2;
    const bool half = SIZE >> log2 > 1;
    const int square = (SIZE >> log2) * bytes;
    const int left = (plane.columns << log2) - x - u;
    const int columns = max (0, min ((left + 7) >> 3, in_tile >> pairs));

    to = (uint8_t *) plane.levels[0] + (int64_t) block * bytes
        + 2 * (((v & mask) << log2) + (u & mask));
    second = pairs ? (int32_t) ((uint8_t *) plane.levels[1]
        - (uint8_t *) plane.levels[0]) : square;
    step = pairs ? square : 2 * square;
    below = 16 << log2;
    right = half ? bytes : 16 * in_quarter;
    down = half ? bytes * plane.columns : below * in_quarter;
    high = (rows << log2) - y - v;
    there = (1u << columns) - 1;
    if (pairs)
      there = in_both (there);
    if (fits)
      there = high <= 0 ? 0 : SIZE > 8 && high > 8
          ? there * (1 + (1 << in_tile)) : there;
    exchange = lane / 4 % 2 ? (Permutation) 0x3276 : LOW_WORDS;
  }

  /* Two levels of the first (0) or second one of the k-th two squares, in row i
   * and column j of the squares of 8 x 8 in it. */
  BDCT_INLINE void
  put (int k, int square, int i, int j, uint32_t halves)
  {
    const uint32_t other = __shfl_xor_sync (0xffffffff, halves, 4);
    const uint32_t words = signed_words (permute (halves, other, exchange));
    const int bit = (fits ? i * in_tile : 0) + (2 * k + square) * in_square + j;

    if (there >> bit & 1 && (fits || 8 * i < high))
      *(uint32_t *) (to + (k * step + square * second
              + j / in_quarter * right + j % in_quarter * 16
              + i / in_quarter * down + i % in_quarter * below)) = words;
  }
};

} // namespace
