/* blockdct: a frame or a comparison in flight on the GPU: its plan
 * (dct/engine/plan.h), and its memory.
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
#include "dct/metrics/run.h"

/* Bytes of the accumulators of a frame, or of a distorted picture. */
#define BDCT_ACCUMULATORS_SIZE                                                \
  (BDCT_CUDA_ACCUMULATORS * sizeof (BdctCudaAccumulator))

/* The caller spins until the one event for the end of a frame, or sleeps until
 * the other. */
typedef enum {
  BDCT_UPLOADED, BDCT_COMPUTED, BDCT_DONE_SPINNING, BDCT_DONE_SLEEPING,
  BDCT_N_EVENTS
} BdctEventName;

typedef struct {
  cudaEvent_t event[BDCT_N_EVENTS];
  BdctEventName done;         /* which one to wait for */
} BdctCudaEvents;

/* What goes to the GPU or comes from there besides images; and results that
 * stay there. A frame that moves one of the first is started by itself. */
typedef enum {
  BDCT_ARRAY_RECORDS, /* of blocks */
  BDCT_ARRAY_SIZES,   /* of a tree's blocks */
  BDCT_ARRAY_LEVELS,
  BDCT_N_LARGE_ARRAYS,
  BDCT_ARRAY_MAP = BDCT_N_LARGE_ARRAYS, /* a quantizer's number for each block,
                                             then for each map tile */
  BDCT_ARRAY_METRIC_MAP, /* of luma, for a view */
  BDCT_ARRAY_METRICS, /* results of the metrics */
  BDCT_ARRAY_ZEROED,  /* these are zeroed for each frame: */
  BDCT_ARRAY_SUMS = BDCT_ARRAY_ZEROED, /* accumulators of the second distorted
                                            picture and those behind it */
  BDCT_ARRAY_COUNTS,  /* of each picture of a stack, a BdctRateCounts */
  BDCT_ARRAY_RGB_SSE, /* likewise, the errors of R, G and B */
  BDCT_N_ARRAYS
} BdctArrayName;

typedef enum { BDCT_STAYS, BDCT_GOES_UP, BDCT_COMES_DOWN } BdctWay;

/* `memory` is kept from frame to frame. Its part on the host has what goes up
 * or comes down, unless the GPU copies that from or to the caller by itself. */
typedef struct {
  BdctBuffer memory;
  void *device;               /* where kernels find it; NULL: there is none */
  void *caller;               /* where the caller has it on the host; NULL:
                                   nowhere */
  size_t size;                /* in bytes */
  BdctWay way;
  bool direct;                /* the GPU copies it by itself */
} BdctArray;

/* Where a frame's statistics are on the device. */
typedef struct {
  BdctCudaAccumulator *accumulators; /* of the first result */
  BdctRateCounts *counts;     /* if bits are wanted */
  int bits_slot;              /* whose memory the count of bits takes */
  bool bits_overlap;          /* it runs in that slot's stream */
} BdctCudaSums;

/* The launches of a frame's picture. */
typedef struct {
  BdctCudaLaunch launch[2];
  int n;                      /* 0: for trees, and from levels */
} BdctCudaLaunches;

/* The planes of a comparison's pictures that are packed. */
typedef struct {
  BdctCudaPack pack[(1 + BDCT_MAX_DISTORTED) * BDCT_MAX_PLANES];
  int n;
} BdctCudaPacks;

typedef struct {
  BdctPlan plan;              /* what is done, and in which order */
  BdctFrame request;          /* what the caller asked for; of a comparison:
                                   nothing */
  BdctJob quantizers[BDCT_MAX_STACK_QUANTIZERS]; /* the request's; of a
                                   comparison, bdct_comparison_job() */
  BdctCudaEvents events;
  BdctEndpoint src[1 + BDCT_MAX_DISTORTED]; /* the caller's pictures: a frame
                                   has the first */
  BdctEndpoint dst;
  BdctImage image[BDCT_PLAN_IMAGES]; /* the plan's images, on the device */
  BdctBuffer own[BDCT_PLAN_IMAGES]; /* memory of those that are the engine's */
  unsigned ring_index;        /* where BdctStaging.ring has planes of R, G and
                                   B: of the frame before, if they are its */
  BdctArray array[BDCT_N_ARRAYS];
  BdctCudaWork work[BDCT_TREE_SIZES]; /* the planes to transform, without any
                                   output: of a tree in blocks of each size,
                                   else the first */
  BdctCudaLaunches launches;
  BdctCudaPacks packs;
  BdctMetricsRun metrics[BDCT_MAX_DISTORTED]; /* of each result */
  BdctCudaSums sums;
} BdctCudaFrame;

