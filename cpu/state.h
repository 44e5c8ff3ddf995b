/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine's inside, in the order of a frame's way: the queue (engine.c),
 * how a frame is prepared from its plan (dct/engine/plan.h; frame.c,
 * comparison.c), the steps (steps.c), of which some have a file of their own
 * (levels.c, quadtree.c, bits.c, frame-metrics.c, comparison.c).
 *
 * A part of a step becomes a stage, and a stage has pieces, which the worker
 * threads take in order. A stage begins when the one before is done. Strips are
 * as high as a tile of one component or, of several block sizes, as high as
 * chroma's tiles. The metrics have a part for each of their stages. */
#ifndef BDCT_CPU_STATE_H
#define BDCT_CPU_STATE_H

#include <pthread.h>
#include "cpu/simd/colour-rows.h"
#include "cpu/simd/compare-rows.h"
#include "cpu/simd/tile32.h"
#include "dct/engine/plan.h"
#include "dct/entropy/cabac-price.h"
#include "dct/metrics/run.h"
#include "dct/picture/render.h"
#include "dct/picture/zoom.h"

/* A prepared job of several block sizes (quadtree.c). */
typedef struct BdctCpuTree BdctCpuTree;

/* The job of a frame, or a distorted picture of a comparison: tables, which
 * last as long as the job; the planes it works on; its results. Quantizers
 * other than the first only have tables. */
typedef struct {
  BdctJob job;
  bool prepared;                /* the tables are those of `job` */
  BdctCpuTree *tree;            /* NULL until needed */
  BdctTileQuantizer quantizer[BDCT_MAX_COMPONENTS];
  BdctTilePlane plane[BDCT_MAX_COMPONENTS];
  int strips[BDCT_MAX_COMPONENTS]; /* 0 for a component the format lacks */
  int sub_x[BDCT_MAX_COMPONENTS], sub_y[BDCT_MAX_COMPONENTS];
  BdctStats stats;
  BdctRateCounts counts;
  uint16_t *bins[BDCT_MAX_COMPONENTS];  /* records of their runs */
  uint16_t start[2][BDCT_CABAC_TREE_SLOTS];     /* of luma's, and chroma's */
  /* For Huffman coding, the first and the last DC of each strip. */
  BdctLevel (*ends[BDCT_MAX_COMPONENTS])[2];
  BdctLevel (*all_ends)[2];     /* NULL until needed */
  BdctMetricsRun metrics;
  uint8_t *sizes;               /* of a tree's blocks; NULL: not wanted */
  /* The caller's memory for each component; NULL: levels are neither input
   * nor output. */
  BdctLevel *levels[BDCT_MAX_COMPONENTS];
  BdctSamples drawn[BDCT_MAX_COMPONENTS];       /* picture of the levels; no
                                                 * data: none */
} CpuTask;

/* A part of a step. */
typedef struct {
  BdctStepKind kind;
  int part;
  int n_pieces;
} Stage;

typedef struct {
  int n, now;                   /* number of stages; the current stage */
  int next_piece, done_pieces;  /* of it */
  Stage stage[1 + BDCT_STEP_ZOOM + BDCT_METRIC_STAGES];
} CpuStages;

/* Memory of a frame, NULL until needed. It is kept from frame to frame. */
typedef struct {
  uint8_t *image[BDCT_PLAN_IMAGES];
  /* With an entry for each block of 4 x 4, the smallest size: */
  uint8_t *quantizer_map, *sizes;
  BdctBlockRecord *records;
  uint16_t *bins;               /* records of runs */
  size_t n_bins;                /* slots of them */
  BdctLevel *levels;            /* of a stack whose bits are wanted */
  uint8_t *metrics[BDCT_MAX_DISTORTED]; /* what those of a result take */
  size_t metrics_size[BDCT_MAX_DISTORTED];
  uint32_t *map;                /* of a metric */
} CpuMemory;

/* A picture of a comparison. */
typedef struct {
  BdctImage image;              /* the caller's */
  bool in_place[BDCT_MAX_PLANES];       /* a plane that is not packed */
  BdctScattered component[BDCT_MAX_COMPONENTS];
} CpuPicture;

