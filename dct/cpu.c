/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine: a queue of frames. A pass over a frame is that of the sets,
 * or one of each other job. Passes of one transform are done together, some at
 * a time, which is a batch. A batch is cut into strips as high as a tile of one
 * component.
 *
 * What has to wait for all of what comes before it is another stage of the
 * frame. The worker threads take the pieces of a stage in order. CABAC's bits
 * take two stages a batch: strips, whose bins are counted and stay, and the
 * segments of these bins. Where a view is asked for, the first pass'
 * picture goes into an image of the engine's own, from which another stage
 * draws it, in strips again. Of R, G and B the first stage makes planes, and
 * the last one R, G and B of planes (colour-cpu.h). */
#define _GNU_SOURCE             /* sched_getaffinity */
#include "engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bins.h"
#include "colour-cpu.h"
#include "count.h"
#include "render-cpu.h"
#include "tile.h"

/* The most passes of a batch: what their bins take is bounded by it. */
#define MAX_BATCH BDCT_TILE_JOBS

/* Segments that are priced in one piece. */
#define SEGMENTS 32

/* Samples that one thread transforms before another one has woken up, and what
 * a frame with its bits costs beside one without. */
#define ALONE 32768
#define RATE_COST 3

/* A job: one of the sets, or one pass over the frame. */
typedef struct {
  BdctJob job;
  bool prepared;                /* the sets are this job's */
  BdctTileSet set[BDCT_MAX_COMPONENTS];
  /* Of a pass, which the first of the sets is for all. */
  BdctTilePlane plane[BDCT_MAX_COMPONENTS];
  int strips[BDCT_MAX_COMPONENTS]; /* 0 for a component the format lacks */
  BdctStats stats;
  BdctRateCounts counts;
  uint64_t *bins[BDCT_MAX_COMPONENTS];    /* for CABAC's second stage */
  /* For Huffman coding, the first and the last DC of each strip. */
  BdctLevel (*ends[BDCT_MAX_COMPONENTS])[2];
  BdctLevel (*all_ends)[2];     /* NULL until something needs them */
} Pass;

typedef struct {
  int n;
  Pass *pass[MAX_BATCH];
} Batch;

typedef struct {
  enum
  { STAGE_SPLIT, STAGE_STRIPS, STAGE_SEGMENTS, STAGE_VIEW, STAGE_JOIN } kind;
  int batch;                    /* the first, or that of the segments */
  int n_pieces;
} Stage;

typedef struct {
  bool rate, other_files;
  int n_others;
  /* The sets, then the others; NULL until there is such a one. */
  Pass *pass[BDCT_MAX_SETS + BDCT_MAX_OTHERS];
  Batch batch[1 + BDCT_MAX_OTHERS];
  Stage stages[2 * (1 + BDCT_MAX_OTHERS) + 3];
  int n_batches, n_stages;
  int stage;                    /* the one that is worked on */
  int next_piece, done_pieces;  /* of it */
  BdctRender render;
  BdctColour colour;
  uint8_t *planes, *rec, *shown;        /* its images; NULL until needed */
  /* NULL until something needs them, for the layout's most blocks. */
  uint8_t *scratch, *set_of_block;
  BdctBlockRecord *blocks;
  uint64_t *bins;               /* of a batch */
  size_t n_bins;                /* words of them */
} Slot;

typedef struct {
  BdctEngine engine;
  const BdctTileKernel *kernel;
  BdctLayout layout;
  BdctLevel *strip_levels;      /* of a batch's strip, for each thread and the
                                   caller's; NULL until something needs them */
  bool alone;                   /* small frames are left to the caller */

  pthread_mutex_t lock;
  pthread_cond_t work, done;
  bool quit;                    /* protected by lock, as all below */
  Slot *slots;
  unsigned depth, oldest, in_flight;

  unsigned max_threads, n_threads;      /* there may be; have begun */
  unsigned n_workers;           /* that know which they are */
  pthread_t threads[];
} CpuEngine;

/* What the passes of a frame read and make, and what a view is drawn on; what
 * is not needed has no data. */
typedef struct {
  BdctImage src, rec, levels, view;
} Images;

/* A piece of work, and what comes of it. */
typedef struct {
  unsigned worker;
  Slot *slot;
  const Stage *stage;
  int number;
  Batch *batch;                 /* NULL: nothing to add up */
  /* Of each component of a plane of memory: */
  int n_components, component[2];
  BdctTileStrip strip[2][MAX_BATCH];
  uint32_t counter[2][MAX_BATCH][BDCT_RATE_COUNTERS];
  uint64_t cost;                /* of a piece of pass' segments */
  uint64_t sse[3];              /* of R, G and B */
  Pass *pass;
} Piece;

/* Called with the lock: the oldest frame with a piece that nobody has taken and
 * that can be worked on. */
