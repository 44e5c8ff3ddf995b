/* blockdct: the operations of the chain in 16-bit lanes (chain16.c).
 *
 * A vector V is LANES lanes of 128 bits. Nothing but load(), store(), split()
 * and join() knows how many there are: all other operations stay within each
 * lane, so that one source serves every width. 8, 16 and 32 in a name are the
 * bits of what it works on, u means unsigned; what is said of a and b is said
 * of each element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SIMD_H
#define BDCT_SIMD_H

#include <stdint.h>

#define INLINE static inline __attribute__ ((always_inline))

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
#define min16u OP (min_epu16)
#define average16u OP (avg_epu16)       /* (a + b + 1) >> 1 */
#define subsat8u OP (subs_epu8) /* a - b, not below 0 */
#define mullo16 OP (mullo_epi16)
#define mulhi16 OP (mulhi_epi16)        /* a b >> 16 */
#define mulhi16u OP (mulhi_epu16)
#define mulround16 OP (mulhrs_epi16)    /* (a b + 2^14) >> 15 */
#define madd16 OP (madd_epi16)  /* 32-bit sums of two neighbouring products */
#define and8 BITS (and)
#define or8 BITS (or)

/* Shifts by a constant. */
#define srl16 OP (srli_epi16)
#define srl32 OP (srli_epi32)
#define sra32 OP (srai_epi32)

/* Shifts by what is known at run time alone. */
typedef __m128i Count;
#define count(n) _mm_cvtsi32_si128 (n)
#define sll16n OP (sll_epi16)
#define srl16n OP (srl_epi16)
#define sra32n OP (sra_epi32)

/* The elements of a, then those of b, half as wide, saturated. */
#define packs32 OP (packs_epi32)
#define packus32 OP (packus_epi32)
#define packus16 OP (packus_epi16)

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
#define zero BITS (setzero)

INLINE V
load (const void *p)
{
  return BITS (loadu) ((const V *) p);
}

INLINE void
store (void *p, V v)
{
  BITS (storeu) ((V *) p, v);
}

/* The same 16 bytes in every lane. */
INLINE V
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

/* sum + the sums of two neighbouring products */
INLINE V
dot16 (V sum, V a, V b)
{
#if LANES == 4 && defined (__AVX512VNNI__)
  return _mm512_dpwssd_epi32 (sum, a, b);
#elif LANES == 2 && defined (__AVXVNNI__)
  return _mm256_dpwssd_avx_epi32 (sum, a, b);
#else
  return add32 (sum, madd16 (a, b));
#endif
}

/* The sums of two neighbours of a, then those of b. */
INLINE V
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

/* a, at least 0, with the sign of b; a is 0 where b is. */
INLINE V
sign16 (V a, V b)
{
#if LANES == 4
  return _mm512_mask_sub_epi16 (a, _mm512_movepi16_mask (b), zero (), a);
#else
  return OP (sign_epi16) (a, b);
#endif
}

/* The even and the odd lanes of two vectors that are neighbours in memory. */
INLINE void
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

/* And back. */
INLINE void
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

#endif
#endif
