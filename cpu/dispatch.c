/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The instruction sets, and whether the processor has them. */
#include "cpu/metrics/kernel.h"
#include "cpu/simd/tile32.h"

#include <pthread.h>
#if defined (BDCT_X86)
#include <cpuid.h>
#endif

#if defined (BDCT_X86)
static bool
has_avx512 (void)
{
  return __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl");
}

/* Older compilers' __builtin_cpu_supports() does not know AVX-VNNI. */
static bool
has_avxvnni (void)
{
  unsigned a, b, c, d;

  return __get_cpuid_count (7, 1, &a, &b, &c, &d) && (a >> 4 & 1);
}

/* A row: the name, the instruction set of most, and that of tile16.c. */
#define ROW(name, isa, isa16)                                                 \
  {name, &bdct_tile_##isa, &bdct_tile16_##isa16, &bdct_dct8x8_##isa,          \
      &bdct_colour_##isa, &bdct_metrics_##isa, &bdct_compare_##isa}

static const BdctTileKernel kernels[] = {
  ROW ("avx512vnni", avx512, avx512vnni),
  ROW ("avx512", avx512, avx512),
  ROW ("avxvnni", avx2, avxvnni),
  ROW ("avx2", avx2, avx2),
  ROW ("sse4.1", sse41, sse41),
  {"sse2", &bdct_tile_baseline, NULL, NULL, &bdct_colour_baseline,
      &bdct_metrics_baseline, &bdct_compare_baseline},
};

static void
find_kernels (bool * has)
{
  __builtin_cpu_init ();
  has[1] = has_avx512 ();
  has[0] = has[1] && __builtin_cpu_supports ("avx512vnni");
  has[3] = __builtin_cpu_supports ("avx2");
  has[2] = has[3] && has_avxvnni ();
  has[4] = __builtin_cpu_supports ("sse4.1");
  has[5] = true;
}
#else
static const BdctTileKernel kernels[] = {
#if defined (__aarch64__)
  {"neon", &bdct_tile_baseline, &bdct_tile16_neon, NULL,
      &bdct_colour_baseline,
      &bdct_metrics_baseline, &bdct_compare_baseline},
#endif
  {"generic", &bdct_tile_baseline, NULL, NULL, &bdct_colour_baseline,
      &bdct_metrics_baseline, &bdct_compare_baseline},
};

static void
find_kernels (bool * has)
{
  for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
    has[i] = true;
}
#endif

enum { N_KERNELS = sizeof kernels / sizeof kernels[0] };

static const BdctTileKernel *available[N_KERNELS + 1];

static void
fill_available (void)
{
  bool has[N_KERNELS];
  int n = 0;

  find_kernels (has);
  for (int i = 0; i < N_KERNELS; i++)
    if (has[i])
      available[n++] = &kernels[i];
}

const BdctTileKernel *const *
bdct_tile_kernels (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_available);
  return available;
}
