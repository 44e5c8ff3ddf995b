/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XPSNR as ffmpeg's xpsnr filter has it (vf_xpsnr.c of release 7.1): squared
 * errors of blocks, weighted by how little goes on in the original's luma
 * there, in space and since the frame before, or at 32 frames a second and more
 * the two before. Blocks are as large as the picture is; of one above 2048 x
 * 1152 samples activity is that of 2 x 2 samples.
 *
 * Helmrich, Bosse, Schwarz, Marpe, Wiegand: A Study of the Extended
 * Perceptually Weighted Peak Signal-to-Noise Ratio (XPSNR) for Video
 * Compression With Different Resolutions and Bit Depths, ITU Journal 3(1),
 * 2020. */
#include "metric-read.h"

#include <math.h>
#include <stdlib.h>

/* Samples of a row that are read at a time: the largest block's, or those of
 * some blocks. */
#define RUN 4096

/* Movement counts twice. */
#define GAMMA 2

/* Of a block. */
typedef struct {
  uint64_t error;
  double weight;                /* luma's */
} Block;

/* A block's place. */
typedef struct {
  int x, y, width, height;
} Place;

static int
min (int a, int b)
{
  return a < b ? a : b;
}

/* The picture's size to that of UHD, and luma's blocks, which may be smaller
 * than any: nothing is weighted then. */
static double
get_ratio (const BdctMetricPlane * plane)
{
  return (double) plane->luma_width * plane->luma_height / (3840.0 * 2160.0);
}

static int
get_side (const BdctMetricPlane * plane)
{
  return 4 * (int) (32.0 * sqrt (get_ratio (plane)) + 0.5);
}

static int
is_large (const BdctMetricPlane * plane)
{
  return (int64_t) plane->luma_width * plane->luma_height > 2048 * 1152;
}

/* A component's blocks are where luma's are. */
static void
get_sides (const BdctMetricPlane * plane, int *width, int *height)
{
  const int64_t side = get_side (plane);

  *width = side * plane->width / plane->luma_width;
  *height = side * plane->height / plane->luma_height;
  if (side < 4)
    *width = *height = 64;
}

static int
count_columns (const BdctMetricPlane * plane)
{
  int width, height;

  get_sides (plane, &width, &height);
  return (plane->width + width - 1) / width;
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  int width, height;

  (void) stage;
  get_sides (plane, &width, &height);
  return (plane->height + height - 1) / height;
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return (size_t) count (plane, 0) * count_columns (plane) * sizeof (Block);
}

/* The squared errors of n samples. */
static uint64_t
square (const uint16_t * restrict a, const uint16_t * restrict b, int n)
{
  uint64_t sum = 0;

  for (; n > 0; n -= 128, a += 128, b += 128) {
    const int here = min (n, 128);
    uint32_t part = 0;          /* 128 of 24 bits are less than 2^32 */

    for (int i = 0; i < here; i++)
      part += (int16_t) (a[i] - b[i]) * (int16_t) (a[i] - b[i]);
    sum += part;
  }
  return sum;
}

/* The errors of a row of blocks. */
static void
add_errors (const BdctMetricPlane * plane, int y0, int width, int height,
    Block * block)
{
  const int run = RUN / width * width;
  uint16_t src[RUN], rec[RUN];

  for (int x = 0; x < plane->width; x += run, block += run / width) {
    const int n = min (plane->width - x, run);

    for (int y = y0; y < min (y0 + height, plane->height); y++) {
      bdct_metric_read (plane, &plane->src, y, x, n, src);
      bdct_metric_read (plane, &plane->rec, y, x, n, rec);
      for (int i = 0; i < n; i += width)
        block[i / width].error += square (src + i, rec + i,
            min (width, n - i));
    }
  }
}

/* What passes the high pass of 3 x 3, of n samples of a row: of the largest
 * block, which has 2916, it is less than 2^32. */
static uint32_t
add_contrast (const uint16_t * restrict row, int stride, int n)
{
  const uint16_t *up = row - stride, *down = row + stride;
  uint32_t sum = 0;

  for (int i = 0; i < n; i++) {
    const int v = 12 * row[i] - 2 * (row[i - 1] + row[i + 1] + up[i] + down[i])
        - (up[i - 1] + up[i + 1] + down[i - 1] + down[i + 1]);

    sum += abs (v);
  }
  return sum;
}

