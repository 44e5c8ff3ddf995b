/* blockdct: the chains of H.265's transforms of up to 16 x 16, and of up to
 * 32 x 32, on the tensor cores.
 *
 * As in chains.cuh, but a warp's unit is a square of 16 x 16 samples, eight a
 * lane, whose matrix fills the tensor cores' operand: one of 16 x 16, or
 * smaller ones along the diagonal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SQUARES_CUH
#define BDCT_SQUARES_CUH

#include "hevc.cuh"

namespace {

template <bool FLAT> struct SquareQuantizer;
template <> struct SquareQuantizer<true> : HevcFlat {};
template <> struct SquareQuantizer<false> : HevcSteps<8> {};

template <typename Sample, bool FLAT> struct Hevc16
{
  HevcFirst<Sample> first;
  uint32_t a3[4], a3_256[4];
  /* [columns' half][inner half] */
  uint32_t b2[2][2], b2_256[2][2], b4[2][2], b4_256[2][2];
  Acc start2[2], start3, start4[2];
  SquareQuantizer<FLAT> quantizer;
  uint32_t peak;
  float scale2, scale3, scale4;

  /* The sample of the square's row that byte k belongs to. */
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

  /* The column of the square that column n of the last product's half is. */
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
    operand_a (a3, lane, HIGH, inverse);
    operand_a (a3_256, lane, HIGH,
        [&] (int row, int k) { return 256 * inverse (row, k); });
    for (int half = 0; half < 2; half++)
      for (int r = 0; r < 2; r++) {
        uint32_t b[2];

        operand_b_bytes (b, lane,
            [&] (int k, int n) { return m.m[8 * half + n][8 * r + k]; });
        b2_256[half][r] = b[0];
        b2[half][r] = b[1];
        operand_b_bytes (b, lane, [&] (int k, int n) {
              return m.m[8 * r + k][column (kind, half, n)];
            });
        b4_256[half][r] = b[0];
        b4[half][r] = b[1];
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
    if constexpr (!FLAT) {
      const int mask = (1 << job.log2_width) - 1;

      for (int i = 0; i < 8; i++) {
        const int u = (g + i / 2 % 2 * 8) & mask;
        const int v = (i / 4 * 8 + 2 * t + i % 2) & mask;

        quantizer.set (i, job, bdct_job_index (&job, v, u));
      }
    }
    peak = ((1 << depth) - 1) * 0x10001u;
    scale2 = (float) (1 << (24 - start.s2)) * (FLAT ? kTiny : 1);
    scale3 = scale3_of<FLAT> (job);
    scale4 = (float) (1 << (24 - start.s4)) * kTiny;
  }

  /* x: [8 rows each][register]; out: [8 rows each], of words [columns' halves].
   * count (i, flags) is told of quarter i: top left, top right, and below. */
  template <typename Count> BDCT_INLINE void
  run (uint32_t out[2][2], const uint32_t (*x)[2], Count count) const
  {
    uint32_t high[4], low[4], b_high[2][2], b_low[2][2];

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      first.run (high + 2 * i, low + 2 * i, x[i]);
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      Acc d = mma (high, b2_256[i][0], b2_256[i][1], start2[i]);
      d = mma (low, b2[i][0], b2[i][1], d);
      floor_all (d, scale2, FLAT ? 0 : kSigned);
      BDCT_UNROLL for (int j = 0; j < 2; j++)
        if constexpr (FLAT) {
          b_low[j][i] = quantizer.quantize (d.v[2 * j], d.v[2 * j + 1]);
          count (2 * i + j, nonzero_halves (b_low[j][i]));
        } else {
          count (2 * i + j, quantizer.template requantize<Sample> (
                  b_high[j][i], b_low[j][i], d.v[2 * j], d.v[2 * j + 1],
                  4 * i + 2 * j, 4 * i + 2 * j + 1));
        }
    }
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      Acc d = start3;

      /* First, as the lift's share would not fit 24 bits with the low bytes. */
      if constexpr (!FLAT)
        d = mma (a3_256, b_high[i][0], b_high[i][1], d);
      d = mma (a3, b_low[i][0], b_low[i][1], d);
      split_bytes (high + 2 * i, low + 2 * i, d, scale3, kBase3<FLAT>);
    }
    Acc d[2];
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      d[i] = mma (high, b4_256[i][0], b4_256[i][1], start4[i]);
      d[i] = mma (low, b4[i][0], b4[i][1], d[i]);
      floor_all (d[i], scale4, 0);
    }
    BDCT_UNROLL for (int j = 0; j < 2; j++)
      if constexpr (sizeof (Sample) > 1)
        BDCT_UNROLL for (int i = 0; i < 2; i++)
          out[j][i] =
              clamped_words (d[i].v[2 * j], d[i].v[2 * j + 1], peak);
      else
        out[j][0] = clamped_bytes (Acc { { d[0].v[2 * j], d[0].v[2 * j + 1],
                d[1].v[2 * j], d[1].v[2 * j + 1] } });
  }
};

