/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XPSNR as ffmpeg's xpsnr filter computes it (vf_xpsnr.c of release 7.1):
 * squared errors of blocks, weighted by how little activity the original's luma
 * has there, in space and in time. The change in time is that from the previous
 * frame, or from 32 frames a second on from the previous two. The size of
 * blocks depends on the picture's. In pictures above 2048 x 1152 samples
 * activity is that of squares of 2 x 2 samples.
 *
 * Helmrich, Bosse, Schwarz, Marpe, Wiegand: A Study of the Extended
 * Perceptually Weighted Peak Signal-to-Noise Ratio (XPSNR) for Video
 * Compression With Different Resolutions and Bit Depths, ITU Journal 3(1),
 * 2020. */
#include "dct/base/min.h"
#include "dct/metrics/xpsnr.h"
#include "cpu/read.h"
#include "kernel.h"

#include <stdlib.h>

#include "cpu/simd/simd.h"

/* Columns processed at a time; even. */
#define RUN 1024

/* The sum of this many squared errors, of 24 bits each, is below 2^32. */
#define ROWS 128

/* Sums of columns, or of pairs of columns, in a row of blocks. They are below
 * 2^32 in the largest block, which has 2916 rows. */
typedef uint32_t Sums[RUN];

static int
count (const BdctMetricPlane * plane, int stage)
{
  return bdct_xpsnr_grid (plane).rows;
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return bdct_xpsnr_blocks (plane) * sizeof (BdctXpsnrBlock);
}

/* Add columns' sums to their blocks. */
static void
add_columns (BdctXpsnrBlock * block, int kind, const Sums sums, int x, int n,
    int width)
{
  for (int i = 0; i < n;) {
    const int k = (x + i) / width, end = bdct_min (n, (k + 1) * width - x);
    uint64_t sum = 0;

    for (; i < end; i++)
      sum += sums[i];
    block[k].sum[kind] += sum;
  }
}

static void
add_squares (const uint16_t * restrict a, const uint16_t * restrict b, int n,
    uint32_t * restrict sums)
{
  for (int i = 0; i < n; i++) {
    const int16_t error = a[i] - b[i];

    sums[i] += error * error;
  }
}

/* Add the errors of a row of blocks. */
static void
add_errors (const BdctMetricPlane * plane, int y0, int y1, int width,
    BdctXpsnrBlock * block)
{
  uint16_t src[RUN], rec[RUN];

  for (int x = 0; x < plane->width; x += RUN) {
    const int n = bdct_min (plane->width - x, RUN);

    for (int from = y0; from < y1; from += ROWS) {
      Sums sums = { 0 };

      for (int y = from; y < bdct_min (from + ROWS, y1); y++) {
        bdct_metric_read (plane, &plane->src, y, x, n, src);
        bdct_metric_read (plane, &plane->rec, y, x, n, rec);
        add_squares (src, rec, n, sums);
      }
      add_columns (block, BDCT_XPSNR_ERROR, sums, x, n, width);
    }
  }
}

/* Add the magnitude of the 3 x 3 high pass. Its positive and its negative terms
 * both fit 16 bits. */
static void
add_contrast (const uint16_t * restrict row, int stride, int n,
    uint32_t * restrict sums)
{
  const uint16_t *up = row - stride, *down = row + stride;

  for (int i = 0; i < n; i++) {
    const uint16_t here = 12 * row[i];
    const uint16_t around = 2 * (row[i - 1] + row[i + 1] + up[i] + down[i])
        + (up[i - 1] + up[i + 1] + down[i - 1] + down[i + 1]);
    const uint16_t most = here > around ? here : around;
    const uint16_t least = here > around ? around : here;

    sums[i] += (uint16_t) (most - least);
  }
}

#ifdef LANES
/* Weights of two neighbours, for madd16(). */
BDCT_FORCE_INLINE V
pair (int a, int b)
{
  return set32 ((int32_t) ((uint16_t) a | (uint32_t) b << 16));
}

