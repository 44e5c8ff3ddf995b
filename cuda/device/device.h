/* blockdct: the CUDA engine's hold on a device: context, streams, and memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_DEVICE_H
#define BDCT_DEVICE_H

#include <stddef.h>
#include "cuda/check.h"
#include "dct/engine/engine.h"

/** The frames whose bits are counted beside each other. */
#define BDCT_CUDA_SIDES 2

/** Kernels and statistics are in `stream`, in the order of submission. Copies
 * of images run beside it, each direction in a stream of its own: uploading a
 * frame, computing another and downloading a third overlap. */
typedef struct {
  BdctContext context;
  cudaStream_t upload, stream, download;
  /** What makes planes of R, G and B, and what makes R, G and B again: so that
   * the ends of one frame's kernels and another's are in each other's shade. */
  cudaStream_t split, join;
  cudaEvent_t was_split, was_computed; /**< in `split` and in `stream` */
  /** Bits are counted beside the transforms and bits of other frames: frames
   * use these streams in turn. */
  cudaStream_t bits[BDCT_CUDA_SIDES];
  cudaEvent_t was_counted[BDCT_CUDA_SIDES]; /**< in each */
  cudaEvent_t was_transformed; /**< in `stream` */
  cudaEvent_t foreign; /**< in the streams of others */
  bool no_tensor;      /**< leave the tensor cores alone */
  int number;          /**< as CUDA counts devices */
  char gpu[80];        /**< "cuda:0 NVIDIA H200" */
  struct BdctCudaDevice *kernels; /**< what launches need */
} BdctDevice;

/** How many devices there are; 0 with the reason. */
int bdct_cuda_count (BdctError *error);

/** Make the device's context current, and let it go. */
bool bdct_device_enter (const BdctDevice *device, BdctError *error);
void bdct_device_leave (const BdctDevice *device);

/** Open the current context's device, `context` and `no_tensor` being set.
 * Close it, opened or not, once nothing is enqueued. In the context.
 *
 * `in_context`, here and below, is false where the context cannot be made
 * current: what is in it is out of reach, and goes with it, and what is left to
 * free is the host's. */
bool bdct_device_open (BdctDevice *device, BdctError *error);
void bdct_device_close (BdctDevice *device, bool in_context);

/** Write what runs, and once why if it is not the tensor cores any more. */
void bdct_device_describe (const BdctDevice *device, BdctEngine *engine);

/** Have what is enqueued in `stream` from now on come after all that is in
 * `before`. Nobody else may use the event in another stream. */
bool bdct_device_follow (cudaStream_t stream, cudaStream_t before,
    cudaEvent_t event, BdctError *error);

/** Wait for all that was enqueued; afterwards nothing uses an image. */
void bdct_device_synchronize (const BdctDevice *device);

/** Host memory for copies: pinned, or if that is refused, not; copies are then
 * as correct, but the calling thread waits for them. */
typedef struct {
  uint8_t *data;
  bool pinned;
} BdctHostMemory;

bool bdct_host_memory_alloc (BdctHostMemory *memory, size_t size,
    BdctEngine *engine, BdctError *error);
void bdct_host_memory_free (BdctHostMemory *memory, bool in_context);

/** Whether the GPU reaches all of a host memory by itself. */
bool bdct_host_memory_is_pinned (const void *memory, size_t size);

/** Check that the device reaches memory that its owner says is the device's:
 * its own, managed, or pinned. */
bool bdct_device_check_memory (const BdctDevice *device, const void *memory,
    BdctError *error);

/** Memory on the device and, where it is needed, as much on the host. */
typedef struct {
  uint8_t *device;
  BdctHostMemory host;
  size_t size;
} BdctBuffer;

/** Have at least `size` bytes; what was in them may be lost. */
bool bdct_buffer_reserve (BdctBuffer *buffer, size_t size, bool on_host,
    BdctEngine *engine, BdctError *error);
void bdct_buffer_free (BdctBuffer *buffer, bool in_context);

/** Have at least `size` bytes on the device of what the kernels use in one
 * frame after the other: those in `stream` and in `bits` are waited for where
 * it has to grow. */
bool bdct_buffer_grow (BdctBuffer *buffer, size_t size,
    const BdctDevice *device, BdctEngine *engine, BdctError *error);

/** BdctEngineClass's members. */
bool bdct_cuda_is_lost (const BdctContext *context);
void *bdct_cuda_alloc_host (const BdctContext *context, size_t size);
void bdct_cuda_free_host (const BdctContext *context, void *memory);
void *bdct_cuda_alloc_device (const BdctContext *context, size_t size);
void bdct_cuda_free_device (const BdctContext *context, void *memory);
bool bdct_cuda_copy (const BdctContext *context, void *device, void *host,
    size_t size, bool to_device);

#endif
