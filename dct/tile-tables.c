/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What tiles are worked on with, the same for every instruction set. */
#include "tile.h"

#include <pthread.h>
#include <string.h>
#if defined (BDCT_X86)
#include <cpuid.h>
#endif
#include "matrices.h"
#include "quantize.h"

#define BASIS(id, n, kind) static int32_t matrix_##id[n * n];
#include BDCT_TRANSFORMS

static float matrix_real[64];

static int32_t *const matrices[] = {
#define BASIS(id, n, kind) matrix_##id,
#include BDCT_TRANSFORMS
};

static void
fill_matrices (void)
{
  for (int b = 0; b < BDCT_N_BASES; b++) {
    int n = bdct_basis_size (b);

    for (int i = 0; i < n * n; i++)
      matrices[b][i] = bdct_matrix_int (b, i / n, i % n);
  }
  for (int i = 0; i < 64; i++)
    matrix_real[i] = bdct_matrix_real (i / 8, i % 8);
}

void
bdct_tile_set_init (BdctTileSet * set, const BdctJob * job,
    BdctComponent component)
{
  const BdctComponentJob *cj = &job->component[component];
  int shift = cj->log2_height > 3 ? cj->log2_height - 3 : 0;
  int width = 1 << cj->log2_width;

  set->job = *cj;
  for (int v = 0; v < 8; v++) {
    for (int x = 0; x < width; x++) {
      int index = bdct_job_index (cj, v << shift, x);

      set->quant[v][x] = cj->quant[index];
      set->companion[v][x] = bdct_quantize_companion (job, cj, index);
    }
    for (int x = width; x < BDCT_MAX_SIZE; x++) {
      set->quant[v][x] = set->quant[v][x - width];
      set->companion[v][x] = set->companion[v][x - width];
    }
  }
  bdct_chain16_init (&set->chain16, job, cj);
}

void
bdct_tile_plane_init (BdctTilePlane * plane, const BdctJob * job,
    BdctComponent component)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const BdctChainInfo *chain =
      bdct_chain_info (job->component[component].chain);

  pthread_once (&once, fill_matrices);
  memset (plane, 0, sizeof *plane);
  plane->family = job->family;
  plane->component = component;
  plane->depth = job->depth;
  plane->row = matrices[chain->row];
  plane->column = matrices[chain->column];
  if (job->family == BDCT_FAMILY_REAL)
    plane->row = plane->column = matrix_real;
}

bool
bdct_tile_is_chain16 (const BdctTilePlane * plane)
{
  for (int i = 0; i < BDCT_MAX_SETS && plane->set[i] != NULL; i++)
    if (plane->set[i]->chain16.basis == NULL)
      return false;
  return plane->levels.data == NULL;
}

bool
bdct_tile_is_real (const BdctTilePlane * plane)
{
  return plane->family == BDCT_FAMILY_REAL && plane->levels.data == NULL;
}

#if defined (BDCT_X86)
static bool
has_avx512 (void)
{
  return __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl");
}

/* __builtin_cpu_supports() does not know it yet. */
static bool
has_avxvnni (void)
{
  unsigned a, b, c, d;

  return __get_cpuid_count (7, 1, &a, &b, &c, &d) && (a >> 4 & 1);
}

static const BdctTileKernel kernels[] = {
  {"avx512vnni", &bdct_tile_avx512, &bdct_chain16_avx512vnni,
      &bdct_real_avx512, &bdct_colour_avx512},
  {"avx512", &bdct_tile_avx512, &bdct_chain16_avx512, &bdct_real_avx512,
      &bdct_colour_avx512},
  {"avxvnni", &bdct_tile_avx2, &bdct_chain16_avxvnni, &bdct_real_avx2,
      &bdct_colour_avx2},
  {"avx2", &bdct_tile_avx2, &bdct_chain16_avx2, &bdct_real_avx2,
      &bdct_colour_avx2},
  {"sse4.1", &bdct_tile_sse41, &bdct_chain16_sse41, &bdct_real_sse41,
      &bdct_colour_sse41},
  {"sse2", &bdct_tile_baseline, NULL, NULL, &bdct_colour_baseline},
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
  {"neon", &bdct_tile_baseline, &bdct_chain16_neon, NULL,
      &bdct_colour_baseline},
#endif
  {"generic", &bdct_tile_baseline, NULL, NULL, &bdct_colour_baseline},
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
