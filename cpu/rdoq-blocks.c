/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dct/rd/rdoq.h"

#include <string.h>
#include "cabac-bins.h"

#define BDCT_RDOQ_INLINE static
#define BDCT_RDOQ_COEFFICIENT int32_t
#define BDCT_RDOQ_PRICE bdct_cabac_bins_price
#include "dct/rd/rdoq-search.h"

void
bdct_rdoq_init (BdctRdoq * rdoq, const BdctJob * job, BdctComponent component)
{
  const BdctComponentJob *cj = &job->component[component];
  const bool chroma = component != BDCT_Y;
  const int base[] = {
    chroma ? BDCT_CABAC_CHROMA_LAST_X : BDCT_CABAC_LUMA_LAST_X,
    chroma ? BDCT_CABAC_CHROMA_LAST_Y : BDCT_CABAC_LUMA_LAST_Y
  };

  memset (rdoq, 0, sizeof *rdoq);
  if (job->rdoq.distortion_shift == 0)
    return;
  rdoq->distortion_shift = job->rdoq.distortion_shift + 2 * cj->log2_width;
  rdoq->lambda = job->rdoq.lambda;
  bdct_cabac_bins_init ();
  bdct_cabac_costs (&rdoq->costs, job->rdoq.slice_qp);
  for (int axis = 0; axis < 2; axis++)
    for (int i = 0; i < 1 << cj->log2_width; i++) {
      uint32_t counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };
      BdctCabacSink sink = {.counter = counter };

      bdct_cabac_last (&sink, base[axis], cj->log2_width, chroma, i);
      rdoq->last[axis][i] = sink.bypass << BDCT_CABAC_COST_BITS;
      for (int k = 0; k < BDCT_CABAC_CONTEXTS; k++)
        for (int bin = 0; bin < 2; bin++)
          rdoq->last[axis][i] += counter[2 * k + bin]
              * rdoq->costs.bin[k][bin];
    }
}

uint64_t
bdct_rdoq_choose (const BdctRdoq * rdoq, const BdctComponentJob * job,
    bool chroma, const int32_t * coefficients, int stride, BdctLevel * levels)
{
  BdctLevel tried[BDCT_QUADTREE_SIDE * BDCT_QUADTREE_SIDE];
  Block b = {.rdoq = rdoq,.job = job,.coefficients = coefficients,
    .stride = stride,.log2_size = job->log2_width,.chroma = chroma
  };

  return choose_levels (&b, levels, tried);
}
