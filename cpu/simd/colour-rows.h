/* blockdct: R, G and B on the CPU engine, built once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COLOUR_CPU_H
#define BDCT_COLOUR_CPU_H

#include "dct/picture/render.h"

/** Rows of the picture in a strip; even. */
#define BDCT_COLOUR_STRIP 32

/** One frame of R, G and B on its way. `planes`, `rec` and `shown` are as
 * bdct_colour_image() lays them out; what is not needed has no data. */
typedef struct {
  const BdctLayout *layout;
  BdctImage src, dst;       /**< pixels */
  BdctImage planes;         /**< made of `src`, up to the last column of their
                                 memory */
  BdctImage rec;            /**< the reconstruction, ... */
  BdctImage shown;          /**< ... and what `dst` is made of */
  const BdctRender *render; /**< how `shown` came to be; NULL: it is `rec` */
} BdctColour;

typedef struct {
  /** Make a strip of `planes` of the pixels of `src`. */
  void (*rgb_to_planes) (const BdctColour *colour, int strip);

  /** Write a strip of `dst`, and add up the squared errors of R, G and B in
   * that of `rec`. */
  void (*planes_to_rgb) (const BdctColour *colour, int strip, uint64_t sse[3]);
} BdctColourKernel;

extern const BdctColourKernel bdct_colour_baseline, bdct_colour_sse41,
    bdct_colour_avx2, bdct_colour_avx512;

/** Strips of a frame. */
int bdct_colour_count_strips (const BdctLayout *layout);

/** Columns of a plane in memory: any tile there is in it is whole. */
static inline int
bdct_colour_columns (const BdctLayout *layout, int plane)
{
  const int whole = 2 * BDCT_MAX_SIZE;

  return (layout->plane[0].width + whole - 1) / whole * whole
      >> bdct_layout_sub_x (layout, plane);
}

/** Describe planes in `*memory`, which is allocated if it is NULL: their rows
 * have bdct_colour_columns() bytes. False without memory. */
bool bdct_colour_image (const BdctLayout *layout, uint8_t **memory,
    BdctImage *image);

/** A frame's planes, in one go: for who wants a block of them. The caller's;
 * NULL without memory. */
uint8_t *bdct_colour_planes (const BdctLayout *layout, const BdctImage *src,
    BdctImage *planes);

#endif
