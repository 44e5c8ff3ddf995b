/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's queue: a ring of frames, and what is enqueued for each. */
#include "dct/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include "cuda/device/device.h"
#include "cuda/device/staging.h"
#include "cuda/frame/prepare.h"
#include "cuda/frame/pricer.h"
#include "cuda/jpeg/decoder.h"
#include "cuda/launch/dispatch.h"
#include "cuda/run.h"
#include "cuda/stage/quadtree.h"

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
} Entry;

/* Frames do not depend on each other, except for a source that several share.
 * Within a frame, events order the work of different streams. */
typedef struct {
  BdctEngine engine;
  BdctDevice device;
  BdctStaging staging;
  BdctPricer *pricer;
  BdctJpegDecoder *jpeg;        /* NULL until needed */
  BdctHistory history;
  Entry *entries;
  unsigned depth, oldest, in_flight;    /* depth 0: not configured */
  unsigned pending;             /* the newest of those, not yet started */
  unsigned batch;               /* start when so many are pending */
  unsigned ring_index;          /* index of the next frame of R, G and B */
  const Entry *before;          /* the frame submitted last, if the next one
                                   can share its source; else NULL */
  bool shared;                  /* frames have shared its source */
  /* Of the first results of `n_sums` frames; counts from the first frame on
   * whose bits are wanted. */
  BdctBuffer accumulators, counts;
  unsigned n_sums, next_sums;   /* frames */
  bool zeroed;                  /* the half of these in use */
  BdctCudaMemory memory;
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
  for (unsigned i = 0; self->entries != NULL && i < self->depth; i++) {
    bdct_pricer_take (self->pricer, &self->entries[i].price);
    bdct_cuda_frame_clear (&self->entries[i].frame, in_context);
  }
  free (self->entries);
  bdct_buffer_free (&self->accumulators, in_context);
  bdct_buffer_free (&self->counts, in_context);
  bdct_cuda_memory_clear (&self->memory, in_context);
  bdct_staging_clear (&self->staging, in_context);
  self->entries = NULL;
  self->depth = self->oldest = self->in_flight = self->pending = 0;
  self->n_sums = self->next_sums = 0;
  self->before = NULL;
  self->shared = false;
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
  self->pricer = bdct_pricer_new ();
  if (self->pricer == NULL) {
    bdct_error (error, "out of memory");
    free (self);
    return NULL;
  }
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
    bdct_pricer_free (self->pricer);
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
  bdct_jpeg_decoder_free (self->jpeg, in_context);
  bdct_device_close (&self->device, in_context);
  if (in_context)
    bdct_device_leave (&self->device);
  bdct_copier_free (self->staging.copier);
  bdct_pricer_free (self->pricer);
  free (self);
}

static bool
allocate_frames (CudaEngine * self, unsigned depth, BdctError * error)
{
  /* Two halves, of which one is zeroed while all frames in flight are in the
   * other. */
  unsigned half = depth > MIN_ZEROED ? depth : MIN_ZEROED;

  self->entries = calloc (depth, sizeof *self->entries);
  if (self->entries == NULL)
    return bdct_error (error, "out of memory");
  self->depth = depth;
  self->n_sums = 2 * half;
  if (!bdct_buffer_reserve (&self->accumulators,
          self->n_sums * BDCT_ACCUMULATORS_SIZE, true, &self->engine, error))
    return false;
  for (unsigned i = 0; i < depth; i++)
    if (!bdct_cuda_frame_init (&self->entries[i].frame, error))
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
  self->memory.beside = depth > 1 && layout->rgb.n_planes == 0;
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
  ok = bdct_quadtree_reserve (job, &self->staging, &self->memory.trees, error);
  bdct_device_leave (&self->device);
  return ok;
}

static Entry *
entry_at (CudaEngine * self, unsigned n)
{
  return &self->entries[(self->oldest + n) % self->depth];
}

static BdctCudaAccumulator *
first_accumulators (uint8_t * memory, const Entry * entry)
{
  return (BdctCudaAccumulator *) (memory
      + entry->sums * BDCT_ACCUMULATORS_SIZE);
}

static BdctRateCounts *
first_counts (uint8_t * memory, const Entry * entry)
{
  return memory == NULL ? NULL : (BdctRateCounts *) memory + entry->sums;
}

/* Enqueue the launches of `n` frames that go together: the first of each frame,
 * then the second of each, and so on, because those are likely to have the same
 * kernel.
 */
static int
gather_launches (CudaEngine * self, unsigned first, unsigned n)
{
  int n_launches = 0;
  bool more = true;

  for (int i = 0; more; i++) {
    more = false;
    for (unsigned j = 0; j < n; j++) {
      const BdctCudaFrame *frame = &entry_at (self, first + j)->frame;

      if (i >= frame->jobs.n_launches
          || !bdct_cuda_frame_shares_launches (frame))
        continue;
      self->launches[n_launches++] = &frame->jobs.launch[i];
      more = true;
    }
  }
  return n_launches;
}

