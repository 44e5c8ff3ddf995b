/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rd.h"

#include "quadtree.h"
#include "rdoq.h"

bool
bdct_rd_enqueue (const BdctCudaFrame * frame, int i, const BdctImage * dst,
    const BdctStaging * staging, BdctBuffer * memory, BdctError * error)
{
  return (bdct_job_is_tree (bdct_cuda_frame_job (frame,
              i)) ? bdct_quadtree_enqueue : bdct_rdoq_enqueue) (frame, i, dst,
      staging, memory, error);
}

bool
bdct_rd_reserve (const BdctJob * job, const BdctStaging * staging,
    BdctBuffer * memory, BdctError * error)
{
  return (bdct_job_is_tree (job) ? bdct_quadtree_reserve
      : bdct_rdoq_reserve) (job, staging, memory, error);
}
