/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-HVS-M as daala and libvmaf compute it (libvmaf 3.2.0, psnr_hvs.c):
 * blocks of 8 x 8, 7 apart; the differences of their frequencies, less what
 * contrast masks, weighted by visibility. dct/metrics/psnr-hvs-block.h computes
 * a block in single precision, as they do, here as many blocks at a time as a
 * vector has lanes. They add the squares of all blocks in single precision, one
 * after the other; here each block's sum becomes a whole number
 * (dct/metrics/psnr-hvs.h).
 *
 * Egiazarian, Astola, Ponomarenko, Lukin, Battisti, Carli: New Full-Reference
 * Quality Metrics Based on HVS, VPQM 2006. Ponomarenko, Silvestri, Egiazarian,
 * Carli, Astola, Lukin: On Between-Coefficient Contrast Masking of DCT Basis
 * Functions, VPQM 2007. */
#include "dct/metrics/psnr-hvs.h"

#include <math.h>
#include <string.h>
#include "dct/base/min.h"
#include "cpu/read.h"
#include "kernel.h"

/* Blocks computed at a time. */
#define N BDCT_LANES

/* The blocks of a run, in which a row of blocks is processed. */
#define RUN 64

typedef int32_t Ints __attribute__ ((vector_size (4 * N)));
typedef float Floats __attribute__ ((vector_size (4 * N)));

/* `a` where the comparison holds, else `b`. */
static inline Floats
choose (Ints where, Floats a, Floats b)
{
  return (Floats) ((where & (Ints) a) | (~where & (Ints) b));
}

static inline Floats
to_floats (Ints v)
{
  return __builtin_convertvector (v, Floats);
}

static inline Floats
get_roots (Floats v)
{
  for (int k = 0; k < N; k++)
    v[k] = sqrtf (v[k]);
  return v;
}

#include "dct/metrics/psnr-hvs-block.h"

/* Pixels under a row of blocks. */
typedef uint16_t Rows[8][8 * RUN];

/* Of a piece: the rows of both pictures, N blocks of each, and the squared
 * errors of a run. */
typedef struct {
  Rows src, rec;
  BlockLanes a, b;
  Weights weights;
  uint64_t error[RUN];
} Scratch;

BDCT_SCRATCH_HOLDS (Scratch);

/* The first and the second of two adjacent 16-bit samples in a 32-bit word. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST(pair) ((pair) & 0xffff)
#define SECOND(pair) ((pair) >> 16 & 0xffff)
#else
#define FIRST(pair) ((pair) >> 16 & 0xffff)
#define SECOND(pair) ((pair) & 0xffff)
#endif

/* A row of blocks, all at y and `step` apart, but none right of `last`. */
typedef struct {
  const BdctMetricPlane *plane;
  int y, step, last;
} Row;

static int
get_left (const Row * row, int block)
{
  return bdct_min (row->step * block, row->last);
}

/* Gather N blocks of pixels that begin at `from`, two pixels at a time. */
static void
gather (const Row * row, const Rows rows, int from, int block,
    BlockLanes blocks)
{
  uint32_t pairs[32][N] __attribute__ ((aligned (4 * N)));

  for (int k = 0; k < N; k++) {
    const int x = get_left (row, block + k) - from;

    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 4; j++)
        memcpy (&pairs[4 * i + j][k], &rows[i][x + 2 * j], sizeof (uint32_t));
  }
  for (int i = 0; i < 32; i++) {
    const Ints pair = *(const Ints *) pairs[i];

    blocks[2 * i] = FIRST (pair);
    blocks[2 * i + 1] = SECOND (pair);
  }
}

/* Compute the squared errors of n blocks of a row. */
static void
compare_run (const Row * row, int block, int n, Scratch * s)
{
  const BdctMetricPlane *plane = row->plane;
  const int x = get_left (row, block);
  const int width = get_left (row, block + n - 1) + 8 - x;

  for (int i = 0; i < 8; i++) {
    bdct_metric_read (plane, &plane->src, row->y + i, x, width, s->src[i]);
    bdct_metric_read (plane, &plane->rec, row->y + i, x, width, s->rec[i]);
  }
  for (int i = 0; i < n; i += N) {
    Floats mask_a, mask_b, sum;

    gather (row, s->src, x, block + i, s->a);
    gather (row, s->rec, x, block + i, s->b);
    mask_a = analyse (s->a, &s->weights);
    mask_b = analyse (s->b, &s->weights);
    sum = add_errors (s->a, s->b, 1, mask_a, mask_b, &s->weights);
    for (int k = 0; k < N; k++)
      s->error[i + k] = bdct_psnr_hvs_error (sum[k], plane->depth);
  }
}

static void
set_weights (const BdctMetricPlane * plane, Scratch * s)
{
  for (int i = 0; i < 64; i++)
    set_weight (&s->weights, plane->component, i);
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return bdct_psnr_hvs_rows (plane) * sizeof (uint64_t);
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  return bdct_psnr_hvs_rows (plane);
}

static void
work (const BdctMetricPlane * plane, int stage, int piece, void *scratch)
{
  const int columns = bdct_psnr_hvs_columns (plane);
  const Row row = { plane, BDCT_PSNR_HVS_STEP * piece, BDCT_PSNR_HVS_STEP,
    BDCT_PSNR_HVS_STEP * (columns - 1)
  };
  Scratch *s = scratch;
  uint64_t sum = 0;

  set_weights (plane, s);
  for (int x = 0; x < columns; x += RUN) {
    const int n = bdct_min (columns - x, RUN);

    compare_run (&row, x, n, s);
    for (int i = 0; i < n; i++)
      sum += s->error[i];
  }
  ((uint64_t *) plane->memory)[piece] = sum;
}

static void
map (const BdctMetricPlane * plane, int row, uint32_t * to, void *scratch)
{
  const int columns = bdct_metric_map (BDCT_METRIC_PSNR_HVS, plane->width,
      plane->height).columns;
  const Row blocks = { plane, bdct_min (8 * row, plane->height - 8), 8,
    plane->width - 8
  };
  Scratch *s = scratch;

  set_weights (plane, s);
  for (int x = 0; x < columns; x += RUN) {
    const int n = bdct_min (columns - x, RUN);

    compare_run (&blocks, x, n, s);
    for (int i = 0; i < n; i++)
      to[x + i] = bdct_psnr_hvs_map (s->error[i], plane->depth);
  }
}

const BdctMetricKernel BDCT_METRIC_NAME (psnr_hvs) = {
  .memory = memory,
  .count = count,
  .work = work,
  .map = map,
};
