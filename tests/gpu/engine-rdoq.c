/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel that chooses levels by rate and distortion, against dct/rd/rdoq.h
 * on the CPU: blocks of all sizes that transforms of pictures rarely or never
 * have, in numbers that end within a thread block, each with another quantizer
 * or all with the same.
 *
 * Built twice: with the CUDA runtime, and with the one of fake-runtime.c.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/launch/kernel.h"
#include "cpu/simd/cabac-price.h"
#include "dct/rd/rdoq.h"

#define QUANTIZERS 3
#define MAX_BLOCKS 1100
#define MAX_SAMPLES (MAX_BLOCKS * 16 * 4)

static cudaStream_t stream;
static int passed, failed;
static uint32_t state = 1;

static uint32_t
draw (uint32_t n)
{
  state = state * 1664525u + 1013904223u;
  return (uint32_t) ((uint64_t) state * n >> 32);
}

static void *
check_memory (cudaError_t err, void *memory)
{
  if (err == cudaSuccess)
    return memory;
  printf ("%s\n", cudaGetErrorString (err));
  exit (1);
}

static void *
on_device (const void *from, size_t size)
{
  void *memory = NULL;

  check_memory (cudaMalloc (&memory, size), NULL);
  return check_memory (cudaMemcpy (memory, from, size, cudaMemcpyDefault),
      memory);
}

/* Fill a block with one of several kinds of coefficients. */
static void
fill (int16_t * block, int log2_size)
{
  const int n = 1 << log2_size, kind = (int) draw (8);
  const int amount = 1 << draw (14);
  double norm = 0;

  for (int i = 0; i < n * n; i++) {
    const int fall = kind == 2 ? 1 : 1 + (i / n + i % n) * (kind == 3 ? 1 : 4);
    const int span = amount / fall;
    const bool has = kind == 4 ? draw (n * n) == 0 : kind == 5 ? draw (8) == 0
        : kind > 0;

    block[i] = (int16_t) (has ? (int) draw (2 * span + 1) - span : 0);
  }
  /* The largest there are: a single one, and many */
  if (kind == 6)
    block[draw (n * n)] = draw (2) ? 16384 : -16384;
  for (int i = 0; kind == 7 && i < n * n; i++)
    block[i] = (int16_t) (draw (2) ? 16384 >> log2_size
        : -(16384 >> log2_size));
  for (int i = 0; i < n * n; i++)
    norm += (double) block[i] * block[i];
  for (int i = 0; norm > 0x1p28 && i < n * n; i++)
    block[i] = (int16_t) (block[i] * (0x1p14 / sqrt (norm)));
}

static void
choose_all (const BdctJob * jobs, BdctComponent c, const uint8_t * map, int n,
    const int16_t * blocks, BdctLevel * levels)
{
  const int size = 1 << 2 * jobs[0].component[c].log2_width;
  BdctRdoq rdoq[QUANTIZERS];

  for (int q = 0; q < QUANTIZERS; q++)
    bdct_rdoq_init (&rdoq[q], &jobs[q], c);
  for (int b = 0; b < n; b++) {
    const int q = map != NULL ? map[b] : 0;
    int32_t coefficients[BDCT_QUADTREE_SIDE * BDCT_QUADTREE_SIDE];

    for (int i = 0; i < size; i++)
      coefficients[i] = blocks[b * size + i];
    bdct_rdoq_choose (&rdoq[q], bdct_cabac_price_baseline,
        &jobs[q].component[c], c != BDCT_Y, coefficients,
        1 << jobs[0].component[c].log2_width, levels + b * size);
  }
}

