/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparison of pictures, row by row. Built once for each instruction set.
 * Compilers vectorize each inner loop, which is then as fast as memory. */
#include "compare-rows.h"

#include "cpu/read.h"
#include "dct/base/min.h"

/* The columns of a run, in which rows of 16-bit values are processed. */
#define RUN 512

/* A little-endian word at any address. */
typedef uint16_t Word __attribute__ ((aligned (1), may_alias));

/* Bytes are processed in pairs: no vector needs widening, and of two
 * interleaved components each is in its own half. The sum of 65535 squares of
 * 255 is below 2^32. */
static void
square_bytes (const uint8_t * a, const uint8_t * b, int n, uint64_t sse[2])
{
  const Word *v = (const Word *) a, *w = (const Word *) b;
  uint32_t low = 0, high = 0;

  for (int i = 0; i < n; i++) {
    const int16_t d = (v[i] & 255) - (w[i] & 255);
    const int16_t e = (v[i] >> 8) - (w[i] >> 8);

    low += d * d;
    high += e * e;
  }
  sse[0] += low;
  sse[1] += high;
}

/* Words, of one component or of two that are interleaved, in parts whose sums
 * of squares are below 2^32. */
BDCT_FORCE_INLINE void
square_words (const uint8_t * a, const uint8_t * b, int n, int depth,
    int shift, uint64_t sse[2], int step)
{
  const int peak = (1 << depth) - 1, run = 1 << (32 - 2 * depth);

  for (int x = 0; x < n; x += run) {
    uint32_t sum[2] = { 0 };

    for (int i = x; i < bdct_min (x + run, n); i++)
      for (int k = 0; k < step; k++) {
        const int16_t d = bdct_sample_get (a, step * i + k, 2, shift, peak)
            - bdct_sample_get (b, step * i + k, 2, shift, peak);

        sum[k] += d * d;
      }
    sse[0] += sum[0];
    sse[1] += sum[1];
  }
}

static void
square (const BdctPlaneLayout * plane, int depth, const uint8_t * a,
    const uint8_t * b, uint64_t sse[2])
{
  const int n = plane->width;

  if (depth > 8 && plane->interleave == 2) {
    square_words (a, b, n, depth, plane->shift, sse, 2);
  } else if (depth > 8) {
    square_words (a, b, n, depth, plane->shift, sse, 1);
  } else if (plane->interleave == 2) {
    square_bytes (a, b, n, sse);
  } else {
    uint64_t half[2] = { 0 };
    const int last = n % 2 ? a[n - 1] - b[n - 1] : 0;

    square_bytes (a, b, n / 2, half);
    sse[0] += half[0] + half[1] + last * last;
  }
}

/* `n` samples of R, G or B. `step`, the bytes from one to the next, is a
 * compile-time constant. */
static inline __attribute__ ((always_inline)) uint32_t
square_steps (const uint8_t * a, const uint8_t * b, int n, int step)
{
  uint32_t sum = 0;

  for (int i = 0; i < n; i++) {
    const int16_t d = a[i * step] - b[i * step];

    sum += d * d;
  }
  return sum;
}

static void
square_rgb (const BdctLayout * layout, const BdctImage * a,
    const BdctImage * b, int y, uint64_t sse[3])
{
  const BdctRgb *rgb = &layout->rgb;
  const int n = layout->plane[0].width;

  for (int k = 0; k < 3; k++) {
    const int p = rgb->plane[k];
    const uint8_t *v = (const uint8_t *) a->data[p] + y * a->stride[p]
        + rgb->offset[k];
    const uint8_t *w = (const uint8_t *) b->data[p] + y * b->stride[p]
        + rgb->offset[k];

    sse[k] += rgb->bytes == 4 ? square_steps (v, w, n, 4)
        : rgb->bytes == 3 ? square_steps (v, w, n, 3)
        : square_steps (v, w, n, 1);
  }
}

static void
blocks (const BdctMetricPlane * plane, int row, BdctBlockRecord * records)
{
  uint16_t a[RUN], b[RUN];

  for (int x = 0; x < plane->width; x += RUN) {
    const int n = bdct_min (plane->width - x, RUN);
    uint32_t sum[RUN / 8] = { 0 };

    for (int y = 8 * row; y < bdct_min (8 * row + 8, plane->height); y++) {
      bdct_metric_read (plane, &plane->src, y, x, n, a);
      bdct_metric_read (plane, &plane->rec, y, x, n, b);
      for (int i = 0; i < n; i++)
        sum[i / 8] += (a[i] - b[i]) * (a[i] - b[i]);
    }
    for (int i = 0; i < (n + 7) / 8; i++)
      records[x / 8 + i] = (BdctBlockRecord) {.sse = sum[i] };
  }
}

static void
pack (const BdctPlaneLayout * plane, const BdctMetricPlane from[2], int y,
    uint8_t * to)
{
  const int bytes = from->depth > 8 ? 2 : 1, step = plane->interleave;
  uint16_t v[2][RUN];

  for (int x = 0; x < plane->width; x += RUN) {
    const int n = bdct_min (plane->width - x, RUN);

    for (int i = 0; i < step; i++)
      bdct_metric_read (&from[i], &from[i].src, y, x, n, v[i]);
    if (bytes == 1 && step == 1)
      for (int k = 0; k < n; k++)
        bdct_sample_put (to, x + k, 1, 0, v[0][k]);
    else if (step == 1)
      for (int k = 0; k < n; k++)
        bdct_sample_put (to, x + k, 2, plane->shift, v[0][k]);
    else
      for (int k = 0; k < 2 * n; k++)
        bdct_sample_put (to, 2 * x + k, bytes, plane->shift, v[k % 2][k / 2]);
  }
}

const BdctCompareKernel BDCT_CONCAT (bdct_compare_, BDCT_ISA) = {
  .square = square,
  .square_rgb = square_rgb,
  .blocks = blocks,
  .pack = pack,
};
