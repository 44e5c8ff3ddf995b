/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's queue: a ring of frames, and what is enqueued for each. */
#include "dct/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include "cuda/device/device.h"
#include "cuda/device/staging.h"
#include "cuda/frame/comparison.h"
#include "cuda/frame/prepare.h"
#include "cuda/kernels/colour.h"
#include "cuda/kernels/view.h"
#include "cuda/launch/dispatch.h"
#include "cuda/stage/frame-metrics.h"
#include "cuda/stage/rate.h"
#include "cuda/stage/rd.h"

#define check bdct_cuda_check

/* At least so many frames' cells are zeroed at once. */
#define MIN_ZEROED 32

/* The most frames that are started together. */
#define MAX_BATCH (BDCT_MAX_DEPTH / 2)

typedef struct {
  BdctSlot slot;
  unsigned cells;               /* index of its first cell */
  unsigned last;                /* of the slots started together */
  bool waited;                  /* where it is the last: for its event */
  bool failed;
  BdctError error;              /* why */
} Frame;

/* Frames do not depend on each other, and within one, events order what is in
 * different streams. */
typedef struct {
  BdctEngine engine;
  BdctDevice device;
  BdctStaging staging;
  Frame *frames;
  unsigned depth, oldest, in_flight;    /* depth 0: not configured */
  unsigned pending;             /* the newest of those, not yet started */
  unsigned batch;               /* start when so many are pending */
  unsigned ring_index;          /* of the next frame of R, G and B */
  BdctBuffer cells;             /* of the quantizers of `n_cells` frames */
  unsigned n_cells, next_cells; /* frames */
  bool zeroed;                  /* the half of the cells in use */
  BdctBuffer levels;            /* of the frame whose bits are counted */
  BdctBuffer rd;                /* of the one with rate-distortion jobs */
  BdctCompareMemory compare;    /* of the one whose metrics are computed */
  BdctJob compared;             /* stands for those of given pictures */
  const BdctCudaLaunch *passes[MAX_BATCH * (4 + BDCT_MAX_TRIALS)];
} CudaEngine;

/* Everything that configure() and submit() allocate. */
static void
free_frames (CudaEngine * self, bool in_context)
{
  /* A submit() that failed may have left work behind. */
  if (in_context)
    bdct_device_synchronize (&self->device);
  for (unsigned i = 0; self->frames != NULL && i < self->depth; i++)
    bdct_slot_clear (&self->frames[i].slot, in_context);
  free (self->frames);
  bdct_buffer_free (&self->cells, in_context);
  bdct_buffer_free (&self->levels, in_context);
  bdct_buffer_free (&self->rd, in_context);
  bdct_compare_clear (&self->compare, in_context);
  bdct_staging_clear (&self->staging, in_context);
  self->frames = NULL;
  self->depth = self->oldest = self->in_flight = self->pending = 0;
  self->n_cells = self->next_cells = 0;
}

static BdctEngine *
cuda_create (const BdctEngineOptions * options, BdctError * error)
{
  bool no_tensor = options->isa != NULL;
  CudaEngine *self;
  bool ok;

  if (no_tensor && strcmp (options->isa, "cuda-cores") != 0) {
    bdct_error (error, "a GPU has no instruction set '%s'", options->isa);
    return NULL;
  }
  self = calloc (1, sizeof *self);
  if (self == NULL) {
    bdct_error (error, "out of memory");
    return NULL;
  }
  self->engine.klass = &bdct_cuda_engine;
  self->device.context = options->context;
  self->device.no_tensor = no_tensor;
  self->staging.device = &self->device;
  self->staging.engine = &self->engine;
  self->staging.threads = options->threads;
  ok = bdct_device_enter (&self->device, error);
  if (ok) {
    ok = bdct_device_open (&self->device, error);
    if (ok)
      bdct_device_describe (&self->device, &self->engine);
    else
      bdct_device_close (&self->device, true);
    bdct_device_leave (&self->device);
  }
  if (!ok) {
    free (self);
    return NULL;
  }
  return &self->engine;
}

