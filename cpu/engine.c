/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine: its threads and its queue of frames. */
#define _GNU_SOURCE             /* sched_getaffinity */
#include "state.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cabac-bins.h"
#include "huffman-count.h"

/* Samples that one thread transforms before another one has woken up, and what
 * a frame with its bits costs beside one without. */
#define ALONE 32768
#define RATE_COST 3
#define METRICS_COST 8

/* Called with the lock: the oldest frame with a piece that nobody has taken and
 * that can be worked on. */
static Slot *
find_work (CpuEngine * self)
{
  for (unsigned i = 0; i < self->in_flight; i++) {
    Slot *slot = &self->slots[(self->oldest + i) % self->depth];

    if (slot->stage < slot->n_stages
        && slot->next_piece < slot->stages[slot->stage].n_pieces
        && bdct_cpu_has_kept (self, i))
      return slot;
  }
  return NULL;
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

    bdct_cpu_work (self, &piece);

    pthread_mutex_lock (&self->lock);
    bdct_cpu_add_up (&piece);
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
      bdct_cpu_work (self, &piece);
      bdct_cpu_add_up (&piece);
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
  bdct_cpu_free_slots (self);
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
  bdct_huffman_count_init ();
  bdct_cabac_bins_init ();
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
  slots = malloc (depth * sizeof *slots);
  if (slots == NULL)
    return bdct_error (error, "out of memory");
  for (unsigned i = 0; i < depth; i++)
    memset (&slots[i], 0, offsetof (Slot, batch));
  pthread_mutex_lock (&self->lock);
  bdct_cpu_free_slots (self);
  self->slots = slots;
  self->layout = *layout;
  bdct_comparison_job (&self->compared, layout);
  self->depth = depth;
  self->oldest = 0;
  pthread_mutex_unlock (&self->lock);
  return is_small (self, 1) || start_threads (self, error);
}

/* Whether a comparison or a frame has nothing but host memory. */
static bool
is_host (const BdctImage * image)
{
  return image->data[0] == NULL || image->memory == BDCT_MEMORY_HOST;
}

static Slot *
next_slot (CpuEngine * self)
{
  return &self->slots[(self->oldest + self->in_flight) % self->depth];
}

/* A slot's work is described: have it done, by others or by the caller. */
static void
begin (CpuEngine * self, Slot * slot, bool alone)
{
  if (alone)
    work_alone (self, slot);
  pthread_mutex_lock (&self->lock);
  self->in_flight++;
  if (!alone)
    pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
}

/* Whether the caller does it, with so many times the work of one pass. A frame
 * before may be in other threads' hands, and not yet kept. */
static bool
is_alone (const CpuEngine * self, unsigned times, unsigned metrics)
{
  return is_small (self, times * (metrics != 0 ? METRICS_COST : 1))
      && (self->in_flight == 0 || !(metrics >> BDCT_METRIC_XPSNR & 1));
}

static bool
cpu_submit (BdctEngine * engine, const BdctFrame * frame, BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  const unsigned metrics = frame->metrics | frame->trial_metrics;
  const unsigned n_passes = 1 + frame->n_trials;
  bool alone;
  Slot *slot;

  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (!bdct_frame_check (frame, &self->layout, error))
    return false;
  if (!is_host (&frame->src) || !is_host (&frame->dst))
    return bdct_error (error, "the CPU engine takes host memory only");

  alone = is_alone (self, n_passes * (frame->rate ? RATE_COST : 1), metrics);
  if (!alone && !start_threads (self, error))
    return false;
  slot = next_slot (self);
  if (!bdct_cpu_start_frame (self, slot, frame, error))
    return false;
  begin (self, slot, alone);
  return true;
}

static bool
cpu_compare (BdctEngine * engine, const BdctComparison * comparison,
    BdctError * error)
{
  CpuEngine *self = (CpuEngine *) engine;
  bool alone, on_host;
  Slot *slot;

  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (!bdct_comparison_check (comparison, &self->layout, error))
    return false;
  on_host = comparison->view == NULL || is_host (&comparison->dst);
  for (int i = -1; i < comparison->n_distorted; i++)
    on_host = on_host
        && is_host (&bdct_comparison_picture (comparison, i)->image);
  if (!on_host)
    return bdct_error (error, "the CPU engine takes host memory only");
  alone = is_alone (self, comparison->n_distorted, comparison->metrics);
  if (!alone && !start_threads (self, error))
    return false;
  slot = next_slot (self);
  if (!bdct_cpu_start_comparison (self, slot, comparison, error))
    return false;
  begin (self, slot, alone);
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
  while (slot->stage < slot->n_stages)
    pthread_cond_wait (&self->done, &self->lock);
  pthread_mutex_unlock (&self->lock);
  if (stats != NULL)
    bdct_cpu_finish_frame (self, slot, stats);
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
  .compare = cpu_compare,
  .collect = cpu_collect,
};
