/* blockdct: libjpeg's islow transform on the tensor cores, 8 bits.
 *
 * An entry of 15 bits is 128 high + low, each part with its own accumulator.
 * Bounds: 2^12 for the first pass, below 2^13 for the first inverse pass (2^12
 * for the signal, nearly as much for quantization errors of half a step of 255
 * each), so that no sum reaches 2^24.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dct/transform/jpeg-islow-rounding.h"
#include "unit.cuh"

namespace {

/* The offset that makes both intermediates unsigned. */
constexpr int kLiftJpeg = 0x2000;

/* 128 high + low, rounded down to 24 bits. */
BDCT_INLINE FragC16x8f
join_128 (const FragC16x8f &high, FragC16x8f low)
{
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    low.v[i] = __fmaf_rd (high.v[i], 128, low.v[i]);
  return low;
}

/* The shifts of the passes. */
template <int DEPTH> struct JpegShifts
{
  enum {
    s1 = bdct_jpeg_islow_shift (0, DEPTH),
    s2 = bdct_jpeg_islow_shift (1, DEPTH),
    s3 = bdct_jpeg_islow_shift (2, DEPTH),
    s4 = bdct_jpeg_islow_shift (3, DEPTH)
  };
};

/* An entry's part that is multiplied by 128, or the rest of it. */
inline double
part_128 (double entry, bool high)
{
  const double over_128 = floor (entry / 128 + 0.5);

  return high ? over_128 : entry - 128 * over_128;
}

/* Set a chain's products of data with a matrix, the second and the fourth,
 * whose data have these offsets. */
template <typename Chain> void
set_products (Chain &c, const Transform &m, Kind kind, int depth, int lift,
    int inverse_lift, int lane)
{
  const auto b = [&] (auto entry, bool high) {
    return operand_b_bytes (lane, [&] (int k, int n) {
          return part_128 (entry (k, n), high);
        });
  };
  const auto second = [&] (int k, int n) { return m.m[n][k]; };
  const auto last = [&] (int k, int n) { return m.m[k][column_of (kind, n)]; };

  c.b2_high = b (second, true);
  c.b2_low = b (second, false);
  c.b4_high = b (last, true);
  c.b4_low = b (last, false);
  for (int i = 0; i < 4; i++) {
    const int n = lane % 4 * 2 + i % 2;

    /* Offsets, rounding, and the level shift, in units of 128. */
    c.start2.v[i] = (float) (((1 << (c.s2 - 1)) - lift * m.row_sum (n)) / 128
        * kByte);
    c.start4.v[i] = (float) (((1 << (c.s4 - 1))
            + (double) (1 << (depth - 1)) * (1 << c.s4)
            - inverse_lift * m.column_sum (column_of (kind, n))) / 128 * kByte);
  }
}

struct Jpeg8 : JpegShifts<8>
{
  FragA16x16h a1_high, a1_low, a3_high, a3_low;
  FragB16x8h b2_high, b2_low, b4_high, b4_low;
  FragC16x8f start1, start2, start3, start4;
  Steps steps;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job, int,
      int lane)
  {
    const double scale1 = 1.0 / (1 << s1), scale3 = 1.0 / (1 << s3);
    const auto forward = [&] (int row, int k) {
      const int x = sample_of (kind, k);
      return x / 8 == row / 8 ? m.m[row % 8][x % 8] * scale1 : 0;
    };
    const auto third = [&] (int row, int k) {
      return k / 8 == row / 8 ? m.m[k % 8][row % 8] * scale3 : 0;
    };

    a1_high = operand_a (lane, HIGH, forward);
    a1_low = operand_a (lane, LOW, forward);
    a3_high = operand_a (lane, HIGH, third);
    a3_low = operand_a (lane, LOW, third);
    set_products (*this, m, kind, 8, kLiftJpeg, kLiftJpeg, lane);
    for (int i = 0; i < 4; i++) {
      start1.v[i] = (float) ((kLiftJpeg + 0.5
              - 128 * m.row_sum (lane / 4) * scale1) * kByte);
      start3.v[i] = (float) ((kLiftJpeg + 0.5) * kByte);
    }
    /* The largest |c| is 2^13. Moved away from 0 by less than 1 / |c|, no value
     * crosses a half, and values on a half round away from 0. */
    steps.set (job, 1 + 1.0 / (1 << 17), kTiny, lane);
  }

  /* Data times a matrix, rounded down to 24 bits. */
  static BDCT_INLINE FragC16x8f
  product (const FragA16x16h &a, const FragB16x8h &b_high,
      const FragB16x8h &b_low, const FragC16x8f &start)
  {
    return join_128 (mma_16x8x16_f16 (a, b_high, start),
        mma_16x8x16_f16 (a, b_low, filled (0)));
  }

  template <typename Count> BDCT_INLINE void
  run (uint32_t *out, const uint32_t *w, bool pairs, Count count) const
  {
    const FragB16x8h x = bytes_as_halves (w[0], pairs);
    FragC16x8f d;

    d = mma_16x8x16_f16 (a1_low, x, mma_16x8x16_f16 (a1_high, x, start1));
    d = product (split_bytes (d, 1, 0.5f), b2_high, b2_low, start2);
    floor_all (d, kTiny * (1 << (24 - s2)), 0);
    const FragB16x8h c = steps.requantize (d, count);
    d = mma_16x8x16_f16 (a3_low, c, mma_16x8x16_f16 (a3_high, c, start3));
    d = product (split_bytes (d, 1, 0.5f), b4_high, b4_low, start4);
    floor_all (d, kTiny * (1 << (24 - s4)), 0);
    out[0] = clamped_bytes (d);
  }
};

} // namespace
