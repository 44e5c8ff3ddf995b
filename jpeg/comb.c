/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "comb.h"

#include <math.h>
#include <string.h>

/* The variance of what rounding adds. */
#define VARIANCE (1.0 / 12)
/* As near to 0 as rounding leaves all but one in 200. */
#define NEAR 4.0
/* No coefficient says more against a step than this. */
#define LEAST -6.0
/* The range of a block's samples, and how often neighbours differ across and
 * down, from which on rounding errors are taken as independent. */
#define MIN_RANGE 4
#define MIN_CHANGES 12
/* The gain of a grid's blocks that no chance gives, and how many times as much
 * as any other grid's it is. */
#define MIN_GAIN 60.0
#define MIN_RATIO 1.5

bool
comb_is_known (const CombPlane * plane, int x, int y)
{
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      const size_t at = (size_t) (y + v) * plane->width + x + u;

      if (plane->most[at] - plane->least[at] > COMB_SLACK)
        return false;
    }
  return true;
}

/* Whether a block's rounding errors are not independent: it hardly changes, or
 * its rows are alike, or its columns. In a flat block all samples are rounded
 * the same way, which moves the lowest coefficient by up to 4. */
static bool
is_plain (const CombPlane * plane, int x, int y)
{
  const uint8_t *first = plane->sample + (size_t) y * plane->width + x;
  int least = 255, most = 0, across = 0, down = 0;

  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      const int sample = first[v * plane->width + u];

      least = sample < least ? sample : least;
      most = sample > most ? sample : most;
      across += u > 0 && sample != first[v * plane->width + u - 1];
      down += v > 0 && sample != first[(v - 1) * plane->width + u];
    }
  return most - least < MIN_RANGE || across < MIN_CHANGES
      || down < MIN_CHANGES;
}

/* cos (i pi / 16) / 2 */
static double
half_cosine (int i)
{
  static const double quarter[9] = { 0.5, 0.49039264020161522,
    0.46193976625564337, 0.41573480615127262, 0.35355339059327376,
    0.27778511650980111, 0.19134171618254489, 0.09754516100806412, 0
  };

  i %= 32;
  i = i > 16 ? 32 - i : i;
  return i > 8 ? -quarter[16 - i] : quarter[i];
}

void
comb_transform (const CombPlane * plane, int x, int y, double c[64])
{
  double m[8][8], rows[8][8];

  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 8; i++)
      m[k][i] = half_cosine (k == 0 ? 4 : (2 * i + 1) * k);
  for (int v = 0; v < 8; v++) {
    const uint8_t *row = plane->sample + (size_t) (y + v) * plane->width + x;

    for (int k = 0; k < 8; k++) {
      rows[v][k] = 0;
      for (int u = 0; u < 8; u++)
        rows[v][k] += m[k][u] * (row[u] - 128);
    }
  }
  for (int k = 0; k < 8; k++)
    for (int u = 0; u < 8; u++) {
      double sum = 0;

      for (int v = 0; v < 8; v++)
        sum += m[k][v] * rows[v][u];
      c[8 * k + u] = sum;
    }
}

/* Add a coefficient's evidence for each step. Steps above twice its size give
 * level 0, which is no evidence for a step: small coefficients are common
 * without a comb, too. */
static void
add_gains (double gain[COMB_MAX_STEP + 1], double c, const double *on_tooth,
    int max_step)
{
  const double size = fabs (c), off = size * size / (2 * VARIANCE);
  const double of_level_0 = off < NEAR ? 0
      : off < NEAR - LEAST ? NEAR - off : LEAST;
  const int last = 2 * size < max_step ? (int) (2 * size) : max_step;

  for (int step = 1; step <= last; step++) {
    const int level = (int) (size / step + 0.5);
    const double d = size - level * step;
    const double own = on_tooth[step] - d * d / (2 * VARIANCE);

    gain[step] += own > LEAST ? own : LEAST;
  }
  for (int step = last + 1; of_level_0 < 0 && step <= max_step; step++)
    gain[step] += of_level_0;
}

void
comb_measure (Comb * comb, const CombPlane * plane, int left, int top,
    int max_blocks, int max_step)
{
  const int columns = (plane->width - left) / 8;
  const int rows = (plane->height - top) / 8, n = columns * rows;
  const int every = n > max_blocks ? n / max_blocks : 1;
  double on_tooth[COMB_MAX_STEP + 1];

  memset (comb, 0, sizeof *comb);
  for (int step = 1; step <= max_step; step++)
    on_tooth[step] = log (step / sqrt (2 * M_PI * VARIANCE));
  for (int i = 0; i < n; i += every) {
    const int x = left + i % columns * 8, y = top + i / columns * 8;
    double c[64];

    if (!comb_is_known (plane, x, y) || is_plain (plane, x, y))
      continue;
    comb->blocks++;
    comb_transform (plane, x, y, c);
    for (int k = 0; k < 64; k++)
      add_gains (comb->gain[k], c[k], on_tooth, max_step);
  }
}

int
comb_step (const Comb * comb, int k, int max_step)
{
  int best = 0;
  double most = 4;              /* more than chance gives one coefficient */

  for (int step = 1; step <= max_step; step++)
    if (comb->gain[k][step] > most) {
      most = comb->gain[k][step];
      best = step;
    }
  return best;
}

bool
comb_find_grid (const CombPlane * plane, int *left, int *top)
{
  double most = 0, second = 0;

  for (int i = 0; i < 64 && i % 8 + 8 <= plane->width; i++) {
    const int x = i % 8, y = i / 8;
    double sum = 0;
    Comb comb;

    if (y + 8 > plane->height)
      break;
    comb_measure (&comb, plane, x, y, 150, 48);
    for (int k = 1; k < 64; k++) {
      const int step = comb_step (&comb, k, 48);

      sum += step > 0 ? comb.gain[k][step] : 0;
    }
    if (sum > most) {
      second = most;
      most = sum;
      *left = x;
      *top = y;
    } else if (sum > second) {
      second = sum;
    }
  }
  return most > MIN_GAIN && most > MIN_RATIO * second;
}
