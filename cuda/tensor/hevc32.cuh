/* blockdct: the tensor-core chain of H.265's transforms of up to 32 x 32.
 *
 * A warp has a square of 32 x 32 samples, 32 to a lane: two by two operands.
 * The constants stay in memory, near which the caches are.
 *
 * The products are of bytes and the sums are integers; only HevcFlat's levels
 * are halves as elsewhere. An intermediate is a signed high byte and an
 * unsigned low byte, without an offset. Sums start at the bits of a float plus
 * the rounding: read as a float, they are that float plus the sum in its last
 * place, as long as the sum is below 2^22. This holds for the first pass (at 12
 * bits 2^11 times 2^11, the sum of a row) and for the third (hevc_fits()),
 * which add the low bytes' products to 256 times the high bytes'. The sums of
 * the second and fourth pass are too large; their bytes have separate sums,
 * below 2^18 and 2^19. With h and l on 1.5 * 2^23, 256 h + l is near 1.5 * 2^31
 * and rounded down to a multiple of 256. The shift, of at least 8, rounds down
 * again, with the same result as rounding once.
 *
 * A product of levels is without the step, which is applied afterwards, so that
 * the rounding before it may be a fraction. With it the sums fit 24 bits: the
 * first pass' magnitudes are at most 2^14 and the matrix multiplies a norm by
 * at most 2^8.6, so a column of coefficients has a norm of at most 2^14.1. A
 * dequantized coefficient is at most 1.5 times the coefficient. The magnitudes
 * in a sum with one of the matrix' columns thus sum to less than 2^23.3 over
 * the step.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include "hevc.cuh"
#include "unit.cuh"

namespace {

/* Without an offset a dequantized level and its fraction fit 32 bits. */
template <bool FLAT> struct alignas (16) Quantizer32
    : std::conditional<FLAT, HevcFlat, HevcSteps<2, 16>>::type
{
  /* Two coefficients with entries 0 and 1, dequantized, as words. Only level 0
   * is dequantized to 0. */
  template <typename Sample> BDCT_INLINE uint32_t
  words (float c0, float c1) const
  {
    return permute (this->template dequantized<Sample> (this->level (c0, 0), 0),
        this->template dequantized<Sample> (this->level (c1, 1), 1),
        HIGH_WORDS);
  }
};

/* The initial values of sums: kSigned, or, for sums that join() combines, the
 * same in units of 2^-64, so that the factor from there to kTiny is a float. */
constexpr uint32_t kSignedBits = 0x4b400000, kJoinBits = 0x2b400000;
constexpr float kJoinUnit = 0x1p-64f;

/* The initial value of a pass' sums, and their rounding shift. */
struct alignas (16) Pass32
{
  FragC16x8i start;             /* all the same, in the registers that the
                                   instruction needs */
  float scale, base;
  int32_t shift;                /* in place of both where sums are integers */

  void set_start (uint32_t v)
  {
    for (int i = 0; i < 4; i++)
      start.v[i] = v;
  }

  /* From joined sums to units of `unit`, with `to` added. As half a unit cannot
   * be added at the end, both sums start with the rounding, which is 128 units
   * too many. */
  void set_joined (int shift, double unit, double to)
  {
    const double scaled = 1.0 / (1 << shift);

    set_start (kJoinBits + (1 << (shift - 1)));
    scale = (float) (scaled * unit / kJoinUnit);
    base = (float) ((to - 257 * kSigned * scaled - 128) * unit);
  }

  void set_shift (int by)
  {
    set_start (1 << (by - 1));
    shift = by;
  }

  /* From sums on kSigned to kSigned. */
  void set_whole (int shift)
  {
    set_start (kSignedBits + (1 << (shift - 1)));
    scale = 1.0f / (1 << shift);
    base = kSigned - kSigned * scale;
  }

  /* From sums of levels' products, with the step, to kSigned. */
  void set_levels (const BdctComponentJob &job)
  {
    const float rounding = rounding3 (job);
    uint32_t bits;

    memcpy (&bits, &rounding, sizeof bits);
    set_start (bits);
    scale = scale3_of<true> (job);
    base = kSigned;
  }
};

