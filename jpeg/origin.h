/* blockdct: the JPEG file that a decoded picture comes from.
 *
 * A picture that libjpeg has decoded, and that nobody has changed but to crop
 * it, tells how it was quantized: its planes come back from R, G and B exactly
 * (where none is at an end of its range), chroma's samples from their
 * interpolation, and the steps from the coefficients (comb.h). An answer
 * is given only if levels with it decode to every such block exactly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_JPEG_ORIGIN_H
#define BLOCKDCT_JPEG_ORIGIN_H

#include <blockdct/transform.h>

/* What is known of the file. */
typedef struct
{
  int left, top;                /* luma's first whole block, 0 to 7 */
  int h, v;                     /* pixels to a sample of chroma, across and
                                     down; 0 if that does not show, or if the
                                     picture is grey */
  int preset;                   /* the tables are these at `quality`; -1: of
                                     no preset, or of several */
  int quality;
  uint16_t steps[2][64];        /* luma's and chroma's, row-major; 0: all
                                     levels are 0 */
} JpegOrigin;

/* A picture of 8-bit samples: grey, or R, G and B. */
typedef struct
{
  const uint8_t *data;          /* first pixel of the first row */
  ptrdiff_t stride;             /* bytes from one row to the next */
  int width, height;
  int components;               /* 1 or 3 */
} JpegOriginPicture;

/* Find a picture's origin. Returns false, saying why, if it is not known. */
bool jpeg_origin_find (JpegOrigin * origin, const JpegOriginPicture * picture,
    BdctError * error);

/* Set the steps of a preset's tables for luma and chroma at a quality, as
 * libjpeg scales them for baseline files. */
void jpeg_origin_scale (int preset, int quality, uint16_t steps[2][64]);

/* Name the tables of an origin's steps, all of which are known: set `preset`
 * and `quality`. `n_tables` is 1 if only luma's count. */
void jpeg_origin_name (JpegOrigin * origin, int n_tables);

#endif
