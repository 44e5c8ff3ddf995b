/** @file
 * libblockdct: pictures in memory, and errors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_PICTURE_H
#define BLOCKDCT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BDCT_BEGIN_DECLS extern "C" {
#define BDCT_END_DECLS }
#else
#define BDCT_BEGIN_DECLS
#define BDCT_END_DECLS
#endif

BDCT_BEGIN_DECLS

/** The text of an error: what happened and, if possible, what to do about it.
 * Functions that take a `BdctError *` write it when they fail; it may be NULL.
 */
typedef struct {
  char message[256];
} BdctError;

/** The maximum numbers of planes and of colour components of a picture. */
#define BDCT_MAX_PLANES 3
#define BDCT_MAX_COMPONENTS 3

/** The maximum side of a picture, in samples. */
#define BDCT_MAX_SIDE 65535

/** Colour components, in the order of every array indexed by component. */
typedef enum { BDCT_Y, BDCT_U, BDCT_V } BdctComponent;

/** The chroma sampling: chroma_format_idc of H.265 (clause 6.2), and 4:4:0,
 * which has half the height and the full width. */
typedef enum {
  BDCT_CHROMA_400, BDCT_CHROMA_420, BDCT_CHROMA_422, BDCT_CHROMA_444,
  BDCT_CHROMA_440
} BdctChromaFormat;

/** One plane of memory: what is the same for all pictures.
 *
 * A plane holds one component, or two interleaved sample by sample (the chroma
 * plane of NV12: U V U V ...). At a depth of 8, samples are bytes; above, they
 * are little-endian 16-bit words whose value begins at bit `shift` (P010: depth
 * 10, shift 6). A value above 2^depth - 1 is read as 2^depth - 1; the
 * bits below `shift` are ignored when read and written as 0. */
typedef struct {
  int width, height;          /**< of each component, 1 to BDCT_MAX_SIDE */
  int shift;                  /**< unused low bits of each word, 0 to 6 */
  int interleave;             /**< components in this plane: 1 or 2 */
  BdctComponent component[2]; /**< the components, in memory order */
} BdctPlaneLayout;

/** The positions of R, G and B, in this order, in the pixels of an image. Other
 * bytes of a pixel, such as alpha, are copied unchanged. */
typedef struct {
  int n_planes;  /**< planes of the image: 1 or 3; 0: not R, G and B */
  int bytes;     /**< from one pixel of a plane to the next: 1, 3 or 4 */
  int plane[3];  /**< index of the plane, 0 to n_planes - 1 */
  int offset[3]; /**< index of the byte in a plane's pixel, 0 to bytes - 1 */
} BdctRgb;

/** The layout of a picture. */
typedef struct {
  size_t size; /**< sizeof (BdctLayout) */
  int depth;   /**< bits of a sample: 8 to 12; 8 for R, G and B */
  BdctChromaFormat chroma;
  int n_planes;
  BdctPlaneLayout plane[BDCT_MAX_PLANES];
  BdctRgb rgb; /**< if n_planes is above 0, images hold R, G and B, from
                    which an engine computes the planes above, as in JFIF */
  int stack;   /**< for R, G and B: number of pictures of equal height that an
                    image has, one below the other; each is converted by itself.
                    0 and 1: the image is one picture. bdct_layout_init() and
                    bdct_layout_init_rgb() set 0. */
} BdctLayout;

/** Describe planes of Y, U and V: I420 is (BDCT_CHROMA_420, 8, 0, 3), NV12
 * (BDCT_CHROMA_420, 8, 0, 2), P010 (BDCT_CHROMA_420, 10, 6, 2), grey
 * (BDCT_CHROMA_400, 8, 0, 1). Sides of chroma are rounded up. Values are not
 * checked here, but by bdct_jobs_new() and bdct_engine_configure(). */
void bdct_layout_init (BdctLayout *layout, BdctChromaFormat chroma, int depth,
    int shift, int n_planes, int width, int height);

/** Describe pixels of R, G and B, and the planes, with chroma format `chroma`,
 * that an engine computes from them. */
void bdct_layout_init_rgb (BdctLayout *layout, const BdctRgb *rgb, int width,
    int height, BdctChromaFormat chroma);

/** The memory of an image. */
typedef enum {
  BDCT_MEMORY_HOST,   /**< any host memory */
  BDCT_MEMORY_DEVICE, /**< the memory of the engine's device */
} BdctMemory;

/** The planes of one picture: of R, G and B if the layout has `rgb`. The caller
 * owns the memory, and keeps it mapped while an engine uses it. */
typedef struct {
  BdctMemory memory;
  void *data[BDCT_MAX_PLANES];       /**< first sample of the first row */
  ptrdiff_t stride[BDCT_MAX_PLANES]; /**< bytes from one row to the next; may
                                          be negative */
} BdctImage;

BDCT_END_DECLS
#endif
