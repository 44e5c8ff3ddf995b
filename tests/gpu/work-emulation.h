/* The kernels of cuda/kernels/vector.cuh without a GPU: thread blocks one after
 * the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_WORK_EMULATION_H
#define TESTS_WORK_EMULATION_H

#include <string.h>
#include "cuda/kernels/comparison.h"
#include "fake-kernels.h"

/* What a kernel gets to see is on the device. */
static inline void
need_on_device (const void *memory)
{
  fake_need_device (memory, 1, "a kernel on memory of the host");
}

static inline void
need_on_device (const BdctCudaErrors &work)
{
  for (int i = 0; i < work.n_distorted; i++) {
    need_on_device (work.accumulators[i]);
    for (int p = 0; p < work.n_planes; p++) {
      need_on_device (work.plane[p].reference.data);
      need_on_device (work.plane[p].distorted[i].data);
    }
  }
}

static inline void
need_on_device (const BdctCudaRgbErrors &work)
{
  for (int i = 0; i < work.n_distorted; i++)
    for (int p = 0; p < work.rgb.n_planes; p++) {
      need_on_device (work.accumulators[i]);
      need_on_device (work.reference.data[p]);
      need_on_device (work.distorted[i].data[p]);
    }
}

static inline void
need_on_device (const BdctCudaPack &work)
{
  need_on_device (work.to.data);
  for (int i = 0; i < work.layout.interleave; i++)
    need_on_device (work.from[i].samples.data);
}

template <typename Work> auto
need_on_device (const Work &view) -> decltype (view.render, void ())
{
  for (int c = 0; c < view.render.n_components; c++) {
    need_on_device (view.render.plane[c].first.data);
    need_on_device (view.render.plane[c].second.data);
    need_on_device (view.render.plane[c].dst.data);
  }
}

template <typename K> void
emulate_work (const FakeOther *other)
{
  const auto work = fake_work<typename K::Work> (other);

  need_on_device (work);
  for (unsigned y = 0; y < other->y; y++)
    for (unsigned x = 0; x < other->x; x++) {
      typename K::Shared shared;

      memset ((void *) &shared, 0x5a, sizeof shared);
      K::block (work, (int) x, (int) y, shared);
    }
}

template <typename K> cudaError_t
launch_work (const typename K::Work &work, unsigned x, unsigned y,
    cudaStream_t stream)
{
  return fake_launch_work (emulate_work<K>, work, x, y, stream);
}

#endif
