/* blockdct: the planes that a JPEG decoder made R, G and B of.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_JPEG_PLANES_H
#define BLOCKDCT_JPEG_PLANES_H

#include "comb.h"

/* Allocate a plane. Free `sample` alone. */
bool jpeg_plane_init (CombPlane * plane, int width, int height);

/* Set a sample, which is exactly this or may be any. */
void jpeg_plane_set (CombPlane * plane, int x, int y, int sample, bool exact);

/* Split pixels of R, G and B. Samples are unknown where one of the three is at
 * an end of its range. Returns false if some pixel comes of no Y, U and V. */
bool jpeg_planes_split (CombPlane plane[3], const uint8_t * data,
    ptrdiff_t stride);

/* Undo the interpolation of a plane of chroma (jdsample.c, "fancy
 * upsampling"), which has a sample for h x v pixels, the first of which begins
 * at (left, top). Returns false, without a plane, if that is not how it was
 * made. */
bool jpeg_plane_reduce (CombPlane * small, const CombPlane * plane, int h,
    int v, int left, int top);

#endif
