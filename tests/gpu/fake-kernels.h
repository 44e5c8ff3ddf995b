/* What the CUDA runtime without a GPU (fake-runtime.c) and its kernels
 * (fake-kernels.c) know of each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAKE_KERNELS_H
#define TESTS_FAKE_KERNELS_H

#include "cuda/kernels/colour.h"
#include "cuda/kernels/metric.h"
#include "cuda/kernels/quadtree.h"
#include "cuda/launch/kernel.h"
#include "dct/picture/render.h"
#include "dct/picture/zoom.h"

#ifdef __cplusplus
extern "C" {
#endif

void fake_die (const char *what) __attribute__ ((noreturn));

/* What a span of memory is: 'd'evice, 'p'inned, or neither: 0. */
char fake_kind_of (const void *memory, size_t size);

/* Die with `what` if it is not the device's. NULL is nobody's. */
void fake_need_device (const void *memory, size_t size, const char *what);

/* Die if a launch leaves tiles out. */
void fake_check_grid (const void *function, const BdctCudaBatch * batch,
    unsigned blocks, unsigned threads);

/* Do what a launch of a kernel does. */
void fake_compute (const void *function, const BdctCudaBatch * batch);

/* The same if it is one of levels.cu's, or of rate.cu's. */
bool fake_levels (const void *function, const BdctCudaBatch * batch);
bool fake_rate (const void *function, const BdctCudaBatch * batch);

/* A kernel that is none of passes over planes, and what it is launched with.
 */
typedef struct FakeOther {
  void (*compute) (const struct FakeOther *other);
  BdctRender render;
  bool viewed;                  /* there is a `render` */
  BdctZoom zoom;
  BdctCudaColour colour;
  BdctCudaMetricPlanes metric;
  BdctCudaTree tree;
  uint64_t work[512];           /* what cuda/kernels/vector.cuh's have */
  unsigned x, y;                /* thread blocks of a metric's component, of
                                     a tree, or of these */
} FakeOther;

/* Enqueue it. */
cudaError_t fake_launch (const FakeOther * other, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