static size_t
stack_size (const CudaEngine * self, const BdctCudaFrame * frame)
{
  return frame->results.stack_sse == NULL ? 0
      : self->staging.layout.stack * sizeof *frame->results.stack_sse;
}

static size_t
others_size (const BdctCudaFrame * frame)
{
  return (frame->plan.n_results - 1) * BDCT_ACCUMULATORS_SIZE;
}

static bool
zero (void *at, size_t size, cudaStream_t stream, BdctError * error)
{
  return size == 0 || check (cudaMemsetAsync (at, 0, size, stream),
      "cudaMemsetAsync", error);
}

/* Memory of first results is zeroed by halves, the rest by frames. */
static bool
zero_results (CudaEngine * self, unsigned first, unsigned n,
    BdctError * error)
{
  const Entry *entry = entry_at (self, first);
  const unsigned half = self->n_sums / 2, left = half - entry->sums % half;
  cudaStream_t stream = self->device.stream;
  bool ok = true;

  /* The earlier frames of this half have been collected: none of their
   * statistics is still to be copied. */
  if (!self->zeroed)
    ok = zero (first_accumulators (self->accumulators.device, entry),
        left * BDCT_ACCUMULATORS_SIZE, stream, error)
        && (self->counts.size == 0 || zero (first_counts (self->counts.device,
                entry), left * sizeof (BdctRateCounts), stream, error));
  self->zeroed = ok;
  for (unsigned i = 0; i < n && ok; i++) {
    const BdctCudaFrame *frame = &entry_at (self, first + i)->frame;
    const BdctCudaResults *results = &frame->results;

    ok = zero (results->accumulators.device, others_size (frame), stream,
        error)
        && zero (results->counts.device, bdct_cuda_frame_counts_size (frame,
            &self->staging.layout), stream, error)
        && zero (results->stack.device, stack_size (self, frame), stream,
        error);
  }
  return ok;
}

static bool
download (void *to, const void *from, size_t size, cudaStream_t stream,
    BdctError * error)
{
  return size == 0 || check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync", error);
}

/* The statistics of `n` frames. */
static bool
copy_results (CudaEngine * self, unsigned first, unsigned n,
    cudaStream_t stream, BdctError * error)
{
  const Entry *entry = entry_at (self, first);
  bool bits = false;
  bool ok = download (first_accumulators (self->accumulators.host.data, entry),
      first_accumulators (self->accumulators.device, entry),
      n * BDCT_ACCUMULATORS_SIZE, stream, error);

  for (unsigned i = 0; i < n && ok; i++) {
    const BdctCudaFrame *frame = &entry_at (self, first + i)->frame;
    const BdctCudaResults *results = &frame->results;

    bits = bits || frame->plan.bits;
    ok = download (results->accumulators.host.data,
        results->accumulators.device, others_size (frame), stream, error)
        && download (results->counts.host.data, results->counts.device,
        bdct_cuda_frame_counts_size (frame, &self->staging.layout), stream,
        error)
        && download (results->stack.host.data, results->stack.device,
        stack_size (self, frame), stream, error)
        && bdct_frame_metrics_download (&results->metrics, stream, error);
  }
  return ok && (!bits || download (first_counts (self->counts.host.data,
              entry), first_counts (self->counts.device, entry),
          n * sizeof (BdctRateCounts), stream, error));
}

/* Enqueue the kernels of `n` frames of those in flight. */
static bool
launch_kernels (CudaEngine * self, unsigned first, unsigned n,
    BdctError * error)
{
  bool ok = true;

  for (unsigned i = 0; i < n && ok; i++)
    ok = bdct_cuda_frame_begin (&entry_at (self, first + i)->frame,
        &self->staging, error);
  ok = ok && check (bdct_cuda_launch (self->launches,
          gather_launches (self, first, n), self->device.kernels,
          self->device.stream), "cudaLaunchKernel", error);
  for (unsigned i = 0; i < n && ok; i++)
    ok = bdct_cuda_frame_run (&entry_at (self, first + i)->frame,
        &self->staging, &self->memory, error);
  return ok;
}

/* Enqueue what follows the uploads of `n` frames, the first of them at
 * `first` of those in flight: their kernels, the copies of their statistics,
 * and the event that reports these. If there are several frames, all their
 * large data are on the device, and their accumulators are adjacent. */
