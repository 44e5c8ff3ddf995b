/* blockdct: the size of a frame's JPEG file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_JPEG_FILE_H
#define BDCT_JPEG_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/error.h"
#include "dct/base/layout.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of a frame's JFIF file with Annex K's tables. The calling
 * thread encodes the frame. The job's bits are exact (rate.h), and `src` is
 * in host memory. False if memory is short. */
bool bdct_file_size (const BdctLayout *layout, const BdctJob *job,
    const BdctImage *src, uint64_t *size, BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
