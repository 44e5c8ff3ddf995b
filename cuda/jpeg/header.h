/* blockdct: the headers of JPEG files that the kernels decode.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_JPEG_HEADER_H
#define BDCT_CUDA_JPEG_HEADER_H

#include "jpeg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read the header of a file of one scan in baseline coding, with one component
 * or three; what libjpeg reads in such a file without a warning. False for all
 * others, which are for libjpeg. Without `tables`, for the size alone, those
 * of the file are not looked at. */
bool bdct_jpeg_header (const uint8_t *data, size_t size, BdctJpegFile *file,
    BdctJpegTables *tables);

#ifdef __cplusplus
}
#endif
#endif
