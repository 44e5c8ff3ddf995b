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

  void set_all (const BdctComponentJob &job, int lift3 = kLift3)
  {
    negative = 2 * job.quant_add + 1 - (1 << job.quant_bits);
    bits = job.quant_bits;
    extra = job.dequant_bits + lift (job) - 8;
    dequant_add = (1 << (job.dequant_bits + lift (job) - 1))
        + (lift3 << (job.dequant_bits + lift (job)));
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
   * lifted, in bytes 1 and 2, and which levels are not 0. */
  template <typename Sample> BDCT_INLINE uint32_t
  requantize (uint32_t *v, float c0, float c1, int i, int j) const
  {
    const float c[2] = { c0, c1 };
    const int index[2] = { i, j };
    int32_t level[2];

    BDCT_UNROLL for (int k = 0; k < 2; k++) {
      /* sign (c) ((|c| quant + add) >> bits) */
      int32_t z = (int32_t) __float_as_uint (c[k]) * quant[index[k]]
          + add[index[k]];
      z += (z >> 31) * negative;
      level[k] = z >> bits;
      v[k] = level[k] * dequant[index[k]] + dequant_add;
      if (sizeof (Sample) > 1)
        v[k] >>= extra;
    }
    return __vminu2 (__byte_perm (level[0], level[1], 0x5410), 0x00010001);
  }

  /* The same as high and low bytes, each in a half. */
  template <typename Sample> BDCT_INLINE uint32_t
  requantize (uint32_t &high, uint32_t &low, float c0, float c1, int i,
      int j) const
  {
    uint32_t v[2];
    const uint32_t flags = requantize<Sample> (v, c0, c1, i, j);

    high = __byte_perm (v[0], v[1], 0x7632);
    low = __byte_perm (v[0], v[1], 0x7531);
    return flags;
  }
};