/* What passes that of 6 x 6 without corners, of 2 x 2 samples in two rows. */
static uint32_t
add_contrast_large (const uint16_t * restrict row, int stride, int n)
{
  const uint16_t *r[6];
  uint32_t sum = 0;

  for (int k = 0; k < 6; k++)
    r[k] = row + (k - 2) * stride;
  for (int i = 0; i < n; i += 2) {
    const int inner = r[2][i] + r[2][i + 1] + r[3][i] + r[3][i + 1];
    const int beside = r[1][i] + r[1][i + 1] + r[4][i] + r[4][i + 1]
        + r[2][i - 1] + r[2][i + 2] + r[3][i - 1] + r[3][i + 2];
    const int corners = r[1][i - 1] + r[1][i + 2] + r[4][i - 1] + r[4][i + 2];
    const int outer = r[0][i - 1] + r[0][i] + r[0][i + 1] + r[0][i + 2]
        + r[5][i - 1] + r[5][i] + r[5][i + 1] + r[5][i + 2]
        + r[1][i - 2] + r[2][i - 2] + r[3][i - 2] + r[4][i - 2]
        + r[1][i + 3] + r[2][i + 3] + r[3][i + 3] + r[4][i + 3];

    sum += abs (12 * inner - 3 * beside - 2 * corners - outer);
  }
  return sum;
}

/* What is inside the picture of a block: the filter reaches that far. */
static Place
get_inner (const BdctMetricPlane * plane, const Place * at)
{
  const int reach = 1 + is_large (plane);
  Place inner = *at;

  if (at->x == 0)
    inner.x += reach, inner.width -= reach;
  if (at->y == 0)
    inner.y += reach, inner.height -= reach;
  if (at->x + at->width >= plane->width)
    inner.width -= reach;
  if (at->y + at->height >= plane->height)
    inner.height -= reach;
  return inner;
}

static uint64_t
get_contrast (const BdctMetricPlane * plane, const Place * inner)
{
  const int stride = plane->width, large = is_large (plane);
  uint64_t sum = 0;

  for (int y = inner->y; y < inner->y + inner->height; y += 1 + large) {
    const uint16_t *row = plane->luma[0] + (int64_t) y * stride + inner->x;

    sum += large ? add_contrast_large (row, stride, inner->width)
        : add_contrast (row, stride, inner->width);
  }
  return sum;
}

/* Some frames at one place: the change from one to the next, or of it. */
static inline __attribute__ ((always_inline)) int
get_change (const uint16_t * const f[3], int i, int frames)
{
  return frames == 1 ? f[0][i] : frames == 2 ? f[0][i] - f[1][i]
      : frames == 3 ? f[0][i] - 2 * f[1][i] + f[2][i]
      : f[0][i] - 2 * f[1][i];
}

static inline __attribute__ ((always_inline)) uint32_t
add_changes (const uint16_t * const f[3], int stride, int n, int frames,
    int large)
{
  uint32_t sum = 0;

  if (large)
    for (int i = 0; i < n; i += 2)
      sum += abs (get_change (f, i, frames) + get_change (f, i + 1, frames)
          + get_change (f, i + stride, frames)
          + get_change (f, i + stride + 1, frames));
  else
    for (int i = 0; i < n; i++)
      sum += abs (get_change (f, i, frames));
  return sum;
}

/* The second difference takes frames that are not there as 0. */
static uint32_t
add_movement (const uint16_t * const f[3], int stride, int n, int second,
    int large)
{
  const int frames = f[1] == NULL ? 1 : !second ? 2 : f[2] != NULL ? 3 : 4;

#define ADD(frames) \
  (large ? add_changes (f, stride, n, frames, 1) \
      : add_changes (f, stride, n, frames, 0))
  return frames == 1 ? ADD (1) : frames == 2 ? ADD (2) : frames == 3 ? ADD (3)
      : ADD (4);
#undef ADD
}