/* A frame in flight. */
typedef struct {
  BdctPlan plan;
  CpuMemory memory;
  CpuStages stages;
  BdctBlockRecord *records;     /* the caller's or its own; NULL: none */
  int history_stage;            /* behind the copy to the history; 0: none */
  /* The quantizers, or the distorted pictures; NULL until there is such a
   * one. */
  CpuTask *task[BDCT_MAX_STACK_QUANTIZERS];
  BdctImage image[BDCT_PLAN_IMAGES];
  CpuPicture picture[1 + BDCT_MAX_DISTORTED];
  BdctMetricPlane luma;         /* what is copied to the history */
  BdctMetricPlane mapped;       /* what a metric's map is of */
  BdctColour colour;
  /* For a stack: as in BdctFrame. */
  ptrdiff_t src_pitch, dst_pitch;
  uint64_t (*stack_sse)[3];
  uint64_t (*stack_bits)[2];    /* NULL: not wanted */
  const uint8_t *stack_map;
  BdctRender render;
  BdctZoom zoom;
} CpuFrame;

/* A piece of work and its results. Each worker has one, on the heap. */
typedef struct {
  unsigned worker;
  CpuFrame *frame;
  const Stage *stage;
  int number;
  /* For each component of a plane of memory, or of a tree; 0: none */
  int n_components, component[BDCT_MAX_COMPONENTS];
  BdctTileStrip strip[BDCT_MAX_COMPONENTS];
  uint32_t counter[BDCT_MAX_COMPONENTS][BDCT_RATE_COUNTERS];
  uint64_t area[BDCT_TREE_SIZES];
  uint64_t price;               /* of segments, of the first component above;
                                 * else 0 */
  /* Of distorted pictures, by component: */
  int n_distorted;
  uint64_t sse[BDCT_MAX_DISTORTED][BDCT_MAX_COMPONENTS];
  int n_rgb;                    /* tasks with errors of R, G and B */
  uint64_t rgb_sse[BDCT_MAX_DISTORTED][3];
  int picture;                  /* of the picture of a stack that these
                                 * belong to */
} Piece;

/* Memory of each worker thread and, behind these, of the caller's thread.
 * All but the first two are NULL until needed. */
typedef struct {
  Piece *piece;
  uint8_t *kernels;             /* BDCT_SCRATCH_SIZE bytes each */
  BdctLevel *strip_levels;      /* of a strip */
  uint8_t *tree;                /* of a region's blocks */
} CpuScratch;

typedef struct {
  unsigned max, n;              /* threads: the maximum; started */
  unsigned n_numbered;          /* threads that have taken their number */
  bool quit;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  pthread_t thread[];
} CpuThreads;

typedef struct {
  BdctEngine engine;
  const BdctTileKernel *kernel;
  BdctLayout layout;
  BdctJob compared;             /* the job of given pictures (compare.h) */
  BdctHistory history;
  uint16_t *luma[BDCT_HISTORY_MAX];     /* of its places; NULL until needed */
  CpuScratch scratch;
  uint64_t alone;               /* samples that the caller's thread processes
                                 * by itself, in a plain frame */
  /* Protected by the lock, as are the stages of frames in flight: */
  CpuFrame *frames;
  unsigned depth, oldest, in_flight;
  CpuThreads threads;           /* last, because its length varies */
} CpuEngine;

/* The kernels' scratch memory of the piece's thread. */
static inline void *
bdct_cpu_scratch (const CpuEngine * self, const Piece * piece)
{
  return self->scratch.kernels + (size_t) piece->worker * BDCT_SCRATCH_SIZE;
}

/* The maximum number of levels of a strip. A thread has memory for those of
 * both components of a plane. */
static inline size_t
bdct_cpu_strip_levels (const BdctLayout * layout)
{
  return (size_t) (layout->plane[0].width + BDCT_TILE - 1) * BDCT_TILE;
}

static inline bool
bdct_cpu_is_tree (const CpuTask * task)
{
  return bdct_job_is_tree (&task->job);
}

/* A task's slots: log2 of the side of a component's blocks, 0 of a tree's. */
static inline int
bdct_cpu_slots_log2 (const CpuTask * task, int c)
{
  return bdct_cpu_is_tree (task) ? 0
      : bdct_cabac_log2_size (&task->job.component[c]);
}

/* Do a frame with an engine of its own, in the caller's thread (engine.c). */
bool bdct_cpu_run (const BdctLayout *layout, const BdctFrame *frame,
    BdctError *error);

/* Frames (frame.c, comparison.c) */

/* Prepare a frame, or a comparison, whose plan is made: memory and tasks. */
bool bdct_cpu_prepare_frame (CpuEngine *self, CpuFrame *frame,
    const BdctFrame *request);
bool bdct_cpu_prepare_comparison (CpuEngine *self, CpuFrame *frame,
    const BdctComparison *comparison);

/* Set the results of task `i`, which is allocated if NULL, to 0. */
bool bdct_cpu_start_task (const CpuEngine *self, CpuFrame *frame, int i,
    const BdctJob *job);

