/* blockdct: the chains of transforms of up to 8 x 8 on the tensor cores.
 *
 * A warp takes a unit of two 8 x 8 squares, four samples a lane, through four
 * matrix products; a 4 x 4 transform is the 8 x 8 one whose matrix has two of
 * its blocks on the diagonal. With the samples x of a square (rows y, columns
 * x), matrix M, and products as mma.cuh lays them out:
 *     1   M x^T          data is operand b: both squares' M on a's diagonal
 *     2   (1) M^T        data is operand a: = coefficients, transposed
 *     3   M^T (dequantized)^T, data is operand b
 *     4   (3) M          data is operand a: = samples
 * so that a product's result is the next one's operand in the same lane.
 *
 * Integers in half precision. A half below 2^-14 is a whole number of 2^-24, so
 * an unsigned byte in the low byte of a half is that byte in this unit, and
 * products with whole numbers of at most 11 bits are exact, as are their sums
 * below 2^24. A 16-bit intermediate is the sum of two halves, its two bytes, of
 * which the high one meets 256 times the matrix. An offset makes it unsigned;
 * the offset's share of the next product is taken off in the accumulator's
 * first value. A matrix entry of more than 11 bits is the sum of two halves as
 * well. The rounding shifts are rounding down, once or twice, in a fused
 * multiply-add: onto a number whose last place is 1 and whose low bits then are
 * the integer, or to the smallest floats, which count in steps of 2^-149. A
 * level, rounded towards zero or to nearest by the conversion to a half, is in
 * its unit too, with its sign.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CHAINS_CUH
#define BDCT_CHAINS_CUH

#include "mma.cuh"
#include "operands.cuh"

namespace {

constexpr float kByte = 1.0f / (1 << 24);       /* a byte's unit */
constexpr float kSigned = 12582912.0f;  /* 1.5 * 2^23: low 16 bits = integer */

/* The last place of the smallest floats, to which they round: what is rounded
 * down to a whole number of these, with its sign, needs nothing taken off. */
constexpr float kTiny = 0x1p-149f;

/* What makes intermediates unsigned: HEVC's first pass and first inverse pass,
 * and JPEG's both. */
constexpr int kLift1 = 0x4000, kLift3 = 0x8000;
constexpr int kLiftJpeg = 0x2000;

/* Every number of d: v * scale + base, rounded down to its last place. */
BDCT_INLINE void
floor_all (Acc &d, float scale, float base)
{
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    d.v[i] = __fmaf_rd (d.v[i], scale, base);
}

/* The low 16 bits of two integers. */
BDCT_INLINE uint32_t
words (float low, float high)
{
  return __byte_perm (__float_as_uint (low), __float_as_uint (high), 0x5410);
}

/* Numbers as the sum of two halves of 11 bits each. `identity` is operand b of
 * -1. */
BDCT_INLINE void
split (uint32_t *high, uint32_t *low, const Acc &d, uint32_t identity)
{
  high[0] = pack_half (d.v[0], d.v[1]);
  high[1] = pack_half (d.v[2], d.v[3]);
  const Acc rest = mma_half (high[0], high[1], identity, d);
  low[0] = pack_half (rest.v[0], rest.v[1]);
  low[1] = pack_half (rest.v[2], rest.v[3]);
}

/* The high and low bytes, as halves, of d * scale + base rounded down, which
 * are non-negative integers below 2^16 on a number whose bits 16 to 23 are 0.
 */
BDCT_INLINE void
split_bytes (uint32_t *high, uint32_t *low, const Acc &d, float scale,
    float base)
{
  BDCT_UNROLL for (int i = 0; i < 2; i++) {
    const uint32_t a = __float_as_uint (__fmaf_rd (d.v[2 * i], scale, base));
    const uint32_t b =
        __float_as_uint (__fmaf_rd (d.v[2 * i + 1], scale, base));

    high[i] = __byte_perm (a, b, 0x6521);
    low[i] = __byte_perm (a, b, 0x6420);
  }
}

/* The same of numbers in units of kByte. */
BDCT_INLINE void
split_bytes (uint32_t *high, uint32_t *low, const Acc &d)
{
  split_bytes (high, low, d, 1, 0.5f);
}