static bool
enqueue (CudaEngine * self, unsigned first, unsigned n, BdctError * error)
{
  BdctCudaFrame *last = &entry_at (self, first + n - 1)->frame;
  const bool colour = self->staging.layout.rgb.n_planes > 0;
  const unsigned together = colour ? 1 : n;
  cudaStream_t stream = colour ? self->device.join : self->device.stream;
  bool beside = false;

  if (!zero_results (self, first, n, error))
    return false;
  for (unsigned i = 0; i < n; i += together)
    if (!launch_kernels (self, first + i, together, error))
      return false;
  for (unsigned i = 0; i < n; i++)
    beside = beside || entry_at (self, first + i)->frame.results.beside;
  /* In the kernels' stream, the copy of the statistics would wait for the
   * download before it, and later kernels there for bits. */
  if (beside || bdct_cuda_frame_downloads (last)) {
    if (!bdct_device_follow (self->device.download, stream,
            last->events.computed, error))
      return false;
    stream = self->device.download;
  }
  for (unsigned i = 0; i < n; i++)
    if (!bdct_cuda_frame_follow_bits (&entry_at (self, first + i)->frame,
            &self->device, stream, error))
      return false;
  return copy_results (self, first, n, stream, error)
      && bdct_cuda_frame_download (last, &self->staging, error)
      && check (cudaEventRecord (last->events.done[last->events.wait],
          stream), "cudaEventRecord", error);
}

/* Start what is pending. A frame that cannot be started fails when it is
 * collected. */