/* Allocate the plan's own images, and find all images. */
bool bdct_cpu_prepare_images (const CpuEngine *self, CpuFrame *frame,
    const BdctImage *src, const BdctImage *dst);

/* `memory` or, if NULL, new memory with this many bytes for each block of the
 * smallest size. */
void *bdct_cpu_alloc_by_block (const CpuEngine *self, void *memory,
    size_t size);

/* Memory of a size for each thread. */
void *bdct_cpu_alloc_by_thread (const CpuEngine *self, size_t size);

/* Allocate the memory that trees need besides their frame's. */
bool bdct_cpu_reserve_trees (CpuEngine *self);

/* Free the frames with all their memory. */
void bdct_cpu_free_frames (CpuEngine *self);

/* Steps (steps.c) */

/* Make the stages of the plan's steps. */
void bdct_cpu_make_stages (const CpuEngine *self, CpuFrame *frame);

/* Work on a piece. */
void bdct_cpu_work (CpuEngine *self, Piece *piece);

/* Add a piece's results to its tasks. Called with the lock, unless no other
 * thread knows the frame. */
void bdct_cpu_add_up (const Piece *piece);

/* The number of a step's pieces, and the work on one: luma is copied to the
 * history; bits are priced; the metrics of each stage, and in the last part
 * their figures; a comparison's planes are packed, its errors added up, its
 * records and its map made. */
#define BDCT_CPU_STEP(count, work)                                            \
  int count (const CpuEngine *self, const CpuFrame *frame, int part);         \
  void work (CpuEngine *self, Piece *piece)
BDCT_CPU_STEP (bdct_cpu_count_history, bdct_cpu_copy_history);
BDCT_CPU_STEP (bdct_cpu_count_bits, bdct_cpu_price_bits);
BDCT_CPU_STEP (bdct_cpu_count_metrics, bdct_cpu_work_on_metrics);
BDCT_CPU_STEP (bdct_cpu_count_packed, bdct_cpu_pack);
BDCT_CPU_STEP (bdct_cpu_count_errors, bdct_cpu_square);
BDCT_CPU_STEP (bdct_cpu_count_records, bdct_cpu_make_records);
BDCT_CPU_STEP (bdct_cpu_count_map, bdct_cpu_work_on_map);

/* Strips and their levels (levels.c) */

/* Transform a strip of the components of a plane of memory, or reconstruct it
 * from given levels of any size. */
void bdct_cpu_transform (const BdctTileKernel *kernel,
    const BdctTilePlane *const *planes, int row, BdctTileStrip *strips,
    void *scratch);

/* Draw the picture of the levels of a transform, whose first sample is (left,
 * top). */
void bdct_cpu_draw_levels (const BdctTilePlane *plane, const BdctSamples *to,
    const BdctComponentJob *job, const BdctLevel *levels, int left, int top);

/* Draw that of a strip. */
void bdct_cpu_draw_strip (const BdctTilePlane *plane, const BdctSamples *to,
    int row, const BdctLevel *levels);

/* Bits (bits.c) */

/* Prepare the counts of the first task, which has started. */
bool bdct_cpu_prepare_bits (const CpuEngine *self, CpuFrame *frame);

/* Count a strip's levels: symbols into `counter`, bins into records. */
void bdct_cpu_count_strip (const CpuTask *task, int c, int number,
    const BdctLevel *levels, BdctChromaFormat chroma,
    uint32_t counter[BDCT_RATE_COUNTERS]);

/* Set the bits of a finished task, after adding the DC differences from strip
 * to strip, which are not counted yet. */
void bdct_cpu_finish_bits (const CpuEngine *self, CpuTask *task);

/* Trees (quadtree.c) */

/* Prepare a job in `*memory`, which is allocated if NULL. */
bool bdct_cpu_tree_init (BdctCpuTree **memory, const BdctJob *job);

/* The bytes of a thread's scratch memory. */
size_t bdct_cpu_tree_scratch_size (void);

/* The number of pieces of a task. */
int bdct_cpu_count_tree_strips (const CpuTask *task);

/* The runs of bins of a component. */
int bdct_cpu_count_tree_runs (const CpuTask *task, int c);

/* Work on a piece. */
void bdct_cpu_work_on_tree (CpuEngine *self, Piece *piece);

/* Metrics (frame-metrics.c) */

/* Prepare the metrics of tasks that have started. */
bool bdct_cpu_prepare_metrics (CpuEngine *self, CpuFrame *frame);

/* Whether the frames before number i in flight have copied the luma that it
 * reads. Called with the lock. */
bool bdct_cpu_has_history (const CpuEngine *self, unsigned i);

#endif
