/* blockdct: the vector operations of the chain in 16-bit lanes (tile16.c).
 *
 * A vector V is LANES lanes of 128 bits. Only load(), store(), split(), join()
 * and store_lanes() depend on the number of lanes: all other operations stay
 * within each lane, so that one source serves every width. 8, 16 and 32 in a
 * name are the bits of the elements, u means unsigned. Descriptions in terms of
 * a and b are for each element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SIMD_H
#define BDCT_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include "dct/base/compiler.h"


#if defined (__SSE4_1__)
#include <immintrin.h>

#if defined (__AVX512BW__)
#define LANES 4
typedef __m512i V;
#define OP(name) _mm512_##name
#define BITS(name) _mm512_##name##_si512
#elif defined (__AVX2__)
#define LANES 2
typedef __m256i V;
#define OP(name) _mm256_##name
#define BITS(name) _mm256_##name##_si256
#else
#define LANES 1
typedef __m128i V;
#define OP(name) _mm_##name
#define BITS(name) _mm_##name##_si128
#endif

#define add16 OP (add_epi16)
#define sub16 OP (sub_epi16)
#define add32 OP (add_epi32)
#define sub32 OP (sub_epi32)
#define abs16 OP (abs_epi16)
#define abs32 OP (abs_epi32)
#define addsat16 OP (adds_epi16)
#define addsat16u OP (adds_epu16)
#define min16u OP (min_epu16)
#define average16u OP (avg_epu16)       /* (a + b + 1) >> 1 */
#define subsat16u OP (subs_epu16)   /* a - b, not below 0 */
#define mullo16 OP (mullo_epi16)
#define mulhi16 OP (mulhi_epi16)        /* a b >> 16 */
#define mulhi16u OP (mulhi_epu16)
#define mulround16 OP (mulhrs_epi16)    /* (a b + 2^14) >> 15 */
#define madd16 OP (madd_epi16)  /* 32-bit sums of two neighbouring products */
#define and8 BITS (and)
#define or8 BITS (or)

/* Shifts by a constant. */
#define srl16 OP (srli_epi16)
#define sll32 OP (slli_epi32)
#define srl32 OP (srli_epi32)
#define sra32 OP (srai_epi32)

/* Shifts by a run-time number. */
#define sll16n(v, n) OP (sll_epi16) (v, _mm_cvtsi32_si128 (n))
#define srl16n(v, n) OP (srl_epi16) (v, _mm_cvtsi32_si128 (n))
#if LANES > 1
#define sra32n(v, n) OP (srav_epi32) (v, set32 (n))
#else
#define sra32n(v, n) OP (sra_epi32) (v, _mm_cvtsi32_si128 (n))
#endif

/* The elements of a, then those of b, narrowed to half the width with
 * saturation. */
#define packs32 OP (packs_epi32)
#define packus32 OP (packus_epi32)
#define packus16 OP (packus_epi16)

/* Likewise for sums shifted right by n. Sums that include HALF (n) are
 * rounded. */
#define HALF(n) (1 << (n) >> 1)
#define round32n sra32n
#define narrow32(a, b, n) packs32 (sra32 (a, n), sra32 (b, n))
#define narrow32n(a, b, n) packs32 (sra32n (a, n), sra32n (b, n))
#define narrow32un(a, b, n) packus32 (sra32n (a, n), sra32n (b, n))

/* a0 b0 a1 b1 ... of the lower or the higher half of a and b. */
#define low8 OP (unpacklo_epi8)
#define high8 OP (unpackhi_epi8)
#define low16 OP (unpacklo_epi16)
#define high16 OP (unpackhi_epi16)
#define low32 OP (unpacklo_epi32)
#define high32 OP (unpackhi_epi32)
#define low64 OP (unpacklo_epi64)
#define high64 OP (unpackhi_epi64)

#define shuffle8 OP (shuffle_epi8)      /* a[b[i]], or 0 if b[i] < 0 */
#define set16 OP (set1_epi16)
#define set32 OP (set1_epi32)
#define load32(p) set32 (*(p))  /* the same in all */
#define zero BITS (setzero)

