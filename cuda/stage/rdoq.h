/* blockdct: what the CUDA engine enqueues for rdoq (dct/rd/rdoq.h).
 *
 * The kernels without tensor cores compute coefficients, another kernel chooses
 * levels for them (rdoq.cu), and the first ones continue from these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_RDOQ_H
#define BDCT_CUDA_RDOQ_H

#include "cuda/frame/frame.h"

/* Levels of a plane: of the first component and, after them, the second. */
size_t bdct_rdoq_count (const BdctCudaWork *work, int plane);

/* Plan the levels, in two passes, at the planes' `levels`. `work` has
 * these, and requests nothing else. */
bool bdct_rdoq_plan (BdctCudaDevice *device, const BdctCudaWork *work,
    BdctCudaLaunch pass[2], BdctError *error);

/* Plan what continues from the levels, with the planes' `dst`, `cells` and
 * `blocks`. `levels`: the place of the levels, which the planes no longer
 * have. */
bool bdct_rdoq_plan_from_levels (BdctCudaDevice *device,
    const BdctCudaWork *work, const BdctLevel *const levels[BDCT_MAX_PLANES],
    BdctCudaLaunch *pass, BdctError *error);

/* The same as bdct_rd_reserve() and bdct_rd_enqueue(), for a job without
 * trees. */
bool bdct_rdoq_reserve (const BdctJob *job, const BdctStaging *staging,
    BdctBuffer *memory, BdctError *error);
bool bdct_rdoq_enqueue (const BdctCudaFrame *frame, int i, const BdctImage *dst,
    const BdctStaging *staging, BdctBuffer *memory, BdctError *error);

#endif
