/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's queue: a ring of frames, and what is enqueued for each. */
#include "dct/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include "cuda/device/device.h"
#include "cuda/device/staging.h"
#include "cuda/frame/metrics.h"
#include "cuda/frame/pricer.h"
#include "cuda/jpeg/decoder.h"
#include "cuda/run.h"

#define check bdct_cuda_check

/* The accumulators of at least this many frames are zeroed at once. */
#define MIN_ZEROED 32

/* The maximum number of frames that are started together. */
#define MAX_BATCH (BDCT_MAX_DEPTH / 2)

/* A frame in the queue. */
typedef struct {
  BdctCudaFrame frame;
  unsigned sums;                /* number of its accumulators and counts */
  unsigned last;                /* of the frames started together */
  bool same_source;             /* it shares that of the frame before */
  bool waited;                  /* where it is the last: for its event */
  bool failed;
  BdctError error;              /* why */
  BdctPrice price;
} Queued;

/* Frames do not depend on each other, except for a source that several share.
 * Within a frame, events order the work of different streams. */
typedef struct {
  BdctEngine engine;
  BdctDevice device;
  BdctStaging staging;
  BdctPricer pricer;
  BdctJpegDecoder *jpeg;        /* NULL until needed */
  BdctHistory history;
  Queued *queue;
  unsigned depth, oldest, in_flight;    /* depth 0: not configured */
  unsigned pending;             /* the newest of those, not yet started */
  unsigned batch;               /* start when so many are pending */
  unsigned ring_index;          /* index of the next frame of R, G and B */
  const Queued *before;         /* the frame submitted last, if the next one
                                   can share its source; else NULL */
  bool shared;                  /* frames have shared its source */
  /* Of the first results of `n_sums` frames. */
  BdctBuffer accumulators, counts;
  unsigned n_sums, next_sums;   /* frames */
  bool zeroed;                  /* the half of these in use */
  BdctJob compared;             /* the job of given pictures (compare.h) */
  const BdctCudaLaunch *launches[MAX_BATCH * 4];
} CudaEngine;

/* Everything that configure() and submit() allocate. */
static void
free_frames (CudaEngine * self, bool in_context)
{
  /* A failed submit() may have left work behind. */
  if (in_context)
    bdct_device_synchronize (&self->device);
  for (unsigned i = 0; self->queue != NULL && i < self->depth; i++) {
    bdct_pricer_take (&self->pricer, &self->queue[i].price);
    bdct_cuda_frame_clear (&self->queue[i].frame, in_context);
  }
  free (self->queue);
  bdct_buffer_free (&self->accumulators, in_context);
  bdct_buffer_free (&self->counts, in_context);
  bdct_staging_clear (&self->staging, in_context);
  self->queue = NULL;
  self->depth = self->oldest = self->in_flight = self->pending = 0;
  self->n_sums = self->next_sums = 0;
  self->before = NULL;
  self->shared = false;
}

static void
cuda_destroy (BdctEngine * engine)
{
  CudaEngine *self = (CudaEngine *) engine;
  const bool in_context = bdct_device_enter (&self->device, NULL);

  free_frames (self, in_context);
  bdct_jpeg_decoder_free (self->jpeg, in_context);
  bdct_device_close (&self->device, in_context);
  if (in_context)
    bdct_device_leave (&self->device);
  bdct_copier_free (self->staging.copier);
  bdct_pricer_clear (&self->pricer);
  free (self);
}

static BdctEngine *
cuda_create (const BdctEngineOptions * options, BdctError * error)
{
  const bool no_tensor = options->isa != NULL;
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
  bdct_pricer_init (&self->pricer);
  ok = bdct_device_enter (&self->device, error);
  if (ok) {
    ok = bdct_device_open (&self->device, error);
    if (ok)
      bdct_device_describe (&self->device, &self->engine);
    else
      bdct_device_close (&self->device, true);
    bdct_device_leave (&self->device);
  }
  if (ok)
    return &self->engine;
  bdct_pricer_clear (&self->pricer);
  free (self);
  return NULL;
}