/* Which of two halves are not 0: a 1 for each in its 16 bits. */
BDCT_INLINE uint32_t
nonzero_halves (uint32_t halves)
{
  /* Doubled, they lose their signs. */
  return __viaddmin_u16x2 (halves, halves, 0x00010001);
}

/* Samples out of numbers in units of kTiny: the bits of those that are not
 * negative are the integer, and of the others one below 0. Four of a byte, of
 * the rows g and g + 8 of a result in turn: */
BDCT_INLINE uint32_t
clamped_bytes (const Acc &d)
{
  uint32_t v[4];

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    v[i] = __float_as_uint (d.v[i]);
  return pack_bytes (v[0], v[2], pack_bytes (v[1], v[3], 0));
}

/* And two of a word. */
BDCT_INLINE uint32_t
clamped_words (float low, float high, uint32_t peak)
{
  return __vminu2 (pack_words (__float_as_uint (low), __float_as_uint (high)),
      peak);
}

/* Samples as operand b of halves: x[0] and x[1] their low bytes, x[2] and x[3]
 * the high ones, which samples of a byte lack; a256 is 256 a. */
template <typename Sample> BDCT_INLINE Acc
product1 (const uint32_t *a, const uint32_t *a256, const uint32_t *x, Acc d)
{
  d = mma (a, x[0], x[1], d);
  if constexpr (sizeof (Sample) > 1)
    d = mma (a256, x[2], x[3], d);
  return d;
}

/* Those operands from a unit's row: of the first square's samples, and of the
 * second's. */
BDCT_INLINE void
spread (uint32_t x[2], uint8_t, const uint32_t w[1], bool pairs)
{
  x[0] = __byte_perm (w[0], 0, pairs ? 0x4240 : 0x4140);
  x[1] = __byte_perm (w[0], 0, pairs ? 0x4341 : 0x4342);
}

BDCT_INLINE void
spread (uint32_t x[4], uint16_t, const uint32_t w[2], bool pairs)
{
  const uint32_t a = pairs ? __byte_perm (w[0], w[1], 0x5410) : w[0];
  const uint32_t b = pairs ? __byte_perm (w[0], w[1], 0x7632) : w[1];

  x[0] = __byte_perm (a, 0, 0x4240);
  x[1] = __byte_perm (b, 0, 0x4240);
  x[2] = __byte_perm (a, 0, 0x4341);
  x[3] = __byte_perm (b, 0, 0x4341);
}

/* The sample of a unit's row that the inner index k of product 1 then stands
 * for: of the first square up to 7, of the second from 8. */
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

/* And the sample of a square's row that column n of product 4 is. */
inline int
column_of (Kind kind, int n)
{
  return kind == WORD_PAIRS ? n / 2 + n % 2 * 4 : n;
}

/* Quantization steps for jpeg-8x8 and dct-8x8 of 8 bits, where a dequantized
 * coefficient, below 1.5 * 2^10, is exact in a half, and so is a level. */
struct Steps
{
  float inverse[2];
  uint32_t step;

  /* For coefficients in this unit. `nudge` moves them away from 0. */
  void set (const BdctComponentJob &job, double nudge, double unit, int lane)
  {
    uint16_t s[2];

    for (int i = 0; i < 2; i++) {
      const int q = job.quant[(lane % 4 * 2 + i) * 8 + lane / 4];

      inverse[i] = (float) (nudge / (8 * q) * (kByte / unit));
      /* A larger step's level is 0. */
      s[i] = half_bits (q < 2048 ? q : 2048);
    }
    step = s[0] | (uint32_t) s[1] << 16;
  }

  /* From 8 times the coefficients to the dequantized ones, in units of kByte.
   * Here and in all chains, count (i, flags) is told which of two levels of
   * square i are not 0 (nonzero_halves()). */
  template <typename Count> BDCT_INLINE void
  requantize (uint32_t *out, const Acc &c, Count count) const
  {
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      const uint32_t level = pack_half (c.v[2 * i] * inverse[0],
          c.v[2 * i + 1] * inverse[1]);

      count (i, nonzero_halves (level));
      out[i] = half_mul (level, step);
    }
  }
};

/* libjpeg's islow transform, 8 bits. An entry of 15 bits is 128 high + low,
 * each with an accumulator of its own. Bounds: first pass 2^12, the first
 * inverse pass below 2^13 (2^12 for the signal, nearly as much for quantization
 * errors of half a step of 255 each); so no sum reaches 2^24. */
