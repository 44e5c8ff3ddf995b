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
  uint32_t a1[4], a1_256[4], a3_high[4], a3_low[4], b2[2][2], b4[2][2];
  Acc start1, start2[2], start3, start4[2];
  SquareQuantizer<FLAT> quantizer;
  uint32_t identity, peak, base;
  float scale2, scale4;

  /* The column of the square that column n of the last product's half is. */
  static int column (Kind kind, int half, int n)
  {
    return kind == BYTES ? n / 2 * 4 + n % 2 + 2 * half
        : 8 * half + column_of (kind, n);
  }

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const HevcStart start (job, kind, depth, FLAT ? whole_step (job) : 0);
    const double step = FLAT ? whole_step (job) : 256;
    const auto forward = [&] (int row, int k) {
      return m.m[row][sample_of (kind, k)] * start.scale1;
    };
    const auto inverse = [&] (int row, int k) {
      return m.m[k][row] * start.scale3;
    };
    const auto scaled =
        [&] (int row, int k) { return step * inverse (row, k); };

    operand_a (a1, lane, HIGH, forward);
    operand_a (a1_256, lane, HIGH,
        [&] (int row, int k) { return 256 * forward (row, k); });
    operand_a (a3_high, lane, HIGH, scaled);
    if (FLAT)
      operand_a (a3_low, lane, LOW, scaled);
    else
      operand_a (a3_low, lane, HIGH, inverse);
    for (int half = 0; half < 2; half++)
      for (int r = 0; r < 2; r++) {
        b2[half][r] = operand_b (lane, HIGH,
            [&] (int k, int n) { return m.m[8 * half + n][8 * r + k]; });
        b4[half][r] = operand_b (lane, HIGH, [&] (int k, int n) {
              return m.m[8 * r + k][column (kind, half, n)];
            });
      }
    for (int i = 0; i < 4; i++) {
      const int row = g + i / 2 * 8;

      start1.v[i] = start.first (m.row_sum (row));
      start3.v[i] = start.third (m.column_sum (row));
      for (int half = 0; half < 2; half++) {
        const int n = 2 * t + i % 2;

        start2[half].v[i] = start.second (m.row_sum (8 * half + n));
        start4[half].v[i] =
            start.fourth (m.column_sum (column (kind, half, n)));
      }
    }
    quantizer.set_all (job);
    if constexpr (!FLAT) {
      const int mask = (1 << job.log2_size) - 1;
      const int s = job.log2_size > 3 ? job.log2_size - 3 : 0;

      for (int i = 0; i < 8; i++) {
        const int u = (g + i / 2 % 2 * 8) & mask;
        const int v = (i / 4 * 8 + 2 * t + i % 2) & mask;

        quantizer.set (i, job, (v >> s << 3) + (u >> s));
      }
    }
    identity = minus_identity (lane);
    peak = ((1 << depth) - 1) * 0x10001u;
    base = bytes_base (12);
    scale2 = (float) (1 << (24 - start.s2));
    scale4 = (float) (1 << (24 - start.s4));
  }

  /* x and out: [8 rows each][columns' halves]; x as product1() takes it. */
  BDCT_INLINE void
  run (uint32_t out[2][2], uint32_t &nonzero, const uint32_t (*x)[4]) const
  {
    uint32_t high[4], low[4], b_high[2][2], b_low[2][2];

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      split<true> (high + 2 * i, low + 2 * i,
          product1<Sample> (a1, a1_256, x[i], start1), identity);
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      Acc d = mma (high, b2[i][0], b2[i][1], start2[i]);
      d = mma (low, b2[i][0], b2[i][1], d);
      floor_all (d, scale2, kSigned);
      BDCT_UNROLL for (int j = 0; j < 2; j++)
        if constexpr (FLAT)
          b_high[j][i] = b_low[j][i] =
              quantizer.quantize (nonzero, d.v[2 * j], d.v[2 * j + 1]);
        else
          quantizer.template requantize<Sample> (b_high[j][i], b_low[j][i],
              nonzero, d.v[2 * j], d.v[2 * j + 1], 4 * i + 2 * j,
              4 * i + 2 * j + 1);
    }
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      Acc d = mma (a3_high, b_high[i][0], b_high[i][1], start3);
      d = mma (a3_low, b_low[i][0], b_low[i][1], d);
      split<true> (high + 2 * i, low + 2 * i, d, identity);
    }
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      Acc d = mma (high, b4[i][0], b4[i][1], start4[i]);
      d = mma (low, b4[i][0], b4[i][1], d);
      if constexpr (sizeof (Sample) > 1)
        floor_all (d, scale4, kSigned);
      BDCT_UNROLL for (int j = 0; j < 2; j++)
        if constexpr (sizeof (Sample) > 1)
          out[j][i] = clamped_words (d.v[2 * j], d.v[2 * j + 1], peak);
        else
          out[j][i] = clamped_bytes (pack_half_down (d.v[2 * j],
                  d.v[2 * j + 1]), base);
    }
  }
};

