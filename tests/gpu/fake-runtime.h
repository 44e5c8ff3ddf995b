/* A CUDA runtime without a GPU, to test the engine's host side with: each
 * stream is a thread that does what is enqueued, late, and device memory is
 * host memory. Kernels are their sources, thread by thread (warp-emulation.h),
 * but for those of colours and views: what the CPU engine computes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAKE_RUNTIME_H
#define TESTS_FAKE_RUNTIME_H

#include <stdbool.h>

/* Whether the program was built with it. */
#ifdef FAKE_RUNTIME
extern bool fake_refuse_pinned, fake_lose_context;

/* The device's capability times 10, and what the runtime says to questions
 * about its code (a cudaError_t). */
extern int fake_capability, fake_code;

/* Bytes copied to the device so far. */
extern _Atomic unsigned long fake_uploaded;

/* Calls that fail, of the thread's own: while `armed`, calls are counted, and
 * number `first` fails, 0 for none; if it takes the context with it, all that
 * follow do too. */
typedef struct {
  bool armed, lost;
  unsigned first;
  unsigned calls, failed;       /* so far */
  const char *call;             /* the last one that failed */
} FakeFaults;

extern _Thread_local FakeFaults fake_faults;

/* Count a call of something else, and say whether it is to fail. */
bool fake_fails (const char *call);

/* Memory, streams and events that are not freed. */
unsigned fake_outstanding (void);

/* Wait for all work: it is over. Free what is not freed: the context is gone.
 */
void fake_settle (void);
void fake_abandon (void);
#define fake_runtime true
#else
#define fake_runtime false
#endif

#endif
