/* SSIM from its definition, in double precision and as plainly as it can be
 * written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REFERENCE_METRICS_H
#define REFERENCE_METRICS_H

/* A component of both pictures: original and reconstruction. */
typedef struct {
  const int *a, *b;
  int width, height, peak;
} RefPair;

/* SSIM of one window of 8 x 8 samples, at (x, y). */
double ref_ssim_window (const RefPair *pair, int x, int y);

#endif
