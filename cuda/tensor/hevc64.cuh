/* blockdct: the tensor-core chain of H.266's transform of 64 x 64, of which the
 * lowest 32 x 32 frequencies are kept, and of the 32 x 32 of its chroma.
 *
 * A warp has a square of 64 x 64 samples. It reads 16 rows at a time, once for
 * each half of the frequencies, and writes 16 rows at a time; in between it has
 * 32 coefficients to a lane, as in hevc32.cuh, whose products and sums these
 * are, with these bounds:
 *
 * The matrix' entries are at most 91 and its rows' magnitudes sum to at most
 * 2^12. The first pass' sums are at most 2^12 times 2^(B-1), beyond 2^22 from
 * 11 bits on. Samples of two bytes therefore have sums without a float, which a
 * shift of integers rounds. Its results, and the coefficients, are at most 2^14
 * as elsewhere, as each shift takes off what the matrix' row 0 multiplies by.
 *
 * The second pass' sums of high bytes are at most 2^12 times 2^6, those of low
 * ones below 2^12 times 2^8. In the fourth pass a sum has the 32 kept entries
 * of a column, whose magnitudes sum to at most 2595: times 2^7 and 2^8 that is
 * below 2^20. All are well within a float's 2^22. Their shifts are 12 and 20 -
 * B.
 *
 * The third pass' results are within 16 bits if the job passes hevc_fits(),
 * which knows that of a column only the part of the kept frequencies comes
 * back, up to 2.24 times as high as the column itself. Its sums, 128 times as
 * large, are then within 2^22.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "hevc32.cuh"

namespace {

template <typename Sample> struct Hevc64
{
  /* [half of the frequencies][half of the inner dimension]; [quarter of the
   * frequencies][half of the inner dimension]; [quarter of the rows]; [eighth
   * of the columns] */
  FragA16x32b a1[2][2], a3[4];
  FragB32x8b b2[4][2], b4[8];
  Pass32 first[2], pass[3];     /* as in Hevc32 */
  Quantizer32<false> quantizer;
  /* HevcSteps' quant, add and dequant: of an eighth of the vertical and of the
   * horizontal frequencies each, and of a lane's first frequency. */
  int32_t entries[16][4], first_entry[4];
  uint32_t peak[4];             /* only the first is used */

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    using Square = Hevc32<Sample, false>;
    const int g = lane / 4, t = lane % 4;
    const int middle = 1 << (depth - 1);

    for (int h = 0; h < 2; h++) {
      for (int p = 0; p < 2; p++)
        a1[p][h] = operand_a_of_bytes<FragA16x32b> (lane,
            [&] (int row, int k) {
              return m.m[16 * p + row][32 * h + Square::sample (kind, k)];
            });
      for (int q = 0; q < 4; q++)
        b2[q][h] = operand_b_of_bytes (lane, [&] (int k, int n) {
              return m.m[8 * q + n][32 * h + gathered (k)];
            });
    }
    for (int p = 0; p < 4; p++)
      a3[p] = operand_a_of_bytes<FragA16x32b> (lane, [&] (int row, int k) {
            return m.m[gathered (k)][16 * p + row];
          });
    for (int q = 0; q < 8; q++)
      b4[q] = operand_b_of_bytes (lane, [&] (int k, int n) {
            return m.m[gathered (k)][Square::column (kind, q, n)];
          });
    pass[0].set_joined (job.fwd_shift[1], 1, kSigned);
    pass[1].set_whole (job.inv_shift[0]);
    pass[2].set_joined (job.inv_shift[1], kTiny, middle);
    for (int p = 0; p < 2; p++) {
      if (sizeof (Sample) > 1)
        first[p].set_shift (job.fwd_shift[0]);
      else
        first[p].set_whole (job.fwd_shift[0]);
      for (int i = 0; i < 4; i++)
        first[p].start.v[i] -=
            (int) (middle * m.row_sum (16 * p + g + i / 2 * 8));
    }
    quantizer.set_all (job, 0);
    for (int i = 0; i < 16; i++) {
      quantizer.set (1, job, i / 4 * 8 + 2 * t + 1, i % 4 * 8 + g);
      quantizer.get (entries[i], 1);
    }
    quantizer.set (0, job, 2 * t, g);
    quantizer.get (first_entry, 0);
    peak[0] = ((1 << depth) - 1) * 0x10001u;
  }
};

