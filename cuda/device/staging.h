/* blockdct: the buffers on the GPU that frames in host memory go through, and
 * the copies there and back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_STAGING_H
#define BDCT_STAGING_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "copier.h"
#include "device.h"
#include "dct/engine/plan.h"

/** Frames that have planes of R, G and B at a time. */
#define BDCT_RGB_RING 2

/** How a frame lies in a staging buffer: rows downwards, planes one behind the
 * other. Of most sizes it is how GStreamer lays frames out too, and a frame is
 * one copy. */
typedef struct {
  /* Set before init. */
  const BdctDevice *device;
  BdctEngine *engine; /**< told of memory that is not pinned */
  unsigned threads;   /**< that copy, 0: as bdct_copier_new() has it */

  BdctLayout layout;
  int n_planes;       /**< of an image, with rows of these bytes: */
  size_t row_size[BDCT_MAX_PLANES];
  int height[BDCT_MAX_PLANES];
  size_t pitch[BDCT_MAX_PLANES], offset[BDCT_MAX_PLANES];
  size_t size;
  BdctCopier *copier; /**< NULL until needed; the owner frees it */
  /** The planes of frames of R, G and B on the device. Few frames have some at
   * a time, so that they stay in the GPU's cache: `free` is when a frame needs
   * its own no more. */
  struct
  {
    BdctBuffer planes[BDCT_PLAN_IMAGES];
    cudaEvent_t free;
  } ring[BDCT_RGB_RING];
} BdctStaging;

/** A frame's source or destination. An image on the host goes through `buffer`,
 * and one that the GPU does not copy by itself through the host's part of it,
 * too. The buffer stays from frame to frame. */
typedef struct {
  bool on_host, dma_direct; /**< the GPU copies it by itself */
  BdctImage host;  /**< if on_host */
  BdctImage image; /**< on the device, for the kernel */
  BdctBuffer buffer;
} BdctEndpoint;

void bdct_staging_init (BdctStaging *staging, const BdctLayout *layout);

/** Free the planes of R, G and B, which nothing uses any more. */
void bdct_staging_clear (BdctStaging *staging, bool in_context);

/** Find where the kernel finds an image: itself, or a staging buffer, which is
 * used in `stream` first; no image stays none. The one before must be done
 * with. */
bool bdct_staging_place (BdctStaging *staging, BdctEndpoint *end,
    const BdctImage *image, cudaStream_t stream, BdctError *error);

/** Enqueue the copies from a source on the host, or to a destination there, of
 * which nothing but the samples is written. What the GPU does not reach is read
 * before bdct_staging_upload() returns, and written by bdct_staging_finish(),
 * once the download is done. */
bool bdct_staging_upload (BdctStaging *staging, const BdctEndpoint *src,
    BdctError *error);
bool bdct_staging_download (BdctStaging *staging, const BdctEndpoint *dst,
    BdctError *error);
void bdct_staging_finish (BdctStaging *staging, const BdctEndpoint *dst);

/** An image on the device that nobody but the kernels sees. */
bool bdct_staging_scratch (BdctStaging *staging, BdctBuffer *buffer,
    BdctImage *image, BdctError *error);

/** Bytes of a picture as the passes write it, of R, G and B its planes; and one
 * in memory on the device. */
size_t bdct_staging_picture_size (const BdctStaging *staging);
BdctImage bdct_staging_picture (const BdctStaging *staging, uint8_t *memory);

/** Memory for such a picture; new, what the kernels read beside it is zeroed in
 * this stream. */
bool bdct_staging_reserve_picture (BdctStaging *staging, BdctBuffer *buffer,
    cudaStream_t stream, BdctImage *image, BdctError *error);

/** The planes of R, G and B at a place of the ring. Rows of luma are a
 * multiple of BDCT_CUDA_COLOUR_ALIGN long (cuda/kernels/colour.h), those of
 * chroma as much shorter as they are narrower. */
bool bdct_staging_planes (BdctStaging *staging, unsigned ring_index,
    BdctPlanImage which, BdctImage *image, BdctError *error);

#endif
