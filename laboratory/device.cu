/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The harness's kernel: it checks whether the output repeats like the input. */
#include "lab.h"

#include <cuda_runtime.h>

__global__ static void
compare (const uint32_t *data, int64_t words, int64_t end,
    unsigned long long *count)
{
  const int64_t step = (int64_t) gridDim.x * blockDim.x;
  unsigned long long differ = 0;

  for (int64_t i = words + (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
      i < end; i += step)
    differ += data[i] != data[i - words];
  if (differ != 0)
    atomicAdd (count, differ);
}

extern "C" int
lab_device_compare (const uint32_t *data, int64_t words, int64_t n,
    unsigned long long *count, void *stream)
{
  compare<<<4096, 256, 0, (cudaStream_t) stream>>> (data, words, words * n,
      count);
  return cudaGetLastError ();
}
