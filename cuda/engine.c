/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's host side: a ring of frames on one stream. */
#include "dct/engine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dct/matrices.h"
#include "launch.h"
#include "view-launch.h"

/* Rows of staging planes begin at a multiple of this. */
#define PITCH_ALIGN 256

/* The oldest GPU there are kernels for: compute capability x 10. */
#define OLDEST_GPU 75

typedef struct {
  cudaEvent_t done;
  uint8_t *staging_src, *staging_dst; /* for host images; NULL until needed */
  uint8_t *scratch;             /* a view's reconstruction; NULL until needed */
  BdctStats stats;                    /* samples and levels */
} Slot;

typedef struct {
  BdctEngine engine;
  BdctContext context;
  cudaStream_t stream;
  BdctLayout layout;
  BdctView view;

  Slot *slots;
  unsigned depth, oldest, in_flight;  /* depth 0: not configured */
  BdctCudaCell *cells;                /* BDCT_CUDA_CELLS of every slot */
  BdctCudaCell *cells_host;           /* the same, pinned */
  size_t pitch[BDCT_MAX_PLANES];      /* of a staging image's planes */
  size_t offset[BDCT_MAX_PLANES];
  size_t staging_size;
} CudaEngine;

/* What the user can do about it. */
static const char *
cure (cudaError_t err)
{
  switch (err) {
    case cudaErrorMemoryAllocation:
      return "; reduce async-depth or the frame size, or free GPU memory";
    case cudaErrorInsufficientDriver:
      return "; update the NVIDIA driver";
    case cudaErrorNoDevice:
      return "; use the CPU engine, or check the driver with nvidia-smi";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidPtx:
      return "; this build has no code for this GPU: rebuild with "
          "-Dcuda-arch=, or update the driver";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
      return "; the GPU context is lost: restart the program";
    default:
      return "";
  }
}

/* True on success; else the text, and the error is not left for others who use
 * the runtime on this thread. */
static bool
check (cudaError_t err, const char *call, BdctError * error)
{
  if (err == cudaSuccess)
    return true;
  (void) cudaGetLastError ();
  return bdct_error (error, "%s: %s%s", call, cudaGetErrorString (err),
      cure (err));
}

static bool
enter (CudaEngine * self, BdctError * error)
{
  if (self->context.enter != NULL && !self->context.enter (self->context.data))
    return bdct_error (error, "the CUDA context cannot be made current");
  return true;
}

static void
leave (CudaEngine * self)
{
  if (self->context.leave != NULL)
    self->context.leave (self->context.data);
}

static int
cuda_count_devices (BdctError * error)
{
  int n = 0, driver = 0;
  cudaError_t err = cudaGetDeviceCount (&n);

  if (err == cudaSuccess && n > 0)
    return n;
  /* The runtime calls a driver that is absent insufficient. */
  if (err == cudaErrorInsufficientDriver
      && cudaDriverGetVersion (&driver) == cudaSuccess && driver == 0)
    bdct_error (error, "no NVIDIA driver is installed");
  else if (err == cudaSuccess)
    bdct_error (error, "the NVIDIA driver has no device");
  else
    check (err, "cudaGetDeviceCount", error);
  (void) cudaGetLastError ();
  return 0;
}

/* Everything that configure() and submit() allocate. */
static void
free_slots (CudaEngine * self)
{
  for (unsigned i = 0; self->slots != NULL && i < self->depth; i++) {
    Slot *slot = &self->slots[i];

    if (slot->done != NULL)
      cudaEventDestroy (slot->done);
    cudaFree (slot->staging_src);
    cudaFree (slot->staging_dst);
    cudaFree (slot->scratch);
  }
  free (self->slots);
  cudaFree (self->cells);
  cudaFreeHost (self->cells_host);
  self->slots = NULL;
  self->cells = self->cells_host = NULL;
  self->depth = self->oldest = self->in_flight = 0;
}

static void
close_device (CudaEngine * self)
{
  if (self->stream != NULL)
    cudaStreamSynchronize (self->stream);
  free_slots (self);
  if (self->stream != NULL)
    cudaStreamDestroy (self->stream);
  self->stream = NULL;
  /* On a lost context all of these fail; there is nobody to tell. */
  (void) cudaGetLastError ();
}

