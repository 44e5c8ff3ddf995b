/* blockdct: the self-check: whether a tensor-core kernel computes on this GPU
 * what the kernels without tensor cores compute.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SELFCHECK_H
#define BDCT_SELFCHECK_H

#include "dispatch.h"

/* Run a kernel over small planes of noise, of extremes, of patterns with the
 * largest coefficients, and of gradients, with all jobs of a list that it
 * supports, and compare samples, statistics and records: exactly, or for
 * dct-8x8 up to its rounding. `agrees` is also false if the kernel supports
 * none of the jobs.
 *
 * `device` launches in `stream`, between other launches, and the function waits
 * for the stream. Returns false with the error if that fails. */
bool bdct_selfcheck (const BdctTensorKernel *kernel, int depth,
    unsigned traits, BdctCudaDevice *device, cudaStream_t stream, bool *agrees,
    BdctError *error);

#endif