template <typename Sample, bool FLAT> struct Hevc32
{
  static constexpr bool flat = FLAT;

  /* Levels are halves, and an operand of halves has half the inner
   * dimension. */
  using Third = typename std::conditional<FLAT, FragA16x16h,
      FragA16x32b>::type;
  static constexpr int thirds = FLAT ? 2 : 1;

  /* [half of the rows], [half of the inner dimension]; [half of the
   * columns][its quarter] */
  FragA16x32b a1[2];
  Third a3[2][thirds];
  FragB32x8b b2[2][2], b4[2][2];
  Pass32 first[2], pass[3];     /* first: of each half of the rows; pass: the
                                   other passes */
  Quantizer32<FLAT> quantizer;
  /* HevcSteps' quant, add and dequant: of both frequencies 2t and 2t + 1, and
   * of 2t where a block of 16 x 16 or 32 x 32 may begin. */
  int32_t entries[16][4], first_entries[4][4];
  uint32_t peak[4];             /* only the first is used */

  /* Whether entry i belongs to the rows and columns in which a block may
   * begin. */
  static __host__ __device__ constexpr bool
  is_first (int i)
  {
    return i / 4 % 2 == 0 && i % 2 == 0;
  }

  /* The sample that inner index k of the first product stands for. */
  static int sample (Kind kind, int k)
  {
    switch (kind) {
      case BYTES:
        return k;
      case WORD_PAIRS:
        return k / 16 * 16 + k % 4 * 4 + k % 16 / 4;
      default:
        return gathered (k);
    }
  }

  static int column (Kind kind, int quarter, int n)
  {
    if (kind == BYTES)
      return quarter / 2 * 16 + n / 2 * 4 + n % 2 + quarter % 2 * 2;
    return 8 * quarter + column_of (kind, n);
  }

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const int middle = 1 << (depth - 1);

    for (int p = 0; p < 2; p++) {
      a1[p] = operand_a_of_bytes<FragA16x32b> (lane, [&] (int row, int k) {
            return m.m[16 * p + row][sample (kind, k)];
          });
      if constexpr (FLAT)
        for (int h = 0; h < 2; h++)
          a3[p][h] = operand_a (lane, HIGH, [&] (int row, int k) {
                return m.m[16 * h + k][16 * p + row];
              });
      else
        a3[p][0] = operand_a_of_bytes<FragA16x32b> (lane, [&] (int row, int k) {
              return m.m[gathered (k)][16 * p + row];
            });
    }
    for (int q = 0; q < 4; q++) {
      b2[q / 2][q % 2] = operand_b_of_bytes (lane, [&] (int k, int n) {
            return m.m[8 * q + n][gathered (k)];
          });
      b4[q / 2][q % 2] = operand_b_of_bytes (lane, [&] (int k, int n) {
            return m.m[gathered (k)][column (kind, q, n)];
          });
    }
    pass[0].set_joined (job.fwd_shift[1], FLAT ? kTiny : 1,
        FLAT ? 0 : kSigned);
    pass[2].set_joined (job.inv_shift[1], kTiny, middle);
    for (int p = 0; p < 2; p++) {
      first[p].set_whole (job.fwd_shift[0]);
      for (int i = 0; i < 4; i++)
        first[p].start.v[i] -=
            (int) (middle * m.row_sum (16 * p + g + i / 2 * 8));
    }
    if constexpr (FLAT) {
      pass[1].set_levels (job);
      quantizer.set_all (job);
    } else {
      pass[1].set_whole (job.inv_shift[0]);
      quantizer.set_all (job, 0);
      for (int i = 0; i < 16; i++) {
        const int v = i / 4 * 8 + 2 * t, u = i % 4 * 8 + g;

        quantizer.set (0, job, v, u);
        quantizer.set (1, job, v + 1, u);
        quantizer.get (entries[i], 1);
        if (is_first (i))
          quantizer.get (first_entries[i / 8 * 2 + i % 4 / 2], 0);
      }
    }
    peak[0] = ((1 << depth) - 1) * 0x10001u;
  }
};

