/* blockdct: one block, with all that happens to it on the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_BLOCK_H
#define BDCT_BLOCK_H

#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All row-major; rows of `coefficient` and `level` are vertical frequency. */
typedef struct {
  int width, height;                                /**< 4 to 64 */
  int sample[BDCT_MAX_SIZE * BDCT_MAX_SIZE];        /**< what came in */
  double coefficient[BDCT_MAX_SIZE * BDCT_MAX_SIZE];
      /**< whole numbers as the transform leaves them (jpeg-8x8: times 8), or,
           for dct-8x8, those of the orthonormal DCT */
  int level[BDCT_MAX_SIZE * BDCT_MAX_SIZE];         /**< quantized */
  int reconstruction[BDCT_MAX_SIZE * BDCT_MAX_SIZE];
} BdctBlock;

/** Compute the rest from `sample` (each 0 to 2^depth - 1, a whole block with
 * the picture's edge repeated), as the CPU engine does. dct-8x8 is in single
 * precision, from which the tensor cores' picture may differ by a rounding. */
void bdct_block_run (BdctBlock *block, const BdctJob *job,
    BdctComponent component);

#ifdef __cplusplus
}
#endif
#endif
