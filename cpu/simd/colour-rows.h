/* blockdct: conversion of R, G and B on the CPU engine, built once for each
 * instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COLOUR_ROWS_H
#define BDCT_COLOUR_ROWS_H

#include "dct/picture/render.h"

/* Rows of the picture in a strip; even. */
#define BDCT_COLOUR_STRIP 32

/* A frame of R, G and B in conversion. `planes`, `rec` and `shown` have the
 * layout of bdct_image_alloc(). Images that are not needed have no data. */
typedef struct {
  const BdctLayout *layout;
  BdctImage src, dst;       /* pixels */
  BdctImage planes;         /* from `src`, including all columns in their
                                 memory */
  BdctImage rec;            /* the reconstruction */
  BdctImage shown;          /* the planes that `dst` is made from */
  const BdctRender *render; /* the view that drew `shown`; NULL: `shown` is
                                 `rec` */
} BdctColour;

typedef struct {
  /* Convert a strip of `src` to `planes`. */
  void (*rgb_to_planes) (const BdctColour *colour, int strip);

  /* Convert a strip of `shown` to `dst`, and add up the squared errors of R, G
   * and B of `rec`, unless `sse` is NULL. */
  void (*planes_to_rgb) (const BdctColour *colour, int strip, uint64_t sse[3]);
} BdctColourKernel;

extern const BdctColourKernel bdct_colour_baseline, bdct_colour_sse41,
    bdct_colour_avx2, bdct_colour_avx512;

/* The number of strips of a frame; in a stack, of its pictures. */
int bdct_colour_count_strips (const BdctLayout *layout);

/* The columns of a plane in memory: enough for whole tiles. */
static inline int
bdct_colour_columns (const BdctLayout *layout, int plane)
{
  const int whole = 2 * BDCT_MAX_SIZE;

  return (layout->plane[0].width + whole - 1) / whole * whole
      >> bdct_layout_sub_x (layout, plane);
}

/* Describe an image in `*memory`, which is allocated if it is NULL: like the
 * caller's or of planes. Rows of planes of R, G and B have
 * bdct_colour_columns() bytes. Returns false without memory. */
bool bdct_image_alloc (const BdctLayout *layout, bool planes, uint8_t **memory,
    BdctImage *image);

/* Convert a whole frame to planes at once. Returns their memory, which the
 * caller frees; NULL without memory. */
uint8_t *bdct_colour_planes (const BdctLayout *layout, const BdctImage *src,
    BdctImage *planes);

#endif