static Slot *
find_work (CpuEngine * self)
{
  for (unsigned i = 0; i < self->in_flight; i++) {
    Slot *slot = &self->slots[(self->oldest + i) % self->depth];

    if (slot->stage < slot->n_stages
        && slot->next_piece < slot->stages[slot->stage].n_pieces)
      return slot;
  }
  return NULL;
}

/* Pass `i` of a frame. */
static Pass *
find_pass (const Slot * slot, int i)
{
  return slot->pass[i == 0 ? 0 : BDCT_MAX_SETS - 1 + i];
}

/* Pieces of a component's strips: none of the second one of a plane of memory,
 * which the first one's are of, too. */
static int
count_pieces (const Pass * pass, int c)
{
  const BdctPlaneLayout *layout = &pass->plane[c].layout;

  return pass->strips[c] > 0 && layout->interleave == 2
      && (int) layout->component[1] == c ? 0 : pass->strips[c];
}

static int
count_strips (const Pass * pass)
{
  return count_pieces (pass, 0) + count_pieces (pass, 1)
      + count_pieces (pass, 2);
}

static size_t
count_blocks (const BdctBlockGrid * grid)
{
  return (size_t) grid->columns * grid->rows;
}

/* The most levels of a strip whose bits are asked for. */
static size_t
strip_levels (const BdctLayout * layout)
{
  return (size_t) (layout->plane[0].width + BDCT_TILE - 1) * BDCT_TILE;
}

/* Of a batch's strips of a plane of memory. */
static size_t
piece_levels (const BdctLayout * layout)
{
  int n = 1;

  for (int p = 0; p < layout->n_planes; p++)
    if (layout->plane[p].interleave > n)
      n = layout->plane[p].interleave;
  return n * MAX_BATCH * strip_levels (layout);
}

/* Blocks of a component's strip, but for the last one. */
static size_t
strip_blocks (const Pass * pass, int c)
{
  const BdctComponentJob *job = &pass->job.component[c];

  return (size_t) (bdct_tile_side (job) >> job->log2_height)
      * pass->plane[c].grid.columns;
}

/* The segments of a component's bins; 0 if nothing prices them. */
static int
count_segments (const Pass * pass, int c)
{
  const int log2_size = bdct_cabac_log2_size (&pass->job.component[c]);
  const int n = bdct_cabac_segment_blocks (log2_size);

  return bdct_rate_coder (pass->job.family) != BDCT_CODER_CABAC
      || log2_size == 0 || pass->strips[c] == 0 ? 0
      : (count_blocks (&pass->plane[c].grid) + n - 1) / n;
}

/* Words for a component's bins. */
static size_t
count_bins (const Pass * pass, int c)
{
  const int n_segments = count_segments (pass, c);

  return n_segments == 0 ? 0
      : bdct_bins_words (count_blocks (&pass->plane[c].grid),
      bdct_cabac_log2_size (&pass->job.component[c]))
      + (size_t) (pass->strips[c] + n_segments) * BDCT_BINS_RUN;
}

/* The run of blocks that a strip and a segment have in common: the first of
 * them, the first behind them, and their bins. From one run to the next the
 * strip or the segment goes on, or both. */
static uint64_t *
find_run (const Pass * pass, int c, int strip, int segment, size_t * from,
    size_t * to)
{
  const int log2_size = bdct_cabac_log2_size (&pass->job.component[c]);
  const size_t in_strip = strip_blocks (pass, c);
  const size_t in_segment = bdct_cabac_segment_blocks (log2_size);

  *from = strip * in_strip;
  if (*from < segment * in_segment)
    *from = segment * in_segment;
  *to = count_blocks (&pass->plane[c].grid);
  if (*to > (strip + 1) * in_strip)
    *to = (strip + 1) * in_strip;
  if (*to > (segment + 1) * in_segment)
    *to = (segment + 1) * in_segment;
  return pass->bins[c] + bdct_bins_words (*from, log2_size)
      + (size_t) (strip + segment) * BDCT_BINS_RUN;
}

/* Write and count the bins of a strip's levels. */
static void
write_bins (const Pass * pass, int c, int number, const BdctLevel * levels,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctComponentJob *job = &pass->job.component[c];
  const int log2_size = bdct_cabac_log2_size (job);
  size_t from = number * strip_blocks (pass, c), to;
  size_t end = from + strip_blocks (pass, c);

  if (end > count_blocks (&pass->plane[c].grid))
    end = count_blocks (&pass->plane[c].grid);
  for (; from < end; from = to) {
    uint64_t *run = find_run (pass, c, number,
        from / bdct_cabac_segment_blocks (log2_size), &from, &to);

    bdct_bins_write (run, levels, to - from, log2_size, c != BDCT_Y, counter);
    levels += (to - from) << 2 * log2_size;
  }
}

