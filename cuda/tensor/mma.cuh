/* blockdct: the tensor cores' instructions, and others that only they need, one
 * function each.
 *
 * This file emulates instructions that a GPU lacks, so that all other code is
 * the same for all GPUs. Before 9.0 a lane stores its own words. 7.5 has
 * products of half the inner dimension, and of bytes with half the rows, too,
 * whose shares are halves of those of fragments.cuh.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_MMA_CUH
#define BDCT_MMA_CUH

#include "fragments.cuh"

namespace {

/* d = a b + c, rows x columns x inner dimension. */
BDCT_INLINE FragC16x8f
mma_16x8x8_f16 (const FragA16x8h &a, const FragB8x8h &b, const FragC16x8f &c)
{
  FragC16x8f d;

  asm ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=f" (d.v[0]), "=f" (d.v[1]), "=f" (d.v[2]), "=f" (d.v[3])
      : "r" (a.r[0]), "r" (a.r[1]), "r" (b.r[0]),
      "f" (c.v[0]), "f" (c.v[1]), "f" (c.v[2]), "f" (c.v[3]));
  return d;
}

BDCT_INLINE FragC16x8f
mma_16x8x16_f16 (const FragA16x16h &a, const FragB16x8h &b,
    const FragC16x8f &c)
{
#if __CUDA_ARCH__ >= 800
  FragC16x8f d;

  asm ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=f" (d.v[0]), "=f" (d.v[1]), "=f" (d.v[2]), "=f" (d.v[3])
      : "r" (a.r[0]), "r" (a.r[1]), "r" (a.r[2]), "r" (a.r[3]),
      "r" (b.r[0]), "r" (b.r[1]),
      "f" (c.v[0]), "f" (c.v[1]), "f" (c.v[2]), "f" (c.v[3]));
  return d;
#else
  return mma_16x8x8_f16 ({ { a.r[2], a.r[3] } }, { { b.r[1] } },
      mma_16x8x8_f16 ({ { a.r[0], a.r[1] } }, { { b.r[0] } }, c));
#endif
}

/* Products of bytes, signed or unsigned: 16 x 8 x 32, or 16 x 8 x 16 of the
 * first halves. */
#if __CUDA_ARCH__ >= 800
#define MMA_BYTES(a_type, b_type) \
  BDCT_INLINE FragC16x8i \
  mma_16x8x32_##a_type##_##b_type (const FragA16x32b &a, const FragB32x8b &b, \
      const FragC16x8i &c) \
  { \
    FragC16x8i d; \
    \
    asm ("mma.sync.aligned.m16n8k32.row.col.s32." #a_type "." #b_type ".s32 " \
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" \
        : "=r" (d.v[0]), "=r" (d.v[1]), "=r" (d.v[2]), "=r" (d.v[3]) \
        : "r" (a.r[0]), "r" (a.r[1]), "r" (a.r[2]), "r" (a.r[3]), \
        "r" (b.r[0]), "r" (b.r[1]), \
        "r" (c.v[0]), "r" (c.v[1]), "r" (c.v[2]), "r" (c.v[3])); \
    return d; \
  } \
  \
  BDCT_INLINE FragC16x8i \
  mma_16x8x16_##a_type##_##b_type (const FragA16x16b &a, const FragB16x8b &b, \
      const FragC16x8i &c) \
  { \
    FragC16x8i d; \
    \
    asm ("mma.sync.aligned.m16n8k16.row.col.s32." #a_type "." #b_type ".s32 " \
        "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" \
        : "=r" (d.v[0]), "=r" (d.v[1]), "=r" (d.v[2]), "=r" (d.v[3]) \
        : "r" (a.r[0]), "r" (a.r[1]), "r" (b.r[0]), \
        "r" (c.v[0]), "r" (c.v[1]), "r" (c.v[2]), "r" (c.v[3])); \
    return d; \
  }
#else
#define MMA_BYTES(a_type, b_type) \
  BDCT_INLINE FragC16x8i \
  mma_16x8x16_##a_type##_##b_type (const FragA16x16b &a, const FragB16x8b &b, \
      const FragC16x8i &c) \
  { \
    FragC16x8i d; \
    \
    BDCT_UNROLL for (int i = 0; i < 2; i++) \
      asm ("mma.sync.aligned.m8n8k16.row.col.s32." #a_type "." #b_type ".s32 " \
          "{%0,%1}, {%2}, {%3}, {%4,%5};" \
          : "=r" (d.v[2 * i]), "=r" (d.v[2 * i + 1]) \
          : "r" (a.r[i]), "r" (b.r[0]), \
          "r" (c.v[2 * i]), "r" (c.v[2 * i + 1])); \
    return d; \
  } \
  \
  BDCT_INLINE FragC16x8i \
  mma_16x8x32_##a_type##_##b_type (const FragA16x32b &a, const FragB32x8b &b, \
      const FragC16x8i &c) \
  { \
    return mma_16x8x16_##a_type##_##b_type ({ { a.r[2], a.r[3] } }, \
        { { b.r[1] } }, mma_16x8x16_##a_type##_##b_type ( \
            { { a.r[0], a.r[1] } }, { { b.r[0] } }, c)); \
  }