struct Jpeg8
{
  uint32_t a1_high[4], a1_low[4], a3_high[4], a3_low[4];
  uint32_t b2_high[2], b2_low[2], b4_high[2], b4_low[2];
  Acc start1, start2, start3, start4;
  Steps steps;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job, int,
      int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const double scale = 1.0 / (1 << 11);
    const auto forward = [&] (int row, int k) {
      const int x = sample_of (kind, k);
      return x / 8 == row / 8 ? m.m[row % 8][x % 8] * scale : 0;
    };
    const auto third = [&] (int row, int k) {
      return k / 8 == row / 8 ? m.m[k % 8][row % 8] * scale : 0;
    };
    /* An entry is 128 times the one part and the other. */
    const auto over_128 = [] (double v) { return floor (v / 128 + 0.5); };
    const auto rest = [&] (double v) { return v - 128 * over_128 (v); };

    operand_a (a1_high, lane, HIGH, forward);
    operand_a (a1_low, lane, LOW, forward);
    operand_a (a3_high, lane, HIGH, third);
    operand_a (a3_low, lane, LOW, third);
    operand_b_bytes (b2_high, lane,
        [&] (int k, int n) { return over_128 (m.m[n][k]); });
    operand_b_bytes (b2_low, lane,
        [&] (int k, int n) { return rest (m.m[n][k]); });
    operand_b_bytes (b4_high, lane,
        [&] (int k, int n) { return over_128 (m.m[k][n]); });
    operand_b_bytes (b4_low, lane,
        [&] (int k, int n) { return rest (m.m[k][n]); });
    for (int i = 0; i < 4; i++) {
      const int n = 2 * t + i % 2;

      start1.v[i] = (float) ((kLiftJpeg + 0.5 - 128 * m.row_sum (g) * scale)
          * kByte);
      start3.v[i] = (float) ((kLiftJpeg + 0.5) * kByte);
      /* Offsets, rounding, and the level shift, in units of 128. */
      start2.v[i] = (float) (((1 << 14) - kLiftJpeg * m.row_sum (n)) / 128
          * kByte);
      start4.v[i] = (float) (((1 << 17) + 128.0 * (1 << 18)
              - kLiftJpeg * m.column_sum (n)) / 128 * kByte);
    }
    /* The largest |c| is 2^13: pushed away from 0 by less than 1 / |c|, no
     * value crosses a half, and those on it round away from 0. */
    steps.set (job, 1 + 1.0 / (1 << 17), kTiny, lane);
  }

  /* Data times a matrix, rounded down to 24 bits. */
  static BDCT_INLINE Acc
  product (const uint32_t *a, const uint32_t *b_high, const uint32_t *b_low,
      const Acc &start)
  {
    const Acc high = mma (a, b_high[0], b_high[1], start);
    Acc d = mma (a, b_low[0], b_low[1], same (0));

    BDCT_UNROLL for (int i = 0; i < 4; i++)
      d.v[i] = __fmaf_rd (high.v[i], 128, d.v[i]);
    return d;
  }

  template <typename Count> BDCT_INLINE void
  run (uint32_t *out, const uint32_t *w, bool pairs, Count count) const
  {
    uint32_t x[2], a[4], c[2];
    Acc d;

    spread (x, uint8_t (), w, pairs);
    d = mma (a1_low, x[0], x[1], mma (a1_high, x[0], x[1], start1));

    split_bytes (a, a + 2, d);
    d = product (a, b2_high, b2_low, start2);
    floor_all (d, kTiny * (1 << 9), 0);
    steps.requantize (c, d, count);
    d = mma (a3_low, c[0], c[1], mma (a3_high, c[0], c[1], start3));
    split_bytes (a, a + 2, d);
    d = product (a, b4_high, b4_low, start4);
    floor_all (d, kTiny * (1 << 6), 0);
    out[0] = clamped_bytes (d);
  }
};

/* The real-valued transform: entries and first pass in two halves, one of 11
 * bits and one for the rest (22 bits in all). At 8 bits the inverse, where an
 * error only shows if it crosses a half, has one. */
