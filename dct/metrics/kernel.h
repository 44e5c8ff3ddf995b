/* blockdct: a metric's functions, and the planes that they compare.
 *
 * A metric is a row of functions. Its work has stages, and a stage has pieces.
 * Threads do a stage's pieces in any order; the next stage starts when all are
 * done. Results lie in the plane's `memory`; at the end one thread makes the
 * figure from them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_KERNEL_H
#define BDCT_METRIC_KERNEL_H

#include <stddef.h>
#include "metrics.h"

/** What a metric is to compare: one component of a frame. */
typedef struct {
  int component;
  int depth;
  int width, height;
  int step;              /**< samples from one to the next in memory */
  int shift;             /**< as in BdctPlaneLayout */
  BdctSamples src, rec;  /**< original and reconstruction */
  int log2_block[2];     /**< the transform's block: width, height */
  /** The original luma, in 16 bits without gaps, where a metric looks at time:
   * of this frame, and of the two before it; NULL: no such frame. */
  const uint16_t *luma[3];
  int luma_width, luma_height;
  int frame_rate;        /**< whole frames a second */
  void *memory;          /**< for it alone, aligned to 64 bytes */
} BdctMetricPlane;

typedef struct {
  /** Bytes of `memory`. NULL: none. */
  size_t (*memory) (const BdctMetricPlane *plane);

  /** The pieces of a stage; work() does one. */
  int (*count) (const BdctMetricPlane *plane, int stage);
  void (*work) (const BdctMetricPlane *plane, int stage, int piece);

  /** Make BdctStats.metric's values. */
  void (*finish) (const BdctMetricPlane *planes, int n_planes,
      double value[BDCT_MAX_COMPONENTS + 1]);

  /** Fill a row of luma's map (metrics.h); without `memory`. NULL: there is
   * none. */
  void (*map) (const BdctMetricPlane *plane, int row, uint32_t *to);
} BdctMetricKernel;

/** By BdctMetric. */
typedef const BdctMetricKernel *BdctMetricKernels[BDCT_N_METRICS];

/** Those that run on every processor; their finish() serves both engines. */
extern const BdctMetricKernels bdct_metrics_baseline;

#endif
