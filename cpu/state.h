/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine's inside: a queue of frames (engine.c), how a frame is cut
 * into pieces of work (frame.c, frame-metrics.c), and the work on a piece
 * (work.c, quadtree.c). A comparison is such a frame too, whose passes'
 * pictures are given (comparison.c).
 *
 * A pass over a frame is that of the quantizers, or one of each trial. Passes of
 * one transform are done together, some at a time, which is a batch. A batch is
 * cut into strips as high as a tile of one component, or, of several block
 * sizes, as high as chroma's tiles.
 *
 * What has to wait for all of what comes before it is another stage of the
 * frame. The worker threads take the pieces of a stage in order. CABAC's bits
 * take two stages a batch: strips, whose bins are counted and stay, and the
 * segments of these bins. Where a view shows the first pass' picture, that goes
 * into an image of the engine's own; another stage draws the view, in strips
 * again. Of R, G and B the first stage makes planes, and the last one R, G and
 * B of planes (cpu/simd/colour-rows.h). Metrics are stages of their own behind
 * a batch's (frame-metrics.c), which then makes pictures; luma that is compared
 * with that of frames before is copied in a stage of its own. */
#ifndef BDCT_CPU_H
#define BDCT_CPU_H

#include <pthread.h>
#include "cpu/simd/colour-rows.h"
#include "cpu/simd/compare-rows.h"
#include "cpu/simd/tile32.h"
#include "dct/engine/engine.h"
#include "dct/entropy/rate.h"
#include "dct/metrics/run.h"
#include "dct/picture/render.h"
#include "dct/picture/zoom.h"

/* The most passes of a batch: what their bins take is bounded by it. */
#define MAX_BATCH BDCT_TILE_JOBS

/* The most passes of a frame. */
#define MAX_PASSES (1 + BDCT_MAX_TRIALS)

/* A job of several block sizes, prepared (quadtree.c). */
typedef struct BdctCpuTree BdctCpuTree;

/* A job: one of the quantizers, or one pass over the frame. */
typedef struct {
  BdctJob job;
  bool prepared;                /* the quantizers, or the tree, are this job's */
  BdctCpuTree *tree;            /* NULL until needed */
  BdctTileQuantizer set[BDCT_MAX_COMPONENTS];
  /* Of a pass, which the first of the quantizers is for all. */
  BdctImage rec;                /* no data: nobody asked for a picture */
  BdctTilePlane plane[BDCT_MAX_COMPONENTS];
  int strips[BDCT_MAX_COMPONENTS]; /* 0 for a component the format lacks */
  int sub_x[BDCT_MAX_COMPONENTS], sub_y[BDCT_MAX_COMPONENTS];
  BdctStats stats;
  BdctRateCounts counts;
  uint64_t *bins[BDCT_MAX_COMPONENTS];    /* for CABAC's second stage */
  /* For Huffman coding, the first and the last DC of each strip. */
  BdctLevel (*ends[BDCT_MAX_COMPONENTS])[2];
  BdctLevel (*all_ends)[2];     /* NULL until something needs them */
  BdctMetricsRun metrics;
  uint8_t *sizes;               /* a tree's (engine.h); NULL: not asked */
} Pass;

typedef struct {
  int n;
  Pass *pass[MAX_BATCH];
} Batch;

typedef struct {
  enum
  { STAGE_SPLIT, STAGE_PACK, STAGE_KEEP, STAGE_ERRORS, STAGE_STRIPS,
    STAGE_SEGMENTS, STAGE_METRICS, STAGE_FIGURES, STAGE_BLOCKS, STAGE_MAP,
    STAGE_VIEW, STAGE_JOIN, STAGE_JOIN_VIEW, STAGE_ZOOM }
  kind;
  int batch;                    /* the first, or that of the segments and of
                                   the metrics */
  int step;                     /* of the metrics: their stage */
  int n_pieces;
} Stage;

/* A picture of a comparison. */
typedef struct {
  BdctImage image;              /* the caller's */
  BdctImage planes;             /* in the engine's layout */
  bool packs;                   /* some of these are made of it, in `memory` */
  bool in_place[BDCT_MAX_PLANES];       /* ... but these */
  BdctScattered component[BDCT_MAX_COMPONENTS];
  uint8_t *memory;              /* NULL until needed */
} CpuPicture;

typedef struct {
  int n;                        /* distorted pictures, behind the reference */
  int left, right;              /* which ones the view shows */
  CpuPicture picture[1 + BDCT_MAX_DISTORTED];
  BdctMetricPlane seen;         /* what a metric's map is of; its memory: the
                                   map, NULL until needed */
  BdctMetricMap map;
  BdctZoom zoom;
  uint8_t *base;                /* of the zoom; NULL until needed */
} CpuComparison;

