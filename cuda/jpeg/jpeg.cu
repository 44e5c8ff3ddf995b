/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pixels.cuh"

#ifdef __CUDACC__

namespace {

template <typename K> __global__ void
__launch_bounds__ (K::n_threads)
run (const __grid_constant__ BdctJpegLaunch launch)
{
  __shared__ typename K::Shared shared;

  K::run (launch, blockIdx.x, threadIdx.x, shared);
}

/* Unless one before it has failed. */
template <typename K> void
launch_kernel (const BdctJpegLaunch &launch, uint32_t n_blocks,
    cudaStream_t stream, cudaError_t *err)
{
  if (*err != cudaSuccess)
    return;
  run<K><<<n_blocks, K::n_threads, 0, stream>>> (launch);
  *err = cudaGetLastError ();
}

} // namespace

#endif

extern "C" cudaError_t
bdct_cuda_jpeg_launch (const BdctJpegLaunch *launch, cudaStream_t stream)
{
  const BdctJpegLaunch &g = *launch;
  cudaError_t err = cudaSuccess;

  launch_kernel<Prepare> (g, g.n_files + 4 * g.n_tables, stream, &err);
  launch_kernel<Count> (g, g.n_chunks, stream, &err);
  launch_kernel<SumChunks> (g, g.n_files, stream, &err);
  launch_kernel<Compact> (g, g.n_chunks, stream, &err);
  launch_kernel<Divide> (g, g.n_files, stream, &err);
  launch_kernel<Agree> (g, g.n_parts / kParts, stream, &err);
  launch_kernel<Join> (g, g.n_files, stream, &err);
  launch_kernel<Blocks> (g, g.n_parts / kThreads, stream, &err);
  launch_kernel<Pixels> (g, g.n_tiles, stream, &err);
  return err;
}