/* 32 x 32 samples, 32 a lane: two by two operands. Their constants stay in
 * memory, where the caches are. What differs: the second product does not fit
 * 24 bits, so the bytes of its input have accumulators of their own; and half
 * of the third one's sum would not with a step in it, so the step comes after.
 */
template <bool FLAT> struct Quantizer32;
template <> struct Quantizer32<true> : HevcFlat {};
template <> struct Quantizer32<false> : HevcSteps<1> {};

template <typename Sample, bool FLAT> struct Hevc32
{
  static constexpr bool flat = FLAT;

  /* [rows or columns][inner half][register] */
  uint32_t a1[2][2][4], a3[2][2][4];
  uint32_t b2[4][2][2], b4[4][2][2];
  Acc start1[2], start2[4], start3[2], start4[4];
  int32_t entries[16][4];       /* HevcSteps' quant, add, dequant */
  struct alignas (16) Rest
  {
    Quantizer32<FLAT> quantizer;
    uint32_t peak, base;
    float scale2, scale3, scale4;
  } rest;

  static int sample (Kind kind, int half, int k)
  {
    return 16 * half + sample_of (kind, k);
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
    const HevcStart start (job, kind, depth, 0);

    for (int p = 0; p < 2; p++)
      for (int h = 0; h < 2; h++) {
        const auto inverse = [&] (int row, int k) {
          return m.m[16 * h + k][16 * p + row] * (FLAT ? 1 : start.scale3);
        };

        operand_a (a1[p][h], lane, HIGH, [&] (int row, int k) {
              return m.m[16 * p + row][sample (kind, h, k)] * start.scale1;
            });
        operand_a (a3[p][h], lane, HIGH, inverse);
      }
    for (int q = 0; q < 4; q++)
      for (int h = 0; h < 2; h++)
        for (int r = 0; r < 2; r++) {
          const int inner = 16 * h + 8 * r;

          b2[q][h][r] = operand_b (lane, HIGH, [&] (int k, int n) {
                return m.m[8 * q + n][inner + k];
              });
          b4[q][h][r] = operand_b (lane, HIGH, [&] (int k, int n) {
                return m.m[inner + k][column (kind, q, n)];
              });
        }
    for (int i = 0; i < 4; i++) {
      for (int p = 0; p < 2; p++) {
        const int row = 16 * p + g + i / 2 * 8;

        start1[p].v[i] = start.first (m.row_sum (row));
        start3[p].v[i] = FLAT
            ? (float) (-kLiftLevel * m.column_sum (row) * kByte)
            : start.third (m.column_sum (row));
      }
      for (int q = 0; q < 4; q++) {
        const int n = 2 * t + i % 2;

        /* In units of 256. */
        start2[q].v[i] = start.second (m.row_sum (8 * q + n)) / 256;
        start4[q].v[i] = start.fourth (m.column_sum (column (kind, q, n)));
      }
    }
    rest.quantizer.set_all (job);
    if constexpr (!FLAT) {
      const int mask = (1 << job.log2_size) - 1, s = job.log2_size - 3;

      for (int i = 0; i < 16; i++) {
        const int u = (i % 4 * 8 + g) & mask, v = (i / 4 * 8 + 2 * t) & mask;

        rest.quantizer.set (0, job, (v >> s << 3) + (u >> s));
        entries[i][0] = rest.quantizer.quant[0];
        entries[i][1] = rest.quantizer.add[0];
        entries[i][2] = rest.quantizer.dequant[0];
      }
    }
    rest.peak = ((1 << depth) - 1) * 0x10001u;
    rest.base = bytes_base (12);
    rest.scale2 = (float) (1 << (24 - start.s2));
    rest.scale3 = (float) (whole_step (job) * (1 << 17));
    rest.scale4 = (float) (1 << (24 - start.s4));
  }
};

