/* blockdct: the one-dimensional transforms in a thread's registers.
 *
 * They are the same operations in the same order as in
 * dct/transform/butterflies.h, which explains them, so that the results are
 * also the same in floating point. They are templates because nvcc does not
 * unroll that file's three nested loops for sizes from 16 on, which moves the
 * arrays to local memory (448 bytes of stack); here each recursion has constant
 * bounds. Of the N frequencies only the first KEEP are computed, or are not 0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PASSES_CUH
#define BDCT_PASSES_CUH

#include "device.cuh"

namespace {

/* Compute the rows of y = M x that depend on the first LEN values of `e`: rows
 * 0, N / LEN, 2 N / LEN, ... */
template <int N, int KEEP, int LEN, typename Value> BDCT_INLINE void
forward_rows (Value *y, Value *e, const Value *m)
{
  if constexpr (LEN == 1) {
    y[0] = m[0] * e[0];
  } else {
    constexpr int step = N / LEN;
    Value o[LEN / 2];

    BDCT_UNROLL for (int i = 0; i < LEN / 2; i++) {
      const Value a = e[i], b = e[LEN - 1 - i];
      e[i] = a + b;
      o[i] = a - b;
    }
    BDCT_UNROLL for (int k = step; k < KEEP; k += 2 * step) {
      Value sum = m[k * N] * o[0];
      BDCT_UNROLL for (int i = 1; i < LEN / 2; i++)
        sum += m[k * N + i] * o[i];
      y[k] = sum;
    }
    forward_rows<N, KEEP, LEN / 2> (y, e, m);
  }
}

/* y = M x; overwrites x. */
template <int N, int KEEP, typename Value> BDCT_INLINE void
forward_butterflies (Value *y, Value *x, const Value *m)
{
  forward_rows<N, KEEP, N> (y, x, m);
}

/* y = M^T x */
template <int N, int KEEP, int LEN = N, typename Value> BDCT_INLINE void
inverse_butterflies (Value *y, const Value *x, const Value *m)
{
  if constexpr (LEN == 1) {
    y[0] = m[0] * x[0];
  } else {
    constexpr int step = N / LEN;
    Value o[LEN / 2];

    inverse_butterflies<N, KEEP, LEN / 2> (y, x, m);
    BDCT_UNROLL for (int i = 0; i < LEN / 2; i++) {
      o[i] = 0;
      if constexpr (step < KEEP) {
        Value sum = m[step * N + i] * x[step];
        BDCT_UNROLL for (int k = 3 * step; k < KEEP; k += 2 * step)
          sum += m[k * N + i] * x[k];
        o[i] = sum;
      }
    }
    BDCT_UNROLL for (int i = 0; i < LEN / 2; i++) {
      const Value a = y[i];
      y[i] = a + o[i];
      y[LEN - 1 - i] = a - o[i];
    }
  }
}

/* y = M x for a matrix without such symmetry. */
template <int N, int KEEP, typename Value> BDCT_INLINE void
forward_dense (Value *y, const Value *x, const Value *m)
{
  BDCT_UNROLL for (int k = 0; k < KEEP; k++) {
    Value sum = m[k * N] * x[0];
    BDCT_UNROLL for (int i = 1; i < N; i++)
      sum += m[k * N + i] * x[i];
    y[k] = sum;
  }
}

/* y = M^T x */
template <int N, int KEEP, typename Value> BDCT_INLINE void
inverse_dense (Value *y, const Value *x, const Value *m)
{
  BDCT_UNROLL for (int i = 0; i < N; i++) {
    Value sum = m[i] * x[0];
    BDCT_UNROLL for (int k = 1; k < KEEP; k++)
      sum += m[k * N + i] * x[k];
    y[i] = sum;
  }
}

} // namespace

#endif
