/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SSIM as ffmpeg's ssim filter computes it (vf_ssim.c of release 5.1): windows
 * of 8 x 8 samples, 4 apart, with equal weights. Windows share the sums of
 * blocks of 4 x 4. A window's SSIM is computed in single precision from exact
 * sums. At 8 bits the filter adds them all in double precision; this file adds
 * them in units of 2^-30, in which values above 2^-7 are exact and others
 * correct to 10^-9. At more bits the filter adds a row's in single precision,
 * from left to right, and so does this file.
 *
 * Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment: From Error
 * Visibility to Structural Similarity, IEEE Transactions on Image Processing
 * 13(4), 2004. */
#include "dct/base/min.h"
#include "dct/metrics/ssim.h"
#include "cpu/read.h"
#include "kernel.h"

#include <string.h>
#include "cpu/simd/simd.h"

/* The blocks of a run, in which a row is processed: one more than windows. They
 * fill whole vectors. STRIP is the rows of windows in a strip. */
#define BLOCKS 512
#define RUN (BLOCKS - 1)
#define STRIP 16

/* The sums of each block of a row. */
typedef struct {
  int32_t src[BLOCKS], rec[BLOCKS], errors[BLOCKS], products[BLOCKS];
} __attribute__ ((aligned (64))) Sums;

/* Four rows of both pictures, in 16 bits. */
typedef struct {
  uint16_t src[4][4 * BLOCKS], rec[4][4 * BLOCKS];
} __attribute__ ((aligned (64))) Rows;

/* Of a piece: the sums of two rows of blocks, the samples of one of them, and a
 * row's windows. */
typedef struct {
  Sums sums[2];
  Rows rows;
  float window[RUN];
} Scratch;

BDCT_SCRATCH_HOLDS (Scratch);

#ifdef LANES
/* The blocks of a vector of bytes. */
#define AT_ONCE (4 * LANES)

/* Read the samples of that many blocks as 16 bits. Bytes are split between both
 * vectors within each lane, as the sums of pairs need them; words are split
 * only after summing. */
BDCT_FORCE_INLINE void
load_samples (V v[2], const uint8_t * row, int i, int bytes)
{
  if (bytes == 1) {
    const V all = load (row + 4 * i);

    v[0] = low8 (all, zero ());
    v[1] = high8 (all, zero ());
  } else {
    v[0] = load (row + 8 * i);
    v[1] = load (row + 8 * i + sizeof (V));
  }
}

/* Store the sums of two vectors' neighbouring pairs, four samples each. */
BDCT_FORCE_INLINE void
store_sums (int32_t * to, const V v[2], int bytes)
{
  V even = v[0], odd = v[1];

  if (bytes == 2)
    split (&even, &odd, v[0], v[1]);
  store (to, pairsum32 (even, odd));
}

BDCT_FORCE_INLINE void
add_vectors (const uint8_t * const src[4], const uint8_t * const rec[4], int n,
    int bytes, int to, Sums * sums)
{
  for (int i = 0; i < n; i += AT_ONCE) {
    V a[2], b[2], errors[2], products[2];

    for (int k = 0; k < 2; k++)
      a[k] = b[k] = errors[k] = products[k] = zero ();
    for (int y = 0; y < 4; y++) {
      V s[2], r[2];

      /* Prefetch the four rows below: a frame is in no nearby cache, and with
       * so many rows at a time the processor does not predict the next ones. */
      if (bytes == 1) {
        __builtin_prefetch (src[y] + 4 * i + 4 * (src[1] - src[0]));
        __builtin_prefetch (rec[y] + 4 * i + 4 * (rec[1] - rec[0]));
      }
      load_samples (s, src[y], i, bytes);
      load_samples (r, rec[y], i, bytes);
      for (int k = 0; k < 2; k++) {
        const V error = sub16 (s[k], r[k]);

        a[k] = add16 (a[k], s[k]);
        b[k] = add16 (b[k], r[k]);
        errors[k] = add32 (errors[k], madd16 (error, error));
        products[k] = add32 (products[k], madd16 (s[k], r[k]));
      }
    }
    for (int k = 0; k < 2; k++) {
      a[k] = madd16 (a[k], set16 (1));
      b[k] = madd16 (b[k], set16 (1));
    }
    store_sums (sums->src + to + i, a, bytes);
    store_sums (sums->rec + to + i, b, bytes);
    store_sums (sums->errors + to + i, errors, bytes);
    store_sums (sums->products + to + i, products, bytes);
  }
}

/* Add up blocks from `to` on. */
static void
add_blocks (const Rows * rows, int n, int to, Sums * sums)
{
  const uint8_t *src[4], *rec[4];

  for (int y = 0; y < 4; y++) {
    src[y] = (const uint8_t *) rows->src[y];
    rec[y] = (const uint8_t *) rows->rec[y];
  }
  add_vectors (src, rec, n, 2, to, sums);
}

/* Where samples are adjacent bytes, add up whole vectors of the blocks without
 * a copy. Returns their number. */
