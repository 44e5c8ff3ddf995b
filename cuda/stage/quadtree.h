/* blockdct: what the CUDA engine enqueues for hevc-quadtree
 * (dct/rd/quadtree.h).
 *
 * The kernels of the fixed transforms process the whole frame in blocks of each
 * size. Another kernel finds the trees and copies the chosen blocks
 * (quadtree.cu).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_STAGE_QUADTREE_H
#define BDCT_CUDA_STAGE_QUADTREE_H

#include "cuda/frame/frame.h"

/* Allocate all memory for a job with trees. */
bool bdct_quadtree_reserve (const BdctJob *job, BdctStaging *staging,
    BdctError *error);

/* Enqueue all of such a frame, with its statistics and its bits. */
bool bdct_quadtree_enqueue (const BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

#endif
