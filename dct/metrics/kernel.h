/* blockdct: a metric's functions, and the planes that they compare.
 *
 * A metric's work has stages, and a stage has pieces. Threads do a stage's
 * pieces in any order; the next stage starts when all are done. Results lie in
 * the plane's `memory`; at the end one thread computes the figures from them
 * (bdct_metric_finish(), run.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_KERNEL_H
#define BDCT_METRIC_KERNEL_H

#include <stddef.h>
#include "metrics.h"

/* One component of a frame, as a metric compares it. */
typedef struct {
  int component;
  int depth;
  int width, height;
  int step;              /* samples from one sample of the component to the
                              next in memory: 1 or 2 */
  int shift;             /* as in BdctPlaneLayout */
  BdctSamples src, rec;  /* original and reconstruction */
  /* The original luma, in 16 bits without gaps, for metrics with a history: of
   * this frame, and of the two frames before it; NULL: no such frame. */
  const uint16_t *luma[3];
  int luma_width, luma_height;
  int frame_rate;        /* frames per second, rounded to a whole number */
  void *memory;          /* for this metric and plane alone, aligned to 64
                              bytes */
} BdctMetricPlane;

typedef struct {
  /* The bytes of `memory` that a plane needs. NULL: none. */
  size_t (*memory) (const BdctMetricPlane *plane);

  /* The number of pieces of a stage, and one piece's work. `scratch` is the
   * call's alone, BDCT_SCRATCH_SIZE bytes (cpu/scratch.h). */
  int (*count) (const BdctMetricPlane *plane, int stage);
  void (*work) (const BdctMetricPlane *plane, int stage, int piece,
      void *scratch);

  /* Fill a row of luma's map (metrics.h). Does not use `memory`. NULL: the
   * metric has no map. */
  void (*map) (const BdctMetricPlane *plane, int row, uint32_t *to,
      void *scratch);
} BdctMetricKernel;

/* Indexed by BdctMetric. */
typedef const BdctMetricKernel *BdctMetricKernels[BDCT_N_METRICS];

#endif
