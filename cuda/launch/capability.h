/* blockdct: properties of a GPU and of the kernels on it: how many blocks of a
 * kernel a multiprocessor holds, and whether its tensor cores are trusted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CAPABILITY_H
#define BDCT_CAPABILITY_H

#include "kernel.h"
#include "selfcheck-cache.h"

/* The maximum number of kernels, counted separately for each depth. */
#define BDCT_CUDA_MAX_KERNELS 256

typedef struct {
  char gpu[160];            /* its name, driver and our version */
  int multiprocessors;
  unsigned traits;          /* for bdct_tensor_find() */
  bool early;               /* launches may begin before the previous one
                                 ends; kernels that span tiles wait by
                                 themselves */
  bool proven;              /* these tensor cores, with this code, were
                                 tested against the definitions */
  struct {
    const BdctCudaKernel *kernel;
    int blocks;
  } fits[BDCT_CUDA_MAX_KERNELS];
  int n_fits;
  struct {
    const BdctTensorKernel *kernel;
    int depth;
  } agree[BDCT_CUDA_MAX_KERNELS]; /* kernels that were checked on this GPU */
  int n_agree;
} BdctCapability;

/* Describe the current device. An error if the build has no code for it, or
 * none that its driver supports. */
cudaError_t bdct_capability_init (BdctCapability *self);

/* Set `blocks` to the blocks of a kernel that a multiprocessor holds at
 * once. */
cudaError_t bdct_capability_blocks (BdctCapability *self,
    const BdctCudaKernel *kernel, int *blocks);

/* Whether a tensor-core kernel is known to compute the right samples at a
 * depth; and record that a check found so. */
bool bdct_capability_agrees (const BdctCapability *self,
    const BdctTensorKernel *kernel, int depth);
void bdct_capability_add_agreeing (BdctCapability *self,
    const BdctTensorKernel *kernel, int depth);

/* Describe everything that this may depend on, for
 * bdct_selfcheck_cache_find(). */
cudaError_t bdct_capability_describe (const BdctCapability *self,
    const BdctTensorKernel *kernel, int depth, BdctChecked *what);

#endif
