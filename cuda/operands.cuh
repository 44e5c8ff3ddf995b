/* blockdct: matrices as operands of the tensor cores, made on the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_OPERANDS_CUH
#define BDCT_OPERANDS_CUH

#include <cuda_fp16.h>
#include <math.h>
#include <string.h>
#include "launch.h"

namespace {

/* How a plane's samples lie in registers. */
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
  int size;                     /* 8, 16 or 32 */
  double m[32][32];             /* frequency, sample */

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

/* The parts of a number that is the sum of two halves: what one rounds to, and
 * the rest. */
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

/* A lane's share of operand a, of which entry (row, inner) is the element: 4
 * registers. */
template <typename Entry> void
operand_a (uint32_t *to, int lane, Part part, Entry entry)
{
  for (int r = 0; r < 4; r++) {
    const int row = lane / 4 + r % 2 * 8, k = lane % 4 * 2 + r / 2 * 8;

    to[r] = part_bits (entry (row, k), part)
        | (uint32_t) part_bits (entry (row, k + 1), part) << 16;
  }
}

/* One register of operand b: inner indices 0 to 7 of (inner, column). */
template <typename Entry> uint32_t
operand_b (int lane, Part part, Entry entry)
{
  const int k = lane % 4 * 2, column = lane / 4;

  return part_bits (entry (k, column), part)
      | (uint32_t) part_bits (entry (k + 1, column), part) << 16;
}

/* Both registers of operand b for data in bytes, the high ones at inner indices
 * 0 to 7 and the low ones at 8 to 15: the same 8 rows for both. */
template <typename Entry> void
operand_b_bytes (uint32_t *to, int lane, Entry entry)
{
  to[0] = operand_b (lane, HIGH,
      [&] (int k, int n) { return 256 * entry (k, n); });
  to[1] = operand_b (lane, HIGH, entry);
}

/* A lane's share of operand a of bytes: 4 registers for 16 x 32, 2 for 16 x 16.
 */
template <int COUNT = 4, typename Entry> void
operand_a8 (uint32_t *to, int lane, Entry entry)
{
  for (int i = 0; i < 4 * COUNT; i++) {
    const int r = i / 4, row = lane / 4 + r % 2 * 8;

    ((int8_t *) to)[i] =
        (int8_t) entry (row, lane % 4 * 4 + r / 2 * 16 + i % 4);
  }
}

/* And of operand b of 32 x 8 bytes: 2 registers. */
template <typename Entry> void
operand_b8 (uint32_t *to, int lane, Entry entry)
{
  for (int i = 0; i < 8; i++)
    ((int8_t *) to)[i] =
        (int8_t) entry (lane % 4 * 4 + i / 4 * 16 + i % 4, lane / 4);
}

/* The element that inner index k of such an operand stands for if each register
 * is two pairs, of one result of 8 columns and of the next. */
inline int
gathered (int k)
{
  return k / 16 * 16 + k % 4 / 2 * 8 + k % 16 / 4 * 2 + k % 2;
}

/* Operand b of minus the identity. */
inline uint32_t
minus_identity (int lane)
{
  return operand_b (lane, HIGH,
      [] (int k, int n) { return k == n ? -1.0 : 0; });
}

} // namespace

#endif
