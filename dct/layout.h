/* blockdct: how the samples of a frame lie in memory.
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

/** Planes of a frame, and colour components of a frame: at most three each. */
#define BDCT_MAX_PLANES 3
#define BDCT_MAX_COMPONENTS 3

/** The longest side of a picture. Up to it every index is exact in the type
 * that has it, in both engines: a row has at most 4 x 65535 < 2^18 bytes (two
 * words a column), a component at most 2^14 x 2^14 blocks of 4 x 4, a frame
 * three of these, less than 2^30, and fewer tiles than that; all are `int`.
 * What grows with rows times stride is 64 bits wide: offsets, sizes, samples,
 * sums of squared errors (below 2^56 a component). bdct_layout_check()
 * (engine.h) refuses what is larger. */
#define BDCT_MAX_SIDE 65535

/** Colour components, in the order of every array indexed by component. */
typedef enum {
  BDCT_Y = 0,
  BDCT_U = 1,
  BDCT_V = 2,
} BdctComponent;

/** What stays the same from frame to frame: one plane of memory.
 *
 * A plane holds one component, or two interleaved sample by sample (the chroma
 * plane of NV12: U V U V ...). Samples are bytes at a depth of 8, else
 * little-endian 16-bit words holding the value in the bits from `shift` up
 * (P010: depth 10, shift 6). A word's value above 2^depth - 1 is read as
 * 2^depth - 1; the bits below `shift` are ignored and written as 0. */
typedef struct {
  int width;                  /**< samples a row of each component, 1 to
                                   BDCT_MAX_SIDE */
  int height;                 /**< rows, 1 to BDCT_MAX_SIDE */
  int shift;                  /**< unused low bits of each word, 0 to 6 */
  int interleave;             /**< components in this plane: 1 or 2 */
  BdctComponent component[2]; /**< which ones, in memory order */
} BdctPlaneLayout;

/** The chroma sampling, as chroma_format_idc of H.265 (clause 6.2). */
typedef enum {
  BDCT_CHROMA_400 = 0,
  BDCT_CHROMA_420 = 1,
  BDCT_CHROMA_422 = 2,
  BDCT_CHROMA_444 = 3,
} BdctChromaFormat;

/** All planes of a frame. */
typedef struct {
  int depth; /**< bits a sample: 8 to 12 */
  BdctChromaFormat chroma;
  int n_planes;
  BdctPlaneLayout plane[BDCT_MAX_PLANES];
} BdctLayout;

/** Where an image's bytes are. */
typedef enum {
  BDCT_MEMORY_HOST,   /**< any host memory */
  BDCT_MEMORY_DEVICE, /**< the memory of the engine's device */
} BdctMemory;

/** One frame's planes. The memory belongs to the caller, who keeps it mapped
 * from submit to collect (engine.h). */
typedef struct {
  BdctMemory memory;
  void *data[BDCT_MAX_PLANES];       /**< first sample of the first row */
  ptrdiff_t stride[BDCT_MAX_PLANES]; /**< bytes from a row to the next; any
                                        value, negative too, that keeps every
                                        row inside its allocation; a multiple
                                        of 2 above a depth of 8 */
} BdctImage;

/** A component, or a plane, of one image. */
typedef struct {
  uint8_t *data;  /**< its first sample */
  int64_t stride; /**< bytes from a row to the next */
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

/** Component `i` of those in a plane of an image; 0 is also the whole plane. */
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