static bool
allocate_frames (CudaEngine * self, unsigned depth, BdctError * error)
{
  /* Two halves, of which one is zeroed while all frames in flight are in the
   * other. */
  unsigned half = depth > MIN_ZEROED ? depth : MIN_ZEROED;

  self->queue = calloc (depth, sizeof *self->queue);
  if (self->queue == NULL)
    return bdct_error (error, "out of memory");
  self->depth = depth;
  self->n_sums = 2 * half;
  if (!bdct_buffer_reserve (&self->accumulators,
          self->n_sums * BDCT_ACCUMULATORS_SIZE, true, &self->engine, error)
      || !bdct_buffer_reserve (&self->counts,
          self->n_sums * sizeof (BdctRateCounts), true, &self->engine, error))
    return false;
  for (unsigned i = 0; i < depth; i++)
    if (!bdct_cuda_frame_init (&self->queue[i].frame, error))
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
    return bdct_error (error, "%u frames are in flight; collect them first",
        self->in_flight);
  if (depth < 1 || depth > BDCT_MAX_DEPTH)
    return bdct_error (error, "depth %u is outside 1 to %d", depth,
        BDCT_MAX_DEPTH);
  if (!bdct_device_enter (&self->device, error))
    return false;
  free_frames (self, true);
  bdct_staging_init (&self->staging, layout);
  bdct_comparison_job (&self->compared, layout);
  bdct_history_init (&self->history, depth + BDCT_HISTORY_EXTRA);
  /* When the depth is reached, a frame is waited for. The first half of
   * those in flight may have started by then, while the second is gathered. */
  self->batch = depth > 1 ? depth / 2 : 1;
  self->staging.bits_overlap = depth > 1 && layout->rgb.n_planes == 0;
  ok = allocate_frames (self, depth, error);
  if (!ok)
    free_frames (self, true);
  bdct_device_leave (&self->device);
  return ok;
}

static bool
cuda_reserve (BdctEngine * engine, const BdctJob * job, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  bool ok;

  if (!bdct_job_is_tree (job))
    return true;
  if (!bdct_device_enter (&self->device, error))
    return false;
  ok = bdct_quadtree_reserve (job, &self->staging, error);
  bdct_device_leave (&self->device);
  return ok;
}

static Queued *
queued_at (CudaEngine * self, unsigned n)
{
  return &self->queue[(self->oldest + n) % self->depth];
}

/* A frame's first results, on the device or on the host. */
static BdctCudaAccumulator *
accumulators_at (const BdctBuffer * buffer, bool host, const Queued * queued)
{
  return (BdctCudaAccumulator *) (host ? buffer->host : buffer->device)
      + queued->sums * BDCT_CUDA_ACCUMULATORS;
}

static BdctRateCounts *
counts_at (const BdctBuffer * buffer, bool host, const Queued * queued)
{
  return (BdctRateCounts *) (host ? buffer->host : buffer->device)
      + queued->sums;
}

/* Batches
 *
 * Frames whose images are all on the device wait until half of those in flight
 * are prepared, and start together: one launch takes the same kernel's part of
 * as many as it has room for (append() of cuda/launch/dispatch.c), and one
 * zeroing, one copy and one event do for all. A frame that moves an image or
 * another large thing between host and device starts by itself. What is zeroed
 * are the first results, by halves of their memory: of 32 frames or more. */

/* The launches of the newest `n` frames that go together: the first of each
 * frame, then the second of each, because those are likely to have the same
 * kernel. */
static int
gather_launches (CudaEngine * self, unsigned n)
{
  int n_launches = 0;

  for (int i = 0; i < 2; i++)
    for (unsigned j = 0; j < n; j++) {
      const BdctCudaFrame *frame =
          &queued_at (self, self->in_flight - n + j)->frame;

      if (i < frame->launches.n && bdct_cuda_frame_shares_launches (frame))
        self->launches[n_launches++] = &frame->launches.launch[i];
    }
  return n_launches;
}

/* Zero the rest of a half, from a frame's first results on. The earlier frames
 * of this half have been collected: none of their statistics is still to be
 * copied. */
static bool
zero_half (CudaEngine * self, const Queued * queued, BdctError * error)
{
  const unsigned half = self->n_sums / 2, left = half - queued->sums % half;
  const cudaStream_t stream = self->device.stream;

  self->zeroed = self->zeroed
      || (check (cudaMemsetAsync (accumulators_at (&self->accumulators, false,
                  queued), 0, left * BDCT_ACCUMULATORS_SIZE, stream),
          "cudaMemsetAsync", error)
      && check (cudaMemsetAsync (counts_at (&self->counts, false, queued), 0,
              left * sizeof (BdctRateCounts), stream), "cudaMemsetAsync",
          error));
  return self->zeroed;
}

