/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include "cuda/launch/selfcheck.h"

/* The oldest GPU that has kernels: compute capability x 10. */
#define OLDEST_GPU 75

bool
bdct_device_enter (const BdctDevice * self, BdctError * error)
{
  if (self->context.enter != NULL && !self->context.enter (self->context.data))
    return bdct_error (error, "the CUDA context cannot be made current"
        BDCT_CUDA_LOST);
  return true;
}

void
bdct_device_leave (const BdctDevice * self)
{
  if (self->context.leave != NULL)
    self->context.leave (self->context.data);
}

int
bdct_cuda_count (BdctError * error)
{
  int n = 0, driver = 0;
  cudaError_t err = cudaGetDeviceCount (&n);

  if (err == cudaSuccess && n > 0)
    return n;
  /* Without a driver the runtime reports that it is insufficient. */
  if (err == cudaErrorInsufficientDriver
      && cudaDriverGetVersion (&driver) == cudaSuccess && driver == 0)
    bdct_error (error, "no NVIDIA driver is installed");
  else if (err == cudaSuccess)
    bdct_error (error, "the NVIDIA driver has no device");
  else
    bdct_cuda_check (err, "cudaGetDeviceCount", error);
  (void) cudaGetLastError ();
  return 0;
}

/* Streams in which images are read first wait for the context's default
 * stream: images may come with work still pending there, as from a plain copy
 * from pageable memory. The other streams use images on the host alone, or
 * after those, and would only be delayed. */
static const struct
{
  size_t at;
  unsigned flags;
} streams[] = {
  {offsetof (BdctDevice, upload), cudaStreamNonBlocking},
  {offsetof (BdctDevice, rgb_in), cudaStreamDefault},
  {offsetof (BdctDevice, stream), cudaStreamDefault},
  {offsetof (BdctDevice, bits[0]), cudaStreamNonBlocking},
  {offsetof (BdctDevice, bits[1]), cudaStreamNonBlocking},
  {offsetof (BdctDevice, rgb_out), cudaStreamNonBlocking},
  {offsetof (BdctDevice, download), cudaStreamNonBlocking},
};

static const size_t events[] = {
  offsetof (BdctDevice, was_rgb_in), offsetof (BdctDevice, was_computed),
  offsetof (BdctDevice, was_counted[0]), offsetof (BdctDevice, was_counted[1]),
  offsetof (BdctDevice, was_transformed), offsetof (BdctDevice, was_read),
  offsetof (BdctDevice, foreign),
};

#define N(array) (sizeof (array) / sizeof (array)[0])

static cudaStream_t *
stream_at (const BdctDevice * self, size_t i)
{
  return (cudaStream_t *) ((uint8_t *) self + streams[i].at);
}

static cudaEvent_t *
event_at (const BdctDevice * self, size_t i)
{
  return (cudaEvent_t *) ((uint8_t *) self + events[i]);
}

void
bdct_device_synchronize (const BdctDevice * self)
{
  for (size_t i = 0; i < N (streams); i++)
    if (*stream_at (self, i) != NULL)
      cudaStreamSynchronize (*stream_at (self, i));
  (void) cudaGetLastError ();
}

bool
bdct_stream_wait_for (cudaStream_t stream, cudaStream_t before,
    cudaEvent_t event, BdctError * error)
{
  return bdct_cuda_check (cudaEventRecord (event, before), "cudaEventRecord",
      error) && bdct_cuda_check (cudaStreamWaitEvent (stream, event, 0),
      "cudaStreamWaitEvent", error);
}

void
bdct_device_close (BdctDevice * self, bool in_context)
{
  bdct_cuda_close (self->kernels, in_context);
  self->kernels = NULL;
  if (!in_context)
    return;
  for (size_t i = 0; i < N (streams); i++)
    if (*stream_at (self, i) != NULL)
      cudaStreamDestroy (*stream_at (self, i));
  for (size_t i = 0; i < N (events); i++)
    if (*event_at (self, i) != NULL)
      cudaEventDestroy (*event_at (self, i));
  /* On a lost context all of these fail, and no caller could be told. */
  (void) cudaGetLastError ();
}

