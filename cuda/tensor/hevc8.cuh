/* blockdct: the tensor-core chain of H.265's transforms of up to 8 x 8.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "hevc.cuh"
#include "unit.cuh"

namespace {

/* H.265's quantizer for two different entries of its tables.
 *
 * The smallest floats are signed magnitudes in steps of kTiny. A level has
 * `fraction` bits below it: |c| quant / 2^bits plus the rounding offset, at
 * most 171 / 2^9, is first rounded towards zero to these bits, and then to the
 * level. All levels fit, with 24 bits.
 *
 * A dequantized coefficient has 8 bits below it. In their unit,
 *     level step + (almost half) with the level's sign, + 1 rounded down
 * has the result as its whole part, so that only its fraction remains to be cut
 * off, if `almost half` is above 127 and below 128: a step is a multiple of
 * 2^-8, as QP' is at least 6 (B - 8) - 12 and dequant_bits at most B - 2.
 * x + 1/2 is rounded down to
 *     x >= 0: floor (x + almost half + 1), which reaches the next whole number
 *             from a fraction of 1/2 on,
 *     x < 0:  the magnitude ceil (|x| + almost half - 1), which does above 1/2.
 * `almost half` is a fraction below the level's last bit, times the step, as
 * close to 127.5 as possible: with 2^fraction > 2^23 / (2^14 / step + 1/3), its
 * unit is below 1/2 + step / (3 2^15). */
struct HevcMagnitudes
{
  float scale[2], step[2];
  uint32_t offset[2], mask[2], half[2];

  /* Entry i is for vertical frequency v and horizontal frequency u of a block.
   * The square is one block or several side by side. */
  void set (int i, const BdctComponentJob &job, int v, int u)
  {
    const int size = 1 << job.log2_width;
    const BdctQuantizer entry = bdct_job_entry (&job, v % size, u % size);
    const int32_t largest =
        ((entry.quant << 14) + job.quant_add) >> job.quant_bits;
    int fraction = 24;

    while (largest >> (24 - fraction) != 0)
      fraction--;
    scale[i] = (float) ldexp (entry.quant, fraction - job.quant_bits);
    step[i] = (float) ldexp (entry.dequant, 8 - fraction - job.dequant_bits);
    offset[i] = (uint32_t) (job.quant_add >> (job.quant_bits - 9))
        << (fraction - 9);
    mask[i] = ~0u << fraction;
    half[i] = (uint32_t) (127.5 / step[i] + 0.5);
  }

  /* The dequantized coefficient, in units of kTiny. */
  BDCT_INLINE uint32_t
  dequantized (float c, int i) const
  {
    const uint32_t level = __float_as_uint (__fmaf_rz (c, scale[i],
            with_sign (offset[i], c)));

    return __float_as_uint (__fmaf_rd (__uint_as_float ((level & mask[i])
                | half[i]), step[i], kTiny));
  }

  /* Two coefficients with entries i and j: the dequantized ones as high and low
   * bytes, each a half with the sign. Returns the flags of nonzero levels. */
  BDCT_INLINE uint32_t
  requantize (uint32_t &high, uint32_t &low, float c0, float c1, int i,
      int j) const
  {
    const uint32_t v0 = dequantized (c0, i), v1 = dequantized (c1, j);

    high = permute (v0, v1, HIGH_WORDS);
    low = permute (v0, v1, ODD_BYTES);
    return nonzero_halves (high, low);
  }
};

template <typename Sample, bool FLAT> struct Hevc8
{
  HevcFirst<Sample> first;
  FragA16x16h a3, a3_256;
  FragB16x8h b2, b4;
  FragC16x8f start2, start3, start4;
  typename std::conditional<FLAT, HevcFlat, HevcMagnitudes>::type quantizer;
  uint32_t peak;
  float scale2, scale3, scale4;

  /* The sample of a unit's row that byte k belongs to: up to 7 of the first
   * square, from 8 on of the second. */
  static int sample (Kind kind, int k)
  {
    switch (kind) {
      case BYTES:
        return k;
      case BYTE_PAIRS:
        return k % 2 * 8 + k / 2;
      case WORDS:
        return k / 2;
      default:
        return k / 2 % 2 * 8 + k / 16 * 4 + k % 16 / 4;
    }
  }

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const HevcStart start (job, depth);
    const auto inverse = [&] (int row, int k) {
      return k / 8 == row / 8
          ? m.m[k % 8][row % 8] * (FLAT ? 1 : kScale3) : 0;
    };

    first.set (start, lane, [&] (int row, int i) {
          return i / 8 == row / 8 ? m.m[row % 8][i % 8] : 0;
        }, [&] (int k) { return sample (kind, k); });
    a3 = operand_a (lane, HIGH, inverse);
    a3_256 = operand_a (lane, HIGH,
        [&] (int row, int k) { return 256 * inverse (row, k); });
    b2 = operand_b_bytes (lane, [&] (int k, int n) { return m.m[n][k]; });
    b4 = operand_b_bytes (lane,
        [&] (int k, int n) { return m.m[k][column_of (kind, n)]; });
    for (int i = 0; i < 4; i++) {
      const int n = 2 * t + i % 2;

      first.start.v[i] = start.first (m.row_sum (g));
      start2.v[i] = start.second (m.row_sum (n));
      start3.v[i] = FLAT ? rounding3 (job) : (float) ((kLift3 + 0.5) * kByte);
      start4.v[i] = start.fourth (m.column_sum (column_of (kind, n)));
    }
    if constexpr (FLAT)
      quantizer.set_all (job);
    else
      for (int i = 0; i < 2; i++)
        quantizer.set (i, job, 2 * t + i, g);
    peak = ((1 << depth) - 1) * 0x10001u;
    scale2 = (float) (1 << (24 - start.s2)) * kTiny;
    scale3 = scale3_of<FLAT> (job);
    scale4 = (float) (1 << (24 - start.s4)) * kTiny;
  }

  template <typename Count> BDCT_INLINE void
  run (uint32_t *out, const uint32_t *w, bool, Count count) const
  {
    FragA16x8h high, low;
    FragC16x8f d;

    first.run (high, low, w);
    d = mma_16x8x16_f16 (side_by_side (high, low), b2, start2);
    floor_all (d, scale2, 0);
    d = product3 (d, count);
    d = mma_16x8x16_f16 (split_bytes (d, scale3, kBase3<FLAT>), b4, start4);
    floor_all (d, scale4, 0);
    if constexpr (sizeof (Sample) > 1) {
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
    } else {
      out[0] = clamped_bytes (d);
    }
  }

private:
  /* The third product, from the coefficients. */
  template <typename Count> BDCT_INLINE FragC16x8f
  product3 (const FragC16x8f &c, Count count) const
  {
    FragB16x8h high, low;
    FragC16x8f d = start3;

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      if constexpr (FLAT) {
        low.r[i] = quantizer.quantize (c.v[2 * i], c.v[2 * i + 1]);
        count (i, nonzero_halves (low.r[i]), low.r[i]);
      } else {
        count (i, quantizer.requantize (high.r[i], low.r[i], c.v[2 * i],
                c.v[2 * i + 1], 0, 1));
      }
    if constexpr (!FLAT)
      d = mma_16x8x16_f16 (a3_256, high, d);
    return mma_16x8x16_f16 (a3, low, d);
  }
};

} // namespace
