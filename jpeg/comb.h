/* blockdct: the quantizer steps behind the samples that a JPEG decoder wrote.
 *
 * The DCT of a decoded block is a level times a step in each frequency, but for
 * what rounding to samples adds: 64 errors, uniform between -1/2 and 1/2, so of
 * variance 1/12 in an orthonormal DCT. So the coefficients of a frequency lie
 * around the teeth of a comb.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_JPEG_COMB_H
#define BLOCKDCT_JPEG_COMB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMB_MAX_STEP 255

/* The most by which a sample that is known may differ from another one. */
#define COMB_SLACK 2

/* Samples of one component: the likeliest ones, and the least and the most
 * that they may be. Those in wider bounds than COMB_SLACK are not known. */
typedef struct
{
  int width, height;
  uint8_t *sample, *least, *most;
} CombPlane;

/* For each frequency, row-major with rows of vertical frequency: by step, how
 * much likelier its coefficients are than without a comb (a logarithm); and how
 * many tell one step from another. */
typedef struct
{
  double gain[64][COMB_MAX_STEP + 1];
  int blocks;
} Comb;

/* The orthonormal DCT of the block whose first sample is (x, y), all of which
 * is in the plane. */
void comb_transform (const CombPlane * plane, int x, int y, double c[64]);

/* Whether all samples of a block are known. */
bool comb_is_known (const CombPlane * plane, int x, int y);

/* Look at up to `max_blocks` known blocks, spread over the plane, of the grid
 * that begins at (left, top). */
void comb_measure (Comb * comb, const CombPlane * plane, int left, int top,
    int max_blocks, int max_step);

/* The likeliest step of a frequency; 0: no level tells it. */
int comb_step (const Comb * comb, int k, int max_step);

/* Find the grid with the most gain. Returns false if none stands out. */
bool comb_find_grid (const CombPlane * plane, int *left, int *top);

#endif
