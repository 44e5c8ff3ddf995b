/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The harness's kernels: they fill memory with a repeating pattern, and check
 * whether the output repeats like it. */
#include "lab.h"
#include "launch.cuh"

namespace {

constexpr int kThreads = 256;

__global__ void
repeat (uint32_t *dst, const uint32_t *src, int64_t words, int64_t n)
{
  const int64_t word = (int64_t) blockIdx.x * kThreads + threadIdx.x;

  if (word >= words)
    return;
  const uint32_t value = src[word];
  for (int64_t p = blockIdx.y; p < n; p += gridDim.y)
    dst[p * words + word] = value;
}

__global__ void
compare (const uint32_t *data, int64_t words, int64_t n,
    unsigned long long *count)
{
  const int64_t word = (int64_t) blockIdx.x * kThreads + threadIdx.x;
  unsigned long long differ = 0;

  if (word >= words)
    return;
  for (int64_t p = 1 + blockIdx.y; p < n; p += gridDim.y)
    differ += data[p * words + word] != data[word];
  if (differ != 0)
    atomicAdd (count, differ);
}

dim3
grid_for (int64_t words, int64_t n)
{
  return dim3 ((unsigned) ((words + kThreads - 1) / kThreads),
      (unsigned) (n < 64 ? n : 64));
}

} // namespace

extern "C" int
lab_device_repeat (uint32_t *dst, const uint32_t *src, int64_t words,
    int64_t n, void *stream)
{
  return launch (repeat, grid_for (words, n), kThreads, stream, dst, src,
      words, n);
}

extern "C" int
lab_device_compare (const uint32_t *data, int64_t words, int64_t n,
    unsigned long long *count, void *stream)
{
  return launch (compare, grid_for (words, n), kThreads, stream, data, words,
      n, count);
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_ (x)

extern "C" const char *
lab_nvcc_version (void)
{
#ifdef __CUDACC_VER_MAJOR__
  return TEXT (__CUDACC_VER_MAJOR__) "." TEXT (__CUDACC_VER_MINOR__) "."
      TEXT (__CUDACC_VER_BUILD__);
#else
  return "";
#endif
}
