/* blockdct: rate-distortion jobs on the CUDA engine, which take several passes:
 * those with trees (quadtree.h), and those whose levels are chosen by rate and
 * distortion (rdoq.h). They are enqueued frame by frame, and share memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_RD_H
#define BDCT_CUDA_RD_H

#include "cuda/frame/frame.h"

/* Allocate all memory for such a job. */
bool bdct_rd_reserve (const BdctJob *job, const BdctStaging *staging,
    BdctBuffer *memory, BdctError *error);

/* Enqueue all of such a job, job `i` of the plan, with its statistics and
 * its bits. `dst`: receives the reconstruction; NULL or without data: none.
 * `memory` holds levels and blocks of all sizes meanwhile: one buffer for
 * all frames, whose work runs in order. It grows on demand. */
bool bdct_rd_enqueue (const BdctCudaFrame *frame, int i, const BdctImage *dst,
    const BdctStaging *staging, BdctBuffer *memory, BdctError *error);

#endif
