/* blockdct: from frames to launches: which kernel does what, how planes are cut
 * into tiles, and the kernels' constants.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PLAN_H
#define BDCT_PLAN_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One kernel's part in a frame. */
typedef struct {
  const BdctCudaKernel *kernel;
  const BdctJob *quantizers;                  /**< the work's */
  int32_t n_quantizers;
  BdctCudaPlane plane[BDCT_MAX_PLANES]; /**< cut for it, without constants */
  int32_t n_planes, n_tiles;
  int32_t mixed;
} BdctCudaLaunch;

/** What launches on one device need. */
typedef struct BdctCudaDevice BdctCudaDevice;

/** What tries a tensor-core kernel before its first use (selfcheck.h). */
typedef bool (*BdctCudaCheck) (const BdctTensorKernel *kernel, int depth,
    unsigned traits, BdctCudaDevice *device, cudaStream_t stream, bool *agrees,
    BdctError *error);

/** Describe the current device. `tensor_check` NULL: leave the tensor cores
 * alone. `stream`: where all launches go. Freed with bdct_cuda_close(). */
cudaError_t bdct_cuda_open (BdctCudaDevice **device,
    BdctCudaCheck tensor_check, cudaStream_t stream);

/** In the context it was opened in, after its launches; or, where that cannot
 * be made current, what the host has of it. */
void bdct_cuda_close (BdctCudaDevice *device, bool in_context);

/** Whether the tensor cores are used; `differs`: not any more, as they were
 * found to compute something else. */
bool bdct_cuda_has_tensor (const BdctCudaDevice *device, bool *differs);

/** Choose the kernels for some work, whose quantizers must stay until it is
 * launched, and cut it for them. 1 launch or, where a map has mixed tiles that
 * the first kernel leaves alone, 2; 0 with the error if there are more tiles than
 * a launch takes. A tensor-core kernel that is not known to compute the right
 * samples on this GPU is checked before its first use, and none is used from
 * the first one on that does not. */
int bdct_cuda_plan (BdctCudaDevice *device, const BdctCudaWork *work,
    BdctCudaLaunch *launches, BdctError *error);

/** Enqueue launches: one launch for as many in a row as have one kernel and fit,
 * behind the upload of the constants that are not on the device yet. `stream`
 * is that of bdct_cuda_open(). */
cudaError_t bdct_cuda_launch (const BdctCudaLaunch *const *launches,
    int n_launches, BdctCudaDevice *device, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
