/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Levels by rate and distortion on the GPU (dct/rd/rdoq.h). Kernels of
 * scalar.cu compute the coefficients before, and reconstruct from the levels
 * after. A thread does a whole block, as the choice of each level depends on
 * the one before. */
#include "cuda/launch/kernel.h"

#include <string.h>
#include "dct/base/sample.h"
#include "dct/entropy/cabac.h"
#include "dct/picture/render.h"
#include "dct/rd/rdoq.h"
#include "threads.cuh"

namespace {

BDCT_INLINE uint32_t
price_block (const BdctCabacCosts *costs, const BdctLevel *levels,
    int log2_size, bool chroma)
{
  BdctCabacSink sink = { nullptr, costs->bin[0], nullptr, 0, nullptr, 0, 0 };

  bdct_cabac_walk (&sink, levels, log2_size, chroma);
  return sink.cost + (sink.bypass << BDCT_CABAC_COST_BITS);
}

#define BDCT_RDOQ_INLINE BDCT_INLINE
#define BDCT_RDOQ_COEFFICIENT BdctLevel
#define BDCT_RDOQ_PRICE price_block
#include "dct/rd/rdoq-search.h"

constexpr int kThreads = 64, kWarps = kThreads / 32;

/* The threads of a warp that have a block. Their branches differ, and in large
 * blocks, of which there are few, they take long: with fewer of them a warp
 * waits less. */
__host__ __device__ constexpr int
count_lanes (int log2_size)
{
  return log2_size < 4 ? 32 : log2_size < 5 ? 16 : 8;
}

/* A component's constants. */
struct alignas (16) Constants
{
  BdctComponentJob job;
  BdctRdoq rdoq;
};

/* A tile: blocks of component `i` of a plane. */
struct Blocks
{
  const BdctCudaPlane &plane;
  int i, first, n, log2_size;   /* first: number of the tile's first block;
                                   n: number of all blocks */

  BDCT_INLINE
  Blocks (const BdctCudaPlane &plane, int tile)
    : plane (plane), i (tile >= plane.tiles_x), log2_size (plane.log2_width)
  {
    first = (tile - (i ? plane.tiles_x : 0)) * kWarps
        * count_lanes (log2_size);
    n = plane.columns
        * (((plane.layout.height - 1) >> plane.log2_height) + 1);
  }

  /* The number of a thread's block; n or more if it has none. */
  BDCT_INLINE int
  number (int t) const
  {
    const int lanes = count_lanes (log2_size);

    return t % 32 < lanes ? first + t / 32 * lanes + t % 32 : n;
  }

  BDCT_INLINE BdctLevel *
  levels (int number) const
  {
    return plane.levels[i] + ((size_t) number << 2 * log2_size);
  }

  /* The coefficients of a block or, with `which` 1, its free memory. */
  BDCT_INLINE BdctLevel *
  coefficients (int which, int number) const
  {
    return plane.coefficients + (((size_t) (which * plane.layout.interleave
                + i) * n + number) << 2 * log2_size);
  }
};

/* Choose levels from coefficients. */
struct Choose
{
  static BDCT_INLINE void
  block (const BdctCudaBatch &, const Blocks &b)
  {
    threads<kThreads> ([&] (int t) {
      const int number = b.number (t);

      if (number >= b.n)
        return;

      const uint8_t *quantizers = b.plane.quantizer_map[b.i];
      const Constants *constants = (const Constants *) (b.plane.constants
          + (quantizers != nullptr ? quantizers[number] : 0)
              * b.plane.quantizer_size) + b.i;
      Block block = { &constants->rdoq, &constants->job,
        b.coefficients (0, number), 1 << b.log2_size, b.log2_size,
        b.plane.layout.component[b.i] != BDCT_Y, nullptr, 0, false };

      choose_levels (&block, b.levels (number), b.coefficients (1, number));
    });
  }
};

/* Draw the levels. */
struct Draw
{
  static BDCT_INLINE void
  block (const BdctCudaBatch &batch, const Blocks &b)
  {
    threads<kThreads> ([&] (int t) {
      const BdctPlaneLayout &layout = b.plane.layout;
      const int number = b.number (t), size = 1 << b.log2_size;
      const int x = number % b.plane.columns * size;
      const int y = number / b.plane.columns * size;

      if (number >= b.n)
        return;
      for (int v = 0; v < size && y + v < layout.height; v++)
        for (int u = 0; u < size && x + u < layout.width; u++)
          bdct_sample_put (b.plane.dst.data + (y + v) * b.plane.dst.stride,
              (int64_t) (x + u) * layout.interleave + b.i,
              batch.depth > 8 ? 2 : 1, layout.shift,
              bdct_render_level (b.levels (number)[(v << b.log2_size) + u],
                  layout.component[b.i] != BDCT_Y, batch.depth));
    });
  }
};

template <typename K> BDCT_INLINE void
run_tile (const BdctCudaBatch &batch, int tile)
{
  int p = 0;

  while (p + 1 < batch.n_planes && tile >= batch.plane[p + 1].first_tile)
    p++;
  K::block (batch, Blocks (batch.plane[p], tile - batch.plane[p].first_tile));
}

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (kThreads)
run (const __grid_constant__ BdctCudaBatch batch)
{
  run_tile<K> (batch, blockIdx.x);
}

#endif

int
tile_blocks (const BdctComponentJob *job)
{
  return kWarps * count_lanes (job->log2_width);
}

void
make_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  Constants *constants = (Constants *) to;

  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponent c = plane->layout.component[i];

    constants[i].job = job->component[c];
    bdct_rdoq_init (&constants[i].rdoq, job, c);
  }
}

/* In the emulation a kernel is an ordinary function. */
template <typename K> const BdctCudaKernel kernel = {
#ifdef __CUDACC__
  (const void *) run<K>,
#else
  &kernel<K>,
#endif
  0, 0, kWarps, kWarps, 0, 2 * sizeof (Constants), 1, tile_blocks,
  make_constants
};

} // namespace

extern "C" const BdctCudaKernel *
bdct_rdoq_find (BdctCudaRdoq what)
{
  return what == BDCT_CUDA_CHOOSE ? &kernel<Choose> : &kernel<Draw>;
}