typedef struct {
  bool rate, trial_files;
  int n_trials;
  /* The sets, then the others; NULL until there is such a one. */
  Pass *pass[BDCT_MAX_QUANTIZERS - 1 + MAX_PASSES];
  int n_batches, n_stages;
  int stage;                    /* the one that is worked on */
  int next_piece, done_pieces;  /* of it */
  BdctRender render;
  BdctColour colour;
  uint8_t *planes, *rec, *shown;        /* its images; NULL until needed */
  /* NULL until something needs them, for the layout's most blocks. */
  uint8_t *scratch, *quantizer_map, *own_sizes;
  BdctBlockRecord *blocks;
  uint64_t *bins;               /* of a batch */
  size_t n_bins;                /* words of them */
  unsigned metrics, trial_metrics;
  BdctMetricPlane luma;         /* what is kept, in `memory` */
  bool keeps, needs_kept;       /* that; its own or those before it */
  CpuComparison comparison;
  int kept_stage;               /* the first one behind it; 0: there is none */
  /* Of a batch's passes; NULL until needed. */
  uint8_t *pictures[MAX_BATCH], *metric_memory[MAX_BATCH];
  size_t metric_size[MAX_BATCH];
  /* As many as there are; most of a slot, and not cleared when it is made. */
  Batch batch[MAX_PASSES];
  Stage stages[(3 + BDCT_METRIC_STAGES) * MAX_PASSES + 4];
} Slot;

/* A frame's luma in 16 bits, for those after it. */
typedef struct {
  uint16_t *samples;            /* NULL until something needs them */
  bool there;
  uint64_t number;
} Kept;

typedef struct {
  BdctEngine engine;
  const BdctTileKernel *kernel;
  BdctLayout layout;
  BdctJob compared;             /* stands for those of given pictures */
  BdctLevel *strip_levels;      /* of a batch's strip, for each thread and the
                                   caller's; NULL until something needs them */
  uint8_t *tree_scratch;        /* likewise, of a region's blocks */
  bool alone;                   /* small frames are left to the caller */

  pthread_mutex_t lock;
  pthread_cond_t work, done;
  bool quit;                    /* protected by lock, as all below */
  Slot *slots;
  unsigned depth, oldest, in_flight;
  Kept kept[BDCT_MAX_DEPTH + BDCT_MORE_KEPT];    /* by number */

  unsigned max_threads, n_threads;      /* there may be; have begun */
  unsigned n_workers;           /* that know which they are */
  pthread_t threads[];
} CpuEngine;

/* A piece of work, and what comes of it. */
typedef struct {
  unsigned worker;
  Slot *slot;
  const Stage *stage;
  int number;
  Batch *batch;                 /* NULL: nothing to add up */
  /* Of each component of a plane of memory, or of a tree's: */
  int n_components, component[BDCT_MAX_COMPONENTS];
  BdctTileStrip strip[BDCT_MAX_COMPONENTS][MAX_BATCH];
  uint32_t counter[BDCT_MAX_COMPONENTS][MAX_BATCH][BDCT_RATE_COUNTERS];
  uint64_t area[MAX_BATCH][BDCT_TREE_SIZES];
  uint64_t cost;                /* of a piece of pass' segments */
  int n_rgb;                    /* passes with errors of R, G and B */
  uint64_t rgb_sse[BDCT_MAX_DISTORTED][3];
  Pass *pass;
} Piece;

/* Pass `i` of a frame: that of the quantizers, then those of the others. */
static inline Pass *
bdct_cpu_pass (const Slot * slot, int i)
{
  return slot->pass[i == 0 ? 0 : BDCT_MAX_QUANTIZERS - 1 + i];
}

/* Do a piece of work (work.c). */
void bdct_cpu_work (CpuEngine *self, Piece *piece);

/* Add a piece's results to its passes. Called with the lock, unless no other
 * thread knows the frame. */
void bdct_cpu_add_up (const Piece *piece);

/* Count the pieces of a pass' strips, and of a component's segments of bins;
 * the words of its bins; the levels of a piece's strips. */
int bdct_cpu_count_strips (const Pass *pass);
int bdct_cpu_count_segment_pieces (const Pass *pass, int c);
size_t bdct_cpu_count_bins (const Pass *pass, int c);
size_t bdct_cpu_piece_levels (const BdctLayout *layout);

/* A pass with several block sizes (quadtree.c): prepare its job, in
 * `*memory`, allocated if NULL; a thread's bytes of scratch; count its pieces,
 * and do one for all passes of a batch; a component's segments of bins (each
 * has as many), the words of one, and where it is. */
