/* blockdct: JPEG files in host memory, decoded on the device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_JPEG_DECODER_H
#define BDCT_CUDA_JPEG_DECODER_H

#include <blockdct/jpeg.h>
#include "cuda/device/device.h"

typedef struct BdctJpegDecoder BdctJpegDecoder;

/* BdctEngineClass's decode(), in the context; makes the decoder that `self`
 * points to where there is none. */
bool bdct_jpeg_decoder_run (BdctJpegDecoder **self, const BdctDevice *device,
    BdctEngine *engine, BdctJpeg *files, int n, void *wait, BdctError *error);

/* Nothing is in flight between calls. `self` may be NULL. */
void bdct_jpeg_decoder_free (BdctJpegDecoder *self, bool in_context);

#endif
