/* Kernels of cuda/kernels/warps.cuh without a GPU: the threads of a thread
 * block take turns on one thread of the processor, each with a stack of its
 * own. One goes on until it meets others, whose turn it then is; it gets its
 * next one when all of them are there. Threads that do not meet are an error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_WARP_EMULATION_H
#define TESTS_WARP_EMULATION_H

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <vector_types.h>
#include "fake-kernels.h"
#include "thread-emulation.h"

namespace {

constexpr size_t kStack = 64 << 10;

enum Meeting { MEETS_NOBODY, MEETS_WARP, MEETS_BLOCK, IS_DONE };

struct EmulatedThread
{
  jmp_buf at;
  Meeting meeting;
  unsigned meetings;            /* with its warp so far */
};

struct EmulatedWarp
{
  uint64_t value[2][32];        /* of this meeting and the next one */
};

struct EmulatedBlock
{
  void (*run) (void *what, int t);
  void *what;
  int t;                        /* whose turn it is */
  jmp_buf scheduler;
  EmulatedThread *thread;
  EmulatedWarp *warp;
};

thread_local EmulatedBlock *emulated;

void
meet (Meeting meeting)
{
  EmulatedThread *self = &emulated->thread[emulated->t];

  self->meeting = meeting;
  if (_setjmp (self->at) == 0)
    _longjmp (emulated->scheduler, 1);
}

/* What all lanes of the warp say. */
const uint64_t *
meet_warp (uint64_t value)
{
  EmulatedThread *self = &emulated->thread[emulated->t];
  uint64_t *values = emulated->warp[emulated->t / 32]
      .value[self->meetings++ % 2];

  values[emulated->t % 32] = value;
  meet (MEETS_WARP);
  return values;
}

void
begin_thread ()
{
  emulated->run (emulated->what, emulated->t);
  meet (IS_DONE);
}

/* Have a thread go on. Its first turn begins on a stack of its own. */
void
take_turn (EmulatedBlock *block, int t, bool first, uint8_t *stack)
{
  static thread_local ucontext_t from, to;

  block->t = t;
  if (_setjmp (block->scheduler) != 0)
    return;
  if (!first)
    _longjmp (block->thread[t].at, 1);
  getcontext (&to);
  to.uc_stack.ss_sp = stack;
  to.uc_stack.ss_size = kStack;
  to.uc_link = nullptr;
  makecontext (&to, begin_thread, 0);
  swapcontext (&from, &to);
}

/* Those of a range that meet go on if all are there. */
bool
release (EmulatedThread *thread, int n, Meeting meeting)
{
  int there = 0, done = 0;

  for (int i = 0; i < n; i++) {
    there += thread[i].meeting == meeting;
    done += thread[i].meeting == IS_DONE;
  }
  if (there == 0 || there + done < n)
    return false;
  if (done > 0 && meeting == MEETS_WARP)
    fake_die ("a warp that waits for a thread that is done");
  for (int i = 0; i < n; i++)
    if (thread[i].meeting == meeting)
      thread[i].meeting = MEETS_NOBODY;
  return true;
}

/* Run thread blocks of n threads, a multiple of 32: run (block, thread, shared
 * memory). */
template <typename Shared, typename F> void
emulate_blocks (int n, int n_blocks, F run)
{
  struct
  {
    F run;
    int block;
    alignas (16) Shared shared;
  } what = { run, 0, {} };
  EmulatedBlock block = {};
  uint8_t *stacks = (uint8_t *) malloc (n * kStack);

  block.run = [] (void *its, int t) {
    auto *own = (decltype (what) *) its;

    own->run (own->block, t, own->shared);
  };
  block.what = &what;
  block.thread = (EmulatedThread *) malloc (n * sizeof *block.thread);
  block.warp = (EmulatedWarp *) malloc (n / 32 * sizeof *block.warp);
  emulated = &block;
  for (int i = 0; i < n_blocks; i++) {
    bool first = true, goes_on = true;

    what.block = i;
    memset ((void *) &what.shared, 0x5a, sizeof what.shared);
    memset ((void *) block.thread, 0, n * sizeof *block.thread);
    for (; goes_on; first = false) {
      goes_on = false;
      for (int t = 0; t < n; t++)
        if (block.thread[t].meeting == MEETS_NOBODY) {
          take_turn (&block, t, first, stacks + t * kStack);
          goes_on = true;
        }
      for (int t = 0; t < n; t += 32)
        goes_on |= release (&block.thread[t], 32, MEETS_WARP);
      goes_on |= release (block.thread, n, MEETS_BLOCK);
    }
    for (int t = 0; t < n; t++)
      if (block.thread[t].meeting != IS_DONE)
        fake_die ("threads that do not meet");
  }
  free (block.warp);
  free (block.thread);
  free (stacks);
}

