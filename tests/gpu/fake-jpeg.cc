/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels that decode JPEG files, compiled to run without a GPU. */
#include <stdint.h>
#include "cuda/jpeg/jpeg.h"

namespace {

inline uint32_t
clip (int32_t v)
{
  return v < 0 ? 0 : v > 255 ? 255 : v;
}

inline uint32_t
pack_bytes (uint32_t low, uint32_t high, uint32_t upper)
{
  return upper << 16 | clip (high) << 8 | clip (low);
}

template <typename K> void launch_kernel (const BdctJpegLaunch &,
    uint32_t n_blocks, cudaStream_t stream, cudaError_t *err);

} // namespace

#include "cuda/jpeg/jpeg.cu"

namespace {

template <typename K> void
emulate_jpeg (const FakeOther *other)
{
  const auto launch = fake_work<BdctJpegLaunch> (other);

  emulate_blocks<typename K::Shared> (K::n_threads, (int) other->x,
      [&launch] (int block, int t, typename K::Shared &shared) {
        K::run (launch, block, t, shared);
      });
}

template <typename K> void
launch_kernel (const BdctJpegLaunch &launch, uint32_t n_blocks,
    cudaStream_t stream, cudaError_t *err)
{
  if (*err == cudaSuccess)
    *err = fake_launch_work (emulate_jpeg<K>, launch, n_blocks, 1, stream);
}

} // namespace
