/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-B adds the reconstruction's blocking effect factor to the mean squared
 * error. The factor is the mean squared difference of neighbours across block
 * borders less that of other neighbours, where it is larger, times log2 (B) /
 * log2 (the picture's shorter side) for blocks of B x B. For blocks that are
 * not square B is the square root of their number of samples.
 *
 * Yim, Bovik: Quality Assessment of Deblocked Images, IEEE Transactions on
 * Image Processing 20(1), 2011. They count W H / B - 1 pairs of samples on
 * borders in each direction, regardless of the real number; sewar (full_ref.py
 * of release 0.4.10) does so too, and so does this file. */
#include "dct/base/min.h"
#include "dct/metrics/psnr-b.h"
#include "cpu/read.h"
#include "kernel.h"

#define STRIP BDCT_PSNR_B_STRIP

/* The columns of a run, in which a row is processed; even. */
#define RUN 512

static size_t
memory (const BdctMetricPlane * plane)
{
  return bdct_psnr_b_strips (plane) * sizeof (BdctPsnrBSums);
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  (void) stage;
  return bdct_psnr_b_strips (plane);
}

/* The squared differences of two rows, of up to RUN samples. */
static uint64_t
square (const uint16_t * restrict a, const uint16_t * restrict b, int n)
{
  uint64_t sum = 0;

  for (int x = 0; x < n; x += 64) {
    uint32_t part = 0;          /* 64 squares of 24 bits are below 2^32 */

    for (int i = x; i < bdct_min (x + 64, n); i++)
      part += (int16_t) (a[i] - b[i]) * (int16_t) (a[i] - b[i]);
    sum += part;
  }
  return sum;
}

/* The squared differences of neighbours in a row across block borders; the row
 * begins at column x. */
static uint64_t
square_borders (const uint16_t * row, int x, int n, int log2_block)
{
  const int side = 1 << log2_block;
  uint64_t sum = 0;

  for (int i = side - 1 - (x & (side - 1)); i < n; i += side)
    sum += (int64_t) (row[i + 1] - row[i]) * (row[i + 1] - row[i]);
  return sum;
}

static void
work_on_row (const BdctMetricPlane * plane, int x, int n, int y,
    BdctPsnrBSums * sums)
{
  const int side = 1 << plane->log2_block[1];
  const int pairs = bdct_min (plane->width - 1 - x, n);
  uint16_t src[RUN], rec[RUN + 1], next[RUN];
  uint64_t borders, all;

  bdct_metric_read (plane, &plane->src, y, x, n, src);
  bdct_metric_read (plane, &plane->rec, y, x,
      bdct_min (plane->width - x, n + 1), rec);
  sums->error += square (src, rec, n);
  all = square (rec, rec + 1, pairs);
  borders = square_borders (rec, x, pairs, plane->log2_block[0]);
  if (y + 1 < plane->height) {
    uint64_t down;

    bdct_metric_read (plane, &plane->rec, y + 1, x, n, next);
    down = square (rec, next, n);
    all += down;
    if ((y + 1) % side == 0)
      borders += down;
  }
  sums->border += borders;
  sums->inside += all - borders;
}

static void
work (const BdctMetricPlane * plane, int stage, int piece, void *scratch)
{
  const int first = piece * STRIP;
  BdctPsnrBSums *sums = (BdctPsnrBSums *) plane->memory + piece;

  (void) stage, (void) scratch;
  *sums = (BdctPsnrBSums) { 0 };
  for (int x = 0; x < plane->width; x += RUN)
    for (int y = first; y < bdct_min (first + STRIP, plane->height); y++)
      work_on_row (plane, x, bdct_min (plane->width - x, RUN), y, sums);
}

const BdctMetricKernel BDCT_METRIC_NAME (psnr_b) = {
  .memory = memory,
  .count = count,
  .work = work,
};