void
bdct_device_describe (const BdctDevice * self, BdctEngine * engine)
{
  bool differs;
  const bool tensor = bdct_cuda_has_tensor (self->kernels, &differs);

  /* Called for each frame, but the value changes at most once. */
  if (engine->distrust[0] != '\0'
      || (engine->description[0] != '\0' && !differs))
    return;
  if (tensor)
    snprintf (engine->description, sizeof engine->description, "%s",
        self->gpu);
  else
    snprintf (engine->description, sizeof engine->description,
        "%s (tensor cores unused%s)", self->gpu,
        differs ? ": they differ" : "");
  if (differs)
    snprintf (engine->distrust, sizeof engine->distrust, "in a check, a kernel "
        "on the tensor cores and the one without them computed different "
        "samples; from now on, the slower ones without tensor cores run");
}

static bool
create_streams (BdctDevice * self, BdctError * error)
{
  cudaError_t err = cudaSuccess;

  for (size_t i = 0; i < N (streams) && err == cudaSuccess; i++)
    err = cudaStreamCreateWithFlags (stream_at (self, i), streams[i].flags);
  if (!bdct_cuda_check (err, "cudaStreamCreateWithFlags", error))
    return false;
  for (size_t i = 0; i < N (events) && err == cudaSuccess; i++)
    err = cudaEventCreateWithFlags (event_at (self, i),
        cudaEventDisableTiming);
  return bdct_cuda_check (err, "cudaEventCreateWithFlags", error);
}

bool
bdct_device_open (BdctDevice * self, BdctError * error)
{
  struct cudaDeviceProp prop;

  if (!bdct_cuda_check (cudaGetDevice (&self->number), "cudaGetDevice", error)
      || !bdct_cuda_check (cudaGetDeviceProperties (&prop, self->number),
          "cudaGetDeviceProperties", error))
    return false;
  if (prop.major * 10 + prop.minor < OLDEST_GPU)
    return bdct_error (error, "cuda:%d %.100s has compute capability %d.%d; "
        "%d.%d (Turing) or newer is needed", self->number, prop.name,
        prop.major, prop.minor, OLDEST_GPU / 10, OLDEST_GPU % 10);
  snprintf (self->gpu, sizeof self->gpu, "cuda:%d %.64s", self->number,
      prop.name);
  return create_streams (self, error)
      && bdct_cuda_check (bdct_cuda_open (&self->kernels, self->no_tensor
              ? NULL : bdct_selfcheck, (cudaStream_t[BDCT_CUDA_STREAMS]) {
            self->stream, self->bits[0], self->bits[1]}), "bdct_cuda_open",
      error);
}

bool
bdct_cuda_is_lost (const BdctContext * context)
{
  BdctDevice device = {.context = *context };
  cudaStream_t stream = NULL;
  cudaError_t err;

  if (!bdct_device_enter (&device, NULL))
    return true;
  err = cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking);
  if (err == cudaSuccess) {
    err = cudaStreamSynchronize (stream);
    cudaStreamDestroy (stream);
  }
  (void) cudaGetLastError ();
  bdct_device_leave (&device);
  return bdct_cuda_loses_context (err);
}

/* End a call in the context. Whether it succeeded; no caller could be told why
 * not. */
static bool
leave_with (const BdctDevice * device, cudaError_t err)
{
  if (err != cudaSuccess)
    (void) cudaGetLastError ();
  bdct_device_leave (device);
  return err == cudaSuccess;
}

void *
bdct_cuda_alloc_host (const BdctContext * context, size_t size)
{
  const BdctDevice device = {.context = *context };
  void *memory = NULL;

  return bdct_device_enter (&device, NULL) && leave_with (&device,
      cudaHostAlloc (&memory, size, cudaHostAllocPortable)) ? memory : NULL;
}

void
bdct_cuda_free_host (const BdctContext * context, void *memory)
{
  const BdctDevice device = {.context = *context };

  if (bdct_device_enter (&device, NULL))
    leave_with (&device, cudaFreeHost (memory));
}

void *
bdct_cuda_alloc_device (const BdctContext * context, size_t size)
{
  const BdctDevice device = {.context = *context };
  void *memory = NULL;
  cudaError_t err;

  if (!bdct_device_enter (&device, NULL))
    return NULL;
  err = cudaMalloc (&memory, size);
  /* cudaMemset() may return before it is done, and the caller's streams do not
   * wait for it. */
  if (err == cudaSuccess
      && ((err = cudaMemset (memory, 0, size)) != cudaSuccess
          || (err = cudaStreamSynchronize (NULL)) != cudaSuccess))
    cudaFree (memory);
  return leave_with (&device, err) ? memory : NULL;
}