static void
cuda_destroy (BdctEngine * engine)
{
  CudaEngine *self = (CudaEngine *) engine;
  const bool in_context = bdct_device_enter (&self->device, NULL);

  free_frames (self, in_context);
  bdct_device_close (&self->device, in_context);
  if (in_context)
    bdct_device_leave (&self->device);
  bdct_copier_free (self->staging.copier);
  free (self);
}

static bool
allocate_frames (CudaEngine * self, unsigned depth, BdctError * error)
{
  /* Two halves, of which one is zeroed while all frames in flight are in the
   * other. */
  unsigned half = depth > MIN_ZEROED ? depth : MIN_ZEROED;

  self->frames = calloc (depth, sizeof *self->frames);
  if (self->frames == NULL)
    return bdct_error (error, "out of memory");
  self->depth = depth;
  self->n_cells = 2 * half;
  if (!bdct_buffer_reserve (&self->cells,
          self->n_cells * BDCT_ACCUMULATORS_SIZE, true, &self->engine, error))
    return false;
  for (unsigned i = 0; i < depth; i++)
    if (!bdct_slot_init (&self->frames[i].slot, error))
      return false;
  return true;
}

static bool
cuda_configure (BdctEngine * engine, const BdctLayout * layout, unsigned depth,
    BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  bool ok;

  if (self->in_flight)
    return bdct_error (error, "%u frames are in flight", self->in_flight);
  if (depth < 1 || depth > BDCT_MAX_DEPTH)
    return bdct_error (error, "depth %u is outside 1 to %d", depth,
        BDCT_MAX_DEPTH);
  if (!bdct_layout_check (layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  free_frames (self, true);
  bdct_staging_init (&self->staging, layout);
  bdct_comparison_job (&self->compared, layout);
  self->compare.n_kept = depth + BDCT_MORE_KEPT;
  /* A frame is waited for when the depth is reached. The first half of those in
   * flight may have started by then, the second is gathered meanwhile. */
  self->batch = depth > 1 ? depth / 2 : 1;
  ok = allocate_frames (self, depth, error);
  if (!ok)
    free_frames (self, true);
  bdct_device_leave (&self->device);
  return ok;
}

static Frame *
frame_at (CudaEngine * self, unsigned n)
{
  return &self->frames[(self->oldest + n) % self->depth];
}

static BdctCudaAccumulator *
cells_at (uint8_t * cells, const Frame * frame)
{
  return (BdctCudaAccumulator *) (cells +
      frame->cells * BDCT_ACCUMULATORS_SIZE);
}

/* All passes of `n` frames: the first one of each, then the second one of each,
 * and so on, as those are likely to have the same kernel. */
static int
gather_passes (CudaEngine * self, unsigned first, unsigned n)
{
  int n_passes = 0;
  bool more = true;

  for (int i = 0; more; i++) {
    more = false;
    for (unsigned j = 0; j < n; j++) {
      const BdctSlot *slot = &frame_at (self, first + j)->slot;
      const int other = i - slot->n_passes;

      if (other >= slot->n_trials || slot->given.n > 0)
        continue;
      more = true;
      if (other < 0)
        self->passes[n_passes++] = &slot->pass[i];
      else if (!slot->metrics_of_trials
          && !bdct_job_is_rd (&slot->trials[other].job))
        self->passes[n_passes++] = &slot->trials[other].pass;
    }
  }
  return n_passes;
}

static size_t
counts_size (const BdctSlot * slot)
{
  return (1 + slot->n_trials) * sizeof (BdctRateCounts);
}

/* Cells are zeroed by the half; those of trials, and counts, by the frame.
 */
static bool
zero_cells (CudaEngine * self, unsigned first, unsigned n, BdctError * error)
{
  const Frame *frame = frame_at (self, first);
  unsigned half = self->n_cells / 2, used = frame->cells % half;
  cudaStream_t stream = self->device.stream;
  bool ok = true;

  /* The frames that used this half before have been collected: none of their
   * statistics waits to be copied. */
  if (!self->zeroed)
    ok = check (cudaMemsetAsync (cells_at (self->cells.device, frame), 0,
            (half - used) * BDCT_ACCUMULATORS_SIZE, stream), "cudaMemsetAsync",
        error);
  self->zeroed = ok;
  for (unsigned i = 0; i < n && ok; i++) {
    const BdctSlot *slot = &frame_at (self, first + i)->slot;

    ok = (slot->n_trials == 0 || check (cudaMemsetAsync (slot->cells.device, 0,
                slot->n_trials * BDCT_ACCUMULATORS_SIZE, stream),
            "cudaMemsetAsync", error))
        && (!slot->rate
        || check (cudaMemsetAsync (slot->counts.device, 0, counts_size (slot),
                stream), "cudaMemsetAsync", error));
  }
  return ok;
}

/* The statistics of `n` frames. */
static bool
copy_cells (CudaEngine * self, unsigned first, unsigned n, cudaStream_t stream,
    BdctError * error)
{
  const Frame *frame = frame_at (self, first);
  bool ok = check (cudaMemcpyAsync (cells_at (self->cells.host.data, frame),
          cells_at (self->cells.device, frame), n * BDCT_ACCUMULATORS_SIZE,
          cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync", error);

  for (unsigned i = 0; i < n && ok; i++) {
    const BdctSlot *slot = &frame_at (self, first + i)->slot;

    ok = (slot->n_trials == 0
        || check (cudaMemcpyAsync (slot->cells.host.data, slot->cells.device,
                slot->n_trials * BDCT_ACCUMULATORS_SIZE, cudaMemcpyDeviceToHost,
                stream), "cudaMemcpyAsync", error))
        && (!slot->rate || check (cudaMemcpyAsync (slot->counts.host.data,
                slot->counts.device, counts_size (slot),
                cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync", error))
        && bdct_frame_metrics_download (&slot->metrics, stream, error);
  }
  return ok;
}

/* Enqueue what makes a frame's planes, and what makes R, G and B again. */
static bool
split (CudaEngine * self, const BdctSlot * slot, BdctError * error)
{
  const BdctDevice *device = &self->device;

  return check (cudaStreamWaitEvent (device->split,
          self->staging.ring[slot->ring_index].free, 0),
      "cudaStreamWaitEvent", error)
      && check (bdct_cuda_rgb_to_planes_launch (&slot->colour, device->split),
      "cudaLaunchKernel", error)
      && bdct_device_follow (device->stream, device->split, device->was_split,
      error);
}

static bool
join (CudaEngine * self, const BdctSlot * slot, BdctError * error)
{
  const BdctDevice *device = &self->device;

  return bdct_device_follow (device->join, device->stream,
      device->was_computed, error)
      && (!bdct_slot_joins (slot)
      || check (bdct_cuda_planes_to_rgb_launch (&slot->colour,
              slot->viewed ? &slot->render : NULL, device->join),
          "cudaLaunchKernel", error))
      && check (cudaEventRecord (self->staging.ring[slot->ring_index].free,
          device->join), "cudaEventRecord", error);
}

/* Enqueue what draws a view. */
static bool
draw (CudaEngine * self, const BdctSlot * slot, BdctError * error)
{
  return !slot->viewed || check (bdct_cuda_view_launch (&slot->render,
          self->device.stream), "cudaLaunchKernel", error);
}

/* Enqueue the kernels of a comparison. Where frames have R, G and B, what
 * follows them is in another stream. */
static bool
launch_comparison (CudaEngine * self, BdctSlot * slot, BdctError * error)
{
  const BdctDevice *device = &self->device;

  return bdct_comparison_enqueue (slot, &self->staging, &self->compare, error)
      && draw (self, slot, error)
      && (!slot->given.joins
      || check (bdct_cuda_planes_to_rgb_launch (&slot->colour, NULL,
              device->stream), "cudaLaunchKernel", error))
      && (!slot->given.zoomed
      || check (bdct_cuda_zoom_launch (&slot->given.zoom, device->stream),
          "cudaLaunchKernel", error))
      && (self->staging.layout.rgb.n_planes == 0
      || bdct_device_follow (device->join, device->stream,
          device->was_computed, error));
}

/* Enqueue a frame's rate-distortion jobs, but those of the others that metrics
 * are computed for. */
static bool
enqueue_rd (CudaEngine * self, const BdctSlot * slot, BdctError * error)
{
  for (int i = 0; i <= slot->n_trials; i++)
    if (bdct_job_is_rd (bdct_slot_job (slot, i))
        && (i == 0 || !slot->metrics_of_trials)
        && !bdct_rd_enqueue (slot, i, i == 0 ? &slot->rec : NULL,
            &self->staging, &self->rd, error))
      return false;
  return true;
}

/* Enqueue the kernels of `n` frames of those in flight. */
static bool
launch_kernels (CudaEngine * self, unsigned first, unsigned n,
    BdctError * error)
{
  const cudaStream_t stream = self->device.stream;
  BdctSlot *slot = &frame_at (self, first)->slot;

  if (bdct_slot_splits (slot) && !split (self, slot, error))
    return false;
  if (!check (bdct_cuda_launch (self->passes, gather_passes (self, first, n),
              self->device.kernels, stream), "cudaLaunchKernel", error))
    return false;
  for (unsigned i = 0; i < n; i++) {
    slot = &frame_at (self, first + i)->slot;
    if (slot->given.n > 0) {
      if (!launch_comparison (self, slot, error))
        return false;
      continue;
    }
    if (!enqueue_rd (self, slot, error))
      return false;
    if (slot->rate && !bdct_rate_enqueue (slot, &self->staging, &self->levels,
            error))
      return false;
    if (!bdct_compare_enqueue (slot, &self->staging, &self->compare,
            &self->rd, error))
      return false;
    if (!draw (self, slot, error))
      return false;
  }
  return !bdct_slot_splits (slot) || join (self, slot, error);
}

/* Enqueue what follows the uploads of `n` frames, the first of them at `first`
 * of those in flight: their kernels, the copies of their statistics, and the
 * event that says they are there. More than one frame have all that is large on
 * the device, and cells in a row. */
static bool
enqueue (CudaEngine * self, unsigned first, unsigned n, BdctError * error)
{
  BdctSlot *last = &frame_at (self, first + n - 1)->slot;
  const bool colour = self->staging.layout.rgb.n_planes > 0;
  const unsigned together = colour ? 1 : n;
  cudaStream_t stream = colour ? self->device.join : self->device.stream;

  if (!zero_cells (self, first, n, error))
    return false;
  for (unsigned i = 0; i < n; i += together)
    if (!launch_kernels (self, first + i, together, error))
      return false;
  /* The copy of the statistics would wait in the kernels' stream for the
   * download before it. */
  if (bdct_slot_downloads (last)) {
    if (!bdct_device_follow (self->device.download, stream, last->computed,
            error))
      return false;
    stream = self->device.download;
  }
  return copy_cells (self, first, n, stream, error)
      && bdct_slot_download (last, &self->staging, error)
      && check (cudaEventRecord (last->done[last->wait], stream),
      "cudaEventRecord", error);
}

/* Start what is pending. What cannot be started fails when it is collected. */
static void
start_pending (CudaEngine * self)
{
  unsigned n = self->pending, first = self->in_flight - n;
  BdctError error;

  if (n == 0)
    return;
  self->pending = 0;
  for (unsigned i = 0; i < n; i++)
    frame_at (self, first + i)->last =
        (self->oldest + first + n - 1) % self->depth;
  if (enqueue (self, first, n, &error))
    return;
  bdct_device_synchronize (&self->device);
  for (unsigned i = 0; i < n; i++) {
    frame_at (self, first + i)->failed = true;
    frame_at (self, first + i)->error = error;
  }
}

static bool
wait_for (CudaEngine * self, cudaStream_t stream, void *const *wait, int n,
    BdctError * error)
{
  for (int i = 0; i < n; i++)
    if (wait[i] != NULL && !bdct_device_follow (stream,
            (cudaStream_t) wait[i], self->device.foreign, error))
      return false;
  return true;
}

/* Whether there is room for another frame. */
static bool
has_room (const CudaEngine * self, BdctError * error)
{
  if (self->depth == 0)
    return bdct_error (error, "the engine is not configured");
  return self->in_flight < self->depth
      || bdct_error (error, "all %u frames are in flight", self->depth);
}

/* The next frame, with nothing in it yet. */
static Frame *
next_frame (CudaEngine * self)
{
  Frame *frame = frame_at (self, self->in_flight);

  frame->waited = frame->failed = false;
  frame->slot.ring_index = self->ring_index % BDCT_RGB_RING;
  frame->cells = self->next_cells;
  return frame;
}

/* It is prepared: put it among those in flight. */
static void
queue (CudaEngine * self, Frame * frame)
{
  const bool alone = frame->slot.wait == BDCT_WAIT_SLEEPING;
  const bool new_half = frame->cells % (self->n_cells / 2) == 0;

  /* Frames that are started together have cells of one half. */
  if (alone || new_half)
    start_pending (self);
  if (new_half)
    self->zeroed = false;
  self->next_cells = (self->next_cells + 1) % self->n_cells;
  self->ring_index++;
  self->in_flight++;
  self->pending++;
  if (alone || self->pending >= self->batch)
    start_pending (self);
}

static bool
cuda_submit (BdctEngine * engine, const BdctFrame * what, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Frame *frame;
  bool ok;

  if (!has_room (self, error)
      || !bdct_frame_check (what, &self->staging.layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  frame = next_frame (self);
  ok = wait_for (self, self->staging.layout.rgb.n_planes > 0
      ? self->device.split : self->device.stream, what->wait, 2, error)
      && bdct_slot_prepare (&frame->slot, &self->staging, what,
      cells_at (self->cells.device, frame), error);
  /* A kernel may have been found to differ. */
  bdct_device_describe (&self->device, engine);
  if (ok)
    queue (self, frame);
  bdct_device_leave (&self->device);
  return ok;
}

static bool
cuda_compare (BdctEngine * engine, const BdctComparison * what,
    BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Frame *frame;
  bool ok;

  if (!has_room (self, error)
      || !bdct_comparison_check (what, &self->staging.layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  frame = next_frame (self);
  ok = wait_for (self, self->device.stream, what->wait,
      sizeof what->wait / sizeof what->wait[0], error)
      && bdct_comparison_prepare (&frame->slot, &self->staging, what,
      &self->compared, cells_at (self->cells.device, frame), error);
  if (ok)
    queue (self, frame);
  bdct_device_leave (&self->device);
  return ok;
}

static bool
cuda_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Frame *frame, *last;
  bool ok = true;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  frame = frame_at (self, 0);
  if (self->pending == self->in_flight || !self->frames[frame->last].waited) {
    ok = bdct_device_enter (&self->device, error);
    if (ok) {
      if (self->pending == self->in_flight)
        start_pending (self);
      last = &self->frames[frame->last];
      ok = frame->failed || check (cudaEventSynchronize
          (last->slot.done[last->slot.wait]), "cudaEventSynchronize", error);
      /* The frame's images are the caller's again either way. */
      if (!ok)
        bdct_device_synchronize (&self->device);
      bdct_device_leave (&self->device);
      last->waited = ok;
    }
  }
  if (ok && frame->failed)
    ok = bdct_error (error, "%s", frame->error.message);
  if (ok)
    bdct_slot_finish (&frame->slot, &self->staging);
  if (ok && stats != NULL)
    bdct_slot_count (&frame->slot, &self->staging.layout,
        cells_at (self->cells.host.data, frame), stats);
  self->oldest = (self->oldest + 1) % self->depth;
  self->in_flight--;
  if (self->pending > self->in_flight)
    self->pending = self->in_flight;
  return ok;
}

const BdctEngineClass bdct_cuda_engine = {
  .name = "cuda",
  .count_devices = bdct_cuda_count,
  .create = cuda_create,
  .destroy = cuda_destroy,
  .configure = cuda_configure,
  .submit = cuda_submit,
  .compare = cuda_compare,
  .collect = cuda_collect,
  .alloc_host = bdct_cuda_alloc_host,
  .free_host = bdct_cuda_free_host,
  .alloc_device = bdct_cuda_alloc_device,
  .free_device = bdct_cuda_free_device,
  .copy = bdct_cuda_copy,
  .is_lost = bdct_cuda_is_lost,
};
