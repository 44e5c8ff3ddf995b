/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's queue: a ring of frames, and what is enqueued for each. */
#include "dct/engine.h"

#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "launch.h"
#include "staging.h"
#include "view-launch.h"

#define check bdct_cuda_check

/* At least so many frames' cells are zeroed at once. */
#define MIN_ZEROED 32

typedef enum { WAIT_SPINNING, WAIT_SLEEPING, N_WAITS } Wait;

typedef struct {
  cudaEvent_t uploaded, computed;       /* of frames in host memory */
  cudaEvent_t done[N_WAITS];
  BdctEnd src, dst;
  BdctCudaFrame frame;
  bool viewed;                  /* a view is drawn behind the reconstruction */
  BdctRender render;
  uint8_t *scratch;             /* its reconstruction; NULL until needed */
  unsigned cells;               /* index of its first cell */
  unsigned last;                /* of the slots started together */
  Wait wait;                    /* where it is the last: for which event */
  bool reached;                 /* and whether that was waited for */
  bool failed;
  BdctError error;              /* why */
  BdctStats stats;              /* samples and levels */
} Slot;

/* Frames do not depend on each other, and within one, events order what is in
 * different streams. A slot, and all it owns, is used again only when collect()
 * has waited for the last of its events. */
typedef struct {
  BdctEngine engine;
  BdctDevice device;
  BdctStaging staging;
  BdctView view;
  Slot *slots;
  unsigned depth, oldest, in_flight;    /* depth 0: not configured */
  unsigned pending;             /* the newest of those, not yet started */
  unsigned batch;               /* start when so many are pending */
  BdctCudaCell *cells;          /* BDCT_CUDA_CELLS for each of `n_cells` */
  BdctHostMemory cells_host;    /* the same */
  unsigned n_cells, next_cells; /* frames */
  bool zeroed;                  /* the half of the cells in use */
} CudaEngine;

static void
free_event (cudaEvent_t event)
{
  if (event != NULL)
    cudaEventDestroy (event);
}

/* Everything that configure() and submit() allocate. */
static void
free_slots (CudaEngine * self)
{
  for (unsigned i = 0; self->slots != NULL && i < self->depth; i++) {
    Slot *slot = &self->slots[i];

    free_event (slot->uploaded);
    free_event (slot->computed);
    for (int j = 0; j < N_WAITS; j++)
      free_event (slot->done[j]);
    bdct_end_free (&slot->src);
    bdct_end_free (&slot->dst);
    cudaFree (slot->scratch);
  }
  free (self->slots);
  cudaFree (self->cells);
  bdct_host_memory_free (&self->cells_host);
  self->slots = NULL;
  self->cells = NULL;
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
  self->view = (BdctView) BDCT_VIEW_DEFAULT;
  self->device.context = options->context;
  self->device.no_tensor = no_tensor;
  self->staging.device = &self->device;
  self->staging.engine = &self->engine;
  self->staging.threads = options->threads;
  ok = bdct_device_enter (&self->device, error);
  if (ok) {
    ok = bdct_device_open (&self->device, self->engine.description,
        sizeof self->engine.description, error);
    if (!ok)
      bdct_device_close (&self->device);
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

  if (bdct_device_enter (&self->device, NULL)) {
    bdct_device_synchronize (&self->device);
    free_slots (self);
    bdct_device_close (&self->device);
    bdct_device_leave (&self->device);
  } else {
    /* Without the context its memory is out of reach, and gone with it. */
    free (self->slots);
  }
  bdct_copier_free (self->staging.copier);
  free (self);
}

static bool
create_event (cudaEvent_t * event, unsigned flags, BdctError * error)
{
  return check (cudaEventCreateWithFlags (event, cudaEventDisableTiming
          | flags), "cudaEventCreateWithFlags", error);
}

static bool
allocate_slots (CudaEngine * self, unsigned depth, BdctError * error)
{
  /* Two halves, of which one is zeroed while all frames in flight are in the
   * other. */
  unsigned half = depth > MIN_ZEROED ? depth : MIN_ZEROED;
  size_t size = 2 * half * BDCT_CUDA_CELLS * sizeof (BdctCudaCell);

  self->slots = calloc (depth, sizeof *self->slots);
  if (self->slots == NULL)
    return bdct_error (error, "out of memory");
  self->depth = depth;
  self->n_cells = 2 * half;
  if (!check (cudaMalloc ((void **) &self->cells, size), "cudaMalloc", error)
      || !bdct_host_memory_alloc (&self->cells_host, size, &self->engine,
          error))
    return false;
  for (unsigned i = 0; i < depth; i++) {
    Slot *slot = &self->slots[i];

    /* Frames in host memory take long enough to sleep meanwhile. */
    if (!create_event (&slot->uploaded, 0, error)
        || !create_event (&slot->computed, 0, error)
        || !create_event (&slot->done[WAIT_SPINNING], 0, error)
        || !create_event (&slot->done[WAIT_SLEEPING], cudaEventBlockingSync,
            error))
      return false;
  }
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
  if (!bdct_device_enter (&self->device, error))
    return false;
  free_slots (self);
  bdct_staging_init (&self->staging, layout);
  /* A frame is waited for when the depth is reached. The first half of those in
   * flight may have started by then, the second is gathered meanwhile. */
  self->batch = depth > 1 ? depth / 2 : 1;
  ok = allocate_slots (self, depth, error);
  if (!ok)
    free_slots (self);
  bdct_device_leave (&self->device);
  return ok;
}

static bool
describe_frame (CudaEngine * self, const BdctJob * job, const BdctImage * src,
    const BdctImage * dst, BdctCudaFrame * frame, BdctError * error)
{
  const BdctLayout *layout = &self->staging.layout;

  memset (frame, 0, sizeof *frame);
  frame->job = *job;
  frame->n_planes = layout->n_planes;
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *from = &layout->plane[p];
    BdctCudaPlane *plane = &frame->plane[p];

    plane->src = src->data[p];
    plane->dst = dst->data[p];
    plane->src_stride = src->stride[p];
    plane->dst_stride = dst->stride[p];
    plane->width = from->width;
    plane->height = from->height;
    plane->shift = from->shift;
    plane->interleave = from->interleave;
    for (int i = 0; i < from->interleave; i++)
      plane->component[i] = from->component[i];
  }
  if (!bdct_cuda_cut (frame, self->device.kernels))
    return bdct_error (error, "the frame is too large for one launch");
  return true;
}

