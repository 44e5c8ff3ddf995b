/* blockdct: qualifiers of device code, what launches know of each other, and
 * instructions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_DEVICE_CUH
#define BDCT_DEVICE_CUH

#include <stdint.h>

#define BDCT_INLINE __device__ __forceinline__
#define BDCT_UNROLL _Pragma ("unroll")
#define BDCT_NO_UNROLL _Pragma ("unroll 1")

namespace {

/* Let the stream's next launch begin where this launch's blocks have ended. */
BDCT_INLINE void
let_next_begin (void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

/* Wait until the previous launch has ended; needed before access to anything
 * that other launches write. */
BDCT_INLINE void
wait_for_last (void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;" : : : "memory");
#endif
}

/* The sum of all lanes' numbers. */
BDCT_INLINE uint32_t
add_lanes (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (0xffffffff, v);
#else
  BDCT_UNROLL for (int i = 16; i > 0; i /= 2)
    v += __shfl_xor_sync (0xffffffff, v, i);
  return v;
#endif
}

/* Two integers as unsigned bytes, saturated, below the 16 bits of `upper`. */
BDCT_INLINE uint32_t
pack_bytes (uint32_t low, uint32_t high, uint32_t upper)
{
  uint32_t r;

  asm ("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
      : "=r" (r) : "r" (high), "r" (low), "r" (upper));
  return r;
}

/* Two integers as unsigned words, saturated. */
BDCT_INLINE uint32_t
pack_words (uint32_t low, uint32_t high)
{
  uint32_t r;

  asm ("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r" (r) : "r" (high), "r" (low));
  return r;
}

} // namespace

#endif
