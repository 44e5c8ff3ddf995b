/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MS-SSIM as libvmaf's float_ms_ssim computes it (libvmaf 3.2.0, ms_ssim.c and
 * iqa/): of luma in five scales, each of which is the previous one without the
 * upper half of its frequencies. A Gaussian weights the 11 x 11 samples around
 * each sample that has them all, rows first. libvmaf has samples and their
 * derived values in single precision and sums in double; this file keeps each
 * operation and its order. Only the means of luminance, contrast and structure,
 * whose order would depend on the threads, are summed in units of 2^-40.
 *
 * Wang, Simoncelli, Bovik: Multiscale Structural Similarity for Image Quality
 * Assessment, Asilomar Conference on Signals, Systems and Computers, 2003. */
#include "dct/base/min.h"
#include "dct/metrics/ms-ssim.h"
#include "cpu/read.h"
#include "kernel.h"

#define SCALES BDCT_MS_SSIM_SCALES
#define WINDOW BDCT_MS_SSIM_WINDOW
#define FILTER BDCT_MS_SSIM_FILTER
#define SIDE BDCT_MS_SSIM_SIDE
#define STRIP BDCT_MS_SSIM_STRIP
#define N_KINDS BDCT_MS_SSIM_KINDS

/* The columns of a piece of a scale's result. */
#define RUN 192

/* Samples in a vector of doubles. */
#define N (BDCT_LANES / 2)

typedef float Floats __attribute__ ((vector_size (4 * N)));
typedef double Doubles __attribute__ ((vector_size (8 * N)));

/* The columns of a run with the samples read around it, rounded up to a whole
 * vector. */
#define WIDE (RUN + 32)

/* Means over a window. */
typedef float Means[N_KINDS][RUN];

/* Of a piece that compares: the last rows' means, those of their columns, a row
 * of both pictures, and the products of two. */
typedef struct {
  Means rows[WINDOW], means;
  float src[WIDE], rec[WIDE], product[WIDE];
} Compared;

/* Of one that halves: the even and the odd samples of each row of a filter, and
 * its result. */
typedef struct {
  float samples[FILTER][2][WIDE], row[RUN + N];
} Halved;

BDCT_SCRATCH_HOLDS (Compared);
BDCT_SCRATCH_HOLDS (Halved);

/* A scale's sides. */
#define WIDTH(plane, scale) bdct_ms_ssim_side ((plane)->width, scale)
#define HEIGHT(plane, scale) bdct_ms_ssim_side ((plane)->height, scale)

/* The plane's memory holds the results, then the two pictures of each scale but
 * the first. */
static float *
get_picture (const BdctMetricPlane * plane, int scale, int which)
{
  float *picture = (float *) bdct_ms_ssim_sums (plane, SCALES);

  for (int s = 1; s < scale; s++)
    picture += 2 * (size_t) WIDTH (plane, s) * HEIGHT (plane, s);
  return picture + which * (size_t) WIDTH (plane, scale)
      * HEIGHT (plane, scale);
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return (char *) get_picture (plane, SCALES, 0) - (char *) plane->memory;
}

/* Read samples of a row of a scale. The first scale reads the frame, scaled to
 * 8 bits. */
static void
read_row (const BdctMetricPlane * plane, int scale, int which, int y, int x,
    int n, float *restrict to)
{
  const float scaler = 1.0f / (1 << (plane->depth - 8));
  uint16_t row[RUN + WINDOW];

  if (scale > 0) {
    memcpy (to, get_picture (plane, scale, which)
        + (size_t) y * WIDTH (plane, scale) + x, n * sizeof *to);
    return;
  }
  for (int from = 0; from < n; from += RUN) {
    const int here = bdct_min (n - from, RUN);

    bdct_metric_read (plane, which == 0 ? &plane->src : &plane->rec, y,
        x + from, here, row);
    for (int i = 0; i < here; i++)
      to[from + i] = row[i] * scaler;
  }
}

