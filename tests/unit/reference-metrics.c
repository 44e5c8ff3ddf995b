/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-metrics.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include "dct/base/stats.h"

double
ref_ssim_window (const RefPair * p, int x, int y)
{
  /* Windows' sums have the means of 64 samples, but C1 that of one of 64. */
  const double c1 = floor (.0001 * p->peak * p->peak * 64 + .5) / 4096;
  const double c2 = floor (.0009 * p->peak * p->peak * 64 * 63 + .5) / 4032;
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  for (int i = 0; i < 64; i++) {
    const int at = (y + i / 8) * p->width + x + i % 8;

    a += p->a[at] / 64.0;
    b += p->b[at] / 64.0;
  }
  for (int i = 0; i < 64; i++) {
    const int at = (y + i / 8) * p->width + x + i % 8;

    aa += (p->a[at] - a) * (p->a[at] - a) / 63;
    bb += (p->b[at] - b) * (p->b[at] - b) / 63;
    ab += (p->a[at] - a) * (p->b[at] - b) / 63;
  }
  return (2 * a * b + c1) * (2 * ab + c2) / ((a * a + b * b + c1)
      * (aa + bb + c2));
}

double
ref_ssim (const RefPair * p)
{
  double sum = 0;
  int n = 0;

  for (int y = 0; y + 8 <= p->height; y += 4)
    for (int x = 0; x + 8 <= p->width; x += 4, n++)
      sum += ref_ssim_window (p, x, y);
  return sum / n;
}

/* Which sample a place outside stands for. */
static int
mirror (int i, int n)
{
  return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

/* Half as wide and high, through a separable filter. */
static double *
halve (const double *from, int *width, int *height)
{
  static const double filter[9] = { 0.026727, -0.016828, -0.078201, 0.266846,
    0.602914, 0.266846, -0.078201, -0.016828, 0.026727
  };
  const int w = (*width + 1) / 2, h = (*height + 1) / 2;
  double *to = g_new0 (double, (gsize) w * h);

  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int v = -4; v <= 4; v++)
        for (int u = -4; u <= 4; u++)
          to[y * w + x] += from[mirror (2 * y + v, *height) * *width
              + mirror (2 * x + u, *width)] * filter[v + 4] * filter[u + 4];
  *width = w;
  *height = h;
  return to;
}

/* The means of luminance, contrast and structure of one scale. */
static void
compare_scale (const double *a, const double *b, int width, int height,
    double mean[3])
{
  const double c1 = 2.55 * 2.55, c2 = 7.65 * 7.65, c3 = c2 / 2;
  double window[11], total = 0;
  const int n = (width - 10) * (height - 10);

  for (int i = 0; i < 11; i++)
    total += window[i] = exp (-(i - 5) * (i - 5) / 4.5);
  memset (mean, 0, 3 * sizeof *mean);
  for (int y = 0; y < height - 10; y++)
    for (int x = 0; x < width - 10; x++) {
      double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0, sa, sb;

      for (int i = 0; i < 121; i++) {
        const double w = window[i / 11] * window[i % 11] / total / total;
        const int at = (y + i / 11) * width + x + i % 11;

        ma += w * a[at];
        mb += w * b[at];
        aa += w * a[at] * a[at];
        bb += w * b[at] * b[at];
        ab += w * a[at] * b[at];
      }
      sa = sqrt (MAX (aa - ma * ma, 0));
      sb = sqrt (MAX (bb - mb * mb, 0));
      mean[0] += (2 * ma * mb + c1) / (ma * ma + mb * mb + c1) / n;
      mean[1] += (2 * sa * sb + c2) / (sa * sa + sb * sb + c2) / n;
      mean[2] += (ab - ma * mb + c3) / (sa * sb + c3) / n;
    }
}