BDCT_FORCE_INLINE V
load (const void *p)
{
  return BITS (loadu) ((const V *) p);
}

BDCT_FORCE_INLINE void
store (void *p, V v)
{
  BITS (storeu) ((V *) p, v);
}

/* Store each lane by itself, `step` bytes apart. */
BDCT_FORCE_INLINE void
store_lanes (uint8_t * p, ptrdiff_t step, V v)
{
#if LANES == 4
  _mm_storeu_si128 ((__m128i *) p, _mm512_castsi512_si128 (v));
  _mm_storeu_si128 ((__m128i *) (p + step), _mm512_extracti32x4_epi32 (v, 1));
  _mm_storeu_si128 ((__m128i *) (p + 2 * step),
      _mm512_extracti32x4_epi32 (v, 2));
  _mm_storeu_si128 ((__m128i *) (p + 3 * step),
      _mm512_extracti32x4_epi32 (v, 3));
#elif LANES == 2
  _mm_storeu_si128 ((__m128i *) p, _mm256_castsi256_si128 (v));
  _mm_storeu_si128 ((__m128i *) (p + step), _mm256_extracti128_si256 (v, 1));
#else
  (void) step;
  store (p, v);
#endif
}

/* The reverse of store_lanes(). */
BDCT_FORCE_INLINE V
load_lanes (const uint8_t * p, ptrdiff_t step)
{
#define LANE(i) _mm_loadu_si128 ((const __m128i *) (p + (i) * step))
#if LANES == 4
  return _mm512_inserti32x4 (_mm512_inserti32x4 (_mm512_inserti32x4
          (_mm512_castsi128_si512 (LANE (0)), LANE (1), 1), LANE (2), 2),
      LANE (3), 3);
#elif LANES == 2
  return _mm256_inserti128_si256 (_mm256_castsi128_si256 (LANE (0)), LANE (1),
      1);
#else
  (void) step;
  return LANE (0);
#endif
#undef LANE
}

/* |a - b| */
BDCT_FORCE_INLINE V
difference8u (V a, V b)
{
  return or8 (OP (subs_epu8) (a, b), OP (subs_epu8) (b, a));
}

/* The same 16 bytes in every lane. */
BDCT_FORCE_INLINE V
lane (const void *p)
{
  __m128i v = _mm_loadu_si128 ((const __m128i *) p);

#if LANES == 4
  return _mm512_broadcast_i32x4 (v);
#elif LANES == 2
  return _mm256_broadcastsi128_si256 (v);
#else
  return v;
#endif
}

/* A sum of products. It starts from 32-bit sums, adds two neighbouring products
 * at a time, and ends as 32-bit sums. */
typedef V Sum;

BDCT_FORCE_INLINE Sum
sum_from (V start)
{
  return start;
}

BDCT_FORCE_INLINE Sum
dot16 (Sum sum, V a, V b)
{
#if LANES == 4 && defined (__AVX512VNNI__)
  return _mm512_dpwssd_epi32 (sum, a, b);
#elif LANES == 2 && defined (__AVXVNNI__)
  return _mm256_dpwssd_avx_epi32 (sum, a, b);
#else
  return add32 (sum, madd16 (a, b));
#endif
}

BDCT_FORCE_INLINE V
sum_of (Sum sum)
{
  return sum;
}

/* The sums of neighbours in a, then in b. */
BDCT_FORCE_INLINE V
pairsum32 (V a, V b)
{
#if LANES == 4
  __m512 x = _mm512_castsi512_ps (a), y = _mm512_castsi512_ps (b);

  return add32 (_mm512_castps_si512 (_mm512_shuffle_ps (x, y, 0x88)),
      _mm512_castps_si512 (_mm512_shuffle_ps (x, y, 0xdd)));
#else
  return OP (hadd_epi32) (a, b);
#endif
}