/* Count what is in a strip's levels. */
static void
count_strip (Pass * pass, int c, int number, const BdctLevel * levels,
    const BdctChromaFormat chroma, uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctComponentJob *job = &pass->job.component[c];
  BdctBlockGrid grid = pass->plane[c].grid;
  const int n = bdct_tile_side (job) >> job->log2_height;
  const int size = bdct_rate_block_levels (job);
  BdctScan scan;

  memset (counter, 0, BDCT_RATE_COUNTERS * sizeof *counter);
  if (bdct_rate_coder (pass->job.family) == BDCT_CODER_CABAC) {
    write_bins (pass, c, number, levels, counter);
    return;
  }
  if (grid.rows - number * n < n)
    grid.rows -= number * n;
  else
    grid.rows = n;
  scan = bdct_scan_init (&grid, chroma, c);
  bdct_count_huffman (levels, &scan, counter);
  pass->ends[c][number][0] = levels[0];
  pass->ends[c][number][1] = levels[(count_blocks (&grid) - 1) * size];
}

/* Have the tiles of a strip of all that is in a plane of memory. */
static void
transform_strip (CpuEngine * self, Piece * piece, int row)
{
  const BdctTilePlane *planes[2][MAX_BATCH];
  const int n = piece->batch->n;
  const BdctTileKernel *kernel = self->kernel;
  bool chain16 = kernel->chain16 != NULL, real = kernel->real != NULL;

  for (int i = 0; i < piece->n_components; i++)
    for (int k = 0; k < n; k++) {
      planes[i][k] = &piece->batch->pass[k]->plane[piece->component[i]];
      chain16 = chain16 && bdct_tile_is_chain16 (planes[i][k]);
      real = real && bdct_tile_is_real (planes[i][k]);
    }
  if (chain16)
    (*kernel->chain16) (planes, n, row, piece->strip);
  else
    for (int i = 0; i < piece->n_components; i++)
      (real ? *kernel->real : kernel->plain->strip) (planes[i], n, row,
          piece->strip[i]);
}

/* A strip of a batch. */
static void
work_on_strip (CpuEngine * self, Batch * batch, int number, Piece * piece)
{
  const Pass *first = batch->pass[0];
  const BdctPlaneLayout *layout;
  BdctLevel *levels = NULL;
  int c = 0;

  for (; number >= count_pieces (first, c); c++)
    number -= count_pieces (first, c);
  layout = &first->plane[c].layout;
  piece->batch = batch;
  piece->n_components = layout->interleave;
  memcpy (piece->component, (int[2]) { c, layout->component[1] },
      sizeof piece->component);
  memset (piece->strip, 0, sizeof piece->strip);
  if (piece->slot->rate
      && (bdct_rate_coder (first->job.family) == BDCT_CODER_HUFFMAN
          || bdct_cabac_log2_size (&first->job.component[c]) > 0))
    levels = self->strip_levels + piece->worker * piece_levels (&self->layout);
  for (int i = 0; levels != NULL && i < piece->n_components; i++)
    for (int k = 0; k < batch->n; k++, levels += strip_levels (&self->layout))
      piece->strip[i][k].levels = levels;
  transform_strip (self, piece,
      number * bdct_tile_side (&first->job.component[c]));
  for (int i = 0; levels != NULL && i < piece->n_components; i++)
    for (int k = 0; k < batch->n; k++)
      count_strip (batch->pass[k], piece->component[i], number,
          piece->strip[i][k].levels, self->layout.chroma,
          piece->counter[i][k]);
}

/* Pieces of SEGMENTS segments. */
static int
count_segment_pieces (const Pass * pass, int c)
{
  return (count_segments (pass, c) + SEGMENTS - 1) / SEGMENTS;
}

/* Have states adapt to a segment (bins.h). */
static uint64_t
adapt_to_segment (const Pass * pass, int c, int segment,
    BdctBinsState first[BDCT_CABAC_CONTEXTS],
    BdctBinsState second[BDCT_CABAC_CONTEXTS])
{
  const int log2_size = bdct_cabac_log2_size (&pass->job.component[c]);
  size_t from = (size_t) segment * bdct_cabac_segment_blocks (log2_size), to;
  size_t end = from + bdct_cabac_segment_blocks (log2_size);
  uint64_t cost = 0;

  if (end > count_blocks (&pass->plane[c].grid))
    end = count_blocks (&pass->plane[c].grid);
  for (; from < end; from = to)
    cost += bdct_bins_adapt (find_run (pass, c, from / strip_blocks (pass, c),
            segment, &from, &to), first, second);
  return cost;
}

/* Some segments of a batch. While states that have adapted to the segment
 * before price one, others adapt to it, which price the next. */
