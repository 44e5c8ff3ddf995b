/* blockdct: what both engines share of MS-SSIM (cpu/metrics/ms-ssim.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_MS_SSIM_H
#define BDCT_METRIC_MS_SSIM_H

#include <math.h>
#include <string.h>
#include <stdint.h>
#include "dct/base/compiler.h"
#include "kernel.h"

#define BDCT_MS_SSIM_SCALES 5

/* The number of weights of a window in one dimension. */
#define BDCT_MS_SSIM_WINDOW 11

/* The number of weights of the filter between scales, and of those on each
 * side of its centre. */
#define BDCT_MS_SSIM_FILTER 9
#define BDCT_MS_SSIM_SIDE (BDCT_MS_SSIM_FILTER / 2)

/* Rows of a strip; strips' sums are added in double precision. */
#define BDCT_MS_SSIM_STRIP 128

BDCT_DEVICE_TABLE float bdct_ms_ssim_window[BDCT_MS_SSIM_WINDOW] = {
  0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f, 0.213006f,
  0.109361f, 0.036001f, 0.007599f, 0.001028f
};

/* A quarter of the 9 x 9 filter, which is symmetric in both directions. */
BDCT_DEVICE_TABLE float
    bdct_ms_ssim_filter[BDCT_MS_SSIM_SIDE + 1][BDCT_MS_SSIM_SIDE + 1] = {
  {0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
  {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
  {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
  {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
  {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f}
};

/* The inputs that a window weights: samples, their squares, and their
 * product. */
enum {
  BDCT_MS_SSIM_SRC,
  BDCT_MS_SSIM_REC,
  BDCT_MS_SSIM_SRC_SRC,
  BDCT_MS_SSIM_REC_REC,
  BDCT_MS_SSIM_SRC_REC,
  BDCT_MS_SSIM_KINDS
};

/* A strip's sums of luminance, contrast and structure, in 2^-40. */
typedef struct {
  int64_t sum[3];
} BdctMsSsimSums;

/* A side of the picture at a scale: halved as often, and rounded up. */
BDCT_FORCE_INLINE int
bdct_ms_ssim_side (int side, int scale)
{
  return (side + (1 << scale) - 1) >> scale;
}

/* The number of rows of windows of a scale, and of windows in a row. */
BDCT_FORCE_INLINE int
bdct_ms_ssim_rows (const BdctMetricPlane *plane, int scale)
{
  return bdct_ms_ssim_side (plane->height, scale) - BDCT_MS_SSIM_WINDOW + 1;
}

BDCT_FORCE_INLINE int
bdct_ms_ssim_columns (const BdctMetricPlane *plane, int scale)
{
  return bdct_ms_ssim_side (plane->width, scale) - BDCT_MS_SSIM_WINDOW + 1;
}

/* The number of a scale's strips. */
BDCT_FORCE_INLINE int
bdct_ms_ssim_strips (const BdctMetricPlane *plane, int scale)
{
  return (bdct_ms_ssim_rows (plane, scale) + BDCT_MS_SSIM_STRIP - 1)
      / BDCT_MS_SSIM_STRIP;
}

/* The sums of a scale's first strip. A plane's results are the sums of each
 * strip of each scale; for BDCT_MS_SSIM_SCALES, their end. */
BDCT_FORCE_INLINE BdctMsSsimSums *
bdct_ms_ssim_sums (const BdctMetricPlane *plane, int scale)
{
  BdctMsSsimSums *sums = (BdctMsSsimSums *) plane->memory;

  for (int s = 0; s < scale; s++)
    sums += bdct_ms_ssim_strips (plane, s);
  return sums;
}

/* The position inside the picture that a position outside is mirrored to. */
BDCT_FORCE_INLINE int
bdct_ms_ssim_mirror (int at, int side)
{
  return at < 0 ? -1 - at : at >= side ? 2 * side - 1 - at : at;
}

/* |v| below 2048 in units of 2^-40: the last place of v + 6144. */
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

/* n / d, for d from 1 to 2^40, in fewer steps than a GPU's division of any
 * numbers: the remainder of the quotient q is exact, as d has 24 bits and q
 * is right to 45. With it the quotient is right to 2^-90, and no quotient of
 * 53 bits by 24 is that close to the middle of two doubles. */
BDCT_FORCE_INLINE double
bdct_ms_ssim_divide (double n, float d)
{
#ifdef __CUDA_ARCH__
  const double wide = d;
  double inverse, q;
  float guess;

  asm ("rcp.approx.ftz.f32 %0, %1;" : "=f" (guess) : "f" (d));
  inverse = guess;
  inverse = fma (inverse, fma (-wide, inverse, 1.0), inverse);
  q = n * inverse;
  return fma (fma (-wide, q, n), inverse, q);
#else
  return n / d;
#endif
}

/* Luminance, contrast and structure of a window from its means, in libvmaf's
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

  *l += bdct_ms_ssim_units (bdct_ms_ssim_divide (2.0 * a * b + c1,
          a * a + b * b + c1));
  *c += bdct_ms_ssim_units (bdct_ms_ssim_divide (2.0 * root + c2,
          va + vb + c2));
  *s += bdct_ms_ssim_units ((ab + c3) / (root + c3));
}

#endif
