/* blockdct: how the samples of a frame lie in memory.
 *
 * The engines work on planes of Y, U and V. For a frame of R, G and B they
 * first compute such planes, and turn the results back into pixels (colour.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_LAYOUT_H
#define BDCT_LAYOUT_H

#include <blockdct/picture.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Up to BDCT_MAX_SIDE every index fits its type in both engines. A row has at
 * most 4 x 65535 < 2^18 bytes (two words a column), a component at most 2^14 x
 * 2^14 blocks of 4 x 4, a frame three of these, less than 2^30, and fewer tiles
 * than blocks; all of these are `int`. Whatever grows with rows times stride is
 * 64 bits wide: offsets, sizes, samples, sums of squared errors (below 2^56 a
 * component). bdct_layout_check() (engine.h) refuses larger pictures. */

/* A component or a plane of one image. */
typedef struct {
  uint8_t *data;  /* its first sample */
  int64_t stride; /* bytes from one row to the next */
} BdctSamples;

/* Bytes of one sample. */
static inline int
bdct_layout_sample_size (const BdctLayout *layout)
{
  return layout->depth > 8 ? 2 : 1;
}

/* Bytes of one row of a plane, without padding. */
static inline size_t
bdct_layout_row_size (const BdctLayout *layout, int plane)
{
  const BdctPlaneLayout *p = &layout->plane[plane];
  return (size_t) p->width * p->interleave * bdct_layout_sample_size (layout);
}

/* Component `i` of the components in a plane of an image. For 0 it is also the
 * whole plane. */
static inline BdctSamples
bdct_image_samples (const BdctImage *image, const BdctLayout *layout, int plane,
    int i)
{
  BdctSamples s;

  s.data = (uint8_t *) image->data[plane];
  if (s.data != NULL)
    s.data += i * bdct_layout_sample_size (layout);
  s.stride = image->stride[plane];
  return s;
}

/* The number of planes of an image. */
static inline int
bdct_image_planes (const BdctLayout *layout)
{
  return layout->rgb.n_planes > 0 ? layout->rgb.n_planes : layout->n_planes;
}

/* The number of pictures in an image. */
static inline int
bdct_layout_pictures (const BdctLayout *layout)
{
  return layout->stack > 1 ? layout->stack : 1;
}

/* The layout of one of them. */
static inline BdctLayout
bdct_layout_picture (const BdctLayout *layout)
{
  BdctLayout one = *layout;

  for (int p = 0; p < one.n_planes; p++)
    one.plane[p].height /= bdct_layout_pictures (layout);
  one.stack = 0;
  return one;
}

/* Bytes from one picture of a stack to the next; 0: its rows follow. */
static inline ptrdiff_t
bdct_stack_pitch (const BdctLayout *layout, const BdctImage *image,
    ptrdiff_t pitch)
{
  return pitch != 0 ? pitch : image->stride[0]
      * (layout->plane[0].height / bdct_layout_pictures (layout));
}

/* Bytes of one row of an image's plane, without padding. */
static inline size_t
bdct_image_row_size (const BdctLayout *layout, int plane)
{
  return layout->rgb.n_planes > 0
      ? (size_t) layout->plane[0].width * layout->rgb.bytes
      : bdct_layout_row_size (layout, plane);
}

/* Rows of an image's plane. */
static inline int
bdct_image_height (const BdctLayout *layout, int plane)
{
  return layout->plane[layout->rgb.n_planes > 0 ? 0 : plane].height;
}

/* Components of a frame: 1 or 3. */
static inline int
bdct_layout_components (const BdctLayout *layout)
{
  return layout->chroma == BDCT_CHROMA_400 ? 1 : 3;
}

/* log2 of how many luma samples there are to one sample of a component, across
 * and down. */
static inline int
bdct_layout_sub_x (const BdctLayout *layout, int component)
{
  return component != BDCT_Y && (layout->chroma == BDCT_CHROMA_420
      || layout->chroma == BDCT_CHROMA_422);
}

static inline int
bdct_layout_sub_y (const BdctLayout *layout, int component)
{
  return component != BDCT_Y && (layout->chroma == BDCT_CHROMA_420
      || layout->chroma == BDCT_CHROMA_440);
}

/* The largest sample value, 2^depth - 1. */
static inline int
bdct_layout_peak (const BdctLayout *layout)
{
  return (1 << layout->depth) - 1;
}

#ifdef __cplusplus
}
#endif
#endif
