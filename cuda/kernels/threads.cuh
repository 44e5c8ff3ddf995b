/* blockdct: kernels that also run without a GPU.
 *
 * Such a kernel consists of threads(): each thread of a thread block does
 * something, then all of them synchronize. Written like this it is also plain
 * C++: without a GPU the tests run the threads one after another
 * (tests/gpu/thread-emulation.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#ifdef __CUDACC__

#include "device.cuh"

/* For kernels without shared memory. */
struct BdctNothing {
};

template <int kThreads, typename F> BDCT_INLINE void
threads (F f)
{
  f ((int) threadIdx.x);
  __syncthreads ();
}

#else
#include "thread-emulation.h"
#endif
