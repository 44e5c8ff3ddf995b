/* blockdct: one-dimensional transforms by a matrix, forward and inverse, for
 * any type that adds and multiplies, such as the CPU engine's vectors of
 * columns.
 *
 * The includer defines
 *     BDCT_PASS(name)  the function's name for this value type
 *     BDCT_VALUE       the value type
 *     BDCT_SCALAR      the matrix's entry type
 *     BDCT_INLINE      qualifiers that force inlining
 *     BDCT_UNROLL      a pragma that unrolls the following loop
 * and may include this file again after redefining them.
 *
 * A DCT's rows are symmetric (even) or antisymmetric (odd). A product of size n
 * therefore splits into one of size n / 2 for the even rows and n / 2 by n / 2
 * multiplications for the odd ones, recursively (HM's "partial butterfly").
 * Nothing is rounded here; in integers the result is exactly the matrix
 * product. Of the n frequencies only the lowest `keep`, a power of 2, are
 * computed or read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* y = M x */
BDCT_INLINE void
BDCT_PASS (forward) (BDCT_VALUE * y, const BDCT_VALUE * x,
    const BDCT_SCALAR * m, const int n, const int keep)
{
  BDCT_VALUE e[BDCT_MAX_SIZE], o[BDCT_MAX_SIZE / 2];

  BDCT_UNROLL for (int i = 0; i < n; i++)
    e[i] = x[i];
  BDCT_UNROLL for (int len = n, step = 1; len > 1; len /= 2, step *= 2) {
    BDCT_UNROLL for (int i = 0; i < len / 2; i++) {
      const BDCT_VALUE a = e[i], b = e[len - 1 - i];
      e[i] = a + b;
      o[i] = a - b;
    }
    BDCT_UNROLL for (int k = step; k < keep; k += 2 * step) {
      BDCT_VALUE sum = m[k * n] * o[0];
      BDCT_UNROLL for (int i = 1; i < len / 2; i++)
        sum += m[k * n + i] * o[i];
      y[k] = sum;
    }
  }
  y[0] = m[0] * e[0];
}

/* y = M^T x */
BDCT_INLINE void
BDCT_PASS (inverse) (BDCT_VALUE * y, const BDCT_VALUE * x,
    const BDCT_SCALAR * m, const int n, const int keep)
{
  BDCT_VALUE o[BDCT_MAX_SIZE / 2];

  y[0] = m[0] * x[0];
  BDCT_UNROLL for (int len = 2, step = n / 2; len <= n; len *= 2, step /= 2) {
    if (step >= keep) {         /* no odd frequencies: mirror the half */
      BDCT_UNROLL for (int i = 0; i < len / 2; i++)
        y[len - 1 - i] = y[i];
      continue;
    }
    BDCT_UNROLL for (int i = 0; i < len / 2; i++) {
      BDCT_VALUE sum = m[step * n + i] * x[step];
      BDCT_UNROLL for (int k = 3 * step; k < keep; k += 2 * step)
        sum += m[k * n + i] * x[k];
      o[i] = sum;
    }
    BDCT_UNROLL for (int i = 0; i < len / 2; i++) {
      const BDCT_VALUE a = y[i];
      y[i] = a + o[i];
      y[len - 1 - i] = a - o[i];
    }
  }
}

/* y = M x for a matrix without that symmetry. */
BDCT_INLINE void
BDCT_PASS (forward_dense) (BDCT_VALUE * y, const BDCT_VALUE * x,
    const BDCT_SCALAR * m, const int n, const int keep)
{
  BDCT_UNROLL for (int k = 0; k < keep; k++) {
    BDCT_VALUE sum = m[k * n] * x[0];
    BDCT_UNROLL for (int i = 1; i < n; i++)
      sum += m[k * n + i] * x[i];
    y[k] = sum;
  }
}

/* y = M^T x */
BDCT_INLINE void
BDCT_PASS (inverse_dense) (BDCT_VALUE * y, const BDCT_VALUE * x,
    const BDCT_SCALAR * m, const int n, const int keep)
{
  BDCT_UNROLL for (int i = 0; i < n; i++) {
    BDCT_VALUE sum = m[i] * x[0];
    BDCT_UNROLL for (int k = 1; k < keep; k++)
      sum += m[k * n + i] * x[k];
    y[i] = sum;
  }
}
