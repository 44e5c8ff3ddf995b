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
 * below 2^24. A 16-bit intermediate is the sum of two halves: its two bytes, or
 * what rounding it down to 11 bits gives and what that leaves. An offset makes
 * it unsigned; the offset's share of the next product is taken off in the
 * accumulator's first value. A matrix entry of more than 11 bits is the sum of
 * two halves as well. The rounding shifts are rounding down, once or twice: to
 * a half, or in a fused multiply-add onto a number whose last place is 1 and
 * whose low bits then are the integer.
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

/* What makes intermediates unsigned: HEVC's first pass, levels and first
 * inverse pass, and JPEG's both. */
constexpr int kLift1 = 0x4000, kLiftLevel = 512, kLift3 = 0x8000;
constexpr int kLiftJpeg = 0x2000;

/* Every number of d: floor (v * scale) + base. */
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

template <bool DOWN> BDCT_INLINE uint32_t
pack (float low, float high)
{
  return DOWN ? pack_half_down (low, high) : pack_half (low, high);
}

/* Numbers as the sum of two halves: one of 11 bits, one for the rest. DOWN: of
 * non-negative numbers the whole part, in units of kByte. `identity` is operand
 * b of -1. */
template <bool DOWN> BDCT_INLINE void
split (uint32_t *high, uint32_t *low, const Acc &d, uint32_t identity)
{
  high[0] = pack<DOWN> (d.v[0], d.v[1]);
  high[1] = pack<DOWN> (d.v[2], d.v[3]);
  const Acc rest = mma_half (high[0], high[1], identity, d);
  low[0] = pack<DOWN> (rest.v[0], rest.v[1]);
  low[1] = pack<DOWN> (rest.v[2], rest.v[3]);
}

/* Halves of samples * 2^-bits + 2^(10 - bits) have a last place of one sample,
 * so that their bits count up with it, and anything outside clamps as it
 * should. This is what to add for the bits to begin at 0. */
constexpr uint32_t
bytes_base (int bits)
{
  return (0x10000 - ((25 - bits) << 10)) * 0x10001u;
}

/* Two samples from such halves. */
BDCT_INLINE uint32_t
clamped_bytes (uint32_t halves, uint32_t base)
{
  return __viaddmin_s16x2_relu (halves, base, 0x00ff00ff);
}

/* Two samples from integers on kSigned. */
BDCT_INLINE uint32_t
clamped_words (float low, float high, uint32_t peak)
{
  return __vimin_s16x2_relu (words (low, high), peak);
}

/* Samples as operand b: x[0] and x[1] their low bytes, x[2] and x[3] the high
 * ones, which samples of a byte lack; a256 is 256 a. */
template <typename Sample> BDCT_INLINE Acc
product1 (const uint32_t *a, const uint32_t *a256, const uint32_t *x, Acc d)
{
  d = mma (a, x[0], x[1], d);
  if constexpr (sizeof (Sample) > 1)
    d = mma (a256, x[2], x[3], d);
  return d;
}

/* The sample of a unit's row that the inner index k of product 1 stands for: of
 * the first square up to 7, of the second from 8. */
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
 * coefficient, below 1.5 * 2^10, is exact in a half. WIDE: levels beyond +-511,
 * or steps above 255. */
