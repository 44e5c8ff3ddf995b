/* blockdct: libjpeg's islow transform on the tensor cores, 9 and 10 bits.
 *
 * As for 8 bits (jpeg8.cuh), with two accumulators for each product, one for
 * each part of the entries: 128 high + low, high at most 89 and low within 64.
 * A sample, of less than 11 bits, is a half in units of kByte just as it is in
 * memory. A dequantized coefficient in units of its own 2^-8, as one of the
 * smallest floats, has its magnitude's two bytes between the sign and 8 zero
 * bits: two halves with its sign.
 *
 * Bounds for 10 bits, where the magnitudes of a row's or a column's entries sum
 * to at most 2^16, and those of their parts to at most 2^9:
 * - samples are below 2^10, and so sums below 2^19;
 * - the first pass' results are from -2^13 to below 2^13, as 2^9 2^16 / 2^12 is
 *   2^13; with the offset 2^13, sums are below 2^14 2^9;
 * - coefficients, with their factor of 8, are within 2^15;
 * - a dequantized coefficient, as below, is at most 2^12 for the signal, and
 *   2^12 for half a step, as each row has an entry of 2^13 or more; sums are
 *   below 8 2^13 2^7;
 * - the first inverse pass' results are below 2^13 for the signal and, as
 *   jpeg10_fits() in tensor.cu ensures, below 2^13 for quantization errors of
 *   half a step each; with the offset 2^14, sums are below 2^15 2^9.
 *
 * None reaches 2^24. The combination of both sums is rounded down to 24 bits,
 * and then to what the shift leaves, with the same result as rounding once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "jpeg8.cuh"

namespace {

/* The offsets that make the intermediates unsigned. */
constexpr int kLiftJpeg10 = 0x2000, kLiftJpeg10Inverse = 0x4000;

/* Steps for which a level and its multiple may not fit a half. */
struct WideSteps
{
  float inverse[2], step[2], base_step[2];

  /* A level is added to this; the sum's last place is kByte. */
  static constexpr float base = 0.75f;

  /* Like Steps::set(), for coefficients in units of kTiny. */
  void set (const BdctComponentJob &job, double nudge, int lane)
  {
    for (int i = 0; i < 2; i++) {
      const int q = job.quant[(lane % 4 * 2 + i) * 8 + lane / 4];

      inverse[i] = (float) (nudge / (8 * q) * (kByte / kTiny));
      step[i] = (float) (q * 256. * kTiny / kByte);
      base_step[i] = -base * step[i];
    }
  }

  /* The dequantized coefficients in units of kByte, as two halves each. */
  template <typename Count> BDCT_INLINE void
  requantize (FragB16x8h &high, FragB16x8h &low, const FragC16x8f &c,
      Count count) const
  {
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      uint32_t d[2];

      BDCT_UNROLL for (int j = 0; j < 2; j++) {
        const float level = __fmaf_rn (c.v[2 * i + j], inverse[j], base);

        d[j] = __float_as_uint (__fmaf_rn (level, step[j], base_step[j]));
      }
      high.r[i] = permute (d[0], d[1], HIGH_WORDS);
      low.r[i] = permute (d[0], d[1], ODD_BYTES);
      count (i, nonzero_halves (high.r[i], low.r[i]));
    }
  }
};

struct Jpeg10 : JpegShifts<10>
{
  FragA16x16h a1_high, a1_low;
  FragA16x16h a3_high, a3_low, a3_high256, a3_low256;
  FragB16x8h b2_high, b2_low, b4_high, b4_low;
  FragC16x8f start1, start2, start3, start4;
  WideSteps steps;
  uint32_t peak;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int middle = 1 << (depth - 1);
    const auto forward = [&] (int row, int k) {
      const int x = sample_of (kind, k);
      return x / 8 == row / 8 ? m.m[row % 8][x % 8] : 0;
    };
    const auto third = [&] (int row, int k) {
      return k / 8 == row / 8 ? m.m[k % 8][row % 8] : 0;
    };
    const auto a = [&] (auto entry, bool high, int factor) {
      return operand_a (lane, HIGH, [&] (int row, int k) {
            return factor * part_128 (entry (row, k), high);
          });
    };

    a1_high = a (forward, true, 1);
    a1_low = a (forward, false, 1);
    a3_high = a (third, true, 1);
    a3_low = a (third, false, 1);
    a3_high256 = a (third, true, 256);
    a3_low256 = a (third, false, 256);
    set_products (*this, m, kind, depth, kLiftJpeg10, kLiftJpeg10Inverse, lane);
    for (int i = 0; i < 4; i++) {
      start1.v[i] = (float) (((kLiftJpeg10 + 0.5) * (1 << s1)
              - middle * m.row_sum (lane / 4)) / 128 * kByte);
      start3.v[i] =
          (float) ((kLiftJpeg10Inverse + 0.5) * (1 << s3) / 128 * kByte);
    }
    /* The largest |c| is 2^15. */
    steps.set (job, 1 + 1.0 / (1 << 17), lane);
    peak = ((1 << depth) - 1) * 0x10001u;
  }

  template <typename Count> BDCT_INLINE void
  run (uint32_t *out, const uint32_t *w, bool pairs, Count count) const
  {
    constexpr float scale1 = 1.0f / (1 << s1), scale3 = 1.0f / (1 << s3);
    const FragB16x8h x = { { pairs ? permute (w[0], w[1], LOW_WORDS) : w[0],
        pairs ? permute (w[0], w[1], HIGH_WORDS) : w[1] } };
    FragB16x8h high, low;
    FragC16x8f d;

    d = join_128 (mma_16x8x16_f16 (a1_high, x, start1),
        mma_16x8x16_f16 (a1_low, x, filled (0)));
    d = Jpeg8::product (split_bytes (d, scale1, 0.5f), b2_high, b2_low, start2);
    floor_all (d, kTiny * (1 << (24 - s2)), 0);
    steps.requantize (high, low, d, count);
    d = join_128 (mma_16x8x16_f16 (a3_high256, high,
            mma_16x8x16_f16 (a3_high, low, start3)),
        mma_16x8x16_f16 (a3_low256, high,
            mma_16x8x16_f16 (a3_low, low, filled (0))));
    d = Jpeg8::product (split_bytes (d, scale3, 0.5f), b4_high, b4_low, start4);
    floor_all (d, kTiny * (1 << (24 - s4)), 0);
    BDCT_UNROLL for (int i = 0; i < 2; i++)
      out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
  }
};

} // namespace
