/* blockdct tests: what the files of definitions share among themselves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_REFERENCE_BLOCKS_H
#define TESTS_REFERENCE_BLOCKS_H

#include "reference.h"

typedef int64_t Whole;

/* floor (v / 2^shift + 1/2) */
static inline Whole
ref_descale (Whole v, int shift)
{
  Whole unit = (Whole) 1 << shift, doubled = 2 * v + unit;
  Whole quotient = doubled / (2 * unit);

  return doubled % (2 * unit) < 0 ? quotient - 1 : quotient;
}

/* A block of residuals, to coefficients, to levels and back. Adds to
 * result->nonzero. */
void ref_hevc_block (const RefPlane *plane, Whole x[][REF_SIZE],
    RefResult *result);
void ref_h264_block (const RefPlane *plane, Whole x[][REF_SIZE],
    RefResult *result);

/* A block of levels, to residuals. */
void ref_hevc_inverse (const RefPlane *plane, Whole x[][REF_SIZE]);
void ref_h264_inverse (const RefPlane *plane, Whole x[][REF_SIZE]);

/* Likewise for a macroblock's chroma with its DC transform. The levels of the
 * latter are in the first place of each 4x4 block. */
void ref_h264_chroma (const RefPlane *plane, Whole x[][REF_SIZE],
    RefResult *result);
void ref_h264_chroma_inverse (const RefPlane *plane, Whole x[][REF_SIZE]);

#endif