static bool
copy (const void *from, void *to, size_t size, cudaStream_t stream,
    BdctError * error)
{
  return check (cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToHost,
          stream), "cudaMemcpyAsync", error);
}

/* Enqueue what follows the uploads of the newest `n` frames: their kernels, the
 * copies of their results, and the event that reports these. */
static bool
enqueue (CudaEngine * self, unsigned n, BdctError * error)
{
  const unsigned first = self->in_flight - n;
  const Queued *queued = queued_at (self, first);
  BdctCudaFrame *last = &queued_at (self, self->in_flight - 1)->frame;
  cudaStream_t stream = self->staging.layout.rgb.n_planes > 0
      ? self->device.rgb_out : self->device.stream;
  bool ok = zero_half (self, queued, error), bits = false, overlap = false;

  for (unsigned i = 0; i < n && ok; i++)
    ok = bdct_cuda_frame_zero (&queued_at (self, first + i)->frame,
        self->device.stream, error);
  ok = ok && bdct_cuda_launch (self->launches, gather_launches (self, n),
      self->device.kernels, self->device.stream, error);
  for (unsigned i = 0; i < n && ok; i++) {
    BdctCudaFrame *frame = &queued_at (self, first + i)->frame;

    ok = bdct_cuda_frame_run (frame, &self->staging, error);
    bits = bits || frame->plan.bits;
    overlap = overlap || frame->sums.bits_overlap;
  }
  /* In the kernels' stream, the copy of the statistics would wait for the
   * download before it, and later kernels there for bits. */
  if (ok && (overlap || bdct_cuda_frame_downloads (last))) {
    ok = bdct_stream_wait_for (self->device.download, stream,
        last->events.event[BDCT_COMPUTED], error);
    stream = self->device.download;
  }
  for (unsigned i = 0; i < n && ok; i++) {
    BdctCudaFrame *frame = &queued_at (self, first + i)->frame;

    ok = bdct_cuda_frame_wait_for_bits (frame, &self->device, stream, error)
        && bdct_cuda_frame_download (frame, &self->staging, stream, error);
  }
  return ok && copy (accumulators_at (&self->accumulators, false, queued),
      accumulators_at (&self->accumulators, true, queued),
      n * BDCT_ACCUMULATORS_SIZE, stream, error)
      && (!bits || copy (counts_at (&self->counts, false, queued),
          counts_at (&self->counts, true, queued), n * sizeof (BdctRateCounts),
          stream, error))
      && check (cudaEventRecord (last->events.event[last->events.done],
          stream), "cudaEventRecord", error);
}

/* Start what is pending. A frame that cannot be started fails when it is
 * collected. */
static void
start_pending (CudaEngine * self)
{
  const unsigned n = self->pending;
  BdctError error;

  self->pending = 0;
  for (unsigned i = 1; i <= n; i++)
    queued_at (self, self->in_flight - i)->last =
        (self->oldest + self->in_flight - 1) % self->depth;
  if (n == 0 || enqueue (self, n, &error))
    return;
  self->before = NULL;
  bdct_device_synchronize (&self->device);
  for (unsigned i = 1; i <= n; i++) {
    Queued *queued = queued_at (self, self->in_flight - i);

    queued->failed = true;
    queued->error = error;
    bdct_history_forget (&self->history,
        &queued->frame.plan.metrics.history);
  }
}

/* Frames */

/* Whether there is room for another frame. */
static bool
has_room (const CudaEngine * self, BdctError * error)
{
  if (self->depth == 0)
    return bdct_error (error, "the engine is not configured; call "
        "bdct_engine_configure() first");
  return self->in_flight < self->depth
      || bdct_error (error, "all %u frames are in flight; collect one first",
          self->depth);
}

/* Prepare for another source. Frames that share one may still read it when the
 * frame that has its memory is collected: so what is uploaded from now on waits
 * for them. */
static bool
leave_source (CudaEngine * self, BdctError * error)
{
  const BdctDevice *device = &self->device;
  const bool colour = self->staging.layout.rgb.n_planes > 0;
  bool ok = true;

  if (self->shared)
    start_pending (self);
  self->before = NULL;
  if (!self->shared)
    return true;
  ok = bdct_stream_wait_for (device->upload, colour ? device->rgb_out
      : device->stream, device->was_read, error);
  for (int i = 0; i < BDCT_CUDA_BITS_SLOTS && ok; i++)
    ok = check (cudaStreamWaitEvent (device->upload, device->was_counted[i],
            0), "cudaStreamWaitEvent", error);
  self->shared = !ok;
  return ok;
}

