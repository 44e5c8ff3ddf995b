/* The metrics' kernels (cuda/kernels/metric.cuh) without a GPU: thread blocks
 * one after the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_METRIC_EMULATION_H
#define TESTS_METRIC_EMULATION_H

#include "fake-kernels.h"

template <typename K> void
emulate (const FakeOther *other)
{
  const auto planes = fake_work<BdctCudaMetricPlanes> (other);

  for (int c = 0; c < planes.n; c++) {
    const BdctMetricPlane *plane = &planes.plane[c].plane;
    const void *of[] = { plane->src.data, plane->rec.data, plane->memory,
      plane->luma[0], plane->luma[1], plane->luma[2] };

    for (const void *memory : of)
      fake_need_device (memory, 1, "a metric of memory of the host");
    for (unsigned y = 0; y < other->y; y++)
      for (unsigned x = 0; x < other->x; x++) {
        typename K::Shared shared;

        K::block (planes.plane[c], (int) x, (int) y, shared);
      }
  }
}

template <typename K> cudaError_t
launch (const BdctCudaMetricPlanes *planes, unsigned x, unsigned y,
    cudaStream_t stream)
{
  return fake_launch_work (emulate<K>, *planes, x, y, stream);
}

#endif
