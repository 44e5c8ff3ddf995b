/* blockdct: kernels over rows of bytes, 16 at a time, that also run without a
 * GPU (threads.cuh).
 *
 * Such a kernel is a struct K with K::kThreads threads, which share a
 * K::Shared, and a parameter K::Work. K::block() computes thread block (x, y).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>
#include "dct/base/compiler.h"
#include "threads.cuh"

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (K::kThreads)
run_work (const __grid_constant__ typename K::Work work)
{
  __shared__ typename K::Shared shared;

  K::block (work, blockIdx.x, blockIdx.y, shared);
}

template <typename K> cudaError_t
launch_work (const typename K::Work &work, unsigned x, unsigned y,
    cudaStream_t stream)
{
  void *args[] = { (void *) &work };

  return cudaLaunchKernel ((const void *) run_work<K>, dim3 (x, y),
      dim3 (K::kThreads), args, 0, stream);
}

#else
#include "work-emulation.h"
#endif

constexpr int kVector = 16;

/* 16 bytes of a row. */
struct Vector {
  uint32_t w[kVector / 4];
};

BDCT_FORCE_INLINE bool
is_aligned (const void *at, int to)
{
  return ((uintptr_t) at & (to - 1)) == 0;
}

/* Whether load() reads no byte after `end`. If `at` is not aligned to 4, it
 * reads the whole word with the last byte. */
BDCT_INLINE bool
is_loadable (const uint8_t *at, const uint8_t *end)
{
  return end - at >= (is_aligned (at, 4) ? kVector : kVector + 4);
}

/* Load from an aligned address of an image that the kernel does not write. */
BDCT_INLINE Vector
load_aligned (const uint8_t *at)
{
  const uint4 v = __ldg ((const uint4 *) at);

  return { { v.x, v.y, v.z, v.w } };
}

/* Load from any address. */
BDCT_INLINE Vector
load (const uint8_t *at)
{
  const uint32_t *word = (const uint32_t *) ((uintptr_t) at & ~(uintptr_t) 3);
  const int shift = 8 * (int) ((uintptr_t) at & 3);
  Vector v;

  uint32_t next;

  if (is_aligned (at, kVector))
    return load_aligned (at);
  next = word[0];
  BDCT_UNROLL for (int i = 0; i < kVector / 4; i++) {
    const uint32_t here = next;

    if (i + 1 < kVector / 4 || shift > 0)
      next = word[i + 1];
    v.w[i] = (uint32_t) (((uint64_t) next << 32 | here) >> shift);
  }
  return v;
}

/* Store to an aligned address. */
BDCT_INLINE void
store (uint8_t *at, const Vector &v)
{
  *(uint4 *) at = make_uint4 (v.w[0], v.w[1], v.w[2], v.w[3]);
}

/* The vectors of a row, the last of which may be partial; and the thread blocks
 * of a plane, with `n` vectors each. */
BDCT_FORCE_INLINE int
count_vectors (int row_bytes)
{
  return (row_bytes + kVector - 1) / kVector;
}

BDCT_FORCE_INLINE int
count_blocks (int row_bytes, int height, int n)
{
  const unsigned vectors = (unsigned) count_vectors (row_bytes) * height;

  return (int) ((vectors + n - 1) / n);
}

/* The plane of a thread block. */
template <int n> BDCT_INLINE int
find_plane (const int32_t (&first)[n], int block)
{
  int p = 0;

  while (p + 2 < n && block >= first[p + 1])
    p++;
  return p;
}
