/* blockdct: matrices as operands of the tensor cores, computed on the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_fp16.h>
#include <math.h>
#include <string.h>
#include "cuda/launch/kernel.h"
#include "mma.cuh"

namespace {

/* The layout of a plane's samples in registers. */
enum Kind { BYTES, BYTE_PAIRS, WORDS, WORD_PAIRS };

inline bool
is_words (Kind kind)
{
  return kind == WORDS || kind == WORD_PAIRS;
}

/* A square of samples and its one-dimensional transform: one matrix, or smaller
 * ones along the diagonal. */
struct Transform
{
  int size;                     /* 8 to 64 */
  double m[64][64];             /* [frequency][sample] */

  double row_sum (int k) const
  {
    double sum = 0;

    for (int n = 0; n < size; n++)
      sum += m[k][n];
    return sum;
  }

  double column_sum (int n) const
  {
    double sum = 0;

    for (int k = 0; k < size; k++)
      sum += m[k][n];
    return sum;
  }
};

/* The parts of a number that is the sum of two halves: the number rounded to a
 * half, and the rest. */
enum Part { HIGH, LOW };

inline uint16_t
half_bits (double v)
{
  const __half h = __double2half (v);
  uint16_t bits;

  memcpy (&bits, &h, sizeof bits);
  return bits;
}

inline uint16_t
part_bits (double v, Part part)
{
  if (part == LOW)
    v -= (double) __half2float (__double2half (v));
  return half_bits (v);
}

/* Two adjacent elements of an operand. */
inline uint32_t
part_pair (double low, double high, Part part)
{
  return part_bits (low, part) | (uint32_t) part_bits (high, part) << 16;
}

/* A lane's share of operand a; entry (row, inner) is the element. */
template <typename Entry> FragA16x16h
operand_a (int lane, Part part, Entry entry)
{
  FragA16x16h a;

  for (int i = 0; i < 4; i++) {
    const int row = lane / 4 + i % 2 * 8, k = lane % 4 * 2 + i / 2 * 8;

    a.r[i] = part_pair (entry (row, k), entry (row, k + 1), part);
  }
  return a;
}

/* A lane's share of operand b; entry (inner, column) is the element. */
template <typename Entry> FragB8x8h
operand_b (int lane, Part part, Entry entry)
{
  const int k = lane % 4 * 2, column = lane / 4;

  return FragB8x8h { { part_pair (entry (k, column), entry (k + 1, column),
            part) } };
}

/* Likewise with the same 8 rows twice. */
template <typename Entry> FragB16x8h
operand_b_twice (int lane, Part part, Entry entry)
{
  const uint32_t b = operand_b (lane, part, entry).r[0];

  return FragB16x8h { { b, b } };
}

/* For data in bytes, with the high ones at inner indices 0 to 7 and the low
 * ones at 8 to 15: the same 8 rows for both. */
template <typename Entry> FragB16x8h
operand_b_bytes (int lane, Entry entry)
{
  return FragB16x8h { { operand_b (lane, HIGH,
            [&] (int k, int n) { return 256 * entry (k, n); }).r[0],
        operand_b (lane, HIGH, entry).r[0] } };
}

/* Operand a of bytes, FragA16x32b or FragA16x16b. */
template <typename Frag, typename Entry> Frag
operand_a_of_bytes (int lane, Entry entry)
{
  Frag a;

  for (size_t i = 0; i < sizeof a; i++) {
    const int r = i / 4, row = lane / 4 + r % 2 * 8;

    ((int8_t *) a.r)[i] =
        (int8_t) entry (row, lane % 4 * 4 + r / 2 * 16 + (int) i % 4);
  }
  return a;
}

template <typename Entry> FragB32x8b
operand_b_of_bytes (int lane, Entry entry)
{
  FragB32x8b b;

  for (int i = 0; i < 8; i++)
    ((int8_t *) b.r)[i] =
        (int8_t) entry (lane % 4 * 4 + i / 4 * 16 + i % 4, lane / 4);
  return b;
}

/* The element that inner index k of such an operand stands for, if each
 * register has two pairs, one of a result of 8 columns and one of the next. */
inline int
gathered (int k)
{
  return k / 16 * 16 + k % 4 / 2 * 8 + k % 16 / 4 * 2 + k % 2;
}

} // namespace
