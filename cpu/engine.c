/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine: its threads and its queue of frames. */
#define _GNU_SOURCE             /* sched_getaffinity */
#include "state.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dct/entropy/cabac-price.h"
#include "huffman-count.h"

/* The number of samples that one thread transforms before another has woken
 * up, and the ratios of a frame's work with bits, and with metrics, to that
 * without. */
#define ALONE 32768
#define RATE_COST 3
#define METRICS_COST 8

/* Find the oldest frame with a piece that can start and that no thread has
 * taken. Called with the lock. */
static CpuFrame *
find_work (CpuEngine * self)
{
  for (unsigned i = 0; i < self->in_flight; i++) {
    CpuFrame *frame = &self->frames[(self->oldest + i) % self->depth];
    const CpuStages *stages = &frame->stages;

    if (stages->now < stages->n
        && stages->next_piece < stages->stage[stages->now].n_pieces
        && bdct_cpu_has_history (self, i))
      return frame;
  }
  return NULL;
}

static void *
worker (void *data)
{
  CpuEngine *self = data;
  CpuThreads *threads = &self->threads;
  Piece *piece;

  pthread_mutex_lock (&threads->lock);
  piece = &self->scratch.piece[threads->n_numbered];
  piece->worker = threads->n_numbered++;
  while (!threads->quit) {
    CpuFrame *frame = find_work (self);
    CpuStages *stages;

    if (frame == NULL) {
      pthread_cond_wait (&threads->work, &threads->lock);
      continue;
    }
    stages = &frame->stages;
    piece->frame = frame;
    piece->stage = &stages->stage[stages->now];
    piece->number = stages->next_piece++;
    pthread_mutex_unlock (&threads->lock);

    bdct_cpu_work (self, piece);

    pthread_mutex_lock (&threads->lock);
    bdct_cpu_add_up (piece);
    if (++stages->done_pieces == piece->stage->n_pieces) {
      stages->next_piece = stages->done_pieces = 0;
      if (++stages->now == stages->n)
        pthread_cond_signal (&threads->done);
      else
        pthread_cond_broadcast (&threads->work);
    }
  }
  pthread_mutex_unlock (&threads->lock);
  return NULL;
}

/* Process a frame in the caller's thread; no other thread knows it yet. */
static void
work_alone (CpuEngine * self, CpuFrame * frame)
{
  CpuStages *stages = &frame->stages;
  Piece *piece = &self->scratch.piece[self->threads.max];

  piece->worker = self->threads.max;
  piece->frame = frame;
  for (; stages->now < stages->n; stages->now++) {
    piece->stage = &stages->stage[stages->now];
    for (piece->number = 0; piece->number < piece->stage->n_pieces;
        piece->number++) {
      bdct_cpu_work (self, piece);
      bdct_cpu_add_up (piece);
    }
  }
}

/* Start the worker threads, if they do not run yet. */
static bool
start_threads (CpuEngine * self, BdctError * error)
{
  CpuThreads *threads = &self->threads;

  for (; threads->n < threads->max; threads->n++) {
    int err = pthread_create (&threads->thread[threads->n], NULL, worker,
        self);
    if (err != 0)
      return bdct_error (error, "cannot start thread %u of %u: %s; use fewer "
          "threads", threads->n + 1, threads->max, strerror (err));
  }
  return true;
}

/* Whether the caller's thread processes frames by itself, if they take this
 * many times the work of a plain one. */
static bool
is_small (const CpuEngine * self, unsigned times)
{
  uint64_t n = 0;

  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *plane = &self->layout.plane[p];

    n += (uint64_t) plane->width * plane->height * plane->interleave;
  }
  return n * times <= self->alone;
}

static void
free_engine (CpuEngine * self)
{
  if (self == NULL)
    return;
  free (self->scratch.piece);
  free (self->scratch.kernels);
  free (self);
}

