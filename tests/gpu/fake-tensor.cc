/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of H.265's transforms and vvc-64x64 on the tensor cores, compiled
 * to run without a GPU. Those of the other transforms have sums of halves that
 * round as the hardware does. */
#include "tensor-emulation.h"
#define bdct_tensor_find found_by_host
#include "cuda/tensor/tensor.cu"
#undef bdct_tensor_find

extern "C" const BdctTensorKernel *
bdct_tensor_find (const BdctCudaWork *work, unsigned traits)
{
  const BdctTensorKernel *found = found_by_host (work, traits);

  return found == nullptr || work->quantizers[0].family != BDCT_FAMILY_HEVC
      ? nullptr : emulated_kernel (found);
}

extern "C" bool
fake_tensor (const void *function, const BdctCudaBatch *batch)
{
  return run_emulated<BdctTensorKernel> (function, batch);
}
