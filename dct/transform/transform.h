/* blockdct: the transforms; transforms.def declares each of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TRANSFORM_H
#define BDCT_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tests/unit/test-chains.c brings more. */
#ifndef BDCT_TRANSFORMS
#define BDCT_TRANSFORMS "dct/transform/transforms.def"
#endif

#define BASIS(id, n, kind) BDCT_BASIS_##id,
typedef enum {
#include BDCT_TRANSFORMS
  BDCT_N_BASES
} BdctBasis;

#define CHAIN(id, family, row, column, keep) BDCT_CHAIN_##id,
typedef enum {
#include BDCT_TRANSFORMS
  BDCT_N_CHAINS
} BdctChain;

#define TRANSFORM(id, ...) BDCT_##id,
typedef enum {
#include BDCT_TRANSFORMS
  BDCT_N_TRANSFORMS
} BdctTransform;

/** Transforms with blocks of one size, which come first; hevc-quadtree chooses
 * among those. */
#define BDCT_N_FIXED BDCT_HEVC_QUADTREE

/** The longest basis, a block's largest side. */
#define BDCT_MAX_SIZE 64

/** The arithmetic a chain belongs to: how it rounds and quantizes
 * (quantizer/job.h). */
typedef enum {
  /** ITU-T T.81 with the integer DCT of libjpeg's `islow` method. */
  BDCT_FAMILY_JPEG,
  /** The orthonormal DCT-II in floating point ("Discrete Cosine Transform for
   * 8x8 Blocks with CUDA", NVIDIA 2008, equations 1 and 2). */
  BDCT_FAMILY_REAL,
  /** ITU-T H.265 clause 8.6.4 with HM's forward transform and quantizer. */
  BDCT_FAMILY_HEVC,
  /** ITU-T H.264 clauses 8.5.12 and 8.5.13 with flat scaling, the forward
   * transforms of JM and x264 and JM's quantizer; for every component as for
   * luma, as the 4:4:4 profiles have it. As HEVC, but nothing is clipped. */
  BDCT_FAMILY_H264,
} BdctFamily;

/** A row of transforms.def's chains. */
typedef struct {
  BdctFamily family;
  BdctBasis row, column; /**< of the rows (along x), and of the columns */
  uint8_t log2_width, log2_height; /**< of the block: 2 to 6 */
  uint8_t keep;
} BdctChainInfo;

typedef struct {
  const char *name;        /**< nick: "jpeg-8x8" */
  const char *description; /**< a line for people */
  BdctFamily family;
  BdctChain luma, chroma_444, chroma_sampled;
} BdctTransformInfo;

/** The table's row; NULL for a value outside the enumeration. */
const BdctTransformInfo *bdct_transform_info (BdctTransform transform);
const BdctChainInfo *bdct_chain_info (BdctChain chain);

/** The samples of a basis. */
int bdct_basis_size (BdctBasis basis);

/** The chain of a component. */
BdctChain bdct_transform_chain (BdctTransform transform,
    BdctChromaFormat chroma, BdctComponent component);

/** Whether its levels are in blocks that H.265 codes, for rdoq (rdoq.h). */
bool bdct_transform_has_rdoq (BdctTransform transform);

/** Whether a QP chooses the family's step; else a quality or a matrix does. */
bool bdct_family_has_qp (BdctFamily family);

#ifdef __cplusplus
}
#endif
#endif
