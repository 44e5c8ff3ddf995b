/* blockdct: what the metrics' kernels share.
 *
 * A kernel is a struct K with K::kThreads threads, which share a K::Shared.
 * K::block() computes thread block (x, y) of a component and consists of
 * threads() (threads.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>
#include "dct/base/compiler.h"
#include "dct/base/sample.h"
#include "metric.h"
#include "threads.cuh"

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (K::kThreads)
run (const __grid_constant__ BdctCudaMetricPlanes planes)
{
  __shared__ typename K::Shared shared;

  K::block (planes.plane[blockIdx.z], blockIdx.x, blockIdx.y, shared);
}

/* Launch x by y thread blocks for each component; nothing if there are none. */
template <typename K> cudaError_t
launch (const BdctCudaMetricPlanes *planes, unsigned x, unsigned y,
    cudaStream_t stream)
{
  void *args[] = { (void *) planes };

  return x * y == 0 ? cudaSuccess : cudaLaunchKernel ((const void *) run<K>,
      dim3 (x, y, planes->n), dim3 (K::kThreads), args, 0, stream);
}

#else
#include "metric-emulation.h"
#endif

/* Add up the threads' n sums, into those of the first thread. */
template <int kThreads, int n> BDCT_INLINE void
add_up (unsigned long long (&sum)[n][kThreads])
{
  constexpr int kParts = 32;

  static_assert (n * kParts <= kThreads && kThreads % kParts == 0,
      "a warp for each sum");
  threads<kThreads> ([&] (int t) {
    unsigned long long (&of)[kThreads] = sum[t / kParts % n];
    unsigned long long part = 0;

    if (t >= n * kParts)
      return;
    BDCT_UNROLL for (int i = 0; i < kThreads; i += kParts)
      part += of[t % kParts + i];
    of[t % kParts] = part;
  });
  threads<kThreads> ([&] (int t) {
    unsigned long long all = 0;

    if (t >= n)
      return;
    BDCT_UNROLL for (int i = 0; i < kParts; i++)
      all += sum[t][i];
    sum[t][0] = all;
  });
}

/* For metrics that need none. */
inline size_t
no_scratch (const BdctMetricPlane *)
{
  return 0;
}

/* Zero the results, for kernels that add to them. */
inline cudaError_t
zero_results (const BdctCudaMetricPlanes *planes,
    size_t (*results) (const BdctMetricPlane *), cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  for (int c = 0; c < planes->n && err == cudaSuccess; c++)
    err = cudaMemsetAsync (planes->plane[c].plane.memory, 0,
        results (&planes->plane[c].plane), stream);
  return err;
}

/* Sample x of a component's row. */
BDCT_INLINE int
sample_at (const BdctMetricPlane &p, const uint8_t *row, int x)
{
  return bdct_sample_get (row, (int64_t) x * p.step, p.depth > 8 ? 2 : 1,
      p.shift, (1 << p.depth) - 1);
}

template <int n> struct Constant {
  static constexpr int value = n;
};

/* Call f (bytes, step) with the bytes of a component's samples and the step
 * from one to the next as constants, so that samples of a row are found from
 * one address. */
template <typename F> BDCT_INLINE void
with_constants (const BdctMetricPlane &p, F f)
{
  if (p.depth == 8 && p.step == 1)
    f (Constant<1> (), Constant<1> ());
  else if (p.depth == 8)
    f (Constant<1> (), Constant<2> ());
  else if (p.step == 1)
    f (Constant<2> (), Constant<1> ());
  else
    f (Constant<2> (), Constant<2> ());
}

/* The maximum of a function over the components, in units of `n`, rounded
 * up.
 */
template <typename F> unsigned
most (const BdctCudaMetricPlanes *planes, int n, F f)
{
  int all = 0;

  for (int c = 0; c < planes->n; c++)
    if (f (planes->plane[c].plane) > all)
      all = f (planes->plane[c].plane);
  return (unsigned) ((all + n - 1) / n);
}
