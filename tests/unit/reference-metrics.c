/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-metrics.h"

#include <math.h>

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