bool bdct_cpu_tree_init (BdctCpuTree **memory, const BdctJob *job);
size_t bdct_cpu_tree_scratch_size (void);
int bdct_cpu_count_tree_strips (const Pass *pass);
void bdct_cpu_work_on_tree (CpuEngine *self, Batch *batch, int number,
    Piece *piece);
int bdct_cpu_count_tree_segments (const Pass *pass);
size_t bdct_cpu_count_tree_words (const Pass *pass, int c);
uint64_t *bdct_cpu_find_tree_run (const Pass *pass, int c, int segment);

static inline bool
bdct_cpu_is_tree (const Pass * pass)
{
  return bdct_job_is_tree (&pass->job);
}

/* Describe a frame's work in a slot that is free, with all memory that it needs
 * (frame.c). */
bool bdct_cpu_start_frame (CpuEngine *self, Slot *slot, const BdctFrame *frame,
    BdctError *error);

/* Parts of that: prepare the slot's i-th pass for a job; set its images;
 * group passes of one transform; clear the stages; add one; add those of a
 * batch's metrics, and return whether there are any. */
bool bdct_cpu_prepare_pass (Slot *slot, int i, const BdctJob *job);
void bdct_cpu_start_pass (const CpuEngine *self, Pass *pass,
    const BdctImage *src, const BdctImage *dst);
void bdct_cpu_make_batches (Slot *slot);
void bdct_cpu_start_stages (Slot *slot);
Stage *bdct_cpu_add_stage (Slot *slot, int kind, int batch);
bool bdct_cpu_add_metrics (Slot *slot, int b);

/* A comparison's start (comparison.c). */
bool bdct_cpu_start_comparison (CpuEngine *self, Slot *slot,
    const BdctComparison *comparison, BdctError *error);

/* Of a comparison (comparison-work.c), count the pieces that make a picture's
 * planes, its errors, and the records of the view's blocks; do one of these,
 * or a row of the view's map. */
int bdct_cpu_count_packed (const BdctLayout *layout);
int bdct_cpu_count_errors (const BdctLayout *layout);
int bdct_cpu_count_block_rows (const BdctLayout *layout);
void bdct_cpu_pack (const CpuEngine *self, const Slot *slot, int number);
void bdct_cpu_square (const CpuEngine *self, Batch *batch, int number,
    Piece *piece);
void bdct_cpu_measure_blocks (const CpuEngine *self, const Slot *slot,
    int number);
void bdct_cpu_work_on_map (const CpuEngine *self, const Slot *slot, int row);

/* Lay out an image in `*memory`, allocated if NULL; likewise in the engine's
 * layout; allocate `memory`, if NULL, with an entry for each block that a
 * transform may make of the layout; free a comparison's memory (memory.c). */
bool bdct_cpu_lay_out (const BdctLayout *layout, uint8_t **memory,
    BdctImage *image);
void *bdct_cpu_alloc_by_block (const CpuEngine *self, void *memory,
    size_t size);
bool bdct_cpu_own_image (const CpuEngine *self, uint8_t **memory,
    BdctImage *image);
void bdct_cpu_free_comparison (Slot *slot);

/* Prepare a frame's metrics, once its passes have started
 * (frame-metrics.c). */
bool bdct_cpu_prepare_metrics (CpuEngine *self, Slot *slot,
    const BdctFrame *frame, const BdctImage *src);

/* Count the pieces of a frame's luma to keep; keep one of them. */
int bdct_cpu_count_kept (const CpuEngine *self, const Slot *slot);
void bdct_cpu_keep (const Slot *slot, int number);

/* Whether the frames before the i-th in flight have kept the luma that it
 * reads. Called with the lock. */
bool bdct_cpu_has_kept (const CpuEngine *self, unsigned i);

/* Count a metrics stage's pieces in a batch, 0 behind the last stage; do one;
 * make the figures of one pass; free the memory. */
int bdct_cpu_count_metrics (const Slot *slot, const Batch *batch, int step);
void bdct_cpu_work_on_metrics (const Slot *slot, const Batch *batch, int step,
    int number);
void bdct_cpu_finish_metrics (const Slot *slot, const Batch *batch,
    int number);
void bdct_cpu_free_metrics (CpuEngine *self);

/* The statistics of a frame that is done, its bits too. */
void bdct_cpu_finish_frame (const CpuEngine *self, const Slot *slot,
    BdctStats *stats);

/* Free the memory of all slots, the array too. */
void bdct_cpu_free_slots (CpuEngine *self);

#endif
