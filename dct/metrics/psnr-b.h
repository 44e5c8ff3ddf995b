/* blockdct: PSNR-B's sums (cpu/metrics/psnr-b.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_PSNR_B_H
#define BDCT_METRIC_PSNR_B_H

#include <stdint.h>
#include "dct/base/compiler.h"
#include "kernel.h"

/* Rows of a strip. */
#define BDCT_PSNR_B_STRIP 64

/* A strip's sums: squared errors, squared differences of neighbours across
 * block borders, and squared differences of other neighbours. */
typedef struct {
  uint64_t error, border, inside;
} BdctPsnrBSums;

/* The number of strips. A plane's results are the sums of each. */
BDCT_FORCE_INLINE int
bdct_psnr_b_strips (const BdctMetricPlane *plane)
{
  return (plane->height + BDCT_PSNR_B_STRIP - 1) / BDCT_PSNR_B_STRIP;
}

#endif