/* A frame that cannot be started leaves no source for the next one. */
static bool
check_source (const CudaEngine * self, const Queued * queued, BdctError * error)
{
  return !queued->same_source || self->before != NULL
      || bdct_error (error, "the frame whose source this one shares has "
      "failed");
}

/* The next frame, still empty; NULL with an error. If its metrics read the
 * history, the frames before it have started: one that cannot start is not in
 * the history. */
static Queued *
next_queued (CudaEngine * self, unsigned metrics, bool same_source,
    BdctError * error)
{
  Queued *queued = queued_at (self, self->in_flight);

  if (!same_source && !leave_source (self, error))
    return NULL;
  if (bdct_metrics_history (metrics) > 0)
    start_pending (self);
  queued->waited = queued->failed = false;
  queued->same_source = same_source;
  queued->sums = self->next_sums;
  queued->frame.sums.accumulators = accumulators_at (&self->accumulators, false,
      queued);
  queued->frame.sums.counts = counts_at (&self->counts, false, queued);
  return check_source (self, queued, error) ? queued : NULL;
}

/* Let a stream wait for those of the caller. */
static bool
wait_for (CudaEngine * self, cudaStream_t stream, void *const *wait, int n,
    BdctError * error)
{
  for (int i = 0; i < n; i++)
    if (wait[i] != NULL && !bdct_stream_wait_for (stream,
            (cudaStream_t) wait[i], self->device.foreign, error))
      return false;
  return true;
}

/* Add a prepared frame to those in flight. */
static bool
add (CudaEngine * self, Queued * queued, BdctError * error)
{
  const BdctCudaFrame *frame = &queued->frame;
  const bool alone = frame->events.done == BDCT_DONE_SLEEPING;
  const bool new_half = queued->sums % (self->n_sums / 2) == 0;

  /* Frames that are started together have accumulators of the same half. */
  if (alone || new_half)
    start_pending (self);
  if (!check_source (self, queued, error))
    return false;
  if (new_half)
    self->zeroed = false;
  self->next_sums = (self->next_sums + 1) % self->n_sums;
  self->ring_index += bdct_cuda_frame_is_rgb (frame);
  self->shared |= queued->same_source;
  self->before = frame->plan.n_distorted == 0
      && frame->image[BDCT_PLAN_PLANES].data[0] != NULL ? queued : NULL;
  self->in_flight++;
  self->pending++;
  if (alone || self->pending >= self->batch)
    start_pending (self);
  return true;
}

/* What ends submit() and compare(); `queued` NULL: it could not begin. */
static bool
end_submit (CudaEngine * self, Queued * queued, bool prepared,
    BdctError * error)
{
  const bool ok = prepared && add (self, queued, error);

  if (!ok && queued != NULL)
    bdct_history_forget (&self->history, &queued->frame.plan.metrics.history);
  /* A check may have found that a kernel differs. */
  bdct_device_describe (&self->device, &self->engine);
  bdct_device_leave (&self->device);
  return ok;
}

