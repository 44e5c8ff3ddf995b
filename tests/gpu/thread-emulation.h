/* Kernels of cuda/kernels/threads.cuh without a GPU: the threads of a thread
 * block one after the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_THREAD_EMULATION_H
#define TESTS_THREAD_EMULATION_H

#define BDCT_INLINE inline
#define BDCT_UNROLL
#define BDCT_NO_UNROLL

struct BdctNothing
{
};

template <int kThreads, typename F> void
threads (F f)
{
  for (int t = 0; t < kThreads; t++)
    f (t);
}

/* Launches come one after the other. */
inline void
let_next_begin ()
{
}

inline void
wait_for_last ()
{
}

template <typename Number> Number
atomicAdd (Number *to, Number v)
{
  const Number old = *to;

  *to += v;
  return old;
}

#endif
