/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transform.h"

#include <stddef.h>

#define BASIS(id, n, kind) [BDCT_BASIS_##id] = n,
static const uint8_t basis_size[] = {
#include BDCT_TRANSFORMS
};

/* log2 of a power of 2 from 4 to 64. */
#define LOG2(n)                                                               \
  ((n) == 4 ? 2 : (n) == 8 ? 3 : (n) == 16 ? 4 : (n) == 32 ? 5 : 6)

enum {
#define BASIS(id, n, kind) LOG2_##id = LOG2 (n),
#include BDCT_TRANSFORMS
};

#define CHAIN(id, family, row, column, keep)                                  \
  [BDCT_CHAIN_##id] = {BDCT_FAMILY_##family, BDCT_BASIS_##row,                \
      BDCT_BASIS_##column, LOG2_##row, LOG2_##column, keep},
static const BdctChainInfo chains[BDCT_N_CHAINS] = {
#include BDCT_TRANSFORMS
};

enum {
#define CHAIN(id, family, row, column, keep)                                  \
  FAMILY_OF_##id = BDCT_FAMILY_##family,
#include BDCT_TRANSFORMS
};

#define TRANSFORM(id, nick, text, coder, luma, chroma_444, chroma_sampled)    \
  [BDCT_##id] = {nick, text, (BdctFamily) FAMILY_OF_##luma,                   \
      BDCT_CODER_##coder,                                                     \
      BDCT_CHAIN_##luma, BDCT_CHAIN_##chroma_444,                             \
      BDCT_CHAIN_##chroma_sampled},
static const BdctTransformInfo transforms[BDCT_N_TRANSFORMS] = {
#include BDCT_TRANSFORMS
};

const BdctTransformInfo *
bdct_transform_info (BdctTransform transform)
{
  return (unsigned) transform < BDCT_N_TRANSFORMS ? &transforms[transform]
      : NULL;
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
  const BdctTransformInfo *info = &transforms[transform];

  if (component == BDCT_Y)
    return info->luma;
  return chroma == BDCT_CHROMA_444 ? info->chroma_444 : info->chroma_sampled;
}

bool
bdct_family_has_qp (BdctFamily family)
{
  return family != BDCT_FAMILY_JPEG && family != BDCT_FAMILY_REAL;
}

bool
bdct_transform_has_rdoq (BdctTransform transform)
{
  const BdctTransformInfo *info = bdct_transform_info (transform);

  return info->family == BDCT_FAMILY_HEVC && info->coder == BDCT_CODER_CABAC
      && bdct_chain_info (info->luma)->log2_width <= 5;
}
