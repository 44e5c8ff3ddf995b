/* blockdct: how the samples of a frame lie in memory.
 *
 * The engines work on planes of Y, U and V. For a frame of R, G and B they
 * first compute such planes, and turn the results back into pixels (colour.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_LAYOUT_H
#define BDCT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most planes and the most colour components of a frame. */
#define BDCT_MAX_PLANES 3
#define BDCT_MAX_COMPONENTS 3

/** The longest side of a picture. Up to it every index fits its type in both
 * engines. A row has at most 4 x 65535 < 2^18 bytes (two words a column), a
 * component at most 2^14 x 2^14 blocks of 4 x 4, a frame three of these, less
 * than 2^30, and fewer tiles than blocks; all of these are `int`. Whatever
 * grows with rows times stride is 64 bits wide: offsets, sizes, samples, sums
 * of squared errors (below 2^56 a component). bdct_layout_check() (engine.h)
 * refuses larger pictures. */
#define BDCT_MAX_SIDE 65535

/** Colour components, in the order of every array indexed by component. */
typedef enum {
  BDCT_Y = 0,
  BDCT_U = 1,
  BDCT_V = 2,
} BdctComponent;

/** One plane of memory, as far as it is the same for all frames.
 *
 * A plane holds one component, or two interleaved sample by sample (the chroma
 * plane of NV12: U V U V ...). At a depth of 8 samples are bytes, else
 * little-endian 16-bit words with the value in the bits from `shift` up (P010:
 * depth 10, shift 6). A value above 2^depth - 1 is read as 2^depth - 1; the
 * bits below `shift` are ignored when read and written as 0. */
typedef struct {
  int width;                  /**< samples of each component in a row, 1 to
                                   BDCT_MAX_SIDE */
  int height;                 /**< rows, 1 to BDCT_MAX_SIDE */
  int shift;                  /**< unused low bits of each word, 0 to 6 */
  int interleave;             /**< components in this plane: 1 or 2 */
  BdctComponent component[2]; /**< the components, in memory order */
} BdctPlaneLayout;

/** The chroma sampling: chroma_format_idc of H.265 (clause 6.2), and 4:4:0,
 * which H.265 lacks. */
typedef enum {
  BDCT_CHROMA_400 = 0,
  BDCT_CHROMA_420 = 1,
  BDCT_CHROMA_422 = 2,
  BDCT_CHROMA_444 = 3,
  BDCT_CHROMA_440 = 4, /**< half the height, the full width */
} BdctChromaFormat;

/** Where R, G and B, in this order, lie in the pixels of an image. Other bytes
 * of a pixel, such as alpha, are copied unchanged. */
typedef struct {
  int n_planes;  /**< of the image: 1 or 3; 0 if the image is not of R, G and
                      B */
  int bytes;     /**< from one pixel of a plane to the next: 1, 3 or 4 */
  int plane[3];  /**< index of the plane, 0 to n_planes - 1 */
  int offset[3]; /**< index of the byte in a plane's pixel, 0 to bytes - 1 */
} BdctRgb;

/** All planes of a frame. */
typedef struct {
  int depth; /**< bits of a sample: 8 to 12; 8 for R, G and B */
  BdctChromaFormat chroma;
  int n_planes;
  BdctPlaneLayout plane[BDCT_MAX_PLANES];
  BdctRgb rgb; /**< n_planes above 0: images hold R, G and B, and an engine
                    computes the planes above from them */
} BdctLayout;

/** Where the bytes of an image are. */
typedef enum {
  BDCT_MEMORY_HOST,   /**< any host memory */
  BDCT_MEMORY_DEVICE, /**< the memory of the engine's device */
} BdctMemory;

/** The planes of one frame: those of `rgb` if the layout has it. The caller
 * owns the memory and keeps it mapped from submit to collect (engine.h). */
typedef struct {
  BdctMemory memory;
  void *data[BDCT_MAX_PLANES];       /**< first sample of the first row */
  ptrdiff_t stride[BDCT_MAX_PLANES]; /**< bytes from one row to the next; may
                                          be negative; every row must lie
                                          inside its allocation; a multiple
                                          of 2 at depths above 8 */
} BdctImage;

/** A component or a plane of one image. */
typedef struct {
  uint8_t *data;  /**< its first sample */
  int64_t stride; /**< bytes from one row to the next */
} BdctSamples;

/** Bytes of one sample. */
static inline int
bdct_layout_sample_size (const BdctLayout *layout)
{
  return layout->depth > 8 ? 2 : 1;
}

/** Bytes of one row of a plane, without padding. */
static inline size_t
bdct_layout_row_size (const BdctLayout *layout, int plane)
{
  const BdctPlaneLayout *p = &layout->plane[plane];
  return (size_t) p->width * p->interleave * bdct_layout_sample_size (layout);
}

/** Component `i` of the components in a plane of an image. For 0 it is also the
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

/** The number of planes of an image. */
static inline int
bdct_image_planes (const BdctLayout *layout)
{
  return layout->rgb.n_planes > 0 ? layout->rgb.n_planes : layout->n_planes;
}

/** Bytes of one row of an image's plane, without padding. */
static inline size_t
bdct_image_row_size (const BdctLayout *layout, int plane)
{
  return layout->rgb.n_planes > 0
      ? (size_t) layout->plane[0].width * layout->rgb.bytes
      : bdct_layout_row_size (layout, plane);
}

/** Rows of an image's plane. */
static inline int
bdct_image_height (const BdctLayout *layout, int plane)
{
  return layout->plane[layout->rgb.n_planes > 0 ? 0 : plane].height;
}

/** Components of a frame: 1 or 3. */
static inline int
bdct_layout_components (const BdctLayout *layout)
{
  return layout->chroma == BDCT_CHROMA_400 ? 1 : 3;
}

/** log2 of how many luma samples there are to one sample of a component, across
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

/** The layout of frames of R, G and B of this size, with the planes that an
 * engine computes. */
void bdct_layout_init_rgb (BdctLayout *layout, const BdctRgb *rgb, int width,
    int height, BdctChromaFormat chroma);

/** The largest sample value, 2^depth - 1. */
static inline int
bdct_layout_peak (const BdctLayout *layout)
{
  return (1 << layout->depth) - 1;
}

#ifdef __cplusplus
}
#endif
#endif