/* 256 high + low, shifted. */
BDCT_INLINE FragC16x8f
join (const FragC16x8i &high, const FragC16x8i &low, const Pass32 &pass)
{
  FragC16x8f d = as_floats (low);

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    d.v[i] = __fmaf_rd (__uint_as_float (high.v[i]), 256, d.v[i]);
  floor_all (d, pass.scale, pass.base);
  return d;
}

/* The high and low bytes of two pairs of words. */
BDCT_INLINE void
gather_bytes (uint32_t &high, uint32_t &low, uint32_t a, uint32_t b)
{
  high = permute (a, b, ODD_BYTES);
  low = permute (a, b, EVEN_BYTES);
}

/* Results on kSigned, of 8 columns each, as operands of their bytes. */
BDCT_INLINE void
gather_bytes (FragA16x32b &high, FragA16x32b &low, const FragC16x8f d[4])
{
  BDCT_UNROLL for (int h = 0; h < 2; h++) {
    const FragC16x8f &a = d[2 * h], &b = d[2 * h + 1];

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      gather_bytes (high.r[2 * h + i], low.r[2 * h + i],
          low_words (a.v[2 * i], a.v[2 * i + 1]),
          low_words (b.v[2 * i], b.v[2 * i + 1]));
  }
}

/* A lane's view of constants in memory. */
struct InMemory
{
  const uint4 *memory;          /* the lane's first 16 bytes */

  BDCT_INLINE void
  load (const void *constants, int lane)
  {
    memory = (const uint4 *) constants + lane;
  }

  template <typename T> BDCT_INLINE void
  read (T &to, size_t offset) const
  {
    static_assert (sizeof (T) % 16 == 0);
    uint4 w[sizeof (T) / 16];

    BDCT_UNROLL for (size_t i = 0; i < sizeof (T) / 16; i++)
      w[i] = __ldg (memory + (offset / 16 + i) * 32);
    memcpy (&to, w, sizeof (T));
  }
};

/* Read member `name` of Constants, or its element i. */
#define READ(to, name) this->read (to, offsetof (Constants, name))
#define READ_AT(to, name, i) \
  this->read (to, offsetof (Constants, name) + (i) * sizeof (to))

