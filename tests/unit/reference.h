/* blockdct tests: the transforms by their definitions, one sample after the
 * other, in 64-bit integers and in double.
 *
 * Written from the standards and sharing nothing with dct/ but the names of
 * the parameters: other tables, other formulas, no shortcut. What an engine
 * delivers is compared with this.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "dct/quantizer/job.h"

/* One component of a picture and what is done to it. */
typedef struct {
  const BdctParams *params;
  BdctChromaFormat chroma;
  BdctComponent component;
  int depth;
  int width, height;
} RefPlane;

/* Samples by component, width x height, no padding; NULL where the format lacks
 * it. */
typedef struct {
  int width[BDCT_MAX_COMPONENTS], height[BDCT_MAX_COMPONENTS];
  int *sample[BDCT_MAX_COMPONENTS];
} RefPicture;

/* How far a sample may be from the definition's: 0 to REF_ANY - 1, or one of
 * these. Only dct-8x8 has others than 0. */
enum {
  REF_ANY = 254, /* a coefficient of the block nears .5: it may go astray */
  REF_TIE = 255, /* it, or the sample, is within 1e-6 of .5: nobody can say,
                      and the sample counts in no agreement */
};

/* Where the coefficients of T.81's Figure A.6 lie in rows of 8. */
extern const int ref_zigzag[64];

/* The largest block's side. */
#define REF_SIZE 64

typedef struct {
  uint64_t samples, sse, levels, nonzero;
  uint64_t unsure; /* levels of dct-8x8 that may or may not be 0 */
  int level[REF_SIZE][REF_SIZE]; /* of the last block */
} RefResult;

/* Transform, quantize and reconstruct `in` (width x height samples) to `out`.
 * `slack`, how far each sample may be off, may be NULL. */
void ref_plane (const RefPlane *plane, const int *in, int *out,
    uint8_t *slack, RefResult *result);

/* Whether a sample is near enough to the definition's. */
static inline bool
ref_agrees (int sample, int defined, uint8_t slack)
{
  return slack >= REF_ANY || abs (sample - defined) <= slack;
}

/* Dequantize a block of levels, any 16-bit ones, and transform it back into
 * residuals; those of dct-8x8, not yet rounded, are `samples`. */
void ref_inverse (const RefPlane *plane, int64_t x[][REF_SIZE],
    double samples[8][8]);

/* log2 of how many of luma's columns, or rows, a sample of a component has. */
static inline int
ref_sub_x (BdctChromaFormat chroma, int component)
{
  return component > 0 && (chroma == BDCT_CHROMA_420
      || chroma == BDCT_CHROMA_422);
}

static inline int
ref_sub_y (BdctChromaFormat chroma, int component)
{
  return component > 0 && (chroma == BDCT_CHROMA_420
      || chroma == BDCT_CHROMA_440);
}

/* The size of this component's transforms. */
int ref_block_size (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component);

/* Whether this component has H.264's chroma DC transform. */
bool ref_has_dc (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component);

/* The sides of this component's blocks, which have a quantizer and a record
 * each: those of the transform, or with a DC transform of a macroblock. */
int ref_block_width (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component);
int ref_block_height (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component);

/* Entry (k, n) of the transform's matrix as H.265 8.6.4.2 prints it. */
int ref_hevc_entry (int size, bool dst, int k, int n);

#endif
