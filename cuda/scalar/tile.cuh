/* blockdct: a thread block's part of a plane, and a lane's part of that, for
 * the kernels without tensor cores.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "scalar.cuh"

namespace {

/* A thread block's tile is as wide as a map tile, and as high unless blocks are
 * higher. If two components are interleaved it has half as many samples of
 * each. */
constexpr int kTileSamples = BDCT_CUDA_MAP_TILE_SAMPLES;

/* Of a thread block: small blocks have 8 x 8 samples to a thread. */
constexpr int kWarps = 2;

/* A thread block's tile of one plane. */
struct Tile
{
  const BdctCudaPlane &plane;
  int x, y;                     /* of its first sample, in each component */
  int depth;
};

/* The component's samples from (x, y) of the tile on; below the picture its
 * last row repeats. */
template <typename Sample> BDCT_INLINE Window
get_window (const Tile &tile, int i, int x, int y)
{
  const BdctCudaPlane &plane = tile.plane;
  const int64_t at = (int64_t) (tile.x + x) * plane.layout.interleave
      * (int) sizeof (Sample);
  Window w;

  w.src = plane.src.data + at
      + min (tile.y + y, plane.layout.height - 1) * plane.src.stride;
  w.dst = plane.dst.data == nullptr ? nullptr
      : plane.dst.data + (tile.y + y) * plane.dst.stride + at;
  w.src_stride = plane.src.stride;
  w.dst_stride = plane.dst.stride;
  w.interleave = plane.layout.interleave;
  w.component = i;
  w.width = plane.layout.width - tile.x - x;
  w.height = plane.layout.height - tile.y - y;
  w.last = plane.last_column - tile.x - x;
  w.shift = plane.layout.shift;
  w.depth = tile.depth;
  w.whole = false;
  return w;
}

/* Add to a component's sum without indexing registers. */
BDCT_INLINE void
add (unsigned long long (&sum)[2], int component, unsigned long long v)
{
  sum[0] += component == 0 ? v : 0;
  sum[1] += component == 0 ? 0 : v;
}

/* Whether the warp can load its windows, of `size` samples each, by words. */
BDCT_INLINE bool
is_whole (const Tile &tile, const Window &w, int size)
{
  return __all_sync (0xffffffff, tile.plane.aligned
      && (w.width >= size || w.width <= 0));
}

} // namespace
