/* blockdct: the transforms; transforms.def declares each of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TRANSFORM_H
#define BDCT_TRANSFORM_H

#include <blockdct/transform.h>
#include "dct/base/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BASIS(id, n, kind) BDCT_BASIS_##id,
typedef enum {
#include "dct/transform/transforms.def"
  BDCT_N_BASES
} BdctBasis;

#define CHAIN(id, family, row, column, keep, dc) BDCT_CHAIN_##id,
typedef enum {
#include "dct/transform/transforms.def"
  BDCT_N_CHAINS
} BdctChain;

/* The number of transforms with one block size. They come first; hevc-quadtree
 * chooses among their blocks. */
#define BDCT_N_FIXED BDCT_HEVC_QUADTREE

/* The longest basis and the largest side of a block. */
#define BDCT_MAX_SIZE 64

/* The arithmetic of a chain: how it rounds and quantizes (quantizer/job.h). */
typedef enum {
  /* ITU-T T.81 with the integer DCT of libjpeg's `islow` method. */
  BDCT_FAMILY_JPEG,
  /* The orthonormal DCT-II in floating point ("Discrete Cosine Transform for
   * 8x8 Blocks with CUDA", NVIDIA 2008, equations 1 and 2). */
  BDCT_FAMILY_DCT8X8,
  /* ITU-T H.265 clause 8.6.4 with HM's forward transform and quantizer. */
  BDCT_FAMILY_HEVC,
  /* ITU-T H.264 clauses 8.5.12 and 8.5.13 with flat scaling, the forward
   * transforms of JM and x264, and JM's quantizer; with a second stage, of
   * clause 8.5.11. Like HEVC, but without clipping. */
  BDCT_FAMILY_H264,
} BdctFamily;

/* How the levels of a transform are priced (entropy/rate.h). */
typedef enum {
  /* T.81's baseline Huffman coding, Annex F.1.2. The blocks of a component are
   * coded in the order of a scan that interleaves all components. */
  BDCT_CODER_HUFFMAN,
  /* An estimate of H.265's residual_coding() (clause 7.3.8.11) in CABAC
   * (clause 9.3), with a coded block flag before each block and diagonal scans,
   * without sign hiding, transform skip or prediction. */
  BDCT_CODER_CABAC,
} BdctCoder;

/* The second stage of a chain. */
typedef enum { BDCT_DC_NONE, BDCT_DC_MACROBLOCK } BdctDcStage;

/* log2 of the side of a macroblock, in luma samples. */
#define BDCT_MACROBLOCK_LOG2 4

/* A row of transforms.def's chains. */
typedef struct {
  BdctFamily family;
  BdctBasis row, column; /* basis of the rows (along x) and of the columns */
  uint8_t log2_width, log2_height; /* of the bases: 2 to 6 */
  uint8_t keep;
  BdctDcStage dc;
} BdctChainInfo;

/* A row of transforms.def's transforms. */
typedef struct {
  BdctTransformInfo info;
  BdctFamily family;
  BdctCoder coder;
  BdctChain luma, chroma_444, chroma_sampled;
} BdctTransformRow;

/* The tables' rows; NULL for a value outside the enumeration. */
const BdctTransformRow *bdct_transform_row (BdctTransform transform);
const BdctChainInfo *bdct_chain_info (BdctChain chain);

/* The number of samples of a basis. */
int bdct_basis_size (BdctBasis basis);

/* The chain of a component. */
BdctChain bdct_transform_chain (BdctTransform transform,
    BdctChromaFormat chroma, BdctComponent component);

/* Whether a QP determines the family's step; else a quality or a table
 * does. */
bool bdct_family_has_qp (BdctFamily family);

#ifdef __cplusplus
}
#endif
#endif