#endif

MMA_BYTES (s8, s8)
MMA_BYTES (s8, u8)
MMA_BYTES (u8, s8)
#undef MMA_BYTES

/* The 32-bit address of shared memory. */
BDCT_INLINE uint32_t
shared_address (const void *p)
{
  return (uint32_t) __cvta_generic_to_shared (p);
}

BDCT_INLINE uint4
load_shared (uint32_t address)
{
  uint4 v;

  asm volatile ("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
      : "=r" (v.x), "=r" (v.y), "=r" (v.z), "=r" (v.w) : "r" (address)
      : "memory");
  return v;
}

BDCT_INLINE void
store_shared (uint32_t address, const uint4 &v)
{
  asm volatile ("st.shared.v4.u32 [%0], {%1,%2,%3,%4};"
      : : "r" (address), "r" (v.x), "r" (v.y), "r" (v.z), "r" (v.w)
      : "memory");
}

BDCT_INLINE void
load_shared (uint32_t v[2], uint32_t address)
{
  asm volatile ("ld.shared.v2.u32 {%0,%1}, [%2];"
      : "=r" (v[0]), "=r" (v[1]) : "r" (address) : "memory");
}

BDCT_INLINE void
store_shared (uint32_t address, uint32_t v0, uint32_t v1)
{
  asm volatile ("st.shared.v2.u32 [%0], {%1,%2};"
      : : "r" (address), "r" (v0), "r" (v1) : "memory");
}

BDCT_INLINE uint32_t
load_word (uint32_t address)
{
  uint32_t v;

  asm volatile ("ld.shared.u32 %0, [%1];" : "=r" (v) : "r" (address)
      : "memory");
  return v;
}

BDCT_INLINE void
store_word (uint32_t address, uint32_t v)
{
  asm volatile ("st.shared.u32 [%0], %1;" : : "r" (address), "r" (v)
      : "memory");
}

BDCT_INLINE uint32_t
load_byte (uint32_t address)
{
  uint32_t v;

  asm volatile ("ld.shared.u8 %0, [%1];" : "=r" (v) : "r" (address)
      : "memory");
  return v;
}

BDCT_INLINE void
store_byte (uint32_t address, uint32_t v)
{
  asm volatile ("st.shared.u8 [%0], %1;" : : "r" (address), "r" (v)
      : "memory");
}

/* Load rows of 16 bytes, one at each lane's address, as four 8 x 8 matrices of
 * 16-bit elements: register i has bytes 4t to 4t + 3 of row g of matrix i. */
BDCT_INLINE void
load_matrices (uint32_t *w, uint32_t row)
{
  asm volatile ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r" (w[0]), "=r" (w[1]), "=r" (w[2]), "=r" (w[3]) : "r" (row)
      : "memory");
}

/* The positions of the four matrices in rows that are PITCH bytes apart: the
 * rows and multiples of 16 bytes from one matrix to the next, and from the
 * first pair to the second. */
