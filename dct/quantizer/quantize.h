/* blockdct: the quantizers of job.h, written once for the CPU's vectors and for
 * CUDA.
 *
 * The includer defines
 *     BDCT_INLINE      qualifiers that force inlining
 *     BDCT_NAME(name)  a function's name for these types
 *     BDCT_INT         int32_t, or a vector of it
 *     BDCT_FLOAT        float, or a vector of as many
 * and the functions
 *     BDCT_NAME (to_float) (BDCT_INT), BDCT_NAME (to_int) (BDCT_FLOAT)
 *                      conversions; to_int rounds towards zero
 *     BDCT_NAME (as_float) (BDCT_INT)      the bits as a float
 *     BDCT_NAME (divide) (BDCT_FLOAT c, BDCT_FLOAT d, BDCT_FLOAT r)
 *                      c / d correctly rounded; r is 1 / d correctly rounded
 *     BDCT_NAME (clip16) (BDCT_INT)       clip to -32768 to 32767
 *     BDCT_NAME (with_sign) (BDCT_FLOAT magnitude, BDCT_FLOAT c)
 * and may include this file again after redefining them. Without these
 * definitions the file has only its first part. `family` should be a constant
 * after inlining.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "job.h"

/* What a quantizer needs for a coefficient besides its entry of `quant`, by
 * bdct_job_index(): for families with steps the float 1 / 8q, as JPEG's forward
 * transform and the two passes of DCT8X8 carry a factor of 8; else the
 * dequantizer's entry. */
#ifndef BDCT_QUANTIZE_H
#define BDCT_QUANTIZE_H
static inline int32_t
bdct_quantize_companion (const BdctJob *job, const BdctComponentJob *component,
    int index)
{
  union
  {
    float single;
    int32_t bits;
  } r;

  if (bdct_family_has_qp (job->family))
    return component->dequant[index];
  r.single = 1.0f / (8.0f * (float) component->quant[index]);
  return r.bits;
}

/* HEVC's largest level before clipping: that of a coefficient of 2^14, the
 * largest there is. */
static inline int32_t
bdct_quantize_largest (const BdctComponentJob *job)
{
  int32_t quant = job->quant_dc;

  for (int i = 0; i < 64; i++)
    quant = job->quant[i] > quant ? job->quant[i] : quant;
  return ((quant << 14) + job->quant_add) >> job->quant_bits;
}

/* Some of job.h's members by family, for code that needs them as constants:
 * clip16, `transposed`, and whether all shifts but the last are 0. */
#define BDCT_QUANTIZE_CLIP16(family) ((family) == BDCT_FAMILY_HEVC)
#define BDCT_TRANSPOSED(family) ((family) == BDCT_FAMILY_H264)
#define BDCT_ROUNDS_LAST(family) ((family) == BDCT_FAMILY_H264)
#endif

#ifdef BDCT_NAME
/* The levels of a family's coefficients, in integers.
 *
 * JPEG: floor (n / d), with n = |c| + 4q below 2^19 and d = 8q
 * (jpeg-islow-rounding.h), by the reciprocal of d. (n + 1/2) / d differs from
 * any integer by at least 2^-20 of its value; the two roundings change it by at
 * most 2^-23 of its value.
 *
 * HEVC: |c| is at most 2^14 (|c| < 2^15 with quant < 2^15 would also do) and
 * quant at most 26214 * 16 / BDCT_MIN_FACTOR. The product is below 1.72e9, the
 * rounding term at most 171 * 2^18, and their sum below 2^31. So is the
 * dequantizer's product, which equals |c| 2^dequant_bits give or take one step.
 * H264: see init_h264() in job.c. A negative c needs no negation: -((n + a) >>
 * b) is (2^b - 1 - a - n) >> b. */
BDCT_INLINE BDCT_INT
BDCT_NAME (quantize) (BdctFamily family, const BdctComponentJob *job,
    BDCT_INT c, BDCT_INT quant, BDCT_INT companion)
{
  const BDCT_INT sign = c >> 31;
  BDCT_INT level;

  if (family == BDCT_FAMILY_JPEG) {
    level = BDCT_NAME (to_int) ((BDCT_NAME (to_float) ((c ^ sign) - sign
                + 4 * quant) + 0.5f) * BDCT_NAME (as_float) (companion));
    return (level ^ sign) - sign;
  }
  level = (c * quant + (job->quant_add ^ (sign & (job->quant_add
                  ^ ((1 << job->quant_bits) - 1 - job->quant_add)))))
      >> job->quant_bits;
  return job->clip16 ? BDCT_NAME (clip16) (level) : level;
}

BDCT_INLINE BDCT_INT
BDCT_NAME (dequantize) (BdctFamily family, const BdctComponentJob *job,
    BDCT_INT level, BDCT_INT quant, BDCT_INT companion)
{
  if (family == BDCT_FAMILY_JPEG)
    return level * quant;
  level = (level * companion + (1 << (job->dequant_bits - 1)))
      >> job->dequant_bits;
  return job->clip16 ? BDCT_NAME (clip16) (level) : level;
}

/* The level of a coefficient of dct-8x8: rounded half away from zero. */
BDCT_INLINE BDCT_INT
BDCT_NAME (quantize_dct8x8) (BDCT_FLOAT c, BDCT_INT quant, BDCT_INT companion)
{
  const BDCT_FLOAT v = BDCT_NAME (divide) (c,
      8.0f * BDCT_NAME (to_float) (quant), BDCT_NAME (as_float) (companion));

  return BDCT_NAME (to_int) (v + BDCT_NAME (with_sign) (
          BDCT_NAME (to_float) (quant * 0) + 0.5f, v));
}
#endif
