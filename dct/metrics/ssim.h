/* blockdct: SSIM of one window (cpu/metrics/ssim.c), from the sums of its
 * samples in both pictures, of all their squares, and of their products; and
 * the number of windows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_SSIM_H
#define BDCT_METRIC_SSIM_H

#include <stdint.h>
#include "dct/base/compiler.h"
#include "kernel.h"

/* The number of rows of windows, and of windows in a row. A plane's results
 * are a sum of type double for each row. */
BDCT_FORCE_INLINE int
bdct_ssim_rows (const BdctMetricPlane *plane)
{
  return (plane->height >> 2) - 1;
}

BDCT_FORCE_INLINE int
bdct_ssim_columns (const BdctMetricPlane *plane)
{
  return (plane->width >> 2) - 1;
}

/* SSIM at a depth of 8, in units of 2^-30. */
BDCT_FORCE_INLINE int32_t
bdct_ssim_window_8 (int32_t a, int32_t b, int32_t squares, int32_t products)
{
  const int32_t c1 = (int32_t) (.01 * .01 * 255 * 255 * 64 + .5);
  const int32_t c2 = (int32_t) (.03 * .03 * 255 * 255 * 64 * 63 + .5);
  const int32_t ab = a * b, aabb = a * a + b * b;
  const int32_t variances = squares * 64 - aabb;
  const int32_t covariance = products * 64 - ab;
  const float v = (float) (2 * ab + c1) * (float) (2 * covariance + c2)
      / ((float) (aabb + c1) * (float) (variances + c2));

  return (int32_t) (v * 1073741824.0f);
}

/* The map's entry for a window with this SSIM, in units of 2^-30. */
BDCT_FORCE_INLINE uint32_t
bdct_ssim_map (int32_t ssim)
{
  return ssim < 1 << 30 ? ((1u << 30) - (uint32_t) ssim) >> 18 : 0;
}

/* SSIM at greater depths, of samples up to `peak`. Values below 2^53 are exact
 * in double precision. */
BDCT_FORCE_INLINE float
bdct_ssim_window_16 (double a, double b, double squares, double products,
    int peak)
{
  const double c1 = (double) (int64_t) (.01 * .01 * peak * peak * 64 + .5);
  const double c2 = (double) (int64_t) (.03 * .03 * peak * peak * 64 * 63 + .5);
  const double ab = a * b, aabb = a * a + b * b;
  const double variances = squares * 64.0 - aabb;
  const double covariance = products * 64.0 - ab;

  return (float) (2 * ab + c1) * (float) (2 * covariance + c2)
      / ((float) (aabb + c1) * (float) (variances + c2));
}

#endif