template <typename Sample> struct Real8
{
  uint32_t a1_high[4], a1_low[4], a3_high[4], a3_low[4];
  uint32_t a1_high256[4], a1_low256[4];
  uint32_t b2[2], b4[2];
  Acc start1, start4;
  Steps steps;
  float inverse[2], step[2];
  uint32_t b2_low, b4_low, identity, peak;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4;
    const int middle = 1 << (depth - 1);
    /* Into the range of halves: the first pass, and the inverse's input. */
    const double scale1 = is_words (kind) ? 1 << 6 : 1 << 14;
    const double scale2 = 1 << 10;
    const double in = is_words (kind) ? 1.0 / (1 << 14) : kByte;
    const double scale3 = 1 << 13;
    const double scale4 = 1 / (8 * in * scale3);
    const auto forward = [&] (int row, int k) {
      const int x = sample_of (kind, k);
      return x / 8 == row / 8 ? m.m[row % 8][x % 8] * scale1 : 0;
    };
    const auto forward256 = [&] (int row, int k) {
      return 256 * forward (row, k);
    };
    const auto third = [&] (int row, int k) {
      return k / 8 == row / 8 ? m.m[k % 8][row % 8] * scale3 : 0;
    };
    const auto second = [&] (int k, int n) { return m.m[n][k] * scale2; };
    const auto last = [&] (int k, int n) {
      return m.m[k][column_of (kind, n)] * scale4;
    };

    operand_a (a1_high, lane, HIGH, forward);
    operand_a (a1_low, lane, LOW, forward);
    operand_a (a1_high256, lane, HIGH, forward256);
    operand_a (a1_low256, lane, LOW, forward256);
    operand_a (a3_high, lane, HIGH, third);
    operand_a (a3_low, lane, LOW, third);
    b2[0] = b2[1] = operand_b (lane, HIGH, second);
    b2_low = operand_b (lane, LOW, second);
    b4[0] = b4[1] = operand_b (lane, HIGH, last);
    b4_low = operand_b (lane, LOW, last);
    for (int i = 0; i < 4; i++) {
      start1.v[i] = (float) (-middle * m.row_sum (g) * scale1 * kByte);
      start4.v[i] = is_words (kind) ? middle + 0.5f : 128;
    }
    identity = minus_identity (lane);
    peak = ((1 << depth) - 1) * 0x10001u;
    /* Halves away from 0. */
    const double nudge = 1 + 1.0 / (1 << 20);

    steps.set (job, nudge, 1, lane);
    for (int i = 0; i < 2; i++) {
      const int q = job.quant[(lane % 4 * 2 + i) * 8 + g];

      inverse[i] = (float) (nudge / (8 * q));
      step[i] = (float) (q * in);
    }
  }

  template <typename Count> BDCT_INLINE void
  run (uint32_t *out, const uint32_t *w, bool pairs, Count count) const
  {
    uint32_t x[4], a[4], c[2];
    Acc d;

    spread (x, Sample (), w, pairs);
    d = product1<Sample> (a1_high, a1_high256, x,
        product1<Sample> (a1_low, a1_low256, x, start1));
    if constexpr (sizeof (Sample) > 1)
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] *= 256;
    split (a, a + 2, d, identity);
    d = mma (a, b2[0], b2[1], mma_half (a[0], a[1], b2_low, same (0)));
    if constexpr (sizeof (Sample) > 1) {
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] = __fmaf_rn (d.v[i], inverse[i % 2], kSigned) - kSigned;
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        count (i, nonzero_halves (pack_half (d.v[2 * i], d.v[2 * i + 1])));
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] *= step[i % 2];
      split (a, a + 2, d, identity);
      d = mma (a3_high, a[0], a[1], mma (a3_high, a[2], a[3],
              mma (a3_low, a[0], a[1], same (0))));
      split (a, a + 2, d, identity);
      d = mma (a, b4[0], b4[1], mma_half (a[0], a[1], b4_low, start4));
      floor_all (d, kTiny, 0);
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
    } else {
      steps.requantize (c, d, count);
      d = mma (a3_high, c[0], c[1], same (0));
      d = mma_half (pack_half (d.v[0], d.v[1]), pack_half (d.v[2], d.v[3]),
          b4[0], start4);
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] *= kTiny;
      out[0] = clamped_bytes (d);
    }
  }
};

} // namespace

#endif