static void
work_on_segments (Batch * batch, int number, Piece * piece)
{
  BdctBinsState start[BDCT_CABAC_CONTEXTS], now[BDCT_CABAC_CONTEXTS];
  BdctBinsState next[BDCT_CABAC_CONTEXTS];
  int i = 0, c = 0, from, to;
  Pass *pass;

  for (; number >= count_segment_pieces (batch->pass[i], c);
      i += (c + 1) / BDCT_MAX_COMPONENTS, c = (c + 1) % BDCT_MAX_COMPONENTS)
    number -= count_segment_pieces (batch->pass[i], c);
  pass = batch->pass[i];
  from = number * SEGMENTS;
  to = count_segments (pass, c);
  if (to > from + SEGMENTS)
    to = from + SEGMENTS;
  bdct_bins_start (&pass->counts, c != BDCT_Y, start);
  piece->pass = pass;
  piece->component[0] = c;
  piece->cost = 0;
  memcpy (now, start, sizeof now);
  memcpy (next, start, sizeof next);
  if (from > 0)
    adapt_to_segment (pass, c, from - 1, now, next);
  for (; from < to; from++) {
    memcpy (now, next, sizeof now);
    memcpy (next, start, sizeof next);
    piece->cost += adapt_to_segment (pass, c, from, now, next);
  }
}

static void
work (CpuEngine * self, Piece * piece)
{
  Slot *slot = piece->slot;
  Batch *batch = &slot->batch[piece->stage->batch];
  int number = piece->number;

  piece->batch = NULL;
  piece->pass = NULL;
  memset (piece->sse, 0, sizeof piece->sse);
  switch (piece->stage->kind) {
    case STAGE_SPLIT:
      self->kernel->colour->split (&slot->colour, number);
      break;
    case STAGE_STRIPS:
      for (; number >= count_strips (batch->pass[0]); batch++)
        number -= count_strips (batch->pass[0]);
      work_on_strip (self, batch, number, piece);
      break;
    case STAGE_SEGMENTS:
      work_on_segments (batch, number, piece);
      break;
    case STAGE_VIEW:
      bdct_render_strip (&slot->render, number);
      break;
    case STAGE_JOIN:
      self->kernel->colour->join (&slot->colour, number, piece->sse);
      break;
  }
}

/* Add to the passes what came of a piece. Called with the lock, but for a frame
 * that no other thread knows. */
static void
add_up (const Piece * piece)
{
  const Batch *batch = piece->batch;

  for (int i = 0; batch != NULL && i < piece->n_components; i++)
    for (int k = 0; k < batch->n; k++) {
      const BdctTileStrip *strip = &piece->strip[i][k];
      const int c = piece->component[i];
      Pass *pass = batch->pass[k];

      pass->stats.component[c].sse += strip->counters.sse;
      pass->stats.component[c].nonzero += strip->counters.nonzero;
      for (int n = 0; strip->levels != NULL && n < BDCT_RATE_COUNTERS; n++)
        pass->counts.counter[c][n] += piece->counter[i][k][n];
    }
  for (int k = 0; k < 3; k++)
    piece->slot->pass[0]->stats.rgb[k].sse += piece->sse[k];
  if (piece->pass != NULL)
    piece->pass->counts.counter[piece->component[0]][BDCT_RATE_COST] +=
        piece->cost;
}

