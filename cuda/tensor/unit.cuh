/* blockdct: what the chains of up to 8 x 8 share.
 *
 * A warp has a unit of two 8 x 8 squares, four samples to a lane, and computes
 * four matrix products. A 4 x 4 transform is an 8 x 8 one whose matrix has two
 * of its blocks on the diagonal. With the samples x of a square (rows y,
 * columns x), matrix M, and products as in mma.cuh:
 *     1   M x^T          data is operand b: both squares' M on a's diagonal
 *     2   (1) M^T        data is operand a: = coefficients, transposed
 *     3   M^T (dequantized)^T, data is operand b
 *     4   (3) M          data is operand a: = samples
 * Each product's result is thus the next one's operand in the same lane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "exact.cuh"
#include "operands.cuh"

namespace {

/* A unit's row as halves: the first square's samples, then the second's. */
BDCT_INLINE FragB16x8h
bytes_as_halves (uint32_t w, bool pairs)
{
  return FragB16x8h { { widen (w, pairs ? WIDEN (0, 2) : WIDEN (0, 1)),
        widen (w, pairs ? WIDEN (1, 3) : WIDEN (2, 3)) } };
}

/* The low and the high bytes of words, as halves. */
BDCT_INLINE void
words_as_halves (FragB16x8h &low, FragB16x8h &high, const uint32_t w[2],
    bool pairs)
{
  const uint32_t a = pairs ? permute (w[0], w[1], LOW_WORDS) : w[0];
  const uint32_t b = pairs ? permute (w[0], w[1], HIGH_WORDS) : w[1];

  low.r[0] = widen (a, WIDEN (0, 2));
  low.r[1] = widen (b, WIDEN (0, 2));
  high.r[0] = widen (a, WIDEN (1, 3));
  high.r[1] = widen (b, WIDEN (1, 3));
}

/* The sample of a unit's row that inner index k of product 1 stands for: up to
 * 7 of the first square, from 8 on of the second. */
inline int
sample_of (Kind kind, int k)
{
  switch (kind) {
    case BYTES:
      return k % 8 / 2 * 4 + k / 8 * 2 + k % 2;
    case WORD_PAIRS:
      return k / 8 * 8 + k % 8 / 2 + k % 2 * 4;
    default:
      return k;
  }
}

/* The sample of a square's row that column n of product 4 is. */
inline int
column_of (Kind kind, int n)
{
  return kind == WORD_PAIRS ? n / 2 + n % 2 * 4 : n;
}

/* Quantization steps for jpeg-8x8 and dct-8x8 of 8 bits, where levels and
 * dequantized coefficients, below 1.5 * 2^10, are exact in a half. */
struct Steps
{
  float inverse[2];
  uint32_t step;

  /* For coefficients in units of `unit`. `nudge` moves them away from 0. */
  void set (const BdctComponentJob &job, double nudge, double unit, int lane)
  {
    uint16_t s[2];

    for (int i = 0; i < 2; i++) {
      const int q = job.quant[(lane % 4 * 2 + i) * 8 + lane / 4];

      inverse[i] = (float) (nudge / (8 * q) * (kByte / unit));
      /* With larger steps all levels are 0. */
      s[i] = half_bits (q < 2048 ? q : 2048);
    }
    step = s[0] | (uint32_t) s[1] << 16;
  }

  /* From 8 times the coefficients to the dequantized ones, in units of kByte.
   * Here and in all chains, count (i, flags) receives the flags of two nonzero
   * levels of square i (nonzero_halves()); where levels can be written, these
   * follow as halves. */
  template <typename Count> BDCT_INLINE FragB16x8h
  requantize (const FragC16x8f &c, Count count) const
  {
    FragB16x8h b;

    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      const uint32_t level = pack_half (c.v[2 * i] * inverse[0],
          c.v[2 * i + 1] * inverse[1]);

      count (i, nonzero_halves (level), level);
      b.r[i] = half_mul (level, step);
    }
    return b;
  }
};

} // namespace
