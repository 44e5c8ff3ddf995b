/* blockdct: H.265's quantizer on the tensor cores, and the chain of its
 * transforms of up to 8 x 8.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HEVC_CUH
#define BDCT_HEVC_CUH

#include "chains.cuh"

namespace {

/* H.265's quantizer for COUNT different entries of its tables. */
template <int COUNT> struct HevcSteps
{
  int32_t quant[COUNT], add[COUNT], dequant[COUNT];
  int32_t negative, bits, extra, dequant_add;

  static int lift (const BdctComponentJob &job)
  {
    return job.dequant_bits < 8 ? 8 - job.dequant_bits : 0;
  }

  void set_all (const BdctComponentJob &job)
  {
    negative = 2 * job.quant_add + 1 - (1 << job.quant_bits);
    bits = job.quant_bits;
    extra = job.dequant_bits + lift (job) - 8;
    dequant_add = (1 << (job.dequant_bits + lift (job) - 1))
        + (kLift3 << (job.dequant_bits + lift (job)));
  }

  /* Entry i is index `at` of the tables. */
  void set (int i, const BdctComponentJob &job, int at)
  {
    quant[i] = job.quant[at];
    /* What the bits of kSigned add to the product is taken off. */
    add[i] = (int32_t) (job.quant_add - 0x4b400000u * quant[i]);
    dequant[i] = job.dequant[at] << lift (job);
  }

  /* Two coefficients on kSigned, with entries i and j: the dequantized ones,
   * lifted, as high and low bytes. */
  template <typename Sample> BDCT_INLINE void
  requantize (uint32_t &high, uint32_t &low, uint32_t &nonzero, float c0,
      float c1, int i, int j) const
  {
    const float c[2] = { c0, c1 };
    const int index[2] = { i, j };
    int32_t level[2];
    uint32_t v[2];

    BDCT_UNROLL for (int k = 0; k < 2; k++) {
      /* sign (c) ((|c| quant + add) >> bits) */
      int32_t z = (int32_t) __float_as_uint (c[k]) * quant[index[k]]
          + add[index[k]];
      z += (z >> 31) * negative;
      level[k] = z >> bits;
      /* Bytes 1 and 2. */
      v[k] = level[k] * dequant[index[k]] + dequant_add;
      if (sizeof (Sample) > 1)
        v[k] >>= extra;
    }
    high = __byte_perm (v[0], v[1], 0x7632);
    low = __byte_perm (v[0], v[1], 0x7531);
    nonzero += __vminu2 (__byte_perm (level[0], level[1], 0x5410), 0x00010001);
  }
};

/* A magnitude with the sign that `sign` has not. */
BDCT_INLINE float
opposite (float sign, uint32_t magnitude)
{
  uint32_t r;

  /* (~sign & 0x80000000) | magnitude: the compiler would take two. */
  asm ("lop3.b32 %0, %1, 0x80000000, %2, 0xae;"
      : "=r" (r) : "r" (__float_as_uint (sign)), "r" (magnitude));
  return __uint_as_float (r);
}

/* The step of a component of which all steps are equal whole numbers. */
inline int
whole_step (const BdctComponentJob &job)
{
  return job.dequant[0] >> job.dequant_bits;
}

/* The same where all entries are equal, a step is a whole number and no level
 * is beyond +-511: the level is floor (c K + a), or its mirror image for c < 0,
 * and dequantization is part of the next matrix. Rounding down twice is exact;
 * the two signs' offsets are 1/2 -+ 85/512, and 2^-26, less than a unit of c K,
 * makes floor a ceiling. */
struct HevcFlat
{
  float scale;
  uint32_t offset;

  void set_all (const BdctComponentJob &job)
  {
    const float a = nextafterf (85.0f / 512, 0);

    scale = (float) job.quant[0] / (float) (1 << job.quant_bits);
    memcpy (&offset, &a, sizeof offset);
  }

  /* A coefficient on kSigned: bytes 1 and 2 are its level + kLiftLevel, the
   * last place is 2^-8. */
  BDCT_INLINE float
  level (float c) const
  {
    c -= kSigned;
    c = __fmaf_rd (c, scale, opposite (c, offset));
    return __fadd_rd (c, 32768.5f + kLiftLevel);
  }

  /* Two levels + kLiftLevel, in units of kByte. */
  BDCT_INLINE uint32_t
  quantize (uint32_t &nonzero, float c0, float c1) const
  {
    const uint32_t levels = __byte_perm (__float_as_uint (level (c0)),
        __float_as_uint (level (c1)), 0x6521);

    nonzero += __vminu2 (levels ^ kLiftLevel * 0x10001u, 0x00010001);
    return levels;
  }
};

template <bool FLAT> struct HevcQuantizer;
template <> struct HevcQuantizer<true> : HevcFlat {};
template <> struct HevcQuantizer<false> : HevcSteps<2> {};

/* The accumulators' first values, by the sums of the matrix's rows and columns
 * they are for: rounding, level shift, and the lifts' shares of the products.
 */
struct HevcStart
{
  double middle, bytes, scale1, scale3, lift3;
  int s2, s4;

