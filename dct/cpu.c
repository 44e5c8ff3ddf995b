/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine: a queue of frames, cut into strips of 32 rows of one
 * component, which the worker threads take in order. Where a view is asked for,
 * the reconstruction goes into an image of the engine's own, and when it is
 * complete the view is drawn, in strips again. */
#define _GNU_SOURCE             /* sched_getaffinity */
#include "engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "matrices.h"
#include "render-cpu.h"
#include "tile.h"

typedef struct {
  BdctJob job;
  bool prepared;                /* the components' tables are this job's */
  BdctStats stats;
  BdctTilePlane component[BDCT_MAX_COMPONENTS];
  int strips[BDCT_MAX_COMPONENTS]; /* 0 for a component the format lacks */
  int n_strips;                 /* of the reconstruction, ... */
  int n_all;                    /* ... and with those of the view behind them */
  int next_strip, done_strips;
  BdctRender render;
  uint8_t *scratch;             /* NULL until a view needs it */
} Slot;

typedef struct {
  BdctEngine engine;
  const BdctTileKernel *kernel;
  BdctLayout layout;
  BdctView view;

  pthread_mutex_t lock;
  pthread_cond_t work, done;
  bool quit;                    /* protected by lock, as all below */
  Slot *slots;
  unsigned depth, oldest, in_flight;

  unsigned n_threads;
  pthread_t threads[];
} CpuEngine;

const BdctTileKernel *const *
bdct_tile_kernels (void)
{
#if defined (BDCT_X86)
  static const BdctTileKernel *const all[] = {
    &bdct_tile_avx512, &bdct_tile_avx2, &bdct_tile_baseline, NULL
  };

  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl"))
    return all;
  return __builtin_cpu_supports ("avx2") ? all + 1 : all + 2;
#else
  static const BdctTileKernel *const all[] = { &bdct_tile_baseline, NULL };

  return all;
#endif
}

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

static void *
worker (void *data)
{
  CpuEngine *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->quit) {
    Slot *slot = find_work (self);
    BdctCounters counters = { 0 };
    int c = 0, strip;

    if (slot == NULL) {
      pthread_cond_wait (&self->work, &self->lock);
      continue;
    }
    strip = slot->next_strip++;
    pthread_mutex_unlock (&self->lock);

    if (strip >= slot->n_strips) {
      bdct_render_strip (&slot->render, self->kernel, slot->component,
          strip - slot->n_strips);
    } else {
      for (; strip >= slot->strips[c]; c++)
        strip -= slot->strips[c];
      self->kernel->strip (&slot->component[c], strip * BDCT_TILE, &counters);
    }

    pthread_mutex_lock (&self->lock);
    slot->stats.component[c].sse += counters.sse;
    slot->stats.component[c].nonzero += counters.nonzero;
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
  for (unsigned i = 0; i < self->depth; i++)
    free (self->slots[i].scratch);
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
  self->view = (BdctView) BDCT_VIEW_DEFAULT;
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
  slots = aligned_alloc (64, (depth * sizeof *slots + 63) / 64 * 64);
  if (slots == NULL)
    return bdct_error (error, "out of memory");
  for (unsigned i = 0; i < depth; i++) {
    slots[i].prepared = false;
    slots[i].scratch = NULL;
  }
  pthread_mutex_lock (&self->lock);
  free_slots (self);
  self->slots = slots;
  self->layout = *layout;
  self->depth = depth;
  self->oldest = 0;
  pthread_mutex_unlock (&self->lock);
  return true;
}

void
bdct_tile_prepare (BdctTilePlane * t, const BdctJob * job,
    const BdctComponentJob * cj)
{
  int block_shift = cj->log2_size > 3 ? cj->log2_size - 3 : 0;

  t->family = job->family;
  t->matrix = cj->matrix;
  t->size = 1 << cj->log2_size;
  t->depth = job->depth;
  t->job = cj;
  if (job->family == BDCT_FAMILY_REAL)
    bdct_matrix_real (t->entry.real);
  else
    bdct_matrix_int (cj->matrix, t->entry.whole);
  for (int v = 0; v < t->size; v++)
    for (int x = 0; x < BDCT_TILE; x++) {
      int index = (v >> block_shift << 3)
          + ((x & (t->size - 1)) >> block_shift);

      t->quant[v][x] = cj->quant[index];
      t->dequant[v][x] = cj->dequant[index];
    }
}

static void
fill_component (BdctTilePlane * t, const BdctLayout * layout, int plane, int i,
    const BdctImage * src, const BdctImage * dst)
{
  const BdctPlaneLayout *p = &layout->plane[plane];
  int offset = i * bdct_layout_sample_size (layout);

  t->shift = p->shift;
  t->step = p->interleave;
  t->width = p->width;
  t->height = p->height;
  t->src = (const uint8_t *) src->data[plane] + offset;
  t->dst = (uint8_t *) dst->data[plane] + offset;
  t->src_stride = src->stride[plane];
  t->dst_stride = dst->stride[plane];
}

static void
cpu_set_view (BdctEngine * engine, const BdctView * view)
{
  ((CpuEngine *) engine)->view = *view;
}

/* An image of the engine's own for the reconstruction of a frame. */
static bool
scratch_image (CpuEngine * self, Slot * slot, BdctImage * image,
    BdctError * error)
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
    return bdct_error (error, "out of memory for a view");
  for (int p = 0; p < self->layout.n_planes; p++)
    image->data[p] = slot->scratch + offset[p];
  return true;
}

static bool
cpu_submit (BdctEngine * engine, const BdctJob * job, const BdctImage * src,
    const BdctImage * dst, BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  bool plain = bdct_view_is_plain (&self->view);
  BdctImage rec = *dst;
  Slot *slot;

  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (src->memory != BDCT_MEMORY_HOST || dst->memory != BDCT_MEMORY_HOST)
    return bdct_error (error, "the CPU engine takes host memory only");

  slot = &self->slots[(self->oldest + self->in_flight) % self->depth];
  if (!plain && !scratch_image (self, slot, &rec, error))
    return false;
  if (!slot->prepared || memcmp (&slot->job, job, sizeof *job) != 0) {
    slot->job = *job;
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      bdct_tile_prepare (&slot->component[c], &slot->job,
          &slot->job.component[c]);
    slot->prepared = true;
  }
  memset (&slot->stats, 0, sizeof slot->stats);
  memset (slot->strips, 0, sizeof slot->strips);
  slot->n_strips = slot->next_strip = slot->done_strips = 0;
  bdct_engine_count (&self->layout, job, &slot->stats);
  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *plane = &self->layout.plane[p];

    for (int i = 0; i < plane->interleave; i++) {
      BdctComponent c = plane->component[i];

      fill_component (&slot->component[c], &self->layout, p, i, src, &rec);
      slot->strips[c] = (plane->height + BDCT_TILE - 1) / BDCT_TILE;
      slot->n_strips += slot->strips[c];
    }
  }
  slot->n_all = slot->n_strips;
  if (!plain) {
    bdct_render_init (&slot->render, &self->view, &self->layout, job, src, &rec,
        dst);
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
  if (stats != NULL)
    *stats = slot->stats;
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
  .set_view = cpu_set_view,
  .submit = cpu_submit,
  .collect = cpu_collect,
};