static void *
worker (void *data)
{
  CpuEngine *self = data;
  Piece piece;

  pthread_mutex_lock (&self->lock);
  piece.worker = self->n_workers++;
  while (!self->quit) {
    Slot *slot = find_work (self);

    if (slot == NULL) {
      pthread_cond_wait (&self->work, &self->lock);
      continue;
    }
    piece.slot = slot;
    piece.stage = &slot->stages[slot->stage];
    piece.number = slot->next_piece++;
    pthread_mutex_unlock (&self->lock);

    work (self, &piece);

    pthread_mutex_lock (&self->lock);
    add_up (&piece);
    if (++slot->done_pieces == piece.stage->n_pieces) {
      slot->next_piece = slot->done_pieces = 0;
      if (++slot->stage == slot->n_stages)
        pthread_cond_signal (&self->done);
      else
        pthread_cond_broadcast (&self->work);
    }
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

/* Do a frame in the caller's thread; no other one knows it yet. */
static void
work_alone (CpuEngine * self, Slot * slot)
{
  Piece piece;

  piece.worker = self->max_threads;
  piece.slot = slot;
  for (; slot->stage < slot->n_stages; slot->stage++) {
    piece.stage = &slot->stages[slot->stage];
    for (piece.number = 0; piece.number < piece.stage->n_pieces;
        piece.number++) {
      work (self, &piece);
      add_up (&piece);
    }
  }
}

/* Begin the worker threads, if they are not there yet. */
static bool
start_threads (CpuEngine * self, BdctError * error)
{
  for (; self->n_threads < self->max_threads; self->n_threads++) {
    int err = pthread_create (&self->threads[self->n_threads], NULL, worker,
        self);
    if (err != 0)
      return bdct_error (error, "cannot start thread %u of %u: %s; ask for "
          "fewer", self->n_threads + 1, self->max_threads, strerror (err));
  }
  return true;
}

/* Whether the caller's thread does frames by itself, with so many times the
 * work of one pass. */
static bool
is_small (const CpuEngine * self, unsigned times)
{
  uint64_t n = 0;

  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *plane = &self->layout.plane[p];

    n += (uint64_t) plane->width * plane->height * plane->interleave;
  }
  return self->alone && n * times <= ALONE;
}

static void
free_slots (CpuEngine * self)
{
  for (unsigned i = 0; i < self->depth; i++) {
    Slot *slot = &self->slots[i];

    for (int k = 0; k < BDCT_MAX_SETS + BDCT_MAX_OTHERS; k++) {
      if (slot->pass[k] != NULL)
        free (slot->pass[k]->all_ends);
      free (slot->pass[k]);
    }
    free (slot->planes);
    free (slot->rec);
    free (slot->shown);
    free (slot->scratch);
    free (slot->set_of_block);
    free (slot->blocks);
    free (slot->bins);
  }
  free (self->slots);
  free (self->strip_levels);
  self->strip_levels = NULL;
}

static void
cpu_destroy (BdctEngine * engine)
{
  CpuEngine *self = (CpuEngine *) engine;

  while (self->in_flight)
    engine->klass->collect (engine, NULL, NULL);
  pthread_mutex_lock (&self->lock);
  self->quit = true;
  pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
  for (unsigned i = 0; i < self->n_threads; i++)
    pthread_join (self->threads[i], NULL);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->work);
  pthread_cond_destroy (&self->done);
  free_slots (self);
  free (self);
}

static unsigned
count_processors (void)
{
  cpu_set_t set;

  /* It fails on machines beyond a cpu_set_t's 1024 processors. */
  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return sysconf (_SC_NPROCESSORS_ONLN);
  return CPU_COUNT (&set);
}

static int
cpu_count_devices (BdctError * error)
{
  (void) error;
  return 1;
}

static BdctEngine *
cpu_create (const BdctEngineOptions * options, BdctError * error)
{
  const BdctTileKernel *const *kernel = bdct_tile_kernels ();
  unsigned n_threads = options->threads;
  CpuEngine *self;

  if (options->isa != NULL) {
    while (*kernel != NULL && strcmp ((*kernel)->isa, options->isa) != 0)
      kernel++;
    if (*kernel == NULL) {
      bdct_error (error, "this processor has no instruction set '%s'",
          options->isa);
      return NULL;
    }
  }
  bdct_count_init ();
  bdct_bins_init ();
  if (options->threads == 0)
    n_threads = count_processors ();
  self = calloc (1, sizeof *self + n_threads * sizeof self->threads[0]);
  if (self == NULL) {
    bdct_error (error, "out of memory");
    return NULL;
  }
  self->engine.klass = &bdct_cpu_engine;
  self->kernel = *kernel;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->work, NULL);
  pthread_cond_init (&self->done, NULL);
  self->max_threads = n_threads;
  self->alone = options->threads == 0;
  if (!self->alone && !start_threads (self, error)) {
    cpu_destroy (&self->engine);
    return NULL;
  }
  snprintf (self->engine.description, sizeof self->engine.description,
      "cpu:%s %u thread%s", self->kernel->isa, n_threads,
      n_threads == 1 ? "" : "s");
  return &self->engine;
}

static bool
cpu_configure (BdctEngine * engine, const BdctLayout * layout, unsigned depth,
    BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  Slot *slots;

  if (self->in_flight)
    return bdct_error (error, "%u frames are in flight", self->in_flight);
  if (depth < 1 || depth > BDCT_MAX_DEPTH)
    return bdct_error (error, "depth %u is outside 1 to %d", depth,
        BDCT_MAX_DEPTH);
  if (!bdct_layout_check (layout, error))
    return false;
  slots = calloc (depth, sizeof *slots);
  if (slots == NULL)
    return bdct_error (error, "out of memory");
  pthread_mutex_lock (&self->lock);
  free_slots (self);
  self->slots = slots;
  self->layout = *layout;
  self->depth = depth;
  self->oldest = 0;
  pthread_mutex_unlock (&self->lock);
  return is_small (self, 1) || start_threads (self, error);
}

