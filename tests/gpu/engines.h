/* blockdct GPU tests: the engines that are compared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_GPU_ENGINES_H
#define TESTS_GPU_ENGINES_H

#include <stdio.h>
#include "dct/engine/engine.h"

/* Create the CPU engine and, with all the options, the CUDA engine; the
 * caller's. 0, or what the program is to exit with, after it has said why. */
static inline int
engines_create (const BdctEngineOptions * options, BdctEngine ** cpu,
    BdctEngine ** cuda)
{
  BdctEngineOptions cpu_options = *options;
  BdctError error = { "" };

  if (bdct_cuda_engine.count_devices (&error) == 0) {
    printf ("no GPU: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
    return 77;
  }
  cpu_options.isa = NULL;
  *cpu = bdct_cpu_engine.create (&cpu_options, &error);
  *cuda = *cpu != NULL ? bdct_cuda_engine.create (options, &error) : NULL;
  if (*cuda == NULL) {
    printf ("create: %s\n0 passed, 1 failed, 0 skipped\n", error.message);
    return 1;
  }
  printf ("%s against %s\n", (*cuda)->description, (*cpu)->description);
  return 0;
}

#endif
