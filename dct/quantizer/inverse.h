/* blockdct: computes blocks from any levels, for C and CUDA.
 *
 * The engines' own chains take levels that come from samples, for which 32 bits
 * suffice. Here a level may be any of 16 bits. Integers have 64 bits, in which
 * no chain overflows (levels and steps have at most 15 bits and a sign, H.264's
 * dequantizer has 22 bits, its second stage adds 3, a pass adds 17). So the
 * result is that of job.h's formulas for all levels, and the engines' own for
 * levels that come from samples. For jpeg-8x8 it is that of libjpeg's
 * jidctint.c as long as the values between its passes fit 32 bits and its
 * range_limit table holds the samples: beyond four times their range the table
 * repeats itself, while samples saturate here.
 *
 * dct-8x8 does the engines' operations in their order, in single precision, and
 * saturates.
 *
 * The includer defines BDCT_INLINE, qualifiers that force inlining,
 * BDCT_UNROLL, a pragma that unrolls a loop, and, if it wants the functions for
 * 32 bits, BDCT_ISLOW (k, i), the entry of bdct_islow_8 (matrices.h), which is
 * constant if both are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_INVERSE_H
#define BDCT_INVERSE_H

/* The most transforms of a block. */
#define BDCT_MAX_PARTS 16

#include "job.h"

#define BDCT_FLOW(name) name##_whole
#define BDCT_VALUE int64_t
#include "dct/transform/flows.h"
#include "dct/transform/hadamard.h"
#undef BDCT_FLOW
#undef BDCT_VALUE
#define BDCT_PASS(name) name##_single
#define BDCT_VALUE float
#define BDCT_SCALAR float
#include "dct/transform/butterflies.h"
#undef BDCT_PASS
#undef BDCT_VALUE
#undef BDCT_SCALAR

/* A coefficient or a residual: `single` in dct-8x8, but for its residuals. */
typedef union {
  int64_t whole;
  float single;
} BdctInverseValue;

/* One of the two passes of a chain. */
typedef struct {
  BdctFamily family;
  BdctBasis basis;
  const void *matrix; /* the basis' (tile32.h): int32_t or, in dct-8x8,
                           float */
  int n, keep;        /* samples of a line, and frequencies */
  int shift, clip16;
  bool last;          /* it is the second pass */
} BdctInversePass;

BDCT_INLINE int64_t
bdct_inverse_clip16 (int64_t v)
{
  return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v;
}

/* The coefficient of vertical frequency v and horizontal frequency u. */
BDCT_INLINE BdctInverseValue
bdct_inverse_dequantize (BdctFamily family, const BdctComponentJob *job,
    int v, int u, int level)
{
  const BdctQuantizer entry = bdct_job_entry (job, v, u);
  BdctInverseValue d;

  if (family == BDCT_FAMILY_DCT8X8) {
    d.single = (float) level * (float) job->quant[bdct_job_index (job, v, u)];
    return d;
  }
  if (family == BDCT_FAMILY_JPEG) {
    d.whole = (int64_t) level * job->quant[bdct_job_index (job, v, u)];
    return d;
  }
  d.whole = ((int64_t) level * entry.dequant
      + ((int64_t) 1 << (job->dequant_bits - 1))) >> job->dequant_bits;
  if (job->clip16)
    d.whole = bdct_inverse_clip16 (d.whole);
  return d;
}

/* Turn the levels of a second stage, row by row, into its DCs, in place. */
BDCT_INLINE void
bdct_inverse_dcs (const BdctJobDc *dc, int64_t *x)
{
  hadamard_whole (x, dc->log2_columns, dc->log2_rows);
  for (int i = 0; i < 1 << (dc->log2_columns + dc->log2_rows); i++)
    x[i] = (x[i] * dc->dequant + dc->dequant_add) >> dc->dequant_bits;
}

/* The first pass of a block, or the second. Lines of the first are columns
 * or, in a transposed chain, rows. `first` and `second` are the matrices. */
