/* blockdct: exact whole numbers in half precision and in floats.
 *
 * A half below 2^-14 is a whole number of 2^-24. An unsigned byte in the low
 * byte of a half is therefore that byte in this unit. Products with whole
 * numbers of at most 11 bits are exact, and so are their sums below 2^24. A
 * 16-bit intermediate is the sum of two halves, its two bytes; the matrix for
 * the high byte is multiplied by 256. An offset makes the intermediate
 * unsigned, and the next product's accumulator starts with a value that
 * compensates it. A matrix entry of more than 11 bits is the sum of two halves,
 * too. Rounding shifts round down, once or twice, in a fused multiply-add: onto
 * a number whose last place is 1, so that its low bits are the integer, or to
 * the smallest floats, which are multiples of 2^-149. A level, rounded towards
 * zero or to nearest by the conversion to a half, is in its unit too, with its
 * sign.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "mma.cuh"
#include "permute.cuh"

namespace {

constexpr float kByte = 1.0f / (1 << 24);       /* a byte's unit */
constexpr float kSigned = 12582912.0f;  /* 1.5 * 2^23: low 16 bits = integer */

/* The last place of the smallest floats. Numbers rounded down to multiples of
 * it need no base subtracted, and keep their sign. */
constexpr float kTiny = 0x1p-149f;

/* Replace each number v of d by v * scale + base, rounded down to its last
 * place. */
BDCT_INLINE void
floor_all (FragC16x8f &d, float scale, float base)
{
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    d.v[i] = __fmaf_rd (d.v[i], scale, base);
}

/* The low 16 bits of two integers. */
BDCT_INLINE uint32_t
low_words (float low, float high)
{
  return permute (__float_as_uint (low), __float_as_uint (high), LOW_WORDS);
}

/* The high and low bytes, as halves, of d * scale + base rounded down. The
 * results are integers from 0 to 2^16 - 1, on a number whose bits 16 to 23 are
 * 0.
 */
BDCT_INLINE void
split_bytes (FragA16x8h &high, FragA16x8h &low, const FragC16x8f &d,
    float scale, float base)
{
  BDCT_UNROLL for (int i = 0; i < 2; i++) {
    const uint32_t a = __float_as_uint (__fmaf_rd (d.v[2 * i], scale, base));
    const uint32_t b =
        __float_as_uint (__fmaf_rd (d.v[2 * i + 1], scale, base));

    high.r[i] = permute (a, b, MIDDLE_WORDS);
    low.r[i] = permute (a, b, EVEN_BYTES);
  }
}

/* Both side by side. */
BDCT_INLINE FragA16x16h
split_bytes (const FragC16x8f &d, float scale, float base)
{
  FragA16x8h high, low;

  split_bytes (high, low, d, scale, base);
  return side_by_side (high, low);
}

/* For each of two halves, 1 in its 16 bits if it is not 0. */
BDCT_INLINE uint32_t
nonzero_halves (uint32_t halves)
{
#if __CUDA_ARCH__ >= 900
  /* Doubling drops the signs. */
  return __viaddmin_u16x2 (halves, halves, 0x00010001);
#else
  uint32_t r;

  asm ("set.ne.u32.f16x2 %0, %1, %2;" : "=r" (r) : "r" (halves), "r" (0));
  return r & 0x00010001;
#endif
}

/* Likewise for pairs of halves, each pair with one sign. */
BDCT_INLINE uint32_t
nonzero_halves (uint32_t high, uint32_t low)
{
#if __CUDA_ARCH__ >= 900
  /* Adding drops the signs. */
  return __viaddmin_u16x2 (high, low, 0x00010001);
#else
  return nonzero_halves (high | low);
#endif
}

/* Likewise for two words. */
BDCT_INLINE uint32_t
nonzero_words (uint32_t words)
{
#if __CUDA_ARCH__ >= 900
  return __vminu2 (words, 0x00010001);
#else
  /* The upper bit is the carry from the others, or set itself. */
  return (((words & 0x7fff7fff) + 0x7fff7fff) | words) >> 15 & 0x00010001;
#endif
}

/* Samples from numbers in units of kTiny: the bits of non-negative ones are the
 * integer, and the bits of the others are negative integers. Four bytes, of two
 * rows in turn: */
BDCT_INLINE uint32_t
clamped_bytes (float a0, float a1, float b0, float b1)
{
  return pack_bytes (__float_as_uint (a0), __float_as_uint (b0),
      pack_bytes (__float_as_uint (a1), __float_as_uint (b1), 0));
}

BDCT_INLINE uint32_t
clamped_bytes (const FragC16x8f &d)
{
  return clamped_bytes (d.v[0], d.v[1], d.v[2], d.v[3]);
}

/* Two words. */
BDCT_INLINE uint32_t
clamped_words (float low, float high, uint32_t peak)
{
  return __vminu2 (pack_words (__float_as_uint (low), __float_as_uint (high)),
      peak);
}

} // namespace
