/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
jpeg_plane_init (CombPlane * plane, int width, int height)
{
  const size_t n = (size_t) width * height;

  plane->width = width;
  plane->height = height;
  plane->sample = malloc (3 * n);
  plane->least = plane->sample + n;
  plane->most = plane->least + n;
  return plane->sample != NULL;
}

void
jpeg_plane_set (CombPlane * plane, int x, int y, int sample, bool exact)
{
  const size_t at = (size_t) y * plane->width + x;

  plane->sample[at] = (uint8_t) sample;
  plane->least[at] = (uint8_t) (exact ? sample : 0);
  plane->most[at] = (uint8_t) (exact ? sample : 255);
}

/* R, G and B of Y, U and V: jdcolor.c, build_ycc_rgb_table, ycc_rgb_convert. */

#define FIX(x) ((int) ((x) * 65536 + 0.5))

static int
find_r (int y, int v)
{
  return y + ((FIX (1.40200) * (v - 128) + 32768) >> 16);
}

static int
find_g (int y, int u, int v)
{
  return y + ((-FIX (0.34414) * (u - 128) - FIX (0.71414) * (v - 128)
          + 32768) >> 16);
}

static int
find_b (int y, int u)
{
  return y + ((FIX (1.77200) * (u - 128) + 32768) >> 16);
}

static int
clip (double v)
{
  return v < 0 ? 0 : v > 255 ? 255 : (int) (v + 0.5);
}

/* Y, U and V next to what the colours say. Returns whether they give them. */
static bool
invert (const uint8_t * rgb, uint8_t ycc[3])
{
  const double luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  const int y0 = clip (luma), u0 = clip (128 + (rgb[2] - luma) / 1.772);
  const int v0 = clip (128 + (rgb[0] - luma) / 1.402);

  for (int y = y0 - 1; y <= y0 + 1; y++)
    for (int v = v0 - 1; v <= v0 + 1; v++)
      for (int u = u0 - 1; u <= u0 + 1 && find_r (y, v) == rgb[0]; u++)
        if (find_b (y, u) == rgb[2] && find_g (y, u, v) == rgb[1]
            && ((y | u | v) & ~255) == 0) {
          ycc[0] = (uint8_t) y;
          ycc[1] = (uint8_t) u;
          ycc[2] = (uint8_t) v;
          return true;
        }
  ycc[0] = (uint8_t) y0;
  ycc[1] = (uint8_t) u0;
  ycc[2] = (uint8_t) v0;
  return false;
}

bool
jpeg_planes_split (CombPlane plane[3], const uint8_t * data, ptrdiff_t stride)
{
  for (int y = 0; y < plane[0].height; y++)
    for (int x = 0; x < plane[0].width; x++) {
      const uint8_t *rgb = data + y * stride + 3 * x;
      bool inside = true;
      uint8_t ycc[3];

      for (int c = 0; c < 3; c++)
        inside = inside && rgb[c] > 0 && rgb[c] < 255;
      if (!invert (rgb, ycc) && inside)
        return false;
      for (int c = 0; c < 3; c++)
        jpeg_plane_set (&plane[c], x, y, ycc[c], inside);
    }
  return true;
}

/* Chroma */

/* A sample is at most so far from its estimate, unless a pixel that is not
 * known is at most so many samples away. */
#define SPAN 3
#define REACH 3

/* A plane of chroma, and the pixels that are interpolated from it. */
typedef struct
{
  CombPlane *small;
  const CombPlane *large;
  int h, v, left, top;
} Sampling;