/* A lane's view of Hevc32. */
template <typename Sample, bool FLAT> struct Lane32 : InMemory
{
  using Constants = Hevc32<Sample, FLAT>;

  /* Levels as halves, [quarter of the columns][half of the inner dimension], or
   * dequantized ones as high and low bytes, [quarter of the columns]. */
  struct Dequantized
  {
    FragB16x8h levels[4][2];
    FragB32x8b high[4], low[4];
  };

  /* From the first pass' results through the quantizer and, if it is not flat,
   * the dequantizer. */
  template <typename Count> BDCT_INLINE void
  forward (Dequantized &to, const FragA16x32b high[2],
      const FragA16x32b low[2], Count count) const
  {
    Pass32 pass;
    Quantizer32<FLAT> quantizer;

    READ_AT (pass, pass, 0);
    READ (quantizer, quantizer);
    BDCT_UNROLL for (int h = 0; h < 2; h++) {
      FragB32x8b b[2];
      uint32_t w[4][2];

      READ_AT (b, b2, h);
      BDCT_UNROLL for (int r = 0; r < 2; r++)
        BDCT_UNROLL for (int p = 0; p < 2; p++) {
          const FragC16x8f d =
              join (mma_16x8x32_s8_s8 (high[p], b[r], pass.start),
              mma_16x8x32_u8_s8 (low[p], b[r], pass.start), pass);

          BDCT_UNROLL for (int i = 0; i < 2; i++) {
            const int column = 2 * p + i;

            if constexpr (FLAT) {
              uint32_t &levels = to.levels[column][h].r[r];

              levels = quantizer.quantize (d.v[2 * i], d.v[2 * i + 1]);
              count (2 * h + r, column, nonzero_halves (levels), levels);
            } else {
              int32_t entry[4];

              READ_AT (entry, entries, 8 * h + 4 * r + column);
              quantizer.put (entry, 1);
              if (Constants::is_first (8 * h + 4 * r + column))
                READ_AT (entry, first_entries, 2 * h + column / 2);
              quantizer.put (entry, 0);
              w[column][r] = quantizer.template words<Sample> (d.v[2 * i],
                  d.v[2 * i + 1]);
              count (2 * h + r, column, nonzero_words (w[column][r]));
            }
          }
        }
      if constexpr (!FLAT)
        BDCT_UNROLL for (int i = 0; i < 4; i++)
          gather_bytes (to.high[i].r[h], to.low[i].r[h], w[i][0], w[i][1]);
    }
  }

  /* The first inverse pass of 16 rows, for a quarter of the columns. */
  BDCT_INLINE FragC16x8f
  inverse (const typename Constants::Third *a, const Pass32 &pass,
      const Dequantized &from, int column) const
  {
    FragC16x8f d;

    if constexpr (FLAT)
      d = mma_16x8x16_f16 (a[1], from.levels[column][1], mma_16x8x16_f16 (
              a[0], from.levels[column][0], as_floats (pass.start)));
    else
      d = as_floats (mma_16x8x32_s8_u8 (a[0], from.low[column],
              with_high_bytes (mma_16x8x32_s8_s8 (a[0], from.high[column],
                      FragC16x8i ()), pass.start)));
    floor_all (d, pass.scale, pass.base);
    return d;
  }

  /* x: [low and high bytes][quarter of the rows]; out: [pair of chunks][half of
   * the rows][two chunks of 8 rows, then of the next 8 rows]. Calls count (i,
   * j, flags) for row i and column j of the squares of 8 x 8. */
  template <typename Count> BDCT_INLINE void
  run (uint32_t out[sizeof (Sample)][2][4],
      const FragB32x8b x[sizeof (Sample)][4], Count count) const
  {
    FragA16x32b high[2], low[2];        /* [half of the rows] */
    Dequantized dequantized;
    Pass32 pass;

    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      FragA16x32b a;
      FragC16x8f d[4];

      READ_AT (a, a1, p);
      READ_AT (pass, first, p);
      BDCT_UNROLL for (int q = 0; q < 4; q++) {
        if constexpr (sizeof (Sample) > 1)
          d[q] = as_floats (mma_16x8x32_s8_u8 (a, x[0][q],
                  with_high_bytes (mma_16x8x32_s8_u8 (a, x[1][q],
                          FragC16x8i ()), pass.start)));
        else
          d[q] = as_floats (mma_16x8x32_s8_u8 (a, x[0][q], pass.start));
        floor_all (d[q], pass.scale, pass.base);
      }
      gather_bytes (high[p], low[p], d);
    }
    forward (dequantized, high, low, count);
    READ_AT (pass, pass, 1);
    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      typename Constants::Third a[Constants::thirds];
      FragC16x8f d[4];

      READ_AT (a, a3, p);
      BDCT_UNROLL for (int q = 0; q < 4; q++)
        d[q] = inverse (a, pass, dequantized, q);
      gather_bytes (high[p], low[p], d);
    }
    READ_AT (pass, pass, 2);
    uint32_t peak[4];
    if (sizeof (Sample) > 1)
      READ (peak, peak);
    BDCT_UNROLL for (int h = 0; h < 2; h++) {
      FragB32x8b b[2];

      READ_AT (b, b4, h);
      BDCT_UNROLL for (int p = 0; p < 2; p++) {
        FragC16x8f d[2];

        BDCT_UNROLL for (int r = 0; r < 2; r++)
          d[r] = join (mma_16x8x32_s8_s8 (high[p], b[r], pass.start),
              mma_16x8x32_u8_s8 (low[p], b[r], pass.start), pass);
        BDCT_UNROLL for (int i = 0; i < 4; i += 2)
          if constexpr (sizeof (Sample) > 1) {
            BDCT_UNROLL for (int r = 0; r < 2; r++)
              out[h][p][i + r] =
                  clamped_words (d[r].v[i], d[r].v[i + 1], peak[0]);
          } else {
            out[0][p][i + h] = clamped_bytes (d[0].v[i], d[1].v[i],
                d[0].v[i + 1], d[1].v[i + 1]);
          }
      }
    }
  }
};

} // namespace
