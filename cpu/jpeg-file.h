/* blockdct: how long the JPEG file of a frame is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_FILE_H
#define BDCT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/error.h"
#include "dct/base/layout.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a frame's JFIF file with Annex K's tables: the frame is coded, on
 * the calling thread. The job's bits are exact (rate.h), and `src` is in host
 * memory. False without memory. */
bool bdct_file_size (const BdctLayout *layout, const BdctJob *job,
    const BdctImage *src, uint64_t *size, BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
