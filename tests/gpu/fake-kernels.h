/* What the CUDA runtime without a GPU (fake-runtime.c) and its kernels
 * (fake-kernels.c) know of each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAKE_KERNELS_H
#define TESTS_FAKE_KERNELS_H

#include <string.h>
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

/* The thread blocks of a launch. */
int fake_blocks (const BdctCudaKernel * kernel, const BdctCudaBatch * batch);

/* Die if a launch leaves tiles out. */
void fake_check_grid (const void *function, const BdctCudaBatch * batch,
    unsigned blocks, unsigned threads);

/* Do what a launch of a kernel does. */
void fake_compute (const void *function, const BdctCudaBatch * batch);

/* The same if it is one of levels.cu's, rate.cu's, scalar.cu's, tensor.cu's. */
bool fake_levels (const void *function, const BdctCudaBatch *batch);
bool fake_rate (const void *function, const BdctCudaBatch *batch);
bool fake_scalar (const void *function, const BdctCudaBatch *batch);
bool fake_tensor (const void *function, const BdctCudaBatch *batch);

/* A kernel that is none of passes over planes: its parameter, and its thread
 * blocks. */
typedef struct FakeOther {
  void (*compute) (const struct FakeOther *other);
  uint64_t work[512];
  unsigned x, y;
} FakeOther;

/* Enqueue it. */
cudaError_t fake_launch (const FakeOther * other, cudaStream_t stream);

#ifdef __cplusplus
}

template <typename Work> Work
fake_work (const FakeOther *other)
{
  Work work;

  memcpy (&work, other->work, sizeof work);
  return work;
}

template <typename Work> cudaError_t
fake_launch_work (void (*compute) (const FakeOther *), const Work &work,
    unsigned x, unsigned y, cudaStream_t stream)
{
  FakeOther other = { compute, {}, x, y };

  static_assert (sizeof work <= sizeof other.work, "a kernel's parameter");
  memcpy (other.work, &work, sizeof work);
  return x * y == 0 ? cudaSuccess : fake_launch (&other, stream);
}
#endif
#endif
