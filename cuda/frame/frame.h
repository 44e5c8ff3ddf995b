/* blockdct: a frame or a comparison in flight on the GPU: its plan
 * (dct/engine/plan.h), its memory, and what is enqueued for it.
 *
 * A frame with all its memory is reused only after a wait for the last of its
 * events. Buffers are kept from frame to frame and grow on demand.
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

/* Bytes of the accumulators of a frame, or of a distorted picture. */
#define BDCT_ACCUMULATORS_SIZE                                                \
  (BDCT_CUDA_ACCUMULATORS * sizeof (BdctCudaAccumulator))

typedef enum { BDCT_WAIT_SPINNING, BDCT_WAIT_SLEEPING, BDCT_N_WAITS } BdctWait;

typedef struct {
  cudaEvent_t uploaded, computed;
  cudaEvent_t done[BDCT_N_WAITS];
  BdctWait wait;              /* which event of `done` to wait for */
} BdctCudaEvents;

/* The images, all on the device. */
typedef struct {
  BdctEndpoint src[1 + BDCT_MAX_DISTORTED]; /* a frame has the first */
  BdctEndpoint dst;
  BdctBuffer memory[BDCT_PLAN_IMAGES];
  BdctImage image[BDCT_PLAN_IMAGES];
  unsigned ring_index;        /* in BdctStaging.ring, for R, G and B: of the
                                   frame before, if the planes are that one's */
} BdctCudaImages;

typedef struct {
  BdctJob quantizers[BDCT_MAX_STACK_QUANTIZERS];
  BdctCudaWork work;          /* before its output is set */
  BdctCudaWork sized[BDCT_TREE_SIZES]; /* the same, for each block size of a
                                            tree */
  BdctCudaLaunch launch[2];   /* for the picture */
  int n_launches;             /* 0 for trees, and from levels */
} BdctCudaJobs;

/* Results for each block. */
typedef struct {
  BdctBuffer map;             /* a quantizer's number for each block, then
                                   for each map tile */
  size_t map_size;            /* to upload; 0: there is none */
  BdctBuffer record_memory, size_memory;
  BdctBlockRecord *records;   /* on the device; NULL: not wanted */
  uint8_t *sizes;             /* likewise */
  BdctBlockRecord *to_records; /* the caller's; NULL: not wanted */
  uint8_t *to_sizes;          /* likewise */
  bool sizes_given;           /* `sizes` are uploaded */
  bool dma_direct;            /* the GPU copies the records by itself */
} BdctCudaBlocks;

/* Levels that are output or input. */
typedef struct {
  BdctBuffer memory;
  BdctLevel *device;          /* on the device */
  BdctLevel *host;            /* the caller's; NULL if these are on the
                                   device */
  bool dma_direct;            /* the GPU copies them by itself */
} BdctCudaLevels;

/* The sources of the statistics. */
typedef struct {
  BdctCudaAccumulator *first; /* of the frame, or of the first distorted
                                   picture */
  BdctBuffer accumulators;    /* of the other distorted pictures */
  BdctRateCounts *first_counts; /* of the frame, if bits are wanted */
  int bits_slot;              /* whose memory the count of bits takes */
  bool bits_overlap;          /* it runs in that slot's stream */
  BdctBuffer counts;          /* of each picture of a stack */
  BdctBuffer stack;           /* of each picture of a stack, the errors of R,
                                   G and B */
  uint64_t (*stack_sse)[3];   /* the caller's; NULL: not wanted */
  uint64_t (*stack_bits)[2];  /* likewise */
  const uint8_t *stack_map;   /* the caller's */
  BdctFrameMetrics metrics;
} BdctCudaResults;

/* For the pictures of a comparison. */
typedef struct {
  int n_packs;                /* planes that are packed */
  BdctCudaPack pack[(1 + BDCT_MAX_DISTORTED) * BDCT_MAX_PLANES];
  BdctCudaColour colour[1 + BDCT_MAX_DISTORTED]; /* of R, G and B */
  BdctCudaErrors errors;
  BdctCudaRgbErrors rgb_errors;
} BdctCudaPictures;

