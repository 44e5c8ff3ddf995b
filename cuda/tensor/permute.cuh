/* blockdct: reordering the bytes of registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include "cuda/kernels/device.cuh"

namespace {

/* Four of the eight bytes of two registers, lowest first: 0 to 3 are the first
 * register's, 4 to 7 the second's. */
enum Permutation : uint32_t {
  FIRST = 0x3210,
  SECOND = 0x7654,
  EVEN_BYTES = 0x6420,          /* of the first register, then of the second */
  ODD_BYTES = 0x7531,
  LOW_WORDS = 0x5410,
  MIDDLE_WORDS = 0x6521,
  HIGH_WORDS = 0x7632,
  EVEN_IN_TURN = 0x6240,        /* alternating between both registers */
  ODD_IN_TURN = 0x7351,
  LOW_IN_TURN = 0x5140,
  HIGH_IN_TURN = 0x7362,
};

BDCT_INLINE uint32_t
permute (uint32_t a, uint32_t b, Permutation order)
{
  return __byte_perm (a, b, order);
}

/* Bytes i and j of a register, each in 16 bits: `i` with WIDEN (i, j). */
#define WIDEN(i, j) (0x4040 | (j) << 8 | (i))

BDCT_INLINE uint32_t
widen (uint32_t v, uint32_t bytes)
{
  return __byte_perm (v, 0, bytes);
}

} // namespace
