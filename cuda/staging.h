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
#include "dct/layout.h"

/** How a frame lies in a staging buffer: rows downwards, planes one behind the
 * other. Of most sizes it is how GStreamer lays frames out too, and a frame is
 * one copy. */
typedef struct {
  BdctLayout layout;
  size_t pitch[BDCT_MAX_PLANES], offset[BDCT_MAX_PLANES];
  size_t size;
} BdctStaging;

void bdct_staging_init (BdctStaging *staging, const BdctLayout *layout);

/** The image in a buffer of staging->size bytes. */
BdctImage bdct_staging_image (const BdctStaging *staging, uint8_t *buffer,
    BdctMemory memory);

/** Whether the GPU can copy a host image by itself: all of it is pinned, and
 * its rows follow each other downwards. */
bool bdct_staging_reaches (const BdctStaging *staging, const BdctImage *host);

/** Enqueue the copy of an image that is reached, to or from a staging buffer of
 * the device. Nothing but the image's samples is written. */
cudaError_t bdct_staging_upload (const BdctStaging *staging, uint8_t *device,
    const BdctImage *host, cudaStream_t stream);
cudaError_t bdct_staging_download (const BdctStaging *staging,
    const BdctImage *host, const uint8_t *device, cudaStream_t stream);

#endif