template <bool WIDE> struct Steps
{
  float inverse[2];
  uint32_t step, offset;

  void set (const BdctComponentJob &job, double nudge, int lane)
  {
    double s[2];

    for (int i = 0; i < 2; i++) {
      const int q = job.quant[(lane % 4 * 2 + i) * 8 + lane / 4];

      inverse[i] = (float) (nudge / (8 * q));
      /* A larger step's level is 0. */
      s[i] = (q < 2048 ? q : 2048) * (double) kByte;
    }
    step = half_bits (s[0]) | (uint32_t) half_bits (s[1]) << 16;
    offset = half_bits (-1536 * s[0])
        | (uint32_t) half_bits (-1536 * s[1]) << 16;
  }

  /* From 8 times the coefficients to the dequantized ones, in units of kByte.
   */
  BDCT_INLINE void
  requantize (uint32_t *out, uint32_t *nonzero, const Acc &c) const
  {
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      if constexpr (WIDE) {
        const float a = __fmaf_rn (c.v[2 * i], inverse[0], kSigned) - kSigned;
        const float b =
            __fmaf_rn (c.v[2 * i + 1], inverse[1], kSigned) - kSigned;

        out[i] = half_mul (pack_half (a, b), step);
      } else {
        /* The low 16 bits are the half 1536 + level. */
        const float base = kSigned + 0x6600;
        const uint32_t level =
            words (__fmaf_rn (c.v[2 * i], inverse[0], base),
            __fmaf_rn (c.v[2 * i + 1], inverse[1], base));

        out[i] = half_fma (level, step, offset);
      }
      nonzero[i] += __vminu2 (out[i], 0x00010001);
    }
  }
};

/* libjpeg's islow transform, 8 bits. An entry of 15 bits is 128 high + low,
 * each with an accumulator of its own. Bounds: first pass 2^12, the first
 * inverse pass below 2^13 (2^12 for the signal, nearly as much for quantization
 * errors of half a step of 255 each); so no sum reaches 2^24. */
template <bool WIDE> struct Jpeg8
{
  uint32_t a1_high[4], a1_low[4], a3_high[4], a3_low[4];
  uint32_t b2_high[2], b2_low[2], b4_high[2], b4_low[2];
  Acc start1, start2, start3, start4;
  Steps<WIDE> steps;
  uint32_t identity, base;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job, int,
      int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const double scale = 1.0 / (1 << 11);
    const auto forward = [&] (int row, int k) {
      const int x = sample_of (kind, k);
      return x / 8 == row / 8 ? m.m[row % 8][x % 8] * scale : 0;
    };
    const auto inverse = [&] (int row, int k) {
      return k / 8 == row / 8 ? m.m[k % 8][row % 8] * scale : 0;
    };
    const auto second = [&] (int k, int n) { return m.m[n][k]; };
    const auto last = [&] (int k, int n) { return m.m[k][n]; };

    operand_a (a1_high, lane, HIGH, forward);
    operand_a (a1_low, lane, LOW, forward);
    operand_a (a3_high, lane, HIGH, inverse);
    operand_a (a3_low, lane, LOW, inverse);
    b2_high[0] = b2_high[1] = operand_b (lane, HIGH, second, 128);
    b2_low[0] = b2_low[1] = operand_b (lane, LOW, second, 128);
    b4_high[0] = b4_high[1] = operand_b (lane, HIGH, last, 128);
    b4_low[0] = b4_low[1] = operand_b (lane, LOW, last, 128);
    for (int i = 0; i < 4; i++) {
      const int n = 2 * t + i % 2;

      start1.v[i] = (float) ((kLiftJpeg + 0.5 - 128 * m.row_sum (g) * scale)
          * kByte);
      start3.v[i] = (float) ((kLiftJpeg + 0.5) * kByte);
      /* Offsets, rounding, and the level shift, in units of 128. */
      start2.v[i] = (float) (((1 << 14) - kLiftJpeg * m.row_sum (n)) / 128
          * kByte);
      start4.v[i] = (float) (((1 << 17) + (128.0 + 1024) * (1 << 18)
              - kLiftJpeg * m.column_sum (n)) / 128 * kByte);
    }
    /* The largest |c| is 2^13: pushed away from 0 by less than 1 / |c|, no
     * value crosses a half, and those on it round away from 0. */
    steps.set (job, 1 + 1.0 / (1 << 17), lane);
    identity = minus_identity (lane);
    base = bytes_base (6);
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

  BDCT_INLINE void
  run (uint32_t *out, uint32_t *nonzero, const uint32_t *x) const
  {
    uint32_t a[4], c[2];
    Acc d = mma (a1_low, x[0], x[1], mma (a1_high, x[0], x[1], start1));

    split<true> (a, a + 2, d, identity);
    d = product (a, b2_high, b2_low, start2);
    floor_all (d, 1.0f * (1 << 9), kSigned);
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      d.v[i] -= kSigned;
    steps.requantize (c, nonzero, d);
    d = mma (a3_low, c[0], c[1], mma (a3_high, c[0], c[1], start3));
    split<true> (a, a + 2, d, identity);
    d = product (a, b4_high, b4_low, start4);
    BDCT_UNROLL for (int i = 0; i < 2; i++)
      out[i] = clamped_bytes (pack_half_down (d.v[2 * i], d.v[2 * i + 1]),
          base);
  }
};