/* 32 x 32 samples, 32 a lane: two by two operands. The constants stay in
 * memory, where the caches are.
 *
 * Here the products are of bytes and the sums integers; only HevcFlat's levels
 * are halves as above. An intermediate is a signed high and an unsigned low
 * byte, and nothing lifts it. Sums begin at the bits of a float plus the
 * rounding: read as a float they are that float plus the sum in its last
 * place, as long as the sum is below 2^22. So is the first pass's (at 12 bits
 * 2^11 times 2^11, the sum of a row) and the third one's (hevc_fits()), which
 * take the low bytes' products on top of 256 times the high ones'. Those of the
 * second and fourth are too large, and the bytes have sums of their own, below
 * 2^18 and 2^19. With h and l on 1.5 * 2^23, 256 h + l is near 1.5 * 2^31 and
 * rounded down to a multiple of 256, which the shift, of at least 8, rounds
 * down again: exactly as once.
 *
 * A product of levels is without the step, which comes after, so that the
 * rounding before it may be a fraction. The sums fit 24 bits with it: the first
 * pass's magnitudes are at most 2^14 and the matrix multiplies a norm by at
 * most 2^8.6, so a column of coefficients has a norm of at most 2^14.1; a
 * dequantized one is at most 1.5 times the coefficient; so the magnitudes in a
 * sum with one of the matrix's columns are together below 2^23.3 over the step.
 */
template <bool FLAT> struct Quantizer32;
template <> struct alignas (16) Quantizer32<true> : HevcFlat {};
template <> struct alignas (16) Quantizer32<false> : HevcSteps<1> {};

/* What sums begin at: kSigned, or, of those that join() puts together, that in
 * units of 2^-64, so that the factor from there to kTiny is a float. */
constexpr uint32_t kSignedBits = 0x4b400000, kJoinBits = 0x2b400000;
constexpr float kJoinUnit = 0x1p-64f;

/* What a pass's sums begin at, and its rounding shift of them. */
struct alignas (16) Pass32
{
  IntAcc start;                 /* all the same: registers as they are needed */
  float scale, base;

  void set_start (uint32_t v)
  {
    for (int i = 0; i < 4; i++)
      start.v[i] = v;
  }

  /* Of joined sums, to units of `unit`, with `to` added. As half a unit cannot
   * be added in the end, both sums begin with the rounding, which is 128 units
   * too many. */
  void set_joined (int shift, double unit, double to)
  {
    const double scaled = 1.0 / (1 << shift);

    set_start (kJoinBits + (1 << (shift - 1)));
    scale = (float) (scaled * unit / kJoinUnit);
    base = (float) ((to - 257 * kSigned * scaled - 128) * unit);
  }

  /* Of sums on kSigned, to kSigned. */
  void set_whole (int shift)
  {
    set_start (kSignedBits + (1 << (shift - 1)));
    scale = 1.0f / (1 << shift);
    base = kSigned - kSigned * scale;
  }

  /* Of sums of levels' products, with the step, to kSigned. */
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

