/* blockdct: a comparison in flight on the GPU (dct/engine/compare.h), which has
 * a slot as a frame has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_COMPARISON_H
#define BDCT_CUDA_COMPARISON_H

#include "cuda/stage/frame-metrics.h"

/** Prepare all of a comparison and enqueue its uploads, which the stream of the
 * kernels then waits for. `job`: bdct_comparison_job(). `cells`: for the first
 * distorted picture. */
bool bdct_comparison_prepare (BdctSlot *slot, BdctStaging *staging,
    const BdctComparison *comparison, const BdctJob *job,
    BdctCudaAccumulator *cells, BdctError *error);

/** Enqueue its kernels, but for those of the view, which is drawn as a frame's
 * is, and what becomes of it. */
bool bdct_comparison_enqueue (BdctSlot *slot, const BdctStaging *staging,
    BdctCompareMemory *memory, BdctError *error);

#endif