/* An image of the engine's own for what a view is drawn from. */
static bool
scratch_image (CpuEngine * self, Slot * slot, BdctImage * image)
{
  size_t size = 0, offset[BDCT_MAX_PLANES];

  image->memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < self->layout.n_planes; p++) {
    size_t stride = (bdct_layout_row_size (&self->layout, p) + 63)
        & ~(size_t) 63;

    offset[p] = size;
    image->stride[p] = stride;
    size += stride * self->layout.plane[p].height;
  }
  if (slot->scratch == NULL)
    slot->scratch = aligned_alloc (64, size);
  if (slot->scratch == NULL)
    return false;
  for (int p = 0; p < self->layout.n_planes; p++)
    image->data[p] = slot->scratch + offset[p];
  return true;
}

/* Memory, if there is none yet, with an entry for each block that a transform
 * may make of the layout: none is smaller than 4 x 4. */
static void *
alloc_by_block (const CpuEngine * self, void *memory, size_t size)
{
  size_t n = 0;

  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *plane = &self->layout.plane[p];

    n += (size_t) (plane->width + 3) / 4 * ((plane->height + 3) / 4)
        * plane->interleave;
  }
  return memory != NULL ? memory : calloc (n, size);
}

/* Pass `i` with a job's tables, which stay from frame to frame. */
static bool
prepare_pass (Slot * slot, int i, const BdctJob * job)
{
  Pass *pass = slot->pass[i];

  if (pass == NULL) {
    pass = slot->pass[i] = aligned_alloc (64, (sizeof *pass + 63) / 64 * 64);
    if (pass == NULL)
      return false;
    pass->prepared = false;
    pass->all_ends = NULL;
  }
  if (!pass->prepared || memcmp (&pass->job, job, sizeof *job) != 0) {
    pass->job = *job;
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      bdct_tile_set_init (&pass->set[c], &pass->job, c);
    pass->prepared = true;
  }
  return true;
}

/* Describe a pass over the frame. */
static void
start_pass (const CpuEngine * self, Pass * pass, const BdctImage * src,
    const BdctImage * dst)
{
  const BdctLayout *layout = &self->layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  memset (&pass->stats, 0, sizeof pass->stats);
  memset (pass->strips, 0, sizeof pass->strips);
  bdct_engine_count (layout, &pass->job, &pass->stats);
  bdct_blocks_init (grid, layout, &pass->job);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      BdctComponent c = layout->plane[p].component[i];
      int side = bdct_tile_side (&pass->job.component[c]);
      BdctTilePlane *plane = &pass->plane[c];

      bdct_tile_plane_init (plane, &pass->job, c);
      plane->set[0] = &pass->set[c];
      plane->layout = layout->plane[p];
      plane->columns = layout->rgb.n_planes > 0
          ? bdct_colour_columns (layout, p) : layout->plane[p].width;
      plane->src = bdct_image_samples (src, layout, p, i);
      plane->dst = bdct_image_samples (dst, layout, p, i);
      plane->grid = grid[c];
      pass->strips[c] = (layout->plane[p].height + side - 1) / side;
    }
}

/* What the pass of the sets has and the others have not. */
static void
start_sets (const CpuEngine * self, Slot * slot, const BdctFrame * frame,
    BdctBlockRecord * blocks, const BdctImage * levels)
{
  const BdctLayout *layout = &self->layout;

  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      slot->pass[0]->plane[layout->plane[p].component[i]].levels =
          bdct_image_samples (levels, layout, p, i);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctTilePlane *plane = &slot->pass[0]->plane[c];

    for (int i = 1; i < frame->n_sets; i++)
      plane->set[i] = &slot->pass[i]->set[c];
    plane->blocks = blocks;
    if (frame->set_of_block != NULL)
      plane->set_of_block = slot->set_of_block;
  }
  if (frame->set_of_block != NULL)
    memcpy (slot->set_of_block, frame->set_of_block, frame->n_blocks);
}

/* Memory for what is counted of a frame's passes, which have started. */
static bool
prepare_rate (CpuEngine * self, Slot * slot)
{
  size_t n_strips = 0, n_bins = 0;

  /* No frame in flight uses these if there are none. */
  if (self->strip_levels == NULL)
    self->strip_levels = malloc ((self->max_threads + 1)
        * piece_levels (&self->layout) * sizeof *self->strip_levels);
  if (self->strip_levels == NULL)
    return false;
  for (int p = 0; p < self->layout.n_planes; p++)
    n_strips += (size_t) self->layout.plane[p].interleave
        * ((self->layout.plane[p].height + BDCT_TILE - 1) / BDCT_TILE);
  for (int i = 0; i < slot->n_batches; i++) {
    Batch *batch = &slot->batch[i];
    size_t of_pass = 0;

    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      of_pass += count_bins (batch->pass[0], c);
    if (n_bins < batch->n * of_pass)
      n_bins = batch->n * of_pass;
    for (int k = 0; k < batch->n; k++) {
      Pass *pass = batch->pass[k];

      if (pass->all_ends == NULL)
        pass->all_ends = malloc (n_strips * sizeof *pass->all_ends);
      if (pass->all_ends == NULL)
        return false;
    }
  }
  if (slot->n_bins < n_bins) {
    free (slot->bins);
    slot->bins = malloc (n_bins * sizeof *slot->bins);
    slot->n_bins = slot->bins != NULL ? n_bins : 0;
  }
  return slot->n_bins >= n_bins;
}

