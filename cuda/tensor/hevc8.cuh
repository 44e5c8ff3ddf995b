/* blockdct: the chain of H.265's transforms of up to 8 x 8 on the tensor cores.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HEVC8_CUH
#define BDCT_HEVC8_CUH

#include "hevc.cuh"
#include "unit.cuh"

namespace {

template <typename Sample, bool FLAT> struct Hevc8
{
  HevcFirst<Sample> first;
  FragA16x16h a3, a3_256;
  FragB16x8h b2, b4;
  FragC16x8f start2, start3, start4;
  HevcQuantizer<FLAT, 2> quantizer;
  uint32_t peak;
  float scale2, scale3, scale4;

  /* The sample of a unit's row that byte k belongs to: of the first square up
   * to 7, of the second from 8. */
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
      start3.v[i] = FLAT ? rounding3 (job) : start.third (m.column_sum (g));
      start4.v[i] = start.fourth (m.column_sum (column_of (kind, n)));
    }
    quantizer.set_all (job);
    if constexpr (!FLAT)
      for (int i = 0; i < 2; i++)
        quantizer.set (i, job, 2 * t + i, g);
    peak = ((1 << depth) - 1) * 0x10001u;
    scale2 = (float) (1 << (24 - start.s2)) * (FLAT ? kTiny : 1);
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
    floor_all (d, scale2, FLAT ? 0 : kSigned);
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
        count (i, nonzero_halves (low.r[i]));
      } else {
        count (i, quantizer.template requantize<Sample> (high.r[i],
                low.r[i], c.v[2 * i], c.v[2 * i + 1], 0, 1));
      }
    if constexpr (!FLAT)
      d = mma_16x8x16_f16 (a3_256, high, d);
    return mma_16x8x16_f16 (a3, low, d);
  }
};

} // namespace

#endif
