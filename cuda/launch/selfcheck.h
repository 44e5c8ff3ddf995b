/* blockdct: whether a tensor-core kernel computes on this GPU what the kernels
 * without tensor cores do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SELFCHECK_H
#define BDCT_SELFCHECK_H

#include "dispatch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Run a kernel over small planes of noise, of extremes, of what makes the
 * largest coefficients, and of gradients, with all jobs of a list that it
 * takes, and compare samples, statistics and records: to the byte, and for
 * dct-8x8 as far as its roundings allow. `agrees` is false too if it takes none
 * of them.
 *
 * `device` launches, in `stream`, which is then waited for; between the
 * launches of others. False with the error if that did not work. */
bool bdct_selfcheck (const BdctTensorKernel *kernel, int depth,
    unsigned traits, BdctCudaDevice *device, cudaStream_t stream, bool *agrees,
    BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
