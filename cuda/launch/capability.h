/* blockdct: what is known of a GPU and of the kernels on it: how much of them a
 * multiprocessor holds, and whether its tensor cores are trusted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CAPABILITY_H
#define BDCT_CAPABILITY_H

#include "kernel.h"
#include "selfcheck-cache.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most kernels there are, those of different depths counted apart. */
#define BDCT_CUDA_MAX_KERNELS 256

typedef struct {
  char gpu[160];            /**< with its driver and our version, in words */
  int multiprocessors;
  unsigned traits;          /**< for bdct_tensor_find() */
  bool early;               /**< launches may begin before the last one has
                                 ended; kernels that span tiles wait */
  bool proven;              /**< these tensor cores, with this code, were tested
                                 against the definitions */
  struct {
    const BdctCudaKernel *kernel;
    int blocks;
  } fits[BDCT_CUDA_MAX_KERNELS];
  int n_fits;
  struct {
    const BdctTensorKernel *kernel;
    int depth;
  } agree[BDCT_CUDA_MAX_KERNELS]; /**< those that were checked here */
  int n_agree;
} BdctCapability;

/** Of the current device. An error if the build has no code for it, or none
 * that its driver takes. */
cudaError_t bdct_capability_init (BdctCapability *self);

/** How many blocks of a kernel a multiprocessor holds at once. */
cudaError_t bdct_capability_blocks (BdctCapability *self,
    const BdctCudaKernel *kernel, int *blocks);

/** Whether a tensor-core kernel is known to compute what it should at a depth;
 * and that it was found to. */
bool bdct_capability_agrees (const BdctCapability *self,
    const BdctTensorKernel *kernel, int depth);
void bdct_capability_add_agreeing (BdctCapability *self,
    const BdctTensorKernel *kernel, int depth);

/** All that this may depend on, for bdct_verdict_find(). */
cudaError_t bdct_capability_describe (const BdctCapability *self,
    const BdctTensorKernel *kernel, int depth, BdctChecked *what);

#ifdef __cplusplus
}
#endif
#endif