/* The real-valued transform: entries and first pass in two halves, one of 11
 * bits and one for the rest (22 bits in all). At 8 bits the inverse, where an
 * error only shows if it crosses a half, has one. */
template <typename Sample, bool WIDE> struct Real8
{
  uint32_t a1_high[4], a1_low[4], a3_high[4], a3_low[4];
  uint32_t a1_high256[4], a1_low256[4];
  uint32_t b2[2], b4[2];
  Acc start1, start4;
  Steps<WIDE> steps;
  float step[2];
  uint32_t b2_low, b4_low, identity, peak, base;

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
    const auto inverse = [&] (int row, int k) {
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
    operand_a (a3_high, lane, HIGH, inverse);
    operand_a (a3_low, lane, LOW, inverse);
    b2[0] = b2[1] = operand_b (lane, HIGH, second);
    b2_low = operand_b (lane, LOW, second);
    b4[0] = b4[1] = operand_b (lane, HIGH, last);
    b4_low = operand_b (lane, LOW, last);
    for (int i = 0; i < 4; i++) {
      start1.v[i] = (float) (-middle * m.row_sum (g) * scale1 * kByte);
      start4.v[i] = is_words (kind) ? middle + 0.5f : 1024 + 128;
    }
    identity = minus_identity (lane);
    peak = ((1 << depth) - 1) * 0x10001u;
    base = bytes_base (0);
    /* Halves away from 0. */
    steps.set (job, 1 + 1.0 / (1 << 20), lane);
    for (int i = 0; i < 2; i++)
      step[i] = (float) (job.quant[(lane % 4 * 2 + i) * 8 + g] * in);
  }

  BDCT_INLINE void
  run (uint32_t *out, uint32_t *nonzero, const uint32_t *x) const
  {
    uint32_t a[4], c[2];
    Acc d = product1<Sample> (a1_high, a1_high256, x,
        product1<Sample> (a1_low, a1_low256, x, start1));

    if constexpr (sizeof (Sample) > 1)
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] *= 256;
    split<false> (a, a + 2, d, identity);
    d = mma (a, b2[0], b2[1], mma_half (a[0], a[1], b2_low, same (0)));
    if constexpr (sizeof (Sample) > 1) {
      BDCT_UNROLL for (int i = 0; i < 4; i++) {
        const float level =
            __fmaf_rn (d.v[i], steps.inverse[i % 2], kSigned) - kSigned;

        nonzero[i / 2] += (level != 0) << (i % 2 * 16);
        d.v[i] = level * step[i % 2];
      }
      split<false> (a, a + 2, d, identity);
      d = mma (a3_high, a[0], a[1], mma (a3_high, a[2], a[3],
              mma (a3_low, a[0], a[1], same (0))));
      split<false> (a, a + 2, d, identity);
      d = mma (a, b4[0], b4[1], mma_half (a[0], a[1], b4_low, start4));
      floor_all (d, 1, kSigned);
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
    } else {
      steps.requantize (c, nonzero, d);
      d = mma (a3_high, c[0], c[1], same (0));
      d = mma_half (pack_half (d.v[0], d.v[1]), pack_half (d.v[2], d.v[3]),
          b4[0], start4);
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        out[i] = clamped_bytes (pack_half (d.v[2 * i], d.v[2 * i + 1]), base);
    }
  }
};

} // namespace

#endif