void
bdct_cuda_free_device (const BdctContext * context, void *memory)
{
  const BdctDevice device = {.context = *context };

  if (bdct_device_enter (&device, NULL))
    leave_with (&device, cudaFree (memory));
}

bool
bdct_cuda_copy (const BdctContext * context, void *memory, void *host,
    size_t size, bool to_device)
{
  const BdctDevice device = {.context = *context };
  cudaError_t err;

  if (!bdct_device_enter (&device, NULL))
    return false;
  /* The context's default stream would wait for all work on frames. */
  err = to_device ? cudaMemcpyAsync (memory, host, size,
      cudaMemcpyHostToDevice, cudaStreamPerThread)
      : cudaMemcpyAsync (host, memory, size, cudaMemcpyDeviceToHost,
      cudaStreamPerThread);
  if (err == cudaSuccess)
    err = cudaStreamSynchronize (cudaStreamPerThread);
  return leave_with (&device, err);
}

static bool
is_pinned (const void *byte)
{
  struct cudaPointerAttributes attributes;

  if (cudaPointerGetAttributes (&attributes, byte) == cudaSuccess)
    return attributes.type == cudaMemoryTypeHost;
  (void) cudaGetLastError ();
  return false;
}

bool
bdct_host_memory_is_pinned (const void *memory, size_t size)
{
  return is_pinned (memory)
      && is_pinned ((const uint8_t *) memory + size - 1);
}

bool
bdct_device_check_memory (const BdctDevice * device, const void *memory,
    BdctError * error)
{
  struct cudaPointerAttributes attributes;

  if (!bdct_cuda_check (cudaPointerGetAttributes (&attributes, memory),
          "cudaPointerGetAttributes", error))
    return false;
  if (attributes.type == cudaMemoryTypeUnregistered)
    return bdct_error (error, "memory at %p is not on %s: CUDA does not know "
        "it", memory, device->gpu);
  if (attributes.type == cudaMemoryTypeDevice
      && attributes.device != device->number)
    return bdct_error (error, "memory at %p is on GPU %d, not on %s", memory,
        attributes.device, device->gpu);
  return true;
}

bool
bdct_buffer_reserve (BdctBuffer * self, size_t size, bool on_host,
    BdctEngine * engine, BdctError * error)
{
  cudaError_t err;

  if (self->size < size) {
    bdct_buffer_free (self, true);
    if (!bdct_cuda_check (cudaMalloc ((void **) &self->device, size),
            "cudaMalloc", error))
      return false;
    self->size = size;
  }
  if (!on_host || self->host != NULL)
    return true;
  err = cudaHostAlloc ((void **) &self->host, self->size,
      cudaHostAllocDefault);
  self->pinned = err == cudaSuccess;
  if (self->pinned)
    return true;
  (void) cudaGetLastError ();
  self->host = malloc (self->size);
  if (self->host == NULL)
    return bdct_error (error, "out of memory");
  snprintf (engine->warning, sizeof engine->warning, "no pinned memory (%s): "
      "copies of frames in system memory are slow", cudaGetErrorString (err));
  return true;
}

bool
bdct_buffer_grow (BdctBuffer * self, size_t size, const BdctDevice * device,
    BdctEngine * engine, BdctError * error)
{
  if (self->size >= size)
    return true;
  for (int i = 0; i < BDCT_CUDA_BITS_SLOTS; i++)
    if (!bdct_cuda_check (cudaStreamSynchronize (device->bits[i]),
            "cudaStreamSynchronize", error))
      return false;
  return bdct_cuda_check (cudaStreamSynchronize (device->stream),
      "cudaStreamSynchronize", error)
      && bdct_buffer_reserve (self, size, false, engine, error);
}

void
bdct_buffer_free (BdctBuffer * self, bool in_context)
{
  if (in_context)
    cudaFree (self->device);
  if (!self->pinned)
    free (self->host);
  else if (in_context)
    cudaFreeHost (self->host);
  /* Errors of these calls are errors of earlier work. */
  (void) cudaGetLastError ();
  *self = (BdctBuffer) { NULL, NULL, 0, false };
}