bool bdct_cuda_frame_init (BdctCudaFrame *frame, BdctError *error);
void bdct_cuda_frame_clear (BdctCudaFrame *frame, bool in_context);

/* Begin another frame, whose plan is set, with these jobs, in the memory of
 * the one before. */
void bdct_cuda_frame_begin (BdctCudaFrame *frame, const BdctJob *quantizers,
    int n);

/* Allocate the images of the place OWN, and set all images. Call
 * bdct_staging_place() for the endpoints first. `src`: as
 * bdct_plan_find_images() takes it. */
bool bdct_cuda_frame_place_images (BdctCudaFrame *frame, BdctStaging *staging,
    const BdctImage *src, BdctError *error);

/* Allocate an array of `size` bytes, and enqueue its upload if it goes up from
 * the caller. */
bool bdct_cuda_frame_place_array (BdctCudaFrame *frame, BdctArrayName name,
    size_t size, BdctWay way, void *caller, const BdctStaging *staging,
    BdctError *error);

/* Enqueue the upload of an array; `data` is in its memory on the host, or in
 * the caller's. */
bool bdct_array_upload (const BdctArray *array, const void *data,
    const BdctStaging *staging, BdctError *error);

/* After all uploads: let the kernels wait for them, and choose how to wait for
 * the frame. */
bool bdct_cuda_frame_end_uploads (BdctCudaFrame *frame,
    const BdctStaging *staging, BdctError *error);

/* Prepare all of a frame whose plan and first sums are set, and enqueue its
 * uploads, for which its kernels' stream then waits. `before`: the frame whose
 * source it shares, if it does; may be the same memory. After an error nothing
 * uses the caller's memory any longer. */
bool bdct_cuda_prepare_frame (BdctCudaFrame *frame, BdctStaging *staging,
    const BdctFrame *request, const BdctCudaFrame *before, BdctError *error);

/* The same for a comparison. `job`: bdct_comparison_job(). */
bool bdct_cuda_prepare_comparison (BdctCudaFrame *frame, BdctStaging *staging,
    const BdctComparison *comparison, const BdctJob *job, BdctError *error);

/* The accumulators of distorted picture `i`, and the counters of bits. */
BdctCudaAccumulator *bdct_cuda_frame_accumulators (const BdctCudaFrame *frame,
    int i);
unsigned long long *bdct_cuda_frame_counts (const BdctCudaFrame *frame);

/* Where a component's levels and records are on the device; NULL: nowhere. */
BdctLevel *bdct_cuda_frame_levels (const BdctCudaFrame *frame, int component);
BdctBlockRecord *bdct_cuda_frame_records (const BdctCudaFrame *frame,
    int component);

/* Set an output of some work: where the statistics are added up, the picture,
 * the frame's records. */
void bdct_cuda_work_set_accumulators (BdctCudaWork *work,
    BdctCudaAccumulator *accumulators);
void bdct_cuda_work_set_image (BdctCudaWork *work, const BdctLayout *layout,
    const BdctImage *image);
void bdct_cuda_work_set_records (BdctCudaWork *work,
    const BdctCudaFrame *frame);

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
  return frame->launches.n > 0 && frame->launches.launch[0].levels;
}

/* Whether anything but statistics goes to the host. */
bool bdct_cuda_frame_downloads (const BdctCudaFrame *frame);

/* Enqueue zeroing what kernels add to; the copies of all that goes to the host,
 * but the first accumulators and counts; and, once these are done, finish
 * them. */
bool bdct_cuda_frame_zero (const BdctCudaFrame *frame, cudaStream_t stream,
    BdctError *error);
bool bdct_cuda_frame_download (BdctCudaFrame *frame, BdctStaging *staging,
    cudaStream_t stream, BdctError *error);
void bdct_cuda_frame_finish (BdctCudaFrame *frame, BdctStaging *staging);

/* Write the statistics of a frame that is done, without its metrics, as
 * BdctEngineClass.collect() does. `first`, `first_counts`: of the results, on
 * the host; `price`: of the counts; NULL: not known. */
void bdct_cuda_frame_get_stats (BdctCudaFrame *frame,
    const BdctLayout *layout, const BdctCudaAccumulator *first,
    const BdctRateCounts *first_counts, const BdctStats *price,
    BdctStats *stats);

#endif
