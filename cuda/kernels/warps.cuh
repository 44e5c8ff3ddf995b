/* blockdct: kernels whose warps work together, that also run without a GPU.
 *
 * Such a kernel is a function of one thread, which meets the others of its warp
 * or of its thread block in the functions below; all of them must get there.
 * Without a GPU the tests switch from thread to thread at each of these
 * (tests/gpu/warp-emulation.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#ifdef __CUDACC__

#include <stdint.h>
#include "device.cuh"

namespace {

constexpr unsigned kAll = 0xffffffff;

BDCT_INLINE void
wait_for_block ()
{
  __syncthreads ();
}

BDCT_INLINE void
wait_for_warp ()
{
  __syncwarp ();
}

BDCT_INLINE uint32_t
ballot (bool v)
{
  return __ballot_sync (kAll, v);
}

BDCT_INLINE bool
any_lane (bool v)
{
  return __any_sync (kAll, v);
}

template <typename T> BDCT_INLINE T
from_lane (T v, int lane)
{
  return __shfl_sync (kAll, v, lane);
}

/* Of the lane `d` below; the lowest ones keep their own. */
template <typename T> BDCT_INLINE T
from_below (T v, int d)
{
  return __shfl_up_sync (kAll, v, d);
}

template <typename T> BDCT_INLINE T
from_xor (T v, int mask)
{
  return __shfl_xor_sync (kAll, v, mask);
}

BDCT_INLINE uint32_t
or_lanes (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync (kAll, v);
#else
  BDCT_UNROLL for (int d = 16; d > 0; d /= 2)
    v |= from_xor (v, d);
  return v;
#endif
}

} // namespace

#else
#include "warp-emulation.h"
#endif
