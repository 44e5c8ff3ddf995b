/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compute capability, times 10, whose tensor cores were tested against the
 * definitions, with code for that capability. */
#define PROVEN 90

/* The shared memory of a multiprocessor that tall tiles need: that of 9.0. */
#define TALL_SHARED (228 << 10)

/* The runtime loads the GPU's code when it is first asked about a kernel, and
 * then reports a build without any. */
static cudaError_t
find_code (int *ptx)
{
  struct cudaFuncAttributes attributes;
  const cudaError_t err = cudaFuncGetAttributes (&attributes,
      bdct_levels_find (BDCT_LEVELS_DRAW)->function);

  *ptx = err == cudaSuccess ? attributes.ptxVersion : 0;
  return err;
}

cudaError_t
bdct_capability_init (BdctCapability * self)
{
  const char *distrust = getenv ("BLOCKDCT_DISTRUST_TENSOR_CORES");
  struct cudaDeviceProp prop;
  int device, driver, shared, ptx;
  cudaError_t err;

  if ((err = cudaGetDevice (&device)) != cudaSuccess
      || (err = cudaGetDeviceProperties (&prop, device)) != cudaSuccess
      || (err = cudaDriverGetVersion (&driver)) != cudaSuccess
      || (err = cudaDeviceGetAttribute (&self->multiprocessors,
              cudaDevAttrMultiProcessorCount, device)) != cudaSuccess
      || (err = cudaDeviceGetAttribute (&shared,
              cudaDevAttrMaxSharedMemoryPerMultiprocessor, device))
      != cudaSuccess || (err = find_code (&ptx)) != cudaSuccess)
    return err;
  self->traits = (shared >= TALL_SHARED ? BDCT_TENSOR_TALL : 0)
      | (ptx < 80 ? BDCT_TENSOR_75 : 0);
  self->early = ptx >= 90;
  self->proven = prop.major * 10 + prop.minor == PROVEN && ptx == PROVEN
      && (distrust == NULL || *distrust == '\0');
  snprintf (self->gpu, sizeof self->gpu,
      "blockdct %s, driver %d, %.80s, capability %d.%d", BDCT_VERSION, driver,
      prop.name, prop.major, prop.minor);
  return cudaSuccess;
}

cudaError_t
bdct_capability_blocks (BdctCapability * self, const BdctCudaKernel * kernel,
    int *blocks)
{
  cudaError_t err;
  int n = self->n_fits;

  for (int i = 0; i < n; i++)
    if (self->fits[i].kernel == kernel) {
      *blocks = self->fits[i].blocks;
      return cudaSuccess;
    }
  err = cudaOccupancyMaxActiveBlocksPerMultiprocessor (blocks,
      kernel->function, kernel->warps * 32, 0);
  if (err == cudaSuccess && n < BDCT_CUDA_MAX_KERNELS) {
    self->fits[n].kernel = kernel;
    self->fits[self->n_fits++].blocks = *blocks;
  }
  return err;
}

bool
bdct_capability_agrees (const BdctCapability * self,
    const BdctTensorKernel * kernel, int depth)
{
  bool agrees = self->proven;

  for (int i = 0; i < self->n_agree && !agrees; i++)
    agrees = self->agree[i].kernel == kernel && self->agree[i].depth == depth;
  return agrees;
}

void
bdct_capability_add_agreeing (BdctCapability * self,
    const BdctTensorKernel * kernel, int depth)
{
  if (self->n_agree == BDCT_CUDA_MAX_KERNELS)
    return;
  self->agree[self->n_agree].kernel = kernel;
  self->agree[self->n_agree++].depth = depth;
}

cudaError_t
bdct_capability_describe (const BdctCapability * self,
    const BdctTensorKernel * kernel, int depth, BdctChecked * what)
{
  const char *name = strchr (kernel->name, '[');
  struct cudaFuncAttributes attributes;
  cudaError_t err =
      cudaFuncGetAttributes (&attributes, kernel->kernel.function);

  if (err == cudaSuccess)
    snprintf (what->text, sizeof what->text,
        "%s, code %d/%d with %d registers, %d bits: %s", self->gpu,
        attributes.ptxVersion, attributes.binaryVersion, attributes.numRegs,
        depth, name != NULL ? name : kernel->name);
  return err;
}
