/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine: a queue of frames. Every pass over a frame, that of the sets
 * and one for each other job, is cut into strips as high as a tile of one
 * component, which the worker threads take in order. Where a view is asked for,
 * the first pass' picture goes into an image of the engine's own, and when all
 * passes are complete the view is drawn, in strips again. */
#define _GNU_SOURCE             /* sched_getaffinity */
#include "engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "render-cpu.h"
#include "tile.h"

/* A job: one of the sets, or one pass over the frame. */
typedef struct {
  BdctJob job;
  bool prepared;                /* the sets are this job's */
  BdctTileSet set[BDCT_MAX_COMPONENTS];
  /* Of a pass, which the first of the sets is for all. */
  BdctTilePlane plane[BDCT_MAX_COMPONENTS];
  int strips[BDCT_MAX_COMPONENTS]; /* 0 for a component the format lacks */
  BdctStats stats;
} Pass;

typedef struct {
  int n_others;
  /* The sets, then the others; NULL until there is such a one. */
  Pass *pass[BDCT_MAX_SETS + BDCT_MAX_OTHERS];
  int n_strips;                 /* of all passes, ... */
  int n_all;                    /* ... and with those of the view behind them */
  int next_strip, done_strips;
  BdctRender render;
  /* NULL until something needs them, for the layout's most blocks. */
  uint8_t *scratch, *set_of_block;
  BdctBlockRecord *blocks;
} Slot;

typedef struct {
  BdctEngine engine;
  const BdctTileKernel *kernel;
  BdctLayout layout;

  pthread_mutex_t lock;
  pthread_cond_t work, done;
  bool quit;                    /* protected by lock, as all below */
  Slot *slots;
  unsigned depth, oldest, in_flight;

  unsigned n_threads;
  pthread_t threads[];
} CpuEngine;

/* Called with the lock: the oldest frame with a strip that nobody has taken and
 * that can be worked on. */
static Slot *
find_work (CpuEngine * self)
{
  for (unsigned i = 0; i < self->in_flight; i++) {
    Slot *slot = &self->slots[(self->oldest + i) % self->depth];

    if (slot->next_strip < (slot->done_strips < slot->n_strips
            ? slot->n_strips : slot->n_all))
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

/* A strip of a frame's passes; returns what its statistics are added to. */
static BdctCounters *
work_on_strip (CpuEngine * self, Slot * slot, int strip,
    BdctCounters * counters)
{
  for (int i = 0;; i++) {
    Pass *pass = find_pass (slot, i);

    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      if (strip < pass->strips[c]) {
        self->kernel->strip (&pass->plane[c],
            strip * bdct_tile_side (&pass->job.component[c]), counters);
        return &pass->stats.component[c];
      }
      strip -= pass->strips[c];
    }
  }
}

static void *
worker (void *data)
{
  CpuEngine *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->quit) {
    Slot *slot = find_work (self);
    BdctCounters counters = { 0 }, *sum = NULL;
    int strip;

    if (slot == NULL) {
      pthread_cond_wait (&self->work, &self->lock);
      continue;
    }
    strip = slot->next_strip++;
    pthread_mutex_unlock (&self->lock);

    if (strip >= slot->n_strips)
      bdct_render_strip (&slot->render, strip - slot->n_strips);
    else
      sum = work_on_strip (self, slot, strip, &counters);

    pthread_mutex_lock (&self->lock);
    if (sum != NULL) {
      sum->sse += counters.sse;
      sum->nonzero += counters.nonzero;
    }
    if (++slot->done_strips == slot->n_all)
      pthread_cond_signal (&self->done);
    else if (slot->done_strips == slot->n_strips)
      pthread_cond_broadcast (&self->work);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static void
free_slots (CpuEngine * self)
{
  for (unsigned i = 0; i < self->depth; i++) {
    Slot *slot = &self->slots[i];

    for (int k = 0; k < BDCT_MAX_SETS + BDCT_MAX_OTHERS; k++)
      free (slot->pass[k]);
    free (slot->scratch);
    free (slot->set_of_block);
    free (slot->blocks);
  }
  free (self->slots);
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
  if (n_threads == 0)
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
  for (; self->n_threads < n_threads; self->n_threads++) {
    int err = pthread_create (&self->threads[self->n_threads], NULL, worker,
        self);
    if (err != 0) {
      bdct_error (error, "cannot start thread %u of %u: %s",
          self->n_threads + 1, n_threads, strerror (err));
      cpu_destroy (&self->engine);
      return NULL;
    }
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
  return true;
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
  }
  if (!pass->prepared || memcmp (&pass->job, job, sizeof *job) != 0) {
    pass->job = *job;
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      bdct_tile_set_init (&pass->set[c], &pass->job, c);
    pass->prepared = true;
  }
  return true;
}

/* Describe a pass over the frame; returns its strips. */
static int
start_pass (const CpuEngine * self, Pass * pass, const BdctImage * src,
    const BdctImage * dst)
{
  const BdctLayout *layout = &self->layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  int n_strips = 0;

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
      plane->src = bdct_image_samples (src, layout, p, i);
      plane->dst = bdct_image_samples (dst, layout, p, i);
      plane->grid = grid[c];
      pass->strips[c] = (layout->plane[p].height + side - 1) / side;
      n_strips += pass->strips[c];
    }
  return n_strips;
}

/* What the pass of the sets has and the others have not. */
static void
start_sets (Slot * slot, const BdctFrame * frame, BdctBlockRecord * blocks,
    bool levels)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctTilePlane *plane = &slot->pass[0]->plane[c];

    for (int i = 1; i < frame->n_sets; i++)
      plane->set[i] = &slot->pass[i]->set[c];
    plane->levels = levels;
    plane->blocks = blocks;
    if (frame->set_of_block != NULL)
      plane->set_of_block = slot->set_of_block;
  }
  if (frame->set_of_block != NULL)
    memcpy (slot->set_of_block, frame->set_of_block, frame->n_blocks);
}

