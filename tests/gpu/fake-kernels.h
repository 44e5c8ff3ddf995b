/* What the CUDA runtime without a GPU (fake-runtime.c) and its kernels
 * (fake-kernels.c) know of each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAKE_KERNELS_H
#define TESTS_FAKE_KERNELS_H

#include "cuda/launch.h"
#include "dct/render.h"

void fake_die (const char *what) __attribute__ ((noreturn));

/** What a span of memory is: 'd'evice, 'p'inned, or neither: 0. */
char fake_kind_of (const void *memory, size_t size);

/** Die if a launch leaves tiles out. */
void fake_check_grid (const void *function, const BdctCudaBatch * batch,
    unsigned blocks, unsigned threads);

/** Do what a launch of a kernel does. */
void fake_compute (const void *function, const BdctCudaBatch * batch);

/** Enqueue the drawing of a view, and do it. */
cudaError_t fake_launch_view (const BdctRender * render, cudaStream_t stream);
void fake_draw (const BdctRender * render);

#endif