/* Put passes of one transform together. */
static void
make_batches (Slot * slot)
{
  slot->n_batches = 0;
  for (int i = 0; i <= slot->n_others; i++) {
    Pass *pass = find_pass (slot, i);
    int b = slot->n_batches - 1;

    while (b >= 0 && (slot->batch[b].n == MAX_BATCH
            || slot->batch[b].pass[0]->job.transform != pass->job.transform))
      b--;
    if (b < 0) {
      b = slot->n_batches++;
      slot->batch[b].n = 0;
    }
    slot->batch[b].pass[slot->batch[b].n++] = pass;
  }
}

/* Describe the way of a frame of R, G and B. */
static bool
prepare_colour (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    bool plain)
{
  const BdctLayout *layout = &self->layout;
  BdctColour *colour = &slot->colour;

  *colour = (BdctColour) {.layout = layout,.src = frame->src,
      .dst = frame->dst };
  if (!bdct_colour_image (layout, &slot->planes, &colour->planes))
    return false;
  if (frame->dst.data[0] == NULL)
    return true;
  if (!bdct_colour_image (layout, &slot->rec, &colour->rec))
    return false;
  if (plain)
    return true;
  colour->render = &slot->render;
  return bdct_colour_image (layout, &slot->shown, &colour->shown);
}

/* Have the images that a frame goes through. */
static bool
prepare_images (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctView * view, Images * images)
{
  const bool plain = bdct_view_is_plain (view);
  const bool levels = view->mode == BDCT_VIEW_COEFFICIENTS;

  *images = (Images) {.src = frame->src,.view = frame->dst };
  if (self->layout.rgb.n_planes > 0) {
    if (!prepare_colour (self, slot, frame, plain))
      return false;
    images->src = slot->colour.planes;
    images->rec = slot->colour.rec;
    images->view = slot->colour.shown;
  } else if (plain) {
    images->rec = frame->dst;
  } else if (!levels && !bdct_view_is_map (view)) {
    return scratch_image (self, slot, &images->rec);
  }
  return !levels || scratch_image (self, slot, &images->levels);
}

/* Have all that a frame needs. */
static bool
prepare (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctView * view, Images * images)
{
  for (int i = 0; i < frame->n_sets; i++)
    if (!prepare_pass (slot, i, &frame->sets[i]))
      return false;
  for (int i = 0; i < frame->n_others; i++)
    if (!prepare_pass (slot, BDCT_MAX_SETS + i, &frame->others[i]))
      return false;
  slot->rate = frame->rate;
  slot->other_files = frame->other_files;
  slot->n_others = frame->n_others;
  make_batches (slot);
  if (frame->set_of_block != NULL) {
    slot->set_of_block = alloc_by_block (self, slot->set_of_block, 1);
    if (slot->set_of_block == NULL)
      return false;
  }
  if (bdct_view_is_map (view)) {
    slot->blocks = alloc_by_block (self, slot->blocks, sizeof *slot->blocks);
    if (slot->blocks == NULL)
      return false;
  }
  return prepare_images (self, slot, frame, view, images);
}

/* Have a batch's counts and bins begin. */
static void
start_rate (Slot * slot, Batch * batch)
{
  uint64_t *bins = slot->bins;

  for (int i = 0; i < batch->n; i++) {
    Pass *pass = batch->pass[i];
    BdctLevel (*ends)[2] = pass->all_ends;

    memset (&pass->counts, 0, sizeof pass->counts);
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      pass->ends[c] = ends;
      ends += pass->strips[c];
      pass->bins[c] = bins;
      bins += count_bins (pass, c);
    }
  }
}

static Stage *
add_stage (Slot * slot, int kind, int batch)
{
  Stage *stage = &slot->stages[slot->n_stages++];

  *stage = (Stage) {.kind = kind,.batch = batch };
  return stage;
}

