/* blockdct: a frame in flight on the GPU: the memory it needs, and what is to
 * be done to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_FRAME_H
#define BDCT_CUDA_FRAME_H

#include "cuda/device/staging.h"
#include "cuda/kernels/colour.h"
#include "cuda/kernels/comparison.h"
#include "cuda/launch/dispatch.h"
#include "dct/picture/zoom.h"
#include "metrics.h"

/** Bytes of the cells of one job. */
#define BDCT_ACCUMULATORS_SIZE (BDCT_CUDA_ACCUMULATORS * sizeof (BdctCudaAccumulator))

typedef enum { BDCT_WAIT_SPINNING, BDCT_WAIT_SLEEPING, BDCT_N_WAITS } BdctWait;

/** A job beside the quantizers, and the pass that does it. */
typedef struct {
  BdctJob job;
  BdctCudaLaunch pass;
} BdctTrial;

/** A slot, and all it owns, is used again only when the last of its events has
 * been waited for. Buffers stay from frame to frame and grow on demand. */
typedef struct {
  cudaEvent_t uploaded, computed;
  unsigned ring_index;                /**< of R, G and B (staging.h) */
  cudaEvent_t done[BDCT_N_WAITS];
  BdctEndpoint src, dst;
  BdctImage planes;             /**< what the passes read: `src`, or made of
                                     its R, G and B */
  BdctCudaColour colour;        /**< of R, G and B */
  BdctBuffer scratch;           /**< what a view is drawn from */
  BdctBuffer compared;          /**< a reconstruction for metrics alone */
  BdctBuffer map;               /**< sets of the blocks, then of the cells */
  BdctBuffer records;
  BdctBuffer sizes;             /**< of a tree's blocks */
  BdctBuffer cells;             /**< of the others */
  BdctBuffer counts;            /**< BdctRateCounts of the quantizers, then of each
                                     other, if there is a `rate` */

  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  BdctTrial *trials;
  int n_trials, max_trials;
  BdctCudaLaunch pass[4];         /**< the quantizers', then those of their levels */
  int n_passes;
  bool rate, trial_files;
  bool keeps;                   /**< XPSNR looks at its luma, or will, ... */
  uint64_t number;              /**< ... as this one's (engine.h) */
  BdctFrameMetrics metrics;     /**< of the quantizers alone, or of the others too */
  bool metrics_of_trials;         /**< they are of those, which make pictures,
                                     some at a time, then: their passes wait for
                                     what compares these
                                     (cuda/stage/frame-metrics.h) */
  BdctImage rec;                /**< the quantizers' reconstruction, if it is made */
  struct
  {
    BdctCudaWork sized[BDCT_TREE_SIZES];        /**< the quantizers in blocks of each
                                                   size, without more */
    BdctImage levels;           /**< their picture, if it is made */
    BdctBlockRecord *records;   /**< NULL: not asked for */
    uint8_t *sizes;             /**< likewise, of trees */
    BdctCudaAccumulator *cells;
  } rd;                         /**< of quantizers that are rate-distortion jobs
                                     (cuda/stage/rd.h) */
  BdctCudaWork work;            /**< the quantizers, without more */
  bool viewed;                  /**< a view is drawn behind them */
  BdctRender render;
  BdctBlockRecord *blocks;      /**< the caller's; NULL: not asked for */
  size_t n_blocks;
  bool dma_direct;              /**< the GPU copies there by itself */
  uint8_t *asked_sizes;         /**< the caller's; NULL: not asked for */
  size_t n_sizes;
  BdctWait wait;                /**< for which event */
  struct
  {
    int n;                      /**< distorted pictures; 0: it is a frame */
    bool errors;                /**< are added up */
    /* Of each picture, the reference's first: */
    BdctEndpoint end[1 + BDCT_MAX_DISTORTED];
    BdctBuffer packed[1 + BDCT_MAX_DISTORTED];
    BdctImage planes[1 + BDCT_MAX_DISTORTED];   /**< in the engine's layout */
    BdctCudaColour colour[1 + BDCT_MAX_DISTORTED];      /**< of R, G and B */
    int n_packs;                /**< planes that are made of others */
    BdctCudaPack pack[(1 + BDCT_MAX_DISTORTED) * BDCT_MAX_PLANES];
    BdctCudaErrors sums;
    BdctCudaRgbErrors rgb_sums; /**< where there are R, G and B */
    BdctCudaMetricPlanes records;       /**< of the view's blocks */
    BdctMetricPlane mapped;     /**< luma, where the view is a metric's map */
    BdctBuffer metric_map;
    bool joins;                 /**< what is drawn becomes R, G and B */
    bool zoomed;                /**< last of all it is enlarged, ... */
    BdctBuffer base;            /**< ... from this, unless samples are copied */
    BdctZoom zoom;
  } given;                      /**< of a comparison (comparison.h) */
} BdctSlot;

bool bdct_slot_init (BdctSlot *slot, BdctError *error);
void bdct_slot_clear (BdctSlot *slot, bool in_context);

/** Job `i` of those counted: 0 stands for the quantizers, then come the others. */
const BdctJob *bdct_slot_job (const BdctSlot *slot, int i);

/** Where it has its statistics added up. */
BdctCudaAccumulator *bdct_slot_cells (const BdctSlot *slot, int i);

/** Describe what passes read, with nothing asked; and have all statistics of it
 * added up there. */
void bdct_slot_describe_planes (const BdctSlot *slot, const BdctLayout *layout,
    BdctCudaWork *work);
void bdct_slot_set_cells (BdctCudaWork *work, BdctCudaAccumulator *cells);

/** Describe it, with nothing asked; of the quantizers if there is a `rate`, or they
 * are rate-distortion jobs. */
void bdct_slot_describe (const BdctSlot *slot, const BdctLayout *layout, int i,
    BdctCudaWork *work);

/** Describe the i-th of the others, with its statistics. */
void bdct_slot_describe_other (const BdctSlot *slot, const BdctLayout *layout,
    int i, BdctCudaWork *work);

/** Whether a frame has R, G and B, and whether they are made again. */
bool bdct_slot_splits (const BdctSlot *slot);
bool bdct_slot_joins (const BdctSlot *slot);

/** Whether anything but statistics goes to the host. */
bool bdct_slot_downloads (const BdctSlot *slot);

/** Enqueue that, and finish it once it is done. */
bool bdct_slot_download (BdctSlot *slot, BdctStaging *staging,
    BdctError *error);
void bdct_slot_finish (BdctSlot *slot, BdctStaging *staging);

/** The statistics of a frame that is done, as BdctEngineClass.collect() has
 * them. `cells`: on the host. */
void bdct_slot_count (BdctSlot *slot, const BdctLayout *layout,
    const BdctCudaAccumulator *cells, BdctStats *stats);

#endif
