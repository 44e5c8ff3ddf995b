/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-HVS-M as daala and libvmaf compute it (libvmaf 3.2.0, psnr_hvs.c):
 * blocks of 8 x 8, 7 apart; the differences of their frequencies, less what
 * contrast masks, weighted by visibility. They compute in single precision in
 * an order of their own. This file does the same operations in that order, for
 * as many blocks at a time as a vector has lanes. The second stage adds the
 * squares of all blocks to one number in single precision.
 * dct/metrics/psnr-hvs-block.h computes a block.
 *
 * Egiazarian, Astola, Ponomarenko, Lukin, Battisti, Carli: New Full-Reference
 * Quality Metrics Based on HVS, VPQM 2006. Ponomarenko, Silvestri, Egiazarian,
 * Carli, Astola, Lukin: On Between-Coefficient Contrast Masking of DCT Basis
 * Functions, VPQM 2007. */
#include "dct/base/min.h"
#include "cpu/read.h"
#include "kernel.h"

#include <math.h>
#include <string.h>

/* The distance of blocks, and the rows of blocks in a strip. */
#define STEP 7
#define STRIP 4

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

static inline Floats
divide (Floats a, float b, float inverse)
{
  (void) inverse;
  return a / b;
}

#include "dct/metrics/psnr-hvs-block.h"

/* Pixels under a row of blocks. */
typedef uint16_t Rows[8][STEP * RUN + 8];