/* What kernels call */

inline void
wait_for_block ()
{
  meet (MEETS_BLOCK);
}

inline void
wait_for_warp ()
{
  meet_warp (0);
}

inline uint32_t
ballot (bool v)
{
  const uint64_t *values = meet_warp (v);
  uint32_t all = 0;

  for (int i = 0; i < 32; i++)
    all |= (uint32_t) values[i] << i;
  return all;
}

inline bool
any_lane (bool v)
{
  return ballot (v) != 0;
}

template <typename T> T
from_lane (T v, int lane)
{
  return (T) meet_warp ((uint64_t) v)[lane];
}

template <typename T> T
from_below (T v, int d)
{
  const int lane = emulated->t % 32;

  return from_lane (v, lane < d ? lane : lane - d);
}

template <typename T> T
from_xor (T v, int mask)
{
  return from_lane (v, emulated->t % 32 ^ mask);
}

inline uint32_t
or_lanes (uint32_t v)
{
  const uint64_t *values = meet_warp (v);
  uint32_t all = 0;

  for (int i = 0; i < 32; i++)
    all |= (uint32_t) values[i];
  return all;
}

inline uint32_t
add_lanes (uint32_t v)
{
  const uint64_t *values = meet_warp (v);
  uint32_t all = 0;

  for (int i = 0; i < 32; i++)
    all += (uint32_t) values[i];
  return all;
}

/* Instructions, as CUDA's documentation has them */

inline void
atomicOr (uint32_t *to, uint32_t v)
{
  *to |= v;
}

inline void
atomicMin (uint32_t *to, uint32_t v)
{
  *to = v < *to ? v : *to;
}

inline uint32_t
__vcmpeq4 (uint32_t a, uint32_t b)
{
  uint32_t r = 0;

  for (int i = 0; i < 32; i += 8)
    r |= (((a ^ b) >> i & 255) == 0 ? 255u : 0) << i;
  return r;
}

inline int
__popc (uint32_t v)
{
  return __builtin_popcount (v);
}

inline int
__ffs (int v)
{
  return __builtin_ffs (v);
}

inline int
__clz (int v)
{
  return v == 0 ? 32 : __builtin_clz ((unsigned) v);
}

inline uint32_t
__funnelshift_l (uint32_t low, uint32_t high, uint32_t shift)
{
  return (uint32_t) (((uint64_t) high << 32 | low) << (shift & 31) >> 32);
}

inline uint32_t
__funnelshift_r (uint32_t low, uint32_t high, uint32_t shift)
{
  return (uint32_t) (((uint64_t) high << 32 | low) >> (shift & 31));
}

inline uint32_t
__byte_perm (uint32_t low, uint32_t high, uint32_t which)
{
  const uint64_t all = (uint64_t) high << 32 | low;
  uint32_t r = 0;

  for (int i = 0; i < 4; i++)
    r |= (uint32_t) (all >> 8 * (which >> 4 * i & 7) & 255) << 8 * i;
  return r;
}

inline uint32_t
__vminu2 (uint32_t a, uint32_t b)
{
  const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a : b;

  return (low & 0xffff) | (a >> 16 < b >> 16 ? a : b) >> 16 << 16;
}

inline int
__dp4a (int a, int b, int c)
{
  for (int i = 0; i < 32; i += 8)
    c += (int8_t) (a >> i) * (int8_t) (b >> i);
  return c;
}

} // namespace

#endif