/* a, which is at least 0, with the sign of b; a is 0 where b is. */
BDCT_FORCE_INLINE V
sign16 (V a, V b)
{
#if LANES == 4
  return _mm512_mask_sub_epi16 (a, _mm512_movepi16_mask (b), zero (), a);
#else
  return OP (sign_epi16) (a, b);
#endif
}

/* The even and the odd lanes of two vectors adjacent in memory. */
BDCT_FORCE_INLINE void
split (V * even, V * odd, V x, V y)
{
#if LANES == 4
  *even = _mm512_shuffle_i32x4 (x, y, 0x88);
  *odd = _mm512_shuffle_i32x4 (x, y, 0xdd);
#elif LANES == 2
  *even = _mm256_permute2x128_si256 (x, y, 0x20);
  *odd = _mm256_permute2x128_si256 (x, y, 0x31);
#else
  *even = x, *odd = y;
#endif
}

/* The reverse of split(). */
BDCT_FORCE_INLINE void
join (V * x, V * y, V even, V odd)
{
#if LANES == 4
  const V low = _mm512_setr_epi64 (0, 1, 8, 9, 2, 3, 10, 11);
  const V high = _mm512_setr_epi64 (4, 5, 12, 13, 6, 7, 14, 15);

  *x = _mm512_permutex2var_epi64 (even, low, odd);
  *y = _mm512_permutex2var_epi64 (even, high, odd);
#else
  split (x, y, even, odd);
#endif
}

#elif defined (__aarch64__)
#include <arm_neon.h>

#define LANES 1
typedef int32x4_t V;

#define U8(v) ((uint8x16_t) (v))
#define S16(v) ((int16x8_t) (v))
#define U16(v) ((uint16x8_t) (v))
#define U32(v) ((uint32x4_t) (v))
#define S64(v) ((int64x2_t) (v))

#define add16(a, b) ((V) (U16 (a) + U16 (b)))
#define sub16(a, b) ((V) (U16 (a) - U16 (b)))
#define add32(a, b) ((V) (U32 (a) + U32 (b)))
#define sub32(a, b) ((V) (U32 (a) - U32 (b)))
#define abs16(a) ((V) vabsq_s16 (S16 (a)))
#define abs32 vabsq_s32
#define min16u(a, b) ((V) vminq_u16 (U16 (a), U16 (b)))
#define average16u(a, b) ((V) vrhaddq_u16 (U16 (a), U16 (b)))
#define addsat16u(a, b) ((V) vqaddq_u16 (U16 (a), U16 (b)))
#define subsat16u(a, b) ((V) vqsubq_u16 (U16 (a), U16 (b)))
#define difference8u(a, b) ((V) vabdq_u8 (U8 (a), U8 (b)))
#define mullo16(a, b) ((V) (U16 (a) * U16 (b)))
#define mulround16(a, b) ((V) vqrdmulhq_s16 (S16 (a), S16 (b)))
#define and8(a, b) ((a) & (b))
#define or8(a, b) ((a) | (b))

#define srl16(a, n) ((V) (U16 (a) >> (n)))
#define srl32(a, n) ((V) (U32 (a) >> (n)))
#define sra32(a, n) ((a) >> (n))

#define sll16n(a, n) ((V) (U16 (a) << (n)))
#define srl16n srl16
#define sra32n sra32

#define packs32(a, b) ((V) vqmovn_high_s32 (vqmovn_s32 (a), b))
#define packus32(a, b) ((V) vqmovun_high_s32 (vqmovun_s32 (a), b))
#define packus16(a, b) \
  ((V) vqmovun_high_s16 (vqmovun_s16 (S16 (a)), S16 (b)))

/* vrshlq_s32 rounds by itself. */
#define HALF(n) 0
#define round32n(a, n) vrshlq_s32 (a, vdupq_n_s32 (-(n)))
#define narrow32n(a, b, n) packs32 (round32n (a, n), round32n (b, n))
#define narrow32un(a, b, n) packus32 (round32n (a, n), round32n (b, n))

