/* blockdct: error texts for errors of the CUDA runtime.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_CHECK_H
#define BDCT_CUDA_CHECK_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include "dct/base/error.h"

/* After a restart an element takes a new context; after some faults the
 * driver gives the process none. */
#define BDCT_CUDA_LOST "; the GPU context is lost: stop the pipeline and " \
    "start it again, or else restart the program"

/* Returns true on success. Otherwise `error` receives the error's text and
 * a cure, and the runtime's error on this thread is cleared. */
bool bdct_cuda_check (cudaError_t err, const char *call, BdctError *error);

/* Whether an error makes its context useless. */
bool bdct_cuda_loses_context (cudaError_t err);

#endif