static void
cpu_destroy (BdctEngine * engine)
{
  CpuEngine *self = (CpuEngine *) engine;
  CpuThreads *threads = &self->threads;

  while (self->in_flight)
    engine->klass->collect (engine, NULL, NULL);
  pthread_mutex_lock (&threads->lock);
  threads->quit = true;
  pthread_cond_broadcast (&threads->work);
  pthread_mutex_unlock (&threads->lock);
  for (unsigned i = 0; i < threads->n; i++)
    pthread_join (threads->thread[i], NULL);
  pthread_mutex_destroy (&threads->lock);
  pthread_cond_destroy (&threads->work);
  pthread_cond_destroy (&threads->done);
  bdct_cpu_free_frames (self);
  free_engine (self);
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
  bdct_huffman_count_init ();
  bdct_cabac_init ();
  if (options->threads == 0)
    n_threads = count_processors ();
  self = calloc (1, sizeof *self + n_threads * sizeof self->threads.thread[0]);
  if (self != NULL) {
    self->scratch.piece = calloc (n_threads + 1, sizeof (Piece));
    self->scratch.kernels = aligned_alloc (64,
        ((size_t) n_threads + 1) * BDCT_SCRATCH_SIZE);
  }
  if (self == NULL || self->scratch.piece == NULL
      || self->scratch.kernels == NULL) {
    free_engine (self);
    bdct_error (error, "out of memory");
    return NULL;
  }
  self->engine.klass = &bdct_cpu_engine;
  self->kernel = *kernel;
  pthread_mutex_init (&self->threads.lock, NULL);
  pthread_cond_init (&self->threads.work, NULL);
  pthread_cond_init (&self->threads.done, NULL);
  self->threads.max = n_threads;
  self->alone = options->threads <= 1 ? ALONE : 0;
  if (self->alone == 0 && !start_threads (self, error)) {
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
  CpuFrame *frames;

  if (self->in_flight)
    return bdct_error (error, "%u frames are in flight; collect them first",
        self->in_flight);
  if (depth < 1 || depth > BDCT_MAX_DEPTH)
    return bdct_error (error, "depth %u is outside 1 to %d", depth,
        BDCT_MAX_DEPTH);
  frames = calloc (depth, sizeof *frames);
  if (frames == NULL)
    return bdct_error (error, "out of memory");
  pthread_mutex_lock (&self->threads.lock);
  bdct_cpu_free_frames (self);
  self->frames = frames;
  self->layout = *layout;
  bdct_comparison_job (&self->compared, layout);
  bdct_history_init (&self->history, depth + BDCT_HISTORY_EXTRA);
  self->depth = depth;
  self->oldest = 0;
  pthread_mutex_unlock (&self->threads.lock);
  return is_small (self, 1) || start_threads (self, error);
}

static bool
cpu_reserve (BdctEngine * engine, const BdctJob * job, BdctError * error)
{
  return !bdct_job_is_tree (job)
      || bdct_cpu_reserve_trees ((CpuEngine *) engine)
      || bdct_error (error, "out of memory");
}

/* Whether all memory of a comparison or a frame is the host's. */
static bool
is_host (const BdctImage * image)
{
  return image->data[0] == NULL || image->memory == BDCT_MEMORY_HOST;
}

/* The next frame, if there is room for one. */
static CpuFrame *
next_frame (CpuEngine * self, BdctError * error)
{
  if (self->depth == 0) {
    bdct_error (error, "the engine is not configured; call "
        "bdct_engine_configure() first");
    return NULL;
  }
  if (self->in_flight == self->depth) {
    bdct_error (error, "all %u frames are in flight; collect one first",
        self->depth);
    return NULL;
  }
  return &self->frames[(self->oldest + self->in_flight) % self->depth];
}

/* Process a frame, if it is prepared, in the threads or, if it takes this many
 * times the work of a plain one, in the caller's. An earlier frame may still be
 * in the threads, with its luma not yet copied. */
static bool
begin (CpuEngine * self, CpuFrame * frame, bool prepared, unsigned times,
    BdctError * error)
{
  const BdctPlanMetrics *metrics = &frame->plan.metrics;
  const bool alone = is_small (self, times * (metrics->wanted ? METRICS_COST
          : 1)) && (self->in_flight == 0 || !metrics->history.needed);

  if (!prepared)
    bdct_error (error, "out of memory");
  if (!prepared || (!alone && !start_threads (self, error))) {
    bdct_history_forget (&self->history, &metrics->history);
    return false;
  }
  bdct_cpu_make_stages (self, frame);
  if (alone)
    work_alone (self, frame);
  pthread_mutex_lock (&self->threads.lock);
  self->in_flight++;
  if (!alone)
    pthread_cond_broadcast (&self->threads.work);
  pthread_mutex_unlock (&self->threads.lock);
  return true;
}

static bool
cpu_submit (BdctEngine * engine, const BdctFrame * request, BdctError * error)
{
  static const BdctPlanRules rules = { false, false };
  CpuEngine *self = (CpuEngine *) engine;
  CpuFrame *frame = next_frame (self, error);

  if (frame == NULL)
    return false;
  if (!is_host (&request->src) || !is_host (&request->dst)
      || (request->levels != NULL
          && request->levels_memory != BDCT_MEMORY_HOST))
    return bdct_error (error, "the CPU engine takes host memory only");
  if (!bdct_frame_check (request, &self->layout, error))
    return false;
  bdct_plan_frame (&frame->plan, &self->layout, request, &rules,
      &self->history);
  return begin (self, frame, bdct_cpu_prepare_frame (self, frame, request),
      request->bits ? RATE_COST : 1, error);
}

static bool
cpu_compare (BdctEngine * engine, const BdctComparison * comparison,
    BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  CpuFrame *frame = next_frame (self, error);
  bool on_host;

  if (frame == NULL || !bdct_comparison_check (comparison, &self->layout,
          error))
    return false;
  on_host = comparison->view == NULL || is_host (&comparison->dst);
  for (int i = -1; i < comparison->n_distorted; i++)
    on_host = on_host
        && is_host (&bdct_comparison_picture (comparison, i)->image);
  if (!on_host)
    return bdct_error (error, "the CPU engine takes host memory only");
  bdct_plan_comparison (&frame->plan, &self->layout, comparison,
      &self->compared, &self->history);
  return begin (self, frame, bdct_cpu_prepare_comparison (self, frame,
          comparison), frame->plan.n_results, error);
}

static bool
cpu_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  CpuFrame *frame;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  frame = &self->frames[self->oldest];
  pthread_mutex_lock (&self->threads.lock);
  while (frame->stages.now < frame->stages.n)
    pthread_cond_wait (&self->threads.done, &self->threads.lock);
  pthread_mutex_unlock (&self->threads.lock);
  if (stats != NULL && frame->plan.bits && frame->stack_bits == NULL)
    bdct_cpu_finish_bits (self, frame->task[0]);
  for (int i = 0; stats != NULL && i < frame->plan.n_results; i++)
    stats[i] = frame->task[i]->stats;
  pthread_mutex_lock (&self->threads.lock);
  self->oldest = (self->oldest + 1) % self->depth;
  self->in_flight--;
  pthread_mutex_unlock (&self->threads.lock);
  return true;
}

const BdctEngineClass bdct_cpu_engine = {
  .name = "cpu",
  .count_devices = cpu_count_devices,
  .create = cpu_create,
  .destroy = cpu_destroy,
  .configure = cpu_configure,
  .reserve = cpu_reserve,
  .submit = cpu_submit,
  .compare = cpu_compare,
  .collect = cpu_collect,
};

bool
bdct_cpu_run (const BdctLayout * layout, const BdctFrame * frame,
    BdctError * error)
{
  const BdctEngineOptions options = {.threads = 0 };
  BdctEngine *engine = cpu_create (&options, error);
  bool ok = engine != NULL;

  if (ok)
    ((CpuEngine *) engine)->alone = UINT64_MAX;
  ok = ok && cpu_configure (engine, layout, 1, error)
      && cpu_submit (engine, frame, error)
      && cpu_collect (engine, NULL, error);

  if (engine != NULL)
    cpu_destroy (engine);
  return ok;
}