static uint64_t
get_movement (const BdctMetricPlane * plane, const Place * at)
{
  const int second = plane->frame_rate >= 32, large = is_large (plane);
  uint64_t sum = 0;

  for (int y = at->y; y < at->y + at->height; y += 1 + large) {
    const int64_t offset = (int64_t) y * plane->width + at->x;
    const uint16_t *f[3];

    for (int k = 0; k < 3; k++)
      f[k] = plane->luma[k] != NULL ? plane->luma[k] + offset : NULL;
    sum += add_movement (f, plane->width, at->width, second, large);
  }
  return GAMMA * sum;
}

static double
get_weight (const BdctMetricPlane * plane, const Place * at)
{
  const Place inner = get_inner (plane, at);
  const double least = 1 << (plane->depth - 6);
  double activity;

  if (inner.width <= 0 || inner.height <= 0)
    return 1;
  /* That of a large picture's narrow block is lost there. */
  activity = is_large (plane) && inner.x + inner.width - at->x <= 12 ? 0
      : (double) get_contrast (plane, &inner)
      / ((double) inner.width * inner.height);
  activity += (double) get_movement (plane, at)
      / ((double) at->width * at->height);
  if (activity < least)
    activity = least;
  return 1.0 / sqrt (activity * activity);
}

/* A row of blocks. */
static void
work (const BdctMetricPlane * plane, int stage, int piece)
{
  Block *block = (Block *) plane->memory + (size_t) piece
      * count_columns (plane);
  int width, height;

  (void) stage;
  get_sides (plane, &width, &height);
  for (int x = 0, i = 0; x < plane->width; x += width, i++) {
    const Place at = { x, piece * height, min (width, plane->width - x),
      min (height, plane->height - piece * height)
    };

    block[i].error = 0;
    block[i].weight = plane->component == BDCT_Y && get_side (plane) >= 4
        ? get_weight (plane, &at) : 1;
  }
  add_errors (plane, piece * height, width, height, block);
}

/* Of small pictures no block weighs more than its heaviest neighbour that the
 * filter compares it with. */
static void
smooth (Block * block, int columns, int rows)
{
  for (int y = 0, i = 0; y < rows; y++)
    for (int x = 0; x < columns; x++, i++) {
      double most;

      if (x == 0)
        most = i > 1 ? block[i - 2].weight : 0;
      else
        most = x > 1 ? fmax (block[i - 2].weight, block[i].weight)
            : block[i].weight;
      if (i > columns)
        most = fmax (most, block[i - 1 - columns].weight);
      if (i > 0 && block[i - 1].weight > most)
        block[i - 1].weight = most;
      if (x == columns - 1 && y == rows - 1 && i > columns) {
        most = fmax (block[i - 1].weight, block[i - columns].weight);
        if (block[i].weight > most)
          block[i].weight = most;
      }
    }
}

static void
finish (const BdctMetricPlane * planes, int n_planes,
    double value[BDCT_MAX_COMPONENTS + 1])
{
  const BdctMetricPlane *luma = &planes[BDCT_Y];
  const int n_weights = count (luma, 0) * count_columns (luma);
  const double average = sqrt (16.0 * (1 << (2 * luma->depth - 9))
      / sqrt (fmax (0.00001, get_ratio (luma))));
  const int weighted = get_side (luma) >= 4;
  Block *weights = luma->memory;

  if (weighted && (int64_t) luma->width * luma->height <= 640 * 480)
    smooth (weights, count_columns (luma), count (luma, 0));
  for (int c = 0; c < n_planes; c++) {
    const BdctMetricPlane *plane = &planes[c];
    const int n = count (plane, 0) * count_columns (plane);
    const Block *block = plane->memory;
    double sum = 0;

    for (int i = 0; i < n; i++)
      sum += block[i].error * weights[min (i, n_weights - 1)].weight;
    value[c] = sqrt ((double) (uint64_t) (weighted ? sum * average + 0.5
            : sum));
  }
}

const BdctMetricKernel BDCT_METRIC_NAME (xpsnr) = {
  .memory = memory,
  .count = count,
  .work = work,
  .finish = finish,
};
