/* blockdct: the real-valued 8 x 8 transform on the tensor cores.
 *
 * Entries and the passes' results are two halves, one of 11 bits and one for
 * the rest (22 bits in all). At 8 bits the dequantized coefficients are exact
 * in one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "unit.cuh"

namespace {

/* Split numbers into sums of two halves of 11 bits each, for as_b() or
 * side_by_side(). `minus_one` is operand b of the negative identity. */
BDCT_INLINE void
split (FragA16x8h &high, FragA16x8h &low, const FragC16x8f &d,
    const FragB8x8h &minus_one)
{
  high.r[0] = pack_half (d.v[0], d.v[1]);
  high.r[1] = pack_half (d.v[2], d.v[3]);
  const FragC16x8f rest = mma_16x8x8_f16 (high, minus_one, d);
  low.r[0] = pack_half (rest.v[0], rest.v[1]);
  low.r[1] = pack_half (rest.v[2], rest.v[3]);
}

template <typename Sample> struct Dct8x8
{
  FragA16x16h a1_high, a1_low, a3_high, a3_low;
  FragA16x16h a1_high256, a1_low256;
  FragB16x8h b2, b4;
  FragC16x8f start1, start4;
  Steps steps;
  float inverse[2], step[2];
  FragB8x8h b2_low, b4_low, minus_one;
  uint32_t peak;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4;
    const int middle = 1 << (depth - 1);
    /* Scales into the range of halves: of the first pass, and of the inverse's
     * input. */
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

    a1_high = operand_a (lane, HIGH, forward);
    a1_low = operand_a (lane, LOW, forward);
    a1_high256 = operand_a (lane, HIGH, forward256);
    a1_low256 = operand_a (lane, LOW, forward256);
    a3_high = operand_a (lane, HIGH, third);
    a3_low = operand_a (lane, LOW, third);
    b2 = operand_b_twice (lane, HIGH, second);
    b2_low = operand_b (lane, LOW, second);
    b4 = operand_b_twice (lane, HIGH, last);
    b4_low = operand_b (lane, LOW, last);
    for (int i = 0; i < 4; i++) {
      start1.v[i] = (float) (-middle * m.row_sum (g) * scale1 * kByte);
      start4.v[i] = middle + 0.5f;
    }
    minus_one = operand_b (lane, HIGH,
        [] (int k, int n) { return k == n ? -1.0 : 0; });
    peak = ((1 << depth) - 1) * 0x10001u;
    /* Round halves away from 0. */
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
    FragA16x8h high, low;
    FragC16x8f d = first (w, pairs);

    split (high, low, d, minus_one);
    d = mma_16x8x16_f16 (side_by_side (high, low), b2,
        mma_16x8x8_f16 (high, b2_low, filled (0)));
    if constexpr (sizeof (Sample) > 1) {
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] = __fmaf_rn (d.v[i], inverse[i % 2], kSigned) - kSigned;
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        count (i, nonzero_halves (pack_half (d.v[2 * i], d.v[2 * i + 1])));
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] *= step[i % 2];
      split (high, low, d, minus_one);
      d = third (as_b (high), mma_16x8x16_f16 (a3_high, as_b (low),
              filled (0)));
    } else {
      d = third (steps.requantize (d, count), filled (0));
    }
    split (high, low, d, minus_one);
    d = mma_16x8x16_f16 (side_by_side (high, low), b4,
        mma_16x8x8_f16 (high, b4_low, start4));
    floor_all (d, kTiny, 0);
    if constexpr (sizeof (Sample) > 1) {
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
    } else {
      out[0] = clamped_bytes (d);
    }
  }

private:
  BDCT_INLINE FragC16x8f
  third (const FragB16x8h &c, const FragC16x8f &to) const
  {
    return mma_16x8x16_f16 (a3_high, c, mma_16x8x16_f16 (a3_low, c, to));
  }

  BDCT_INLINE FragC16x8f
  first (const uint32_t *w, bool pairs) const
  {
    FragC16x8f d;

    if constexpr (sizeof (Sample) == 1) {
      const FragB16x8h x = bytes_as_halves (w[0], pairs);

      return mma_16x8x16_f16 (a1_high, x,
          mma_16x8x16_f16 (a1_low, x, start1));
    } else {
      FragB16x8h low, high;

      words_as_halves (low, high, w, pairs);
      d = mma_16x8x16_f16 (a1_low256, high,
          mma_16x8x16_f16 (a1_low, low, start1));
      d = mma_16x8x16_f16 (a1_high256, high,
          mma_16x8x16_f16 (a1_high, low, d));
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] *= 256;
      return d;
    }
  }
};

} // namespace
