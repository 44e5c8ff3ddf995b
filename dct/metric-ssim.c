/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SSIM as ffmpeg's ssim filter has it (vf_ssim.c of release 5.1): of windows of
 * 8 x 8 samples, 4 apart, each weighted alike. Windows share the sums of blocks
 * of 4 x 4. A window's number is computed in single precision, of sums that are
 * exact. At 8 bits all of them are added in double precision; here in units of
 * 2^-30, to which those above 2^-7 are exact, and the others to 10^-9. At more
 * bits the filter adds those of a row in single precision, from left to
 * right, and so does this.
 *
 * Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment: From Error
 * Visibility to Structural Similarity, IEEE Transactions on Image Processing
 * 13(4), 2004. */
#include "metric-read.h"
#include "metric-ssim.h"

#include "simd.h"

/* Windows of a run, in which a row is worked on; rows of windows in a strip. */
#define RUN 128
#define STRIP 16

/* Blocks of a run: one more than windows, and what fills up vectors. */
#define BLOCKS (RUN + 32)

/* Of each block of a row: samples, squares and products. */
typedef struct {
  int32_t src[BLOCKS], rec[BLOCKS], squares[BLOCKS], products[BLOCKS];
} __attribute__ ((aligned (64))) Sums;

/* Four rows of both pictures. */
typedef struct {
  uint16_t src[4][4 * BLOCKS], rec[4][4 * BLOCKS];
} __attribute__ ((aligned (64))) Rows;

static int
min (int a, int b)
{
  return a < b ? a : b;
}

#ifdef LANES
/* The four sums of pairs of two vectors that are neighbours. */
INLINE void
store_sums (int32_t * to, V x, V y)
{
  V even, odd;

  split (&even, &odd, x, y);
  store (to, pairsum32 (even, odd));
}

static void
add_blocks (const Rows * rows, int n, Sums * sums)
{
  const V ones = set16 (1);

  for (int i = 0; i < n; i += 4 * LANES) {
    V a[2], b[2], squares[2], products[2];

    for (int k = 0; k < 2; k++) {
      a[k] = b[k] = squares[k] = products[k] = zero ();
      for (int y = 0; y < 4; y++) {
        const V s = load (&rows->src[y][4 * i + 8 * LANES * k]);
        const V r = load (&rows->rec[y][4 * i + 8 * LANES * k]);

        a[k] = add16 (a[k], s);
        b[k] = add16 (b[k], r);
        squares[k] = add32 (squares[k], add32 (madd16 (s, s), madd16 (r, r)));
        products[k] = add32 (products[k], madd16 (s, r));
      }
    }
    store_sums (sums->src + i, madd16 (a[0], ones), madd16 (a[1], ones));
    store_sums (sums->rec + i, madd16 (b[0], ones), madd16 (b[1], ones));
    store_sums (sums->squares + i, squares[0], squares[1]);
    store_sums (sums->products + i, products[0], products[1]);
  }
}
#else
static void
add_blocks (const Rows * rows, int n, Sums * sums)
{
  for (int i = 0; i < n; i++) {
    int32_t a = 0, b = 0, squares = 0, products = 0;

    for (int y = 0; y < 4; y++)
      for (int x = 4 * i; x < 4 * i + 4; x++) {
        const int s = rows->src[y][x], r = rows->rec[y][x];

        a += s;
        b += r;
        squares += s * s + r * r;
        products += s * r;
      }
    sums->src[i] = a;
    sums->rec[i] = b;
    sums->squares[i] = squares;
    sums->products[i] = products;
  }
}
#endif

/* The sum of a window: of four blocks. */
#define WINDOW(field, i) \
  (above->field[i] + above->field[i + 1] + below->field[i] \
      + below->field[i + 1])

/* At 8 bits, in units of 2^-30. */
static int64_t
add_windows_8 (const Sums * above, const Sums * below, int n)
{
  int64_t sum = 0;

  for (int i = 0; i < n; i++)
    sum += bdct_ssim_window_8 (WINDOW (src, i), WINDOW (rec, i),
        WINDOW (squares, i), WINDOW (products, i));
  return sum;
}

/* At more. */
static float
add_windows_16 (const Sums * above, const Sums * below, int n, int peak,
    float sum)
{
  float of[RUN];

  for (int i = 0; i < n; i++)
    of[i] = bdct_ssim_window_16 (WINDOW (src, i), WINDOW (rec, i),
        WINDOW (squares, i), WINDOW (products, i), peak);
  for (int i = 0; i < n; i++)
    sum += of[i];
  return sum;
}

/* Rows of windows, and windows of a row. */
static int
count_rows (const BdctMetricPlane * plane)
{
  return (plane->height >> 2) - 1;
}

static int
count_columns (const BdctMetricPlane * plane)
{
  return (plane->width >> 2) - 1;
}

static void
read_blocks (const BdctMetricPlane * plane, int row, int x, int n, Rows * rows)
{
  for (int y = 0; y < 4; y++) {
    bdct_metric_read (plane, &plane->src, 4 * row + y, 4 * x, 4 * n,
        rows->src[y]);
    bdct_metric_read (plane, &plane->rec, 4 * row + y, 4 * x, 4 * n,
        rows->rec[y]);
  }
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return count_rows (plane) * sizeof (double);
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  (void) stage;
  return (count_rows (plane) + STRIP - 1) / STRIP;
}

/* A strip: its rows' sums go to the plane's memory. */
static void
work (const BdctMetricPlane * plane, int stage, int piece)
{
  const int first = piece * STRIP;
  const int n_rows = min (count_rows (plane) - first, STRIP);
  double *of_row = (double *) plane->memory + first;
  int64_t whole[STRIP] = { 0 };
  float real[STRIP] = { 0 };
  Sums sums[2];
  Rows rows = { 0 };

  (void) stage;
  for (int x = 0; x < count_columns (plane); x += RUN) {
    const int n = min (count_columns (plane) - x, RUN);

    for (int y = 0; y <= n_rows; y++) {
      const Sums *above = &sums[(y + 1) & 1], *below = &sums[y & 1];

      read_blocks (plane, first + y, x, n + 1, &rows);
      add_blocks (&rows, n + 1, &sums[y & 1]);
      if (y > 0 && plane->depth == 8)
        whole[y - 1] += add_windows_8 (above, below, n);
      else if (y > 0)
        real[y - 1] = add_windows_16 (above, below, n, (1 << plane->depth) - 1,
            real[y - 1]);
    }
  }
  for (int y = 0; y < n_rows; y++)
    of_row[y] = plane->depth == 8 ? whole[y] * 0x1p-30 : real[y];
}

static void
finish (const BdctMetricPlane * planes, int n_planes,
    double value[BDCT_MAX_COMPONENTS + 1])
{
  double samples = 0;

  for (int c = 0; c < n_planes; c++)
    samples += (double) planes[c].width * planes[c].height;
  for (int c = 0; c < n_planes; c++) {
    const BdctMetricPlane *plane = &planes[c];
    const double share = (double) plane->width * plane->height / samples;
    const double *of_row = plane->memory;
    double sum = 0;

    for (int y = 0; y < count_rows (plane); y++)
      sum += of_row[y];
    value[c] = sum / ((double) count_rows (plane) * count_columns (plane));
    value[BDCT_METRIC_ALL] += share * value[c];
  }
}

const BdctMetricKernel BDCT_METRIC_NAME (ssim) = {
  .memory = memory,
  .count = count,
  .work = work,
  .finish = finish,
};