template <int PITCH, int NEXT_ROWS, int NEXT_CHUNKS, int PAIR_ROWS,
    int PAIR_CHUNKS> struct Matrices
{
  /* The lane's row. */
  static BDCT_INLINE uint32_t
  row (int lane)
  {
    const int next = lane / 8 % 2, pair = lane / 16;

    return (lane % 8 + next * NEXT_ROWS + pair * PAIR_ROWS) * PITCH
        + (next * NEXT_CHUNKS + pair * PAIR_CHUNKS) * 16;
  }

  static BDCT_INLINE void
  store (uint32_t row, const uint32_t *w)
  {
#if __CUDA_ARCH__ >= 900
    asm volatile ("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
        "[%0], {%1,%2,%3,%4};"
        : : "r" (row), "r" (w[0]), "r" (w[1]), "r" (w[2]), "r" (w[3])
        : "memory");
#else
    const int lane = threadIdx.x % 32;
    const uint32_t own =
        row - Matrices::row (lane) + lane / 4 * PITCH + lane % 4 * 4;

    BDCT_UNROLL for (int i = 0; i < 4; i++)
      store_word (own + i % 2 * (NEXT_ROWS * PITCH + NEXT_CHUNKS * 16)
          + i / 2 * (PAIR_ROWS * PITCH + PAIR_CHUNKS * 16), w[i]);
#endif
  }
};

/* Copy 16 bytes from global to shared memory, without registers if the GPU
 * can.
 */
BDCT_INLINE void
copy_async (uint32_t shared, const void *global)
{
#if __CUDA_ARCH__ >= 800
  asm volatile ("cp.async.cg.shared.global [%0], [%1], 16;"
      : : "r" (shared), "l" (global) : "memory");
#else
  store_shared (shared, __ldcg ((const uint4 *) global));
#endif
}

BDCT_INLINE void
copies_end (void)
{
#if __CUDA_ARCH__ >= 800
  asm volatile ("cp.async.commit_group;" : : : "memory");
#endif
}

/* Wait until all but the last `LEFT` groups of copies have arrived. */
template <int LEFT> BDCT_INLINE void
copies_wait (void)
{
#if __CUDA_ARCH__ >= 800
  asm volatile ("cp.async.wait_group %0;" : : "n" (LEFT) : "memory");
#endif
}

/* Two floats as halves. */
#if __CUDA_ARCH__ >= 800
#define HALVES(mode) "cvt." mode ".f16x2.f32 %0, %1, %2;"
#else
#define HALVES(mode) "{ .reg .b16 l, h; cvt." mode ".f16.f32 h, %1; " \
    "cvt." mode ".f16.f32 l, %2; mov.b32 %0, {l, h}; }"
#endif

/* Each rounded to nearest. */
BDCT_INLINE uint32_t
pack_half (float low, float high)
{
  uint32_t r;

  asm (HALVES ("rn") : "=r" (r) : "f" (high), "f" (low));
  return r;
}

/* Likewise rounded towards zero; numbers below 2^-14 round to multiples of
 * 2^-24, the unit of a subnormal half. */
BDCT_INLINE uint32_t
truncate_half (float low, float high)
{
  uint32_t r;

  asm (HALVES ("rz") : "=r" (r) : "f" (high), "f" (low));
  return r;
}
#undef HALVES

BDCT_INLINE uint32_t
half_mul (uint32_t a, uint32_t b)
{
  uint32_t r;

  asm ("mul.rn.f16x2 %0, %1, %2;" : "=r" (r) : "r" (a), "r" (b));
  return r;
}

/* The sign of each half in all of its bits. */
BDCT_INLINE uint32_t
signs_of (uint32_t halves)
{
  uint32_t r;

  asm ("prmt.b32 %0, %1, %1, 0xbb99;" : "=r" (r) : "r" (halves));
  return r;
}

/* A magnitude with the sign of a number. */
BDCT_INLINE float
with_sign (uint32_t magnitude, float sign)
{
  uint32_t r;

  /* (sign & 0x80000000) | magnitude: the compiler would use two
   * instructions. */
  asm ("lop3.b32 %0, %1, 0x80000000, %2, 0xea;"
      : "=r" (r) : "r" (__float_as_uint (sign)), "r" (magnitude));
  return __uint_as_float (r);
}

} // namespace

#endif