/* A plane of n blocks beside each other. */
static void
check (const BdctJob * jobs, bool chroma, bool mapped, int n)
{
  const BdctComponent c = chroma ? BDCT_U : BDCT_Y;
  const int log2_size = jobs[0].component[c].log2_width, size = 1 << log2_size;
  const int n_components = chroma ? 2 : 1;
  const size_t n_samples = (size_t) n << 2 * log2_size;
  const BdctCudaKernel *kernel = bdct_rdoq_find (mapped
      ? BDCT_CUDA_CHOOSE_MAPPED : BDCT_CUDA_CHOOSE);
  static int16_t blocks[2][MAX_SAMPLES];
  static BdctLevel expected[MAX_SAMPLES], found[MAX_SAMPLES];
  static uint8_t maps[2][MAX_BLOCKS];
  uint8_t *constants = calloc (QUANTIZERS, (size_t) kernel->constants_size);
  BdctCudaBatch *batch = calloc (1, sizeof *batch);
  BdctCudaPlane *plane = batch->plane;
  void *args[] = { batch };
  struct cudaLaunchConfig_st config = {.blockDim = {kernel->warps * 32, 1, 1},
    .stream = stream
  };

  plane->layout = (BdctPlaneLayout) {
  .width = n * size,.height = size,.interleave = n_components,.component = {c,
          BDCT_V}};
  plane->log2_width = plane->log2_height = log2_size;
  plane->columns = n;
  plane->tiles_x = (n - 1) / kernel->tile_blocks (&jobs[0].component[c]) + 1;
  plane->quantizer_size = kernel->constants_size;
  for (int q = 0; q < QUANTIZERS; q++)
    kernel->make_constants (constants + q * kernel->constants_size, plane,
        &jobs[q]);
  plane->constants = on_device (constants, (size_t) QUANTIZERS
      * kernel->constants_size);
  for (int i = 0; i < n_components; i++) {
    for (int b = 0; b < n; b++) {
      fill (&blocks[i][(size_t) b << 2 * log2_size], log2_size);
      maps[i][b] = (uint8_t) draw (QUANTIZERS);
    }
    plane->levels[i] = on_device (blocks[i], n_samples * sizeof (BdctLevel));
    if (mapped)
      plane->quantizer_map[i] = on_device (maps[i], (size_t) n);
  }
  batch->n_planes = 1;
  batch->depth = jobs[0].depth;
  batch->n_tiles = plane->tiles_x * n_components;
  batch->jobs_per_block = batch->job_planes = 1;
  config.gridDim = (struct dim3) {batch->n_tiles, 1, 1};
  check_memory (cudaLaunchKernelExC (&config, kernel->function, args), NULL);
  check_memory (cudaStreamSynchronize (stream), NULL);
  for (int i = 0; i < n_components; i++) {
    choose_all (jobs, i == 0 ? c : BDCT_V, mapped ? maps[i] : NULL, n,
        blocks[i], expected);
    check_memory (cudaMemcpy (found, plane->levels[i], n_samples
            * sizeof (BdctLevel), cudaMemcpyDefault), NULL);
    if (memcmp (found, expected, n_samples * sizeof (BdctLevel)) == 0) {
      passed++;
    } else {
      size_t at = 0;

      while (found[at] == expected[at])
        at++;
      printf ("FAIL %dx%d, component %d, depth %d, %d blocks%s: in block %zu, "
          "at %zu of %d, level %d is %d\n", size, size, i == 0 ? c : BDCT_V,
          jobs[0].depth, n, mapped ? " with a map" : "",
          at >> 2 * log2_size, at & (size * size - 1), blocks[i][at],
          expected[at], found[at]);
      failed++;
    }
    cudaFree (plane->levels[i]);
    cudaFree ((void *) plane->quantizer_map[i]);
  }
  cudaFree ((void *) plane->constants);
  free (constants);
  free (batch);
}

int
main (void)
{
  static const BdctTransform transforms[] = {
    BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
  };
  static const double scales[] = { 1, 0, 1000, 0.1, 4 };
  int n_devices;

  if (cudaGetDeviceCount (&n_devices) != cudaSuccess || n_devices == 0) {
    printf ("no GPU\n0 passed, 0 failed, 1 skipped\n");
    return 77;
  }
  check_memory (cudaStreamCreate (&stream), NULL);
  for (int k = 0; k < 480; k++) {
    const int log2_size = 2 + k % 4;
    BdctLayout layout = {.depth = 8 + k / 4 % 3 * 2,.chroma = BDCT_CHROMA_444
    };
    BdctJob jobs[QUANTIZERS];
    BdctError error;
    /* All of one sub-block up to some more than four thread blocks */
    const int n = 1 + (int) draw (1 + (MAX_BLOCKS - 1) / (1 << 2
            * (log2_size - 2)));

    for (int q = 0; q < QUANTIZERS; q++) {
      BdctParams params = BDCT_PARAMS_DEFAULT;

      params.transform = k % 8 == 4 ? BDCT_HEVC_DST_4X4
          : transforms[k % 4];
      params.rdoq = true;
      params.qp = (int) draw (52);
      params.lambda_scale = scales[k / 4 % 5];
      params.deadzone = q ? 1. / 6 : 1. / 3;
      params.scaling_list = k / 12 % 2 ? BDCT_SCALING_DEFAULT
          : BDCT_SCALING_FLAT;
      if (!bdct_job_init (&jobs[q], &params, &layout, &error)) {
        printf ("%s\n", error.message);
        return 1;
      }
    }
    check (jobs, k / 5 % 2, k / 3 % 2, n);
  }
  cudaStreamDestroy (stream);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
