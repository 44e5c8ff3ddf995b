/* blockdct: kernels that run without a GPU, too.
 *
 * Such a kernel is made of threads(): each thread of a thread block does
 * something, and all of them wait for it. So written, it is also plain C++:
 * without a GPU the tests do the threads one after the other
 * (tests/gpu/thread-emulation.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_THREADS_CUH
#define BDCT_THREADS_CUH

#ifdef __CUDACC__

#include "device.cuh"

/* Nothing shared. */
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

#endif