double
ref_ms_ssim (const RefPair * p)
{
  static const double weights[5] = { 0.0448, 0.2856, 0.3001, 0.2363, 0.1333 };
  const gsize n = (gsize) p->width * p->height;
  double *a = g_new (double, n), *b = g_new (double, n), product = 1;
  int width = p->width, height = p->height;

  for (gsize i = 0; i < n; i++) {
    a[i] = p->a[i] * 256.0 / (p->peak + 1);
    b[i] = p->b[i] * 256.0 / (p->peak + 1);
  }
  for (int scale = 0; scale < 5; scale++) {
    int w = width, h = height;
    double mean[3], *next;

    compare_scale (a, b, width, height, mean);
    product *= pow (mean[1] * mean[2], weights[scale]);
    if (scale == 4)
      product *= pow (mean[0], weights[scale]);
    next = halve (a, &w, &h);
    g_free (a);
    a = next;
    next = halve (b, &width, &height);
    g_free (b);
    b = next;
  }
  g_free (a);
  g_free (b);
  return product;
}

/* 64 frequencies of a block, orthonormal. */
static void
transform (const int *from, int stride, double to[64])
{
  double basis[8][8];

  for (int v = 0; v < 8; v++)
    for (int i = 0; i < 8; i++)
      basis[v][i] = cos ((2 * i + 1) * v * G_PI / 16) / 2
          * (v ? 1 : M_SQRT1_2);
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      double sum = 0;

      for (int i = 0; i < 64; i++)
        sum += from[i / 8 * stride + i % 8] * basis[v][i / 8]
            * basis[u][i % 8];
      to[8 * v + u] = sum;
    }
}

/* How much a block's contrast hides: of its frequencies, by how much of it its
 * quarters have. */
static double
define_mask (const int *block, int stride, const double frequency[64],
    const double weights[64])
{
  double variance[5] = { 0 }, sum = 0;

  for (int k = 0; k < 5; k++) {
    const int side = k < 4 ? 4 : 8, n = side * side;
    const int *from = block + (k < 4 ? k / 2 * 4 * stride + k % 2 * 4 : 0);
    double mean = 0;

    for (int i = 0; i < n; i++)
      mean += (double) from[i / side * stride + i % side] / n;
    for (int i = 0; i < n; i++)
      variance[k] += pow (from[i / side * stride + i % side] - mean, 2)
          * n / (n - 1);
  }
  if (variance[4] == 0)
    return 0;
  for (int i = 1; i < 64; i++)
    sum += pow (frequency[i] * weights[i] * 0.3885746225901003, 2);
  return sqrt (sum * (variance[0] + variance[1] + variance[2] + variance[3])
      / variance[4]) / 32;
}

/* 64 times the squared error of one block at (x, y). */
static double
hvs_block (const RefPair * p, int x, int y)
{
  static const double rows[8][8] = {
    {1.6193873, 2.2901595, 2.0850976, 1.4836609, 1.0022751, .678297, .4662249,
        .3265092},
    {0, 1.9432182, 2.0479307, 1.6873111, 1.2305667, .8689203, .6128099,
        .4364058},
    {0, 0, 1.3432902, 1.0920564, .8757488, .6708829, .5017319, .3725043},
    {0, 0, 0, .7728198, .6056364, .4830941, .3804294, .295774},
    {0, 0, 0, 0, .4489963, .3528893, .283007, .2269513},
    {0, 0, 0, 0, 0, .2703207, .2150177, .1740807},
    {0, 0, 0, 0, 0, 0, .1688695, .1361539},
    {0, 0, 0, 0, 0, 0, 0, .1090838}
  };
  const int at = y * p->width + x;
  double weights[64], a[64], b[64], mask, sum = 0;

  for (int i = 0; i < 64; i++)
    weights[i] = rows[MIN (i / 8, i % 8)][MAX (i / 8, i % 8)];
  transform (p->a + at, p->width, a);
  transform (p->b + at, p->width, b);
  mask = MAX (define_mask (p->a + at, p->width, a, weights),
      define_mask (p->b + at, p->width, b, weights));
  for (int i = 0; i < 64; i++) {
    const double hidden = i == 0 ? 0
        : mask / pow (weights[i] * 0.3885746225901003, 2);

    sum += pow (MAX (fabs (a[i] - b[i]) - hidden, 0) * weights[i], 2);
  }
  return sum;
}

double
ref_psnr_hvs (const RefPair * p)
{
  double sum = 0;
  int n = 0;

  for (int y = 0; y + 8 <= p->height; y += 7)
    for (int x = 0; x + 8 <= p->width; x += 7, n += 64)
      sum += hvs_block (p, x, y);
  return 10 * log10 ((double) p->peak * p->peak * n / sum);
}