/* Add N products in single precision to sums in double. */
static inline __attribute__ ((always_inline)) Doubles
add_product (Doubles sum, const float *from, float weight)
{
  Floats v;

  memcpy (&v, from, sizeof v);
  return sum + __builtin_convertvector (v * weight, Doubles);
}

static inline void
put_floats (float *to, Doubles v)
{
  const Floats narrow = __builtin_convertvector (v, Floats);

  memcpy (to, &narrow, sizeof narrow);
}

/* The weighted means of 11 samples each, from each sample on. */
static void
weight_row (const float *restrict row, int n, float *restrict mean)
{
  for (int i = 0; i < n; i += N) {
    Doubles sum = { 0 };

    for (int u = 0; u < WINDOW; u++)
      sum = add_product (sum, row + i + u, bdct_ms_ssim_window[u]);
    put_floats (mean + i, sum);
  }
}

/* Likewise for a row's samples, squares and products. */
static void
weight_rows (Compared * s, int n, Means means)
{
  const float *const of[][2] = { {s->src, s->src}, {s->rec, s->rec},
  {s->src, s->rec}
  };

  weight_row (s->src, n, means[BDCT_MS_SSIM_SRC]);
  weight_row (s->rec, n, means[BDCT_MS_SSIM_REC]);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n + WINDOW - 1; i++)
      s->product[i] = of[k][0][i] * of[k][1][i];
    weight_row (s->product, n, means[BDCT_MS_SSIM_SRC_SRC + k]);
  }
}

/* The weighted means down the columns of 11 rows of one kind; `from` is the
 * index of the first row. */
static void
weight_columns (const Means * rows, int from, int kind, int n,
    float *restrict mean)
{
  const float *row[WINDOW];

  for (int v = 0; v < WINDOW; v++)
    row[v] = rows[(from + v) % WINDOW][kind];
  for (int i = 0; i < n; i += N) {
    Doubles sum = { 0 };

    for (int v = 0; v < WINDOW; v++)
      sum = add_product (sum, row[v] + i, bdct_ms_ssim_window[v]);
    put_floats (mean + i, sum);
  }
}

/* Add the luminance, contrast and structure of a row. */
static void
add_row (const Means means, int n, BdctMsSsimSums * sums)
{
  int64_t l = 0, c = 0, s = 0;

  for (int i = 0; i < n; i++)
    bdct_ms_ssim_compare (means[BDCT_MS_SSIM_SRC][i],
        means[BDCT_MS_SSIM_REC][i], means[BDCT_MS_SSIM_SRC_SRC][i],
        means[BDCT_MS_SSIM_REC_REC][i], means[BDCT_MS_SSIM_SRC_REC][i], &l, &c,
        &s);
  sums->sum[0] += l;
  sums->sum[1] += c;
  sums->sum[2] += s;
}

/* Compare a run of a strip's columns. */
static void
compare_run (const BdctMetricPlane * plane, int scale, int y0, int n_rows,
    int x, int n, Compared * s, BdctMsSsimSums * sums)
{
  memset (s->src, 0, sizeof s->src);
  memset (s->rec, 0, sizeof s->rec);
  memset (s->product, 0, sizeof s->product);
  for (int y = 0; y < n_rows + WINDOW - 1; y++) {
    read_row (plane, scale, 0, y0 + y, x, n + WINDOW - 1, s->src);
    read_row (plane, scale, 1, y0 + y, x, n + WINDOW - 1, s->rec);
    weight_rows (s, n, s->rows[y % WINDOW]);
    if (y < WINDOW - 1)
      continue;
    for (int k = 0; k < N_KINDS; k++)
      weight_columns (s->rows, y + 1, k, n, s->means[k]);
    add_row (s->means, n, sums);
  }
}

