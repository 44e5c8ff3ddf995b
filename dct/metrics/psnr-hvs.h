/* blockdct: what both engines share of PSNR-HVS (cpu/metrics/psnr-hvs.c): where
 * its blocks are, and which whole number a block's squared error is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_PSNR_HVS_H
#define BDCT_METRIC_PSNR_HVS_H

#include <stdint.h>
#include "kernel.h"

/* The distance of blocks. */
#define BDCT_PSNR_HVS_STEP 7

/* The part of a plane's side that is read: libvmaf rounds chroma's down. */
BDCT_FORCE_INLINE int
bdct_psnr_hvs_side (int side, int luma)
{
  return side < luma && 2 * side > luma ? side - 1 : side;
}

/* The number of blocks in a row, and of rows. */
BDCT_FORCE_INLINE int
bdct_psnr_hvs_columns (const BdctMetricPlane *plane)
{
  return (bdct_psnr_hvs_side (plane->width, plane->luma_width) - 8)
      / BDCT_PSNR_HVS_STEP + 1;
}

BDCT_FORCE_INLINE int
bdct_psnr_hvs_rows (const BdctMetricPlane *plane)
{
  return (bdct_psnr_hvs_side (plane->height, plane->luma_height) - 8)
      / BDCT_PSNR_HVS_STEP + 1;
}

/* A block's squared error is a whole number of units of 2^-bits: of 2^-24,
 * 2^-20 and 2^-16 at 8, 10 and 12 bits a sample. A plane's results are a
 * uint64_t for each row of blocks, the sum of its errors, in any order.
 *
 * No sum overflows. A block's 64 differences are below 2^depth, and the
 * transform keeps the sum of their squares; no weight is above 2.63; no row has
 * more than (65535 - 8) / 7 + 1 = 9362 blocks. So a sum is below
 * 64 * 2.63^2 * 9362 * 2^(2 depth + bits) < 2^22 * 2^40 = 2^62. The transform's
 * roundings add far less than the factor of 4 that is left. */
#define BDCT_PSNR_HVS_BITS(depth) (40 - 2 * (depth))

/* A block's squared error, from the sum of its squares in single precision,
 * rounded once. In double precision both steps are exact. */
BDCT_FORCE_INLINE uint64_t
bdct_psnr_hvs_error (float sum, int depth)
{
  return (uint64_t) (sum * (double) (1 << BDCT_PSNR_HVS_BITS (depth)) + 0.5);
}

/* The map's entry of a block with this squared error. */
BDCT_FORCE_INLINE uint32_t
bdct_psnr_hvs_map (uint64_t error, int depth)
{
  const uint64_t entry = error >> (BDCT_PSNR_HVS_BITS (depth) - 6);

  return entry < 1u << 30 ? (uint32_t) entry : 1u << 30;
}

#endif
