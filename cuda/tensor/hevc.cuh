/* blockdct: what the tensor-core chains of H.265's transforms share:
 * quantizers, initial values of sums, first products.
 *
 * Bounds, for a residual of B bits: the first pass' results and the
 * coefficients have magnitudes of at most 2^14. A dequantized coefficient has
 * at most 1.5 times that, as a level is not 0 only above 2/3 of a step. The
 * first inverse pass' results are below 2^15 if the job passes hevc_fits() in
 * tensor.cu. FLAT: HevcFlat quantizes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <type_traits>
#include "exact.cuh"
#include "operands.cuh"

namespace {

/* The offsets that make intermediates unsigned: of the first pass, and of the
 * first inverse pass. */
constexpr int kLift1 = 0x4000, kLift3 = 0x8000;

/* H.265's quantizer, for COUNT different entries of its tables. A dequantized
 * level is in a register from bit AT on. */
template <int COUNT, int AT = 8> struct HevcSteps
{
  int32_t quant[COUNT], add[COUNT], dequant[COUNT];
  int32_t negative, bits, extra, dequant_add;

  static int lift (const BdctComponentJob &job)
  {
    return job.dequant_bits < AT ? AT - job.dequant_bits : 0;
  }

  void set_all (const BdctComponentJob &job, int lift3 = kLift3)
  {
    negative = 2 * job.quant_add + 1 - (1 << job.quant_bits);
    bits = job.quant_bits;
    extra = job.dequant_bits + lift (job) - AT;
    dequant_add = (1 << (job.dequant_bits + lift (job) - 1))
        + (lift3 << (job.dequant_bits + lift (job)));
  }

  /* Entry i is for vertical frequency v and horizontal frequency u of a block.
   * The square is one block or several side by side. */
  void set (int i, const BdctComponentJob &job, int v, int u)
  {
    const int mask = (1 << job.log2_width) - 1;
    const BdctQuantizer entry = bdct_job_entry (&job, v & mask, u & mask);

    quant[i] = entry.quant;
    /* This subtracts what the bits of kSigned add to the product. */
    add[i] = (int32_t) (job.quant_add - 0x4b400000u * quant[i]);
    dequant[i] = entry.dequant << lift (job);
  }

  /* An entry's layout in memory. */
  void get (int32_t to[4], int i) const
  {
    to[0] = quant[i];
    to[1] = add[i];
    to[2] = dequant[i];
  }

  BDCT_INLINE void
  put (const int32_t from[4], int i)
  {
    quant[i] = from[0];
    add[i] = from[1];
    dequant[i] = from[2];
  }

  /* The level of a coefficient on kSigned, with entry i: sign (c) ((|c| quant +
   * add) >> bits). */
  BDCT_INLINE int32_t
  level (float c, int i) const
  {
    int32_t z = (int32_t) __float_as_uint (c) * quant[i] + add[i];

    z += (z >> 31) * negative;
    return z >> bits;
  }

  /* The dequantized level, with the offset. At 8 bits no size whose levels are
   * from bit 8 on has anything to shift off, and nothing has from bit 16 on. */
  template <typename Sample> BDCT_INLINE uint32_t
  dequantized (int32_t level, int i) const
  {
    const uint32_t v = level * dequant[i] + dequant_add;

    return AT == 8 && sizeof (Sample) > 1 ? v >> extra : v;
  }

  /* Two coefficients with entries i and j: the dequantized ones as high and low
   * bytes, each in a half. Returns the flags of nonzero levels. */
  template <typename Sample> BDCT_INLINE uint32_t
  requantize (uint32_t &high, uint32_t &low, float c0, float c1, int i,
      int j) const
  {
    const int32_t l0 = level (c0, i), l1 = level (c1, j);
    const uint32_t v0 = dequantized<Sample> (l0, i);
    const uint32_t v1 = dequantized<Sample> (l1, j);

    high = permute (v0, v1, HIGH_WORDS);
    low = permute (v0, v1, ODD_BYTES);
    return nonzero_words (permute (l0, l1, LOW_WORDS));
  }
};

/* The step of a component whose steps are all the same whole number. */
inline int
whole_step (const BdctComponentJob &job)
{
  return job.dequant[0] >> job.dequant_bits;
}

/* Likewise if all entries are equal, the step is a whole number and no level is
 * beyond +-2047, the range of a half in units of kByte. The level is c quant /
 * 2^bits with the rounding offset's magnitude added, rounded towards zero
 * twice, which is exact. The step multiplies the next product. */
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

/* The shift of the first inverse pass. */
constexpr float kScale3 = 1.0f / 128;

/* The initial value of the third product's sums, of levels, with which rounding
 * their multiple by the step, over 128, becomes rounding down. That multiple is
 * a multiple of the step's lowest bit, so any value from 64 to 64 plus that
 * bit, over the step, will do. This returns the one with the fewest bits, down
 * to 1/256, which tensor cores keep beside levels; 0 if there is none. In units
 * of kByte. */
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

/* The scale from those sums, or from sums of bytes, to whole numbers. */
template <bool FLAT> inline float
scale3_of (const BdctComponentJob &job)
{
  return FLAT ? whole_step (job) * kScale3 / kByte : 1 / kByte;
}

template <bool FLAT> constexpr float kBase3 = (1 << 23) + (FLAT ? kLift3 : 0);

/* The quantizer of a chain in which a lane has COUNT coefficients with
 * different entries. */
template <bool FLAT, int COUNT> using HevcQuantizer =
    typename std::conditional<FLAT, HevcFlat, HevcSteps<COUNT>>::type;

/* The accumulators' initial values, from the sums of the matrix' rows and
 * columns that they are for: rounding, level shift, and compensation of the
 * offsets. The first is for integers, the third for dequantized data. */
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

  /* The base that turns such a sum into the first pass' result, on 2^23. */
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

/* Operands of bytes for the first product. Two-byte samples take two products,
 * with the matrix' entries at the positions of the low bytes and of the high
 * ones. */
template <typename Sample> struct HevcFirst
{
  using Operand = typename std::conditional<sizeof (Sample) == 1, FragA16x16b,
      FragA16x32b>::type;

  Operand low, high;
  FragC16x8i start;
  float scale, base;

  /* forward (row, i) is the matrix' entry for sample i of a row, sample (k) the
   * sample that byte k belongs to. */
  template <typename Forward, typename SampleOf> void
  set (const HevcStart &first, int lane, Forward forward, SampleOf sample)
  {
    const int bytes = sizeof (Sample);

    low = operand_a_of_bytes<Operand> (lane, [&] (int row, int k) {
          return k % bytes == 0 ? forward (row, sample (k)) : 0;
        });
    high = operand_a_of_bytes<Operand> (lane, [&] (int row, int k) {
          return k % bytes != 0 ? forward (row, sample (k)) : 0;
        });
    scale = (float) first.scale1;
    base = first.base1 ();
  }

  /* Compute the bytes of the first pass' results. */
  BDCT_INLINE void
  run (FragA16x8h &a_high, FragA16x8h &a_low, const uint32_t *w) const
  {
    FragC16x8i d;

    if constexpr (sizeof (Sample) > 1) {
      const FragB32x8b x = { { w[0], w[1] } };

      d = mma_16x8x32_s8_u8 (low, x, with_high_bytes (
              mma_16x8x32_s8_u8 (high, x, FragC16x8i ()), start));
    } else {
      d = mma_16x8x16_s8_u8 (low, FragB16x8b { { w[0] } }, start);
    }
    split_bytes (a_high, a_low, as_floats (d), scale, base);
  }
};

} // namespace
