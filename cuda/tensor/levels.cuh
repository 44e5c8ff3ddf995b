/* blockdct: the levels of each block, besides the picture and the sums over
 * all, in memory as dct/entropy/rate.h has them.
 *
 * A lane has levels in pairs of halves (exact.cuh), at vertical frequencies 2t
 * and 2t + 1 of horizontal frequency g. It exchanges one with its neighbour, so
 * that both have a pair of a row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TENSOR_LEVELS_CUH
#define BDCT_TENSOR_LEVELS_CUH

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
  /* Squares of 8 x 8 in a row of a quarter */
  static constexpr int in_quarter = SIZE > 8 ? SIZE / 16 : 1;

  uint8_t *to;                  /* this lane's levels in the first square */
  int32_t second;               /* bytes to those of the second component, */
  int32_t square, right, down;  /* to those of the next square, to the next
                                   quarters of a square, */
  int32_t below;                /* and 8 rows down in a block */
  int32_t left, high;           /* samples from this lane's levels on */
  Permutation exchange;

  static_assert (S::rows == SIZE);

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

    to = (uint8_t *) plane.levels[0] + (int64_t) block * bytes
        + 2 * (((v & mask) << log2) + (u & mask));
    second = (int32_t) ((uint8_t *) plane.levels[1]
        - (uint8_t *) plane.levels[0]);
    square = (SIZE >> log2) * bytes;
    below = 16 << log2;
    right = half ? bytes : 16 * in_quarter;
    down = half ? bytes * plane.columns : below * in_quarter;
    left = (plane.columns << log2) - x - u;
    high = (rows << log2) - y - v;
    if (SIZE == 8 && high <= 0)
      left = 0;
    exchange = lane / 4 % 2 ? (Permutation) 0x3276 : LOW_WORDS;
  }

  /* Two levels of the square at sample `x` of the tile, in row i and column j
   * of the squares of 8 x 8 in it. */
  BDCT_INLINE void
  put (int x, int component, int i, int j, uint32_t halves)
  {
    const uint32_t other = __shfl_xor_sync (0xffffffff, halves, 4);
    const uint32_t words = signed_words (permute (halves, other, exchange));

    if (x + 8 * j < left && (SIZE == 8 || 8 * i < high))
      *(uint32_t *) (to + (component ? second : 0) + x / SIZE * square
          + j / in_quarter * right + j % in_quarter * 16
          + i / in_quarter * down + i % in_quarter * below) = words;
  }
};

} // namespace

#endif