static Slot *
slot_at (CudaEngine * self, unsigned n)
{
  return &self->slots[(self->oldest + n) % self->depth];
}

/* Enqueue what follows the uploads of `n` frames, the first of them at `first`
 * of those in flight: their kernels, one copy of all their statistics, and the
 * event that says they are there. More than one frame have their images on the
 * device, the same job, and cells in a row. */
static bool
enqueue (CudaEngine * self, unsigned first, unsigned n, BdctError * error)
{
  Slot *slot = slot_at (self, first), *last = slot_at (self, first + n - 1);
  unsigned half = self->n_cells / 2;
  unsigned used = slot->cells / BDCT_CUDA_CELLS % half;
  BdctCudaCell *cells = self->cells + slot->cells;
  size_t size = BDCT_CUDA_CELLS * sizeof *cells;
  cudaStream_t stream = self->device.stream;
  const BdctCudaFrame *frames[BDCT_MAX_DEPTH];

  /* The frames that used this half before have been collected: none of their
   * statistics waits to be copied. */
  if (used == 0)
    self->zeroed = false;
  if (!self->zeroed && !check (cudaMemsetAsync (cells, 0,
              (half - used) * size, stream), "cudaMemsetAsync", error))
    return false;
  self->zeroed = true;
  for (unsigned i = 0; i < n; i++)
    frames[i] = &slot_at (self, first + i)->frame;
  if (!check (bdct_cuda_launch (frames, n, self->device.kernels, stream),
          "cudaLaunchKernel", error))
    return false;
  for (unsigned i = 0; i < n; i++) {
    const Slot *viewed = slot_at (self, first + i);

    if (viewed->viewed && !check (bdct_cuda_view_launch (&viewed->render,
                &viewed->frame.job, stream), "cudaLaunchKernel", error))
      return false;
  }
  /* The copy of the statistics would wait in the kernels' stream for the
   * download before it. */
  if (last->dst.on_host) {
    stream = self->device.download;
    if (!check (cudaEventRecord (last->computed, self->device.stream),
            "cudaEventRecord", error)
        || !check (cudaStreamWaitEvent (stream, last->computed, 0),
            "cudaStreamWaitEvent", error))
      return false;
  }
  if (!check (cudaMemcpyAsync ((BdctCudaCell *) self->cells_host.data
              + slot->cells, cells, n * size, cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync", error)
      || (last->dst.on_host && !bdct_staging_download (&self->staging,
              &last->dst, error)))
    return false;
  return check (cudaEventRecord (last->done[last->wait], stream),
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
    slot_at (self, first + i)->last =
        (self->oldest + first + n - 1) % self->depth;
  if (enqueue (self, first, n, &error))
    return;
  bdct_device_synchronize (&self->device);
  for (unsigned i = 0; i < n; i++) {
    slot_at (self, first + i)->failed = true;
    slot_at (self, first + i)->error = error;
  }
}

/* All of a frame up to its kernel. */
static bool
prepare (CudaEngine * self, Slot * slot, const BdctJob * job,
    const BdctImage * src, const BdctImage * dst, BdctError * error)
{
  BdctStaging *staging = &self->staging;
  BdctImage rec;

  slot->reached = slot->failed = false;
  memset (&slot->stats, 0, sizeof slot->stats);
  bdct_engine_count (&staging->layout, job, &slot->stats);
  if (!bdct_staging_place (staging, &slot->src, src, self->device.upload, error)
      || !bdct_staging_place (staging, &slot->dst, dst, self->device.stream,
          error))
    return false;
  rec = slot->dst.image;
  slot->viewed = !bdct_view_is_plain (&self->view);
  if ((slot->viewed && !bdct_staging_scratch (staging, &slot->scratch, &rec,
              error))
      || !describe_frame (self, job, &slot->src.image, &rec, &slot->frame,
          error))
    return false;
  if (slot->viewed)
    bdct_render_init (&slot->render, &self->view, &staging->layout, job,
        &slot->src.image, &rec, &slot->dst.image);
  slot->wait = slot->src.on_host || slot->dst.on_host ? WAIT_SLEEPING
      : WAIT_SPINNING;
  if (!slot->src.on_host)
    return true;
  if (bdct_staging_upload (staging, &slot->src, error)
      && check (cudaEventRecord (slot->uploaded, self->device.upload),
          "cudaEventRecord", error)
      && check (cudaStreamWaitEvent (self->device.stream, slot->uploaded, 0),
          "cudaStreamWaitEvent", error))
    return true;
  /* The caller may free the image now: nothing may go on using it. */
  bdct_device_synchronize (&self->device);
  return false;
}

static void
cuda_set_view (BdctEngine * engine, const BdctView * view)
{
  ((CudaEngine *) engine)->view = *view;
}

static bool
cuda_submit (BdctEngine * engine, const BdctJob * job, const BdctImage * src,
    const BdctImage * dst, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  bool alone, ok;
  Slot *slot;

  if (self->depth == 0)
    return bdct_error (error, "the engine is not configured");
  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (job->depth != self->staging.layout.depth)
    return bdct_error (error, "the job is for a depth of %d, the frames have "
        "%d", job->depth, self->staging.layout.depth);
  if (!bdct_device_enter (&self->device, error))
    return false;
  slot = slot_at (self, self->in_flight);
  ok = prepare (self, slot, job, src, dst, error);
  if (ok) {
    alone = slot->wait == WAIT_SLEEPING;
    /* Frames that are started together have one job, and cells of one half. */
    if (self->pending > 0 && (alone
            || self->next_cells % (self->n_cells / 2) == 0
            || memcmp (&slot_at (self, self->in_flight - 1)->frame.job, job,
                sizeof *job) != 0))
      start_pending (self);
    slot->cells = self->next_cells * BDCT_CUDA_CELLS;
    self->next_cells = (self->next_cells + 1) % self->n_cells;
    slot->frame.cells = self->cells + slot->cells;
    self->in_flight++;
    self->pending++;
    if (alone || self->pending >= self->batch)
      start_pending (self);
  }
  bdct_device_leave (&self->device);
  return ok;
}

/* What comes out of a slot whose frame is done. */
static void
read_result (CudaEngine * self, Slot * slot, BdctStats * stats)
{
  const BdctCudaCell *cell = (BdctCudaCell *) self->cells_host.data
      + slot->cells;

  bdct_staging_finish (&self->staging, &slot->dst);
  if (stats == NULL)
    return;
  *stats = slot->stats;
  for (int i = 0; i < BDCT_CUDA_CELLS; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += cell[i].sse[c];
      stats->component[c].nonzero += cell[i].nonzero[c];
    }
}

static bool
cuda_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  Slot *slot, *last;
  bool ok = true;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  slot = slot_at (self, 0);
  if (self->pending == self->in_flight || !self->slots[slot->last].reached) {
    ok = bdct_device_enter (&self->device, error);
    if (ok) {
      if (self->pending == self->in_flight)
        start_pending (self);
      last = &self->slots[slot->last];
      ok = slot->failed || check (cudaEventSynchronize
          (last->done[last->wait]), "cudaEventSynchronize", error);
      bdct_device_leave (&self->device);
      last->reached = ok;
    }
  }
  if (ok && slot->failed)
    ok = bdct_error (error, "%s", slot->error.message);
  if (ok)
    read_result (self, slot, stats);
  self->oldest = (self->oldest + 1) % self->depth;
  self->in_flight--;
  if (self->pending > self->in_flight)
    self->pending = self->in_flight;
  return ok;
}

static bool
cuda_after (BdctEngine * engine, void *stream, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  bool ok = bdct_device_enter (&self->device, error);

  if (!ok)
    return false;
  ok = check (cudaEventRecord (self->device.foreign, (cudaStream_t) stream),
      "cudaEventRecord", error)
      && check (cudaStreamWaitEvent (self->device.stream,
          self->device.foreign, 0), "cudaStreamWaitEvent", error);
  bdct_device_leave (&self->device);
  return ok;
}

const BdctEngineClass bdct_cuda_engine = {
  .name = "cuda",
  .count_devices = bdct_cuda_count,
  .create = cuda_create,
  .destroy = cuda_destroy,
  .configure = cuda_configure,
  .set_view = cuda_set_view,
  .submit = cuda_submit,
  .collect = cuda_collect,
  .after = cuda_after,
  .alloc_host = bdct_cuda_alloc_host,
  .free_host = bdct_cuda_free_host,
};
