/* blockdct: rate-distortion optimized quantization, in the manner of H.265
 * encoders.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A coefficient's level need not be the nearest one: a lower level, or 0, has a
 * larger error but may save enough bits to be worth it. As in HM's encoder, the
 * levels of each block minimize
 *     D 2^distortion_shift + lambda R
 * D: the squared errors of the dequantized coefficients. These are samples'
 * errors times 2^(15 - depth - log2_size), squared, so that a block of side
 * 2^log2_size shifts D by 2 log2_size more than job.h's distortion_shift.
 *
 * R: the bits of the coded block flag and of the levels. Each bin costs what it
 * costs in the state in which CABAC starts an intra slice (cabac.h).
 *
 * The candidates for a level are the nearest one, the one below it, and 0; a
 * sub-block may also have no levels at all; the last level of a block may be at
 * any place, or there may be none. In coding order, from the last coefficient
 * on, each level is the best one for the state that the levels before it leave;
 * then each sub-block is decided, then the last place. The levels from that
 * place on are chosen again until the cost no longer falls. As a choice may
 * cost later levels more than it gains, the cost of the whole block decides in
 * the end, against the plain quantizer's levels, too: the result never costs
 * more than these.
 *
 * cpu/rdoq-blocks.c is its definition, in whole numbers; the GPU chooses the
 * same levels in parallel (cuda/kernels/rdoq.cuh).
 *
 * docs/design/quadtree.md lists what HM does and this does not.
 *
 * All sums fit 64 bits. The coefficients of a block of any size have a norm of
 * at most 2^14 and a few roundings, no level has a larger error than 0 has, and
 * the shift is at most 29: D's term is below 2^58. A level takes at most 53
 * bits (quadtree.h), 1024 of them 2^30.8 in 2^-15 bit, and lambda is below
 * 2^30.3.
 */
#ifndef BDCT_RDOQ_H
#define BDCT_RDOQ_H

#include "dct/entropy/cabac-prices.h"
#include "dct/entropy/rate.h"
#include "dct/quantizer/job.h"
#include "quadtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers by which the levels of a component's blocks are chosen. */
typedef struct {
  int distortion_shift; /* for this block size; 0: no such choice */
  uint64_t lambda;
  BdctCabacCosts costs;
  BdctCabacPrices prices;
  /* Cost of the last level's position along x and along y, in 2^-15 bit. */
  uint32_t last[2][BDCT_QUADTREE_SIDE];
} BdctRdoq;

void bdct_rdoq_init (BdctRdoq *rdoq, const BdctJob *job,
    BdctComponent component);

/* Choose the levels of a block of coefficients. Coefficients of a row are
 * adjacent; rows are `stride` apart. `levels` receives them, row-major without
 * a gap. `price` prices blocks. Returns their cost, with the rate in 2^-15
 * bit. */
uint64_t bdct_rdoq_choose (const BdctRdoq *rdoq, BdctCabacPriceFunc price,
    const BdctComponentJob *job, bool chroma, const int32_t *coefficients,
    int stride, BdctLevel *levels);

/* The coefficient that a level is reconstructed to (H.265 equation 8-309). */
BDCT_FORCE_INLINE int32_t
bdct_rdoq_dequantize (const BdctComponentJob *job, int32_t dequant,
    int32_t level)
{
  const int64_t d = ((int64_t) level * dequant
      + (1 << (job->dequant_bits - 1))) >> job->dequant_bits;

  return (int32_t) (d < INT16_MIN ? INT16_MIN : d > INT16_MAX ? INT16_MAX : d);
}

#ifdef __cplusplus
}
#endif

#endif