/* A lane's view of Hevc64. */
template <typename Sample> struct Lane64 : InMemory
{
  using Constants = Hevc64<Sample>;

  /* Dequantized levels as high and low bytes, [quarter of the horizontal
   * frequencies]. */
  struct Dequantized
  {
    FragB32x8b high[4], low[4];
  };

  /* The first pass of 8 rows. x: [low and high bytes][half of the inner
   * dimension]. */
  static BDCT_INLINE FragC16x8f
  first_pass (const FragA16x32b a[2],
      const FragB32x8b (&x)[sizeof (Sample)][2], const Pass32 &pass)
  {
    FragC16x8i d = pass.start;

    if constexpr (sizeof (Sample) > 1)
      d = with_high_bytes (mma_16x8x32_s8_u8 (a[1], x[1][1],
              mma_16x8x32_s8_u8 (a[0], x[1][0], FragC16x8i ())), d);
    d = mma_16x8x32_s8_u8 (a[1], x[0][1], mma_16x8x32_s8_u8 (a[0], x[0][0],
            d));
    if constexpr (sizeof (Sample) > 1)
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        d.v[i] = (int32_t) d.v[i] >> pass.shift;

    FragC16x8f r = as_floats (d);
    if constexpr (sizeof (Sample) == 1)
      floor_all (r, pass.scale, pass.base);
    return r;
  }

  /* From the samples through the dequantizer. load (x, i) reads 16 rows: [half
   * of the rows], then as in first_pass(). count as in Hevc16. */
  template <typename Load, typename Count> BDCT_INLINE void
  forward (Dequantized &to, Load load, Count count) const
  {
    Quantizer32<false> quantizer;

    READ (quantizer, quantizer);
    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      FragA16x32b a[2], high[2], low[2];        /* [half of the rows] */
      Pass32 pass;

      READ_AT (a, a1, p);
      READ_AT (pass, first, p);
      BDCT_UNROLL for (int h = 0; h < 2; h++) {
        FragC16x8f d[4];

        BDCT_UNROLL for (int r = 0; r < 2; r++) {
          FragB32x8b x[2][sizeof (Sample)][2];

          load (x, 2 * h + r);
          BDCT_UNROLL for (int i = 0; i < 2; i++)
            d[2 * r + i] = first_pass (a, x[i], pass);
        }
        gather_bytes (high[h], low[h], d);
      }
      READ_AT (pass, pass, 0);
      BDCT_UNROLL for (int h = 0; h < 2; h++) {
        uint32_t w[2][2];

        BDCT_UNROLL for (int r = 0; r < 2; r++) {
          const int q = 2 * h + r;
          FragB32x8b b[2];

          READ_AT (b, b2, q);

          const FragC16x8f d = join (mma_16x8x32_s8_s8 (high[1], b[1],
                  mma_16x8x32_s8_s8 (high[0], b[0], pass.start)),
              mma_16x8x32_u8_s8 (low[1], b[1],
                  mma_16x8x32_u8_s8 (low[0], b[0], pass.start)), pass);
          BDCT_UNROLL for (int i = 0; i < 2; i++) {
            const int column = 2 * p + i;
            int32_t entry[4];

            READ_AT (entry, entries, 4 * q + column);
            quantizer.put (entry, 1);
            if (q == 0 && column == 0)
              READ (entry, first_entry);
            quantizer.put (entry, 0);
            w[i][r] = quantizer.template words<Sample> (d.v[2 * i],
                d.v[2 * i + 1]);
            count (2 * h + p, nonzero_words (w[i][r]));
          }
        }
        BDCT_UNROLL for (int i = 0; i < 2; i++)
          gather_bytes (to.high[2 * p + i].r[h], to.low[2 * p + i].r[h],
              w[i][0], w[i][1]);
      }
    }
  }

  /* 16 rows of samples. store (y, i) receives columns 32i to 32i + 31 as
   * Hevc32's pairs of chunks, without its halves of rows. */
  template <typename Store> BDCT_INLINE void
  inverse (const Dequantized &from, int p, Store store) const
  {
    FragA16x32b a, high, low;
    FragC16x8f d[4];
    Pass32 pass;

    READ_AT (a, a3, p);
    READ_AT (pass, pass, 1);
    BDCT_UNROLL for (int q = 0; q < 4; q++) {
      d[q] = as_floats (mma_16x8x32_s8_u8 (a, from.low[q],
              with_high_bytes (mma_16x8x32_s8_s8 (a, from.high[q],
                      FragC16x8i ()), pass.start)));
      floor_all (d[q], pass.scale, pass.base);
    }
    gather_bytes (high, low, d);
    READ_AT (pass, pass, 2);
    uint32_t peak[4];
    if (sizeof (Sample) > 1)
      READ (peak, peak);
    BDCT_UNROLL for (int j = 0; j < 2; j++) {
      uint32_t y[sizeof (Sample)][4];

      BDCT_UNROLL for (int h = 0; h < 2; h++) {
        FragB32x8b b[2];

        READ_AT (b, b4, 2 * j + h);
        BDCT_UNROLL for (int r = 0; r < 2; r++)
          d[r] = join (mma_16x8x32_s8_s8 (high, b[r], pass.start),
              mma_16x8x32_u8_s8 (low, b[r], pass.start), pass);
        BDCT_UNROLL for (int i = 0; i < 4; i += 2)
          if constexpr (sizeof (Sample) > 1) {
            BDCT_UNROLL for (int r = 0; r < 2; r++)
              y[h][i + r] =
                  clamped_words (d[r].v[i], d[r].v[i + 1], peak[0]);
          } else {
            y[0][i + h] = clamped_bytes (d[0].v[i], d[1].v[i], d[0].v[i + 1],
                d[1].v[i + 1]);
          }
      }
      store (y, j);
    }
  }
};

/* The constants of a plane of either size. */
template <typename Sample, bool FLAT> union Hevc64Or32
{
  Hevc64<Sample> large;
  Hevc32<Sample, FLAT> small;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    if (job.log2_width == 6)
      large.set (m, kind, job, depth, lane);
    else
      small.set (m, kind, job, depth, lane);
  }
};

/* A lane's view of them. */
template <typename Sample, bool FLAT> struct Lane64Or32
{
  using Constants = Hevc64Or32<Sample, FLAT>;
  using Whole = Lane64<Sample>;
  using Half = Hevc32<Sample, FLAT>;

  Whole whole;
  Lane32<Sample, FLAT> half;

  BDCT_INLINE void
  load (const void *constants, int lane)
  {
    whole.load (constants, lane);
    half.load (constants, lane);
  }
};

} // namespace