BDCT_INLINE BdctInversePass
bdct_inverse_pass (BdctFamily family, const BdctComponentJob *job,
    BdctBasis basis, const void *matrix, bool last)
{
  const bool rows = last != (job->transposed != 0);
  BdctInversePass pass;

  pass.family = family;
  pass.basis = basis;
  pass.matrix = matrix;
  pass.n = 1 << (rows ? bdct_job_log2_across (job)
      : bdct_job_log2_down (job));
  pass.keep = job->keep < pass.n ? job->keep : pass.n;
  pass.shift = job->inv_shift[last];
  pass.clip16 = job->clip16;
  pass.last = last;
  return pass;
}

#ifdef BDCT_ISLOW
/* Whether a value of jpeg-8x8 is small enough for a line in 32 bits: 8 of
 * these magnitudes times 11363, the largest entry of the matrix, are below
 * 2^31. All values that come from samples are. */
#define BDCT_INVERSE_SHORT 16384
BDCT_INLINE bool
bdct_inverse_is_short (int32_t value)
{
  return value >= -BDCT_INVERSE_SHORT && value < BDCT_INVERSE_SHORT;
}

/* Turn 8 frequencies of jpeg-8x8, `step` apart, into 8 samples in 32 bits,
 * as bdct_inverse_line() does. */
BDCT_INLINE void
bdct_inverse_short_line (int32_t *x, int step, int shift)
{
  const int32_t half = 1 << (shift - 1);
  int32_t even[4], odd[4];

  BDCT_UNROLL for (int i = 0; i < 4; i++) {
    even[i] = half;
    odd[i] = 0;
    BDCT_UNROLL for (int k = 0; k < 8; k += 2) {
      even[i] += BDCT_ISLOW (k, i) * x[k * step];
      odd[i] += BDCT_ISLOW (k + 1, i) * x[(k + 1) * step];
    }
  }
  BDCT_UNROLL for (int i = 0; i < 4; i++) {
    x[i * step] = (even[i] + odd[i]) >> shift;
    x[(7 - i) * step] = (even[i] - odd[i]) >> shift;
  }
}

#endif

/* The residual of a sample that is times 8: rounded half up. */
BDCT_INLINE int64_t
bdct_inverse_round (float v)
{
  const float limit = 1 << 20;
  int32_t whole;

  v = v * 0.125f + 0.5f;
  v = v < -limit ? -limit : v > limit ? limit : v;
  whole = (int32_t) v;
  return whole - ((float) whole > v);
}

/* Turn `keep` frequencies of a line into `n` samples, in place. */
BDCT_INLINE void
bdct_inverse_line (const BdctInversePass *pass, BdctInverseValue *x)
{
  const int32_t *m = (const int32_t *) pass->matrix;
  int64_t in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];

  if (pass->family == BDCT_FAMILY_DCT8X8) {
    float from[8], to[8];

    for (int i = 0; i < 8; i++)
      from[i] = x[i].single;
    inverse_single (to, from, (const float *) pass->matrix, 8, 8);
    for (int i = 0; i < 8; i++)
      if (pass->last)
        x[i].whole = bdct_inverse_round (to[i]);
      else
        x[i].single = to[i];
    return;
  }
  for (int i = 0; i < pass->n; i++) {
    in[i] = i < pass->keep ? x[i].whole : 0;
    out[i] = 0;
  }
  if (pass->basis == BDCT_BASIS_H264_4)
    inverse_H264_4_whole (out, in);
  else if (pass->basis == BDCT_BASIS_H264_8)
    inverse_H264_8_whole (out, in);
  else
    for (int k = 0; k < pass->keep; k++)
      for (int i = 0; i < pass->n && in[k] != 0; i++)
        out[i] += m[k * pass->n + i] * in[k];
  for (int i = 0; i < pass->n; i++) {
    x[i].whole = (out[i] + ((int64_t) 1 << pass->shift >> 1)) >> pass->shift;
    if (pass->clip16)
      x[i].whole = bdct_inverse_clip16 (x[i].whole);
  }
}

#endif
