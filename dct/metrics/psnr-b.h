/* blockdct: what PSNR-B adds up (cpu/metrics/psnr-b.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_PSNR_B_H
#define BDCT_METRIC_PSNR_B_H

#include <stdint.h>

/** Rows of a strip. */
#define BDCT_PSNR_B_STRIP 64

/** Of a strip: sums of squares of errors, of what neighbours differ by on
 * borders of blocks, and of that elsewhere. */
typedef struct {
  uint64_t error, border, inside;
} BdctPsnrBSums;

#endif
