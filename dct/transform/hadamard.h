/* blockdct: the Hadamard transform of a block's DCs, for the CPU's vectors and
 * for whole numbers.
 *
 * The includer defines BDCT_FLOW, BDCT_VALUE and BDCT_INLINE as for flows.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* In place, over the 2^log2_n values that lie `step` apart: 1, 2 or 4 of them.
 * The matrices are symmetric, so each is its own inverse but for a factor. */
BDCT_INLINE void
BDCT_FLOW (hadamard_line) (BDCT_VALUE * x, int log2_n, int step)
{
  const BDCT_VALUE a = x[0];

  if (log2_n == 1) {
    x[0] = a + x[step];
    x[step] = a - x[step];
  } else if (log2_n == 2) {
    const BDCT_VALUE b = x[step], c = x[2 * step], d = x[3 * step];

    x[0] = a + b + (c + d);
    x[step] = a + b - (c + d);
    x[2 * step] = a - b - (c - d);
    x[3 * step] = a - b + (c - d);
  }
}

/* Of a block of DCs, row by row. */
BDCT_INLINE void
BDCT_FLOW (hadamard) (BDCT_VALUE * x, int log2_columns, int log2_rows)
{
  for (int i = 0; i < 1 << log2_rows; i++)
    BDCT_FLOW (hadamard_line) (x + (i << log2_columns), log2_columns, 1);
  for (int i = 0; i < 1 << log2_columns; i++)
    BDCT_FLOW (hadamard_line) (x + i, log2_rows, 1 << log2_columns);
}