static void
compare_strip (const BdctMetricPlane * plane, int scale, int strip,
    Compared * s)
{
  const int y = strip * STRIP;
  const int n_rows = bdct_min (bdct_ms_ssim_rows (plane, scale) - y, STRIP);
  const int n = bdct_ms_ssim_columns (plane, scale);
  BdctMsSsimSums *sums = bdct_ms_ssim_sums (plane, scale) + strip;

  *sums = (BdctMsSsimSums) { { 0 } };
  for (int x = 0; x < n; x += RUN)
    compare_run (plane, scale, y, n_rows, x, bdct_min (n - x, RUN), s, sums);
}

/* Read the samples around every second sample from x on, beginning at x - 4,
 * into even and odd ones. */
static void
read_around (const BdctMetricPlane * plane, int scale, int which, int y, int x,
    int n, float *restrict even, float *restrict odd)
{
  const int width = WIDTH (plane, scale);
  const int from = x < SIDE ? 0 : x - SIDE;
  const int to = bdct_min (x + 2 * n + SIDE, width);
  float all[2 * RUN + 2 * SIDE], *row = all + SIDE;

  read_row (plane, scale, which,
      bdct_ms_ssim_mirror (y, HEIGHT (plane, scale)), from, to - from,
      row + from - x);
  for (int i = -SIDE; i < from - x; i++)
    row[i] = row[bdct_ms_ssim_mirror (x + i, width) - x];
  for (int i = to - x; i < 2 * n + SIDE; i++)
    row[i] = row[bdct_ms_ssim_mirror (x + i, width) - x];
  for (int i = 0; i < n + SIDE; i++) {
    even[i] = row[2 * i - SIDE];
    odd[i] = row[2 * i - SIDE + 1];
  }
  for (int i = n + SIDE; i < n + SIDE + N; i++)
    even[i] = odd[i] = 0;
}

/* Compute a run of a row of the next scale. */
static void
halve_run (const BdctMetricPlane * plane, int scale, int which, int y, int x,
    int n, Halved * s)
{
  float *to = get_picture (plane, scale + 1, which)
      + (size_t) y * WIDTH (plane, scale + 1) + x;

  for (int v = 0; v < FILTER; v++)
    read_around (plane, scale, which, 2 * y + v - SIDE, 2 * x, n,
        s->samples[v][0], s->samples[v][1]);
  for (int i = 0; i < n; i += N) {
    Doubles sum = { 0 };

    for (int v = 0; v < FILTER; v++)
      for (int u = 0; u < FILTER; u++)
        sum = add_product (sum, s->samples[v][u & 1] + i + u / 2,
            bdct_ms_ssim_filter[v <= SIDE ? v : FILTER - 1 - v]
            [u <= SIDE ? u : FILTER - 1 - u]);
    put_floats (s->row + i, sum);
  }
  memcpy (to, s->row, n * sizeof *to);
}

static void
halve_strip (const BdctMetricPlane * plane, int scale, int strip, Halved * s)
{
  const int width = WIDTH (plane, scale + 1);
  const int end =
      bdct_min (strip * STRIP + STRIP, HEIGHT (plane, scale + 1));

  for (int which = 0; which < 2; which++)
    for (int y = strip * STRIP; y < end; y++)
      for (int x = 0; x < width; x += RUN)
        halve_run (plane, scale, which, y, x, bdct_min (width - x, RUN), s);
}

static int
count_halves (const BdctMetricPlane * plane, int scale)
{
  return scale == SCALES - 1 ? 0
      : (HEIGHT (plane, scale + 1) + STRIP - 1) / STRIP;
}

/* A stage compares one scale and computes the next one. */
static int
count (const BdctMetricPlane * plane, int stage)
{
  return bdct_ms_ssim_strips (plane, stage) + count_halves (plane, stage);
}

static void
work (const BdctMetricPlane * plane, int stage, int piece, void *scratch)
{
  const int n_halves = count_halves (plane, stage);

  if (piece < n_halves)
    halve_strip (plane, stage, piece, scratch);
  else
    compare_strip (plane, stage, piece - n_halves, scratch);
}

const BdctMetricKernel BDCT_METRIC_NAME (ms_ssim) = {
  .memory = memory,
  .count = count,
  .work = work,
};