static bool
cuda_submit (BdctEngine * engine, const BdctFrame * request, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  BdctPlanRules rules = {.in_place = true };
  BdctCudaFrame *frame;
  Queued *queued;

  if (!has_room (self, error)
      || !bdct_frame_check (request, &self->staging.layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  queued = next_queued (self, request->metrics, request->same_source, error);
  if (queued == NULL)
    return end_submit (self, NULL, false, error);
  frame = &queued->frame;
  rules.kept = self->before != NULL
      && self->before->frame.plan.place[BDCT_PLAN_RECONSTRUCTION]
      != BDCT_PLACE_PLANES;
  bdct_plan_frame (&frame->plan, &self->staging.layout, request, &rules,
      &self->history);
  if (frame->plan.place[BDCT_PLAN_PLANES] != BDCT_PLACE_BEFORE)
    frame->ring_index = self->ring_index % BDCT_RGB_RING;
  return end_submit (self, queued, wait_for (self,
          bdct_cuda_frame_is_rgb (frame) ? self->device.rgb_in
          : self->device.stream, request->wait, 2, error)
      && bdct_cuda_prepare_frame (frame, &self->staging, request,
          request->same_source ? &self->before->frame : NULL, error), error);
}

static bool
cuda_compare (BdctEngine * engine, const BdctComparison * comparison,
    BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Queued *queued;

  if (!has_room (self, error)
      || !bdct_comparison_check (comparison, &self->staging.layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  queued = next_queued (self, comparison->metrics, false, error);
  if (queued == NULL)
    return end_submit (self, NULL, false, error);
  bdct_plan_comparison (&queued->frame.plan, &self->staging.layout, comparison,
      &self->compared, &self->history);
  return end_submit (self, queued, wait_for (self, self->device.stream,
          comparison->wait, sizeof comparison->wait
          / sizeof comparison->wait[0], error)
      && bdct_cuda_prepare_comparison (&queued->frame, &self->staging,
          comparison, &self->compared, error), error);
}

/* Begin to price the symbols of frames that are done together with the
 * oldest. CABAC's bits are priced already. */
static void
price_ahead (CudaEngine * self)
{
  const unsigned last = queued_at (self, 0)->last;

  for (unsigned i = 1; i < self->in_flight - self->pending; i++) {
    Queued *queued = queued_at (self, i);
    const BdctJob *job = queued->frame.quantizers;

    if (queued->last != last)
      break;
    if (!queued->frame.plan.bits
        || queued->frame.array[BDCT_ARRAY_COUNTS].device != NULL
        || bdct_job_coder (job) != BDCT_CODER_HUFFMAN)
      continue;
    queued->price.counts = counts_at (&self->counts, true, queued);
    queued->price.layout = &self->staging.layout;
    queued->price.job = job;
    bdct_pricer_add (&self->pricer, &queued->price);
  }
}

static bool
cuda_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Queued *queued, *last;
  bool ok = true, priced;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  queued = queued_at (self, 0);
  if (self->pending == self->in_flight || !self->queue[queued->last].waited) {
    ok = bdct_device_enter (&self->device, error);
    if (ok) {
      if (self->pending == self->in_flight)
        start_pending (self);
      last = &self->queue[queued->last];
      ok = queued->failed || check (cudaEventSynchronize
          (last->frame.events.event[last->frame.events.done]),
          "cudaEventSynchronize", error);
      /* From here on the frame's images are the caller's again, even after
       * an error. */
      if (!ok)
        bdct_device_synchronize (&self->device);
      bdct_device_leave (&self->device);
      last->waited = ok;
      if (ok && !queued->failed)
        price_ahead (self);
    }
  }
  priced = bdct_pricer_take (&self->pricer, &queued->price);
  if (ok && queued->failed)
    ok = bdct_error (error, "%s", queued->error.message);
  if (ok)
    bdct_cuda_frame_finish (&queued->frame, &self->staging);
  if (ok && stats != NULL) {
    bdct_cuda_frame_get_stats (&queued->frame, &self->staging.layout,
        accumulators_at (&self->accumulators, true, queued),
        counts_at (&self->counts, true, queued),
        priced ? &queued->price.stats : NULL, stats);
    bdct_frame_metrics_finish (&queued->frame, stats);
  }
  self->oldest = (self->oldest + 1) % self->depth;
  self->in_flight--;
  if (self->pending > self->in_flight)
    self->pending = self->in_flight;
  return ok;
}

static bool
cuda_decode (BdctEngine * engine, BdctJpeg * files, int n, void *wait,
    BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  bool ok;

  if (!bdct_device_enter (&self->device, error))
    return false;
  ok = bdct_jpeg_decoder_run (&self->jpeg, &self->device, engine, files, n,
      wait, error);
  bdct_device_leave (&self->device);
  return ok;
}

const BdctEngineClass bdct_cuda_engine = {
  .name = "cuda",
  .count_devices = bdct_cuda_count,
  .create = cuda_create,
  .destroy = cuda_destroy,
  .configure = cuda_configure,
  .reserve = cuda_reserve,
  .submit = cuda_submit,
  .compare = cuda_compare,
  .collect = cuda_collect,
  .decode = cuda_decode,
  .alloc_host = bdct_cuda_alloc_host,
  .free_host = bdct_cuda_free_host,
  .alloc_device = bdct_cuda_alloc_device,
  .free_device = bdct_cuda_free_device,
  .copy = bdct_cuda_copy,
  .is_lost = bdct_cuda_is_lost,
};
