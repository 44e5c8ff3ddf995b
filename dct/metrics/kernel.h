/* blockdct: a metric as engines compute it, and what it is computed of.
 *
 * A metric is a row: its work is cut into stages, each into pieces, which any
 * threads may do in any order; a stage starts when all pieces of the one before
 * are done. What they compute lies in memory of the plane until the figure is
 * made of it, by one thread.
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
  /** Of luma, where a metric looks at time: the original's, in 16 bits, without
   * gaps; the frame's before it, and that one's; NULL: there was none. */
  const uint16_t *luma[3];
  int luma_width, luma_height;
  int frame_rate;        /**< whole frames a second */
  void *memory;          /**< for it alone, aligned to 64 bytes */
} BdctMetricPlane;

typedef struct {
  /** Bytes of `memory`. NULL: none. */
  size_t (*memory) (const BdctMetricPlane *plane);

  /** Pieces of a stage; which are done with work(). */
  int (*count) (const BdctMetricPlane *plane, int stage);
  void (*work) (const BdctMetricPlane *plane, int stage, int piece);

  /** Make what stats.h says of it all. */
  void (*finish) (const BdctMetricPlane *planes, int n_planes,
      double value[BDCT_MAX_COMPONENTS + 1]);

  /** Fill a row of its map (metrics.h), of luma; without memory. NULL: it has
   * none. */
  void (*map) (const BdctMetricPlane *plane, int row, uint32_t *to);
} BdctMetricKernel;

/** By BdctMetric. */
typedef const BdctMetricKernel *BdctMetricKernels[BDCT_N_METRICS];

/** Those that run on every processor; their finish() serves both engines. */
extern const BdctMetricKernels bdct_metrics_baseline;

#endif
