/* blockdct: comparison of pictures on the CPU engine, built once for each
 * instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COMPARE_ROWS_H
#define BDCT_COMPARE_ROWS_H

#include "dct/metrics/kernel.h"
#include "dct/quantizer/block-grid.h"

/* Rows of a plane in one piece of work; even. */
#define BDCT_COMPARE_STRIP 64

typedef struct {
  /* Add up the squared errors of a row of a plane in memory, for each of its
   * components. */
  void (*square) (const BdctPlaneLayout *plane, int depth, const uint8_t *a,
      const uint8_t *b, uint64_t sse[2]);

  /* Likewise of R, G and B in a row of an image. */
  void (*square_rgb) (const BdctLayout *layout, const BdctImage *a,
      const BdctImage *b, int y, uint64_t sse[3]);

  /* Set the squared errors of a row of blocks, 8 x 8, in their records. */
  void (*blocks) (const BdctMetricPlane *plane, int row,
      BdctBlockRecord *records);

  /* Write a row of a plane in memory from the `src` of its components,
   * whatever their layout. */
  void (*pack) (const BdctPlaneLayout *plane, const BdctMetricPlane from[2],
      int y, uint8_t *to);
} BdctCompareKernel;

extern const BdctCompareKernel bdct_compare_baseline, bdct_compare_sse41,
    bdct_compare_avx2, bdct_compare_avx512;

#endif