static void
start_pending (CudaEngine * self)
{
  unsigned n = self->pending, first = self->in_flight - n;
  BdctError error;

  if (n == 0)
    return;
  self->pending = 0;
  for (unsigned i = 0; i < n; i++)
    entry_at (self, first + i)->last =
        (self->oldest + first + n - 1) % self->depth;
  if (enqueue (self, first, n, &error))
    return;
  self->before = NULL;
  bdct_device_synchronize (&self->device);
  for (unsigned i = 0; i < n; i++) {
    Entry *entry = entry_at (self, first + i);

    entry->failed = true;
    entry->error = error;
    bdct_history_forget (&self->history,
        &entry->frame.plan.metrics.history);
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
  ok = bdct_device_follow (device->upload, colour ? device->join
      : device->stream, device->was_read, error);
  for (int i = 0; i < BDCT_CUDA_SIDES && ok; i++)
    ok = check (cudaStreamWaitEvent (device->upload, device->was_counted[i],
            0), "cudaStreamWaitEvent", error);
  self->shared = !ok;
  return ok;
}

/* The next frame, still empty. If its metrics read the history, the frames
 * before it have started: one that cannot start is not in the history. */
static Entry *
next_entry (CudaEngine * self, unsigned metrics, bool same_source)
{
  Entry *entry = entry_at (self, self->in_flight);

  if (bdct_metrics_history (metrics) > 0)
    start_pending (self);
  entry->waited = entry->failed = false;
  entry->same_source = same_source;
  entry->sums = self->next_sums;
  entry->frame.results.first = first_accumulators (self->accumulators.device,
      entry);
  return entry;
}

/* Memory for counts, all zeroed, as frames may begin anywhere in it. */
static bool
place_counts (CudaEngine * self, Entry * entry, BdctError * error)
{
  const size_t size = self->n_sums * sizeof (BdctRateCounts);

  if (!entry->frame.plan.bits)
    return true;
  if (self->counts.host.data == NULL
      && (!bdct_buffer_reserve (&self->counts, size, true, &self->engine, error)
          || !zero (self->counts.device, size, self->device.stream, error)))
    return false;
  entry->frame.results.first_counts = first_counts (self->counts.device,
      entry);
  return true;
}

/* A frame that cannot be started leaves no source for the next one. */
static bool
check_source (const CudaEngine * self, const Entry * entry, BdctError * error)
{
  return !entry->same_source || self->before != NULL
      || bdct_error (error, "the frame whose source this one shares has "
      "failed");
}

/* Add a prepared frame to those in flight. */
static bool
queue (CudaEngine * self, Entry * entry, BdctError * error)
{
  const BdctCudaFrame *frame = &entry->frame;
  const bool alone = frame->events.wait == BDCT_WAIT_SLEEPING;
  const bool new_half = entry->sums % (self->n_sums / 2) == 0;

  /* Frames that are started together have accumulators of the same half. */
  if (alone || new_half)
    start_pending (self);
  if (!check_source (self, entry, error))
    return false;
  if (new_half)
    self->zeroed = false;
  self->next_sums = (self->next_sums + 1) % self->n_sums;
  self->ring_index += bdct_cuda_frame_is_rgb (frame);
  self->shared |= entry->same_source;
  self->before = frame->plan.n_distorted == 0
      && frame->images.image[BDCT_PLAN_PLANES].data[0] != NULL ? entry : NULL;
  self->in_flight++;
  self->pending++;
  if (alone || self->pending >= self->batch)
    start_pending (self);
  return true;
}

static bool
cuda_submit (BdctEngine * engine, const BdctFrame * request, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  BdctPlanRules rules = {.in_place = true };
  Entry *entry;
  bool ok;

  if (!has_room (self, error)
      || !bdct_frame_check (request, &self->staging.layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  ok = request->same_source || leave_source (self, error);
  entry = next_entry (self, request->metrics, request->same_source);
  rules.kept = ok && self->before != NULL
      && self->before->frame.plan.place[BDCT_PLAN_RECONSTRUCTION]
      != BDCT_PLACE_PLANES;
  bdct_plan_frame (&entry->frame.plan, &self->staging.layout, request,
      &rules, &self->history);
  if (entry->frame.plan.place[BDCT_PLAN_PLANES] != BDCT_PLACE_BEFORE)
    entry->frame.images.ring_index = self->ring_index % BDCT_RGB_RING;
  ok = ok && check_source (self, entry, error)
      && place_counts (self, entry, error)
      && wait_for (self, bdct_cuda_frame_is_rgb (&entry->frame)
      ? self->device.split : self->device.stream, request->wait, 2, error)
      && bdct_cuda_prepare_frame (&entry->frame, &self->staging,
      &self->memory, request,
      request->same_source ? &self->before->frame : NULL, error)
      && queue (self, entry, error);
  /* A check may have found that a kernel differs. */
  bdct_device_describe (&self->device, engine);
  if (!ok)
    bdct_history_forget (&self->history, &entry->frame.plan.metrics.history);
  bdct_device_leave (&self->device);
  return ok;
}

static bool
cuda_compare (BdctEngine * engine, const BdctComparison * comparison,
    BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Entry *entry;
  bool ok;

  if (!has_room (self, error)
      || !bdct_comparison_check (comparison, &self->staging.layout, error)
      || !bdct_device_enter (&self->device, error))
    return false;
  ok = leave_source (self, error);
  entry = next_entry (self, comparison->metrics, false);
  bdct_plan_comparison (&entry->frame.plan, &self->staging.layout, comparison,
      &self->compared, &self->history);
  ok = ok && wait_for (self, self->device.stream, comparison->wait,
      sizeof comparison->wait / sizeof comparison->wait[0], error)
      && bdct_cuda_prepare_comparison (&entry->frame, &self->staging,
      &self->memory, comparison, &self->compared, error)
      && queue (self, entry, error);
  if (!ok)
    bdct_history_forget (&self->history, &entry->frame.plan.metrics.history);
  bdct_device_leave (&self->device);
  return ok;
}

/* Begin to price the symbols of frames that are done together with the
 * oldest. CABAC's bits are priced already. */
static void
price_ahead (CudaEngine * self)
{
  const unsigned last = entry_at (self, 0)->last;

  for (unsigned i = 1; i < self->in_flight - self->pending; i++) {
    Entry *entry = entry_at (self, i);
    const BdctJob *job = entry->frame.jobs.quantizers;

    if (entry->last != last)
      break;
    if (!entry->frame.plan.bits
        || entry->frame.results.stack_bits != NULL
        || bdct_job_coder (job) != BDCT_CODER_HUFFMAN)
      continue;
    entry->price.counts = first_counts (self->counts.host.data, entry);
    entry->price.layout = &self->staging.layout;
    entry->price.job = job;
    bdct_pricer_add (self->pricer, &entry->price);
  }
}

static bool
cuda_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Entry *entry, *last;
  bool ok = true, priced;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  entry = entry_at (self, 0);
  if (self->pending == self->in_flight || !self->entries[entry->last].waited) {
    ok = bdct_device_enter (&self->device, error);
    if (ok) {
      if (self->pending == self->in_flight)
        start_pending (self);
      last = &self->entries[entry->last];
      ok = entry->failed || check (cudaEventSynchronize
          (last->frame.events.done[last->frame.events.wait]),
          "cudaEventSynchronize", error);
      /* From here on the frame's images are the caller's again, even after
       * an error. */
      if (!ok)
        bdct_device_synchronize (&self->device);
      bdct_device_leave (&self->device);
      last->waited = ok;
      if (ok && !entry->failed)
        price_ahead (self);
    }
  }
  priced = bdct_pricer_take (self->pricer, &entry->price);
  if (ok && entry->failed)
    ok = bdct_error (error, "%s", entry->error.message);
  if (ok)
    bdct_cuda_frame_finish (&entry->frame, &self->staging);
  if (ok && stats != NULL)
    bdct_cuda_frame_count (&entry->frame, &self->staging.layout,
        first_accumulators (self->accumulators.host.data, entry),
        first_counts (self->counts.host.data, entry),
        priced ? &entry->price.stats : NULL, stats);
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
