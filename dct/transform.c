/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transform.h"

/* In 4:4:4, chroma blocks are as large as luma's; the DST is luma's alone
 * (H.265 clause 8.6.4.2, trType: MODE_INTRA, nTbS 4, cIdx 0; so do HM's
 * useDST() and every decoder that passes the 4:4:4 conformance streams). */
static const BdctTransformInfo transforms[BDCT_N_TRANSFORMS] = {
  [BDCT_JPEG_8X8] = {"jpeg-8x8",
      "JPEG's 8x8 DCT, bit for bit as libjpeg's islow method",
      BDCT_FAMILY_JPEG,
      BDCT_MATRIX_ISLOW_8, BDCT_MATRIX_ISLOW_8, BDCT_MATRIX_ISLOW_8},
  [BDCT_DCT_8X8] = {"dct-8x8",
      "real-valued 8x8 DCT, as NVIDIA's DCT8x8 whitepaper",
      BDCT_FAMILY_REAL,
      BDCT_MATRIX_REAL_8, BDCT_MATRIX_REAL_8, BDCT_MATRIX_REAL_8},
  [BDCT_HEVC_DST_4X4] = {"hevc-dst-4x4",
      "HEVC 4x4 DST-VII on luma, 4x4 DCT on chroma",
      BDCT_FAMILY_HEVC,
      BDCT_MATRIX_DST_4, BDCT_MATRIX_HEVC_4, BDCT_MATRIX_HEVC_4},
  [BDCT_HEVC_4X4] = {"hevc-4x4", "HEVC 4x4 DCT",
      BDCT_FAMILY_HEVC,
      BDCT_MATRIX_HEVC_4, BDCT_MATRIX_HEVC_4, BDCT_MATRIX_HEVC_4},
  [BDCT_HEVC_8X8] = {"hevc-8x8", "HEVC 8x8 DCT (subsampled chroma: 4x4)",
      BDCT_FAMILY_HEVC,
      BDCT_MATRIX_HEVC_8, BDCT_MATRIX_HEVC_8, BDCT_MATRIX_HEVC_4},
  [BDCT_HEVC_16X16] = {"hevc-16x16", "HEVC 16x16 DCT (subsampled chroma: 8x8)",
      BDCT_FAMILY_HEVC,
      BDCT_MATRIX_HEVC_16, BDCT_MATRIX_HEVC_16, BDCT_MATRIX_HEVC_8},
  [BDCT_HEVC_32X32] = {"hevc-32x32",
      "HEVC 32x32 DCT (subsampled chroma: 16x16)",
      BDCT_FAMILY_HEVC,
      BDCT_MATRIX_HEVC_32, BDCT_MATRIX_HEVC_32, BDCT_MATRIX_HEVC_16},
};

static const uint8_t matrix_log2_size[] = {
  [BDCT_MATRIX_ISLOW_8] = 3,
  [BDCT_MATRIX_REAL_8] = 3,
  [BDCT_MATRIX_DST_4] = 2,
  [BDCT_MATRIX_HEVC_4] = 2,
  [BDCT_MATRIX_HEVC_8] = 3,
  [BDCT_MATRIX_HEVC_16] = 4,
  [BDCT_MATRIX_HEVC_32] = 5,
};

const BdctTransformInfo *
bdct_transform_info (BdctTransform transform)
{
  if ((unsigned) transform >= BDCT_N_TRANSFORMS)
    return NULL;
  return &transforms[transform];
}

BdctMatrix
bdct_transform_matrix (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  const BdctTransformInfo *info = &transforms[transform];

  if (component == BDCT_Y)
    return info->luma;
  return chroma == BDCT_CHROMA_444 ? info->chroma_444 : info->chroma_sampled;
}

int
bdct_matrix_log2_size (BdctMatrix matrix)
{
  return matrix_log2_size[matrix];
}
