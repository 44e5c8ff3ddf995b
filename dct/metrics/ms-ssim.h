/* blockdct: what both engines have in common of MS-SSIM
 * (cpu/metrics/ms-ssim.c). Plain C, which is also CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_MS_SSIM_H
#define BDCT_METRIC_MS_SSIM_H

#include <math.h>
#include <string.h>
#include <stdint.h>
#include "dct/base/compiler.h"

#define BDCT_MS_SSIM_SCALES 5

/** Weights of a window in one dimension. */
#define BDCT_MS_SSIM_WINDOW 11

/** Weights of the filter between scales, and how many are on each side. */
#define BDCT_MS_SSIM_FILTER 9
#define BDCT_MS_SSIM_SIDE (BDCT_MS_SSIM_FILTER / 2)

/** Rows of a strip, whose sums are added in double precision. */
#define BDCT_MS_SSIM_STRIP 128

BDCT_DEVICE_TABLE float bdct_ms_ssim_window[BDCT_MS_SSIM_WINDOW] = {
  0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f, 0.213006f,
  0.109361f, 0.036001f, 0.007599f, 0.001028f
};

/** A quarter of the filter of 9 x 9, which is symmetric both ways. */
BDCT_DEVICE_TABLE float
    bdct_ms_ssim_filter[BDCT_MS_SSIM_SIDE + 1][BDCT_MS_SSIM_SIDE + 1] = {
  {0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
  {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
  {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
  {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
  {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f}
};

/** What a window weights: samples, their squares, and the product. */
enum {
  BDCT_MS_SSIM_SRC,
  BDCT_MS_SSIM_REC,
  BDCT_MS_SSIM_SRC_SRC,
  BDCT_MS_SSIM_REC_REC,
  BDCT_MS_SSIM_SRC_REC,
  BDCT_MS_SSIM_KINDS
};

/** Sums of luminance, contrast and structure of a strip, in 2^-40. */
typedef struct {
  int64_t sum[3];
} BdctMsSsimSums;

/** The side of a scale. */
BDCT_FORCE_INLINE int
bdct_ms_ssim_side (int side, int scale)
{
  for (; scale > 0; scale--)
    side = side / 2 + (side & 1);
  return side;
}

/** Where a place outside is mirrored to. */
BDCT_FORCE_INLINE int
bdct_ms_ssim_mirror (int at, int side)
{
  return at < 0 ? -1 - at : at >= side ? 2 * side - 1 - at : at;
}

/** In units of 2^-40, for |v| below 2048: the last place of what is added to.
 */
BDCT_FORCE_INLINE int64_t
bdct_ms_ssim_units (double v)
{
  const double base = 6144;     /* 1.5 2^12 */
  int64_t a, b;

  v += base;
  memcpy (&a, &v, sizeof a);
  memcpy (&b, &base, sizeof b);
  return a - b;
}

/** Luminance, contrast and structure of a window's means, with libvmaf's
 * precisions. */
BDCT_FORCE_INLINE void
bdct_ms_ssim_compare (float a, float b, float src_src, float rec_rec,
    float src_rec, int64_t *l, int64_t *c, int64_t *s)
{
  const float c1 = (0.01f * 255) * (0.01f * 255);
  const float c2 = (0.03f * 255) * (0.03f * 255), c3 = c2 / 2.0f;
  const float aa = src_src - a * a, bb = rec_rec - b * b;
  const float va = aa > 0 ? aa : 0, vb = bb > 0 ? bb : 0;
  const float both = src_rec - a * b, root = sqrtf (va * vb);
  const float ab = both < 0 && root <= 0 ? 0 : both;

  *l += bdct_ms_ssim_units ((2.0 * a * b + c1) / (double) (a * a + b * b + c1));
  *c += bdct_ms_ssim_units ((2.0 * root + c2) / (double) (va + vb + c2));
  *s += bdct_ms_ssim_units ((ab + c3) / (root + c3));
}

#endif