static int
add_whole_vectors (const BdctMetricPlane * plane, int row, int x, int n,
    Sums * sums)
{
  const uint8_t *src[4], *rec[4];

  if (plane->depth > 8 || plane->step > 1)
    return 0;
  for (int y = 0; y < 4; y++) {
    src[y] = plane->src.data + (4 * row + y) * plane->src.stride + 4 * x;
    rec[y] = plane->rec.data + (4 * row + y) * plane->rec.stride + 4 * x;
  }
  n = n / AT_ONCE * AT_ONCE;
  add_vectors (src, rec, n, 1, 0, sums);
  return n;
}
#else
static void
add_blocks (const Rows * rows, int n, int to, Sums * sums)
{
  for (int i = 0; i < n; i++) {
    int32_t a = 0, b = 0, errors = 0, products = 0;

    for (int y = 0; y < 4; y++)
      for (int x = 4 * i; x < 4 * i + 4; x++) {
        const int s = rows->src[y][x], r = rows->rec[y][x];

        a += s;
        b += r;
        errors += (s - r) * (s - r);
        products += s * r;
      }
    sums->src[to + i] = a;
    sums->rec[to + i] = b;
    sums->errors[to + i] = errors;
    sums->products[to + i] = products;
  }
}

#define add_whole_vectors(plane, row, x, n, sums) 0
#endif

/* The sum of a window's four blocks. */
#define WINDOW(field, i) \
  (above->field[i] + above->field[i + 1] + below->field[i] \
      + below->field[i + 1])

/* A row's windows at 8 bits, in units of 2^-30. */
static int64_t
add_windows_8 (const Sums * above, const Sums * below, int n)
{
  int64_t sum = 0;

  for (int i = 0; i < n; i++) {
    const int32_t products = WINDOW (products, i);

    sum += bdct_ssim_window_8 (WINDOW (src, i), WINDOW (rec, i),
        WINDOW (errors, i) + 2 * products, products);
  }
  return sum;
}

/* A row's windows at more bits, which go to `of`. */
static float
add_windows_16 (const Sums * above, const Sums * below, int n, int peak,
    float sum, float *restrict of)
{
  for (int i = 0; i < n; i++) {
    const int32_t products = WINDOW (products, i);

    of[i] = bdct_ssim_window_16 (WINDOW (src, i), WINDOW (rec, i),
        WINDOW (errors, i) + 2.0 * products, products, peak);
  }
  for (int i = 0; i < n; i++)
    sum += of[i];
  return sum;
}

/* The sums of n blocks of a row, from block x on. */
static void
add_row (const BdctMetricPlane * plane, int row, int x, int n, Rows * rows,
    Sums * sums)
{
  const int first = add_whole_vectors (plane, row, x, n, sums);

  x += first;
  n -= first;
  for (int y = 0; y < 4 && n > 0; y++) {
    bdct_metric_read (plane, &plane->src, 4 * row + y, 4 * x, 4 * n,
        rows->src[y]);
    bdct_metric_read (plane, &plane->rec, 4 * row + y, 4 * x, 4 * n,
        rows->rec[y]);
  }
  add_blocks (rows, n, first, sums);
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return bdct_ssim_rows (plane) * sizeof (double);
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  return (bdct_ssim_rows (plane) + STRIP - 1) / STRIP;
}

/* Compute a strip; its rows' sums go to the plane's memory. */
static void
work (const BdctMetricPlane * plane, int stage, int piece, void *scratch)
{
  const int first = piece * STRIP;
  const int n_rows = bdct_min (bdct_ssim_rows (plane) - first, STRIP);
  double *of_row = (double *) plane->memory + first;
  int64_t whole[STRIP] = { 0 };
  float real[STRIP] = { 0 };
  Scratch *s = scratch;

  memset (&s->rows, 0, sizeof s->rows);
  for (int x = 0; x < bdct_ssim_columns (plane); x += RUN) {
    const int n = bdct_min (bdct_ssim_columns (plane) - x, RUN);

    for (int y = 0; y <= n_rows; y++) {
      const Sums *above = &s->sums[(y + 1) & 1], *below = &s->sums[y & 1];

      add_row (plane, first + y, x, n + 1, &s->rows, &s->sums[y & 1]);
      if (y > 0 && plane->depth == 8)
        whole[y - 1] += add_windows_8 (above, below, n);
      else if (y > 0)
        real[y - 1] = add_windows_16 (above, below, n, (1 << plane->depth) - 1,
            real[y - 1], s->window);
    }
  }
  for (int y = 0; y < n_rows; y++)
    of_row[y] = plane->depth == 8 ? whole[y] * 0x1p-30 : real[y];
}

static void
map (const BdctMetricPlane * plane, int row, uint32_t * to, void *scratch)
{
  const int peak = (1 << plane->depth) - 1;
  Scratch *s = scratch;
  Sums *above = &s->sums[0], *below = &s->sums[1];

  memset (&s->rows, 0, sizeof s->rows);
  for (int x = 0; x < bdct_ssim_columns (plane); x += RUN) {
    const int n = bdct_min (bdct_ssim_columns (plane) - x, RUN);

    add_row (plane, row, x, n + 1, &s->rows, above);
    add_row (plane, row + 1, x, n + 1, &s->rows, below);
    for (int i = 0; i < n; i++) {
      const int32_t a = WINDOW (src, i), b = WINDOW (rec, i);
      const int32_t products = WINDOW (products, i);
      const double squares = WINDOW (errors, i) + 2.0 * products;

      to[x + i] = bdct_ssim_map (plane->depth == 8
          ? bdct_ssim_window_8 (a, b, (int32_t) squares, products)
          : (int32_t) (bdct_ssim_window_16 (a, b, squares, products, peak)
              * 0x1p30f));
    }
  }
}

const BdctMetricKernel BDCT_METRIC_NAME (ssim) = {
  .memory = memory,
  .count = count,
  .work = work,
  .map = map,
};
