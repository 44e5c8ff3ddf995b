/* blockdct: what the CUDA engine enqueues for hevc-quadtree
 * (dct/rd/quadtree.h).
 *
 * The kernels of the fixed transforms make a frame's blocks of each size, all
 * of it; another finds the trees, and takes from these what they have
 * (quadtree.cu).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_QUADTREE_H
#define BDCT_CUDA_QUADTREE_H

#include "cuda/frame/frame.h"

/** As bdct_rd_reserve() and bdct_rd_enqueue(), for a job that has trees. */
bool bdct_quadtree_reserve (const BdctJob *job, const BdctStaging *staging,
    BdctBuffer *memory, BdctError *error);
bool bdct_quadtree_enqueue (const BdctCudaFrame *frame, int i,
    const BdctImage *dst, const BdctStaging *staging, BdctBuffer *memory,
    BdctError *error);

#endif