/* For drawing a view. */
typedef struct {
  BdctRender render;
  BdctCudaColour colour;      /* converts R, G and B: both ways in a frame,
                                   back in a comparison */
  BdctZoom zoom;
  BdctCudaMetricPlanes records; /* of a comparison's blocks */
  BdctMetricPlane mapped;     /* luma, where the view is a metric's map */
  BdctBuffer map;
} BdctCudaShown;

typedef struct {
  BdctPlan plan;
  BdctCudaEvents events;
  BdctCudaImages images;
  BdctCudaJobs jobs;
  BdctCudaBlocks blocks;
  BdctCudaLevels levels;
  BdctCudaResults results;
  BdctCudaPictures pictures;
  BdctCudaShown shown;
} BdctCudaFrame;

/* Memory that all frames share. Their kernels run in order, one frame after
 * the other, except those for bits: for these, frames use one slot and the
 * other in turn. The buffers grow on demand. */
typedef struct {
  BdctBuffer levels[BDCT_CUDA_BITS_SLOTS]; /* of frames with bits */
  unsigned next_bits_slot;    /* of the next frame with bits */
  bool bits_overlap;          /* bits are counted beside other frames */
  BdctBuffer trees;           /* of a frame with trees */
  BdctBuffer metrics;         /* scratch */
  BdctBuffer luma[BDCT_HISTORY_MAX]; /* of the history's places */
} BdctCudaMemory;

bool bdct_cuda_frame_init (BdctCudaFrame *frame, BdctError *error);
void bdct_cuda_frame_clear (BdctCudaFrame *frame, bool in_context);
void bdct_cuda_memory_clear (BdctCudaMemory *memory, bool in_context);

/* Allocate the images of the place OWN, and set all images. Call
 * bdct_staging_place() for the endpoints first. `src`: as
 * bdct_plan_find_images() takes it. */
bool bdct_cuda_frame_place_images (BdctCudaFrame *frame, BdctStaging *staging,
    const BdctImage *src, BdctError *error);

/* Describe the metrics, and allocate their results and the frame's place in the
 * history. */
bool bdct_cuda_frame_describe_metrics (BdctCudaFrame *frame,
    const BdctStaging *staging, BdctCudaMemory *memory, BdctError *error);

/* Bytes of the counts that are the frame's own. */
size_t bdct_cuda_frame_counts_size (const BdctCudaFrame *frame,
    const BdctLayout *layout);

/* The accumulators of distorted picture `i`, and the counters of bits. */
BdctCudaAccumulator *bdct_cuda_frame_accumulators (const BdctCudaFrame *frame,
    int i);
unsigned long long *bdct_cuda_frame_counts (const BdctCudaFrame *frame);

/* Set where the statistics are added up. */
void bdct_cuda_work_set_accumulators (BdctCudaWork *work,
    BdctCudaAccumulator *accumulators);

/* Whether a frame's first step makes planes of R, G and B. */
static inline bool
bdct_cuda_frame_is_rgb (const BdctCudaFrame *frame)
{
  return frame->plan.n_steps > 0
      && frame->plan.step[0] == BDCT_STEP_RGB_TO_PLANES;
}

/* Whether the launch of the picture writes levels, for its bits. */
static inline bool
bdct_cuda_frame_writes_levels (const BdctCudaFrame *frame)
{
  return frame->jobs.n_launches > 0 && frame->jobs.launch[0].levels;
}

/* Whether the launches can be joined with those of other frames: not if they
 * write levels, as all frames share their memory. */
static inline bool
bdct_cuda_frame_shares_launches (const BdctCudaFrame *frame)
{
  return frame->plan.n_distorted == 0
      && !bdct_cuda_frame_writes_levels (frame);
}

/* Whether anything but statistics goes to the host. */
bool bdct_cuda_frame_downloads (const BdctCudaFrame *frame);

/* Enqueue the copies of all but the statistics to the host; and, once they are
 * done, finish them. */
bool bdct_cuda_frame_download (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);
void bdct_cuda_frame_finish (BdctCudaFrame *frame, BdctStaging *staging);

/* Write the statistics of a frame that is done, as BdctEngineClass.collect()
 * does. `first`, `first_counts`: of the results, on the host; `price`: of the
 * counts; NULL: not known. */
void bdct_cuda_frame_count (BdctCudaFrame *frame, const BdctLayout *layout,
    const BdctCudaAccumulator *first, const BdctRateCounts *first_counts,
    const BdctStats *price, BdctStats *stats);

#endif