static int
clamp (int i, int n)
{
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int
get (const CombPlane * plane, int x, int y)
{
  return plane->sample[(size_t) clamp (y, plane->height) * plane->width
      + clamp (x, plane->width)];
}

/* The mean of a sample's own pixels. */
static double
find_mean (const Sampling * s, int i, int j)
{
  int sum = 0;

  for (int v = 0; v < s->v; v++)
    for (int u = 0; u < s->h; u++)
      sum += get (s->large, s->left + i * s->h + u, s->top + j * s->v + v);
  return (double) sum / (s->h * s->v);
}

/* What interpolation makes of that mean, but for rounding: along an axis with
 * two pixels to a sample, 3/4 of it and 1/8 of each neighbour. */
static double
spread (const Sampling * s, const double *c, int i, int j)
{
  const int w = s->small->width, h = s->small->height;
  double row[3];

  for (int k = -1; k <= 1; k++) {
    const double *at = c + (size_t) clamp (j + k, h) * w;

    row[k + 1] = s->h == 1 ? at[i]
        : 0.75 * at[i] + 0.125 * (at[clamp (i - 1, w)] + at[clamp (i + 1, w)]);
  }
  return s->v == 1 ? row[1] : 0.75 * row[1] + 0.125 * (row[0] + row[2]);
}

/* Set the samples to the nearest ones without rounding. */
static bool
estimate (const Sampling * s)
{
  const int w = s->small->width, h = s->small->height;
  const size_t n = (size_t) w * h;
  double *c = malloc (2 * n * sizeof *c), *mean = c + n;

  if (c == NULL)
    return false;
  for (size_t k = 0; k < n; k++)
    c[k] = mean[k] = find_mean (s, (int) (k % w), (int) (k / w));
  for (int round = 0; round < 12; round++)
    for (size_t k = 0; k < n; k++)
      c[k] += 1.3 * (mean[k] - spread (s, c, (int) (k % w), (int) (k / w)));
  for (size_t k = 0; k < n; k++)
    s->small->sample[k] = (uint8_t) clip (c[k]);
  free (c);
  return true;
}

static bool
is_exact (const CombPlane * plane, int x, int y)
{
  const size_t at = (size_t) y * plane->width + x;

  return plane->least[at] == plane->most[at];
}

/* Whether a pixel is within REACH samples that is not known, or outside: the
 * mean is no guide there. */
static bool
is_near_unknown (const Sampling * s, int i, int j)
{
  const int right = s->left + (i + REACH + 1) * s->h;
  const int bottom = s->top + (j + REACH + 1) * s->v;

  for (int y = s->top + (j - REACH) * s->v; y < bottom; y++)
    for (int x = s->left + (i - REACH) * s->h; x < right; x++)
      if (x < 0 || y < 0 || x >= s->large->width || y >= s->large->height
          || !is_exact (s->large, x, y))
        return true;
  return false;
}

/* A pixel is the sum of up to four samples by their weights, which thus lies
 * between two numbers; each sample is bounded by these and by the others'
 * bounds. Returns whether any bound has changed; `possible` whether samples are
 * left for all. */
static bool
tighten (const Sampling * s, int x, int y, bool *possible)
{
  const CombPlane *small = s->small;
  const int i = x / s->h, j = y / s->v, log2_sum = s->h * s->v > 2 ? 4 : 2;
  const int far_i = clamp (x % 2 ? i + 1 : i - 1, small->width);
  const int far_j = clamp (y % 2 ? j + 1 : j - 1, small->height);
  const int round = log2_sum == 4 ? (x % 2 ? 7 : 8)
      : (s->h > 1 ? x : y) % 2 ? 2 : 1;
  const int from = (s->large->sample[(size_t) (s->top + y) * s->large->width
          + s->left + x] << log2_sum) - round;
  const int to = from + (1 << log2_sum) - 1;
  size_t at[4];
  int weight[4], n = 0, least = 0, most = 0;
  bool changed = false;

  for (int v = 0; v < s->v; v++)
    for (int u = 0; u < s->h; u++) {
      at[n] = (size_t) (v > 0 ? far_j : j) * small->width + (u > 0 ? far_i : i);
      weight[n] = (s->v > 1 && v == 0 ? 3 : 1) * (s->h > 1 && u == 0 ? 3 : 1);
      least += weight[n] * small->least[at[n]];
      most += weight[n] * small->most[at[n]];
      n++;
    }
  for (int k = 0; k < n; k++) {
    const int w = weight[k], low = small->least[at[k]];
    const int high = small->most[at[k]];
    /* w times the sample is at least `lowest` and at most `highest`. */
    const int lowest = from - (most - w * high);
    const int highest = to - (least - w * low);

    if (lowest > w * low) {
      const int bound = (lowest + w - 1) / w;

      changed = true;
      least += w * (bound - low);
      small->least[at[k]] = (uint8_t) clip (bound);
      *possible = *possible && bound <= high;
    }
    if (highest < w * high) {
      const int bound = highest < 0 ? -1 : highest / w;

      changed = changed || bound < high;
      most += w * (bound - high);
      small->most[at[k]] = (uint8_t) clip (bound);
      *possible = *possible && bound >= low;
    }
  }
  return changed;
}

/* Bound samples by all known pixels until nothing changes. */
static bool
tighten_all (const Sampling * s)
{
  const CombPlane *large = s->large;
  bool changed = true, possible = true;

  for (int round = 0; round < 60 && changed && possible; round++) {
    changed = false;
    for (int y = 0; s->top + y < large->height - 2; y++)
      for (int x = 0; s->left + x < large->width - 2 && possible; x++)
        if (s->top + y >= 2 && s->left + x >= 2
            && is_exact (large, s->left + x, s->top + y))
          changed |= tighten (s, x, y, &possible);
  }
  return possible;
}

bool
jpeg_plane_reduce (CombPlane * small, const CombPlane * plane, int h, int v,
    int left, int top)
{
  const Sampling s = { small, plane, h, v, left, top };
  size_t n;
  bool ok;

  if (!jpeg_plane_init (small, (plane->width - left - 1) / h + 1,
          (plane->height - top - 1) / v + 1))
    return false;
  n = (size_t) small->width * small->height;
  ok = estimate (&s);
  for (size_t k = 0; k < n && ok; k++) {
    const bool near = is_near_unknown (&s, (int) (k % small->width),
        (int) (k / small->width));

    small->least[k] = (uint8_t) (near ? 0 : clip (small->sample[k] - SPAN));
    small->most[k] = (uint8_t) (near ? 255 : clip (small->sample[k] + SPAN));
  }
  ok = ok && tighten_all (&s);
  for (size_t k = 0; k < n && ok; k++)
    small->sample[k] = small->sample[k] < small->least[k] ? small->least[k]
        : small->sample[k] > small->most[k] ? small->most[k]
        : small->sample[k];
  if (!ok) {
    free (small->sample);
    small->sample = NULL;
  }
  return ok;
}
