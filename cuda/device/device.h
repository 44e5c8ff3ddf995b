/* blockdct: the CUDA engine's device: context, streams, and memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_DEVICE_H
#define BDCT_DEVICE_H

#include <stddef.h>
#include "cuda/check.h"
#include "dct/engine/engine.h"

/* The number of frames whose bits are counted at the same time. */
#define BDCT_CUDA_BITS_SLOTS 2

/* Kernels and statistics use `stream`, in the order of submission. Copies
 * of images run beside it, in a stream for each direction: uploading a
 * frame, computing another and downloading a third overlap. */
typedef struct {
  BdctContext context;
  cudaStream_t upload, stream, download;
  /* Streams for conversion from R, G and B and back: so that the ends of
   * one frame's kernels overlap with those of another. */
  cudaStream_t rgb_in, rgb_out;
  cudaEvent_t was_rgb_in, was_computed; /* in `rgb_in` and in `stream` */
  /* Bits are counted at the same time as transforms and bits of other
   * frames: frames use these streams in turn. */
  cudaStream_t bits[BDCT_CUDA_BITS_SLOTS];
  cudaEvent_t was_counted[BDCT_CUDA_BITS_SLOTS]; /* in each */
  cudaEvent_t was_transformed; /* in `stream` */
  cudaEvent_t was_read; /* in the stream that ends frames: their sources */
  cudaEvent_t foreign; /* in the streams of others */
  bool no_tensor;      /* leave the tensor cores alone */
  int number;          /* < number, as in CUDA */
  char gpu[80];        /* "cuda:0 NVIDIA H200" */
  struct BdctCudaDevice *kernels; /* what launches need */
} BdctDevice;

/* The number of devices; 0 with an error. */
int bdct_cuda_count (BdctError *error);

/* Make the device's context current, and restore the previous one. */
bool bdct_device_enter (const BdctDevice *device, BdctError *error);
void bdct_device_leave (const BdctDevice *device);

/* Open the current context's device; `context` and `no_tensor` are set before.
 * Close it, even if it could not be opened, once nothing is enqueued. In the
 * context.
 *
 * `in_context`, here and below, is false if the context cannot be made
 * current: its memory is then out of reach and is freed with it, and only
 * host memory is freed here. */
bool bdct_device_open (BdctDevice *device, BdctError *error);
void bdct_device_close (BdctDevice *device, bool in_context);

/* Update the description and, once, the reason if the tensor cores are no
 * longer used. */
void bdct_device_describe (const BdctDevice *device, BdctEngine *engine);

/* Let later work in `stream` wait for all that `before` has so far. No
 * other stream may use the event. */
bool bdct_stream_wait_for (cudaStream_t stream, cudaStream_t before,
    cudaEvent_t event, BdctError *error);

/* Wait for all work that was enqueued; afterwards nothing uses an image. */
void bdct_device_synchronize (const BdctDevice *device);

/* Whether the GPU reaches all of a host memory by itself. */
bool bdct_host_memory_is_pinned (const void *memory, size_t size);

/* Check that the device reaches memory that the caller calls device memory:
 * its own, managed, or pinned. */
bool bdct_device_check_memory (const BdctDevice *device, const void *memory,
    BdctError *error);

/* Memory on the device and, if needed, as much on the host: pinned or, if the
 * driver refuses, not pinned. Then copies are still correct, but the calling
 * thread waits for them. */
typedef struct {
  uint8_t *device, *host;
  size_t size;
  bool pinned;
} BdctBuffer;

/* Grow to at least `size` bytes; the content may be lost. */
bool bdct_buffer_reserve (BdctBuffer *buffer, size_t size, bool on_host,
    BdctEngine *engine, BdctError *error);
void bdct_buffer_free (BdctBuffer *buffer, bool in_context);

/* Grow device memory that the kernels of all frames use to at least `size`
 * bytes; to grow, it waits for work in `stream` and in `bits`. */
bool bdct_buffer_grow (BdctBuffer *buffer, size_t size,
    const BdctDevice *device, BdctEngine *engine, BdctError *error);

/* BdctEngineClass's members. */
bool bdct_cuda_is_lost (const BdctContext *context);
void *bdct_cuda_alloc_host (const BdctContext *context, size_t size);
void bdct_cuda_free_host (const BdctContext *context, void *memory);
void *bdct_cuda_alloc_device (const BdctContext *context, size_t size);
void bdct_cuda_free_device (const BdctContext *context, void *memory);
bool bdct_cuda_copy (const BdctContext *context, void *device, void *host,
    size_t size, bool to_device);

#endif
