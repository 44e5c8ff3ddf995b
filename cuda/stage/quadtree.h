/* blockdct: what the CUDA engine enqueues for hevc-quadtree
 * (dct/rd/quadtree.h).
 *
 * The kernels of the fixed transforms process the whole frame in blocks of each
 * size. Another kernel finds the trees and copies the chosen blocks
 * (quadtree.cu).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_QUADTREE_H
#define BDCT_CUDA_QUADTREE_H

#include "cuda/frame/frame.h"

/* The same as bdct_rd_reserve() and bdct_rd_enqueue(), for a job with
 * trees. */
bool bdct_quadtree_reserve (const BdctJob *job, const BdctStaging *staging,
    BdctBuffer *memory, BdctError *error);
bool bdct_quadtree_enqueue (const BdctCudaFrame *frame, int i,
    const BdctImage *dst, const BdctStaging *staging, BdctBuffer *memory,
    BdctError *error);

#endif
