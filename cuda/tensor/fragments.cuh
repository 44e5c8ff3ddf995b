/* blockdct: the lanes' shares of the tensor cores' operands (PTX ISA, "Matrix
 * Fragments for mma.m16n8k16").
 *
 * In a warp, g = lane / 4 and t = lane % 4. For d = a b + c, with a of 16 x 16,
 * b of 16 x 8 and c, d of 16 x 8 elements, a lane holds
 *     a    rows g, g + 8, g, g + 8; columns 2t and 2t + 1, the same, + 8, + 8
 *     b    rows 2t and 2t + 1, + 8; column g
 *     d    row g: columns 2t, 2t + 1; row g + 8: the same
 * A lane's share of d, packed in pairs, is thus its share of an a with the same
 * rows, or of a b that is the transpose: no value ever changes its lane.
 *
 * For bytes, a is 16 x 32 and b 32 x 8, and a lane holds
 *     a    rows g, g + 8, g, g + 8; columns 4t to 4t + 3, the same, + 16, + 16
 *     b    rows 4t to 4t + 3, + 16; column g
 * Two shares of d, packed in fours, are thus a share of an a or a b whose inner
 * indices have an order of their own (operands.cuh, gathered()).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include "cuda/kernels/device.cuh"

namespace {

/* A lane's share of an operand of rows x columns, of halves (h), bytes (b),
 * floats (f) or integers (i). */
struct FragA16x16h { uint32_t r[4]; };
struct FragA16x8h { uint32_t r[2]; };
struct FragB16x8h { uint32_t r[2]; };
struct FragB8x8h { uint32_t r[1]; };
struct FragA16x32b { uint32_t r[4]; };
struct FragA16x16b { uint32_t r[2]; };
struct FragB32x8b { uint32_t r[2]; };
struct FragB16x8b { uint32_t r[1]; };

/* A lane's share of a result. Instructions take four consecutive registers, so
 * the four values are also loaded at once. */
struct alignas (16) FragC16x8f { float v[4]; };
struct alignas (16) FragC16x8i { uint32_t v[4]; };

static_assert (sizeof (FragA16x16h) == 16 && sizeof (FragA16x32b) == 16
    && sizeof (FragB16x8h) == 8 && sizeof (FragB32x8b) == 8
    && sizeof (FragC16x8f) == 16 && sizeof (FragC16x8i) == 16);

/* Two halves of the inner dimension of an a. */
BDCT_INLINE FragA16x16h
side_by_side (const FragA16x8h &left, const FragA16x8h &right)
{
  return FragA16x16h { { left.r[0], left.r[1], right.r[0], right.r[1] } };
}

/* The transpose. */
BDCT_INLINE FragB16x8h
as_b (const FragA16x8h &a)
{
  return FragB16x8h { { a.r[0], a.r[1] } };
}

BDCT_INLINE FragC16x8f
filled (float v)
{
  return FragC16x8f { { v, v, v, v } };
}

/* Integers' bits as floats. */
BDCT_INLINE FragC16x8f
as_floats (const FragC16x8i &d)
{
  FragC16x8f r;

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    r.v[i] = __uint_as_float (d.v[i]);
  return r;
}

/* The initial value of the low bytes' product, from the high bytes' product. */
BDCT_INLINE FragC16x8i
with_high_bytes (const FragC16x8i &high, const FragC16x8i &start)
{
  FragC16x8i r;

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    r.v[i] = high.v[i] * 256 + start.v[i];
  return r;
}

} // namespace