/* Bytes 0 and 1 of the whole parts of d * scale, as halves. */
BDCT_INLINE void
split_bytes (uint32_t *high, uint32_t *low, Acc d, float scale)
{
  floor_all (d, scale, 1 << 23);
  BDCT_UNROLL for (int i = 0; i < 2; i++) {
    const uint32_t a = __float_as_uint (d.v[2 * i]);
    const uint32_t b = __float_as_uint (d.v[2 * i + 1]);

    high[i] = __byte_perm (a, b, 0x6521);
    low[i] = __byte_perm (a, b, 0x6420);
  }
}

template <int COUNT> BDCT_INLINE void
times_256 (uint32_t *to, const uint32_t *from)
{
  BDCT_UNROLL for (int i = 0; i < COUNT; i++)
    to[i] = half_mul (from[i], 0x5c005c00);
}

/* What a lane keeps of Hevc32. */
template <typename Sample, bool FLAT> struct Lane32
{
  using Constants = Hevc32<Sample, FLAT>;

  const uint4 *memory;          /* the lane's first 16 bytes */
  typename Constants::Rest rest;

  BDCT_INLINE void
  load (const void *constants, int lane)
  {
    memory = (const uint4 *) constants + lane;
    read (rest, offsetof (Constants, rest));
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

  /* Member `name`'s element i. */
#define READ(to, name, i) \
  read (to, offsetof (Constants, name) + (i) * sizeof (to))

  /* Four quarters' coefficients to levels or dequantized ones: the second
   * product's column quarter q, for all rows' quarters. */
  BDCT_INLINE void
  forward (uint32_t b_high[4][4], uint32_t b_low[4][4], uint32_t &nonzero,
      const uint32_t high[2][2][4], const uint32_t low[2][2][4]) const
  {
    BDCT_UNROLL for (int q = 0; q < 4; q++) {
      uint32_t b[2][2];
      Acc start;

      READ (b, b2, q);
      READ (start, start2, q);
      BDCT_UNROLL for (int p = 0; p < 2; p++) {
        Acc d = mma (high[p][1], b[1][0], b[1][1],
            mma (high[p][0], b[0][0], b[0][1], start));
        const Acc l = mma (low[p][1], b[1][0], b[1][1],
            mma (low[p][0], b[0][0], b[0][1], same (0)));

        BDCT_UNROLL for (int i = 0; i < 4; i++)
          d.v[i] = __fmaf_rd (d.v[i], 256, l.v[i]);
        floor_all (d, rest.scale2, kSigned);
        BDCT_UNROLL for (int h = 0; h < 2; h++)
          if constexpr (FLAT) {
            b_high[2 * p + h][q] = b_low[2 * p + h][q] =
                rest.quantizer.quantize (nonzero, d.v[2 * h], d.v[2 * h + 1]);
          } else {
            auto quantizer = rest.quantizer;
            int32_t entry[4];

            READ (entry, entries, 4 * q + 2 * p + h);
            quantizer.quant[0] = entry[0];
            quantizer.add[0] = entry[1];
            quantizer.dequant[0] = entry[2];
            quantizer.template requantize<Sample> (b_high[2 * p + h][q],
                b_low[2 * p + h][q], nonzero, d.v[2 * h], d.v[2 * h + 1], 0,
                0);
          }
      }
    }
  }

  /* x: [rows' quarter][columns' half] as product1() takes it; out: [rows'
   * quarter][columns' quarter]. */
  BDCT_INLINE void
  run (uint32_t out[4][4], uint32_t &nonzero, const uint32_t x[4][2][4]) const
  {
    /* [rows' half][inner half], [column's quarter][inner quarter] */
    uint32_t high[2][2][4], low[2][2][4], b_high[4][4], b_low[4][4];

    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      uint32_t a[2][4], a256[2][4];
      Acc start;

      READ (a, a1, p);
      READ (start, start1, p);
      BDCT_UNROLL for (int h = 0; h < 2; h++)
        times_256<4> (a256[h], a[h]);
      BDCT_UNROLL for (int q = 0; q < 4; q++)
        split_bytes (high[p][q / 2] + q % 2 * 2, low[p][q / 2] + q % 2 * 2,
            product1<Sample> (a[1], a256[1], x[q][1],
                product1<Sample> (a[0], a256[0], x[q][0], start)), 1 << 24);
    }
    forward (b_high, b_low, nonzero, high, low);
    BDCT_UNROLL for (int p = 0; p < 2; p++) {
      uint32_t a[2][4], a256[2][4];
      Acc start;

      READ (a, a3, p);
      READ (start, start3, p);
      if (!FLAT)
        BDCT_UNROLL for (int h = 0; h < 2; h++)
          times_256<4> (a256[h], a[h]);
      BDCT_UNROLL for (int q = 0; q < 4; q++) {
        uint32_t *to = high[p][q / 2] + q % 2 * 2;
        uint32_t *to_low = low[p][q / 2] + q % 2 * 2;
        Acc d = start;

        if constexpr (!FLAT) {
          d = mma (a256[0], b_high[q][0], b_high[q][1], d);
          d = mma (a256[1], b_high[q][2], b_high[q][3], d);
        }
        d = mma (a[0], b_low[q][0], b_low[q][1], d);
        d = mma (a[1], b_low[q][2], b_low[q][3], d);
        if constexpr (FLAT)
          floor_all (d, rest.scale3, kLift3 + 0.5f);
        split_bytes (to, to_low, d, FLAT ? 1 : 1 << 24);
      }
    }
    BDCT_UNROLL for (int q = 0; q < 4; q++) {
      uint32_t b[2][2], b256[2][2];
      Acc start;

      READ (b, b4, q);
      READ (start, start4, q);
      times_256<4> (b256[0], b[0]);
      BDCT_UNROLL for (int p = 0; p < 2; p++) {
        Acc d = mma (high[p][1], b256[1][0], b256[1][1],
            mma (high[p][0], b256[0][0], b256[0][1], start));
        d = mma (low[p][1], b[1][0], b[1][1],
            mma (low[p][0], b[0][0], b[0][1], d));
        if constexpr (sizeof (Sample) > 1)
          floor_all (d, rest.scale4, kSigned);
        BDCT_UNROLL for (int h = 0; h < 2; h++)
          if constexpr (sizeof (Sample) > 1)
            out[2 * p + h][q] =
                clamped_words (d.v[2 * h], d.v[2 * h + 1], rest.peak);
          else
            out[2 * p + h][q] = clamped_bytes (pack_half_down (d.v[2 * h],
                    d.v[2 * h + 1]), rest.base);
      }
    }
  }
#undef READ
};

} // namespace

#endif
