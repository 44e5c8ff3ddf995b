/* blockdct: how metrics read an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CPU_READ_H
#define BDCT_CPU_READ_H

#include "dct/base/sample.h"
#include "dct/metrics/kernel.h"

/* Read `n` samples of row `y`, from column `x` on, as 16-bit values. */
static inline void
bdct_metric_read (const BdctMetricPlane *plane, const BdctSamples *image, int y,
    int x, int n, uint16_t *restrict to)
{
  const int bytes = plane->depth > 8 ? 2 : 1, peak = (1 << plane->depth) - 1;
  const uint8_t *restrict row = image->data + y * image->stride
      + (int64_t) x * plane->step * bytes;

  /* Compilers vectorize each of these loops. */
  if (bytes == 1 && plane->step == 1)
    for (int i = 0; i < n; i++)
      to[i] = row[i];
  else if (bytes == 1)
    for (int i = 0; i < n; i++)
      to[i] = row[2 * i];
  else if (plane->step == 1)
    for (int i = 0; i < n; i++)
      to[i] = bdct_sample_get (row, i, 2, plane->shift, peak);
  else
    for (int i = 0; i < n; i++)
      to[i] = bdct_sample_get (row, 2 * i, 2, plane->shift, peak);
}

#endif
