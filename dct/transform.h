/* blockdct: the transforms, everything about each in one table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TRANSFORM_H
#define BDCT_TRANSFORM_H

#include <stdint.h>
#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  BDCT_JPEG_8X8,
  BDCT_DCT_8X8,
  BDCT_HEVC_DST_4X4,
  BDCT_HEVC_4X4,
  BDCT_HEVC_8X8,
  BDCT_HEVC_16X16,
  BDCT_HEVC_32X32,
  BDCT_N_TRANSFORMS
} BdctTransform;

/** The largest block. */
#define BDCT_MAX_SIZE 32

/** The arithmetic a transform belongs to: how it rounds and quantizes. */
typedef enum {
  /** ITU-T T.81 with the integer DCT of libjpeg's `islow` method. */
  BDCT_FAMILY_JPEG,
  /** The orthonormal DCT-II in floating point ("Discrete Cosine Transform for
   * 8x8 Blocks with CUDA", NVIDIA 2008, equations 1 and 2). */
  BDCT_FAMILY_REAL,
  /** ITU-T H.265 clause 8.6.4 with HM's forward transform and quantizer. */
  BDCT_FAMILY_HEVC,
} BdctFamily;

/** The one-dimensional transform: its matrix (matrices.h). */
typedef enum {
  BDCT_MATRIX_ISLOW_8,
  BDCT_MATRIX_REAL_8,
  BDCT_MATRIX_DST_4,
  BDCT_MATRIX_HEVC_4,
  BDCT_MATRIX_HEVC_8,
  BDCT_MATRIX_HEVC_16,
  BDCT_MATRIX_HEVC_32,
} BdctMatrix;

typedef struct {
  const char *name;        /**< nick: "jpeg-8x8" */
  const char *description; /**< a line for people */
  BdctFamily family;
  BdctMatrix luma;            /**< matrix for Y, and for U and V in 4:4:4 ... */
  BdctMatrix chroma_444;      /**< ... but for this one, */
  BdctMatrix chroma_sampled;  /**< and this where chroma is subsampled:
                                 H.265 clause 7.3.8.8 halves the block */
} BdctTransformInfo;

/** The table's row; NULL for a value outside the enumeration. */
const BdctTransformInfo *bdct_transform_info (BdctTransform transform);

/** The matrix a component is transformed with. */
BdctMatrix bdct_transform_matrix (BdctTransform transform,
    BdctChromaFormat chroma, BdctComponent component);

/** log2 of a matrix's size: 2 to 5. */
int bdct_matrix_log2_size (BdctMatrix matrix);

#ifdef __cplusplus
}
#endif
#endif