/* A row of the filter below, or two equal rows: with the weights of the
 * previous pair of columns, of this pair and of the next one. */
BDCT_FORCE_INLINE V
filter_row (const uint16_t * row, const uint16_t * like, V before, V here,
    V behind)
{
  V sum = madd16 (add16 (load (row - 2), load (like - 2)), before);

  sum = add32 (sum, madd16 (add16 (load (row), load (like)), here));
  return add32 (sum, madd16 (add16 (load (row + 2), load (like + 2)), behind));
}

/* The same as below, for whole vectors. Returns the number of columns done. */
static int
add_contrast_pairs (const uint16_t * const r[6], int n, uint32_t * sums)
{
  int i = 0;

  for (; i + 8 * LANES <= n; i += 8 * LANES) {
    V sum = filter_row (r[2] + i, r[3] + i, pair (-1, -3), pair (12, 12),
        pair (-3, -1));

    sum = add32 (sum, filter_row (r[1] + i, r[4] + i, pair (-1, -2),
            pair (-3, -3), pair (-2, -1)));
    sum = add32 (sum, filter_row (r[0] + i, r[5] + i, pair (0, -1),
            pair (-1, -1), pair (-1, 0)));
    store (sums + i / 2, add32 (load (sums + i / 2), abs32 (sum)));
  }
  return i;
}

/* The changes of N samples, as in get_change(). */
BDCT_FORCE_INLINE V
get_changes (const uint16_t * const f[3], int i, int frames)
{
  const V now = load (f[0] + i);
  V twice;

  if (frames == 1)
    return now;
  if (frames == 2)
    return sub16 (now, load (f[1] + i));
  twice = add16 (load (f[1] + i), load (f[1] + i));
  return sub16 (frames == 3 ? add16 (now, load (f[2] + i)) : now, twice);
}

BDCT_FORCE_INLINE int
add_change_pairs (const uint16_t * const f[3], int stride, int n, int frames,
    uint32_t * sums)
{
  int i = 0;

  for (; i + 8 * LANES <= n; i += 8 * LANES) {
    const V rows = add16 (get_changes (f, i, frames),
        get_changes (f, i + stride, frames));

    store (sums + i / 2, add32 (load (sums + i / 2),
            abs32 (madd16 (rows, set16 (1)))));
  }
  return i;
}
#else
#define add_contrast_pairs(r, n, sums) 0
#define add_change_pairs(f, stride, n, frames, sums) 0
#endif

/* Add the magnitude of the 6 x 6 high pass without corners, for squares of 2 x
 * 2 samples in two rows. */
static void
add_contrast_large (const uint16_t * row, int stride, int n, uint32_t * sums)
{
  const uint16_t *r[6];

  for (int k = 0; k < 6; k++)
    r[k] = row + (k - 2) * stride;
  for (int i = add_contrast_pairs (r, n, sums); i < n; i += 2) {
    const int inner = r[2][i] + r[2][i + 1] + r[3][i] + r[3][i + 1];
    const int beside = r[1][i] + r[1][i + 1] + r[4][i] + r[4][i + 1]
        + r[2][i - 1] + r[2][i + 2] + r[3][i - 1] + r[3][i + 2];
    const int corners = r[1][i - 1] + r[1][i + 2] + r[4][i - 1] + r[4][i + 2];
    const int outer = r[0][i - 1] + r[0][i] + r[0][i + 1] + r[0][i + 2]
        + r[5][i - 1] + r[5][i] + r[5][i + 1] + r[5][i + 2]
        + r[1][i - 2] + r[2][i - 2] + r[3][i - 2] + r[4][i - 2]
        + r[1][i + 3] + r[2][i + 3] + r[3][i + 3] + r[4][i + 3];

    sums[i / 2] += abs (12 * inner - 3 * beside - 2 * corners - outer);
  }
}

/* A sample's change, by the kind in `frames` (bdct_xpsnr_frames()). */
static inline __attribute__ ((always_inline)) int16_t
get_change (const uint16_t * const f[3], int i, int frames)
{
  return frames == 1 ? f[0][i] : frames == 2 ? f[0][i] - f[1][i]
      : frames == 3 ? f[0][i] - 2 * f[1][i] + f[2][i]
      : f[0][i] - 2 * f[1][i];
}