/* A magnitude with the sign of a number. */
BDCT_INLINE float
with_sign (uint32_t magnitude, float sign)
{
  uint32_t r;

  /* (sign & 0x80000000) | magnitude: the compiler would take two. */
  asm ("lop3.b32 %0, %1, 0x80000000, %2, 0xea;"
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
 * is beyond +-2047, what a half in units of kByte holds: the level is
 * c quant / 2^bits with the rounding offset's magnitude added, rounded towards
 * zero twice, which is exact; the step multiplies the next product. */
struct HevcFlat
{
  float scale;
  uint32_t offset;

  void set_all (const BdctComponentJob &job)
  {
    const float unit = kByte / (float) (1 << job.quant_bits);
    const float a = (float) job.quant_add * unit;

    scale = (float) (job.quant[0] * (double) unit / kTiny);
    memcpy (&offset, &a, sizeof offset);
  }

  BDCT_INLINE float
  level (float c) const
  {
    return __fmaf_rz (c, scale, with_sign (offset, c));
  }

  /* The levels of two coefficients in units of kTiny. */
  BDCT_INLINE uint32_t
  quantize (float c0, float c1) const
  {
    return truncate_half (level (c0), level (c1));
  }
};

/* The first inverse pass: its shift. */
constexpr float kScale3 = 1.0f / 128;

/* What the third product's sums, of levels, begin with for their multiple by
 * the step, over 128, to be rounded by rounding down: that is a multiple of the
 * step's lowest bit, so anything does from 64 to 64 plus that bit, over the
 * step. The number of fewest bits, down to 1/256, which the tensor cores keep
 * beside levels; 0 if there is none. In units of kByte. */
inline float
rounding3 (const BdctComponentJob &job)
{
  const int step = whole_step (job), lowest = step & -step;
  const double end = 64 + (lowest < 64 ? lowest : 64);

  for (int unit = 1; unit <= 256; unit *= 2) {
    const double r = ceil (64.0 * unit / step);

    if (r * step < end * unit)
      return (float) (r / unit * kByte);
  }
  return 0;
}

/* Of those sums, and of sums of bytes, to whole numbers. */
template <bool FLAT> inline float
scale3_of (const BdctComponentJob &job)
{
  return FLAT ? whole_step (job) * kScale3 / kByte : 1 / kByte;
}

template <bool FLAT> constexpr float kBase3 = (1 << 23) + (FLAT ? kLift3 : 0);

template <bool FLAT> struct HevcQuantizer;
template <> struct HevcQuantizer<true> : HevcFlat {};
template <> struct HevcQuantizer<false> : HevcSteps<2> {};

/* The accumulators' first values, by the sums of the matrix's rows and columns
 * they are for: rounding, level shift, and the lifts' shares of the products.
 * The first one's is for integers; the third one's for dequantized data. */
struct HevcStart
{
  double middle, scale1;
  int s2, s4;

  HevcStart (const BdctComponentJob &job, int depth)
  : middle (1 << (depth - 1)), scale1 (1.0 / (1 << job.fwd_shift[0])),
    s2 (job.fwd_shift[1]), s4 (job.inv_shift[1])
  {
  }

  /* On kSigned. */
  uint32_t first (double row_sum) const
  {
    const float v =
        (float) (kSigned + (kLift1 + 0.5) / scale1 - middle * row_sum);
    uint32_t bits;

    memcpy (&bits, &v, sizeof bits);
    return bits;
  }

  /* What then makes the first pass's result of it, on 2^23. */
  float base1 () const
  {
    return (float) ((1 << 23) - kSigned * scale1);
  }

  float second (double row_sum) const
  {
    return (float) (((1 << (s2 - 1)) - kLift1 * row_sum) * kByte);
  }

  float third (double column_sum) const
  {
    return (float) ((kLift3 + 0.5 - kLift3 * column_sum * kScale3) * kByte);
  }

  float fourth (double column_sum) const
  {
    return (float) (((1 << (s4 - 1)) + middle * (1 << s4)
            - kLift3 * column_sum) * kByte);
  }
};

/* Operands of bytes for the first product. Samples of two bytes take two
 * products, with the matrix's entries where the low bytes are and where the
 * high ones are. */
template <typename Sample> struct HevcFirst
{
  static constexpr int registers = sizeof (Sample) == 1 ? 2 : 4;

  uint32_t low[registers], high[registers];
  IntAcc start;
  float scale, base;

  /* forward (row, i) is the matrix's entry for sample i of a unit's row,
   * sample (k) the one that byte k belongs to. */
  template <typename Forward, typename SampleOf> void
  set (const HevcStart &first, int lane, Forward forward, SampleOf sample)
  {
    const int bytes = sizeof (Sample);

    operand_a8<registers> (low, lane, [&] (int row, int k) {
          return k % bytes == 0 ? forward (row, sample (k)) : 0;
        });
    operand_a8<registers> (high, lane, [&] (int row, int k) {
          return k % bytes != 0 ? forward (row, sample (k)) : 0;
        });
    scale = (float) first.scale1;
    base = first.base1 ();
  }

  /* The bytes of the first pass's result. */
  BDCT_INLINE void
  run (uint32_t *a_high, uint32_t *a_low, const uint32_t *w) const
  {
    IntAcc d;

    if constexpr (sizeof (Sample) > 1)
      d = mma_s8_u8 (low, w, above (mma_s8_u8 (high, w, IntAcc ()), start));
    else
      d = mma_s8_u8_half (low, w[0], start);
    split_bytes (a_high, a_low, as_floats (d), scale, base);
  }
};

/* H.265's integer transforms. Bounds, for a residual of B bits: the first
 * pass's and the coefficients' magnitudes are at most 2^14; a dequantized one's
 * at most 1.5 times that, as a level is not 0 only above 2/3 of a step; the
 * first inverse pass's below 2^15 if the job passes hevc_fits() in tensor.cu.
 * FLAT: HevcFlat quantizes. */
template <typename Sample, bool FLAT> struct Hevc8
{
  HevcFirst<Sample> first;
  uint32_t a3[4], a3_256[4], b2[2], b4[2];
  Acc start2, start3, start4;
  HevcQuantizer<FLAT> quantizer;
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
    operand_a (a3, lane, HIGH, inverse);
    operand_a (a3_256, lane, HIGH,
        [&] (int row, int k) { return 256 * inverse (row, k); });
    operand_b_bytes (b2, lane, [&] (int k, int n) { return m.m[n][k]; });
    operand_b_bytes (b4, lane,
        [&] (int k, int n) { return m.m[k][column_of (kind, n)]; });
    for (int i = 0; i < 4; i++) {
      const int n = 2 * t + i % 2;

      first.start.v[i] = start.first (m.row_sum (g));
      start2.v[i] = start.second (m.row_sum (n));
      start3.v[i] = FLAT ? rounding3 (job) : start.third (m.column_sum (g));
      start4.v[i] = start.fourth (m.column_sum (column_of (kind, n)));
    }
    quantizer.set_all (job);
    if constexpr (!FLAT) {
      const int mask = (1 << job.log2_width) - 1;

      for (int i = 0; i < 2; i++)
        quantizer.set (i, job,
            bdct_job_index (&job, (2 * t + i) & mask, g & mask));
    }
    peak = ((1 << depth) - 1) * 0x10001u;
    scale2 = (float) (1 << (24 - start.s2)) * (FLAT ? kTiny : 1);
    scale3 = scale3_of<FLAT> (job);
    scale4 = (float) (1 << (24 - start.s4)) * kTiny;
  }

  template <typename Count> BDCT_INLINE void
  run (uint32_t *out, const uint32_t *w, bool, Count count) const
  {
    uint32_t a[4];
    Acc d;

    first.run (a, a + 2, w);
    d = mma (a, b2[0], b2[1], start2);
    floor_all (d, scale2, FLAT ? 0 : kSigned);
    d = product3 (d, count);
    split_bytes (a, a + 2, d, scale3, kBase3<FLAT>);
    d = mma (a, b4[0], b4[1], start4);
    floor_all (d, scale4, 0);
    if constexpr (sizeof (Sample) > 1)
      BDCT_UNROLL for (int i = 0; i < 2; i++)
        out[i] = clamped_words (d.v[2 * i], d.v[2 * i + 1], peak);
    else
      out[0] = clamped_bytes (d);
  }

private:
  /* The third product, from the coefficients. */
  template <typename Count> BDCT_INLINE Acc
  product3 (const Acc &c, Count count) const
  {
    uint32_t high[2], low[2];
    Acc d = start3;

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      if constexpr (FLAT) {
        low[i] = quantizer.quantize (c.v[2 * i], c.v[2 * i + 1]);
        count (i, nonzero_halves (low[i]));
      } else {
        count (i, quantizer.template requantize<Sample> (high[i], low[i],
                c.v[2 * i], c.v[2 * i + 1], 0, 1));
      }
    if constexpr (!FLAT)
      d = mma (a3_256, high[0], high[1], d);
    return mma (a3, low[0], low[1], d);
  }
};

} // namespace

#endif
