/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of H.265's transforms and vvc-64x64 on the tensor cores, compiled
 * to run without a GPU. Those of the other transforms have sums of halves that
 * round as the hardware does. */
#include "tensor-emulation.h"
#define bdct_tensor_find found_by_host
#include "cuda/tensor/tensor.cu"
#undef bdct_tensor_find

namespace {

/* A kernel as the runtime knows it, by an address, and its code. */
struct Emulated
{
  BdctTensorKernel kernel;
  void (*code) (const BdctCudaBatch);
};

Emulated all[64];

} // namespace

extern "C" const BdctTensorKernel *
bdct_tensor_find (const BdctCudaWork *work, unsigned traits)
{
  const BdctTensorKernel *found = found_by_host (work, traits);
  Emulated *own = all;

  if (found == nullptr || work->quantizers[0].family != BDCT_FAMILY_HEVC)
    return nullptr;
  while (own->code != nullptr && own->kernel.name != found->name)
    own++;
  own->kernel = *found;
  own->kernel.kernel.function = &own->kernel;
  own->code = (void (*) (const BdctCudaBatch)) found->kernel.function;
  return &own->kernel;
}

extern "C" bool
fake_tensor (const void *function, const BdctCudaBatch *batch)
{
  const Emulated *own = (const Emulated *) function;

  if (own < all || own >= all + 64)
    return false;
  const int warps = own->kernel.kernel.warps;

  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane &plane = batch->plane[p];
    const void *of[] = { plane.src.data, plane.dst.data, plane.constants,
      plane.accumulators, plane.quantizer_of_tile, plane.blocks[0] };

    for (const void *memory : of)
      fake_need_device (memory, 1, "a kernel on memory of the host");
  }
  emulate_blocks<char> (32 * warps, (batch->n_tiles - 1) / (batch->span
          * warps) + 1, [own, batch] (int i, int, char &) {
        blockIdx.x = i;
        own->code (*batch);
      });
  return true;
}