#define low8(a, b) ((V) vzip1q_u8 (U8 (a), U8 (b)))
#define high8(a, b) ((V) vzip2q_u8 (U8 (a), U8 (b)))
#define low16(a, b) ((V) vzip1q_s16 (S16 (a), S16 (b)))
#define high16(a, b) ((V) vzip2q_s16 (S16 (a), S16 (b)))
#define low32 vzip1q_s32
#define high32 vzip2q_s32
#define low64(a, b) ((V) vzip1q_s64 (S64 (a), S64 (b)))
#define high64(a, b) ((V) vzip2q_s64 (S64 (a), S64 (b)))

#define shuffle8(a, b) ((V) vqtbl1q_u8 (U8 (a), U8 (b)))
#define set16(a) ((V) vdupq_n_s16 (a))
#define set32 vdupq_n_s32
#define load32 vld1q_dup_s32
#define zero() vdupq_n_s32 (0)
#define pairsum32 vpaddq_s32

BDCT_FORCE_INLINE V
load (const void *p)
{
  return (V) vld1q_u8 (p);
}

BDCT_FORCE_INLINE void
store (void *p, V v)
{
  vst1q_u8 (p, U8 (v));
}

#define lane load
#define load_lanes(p, step) ((void) (step), load (p))

BDCT_FORCE_INLINE void
store_lanes (uint8_t * p, ptrdiff_t step, V v)
{
  (void) step;
  store (p, v);
}

/* One instruction narrows by at most 16, a constant. */
BDCT_FORCE_INLINE V
narrow32 (V a, V b, int n)
{
  switch (n) {
#define CASE(n) \
    case n: return (V) vqrshrn_high_n_s32 (vqrshrn_n_s32 (a, n), b, n);
    CASE (1) CASE (2) CASE (3) CASE (4) CASE (7) CASE (8) CASE (9) CASE (10)
    CASE (11) CASE (12) CASE (15)
#undef CASE
    default:
      return narrow32n (a, b, n);
  }
}

BDCT_FORCE_INLINE V
mulhi16 (V a, V b)
{
  int32x4_t low = vmull_s16 (vget_low_s16 (S16 (a)), vget_low_s16 (S16 (b)));

  return (V) vuzp2q_s16 (S16 (low), S16 (vmull_high_s16 (S16 (a), S16 (b))));
}

BDCT_FORCE_INLINE V
mulhi16u (V a, V b)
{
  uint32x4_t low = vmull_u16 (vget_low_u16 (U16 (a)), vget_low_u16 (U16 (b)));

  return (V) vuzp2q_u16 (U16 (low), U16 (vmull_high_u16 (U16 (a), U16 (b))));
}

/* Neighbouring products are added only at the end. */
typedef struct {
  V start, low, high;
} Sum;

BDCT_FORCE_INLINE Sum
sum_from (V start)
{
  return (Sum) { start, zero (), zero () };
}

BDCT_FORCE_INLINE Sum
dot16 (Sum sum, V a, V b)
{
  sum.low = vmlal_s16 (sum.low, vget_low_s16 (S16 (a)),
      vget_low_s16 (S16 (b)));
  sum.high = vmlal_high_s16 (sum.high, S16 (a), S16 (b));
  return sum;
}

BDCT_FORCE_INLINE V
sum_of (Sum sum)
{
  return add32 (sum.start, pairsum32 (sum.low, sum.high));
}

BDCT_FORCE_INLINE V
madd16 (V a, V b)
{
  return sum_of (dot16 (sum_from (zero ()), a, b));
}

BDCT_FORCE_INLINE V
sign16 (V a, V b)
{
  const V sign = (V) (S16 (b) >> 15);

  return sub16 (a ^ sign, sign);
}

BDCT_FORCE_INLINE void
split (V * even, V * odd, V x, V y)
{
  *even = x, *odd = y;
}

#define join(x, y, even, odd) split (x, y, even, odd)

#endif
#endif
