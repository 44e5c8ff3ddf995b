/* blockdct: several numbers in a 32-bit word, for the kernels without tensor
 * cores: pairs of 16 bits and fours of bytes, the first in the lowest bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/* By name: tests without a GPU define it, and have these functions in C++. */
#ifndef BDCT_WORDS_CUH
#define BDCT_WORDS_CUH

#include <stdint.h>
#include "cuda/kernels/device.cuh"

namespace {

/* sum + pair[0] entries[0] + pair[1] entries[1]. The entries are signed bytes,
 * the lower or UPPER two of four; the pair is signed or unsigned. */
template <bool SIGNED, bool UPPER> BDCT_INLINE int32_t
dot (uint32_t pair, uint32_t entries, int32_t sum)
{
  int32_t r;

  if (SIGNED)
    return UPPER ? __dp2a_hi ((int) pair, (int) entries, sum)
        : __dp2a_lo ((int) pair, (int) entries, sum);
  if (UPPER)
    asm ("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair),
        "r"(entries), "r"(sum));
  else
    asm ("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair),
        "r"(entries), "r"(sum));
  return r;
}

/* Two numbers, clipped to signed 16 bits. */
BDCT_INLINE uint32_t
pack_signed (int32_t first, int32_t second)
{
  uint32_t r;

  asm ("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r) : "r"(second),
      "r"(first));
  return r;
}

/* 1 if a number is not 0, else 0. The compiler makes one instruction of this
 * form. */
BDCT_INLINE uint32_t
is_nonzero (int32_t v)
{
  uint32_t r;

  asm ("min.u32 %0, %1, 1;" : "=r"(r) : "r"(v));
  return r;
}

} // namespace

#endif
