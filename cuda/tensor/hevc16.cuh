/* blockdct: the tensor-core chain of H.265's transforms of up to 16 x 16.
 *
 * The products are those of unit.cuh, but a warp has a square of 16 x 16
 * samples, eight to a lane. Its matrix fills the tensor cores' operand: one of
 * 16 x 16, or smaller ones along the diagonal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "hevc.cuh"
#include "unit.cuh"

namespace {

template <typename Sample, bool FLAT> struct Hevc16
{
  HevcFirst<Sample> first;
  FragA16x16h a3, a3_256;
  /* [columns' half] */
  FragB16x8h b2[2], b2_256[2], b4[2], b4_256[2];
  FragC16x8f start2[2], start3, start4[2];
  HevcQuantizer<FLAT, 8> quantizer;
  uint32_t peak;
  float scale2, scale3, scale4;

  /* The sample of a square's row that byte k belongs to. */
  static int sample (Kind kind, int k)
  {
    switch (kind) {
      case BYTES:
        return k;
      case BYTE_PAIRS:
        return k % 4 / 2 * 8 + k / 4 * 2 + k % 2;
      case WORDS:
        return k / 2;
      default:
        return k / 16 * 8 + k % 4 / 2 * 4 + k % 16 / 4;
    }
  }

  /* The column of the square that column n of a half of the last product is. */
  static int column (Kind kind, int half, int n)
  {
    return kind == BYTES ? n / 2 * 4 + n % 2 * 2 + half
        : 8 * half + column_of (kind, n);
  }

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const HevcStart start (job, depth);
    const auto inverse = [&] (int row, int k) {
      return m.m[k][row] * (FLAT ? 1 : kScale3);
    };

    first.set (start, lane, [&] (int row, int i) { return m.m[row][i]; },
        [&] (int k) { return sample (kind, k); });
    a3 = operand_a (lane, HIGH, inverse);
    a3_256 = operand_a (lane, HIGH,
        [&] (int row, int k) { return 256 * inverse (row, k); });
    for (int half = 0; half < 2; half++)
      for (int r = 0; r < 2; r++) {     /* half of the inner dimension */
        const FragB16x8h second = operand_b_bytes (lane,
            [&] (int k, int n) { return m.m[8 * half + n][8 * r + k]; });
        const FragB16x8h last = operand_b_bytes (lane, [&] (int k, int n) {
              return m.m[8 * r + k][column (kind, half, n)];
            });

        b2_256[half].r[r] = second.r[0];
        b2[half].r[r] = second.r[1];
        b4_256[half].r[r] = last.r[0];
        b4[half].r[r] = last.r[1];
      }
    for (int i = 0; i < 4; i++) {
      const int row = g + i / 2 * 8;

      first.start.v[i] = start.first (m.row_sum (row));
      start3.v[i] =
          FLAT ? rounding3 (job) : start.third (m.column_sum (row));
      for (int half = 0; half < 2; half++) {
        const int n = 2 * t + i % 2;

        start2[half].v[i] = start.second (m.row_sum (8 * half + n));
        start4[half].v[i] =
            start.fourth (m.column_sum (column (kind, half, n)));
      }
    }
    quantizer.set_all (job);
    if constexpr (!FLAT)
      for (int i = 0; i < 8; i++)
        quantizer.set (i, job, i / 4 * 8 + 2 * t + i % 2, g + i / 2 % 2 * 8);
    peak = ((1 << depth) - 1) * 0x10001u;
    scale2 = (float) (1 << (24 - start.s2)) * (FLAT ? kTiny : 1);
    scale3 = scale3_of<FLAT> (job);
    scale4 = (float) (1 << (24 - start.s4)) * kTiny;
  }

  /* x: [half of the rows][register]; out: [half of the rows], words of [half of
   * the columns]. Calls count (i, flags) for quarter i: top left, top right,
   * then below. */
  template <typename Count> BDCT_INLINE void
  run (uint32_t out[2][2], const uint32_t (*x)[2], Count count) const
  {
    FragA16x8h high[2], low[2];   /* columns' halves */
    FragB16x8h b_high[2], b_low[2];

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      first.run (high[i], low[i], x[i]);
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      FragC16x8f d = mma_16x8x16_f16 (side_by_side (high[0], high[1]),
          b2_256[i], start2[i]);
      d = mma_16x8x16_f16 (side_by_side (low[0], low[1]), b2[i], d);
      floor_all (d, scale2, FLAT ? 0 : kSigned);
      BDCT_UNROLL for (int j = 0; j < 2; j++)
        if constexpr (FLAT) {
          b_low[j].r[i] = quantizer.quantize (d.v[2 * j], d.v[2 * j + 1]);
          count (2 * i + j, nonzero_halves (b_low[j].r[i]), b_low[j].r[i]);
        } else {
          count (2 * i + j, quantizer.template requantize<Sample> (
                  b_high[j].r[i], b_low[j].r[i], d.v[2 * j], d.v[2 * j + 1],
                  4 * i + 2 * j, 4 * i + 2 * j + 1));
        }
    }
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      FragC16x8f d = start3;

      /* First, as with the low bytes the offset's share would not fit 24
       * bits. */
      if constexpr (!FLAT)
        d = mma_16x8x16_f16 (a3_256, b_high[i], d);
      d = mma_16x8x16_f16 (a3, b_low[i], d);
      split_bytes (high[i], low[i], d, scale3, kBase3<FLAT>);
    }
    FragC16x8f d[2];
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      d[i] = mma_16x8x16_f16 (side_by_side (high[0], high[1]), b4_256[i],
          start4[i]);
      d[i] = mma_16x8x16_f16 (side_by_side (low[0], low[1]), b4[i], d[i]);
      floor_all (d[i], scale4, 0);
    }
    BDCT_UNROLL for (int j = 0; j < 2; j++)
      if constexpr (sizeof (Sample) > 1) {
        BDCT_UNROLL for (int i = 0; i < 2; i++)
          out[j][i] =
              clamped_words (d[i].v[2 * j], d[i].v[2 * j + 1], peak);
      } else {
        out[j][0] = clamped_bytes (d[0].v[2 * j], d[0].v[2 * j + 1],
            d[1].v[2 * j], d[1].v[2 * j + 1]);
      }
  }
};

} // namespace
