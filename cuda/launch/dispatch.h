/* blockdct: from frames to launches: the choice of kernels, the division of
 * planes into tiles, and the kernels' constants.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_DISPATCH_H
#define BDCT_CUDA_DISPATCH_H

#include "kernel.h"

/* Work for one kernel, with the planes divided for it; without constants.
 * `mixed`: it is for the mixed tiles alone. `levels`: it writes the planes'
 * `levels`, which are set before it is launched, and `records` in place of
 * `blocks`. */
typedef BdctCudaWork BdctCudaLaunch;

/* The state of launches on one device. */
typedef struct BdctCudaDevice BdctCudaDevice;

/* Checks a tensor-core kernel before its first use (selfcheck.h). */
typedef bool (*BdctCudaCheck) (const BdctTensorKernel *kernel, int depth,
    unsigned traits, BdctCudaDevice *device, cudaStream_t stream, bool *agrees,
    BdctError *error);

/* The streams of launches. */
#define BDCT_CUDA_STREAMS 3

/* Describe the current device. Without `tensor_check` tensor cores are not
 * used. All launches go into `streams`. bdct_cuda_close() frees the device. */
cudaError_t bdct_cuda_open (BdctCudaDevice **device,
    BdctCudaCheck tensor_check,
    const cudaStream_t streams[BDCT_CUDA_STREAMS]);

/* Free a device after its launches, in the context that it was opened in. If
 * that context cannot be made current, `in_context` is false and only host
 * memory is freed. */
void bdct_cuda_close (BdctCudaDevice *device, bool in_context);

/* Whether tensor cores are used. `differs`: they no longer are, because a
 * check found different results. */
bool bdct_cuda_has_tensor (const BdctCudaDevice *device, bool *differs);

/* Choose the kernels for some work, and divide it for them. The work's
 * quantizers must stay valid until it is launched. The first launch says
 * whether it writes levels that the work wants as well. Returns the number of
 * launches: 1, or 2 if a map has mixed tiles that the first kernel leaves out;
 * 0 with the error if there are more tiles than a launch supports. A
 * tensor-core kernel that is not known to compute the right samples on this GPU
 * is checked before its first use. After the first one that fails, none is
 * used. */
int bdct_cuda_choose (BdctCudaDevice *device, const BdctCudaWork *work,
    BdctCudaLaunch *launches, BdctError *error);

/* Enqueue launches, consecutive ones with the same kernel as one as far as
 * they fit, after uploading the constants that are not on the device yet.
 * `stream` is one of bdct_cuda_open(). */
bool bdct_cuda_launch (const BdctCudaLaunch *const *launches,
    int n_launches, BdctCudaDevice *device, cudaStream_t stream,
    BdctError *error);

/* Choose the kernels for some work and enqueue it. */
bool bdct_cuda_run (BdctCudaDevice *device, const BdctCudaWork *work,
    cudaStream_t stream, BdctError *error);

#endif
