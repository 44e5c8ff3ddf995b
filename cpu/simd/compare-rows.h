/* blockdct: what comparisons add on the CPU engine, built once for each
 * instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COMPARE_CPU_H
#define BDCT_COMPARE_CPU_H

#include "cpu/metrics/kernel.h"
#include "dct/quantizer/block-grid.h"

/** Rows of a plane that are one piece of work; even. */
#define BDCT_COMPARE_STRIP 64

typedef struct {
  /** Add up the squared errors in a row of a plane of memory, of each component
   * in it. */
  void (*square) (const BdctPlaneLayout *plane, int depth, const uint8_t *a,
      const uint8_t *b, uint64_t sse[2]);

  /** The same of R, G and B in a row of an image. */
  void (*square_rgb) (const BdctLayout *layout, const BdctImage *a,
      const BdctImage *b, int y, uint64_t sse[3]);

  /** Fill the records of a row of blocks, 8 x 8, with their squared errors. */
  void (*blocks) (const BdctMetricPlane *plane, int row,
      BdctBlockRecord *records);

  /** Make a row of a plane of memory of its components, wherever they are:
   * their `src`. */
  void (*pack) (const BdctPlaneLayout *plane, const BdctMetricPlane from[2],
      int y, uint8_t *to);
} BdctCompareKernel;

extern const BdctCompareKernel bdct_compare_baseline, bdct_compare_sse41,
    bdct_compare_avx2, bdct_compare_avx512;

#endif
