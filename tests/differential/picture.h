/* blockdct tests: pictures of the differential.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_DIFFERENTIAL_PICTURE_H
#define TESTS_DIFFERENTIAL_PICTURE_H

#include "case.h"

/* A picture with all bytes about it; the image points into them. */
typedef struct {
  BdctLayout layout;
  BdctImage image;
  uint8_t *bytes;
  size_t size;
} Picture;

/* Allocate; the program ends where memory is short. */
void *allocate (size_t size);

int clamp (int v, int min, int max);

/* Lay the planes out, so many samples before each plane and behind each row,
 * the last row first if `up`. Without these samples nothing lies about planes,
 * for a sanitizer to see what reaches beyond. */
void picture_init (Picture *picture, const BdctLayout *layout, int offset,
    int spare, bool up);

/* The planes of an image, the samples of a row, each of `bytes`, the rows, and
 * where row y begins in `bytes` of a picture. */
int picture_planes (const BdctLayout *layout);
int picture_row (const BdctLayout *layout, int p, int *bytes);
int picture_rows (const BdctLayout *layout, int p);
size_t picture_at (const Picture *picture, int p, int y);

/* The same image with other bytes. */
BdctImage picture_image (const Picture *picture, const uint8_t *bytes);

/* All samples of a component, or of R, G or B, with these bytes, to be freed;
 * NULL: there are none. */
int *picture_samples (const Picture *picture, const uint8_t *bytes, int c,
    size_t *n);

/* Fill the planes with a frame's content, or with what is to be compared with
 * it. */
enum { SAME, NOISY, OTHER_SEED, OTHER_CONTENT, N_DISTORTIONS };
void picture_fill (const Picture *picture, const int *value, int distortion);

#endif