/* Have all that a frame needs; `image` becomes what its first pass stores. */
static bool
prepare (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctView * view, BdctImage * image)
{
  for (int i = 0; i < frame->n_sets; i++)
    if (!prepare_pass (slot, i, &frame->sets[i]))
      return false;
  for (int i = 0; i < frame->n_others; i++)
    if (!prepare_pass (slot, BDCT_MAX_SETS + i, &frame->others[i]))
      return false;
  if (frame->set_of_block != NULL) {
    slot->set_of_block = alloc_by_block (self, slot->set_of_block, 1);
    if (slot->set_of_block == NULL)
      return false;
  }
  if (bdct_view_is_map (view)) {
    slot->blocks = alloc_by_block (self, slot->blocks, sizeof *slot->blocks);
    return slot->blocks != NULL;
  }
  if (frame->dst.data[0] == NULL)
    return true;
  *image = frame->dst;
  return bdct_view_is_plain (view) || scratch_image (self, slot, image);
}

static bool
cpu_submit (BdctEngine * engine, const BdctFrame * frame, BdctError * error)
{
  static const BdctView plain = BDCT_VIEW_DEFAULT;
  CpuEngine *self = (CpuEngine *) engine;
  const BdctView *view = frame->view != NULL ? frame->view : &plain;
  BdctImage image = { 0 }, none = { 0 };
  BdctBlockRecord *blocks = frame->blocks;
  Slot *slot;

  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (!bdct_frame_check (frame, &self->layout, error))
    return false;
  if (frame->src.memory != BDCT_MEMORY_HOST
      || (frame->dst.data[0] != NULL && frame->dst.memory != BDCT_MEMORY_HOST))
    return bdct_error (error, "the CPU engine takes host memory only");

  slot = &self->slots[(self->oldest + self->in_flight) % self->depth];
  if (!prepare (self, slot, frame, view, &image))
    return bdct_error (error, "out of memory");
  if (bdct_view_is_map (view) && blocks == NULL)
    blocks = slot->blocks;
  slot->n_others = frame->n_others;
  slot->next_strip = slot->done_strips = 0;
  slot->n_strips = start_pass (self, slot->pass[0], &frame->src, &image);
  start_sets (slot, frame, blocks, view->mode == BDCT_VIEW_COEFFICIENTS);
  for (int i = 1; i <= frame->n_others; i++)
    slot->n_strips += start_pass (self, find_pass (slot, i), &frame->src,
        &none);
  slot->n_all = slot->n_strips;
  if (!bdct_view_is_plain (view)) {
    bdct_render_init (&slot->render, view, &self->layout, frame->sets,
        &frame->src, &image, &frame->dst, blocks);
    slot->n_all += bdct_render_count_strips (&self->layout);
  }
  pthread_mutex_lock (&self->lock);
  self->in_flight++;
  pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
  return true;
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
  while (slot->done_strips < slot->n_all)
    pthread_cond_wait (&self->done, &self->lock);
  for (int i = 0; stats != NULL && i <= slot->n_others; i++)
    stats[i] = find_pass (slot, i)->stats;
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
