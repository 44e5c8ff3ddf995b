/* A CUDA runtime without a GPU, to test the engine's host side with: each
 * stream is a thread that does what is enqueued, late, and device memory is
 * host memory. Kernels are what the CPU engine computes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAKE_RUNTIME_H
#define TESTS_FAKE_RUNTIME_H

#include <stdbool.h>

/** Whether the program was built with it. */
#ifdef FAKE_RUNTIME
extern bool fake_refuse_pinned, fake_fail_launch, fake_lose_context;
#define fake_runtime true
#else
static bool fake_refuse_pinned, fake_fail_launch, fake_lose_context;
#define fake_runtime false
#endif

#endif
