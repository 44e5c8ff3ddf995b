/* blockdct: the CPU engine's fast inner part: chains in 16-bit lanes.
 *
 * The same numbers as the 32-bit chains of tile32.h, for the jobs whose numbers
 * fit: bdct_tile16_init() proves it of each job, from its tables and its
 * bases' matrices. All others are left to tile32.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TILE16_H
#define BDCT_TILE16_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/quantizer/job.h"

/** The largest block, and the vectors of a lane's blocks of this size. */
#define BDCT_TILE16_SIZE 32
#define BDCT_TILE16_VECTORS 128

/** A basis as the passes want it: an entry is two of a matrix, the first in the
 * lower half, that meet two neighbouring 16-bit elements. A class is what one
 * level of the partial butterflies (dct/transform/butterflies.h) leaves: the
 * frequencies that are multiples of n / 4, then the odd ones of 4, of 8, ...
 * times so many. At sizes of 4 there is none. */
typedef struct {
  int32_t rows[176];            /**< forward: class by class */
  int32_t columns[2][16][8];    /**< forward: even, odd frequencies; behind
                                     8's those of the mirrored rows */
  int32_t inverse[176];         /**< class by class */
} BdctTile16Basis;

/** What the quantizer needs for the 8 elements of a vector's lane. */
typedef struct {
  int16_t quant[8], scale[8], dequant[8], power[8];
} BdctTile16Entry;

/** How coefficients are quantized and dequantized (tile16.c). */
typedef enum {
  BDCT_TILE16_PRODUCT,         /**< d = level dequant */
  BDCT_TILE16_ROUNDED,         /**< rounded, in 16 bits */
  BDCT_TILE16_WIDE,            /**< in 32 bits */
  BDCT_TILE16_JPEG,
  BDCT_TILE16_JPEG_WIDE,       /**< of |c| / 4 */
} BdctTile16Quantizer;

/** A component of a job for these chains. */
typedef struct {
  const BdctTile16Basis *basis; /**< NULL: the job is none for them */
  int size;
  bool jpeg;
  bool wide;                    /**< JPEG's: for the wide form alone */
  int depth;
  int shift[4];                 /**< of the four passes */
  int32_t first[4];             /**< start values of the first, by frequency:
                                     the samples' 2^(B-1) that are taken off;
                                     only [0] above size 4 */
  BdctTile16Quantizer quantizer;
  int add_low, add_high, power; /**< of the quantizer: quant_add - 1, and
                                     2^(16-bits) */
  int dequant_round, dequant_shift;
  int n_vectors;
  /** So many; and, of JPEG above 8 bits, as many for the wide form. The rest is
   * not set. */
  BdctTile16Entry entry[BDCT_TILE16_VECTORS];
} BdctTile16;

/** Fill one from a job's component. */
void bdct_tile16_init (BdctTile16 *chain, const BdctJob *job,
    const BdctComponentJob *component);

/** Frequency `i` of the order in which vectors have them: class by class. */
static inline __attribute__ ((always_inline)) int
bdct_tile16_order (int size, int i)
{
  static const uint8_t order[BDCT_TILE16_SIZE] = {
    0, 16, 8, 24, 4, 12, 20, 28, 2, 6, 10, 14, 18, 22, 26, 30,
    1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
  };

  return order[i] * size / BDCT_TILE16_SIZE;
}

/** Sample `i` of the order in which the first pass has a row's: in each 8 the
 * second 4 mirror the first, in 16 the second 8 do, counted as pairs of which
 * the forward butterflies made one. */
static inline __attribute__ ((always_inline)) int
bdct_tile16_mirror (int size, int i)
{
  const int n = size < 16 ? size / 2 : 8;
  const int at = i % n < n / 2 ? i % n : n + n / 2 - 1 - i % n;

  return i < n ? at : 2 * n - 1 - at;
}

#endif
