/* blockdct: the CPU engine's fast inner part: chains in 16-bit lanes.
 *
 * They compute the same numbers as the 32-bit chains of tile32.h, for jobs
 * whose numbers fit. bdct_tile16_init() proves this for each job from its
 * tables and its bases' matrices; tile32.h does all other jobs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TILE16_TABLES_H
#define BDCT_TILE16_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/quantizer/job.h"

/* The largest block's side, and the vectors that the largest block takes in
 * each lane. */
#define BDCT_TILE16_SIZE 32
#define BDCT_TILE16_VECTORS 128

/* A basis in the passes' order. An entry is two of the matrix's entries, the
 * first in the lower half, which multiply two neighbouring 16-bit elements. A
 * class is the outputs of one level of the partial butterflies
 * (dct/transform/butterflies.h): the frequencies that are multiples of n / 4,
 * then odd multiples of n / 8, of n / 16, and so on. Size 4 has no classes. */
typedef struct {
  int32_t rows[176];            /* forward: class by class */
  int32_t columns[2][16][8];    /* forward: even, then odd frequencies; for
                                     size 8 followed by those of the mirrored
                                     rows */
  int32_t inverse[176];         /* class by class */
} BdctTile16Basis;

/* The quantizer's numbers for the 8 elements of a vector's lane. */
typedef struct {
  int16_t quant[8], scale[8], dequant[8], power[8];
} BdctTile16Entry;

/* How coefficients are quantized and dequantized (tile16.c). */
typedef enum {
  BDCT_TILE16_PRODUCT,         /* d = level dequant */
  BDCT_TILE16_ROUNDED,         /* rounded, in 16 bits */
  BDCT_TILE16_WIDE,            /* in 32 bits */
  BDCT_TILE16_JPEG,
  BDCT_TILE16_JPEG_WIDE,       /* of |c| / 4 */
  BDCT_TILE16_GIVEN,           /* levels, in 32 bits */
  BDCT_TILE16_GIVEN_JPEG,
  BDCT_TILE16_GIVEN_JPEG_WIDE,
} BdctTile16Quantizer;

/* A component of a job, for these chains. */
typedef struct {
  const BdctTile16Basis *basis; /* NULL: these chains cannot do the job */
  int size;
  bool jpeg;
  bool wide;                    /* JPEG: only in the wide form */
  int depth;
  int shift[4];                 /* of the four passes */
  int32_t first[4];             /* start values of the first pass, by
                                     frequency: they subtract the samples'
                                     2^(B-1); above size 4 only [0] is used */
  BdctTile16Quantizer quantizer;
  int add_low, add_high, power; /* of the quantizer: quant_add - 1, and
                                     2^(16-bits) */
  int dequant_round, dequant_shift;
  int column[2];                /* JPEG: the largest sum of |d| in a column of
                                     given levels; [1] in the wide form */
  int n_vectors;
  /* The entries in use, one for each vector; for JPEG above 8 bits followed by
   * as many for the wide form. The rest is uninitialized. */
  BdctTile16Entry entry[BDCT_TILE16_VECTORS];
} BdctTile16;

/* Set the chain of a job's component. */
void bdct_tile16_init (BdctTile16 *chain, const BdctJob *job,
    const BdctComponentJob *component);

/* The frequency at position `i` of the vectors' order, class by class. */
static inline __attribute__ ((always_inline)) int
bdct_tile16_order (int size, int i)
{
  static const uint8_t order[BDCT_TILE16_SIZE] = {
    0, 16, 8, 24, 4, 12, 20, 28, 2, 6, 10, 14, 18, 22, 26, 30,
    1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
  };

  return order[i] * size / BDCT_TILE16_SIZE;
}

/* The sample at position `i` of the first pass' order of a row: in each 8
 * samples the second 4 mirror the first 4, in each 16 the second 8 mirror the
 * first 8, counted in pairs that a forward butterfly combined. */
static inline __attribute__ ((always_inline)) int
bdct_tile16_mirror (int size, int i)
{
  const int n = size < 16 ? size / 2 : 8;
  const int at = i % n < n / 2 ? i % n : n + n / 2 - 1 - i % n;

  return i < n ? at : 2 * n - 1 - at;
}

#endif