  /* [rows' half][inner half, of halves][register], [columns' half][its
   * quarter][register] */
  uint32_t a1[2][4];
  uint32_t a3[2][FLAT ? 2 : 1][4];
  uint32_t b2[2][2][2], b4[2][2][2];
  Pass32 first[2], pass[3];     /* of the first pass's rows' halves; the rest */
  Quantizer32<FLAT> quantizer;
  int32_t entries[16][4];       /* HevcSteps' quant, add, dequant */
  uint32_t peak[4];             /* the first one */

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
      operand_a8 (a1[p], lane, [&] (int row, int k) {
            return m.m[16 * p + row][sample (kind, k)];
          });
      if constexpr (FLAT)
        for (int h = 0; h < 2; h++)
          operand_a (a3[p][h], lane, HIGH, [&] (int row, int k) {
                return m.m[16 * h + k][16 * p + row];
              });
      else
        operand_a8 (a3[p][0], lane, [&] (int row, int k) {
              return m.m[gathered (k)][16 * p + row];
            });
    }
    for (int q = 0; q < 4; q++) {
      operand_b8 (b2[q / 2][q % 2], lane, [&] (int k, int n) {
            return m.m[8 * q + n][gathered (k)];
          });
      operand_b8 (b4[q / 2][q % 2], lane, [&] (int k, int n) {
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
      const int mask = (1 << job.log2_width) - 1;

      pass[1].set_whole (job.inv_shift[0]);
      quantizer.set_all (job, 0);
      for (int i = 0; i < 16; i++) {
        const int u = (i % 4 * 8 + g) & mask, v = (i / 4 * 8 + 2 * t) & mask;

        quantizer.set (0, job, bdct_job_index (&job, v, u));
        entries[i][0] = quantizer.quant[0];
        entries[i][1] = quantizer.add[0];
        entries[i][2] = quantizer.dequant[0];
      }
    }
    peak[0] = ((1 << depth) - 1) * 0x10001u;
  }
};

/* 256 high + low, shifted. */
BDCT_INLINE Acc
join (const IntAcc &high, const IntAcc &low, const Pass32 &pass)
{
  Acc d = as_floats (low);

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    d.v[i] = __fmaf_rd (__uint_as_float (high.v[i]), 256, d.v[i]);
  floor_all (d, pass.scale, pass.base);
  return d;
}

/* Two pairs of words as their high and low bytes. */
BDCT_INLINE void
gather_bytes (uint32_t &high, uint32_t &low, uint32_t a, uint32_t b)
{
  high = __byte_perm (a, b, 0x7531);
  low = __byte_perm (a, b, 0x6420);
}

/* Results on kSigned, of 8 columns and of the next, as an inner half of an
 * operand: rows g, and g + 8. */
BDCT_INLINE void
gather_bytes (uint32_t *high, uint32_t *low, const Acc &a, const Acc &b)
{
  BDCT_UNROLL for (int i = 0; i < 2; i++)
    gather_bytes (high[i], low[i], words (a.v[2 * i], a.v[2 * i + 1]),
        words (b.v[2 * i], b.v[2 * i + 1]));
}