static bool
upload_matrices (CudaEngine * self, BdctError * error)
{
  BdctCudaMatrices m;

  bdct_matrix_int (BDCT_MATRIX_ISLOW_8, m.islow8);
  bdct_matrix_int (BDCT_MATRIX_DST_4, m.dst4);
  bdct_matrix_int (BDCT_MATRIX_HEVC_4, m.hevc4);
  bdct_matrix_int (BDCT_MATRIX_HEVC_8, m.hevc8);
  bdct_matrix_int (BDCT_MATRIX_HEVC_16, m.hevc16);
  bdct_matrix_int (BDCT_MATRIX_HEVC_32, m.hevc32);
  bdct_matrix_real (m.real8);
  return check (bdct_cuda_upload (&m, self->stream),
      "cudaMemcpyToSymbolAsync", error)
      && check (cudaStreamSynchronize (self->stream), "cudaStreamSynchronize",
      error)
      && check (bdct_cuda_view_upload (self->stream),
      "cudaMemcpyToSymbolAsync", error);
}

static bool
open_device (CudaEngine * self, BdctError * error)
{
  struct cudaDeviceProp prop;
  int device;

  if (!check (cudaGetDevice (&device), "cudaGetDevice", error)
      || !check (cudaGetDeviceProperties (&prop, device),
          "cudaGetDeviceProperties", error))
    return false;
  if (prop.major * 10 + prop.minor < OLDEST_GPU)
    return bdct_error (error, "cuda:%d %.100s has compute capability %d.%d; "
        "%d.%d (Turing) or newer is needed", device, prop.name, prop.major,
        prop.minor, OLDEST_GPU / 10, OLDEST_GPU % 10);
  snprintf (self->engine.description, sizeof self->engine.description,
      "cuda:%d %.100s", device, prop.name);
  /* Not a non-blocking stream: images may come with work still pending on the
   * context's default stream, as from a plain copy out of pageable memory. */
  return check (cudaStreamCreate (&self->stream), "cudaStreamCreate", error)
      && upload_matrices (self, error);
}

