/* Kernels of cuda/kernels/threads.cuh without a GPU: the threads of a thread
 * block one after the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_THREAD_EMULATION_H
#define TESTS_THREAD_EMULATION_H

#include <stdint.h>
#include <stdlib.h>
#include <vector_functions.h>

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

/* Instructions, as CUDA's documentation has them */

namespace {

template <typename T> T
__ldg (const T *from)
{
  return *from;
}

inline uint32_t
__vabsdiffu4 (uint32_t a, uint32_t b)
{
  uint32_t r = 0;

  for (int i = 0; i < 32; i += 8)
    r |= (uint32_t) abs ((int) (a >> i & 255) - (int) (b >> i & 255)) << i;
  return r;
}

inline uint32_t
__dp4a (uint32_t a, uint32_t b, uint32_t c)
{
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 255) * (b >> i & 255);
  return c;
}

inline uint32_t
__viaddmax_s16x2 (uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t r = 0;

  for (int i = 0; i < 32; i += 16) {
    const int16_t sum = (int16_t) ((a >> i) + (b >> i));
    const int16_t other = (int16_t) (c >> i);

    r |= (uint32_t) (uint16_t) (sum > other ? sum : other) << i;
  }
  return r;
}

} // namespace

#endif