/* Of a piece: the rows of both pictures, and N blocks of each. */
typedef struct {
  Rows src, rec;
  Blocks a, b;
  Squares squares;
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

/* The number of blocks of a row, and of rows. */
static int
count_columns (const BdctMetricPlane * plane)
{
  return (bdct_psnr_hvs_side (plane->width, plane->luma_width) - 8) / STEP + 1;
}

static int
count_rows (const BdctMetricPlane * plane)
{
  return (bdct_psnr_hvs_side (plane->height, plane->luma_height) - 8) / STEP
      + 1;
}

/* The plane's memory holds the result, then the squares of each row. */
static int
count_squares (const BdctMetricPlane * plane)
{
  return (count_columns (plane) + N - 1) / N;
}

static Squares *
get_squares (const BdctMetricPlane * plane, int row)
{
  return (Squares *) ((char *) plane->memory + 64)
      + (size_t) row * count_squares (plane);
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return (char *) get_squares (plane, count_rows (plane))
      - (char *) plane->memory;
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  return stage == 0 ? (count_rows (plane) + STRIP - 1) / STRIP : 1;
}

/* Gather N blocks of a run from pixels, two pixels at a time; the last block
 * replaces missing ones. */
static void
gather (const Rows rows, int block, int n, Blocks blocks)
{
  uint32_t pairs[32][N] __attribute__ ((aligned (4 * N)));

  for (int k = 0; k < N; k++) {
    const int x = STEP * (block + bdct_min (k, n - 1));

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

static void
work_on_run (const BdctMetricPlane * plane, const Weights * weights, int row,
    int column, int n, Scratch * s)
{
  Squares *to = get_squares (plane, row) + column / N;

  for (int i = 0; i < 8; i++) {
    const int y = STEP * row + i, x = STEP * column, width = STEP * n + 1;

    bdct_metric_read (plane, &plane->src, y, x, width, s->src[i]);
    bdct_metric_read (plane, &plane->rec, y, x, width, s->rec[i]);
  }
  for (int i = 0; i < n; i += N) {
    gather (s->src, i, bdct_min (n - i, N), s->a);
    gather (s->rec, i, bdct_min (n - i, N), s->b);
    compare (s->a, s->b, weights, *to++);
  }
}

static void
work_on_strip (const BdctMetricPlane * plane, int piece, Scratch * s)
{
  Weights weights;

  for (int i = 0; i < 64; i++)
    set_weight (&weights, plane->component, i);
  for (int y = piece * STRIP; y < bdct_min (piece * STRIP + STRIP,
          count_rows (plane)); y++)
    for (int x = 0; x < count_columns (plane); x += RUN)
      work_on_run (plane, &weights, y, x, bdct_min (count_columns (plane) - x,
              RUN), s);
}

/* The largest power of two that a number above 0 reaches. */
static float
get_power (float v)
{
  uint32_t bits;

  memcpy (&bits, &v, sizeof bits);
  bits &= 0x7f800000;
  memcpy (&v, &bits, sizeof v);
  return v;
}

/* Add the 64 numbers of n blocks, none below 0, in single precision, one after
 * the other. As long as the sum does not reach the next power of two, its last
 * place has the same value, and adding a number is the same as adding it
 * rounded to that place: numbers can be rounded first and added in any order.
 * The exception is a number halfway between two multiples, whose rounding
 * depends on the sum being even. In that case, and where the power is reached,
 * the numbers are added one by one. */
static float
add_blocks (float sum, const Squares squares, int n)
{
  const float power = get_power (sum);
  Floats total = { 0 };
  Ints halfway = { 0 };

  for (int i = 0; i < 64; i++) {
    const Floats rounded = (power + squares[i]) - power;
    const Floats rest = squares[i] - rounded;

    halfway |= (rest == power * 0x1p-24f) | (rest == -power * 0x1p-24f);
    total += rounded;
  }
  for (int k = 0; k < n; k++) {
    if (!halfway[k] && sum > 0x1p-64f && sum + total[k] < 2 * power)
      sum += total[k];
    else
      for (int i = 0; i < 64; i++)
        sum += squares[i][k];
    /* The later numbers were rounded to another place. */
    if (sum >= 2 * power)
      for (k++; k < n; k++)
        for (int i = 0; i < 64; i++)
          sum += squares[i][k];
  }
  return sum;
}

static void
work (const BdctMetricPlane * plane, int stage, int piece, void *scratch)
{
  const int columns = count_columns (plane), rows = count_rows (plane);
  const int peak = (1 << plane->depth) - 1;
  float sum = 0;

  if (stage == 0) {
    work_on_strip (plane, piece, scratch);
    return;
  }
  for (int y = 0; y < rows; y++) {
    const Squares *squares = get_squares (plane, y);

    for (int x = 0; x < columns; x += N)
      sum = add_blocks (sum, squares[x / N], bdct_min (columns - x, N));
  }
  sum /= (float) (64 * columns * rows);
  *(float *) plane->memory = sum / (float) (peak * peak);
}

static void
map (const BdctMetricPlane * plane, int row, uint32_t * to, void *scratch)
{
  const int columns = bdct_metric_map (BDCT_METRIC_PSNR_HVS, plane->width,
      plane->height).columns;
  const int y = bdct_min (8 * row, plane->height - 8);
  Scratch *s = scratch;
  Weights weights;

  for (int i = 0; i < 64; i++)
    set_weight (&weights, plane->component, i);
  for (int x = 0; x < columns; x += N) {
    Floats sum = { 0 };

    for (int k = 0; k < N; k++)
      for (int i = 0; i < 8; i++) {
        const int left = bdct_min (8 * (x + k), plane->width - 8);
        uint16_t samples[2][8];

        bdct_metric_read (plane, &plane->src, y + i, left, 8, samples[0]);
        bdct_metric_read (plane, &plane->rec, y + i, left, 8, samples[1]);
        for (int j = 0; j < 8; j++) {
          s->a[8 * i + j][k] = samples[0][j];
          s->b[8 * i + j][k] = samples[1][j];
        }
      }
    compare (s->a, s->b, &weights, s->squares);
    for (int i = 0; i < 64; i++)
      sum += s->squares[i];
    for (int k = 0; k < bdct_min (columns - x, N); k++)
      to[x + k] = bdct_psnr_hvs_map (sum[k]);
  }
}

const BdctMetricKernel BDCT_METRIC_NAME (psnr_hvs) = {
  .memory = memory,
  .count = count,
  .work = work,
  .map = map,
};
