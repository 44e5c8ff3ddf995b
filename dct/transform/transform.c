/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transform.h"

#include <stddef.h>

#define BASIS(id, n, kind) [BDCT_BASIS_##id] = n,
static const uint8_t basis_size[] = {
#include "dct/transform/transforms.def"
};

/* log2 of a power of 2 from 4 to 64. */
#define LOG2(n)                                                               \
  ((n) == 4 ? 2 : (n) == 8 ? 3 : (n) == 16 ? 4 : (n) == 32 ? 5 : 6)

enum {
#define BASIS(id, n, kind) LOG2_##id = LOG2 (n),
#include "dct/transform/transforms.def"
};

#define CHAIN(id, family, row, column, keep, dc)                              \
  [BDCT_CHAIN_##id] = {BDCT_FAMILY_##family, BDCT_BASIS_##row,                \
      BDCT_BASIS_##column, LOG2_##row, LOG2_##column, keep, BDCT_DC_##dc},
static const BdctChainInfo chains[BDCT_N_CHAINS] = {
#include "dct/transform/transforms.def"
};

enum {
#define CHAIN(id, family, row, column, keep, dc)                              \
  FAMILY_OF_##id = BDCT_FAMILY_##family, LOG2_OF_##id = LOG2_##row,
#include "dct/transform/transforms.def"
};

#define HAS_QP(family)                                                        \
  ((int) (family) != BDCT_FAMILY_JPEG && (int) (family) != BDCT_FAMILY_DCT8X8)

#define TRANSFORM(id, nick, text, bits, y, uv_444, uv)                        \
  [BDCT_##id] = {                                                             \
    .info = {.name = nick, .description = text,                               \
        .has_qp = HAS_QP (FAMILY_OF_##y),                                     \
        .has_lists = (int) FAMILY_OF_##y == BDCT_FAMILY_HEVC},                \
    .family = (BdctFamily) FAMILY_OF_##y, .coder = BDCT_CODER_##bits,         \
    .luma = BDCT_CHAIN_##y, .chroma_444 = BDCT_CHAIN_##uv_444,                \
    .chroma_sampled = BDCT_CHAIN_##uv},
static const BdctTransformRow transforms[] = {
#include "dct/transform/transforms.def"
};

const BdctTransformRow *
bdct_transform_row (BdctTransform transform)
{
  return (size_t) transform < sizeof transforms / sizeof transforms[0]
      ? &transforms[transform] : NULL;
}

const BdctTransformInfo *
bdct_transform_info (BdctTransform transform)
{
  const BdctTransformRow *row = bdct_transform_row (transform);

  return row != NULL ? &row->info : NULL;
}

const BdctChainInfo *
bdct_chain_info (BdctChain chain)
{
  return (unsigned) chain < BDCT_N_CHAINS ? &chains[chain] : NULL;
}

int
bdct_basis_size (BdctBasis basis)
{
  return basis_size[basis];
}

BdctChain
bdct_transform_chain (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  const BdctTransformRow *row = &transforms[transform];

  if (component == BDCT_Y)
    return row->luma;
  return chroma == BDCT_CHROMA_444 || (chroma == BDCT_CHROMA_440
      && chains[row->chroma_sampled].dc != BDCT_DC_NONE)
      ? row->chroma_444 : row->chroma_sampled;
}

bool
bdct_family_has_qp (BdctFamily family)
{
  return HAS_QP (family);
}