static BdctEngine *
cuda_create (const BdctEngineOptions * options, BdctError * error)
{
  CudaEngine *self = calloc (1, sizeof *self);
  bool ok;

  if (self == NULL) {
    bdct_error (error, "out of memory");
    return NULL;
  }
  self->engine.klass = &bdct_cuda_engine;
  self->context = options->context;
  self->view = (BdctView) BDCT_VIEW_DEFAULT;
  ok = enter (self, error);
  if (ok) {
    ok = open_device (self, error);
    if (!ok)
      close_device (self);
    leave (self);
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

  if (enter (self, NULL)) {
    close_device (self);
    leave (self);
  } else {
    /* Without the context its memory is out of reach, and gone with it. */
    free (self->slots);
  }
  free (self);
}

static bool
allocate_slots (CudaEngine * self, unsigned depth, BdctError * error)
{
  size_t size = depth * BDCT_CUDA_CELLS * sizeof (BdctCudaCell);

  self->slots = calloc (depth, sizeof *self->slots);
  if (self->slots == NULL)
    return bdct_error (error, "out of memory");
  self->depth = depth;
  if (!check (cudaMalloc ((void **) &self->cells, size), "cudaMalloc", error)
      || !check (cudaMallocHost ((void **) &self->cells_host, size),
          "cudaMallocHost", error))
    return false;
  for (unsigned i = 0; i < depth; i++)
    if (!check (cudaEventCreateWithFlags (&self->slots[i].done,
                cudaEventDisableTiming), "cudaEventCreateWithFlags", error))
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
  if (!enter (self, error))
    return false;
  free_slots (self);
  self->layout = *layout;
  self->staging_size = 0;
  for (int p = 0; p < layout->n_planes; p++) {
    self->pitch[p] = (bdct_layout_row_size (layout, p) + PITCH_ALIGN - 1)
        & ~(size_t) (PITCH_ALIGN - 1);
    self->offset[p] = self->staging_size;
    self->staging_size += self->pitch[p] * layout->plane[p].height;
  }
  ok = allocate_slots (self, depth, error);
  if (!ok)
    free_slots (self);
  leave (self);
  return ok;
}

/* Copy one plane between host and staging; both run in the same direction.
 * The runtime copies between pitches of at least a row; the caller's may be
 * smaller (0 repeats a row). */
static bool
copy_plane (CudaEngine * self, int p, uint8_t * to, ptrdiff_t to_stride,
    const uint8_t * from, ptrdiff_t from_stride, ptrdiff_t host_stride,
    enum cudaMemcpyKind kind, BdctError * error)
{
  size_t row = bdct_layout_row_size (&self->layout, p);
  size_t host_pitch = host_stride < 0 ? -(size_t) host_stride
      : (size_t) host_stride;
  int height = self->layout.plane[p].height;

  if (height > 1 && host_pitch >= row && host_pitch <= INT_MAX) {
    if (host_stride < 0) {
      to += (height - 1) * to_stride;
      from += (height - 1) * from_stride;
      to_stride = -to_stride;
      from_stride = -from_stride;
    }
    return check (cudaMemcpy2DAsync (to, to_stride, from, from_stride, row,
            height, kind, self->stream), "cudaMemcpy2DAsync", error);
  }
  for (int y = 0; y < height; y++)
    if (!check (cudaMemcpyAsync (to + y * to_stride, from + y * from_stride,
                row, kind, self->stream), "cudaMemcpyAsync", error))
      return false;
  return true;
}

static bool
copy_image (CudaEngine * self, const BdctImage * to, const BdctImage * from,
    enum cudaMemcpyKind kind, BdctError * error)
{
  const BdctImage *host = kind == cudaMemcpyHostToDevice ? from : to;

  for (int p = 0; p < self->layout.n_planes; p++)
    if (!copy_plane (self, p, to->data[p], to->stride[p], from->data[p],
            from->stride[p], host->stride[p], kind, error))
      return false;
  return true;
}

/* Where the kernel finds an image: itself, or its staging image, whose rows run
 * in the direction of the host's. */
static bool
device_image (CudaEngine * self, const BdctImage * image, uint8_t ** staging,
    BdctImage * device, BdctError * error)
{
  int bytes = bdct_layout_sample_size (&self->layout);

  *device = *image;
  if (image->memory == BDCT_MEMORY_DEVICE) {
    for (int p = 0; p < self->layout.n_planes; p++)
      if (((uintptr_t) image->data[p] | (uintptr_t) image->stride[p])
          % bytes != 0)
        return bdct_error (error, "plane %d at %p, stride %td, is not aligned "
            "to its samples of %d bytes", p, image->data[p], image->stride[p],
            bytes);
    return true;
  }
  if (*staging == NULL
      && !check (cudaMalloc ((void **) staging, self->staging_size),
          "cudaMalloc", error))
    return false;
  for (int p = 0; p < self->layout.n_planes; p++) {
    bool down = image->stride[p] < 0;
    size_t pitch = self->pitch[p];

    device->data[p] = *staging + self->offset[p]
        + (down ? (self->layout.plane[p].height - 1) * pitch : 0);
    device->stride[p] = down ? -(ptrdiff_t) pitch : (ptrdiff_t) pitch;
  }
  return true;
}

static bool
describe_frame (CudaEngine * self, const BdctJob * job, const BdctImage * src,
    const BdctImage * dst, BdctCudaFrame * frame, BdctError * error)
{
  memset (frame, 0, sizeof *frame);
  frame->job = *job;
  frame->n_planes = self->layout.n_planes;
  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *layout = &self->layout.plane[p];
    BdctCudaPlane *plane = &frame->plane[p];

    plane->src = src->data[p];
    plane->dst = dst->data[p];
    plane->src_stride = src->stride[p];
    plane->dst_stride = dst->stride[p];
    plane->width = layout->width;
    plane->height = layout->height;
    plane->shift = layout->shift;
    plane->interleave = layout->interleave;
    for (int i = 0; i < layout->interleave; i++)
      plane->component[i] = layout->component[i];
  }
  if (!bdct_cuda_cut (frame))
    return bdct_error (error, "the frame is too large for one launch");
  return true;
}

static void
cuda_set_view (BdctEngine * engine, const BdctView * view)
{
  ((CudaEngine *) engine)->view = *view;
}

/* The reconstruction, into `dst` or, for a view of it, an image of the engine's
 * own, from which the view is drawn. */