/* What a lane keeps of Hevc32. */
template <typename Sample, bool FLAT> struct Lane32
{
  using Constants = Hevc32<Sample, FLAT>;

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

  /* Member `name`, or its element i. */
#define READ(to, name) read (to, offsetof (Constants, name))
#define READ_AT(to, name, i) \
  read (to, offsetof (Constants, name) + (i) * sizeof (to))

  /* Levels as halves, [columns' quarter][inner quarter], or dequantized ones as
   * high and low bytes, [columns' quarter][inner half]. */
  struct Dequantized
  {
    uint32_t levels[4][4], high[4][2], low[4][2];
  };

  /* From the first pass to the quantizer, and back where it is not flat. */
  template <typename Count> BDCT_INLINE void
  forward (Dequantized &to, const uint32_t high[2][4],
      const uint32_t low[2][4], Count count) const
  {
    Pass32 pass;
    Quantizer32<FLAT> quantizer;

    READ_AT (pass, pass, 0);
    READ (quantizer, quantizer);
    BDCT_UNROLL for (int h = 0; h < 2; h++) {
      uint32_t b[2][2], w[4][2];

      READ_AT (b, b2, h);
      BDCT_UNROLL for (int r = 0; r < 2; r++)
        BDCT_UNROLL for (int p = 0; p < 2; p++) {
          const Acc d = join (mma_s8_s8 (high[p], b[r], pass.start),
              mma_u8_s8 (low[p], b[r], pass.start), pass);

          BDCT_UNROLL for (int i = 0; i < 2; i++) {
            const int column = 2 * p + i;

            if constexpr (FLAT) {
              uint32_t &levels = to.levels[column][2 * h + r];

              levels = quantizer.quantize (d.v[2 * i], d.v[2 * i + 1]);
              count (2 * h + p, nonzero_halves (levels));
            } else {
              int32_t entry[4];
              uint32_t v[2];

              READ_AT (entry, entries, 8 * h + 4 * r + column);
              quantizer.quant[0] = entry[0];
              quantizer.add[0] = entry[1];
              quantizer.dequant[0] = entry[2];
              count (2 * h + p, quantizer.template requantize<Sample> (v,
                      d.v[2 * i], d.v[2 * i + 1], 0, 0));
              w[column][r] = __byte_perm (v[0], v[1], 0x6521);
            }
          }
        }
      if constexpr (!FLAT)
        BDCT_UNROLL for (int i = 0; i < 4; i++)
          gather_bytes (to.high[i][h], to.low[i][h], w[i][0], w[i][1]);
    }
  }

  /* The first inverse pass of 16 rows, for a quarter of the columns. */
  BDCT_INLINE Acc
  inverse (const uint32_t (*a)[4], const Pass32 &pass, const Dequantized &from,
      int column) const
  {
    Acc d;

    if constexpr (FLAT) {
      const uint32_t *b = from.levels[column];

      d = mma (a[1], b[2], b[3],
          mma (a[0], b[0], b[1], as_floats (pass.start)));
    } else {
      d = as_floats (mma_s8_u8 (a[0], from.low[column],
              above (mma_s8_s8 (a[0], from.high[column], IntAcc ()),
                  pass.start)));
    }
    floor_all (d, pass.scale, pass.base);
    return d;
  }

  /* x: [low and high bytes][rows' quarter][columns' half]; out: [chunks' pair]
   * [rows' half][8 rows' two chunks, and the next 8 rows']. count as in Hevc16.
   */
  template <typename Count> BDCT_INLINE void
  run (uint32_t out[sizeof (Sample)][2][4],
      const uint32_t x[sizeof (Sample)][4][2], Count count) const
  {
    uint32_t high[2][4], low[2][4];
    Dequantized dequantized;
    Pass32 pass;

    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      uint32_t a[4];
      Acc d[4];

      READ_AT (a, a1, p);
      READ_AT (pass, first, p);
      BDCT_UNROLL for (int q = 0; q < 4; q++) {
        if constexpr (sizeof (Sample) > 1)
          d[q] = as_floats (mma_s8_u8 (a, x[0][q],
                  above (mma_s8_u8 (a, x[1][q], IntAcc ()), pass.start)));
        else
          d[q] = as_floats (mma_s8_u8 (a, x[0][q], pass.start));
        floor_all (d[q], pass.scale, pass.base);
      }
      BDCT_UNROLL for (int h = 0; h < 2; h++)
        gather_bytes (high[p] + 2 * h, low[p] + 2 * h, d[2 * h],
            d[2 * h + 1]);
    }
    forward (dequantized, high, low, count);
    READ_AT (pass, pass, 1);
    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      uint32_t a[FLAT ? 2 : 1][4];
      Acc d[4];

      READ_AT (a, a3, p);
      BDCT_UNROLL for (int q = 0; q < 4; q++)
        d[q] = inverse (a, pass, dequantized, q);
      BDCT_UNROLL for (int h = 0; h < 2; h++)
        gather_bytes (high[p] + 2 * h, low[p] + 2 * h, d[2 * h],
            d[2 * h + 1]);
    }
    READ_AT (pass, pass, 2);
    uint32_t peak[4];
    if (sizeof (Sample) > 1)
      READ (peak, peak);
    BDCT_UNROLL for (int h = 0; h < 2; h++) {
      uint32_t b[2][2];

      READ_AT (b, b4, h);
      BDCT_UNROLL for (int p = 0; p < 2; p++) {
        Acc d[2];

        BDCT_UNROLL for (int r = 0; r < 2; r++)
          d[r] = join (mma_s8_s8 (high[p], b[r], pass.start),
              mma_u8_s8 (low[p], b[r], pass.start), pass);
        BDCT_UNROLL for (int i = 0; i < 4; i += 2)
          if constexpr (sizeof (Sample) > 1)
            BDCT_UNROLL for (int r = 0; r < 2; r++)
              out[h][p][i + r] =
                  clamped_words (d[r].v[i], d[r].v[i + 1], peak[0]);
          else
            out[0][p][i + h] = clamped_bytes (Acc { { d[0].v[i], d[1].v[i],
                    d[0].v[i + 1], d[1].v[i + 1] } });
      }
    }
  }
#undef READ_AT
#undef READ
};

} // namespace

#endif
