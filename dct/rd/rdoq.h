/* blockdct: rate-distortion optimized quantization, in H.265's spirit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A coefficient's level need not be the nearest one: a lower one, or 0, errs
 * more and may cost so many bits less that it is worth it. Here the levels of
 * each block are chosen, as HM's encoder chooses them, by the least
 *     D 2^distortion_shift + lambda R
 * D: the squared errors of the dequantized coefficients. They are samples'
 * errors times 2^(15 - depth - log2_size), squared, so that a block of side
 * 2^log2_size shifts D by 2 log2_size more than job.h's distortion_shift.
 *
 * R: the bits of the coded block flag and of the levels, where each bin costs
 * what it does in the state that CABAC begins an intra slice with
 * (quadtree.h).
 *
 * Candidates for a level are the nearest one, the one below it and 0; for a
 * sub-block also that it has none; for a block each place of the last level,
 * and that it has none. In coding order, from the last coefficient on, each
 * level is the best one for the state that those before it leave, then each
 * sub-block, then the last place; what follows from there is chosen anew until
 * it gets no better. As a choice may cost those behind it more than it gains, a
 * whole block's cost decides in the end, also against its plain levels: it
 * never costs more than these.
 *
 * Both engines run the same code (rdoq-search.h), in whole numbers.
 *
 * What HM has and this has not: docs/quadtree.md.
 *
 * All sums fit 64 bits: the coefficients of a block have a norm of at most
 * 2^14, a few roundings more, whatever its size, no level errs more than 0
 * does, and the shift is at most 29: D's term is below 2^58. A level takes at
 * most 53 bits (quadtree.h), 1024 of them 2^30.8 in 2^-15 bit, and lambda is
 * below 2^30.3.
 */
#ifndef BDCT_RDOQ_H
#define BDCT_RDOQ_H

#include "dct/entropy/rate.h"
#include "dct/quantizer/job.h"
#include "quadtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the levels of a component's blocks are chosen by. */
typedef struct {
  int distortion_shift; /**< of this size; 0: they are not */
  uint64_t lambda;
  BdctCabacCosts costs;
  /** What the last level's place along x and along y costs, in 2^-15 bit. */
  uint32_t last[2][BDCT_QUADTREE_SIDE];
} BdctRdoq;

void bdct_rdoq_init (BdctRdoq *rdoq, const BdctJob *job,
    BdctComponent component);

/** Choose the levels of a block of coefficients, of which those of a row are
 * side by side and `stride` is from row to row. `levels` receives them, row by
 * row without a gap. Returns what they cost; the rate in 2^-15 bit. */
uint64_t bdct_rdoq_choose (const BdctRdoq *rdoq, const BdctComponentJob *job,
    bool chroma, const int32_t *coefficients, int stride, BdctLevel *levels);

/** What is stored of a level (H.265 equation 8-309). */
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
