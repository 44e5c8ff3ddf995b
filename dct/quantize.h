/* blockdct: the quantizers of dct/job.h as they are defined, one coefficient at
 * a time: for what is looked at, not for whole frames. Plain C, which is also
 * CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_QUANTIZE_H
#define BDCT_QUANTIZE_H

#include "job.h"

#ifdef __CUDACC__
#define BDCT_QUANTIZE_INLINE static __device__ __forceinline__
#else
#define BDCT_QUANTIZE_INLINE static inline
#endif

/** Where a job's tables have the entry of vertical frequency v, horizontal
 * frequency u. */
BDCT_QUANTIZE_INLINE int
bdct_quantize_index (const BdctComponentJob *job, int v, int u)
{
  const int s = job->log2_size > 3 ? job->log2_size - 3 : 0;

  return (v >> s << 3) + (u >> s);
}

BDCT_QUANTIZE_INLINE int32_t
bdct_quantize_clip16 (int32_t v)
{
  return v < -32768 ? -32768 : v > 32767 ? 32767 : v;
}

/** The level of a coefficient, JPEG's and HEVC's. dct/tile.c says why 32 bits
 * do. */
BDCT_QUANTIZE_INLINE int32_t
bdct_quantize_whole (const BdctComponentJob *job, BdctFamily family, int32_t c,
    int index)
{
  const int32_t magnitude = c < 0 ? -c : c, q = job->quant[index];
  int32_t level;

  if (family == BDCT_FAMILY_JPEG) {
    level = (magnitude + 4 * q) / (8 * q);
    return c < 0 ? -level : level;
  }
  level = (magnitude * q + job->quant_add) >> job->quant_bits;
  return bdct_quantize_clip16 (c < 0 ? -level : level);
}

/** dct-8x8's; the coefficient carries its factor of 8. */
BDCT_QUANTIZE_INLINE int32_t
bdct_quantize_real (const BdctComponentJob *job, float c, int index)
{
  const float v = c / (8.0f * (float) job->quant[index]);

  return (int32_t) (v + (v < 0 ? -0.5f : 0.5f));
}

#endif
