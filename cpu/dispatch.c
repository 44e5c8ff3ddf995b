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

static const BdctTileKernel kernels[] = {
  {"avx512vnni", &bdct_tile_avx512, &bdct_tile16_avx512vnni,
      &bdct_dct8x8_avx512, &bdct_colour_avx512,
      &bdct_metrics_avx512, &bdct_compare_avx512},
  {"avx512", &bdct_tile_avx512, &bdct_tile16_avx512, &bdct_dct8x8_avx512,
      &bdct_colour_avx512,
      &bdct_metrics_avx512, &bdct_compare_avx512},
  {"avxvnni", &bdct_tile_avx2, &bdct_tile16_avxvnni, &bdct_dct8x8_avx2,
      &bdct_colour_avx2,
      &bdct_metrics_avx2, &bdct_compare_avx2},
  {"avx2", &bdct_tile_avx2, &bdct_tile16_avx2, &bdct_dct8x8_avx2,
      &bdct_colour_avx2,
      &bdct_metrics_avx2, &bdct_compare_avx2},
  {"sse4.1", &bdct_tile_sse41, &bdct_tile16_sse41, &bdct_dct8x8_sse41,
      &bdct_colour_sse41,
      &bdct_metrics_sse41, &bdct_compare_sse41},
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