  /* `step` multiplies the third matrix; 0: nothing does, and its data are bytes
   * of dequantized coefficients, not levels. */
  HevcStart (const BdctComponentJob &job, Kind kind, int depth, double step)
  : middle (1 << (depth - 1)), bytes (is_words (kind) ? 0 : 1024),
    scale1 (1.0 / (1 << job.fwd_shift[0])), scale3 (1.0 / 128),
    lift3 (step != 0 ? kLiftLevel * step : kLift3), s2 (job.fwd_shift[1]),
    s4 (job.inv_shift[1])
  {
  }

  float first (double row_sum) const
  {
    return (float) ((kLift1 + 0.5 - middle * row_sum * scale1) * kByte);
  }

  float second (double row_sum) const
  {
    return (float) (((1 << (s2 - 1)) - kLift1 * row_sum) * kByte);
  }

  float third (double column_sum) const
  {
    return (float) ((kLift3 + 0.5 - lift3 * column_sum * scale3) * kByte);
  }

  float fourth (double column_sum) const
  {
    return (float) (((1 << (s4 - 1)) + (middle + bytes) * (1 << s4)
            - kLift3 * column_sum) * kByte);
  }
};

/* H.265's integer transforms. Bounds, for a residual of B bits: the first
 * pass's and the coefficients' magnitudes are at most 2^14; a dequantized one's
 * at most 1.5 times that, as a level is not 0 only above 2/3 of a step; the
 * first inverse pass's below 2^15 if the job passes hevc_fits() in tensor.cu.
 * FLAT: HevcFlat quantizes. */
template <typename Sample, bool FLAT> struct Hevc8
{
  uint32_t a1[4], a1_256[4], a3_high[4], a3_low[4], b2[2], b4[2];
  Acc start1, start2, start3, start4;
  HevcQuantizer<FLAT> quantizer;
  uint32_t identity, peak, base;
  float scale2, scale4;

  void set (const Transform &m, Kind kind, const BdctComponentJob &job,
      int depth, int lane)
  {
    const int g = lane / 4, t = lane % 4;
    const HevcStart start (job, kind, depth, FLAT ? whole_step (job) : 0);
    const double step = FLAT ? whole_step (job) : 256;
    const auto forward = [&] (int row, int k) {
      const int x = sample_of (kind, k);
      return x / 8 == row / 8 ? m.m[row % 8][x % 8] * start.scale1 : 0;
    };
    const auto inverse = [&] (int row, int k) {
      return k / 8 == row / 8 ? m.m[k % 8][row % 8] * start.scale3 : 0;
    };

    operand_a (a1, lane, HIGH, forward);
    operand_a (a1_256, lane, HIGH,
        [&] (int row, int k) { return 256 * forward (row, k); });
    const auto scaled = [&] (int row, int k) {
      return step * inverse (row, k);
    };
    operand_a (a3_high, lane, HIGH, scaled);
    if (FLAT)
      operand_a (a3_low, lane, LOW, scaled);
    else
      operand_a (a3_low, lane, HIGH, inverse);
    b2[0] = b2[1] =
        operand_b (lane, HIGH, [&] (int k, int n) { return m.m[n][k]; });
    b4[0] = b4[1] = operand_b (lane, HIGH,
        [&] (int k, int n) { return m.m[k][column_of (kind, n)]; });
    identity = minus_identity (lane);
    for (int i = 0; i < 4; i++) {
      const int n = 2 * t + i % 2;

      start1.v[i] = start.first (m.row_sum (g));
      start2.v[i] = start.second (m.row_sum (n));
      start3.v[i] = start.third (m.column_sum (g));
      start4.v[i] = start.fourth (m.column_sum (column_of (kind, n)));
    }
    quantizer.set_all (job);
    if constexpr (!FLAT) {
      const int mask = (1 << job.log2_size) - 1;

      for (int i = 0; i < 2; i++)
        quantizer.set (i, job, (((2 * t + i) & mask) << 3) + (g & mask));
    }
    peak = ((1 << depth) - 1) * 0x10001u;
    base = bytes_base (12);
    scale2 = (float) (1 << (24 - start.s2));
    scale4 = (float) (1 << (24 - start.s4));
  }

  BDCT_INLINE void
  run (uint32_t *out, uint32_t *nonzero, const uint32_t *x) const
  {
    uint32_t high[2], low[2], a[4];
    Acc d = product1<Sample> (a1, a1_256, x, start1);

    split<true> (a, a + 2, d, identity);
    d = mma (a, b2[0], b2[1], start2);
    floor_all (d, scale2, kSigned);
    BDCT_UNROLL for (int i = 0; i < 2; i++)
      if constexpr (FLAT)
        high[i] = low[i] =
            quantizer.quantize (nonzero[i], d.v[2 * i], d.v[2 * i + 1]);
      else
        quantizer.template requantize<Sample> (high[i], low[i], nonzero[i],
            d.v[2 * i], d.v[2 * i + 1], 0, 1);
    d = mma (a3_high, high[0], high[1], start3);
    d = mma (a3_low, low[0], low[1], d);
    split<true> (a, a + 2, d, identity);
    d = mma (a, b4[0], b4[1], start4);
    if constexpr (sizeof (Sample) > 1)
      floor_all (d, scale4, kSigned);
    BDCT_UNROLL for (int i = 0; i < 2; i++)
      if constexpr (sizeof (Sample) > 1)
        out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
      else
        out[i] = clamped_bytes (pack_half_down (d.v[2 * i], d.v[2 * i + 1]),
            base);
  }
};

} // namespace

#endif