static inline __attribute__ ((always_inline)) void
add_changes (const uint16_t * const f[3], int stride, int n, int frames,
    int large, uint32_t * restrict sums)
{
  if (large)
    for (int i = add_change_pairs (f, stride, n, frames, sums); i < n; i += 2)
      sums[i / 2] += abs (get_change (f, i, frames)
          + get_change (f, i + 1, frames) + get_change (f, i + stride, frames)
          + get_change (f, i + stride + 1, frames));
  else
    for (int i = 0; i < n; i++)
      sums[i] += abs (get_change (f, i, frames));
}

static void
add_movement (const uint16_t * const f[3], int stride, int n, int frames,
    int large, uint32_t * sums)
{
#define ADD(frames) \
  (large ? add_changes (f, stride, n, frames, 1, sums) \
      : add_changes (f, stride, n, frames, 0, sums))
  frames == 1 ? ADD (1) : frames == 2 ? ADD (2) : frames == 3 ? ADD (3)
      : ADD (4);
#undef ADD
}

/* Add the activity of a row of blocks. Contrast is limited to samples whose
 * filter stays inside the picture. */
static void
add_activity (const BdctMetricPlane * plane, int y0, int y1, int width,
    BdctXpsnrBlock * block)
{
  const int large =
      bdct_xpsnr_is_large (plane->luma_width, plane->luma_height);
  const int frames = bdct_xpsnr_frames (plane);
  const int step = 1 + large, reach = 1 + large, stride = plane->width;

  for (int x = 0; x < stride; x += RUN) {
    const int n = bdct_min (stride - x, RUN), from = x > reach ? x : reach;
    const int inner = bdct_min (x + n, stride - reach) - from;
    Sums contrast = { 0 }, movement = { 0 };

    for (int y = y0; y < y1; y += step) {
      const int64_t offset = (int64_t) y * stride;
      const uint16_t *f[3];

      for (int k = 0; k < 3; k++)
        f[k] = plane->luma[k] != NULL ? plane->luma[k] + offset + x : NULL;
      add_movement (f, stride, n, frames, large, movement);
      if (y < reach || y >= plane->height - reach)
        continue;
      if (large)
        add_contrast_large (plane->luma[0] + offset + from, stride, inner,
            contrast + (from - x) / 2);
      else
        add_contrast (plane->luma[0] + offset + from, stride, inner,
            contrast + from - x);
    }
    add_columns (block, BDCT_XPSNR_CONTRAST, contrast, x / step, n / step,
        width / step);
    add_columns (block, BDCT_XPSNR_MOVEMENT, movement, x / step, n / step,
        width / step);
  }
}

/* A row of blocks. */
static void
work (const BdctMetricPlane * plane, int stage, int piece, void *scratch)
{
  const BdctXpsnrGrid grid = bdct_xpsnr_grid (plane);
  const BdctXpsnrPlace row = bdct_xpsnr_place (plane, &grid, 0, piece);
  const int end = row.y + row.height;
  BdctXpsnrBlock *block
      = (BdctXpsnrBlock *) plane->memory + (size_t) piece * grid.columns;

  for (int i = 0; i < grid.columns; i++)
    block[i] = (BdctXpsnrBlock) {.weight = 1 };
  add_errors (plane, row.y, end, grid.width, block);
  if (plane->component != BDCT_Y || !grid.weighted)
    return;
  add_activity (plane, row.y, end, grid.width, block);
  for (int i = 0; i < grid.columns; i++) {
    const BdctXpsnrPlace at = bdct_xpsnr_place (plane, &grid, i, piece);

    block[i].weight = bdct_xpsnr_weight (plane, &at, block[i].sum);
  }
}

const BdctMetricKernel BDCT_METRIC_NAME (xpsnr) = {
  .memory = memory,
  .count = count,
  .work = work,
};