/* The frame's stages: as few as there can be. */
static void
make_stages (const CpuEngine * self, Slot * slot, bool plain)
{
  const BdctLayout *layout = &self->layout;
  const bool colour = layout->rgb.n_planes > 0;
  Stage *strips = NULL;

  slot->stage = slot->n_stages = 0;
  slot->next_piece = slot->done_pieces = 0;
  if (colour)
    add_stage (slot, STAGE_SPLIT, 0)->n_pieces =
        bdct_colour_count_strips (layout);
  for (int b = 0; b < slot->n_batches; b++) {
    Batch *batch = &slot->batch[b];
    int n_segments = 0;

    if (slot->rate)
      start_rate (slot, batch);
    for (int i = 0; slot->rate && i < batch->n; i++)
      for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
        n_segments += count_segment_pieces (batch->pass[i], c);
    if (strips == NULL)
      strips = add_stage (slot, STAGE_STRIPS, b);
    strips->n_pieces += count_strips (batch->pass[0]);
    if (n_segments > 0) {
      add_stage (slot, STAGE_SEGMENTS, b)->n_pieces = n_segments;
      strips = NULL;
    }
  }
  if (!plain)
    add_stage (slot, STAGE_VIEW, 0)->n_pieces =
        bdct_render_count_strips (layout);
  if (colour && slot->colour.dst.data[0] != NULL) {
    add_stage (slot, STAGE_JOIN, 0)->n_pieces =
        bdct_colour_count_strips (layout);
    for (int k = 0; k < 3; k++)
      slot->pass[0]->stats.rgb[k].samples =
          (uint64_t) layout->plane[0].width * layout->plane[0].height;
  }
}

static bool
cpu_submit (BdctEngine * engine, const BdctFrame * frame, BdctError * error)
{
  static const BdctView default_view = BDCT_VIEW_DEFAULT;
  CpuEngine *self = (CpuEngine *) engine;
  const BdctView *view = frame->view != NULL ? frame->view : &default_view;
  const bool plain = bdct_view_is_plain (view);
  const BdctImage none = { 0 };
  BdctBlockRecord *blocks = frame->blocks;
  Images images;
  bool alone;
  Slot *slot;

  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (!bdct_frame_check (frame, &self->layout, error))
    return false;
  if (frame->src.memory != BDCT_MEMORY_HOST
      || (frame->dst.data[0] != NULL && frame->dst.memory != BDCT_MEMORY_HOST))
    return bdct_error (error, "the CPU engine takes host memory only");

  alone = is_small (self, (1 + frame->n_others)
      * (frame->rate ? RATE_COST : 1));
  if (!alone && !start_threads (self, error))
    return false;
  slot = &self->slots[(self->oldest + self->in_flight) % self->depth];
  if (!prepare (self, slot, frame, view, &images))
    return bdct_error (error, "out of memory");
  if (bdct_view_is_map (view) && blocks == NULL)
    blocks = slot->blocks;
  start_pass (self, slot->pass[0], &images.src, &images.rec);
  start_sets (self, slot, frame, blocks, &images.levels);
  for (int i = 1; i <= frame->n_others; i++)
    start_pass (self, find_pass (slot, i), &images.src, &none);
  if (frame->rate && !prepare_rate (self, slot))
    return bdct_error (error, "out of memory");
  make_stages (self, slot, plain);
  if (!plain)
    bdct_render_init (&slot->render, view, &self->layout, frame->sets,
        &images.src, images.levels.data[0] != NULL ? &images.levels
        : &images.rec, &images.view, blocks,
        frame->set_of_block != NULL ? slot->set_of_block : NULL);
  if (alone)
    work_alone (self, slot);
  pthread_mutex_lock (&self->lock);
  self->in_flight++;
  if (!alone)
    pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
  return true;
}

/* Set the bits of a pass; what remains to be counted of it are the DC
 * differences from strip to strip. */
static void
price_pass (const CpuEngine * self, Pass * pass, bool files)
{
  if (bdct_rate_coder (pass->job.family) == BDCT_CODER_HUFFMAN)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i < pass->strips[c]; i++)
        pass->counts.counter[c][BDCT_RATE_DC
            + bdct_symbol_category (pass->ends[c][i][0]
                - (i > 0 ? pass->ends[c][i - 1][1] : 0))]++;
  bdct_rate_price (&pass->counts, &self->layout, &pass->job, files,
      &pass->stats);
}

static bool
cpu_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  Slot *slot;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  slot = &self->slots[self->oldest];
  pthread_mutex_lock (&self->lock);
  while (slot->stage < slot->n_stages)
    pthread_cond_wait (&self->done, &self->lock);
  pthread_mutex_unlock (&self->lock);
  for (int i = 0; stats != NULL && i <= slot->n_others; i++) {
    if (slot->rate)
      price_pass (self, find_pass (slot, i), i == 0 || slot->other_files);
    stats[i] = find_pass (slot, i)->stats;
  }
  pthread_mutex_lock (&self->lock);
  self->oldest = (self->oldest + 1) % self->depth;
  self->in_flight--;
  pthread_mutex_unlock (&self->lock);
  return true;
}

const BdctEngineClass bdct_cpu_engine = {
  .name = "cpu",
  .count_devices = cpu_count_devices,
  .create = cpu_create,
  .destroy = cpu_destroy,
  .configure = cpu_configure,
  .submit = cpu_submit,
  .collect = cpu_collect,
};
