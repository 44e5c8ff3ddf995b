/* blockdct: staging buffers on the GPU for frames in host memory, and the
 * copies to and from them.
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
#include "dct/entropy/cabac-price.h"

/* The maximum number of frames that have planes of R, G and B at the same
 * time. */
#define BDCT_RGB_RING 2

/* What CABAC's bins cost in trees at a slice's QP. */
typedef struct {
  bool known;
  int slice_qp;
  BdctCabacCosts costs;
  uint16_t start[2][BDCT_CABAC_TREE_SLOTS]; /* of luma, of chroma */
} BdctTreePrices;

/* The arrangement of a frame in a staging buffer: rows downwards, planes
 * one after the other. For most sizes GStreamer arranges frames in the same
 * way, and a frame is one copy. */
typedef struct {
  /* Set before init. */
  const BdctDevice *device;
  BdctEngine *engine; /* told of memory that is not pinned */
  unsigned threads;   /* that copy, 0: as bdct_copier_new() has it */

  BdctLayout layout;
  int n_planes;       /* of an image, with rows of these bytes: */
  size_t row_size[BDCT_MAX_PLANES];
  int height[BDCT_MAX_PLANES];
  size_t pitch[BDCT_MAX_PLANES], offset[BDCT_MAX_PLANES];
  size_t size;
  BdctCopier *copier; /* NULL until needed; the owner frees it */
  /* The planes of frames of R, G and B on the device. Few frames have some
   * at the same time, so that they stay in the GPU's cache; `free` records
   * when a frame no longer needs its own. */
  struct
  {
    BdctBuffer planes[BDCT_PLAN_IMAGES];
    cudaEvent_t free;
  } ring[BDCT_RGB_RING];
  /* Memory that all frames share, and that grows on demand. Their kernels run
   * in order, one frame after the other, except those for bits: for these,
   * frames use one slot and the other in turn. */
  BdctBuffer bits[BDCT_CUDA_BITS_SLOTS]; /* levels, and counts of bins */
  unsigned next_bits_slot;    /* of the next frame with bits */
  bool bits_overlap;          /* bits are counted beside other frames */
  BdctBuffer trees;           /* blocks of all sizes of a frame with trees */
  BdctTreePrices tree_prices; /* of the last of these */
  BdctBuffer scratch;         /* of metrics */
  BdctBuffer luma[BDCT_HISTORY_MAX]; /* of the history's places */
} BdctStaging;

/* A frame's source or destination. An image on the host goes through
 * `buffer` and, if the GPU does not copy it by itself, also through the
 * host's part of it. The buffer is kept from frame to frame. */
typedef struct {
  bool on_host, dma_direct; /* the GPU copies it by itself */
  BdctImage host;  /* if on_host */
  BdctImage image; /* on the device, for the kernel */
  BdctBuffer buffer;
} BdctEndpoint;

void bdct_staging_init (BdctStaging *staging, const BdctLayout *layout);

/* Free the memory of all frames; nothing may use it. */
void bdct_staging_clear (BdctStaging *staging, bool in_context);

/* Set where the kernel finds an image: the image itself, or a staging
 * buffer, which is used in `stream` first; an image without data has none.
 * The previous image must be complete. */
bool bdct_staging_place (BdctStaging *staging, BdctEndpoint *end,
    const BdctImage *image, cudaStream_t stream, BdctError *error);

/* Enqueue the copies from a source on the host, or to a destination there,
 * of which only the samples are written. Memory that the GPU does not reach
 * is read before bdct_staging_upload() returns, and written by
 * bdct_staging_finish(), after the download. */
bool bdct_staging_upload (BdctStaging *staging, const BdctEndpoint *src,
    BdctError *error);
bool bdct_staging_download (BdctStaging *staging, const BdctEndpoint *dst,
    BdctError *error);
void bdct_staging_finish (BdctStaging *staging, const BdctEndpoint *dst);

/* An image on the device that only the kernels use. */
bool bdct_staging_scratch (BdctStaging *staging, BdctBuffer *buffer,
    BdctImage *image, BdctError *error);

/* The bytes of a picture in the kernels' arrangement, of its planes for R,
 * G and B; and one in memory on the device. */
size_t bdct_staging_picture_size (const BdctStaging *staging);
BdctImage bdct_staging_picture (const BdctStaging *staging, uint8_t *memory);

/* Memory for such a picture. If it is new, bytes that the kernels read
 * beside the picture are zeroed in this stream. */
bool bdct_staging_reserve_picture (BdctStaging *staging, BdctBuffer *buffer,
    cudaStream_t stream, BdctImage *image, BdctError *error);

/* The planes of R, G and B at a place of the ring. Rows of luma are a
 * multiple of BDCT_CUDA_COLOUR_ALIGN long (cuda/kernels/colour.h), those of
 * chroma as much shorter as they are narrower. */
bool bdct_staging_planes (BdctStaging *staging, unsigned ring_index,
    BdctPlanImage which, BdctImage *image, BdctError *error);

#endif