static bool
launch (CudaEngine * self, Slot * slot, const BdctJob * job,
    const BdctImage * src, const BdctImage * dst, BdctCudaCell * cells,
    BdctError * error)
{
  const BdctImage host = { .memory = BDCT_MEMORY_HOST };
  bool plain = bdct_view_is_plain (&self->view);
  BdctImage rec = *dst;
  BdctCudaFrame frame;
  BdctRender render;

  if ((!plain && !device_image (self, &host, &slot->scratch, &rec, error))
      || !describe_frame (self, job, src, &rec, &frame, error))
    return false;
  frame.cells = cells;
  if (!check (bdct_cuda_launch (&frame, self->stream), "cudaLaunchKernel",
          error))
    return false;
  if (plain)
    return true;
  bdct_render_init (&render, &self->view, &self->layout, job, src, &rec, dst);
  return check (bdct_cuda_view_launch (&render, job, self->stream),
      "cudaLaunchKernel", error);
}

/* Everything of a frame, in the stream's order. */
static bool
enqueue (CudaEngine * self, unsigned index, const BdctJob * job,
    const BdctImage * src, const BdctImage * dst, BdctError * error)
{
  Slot *slot = &self->slots[index];
  size_t size = BDCT_CUDA_CELLS * sizeof (BdctCudaCell);
  BdctCudaCell *host = self->cells_host + index * BDCT_CUDA_CELLS;
  BdctCudaCell *cells = self->cells + index * BDCT_CUDA_CELLS;
  BdctImage device_src, device_dst;

  if (!device_image (self, src, &slot->staging_src, &device_src, error)
      || !device_image (self, dst, &slot->staging_dst, &device_dst, error))
    return false;
  if (src->memory == BDCT_MEMORY_HOST
      && !copy_image (self, &device_src, src, cudaMemcpyHostToDevice, error))
    return false;
  if (!check (cudaMemsetAsync (cells, 0, size, self->stream),
          "cudaMemsetAsync", error)
      || !launch (self, slot, job, &device_src, &device_dst, cells, error))
    return false;
  if (dst->memory == BDCT_MEMORY_HOST
      && !copy_image (self, dst, &device_dst, cudaMemcpyDeviceToHost, error))
    return false;
  return check (cudaMemcpyAsync (host, cells, size,
          cudaMemcpyDeviceToHost, self->stream), "cudaMemcpyAsync", error)
      && check (cudaEventRecord (slot->done, self->stream), "cudaEventRecord",
      error);
}

static bool
cuda_submit (BdctEngine * engine, const BdctJob * job, const BdctImage * src,
    const BdctImage * dst, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  unsigned index;
  Slot *slot;
  bool ok;

  if (self->depth == 0)
    return bdct_error (error, "the engine is not configured");
  if (self->in_flight == self->depth)
    return bdct_error (error, "all %u frames are in flight", self->depth);
  if (job->depth != self->layout.depth)
    return bdct_error (error, "the job is for a depth of %d, the frames have "
        "%d", job->depth, self->layout.depth);

  index = (self->oldest + self->in_flight) % self->depth;
  slot = &self->slots[index];
  memset (&slot->stats, 0, sizeof slot->stats);
  bdct_engine_count (&self->layout, job, &slot->stats);
  if (!enter (self, error))
    return false;
  ok = enqueue (self, index, job, src, dst, error);
  if (!ok) {
    /* The caller may free the images now: nothing may go on using them. */
    cudaStreamSynchronize (self->stream);
    (void) cudaGetLastError ();
  }
  leave (self);
  if (ok)
    self->in_flight++;
  return ok;
}

static bool
cuda_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  CudaEngine *self = (CudaEngine *) engine;
  const BdctCudaCell *cell;
  Slot *slot;
  bool ok;

  if (self->in_flight == 0)
    return bdct_error (error, "no frame is in flight");
  slot = &self->slots[self->oldest];
  cell = self->cells_host + self->oldest * BDCT_CUDA_CELLS;
  self->oldest = (self->oldest + 1) % self->depth;
  self->in_flight--;
  if (!enter (self, error))
    return false;
  ok = check (cudaEventSynchronize (slot->done), "cudaEventSynchronize", error);
  leave (self);
  if (!ok || stats == NULL)
    return ok;
  *stats = slot->stats;
  for (int i = 0; i < BDCT_CUDA_CELLS; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += cell[i].sse[c];
      stats->component[c].nonzero += cell[i].nonzero[c];
    }
  return true;
}

const BdctEngineClass bdct_cuda_engine = {
  .name = "cuda",
  .count_devices = cuda_count_devices,
  .create = cuda_create,
  .destroy = cuda_destroy,
  .configure = cuda_configure,
  .set_view = cuda_set_view,
  .submit = cuda_submit,
  .collect = cuda_collect,
};
