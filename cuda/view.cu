/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views on the GPU. What a sample of a view is stands in dct/render.h; here is
 * the way over the frame: a thread a sample where samples are copied or
 * subtracted, a warp a tile of 32 x 32 of luma where blocks are coloured. */
#include "view-launch.h"

namespace {

constexpr int kTile = 32;
constexpr int kBlocks = kTile / 4;      /* of the smallest size, a side */

template <typename Sample> __device__ __forceinline__ int
get (const BdctRenderPlane &p, const BdctSamples &of, int x, int y, int depth)
{
  return bdct_sample_get (of.data + y * of.stride,
      (int64_t) x * p.layout.interleave, sizeof (Sample), p.layout.shift,
      (1 << depth) - 1);
}

/* Put the sample (x, y) of a component, which was at (from_x, from_y) of one of
 * the pictures, and what lies on top of it. */
template <typename Sample> __device__ __forceinline__ void
put (const BdctRender &r, int c, int x, int y, bool second, int from_x,
    int from_y, int v)
{
  const BdctRenderPlane &p = r.plane[c];

  if (r.grid && c == BDCT_Y && bdct_render_on_grid (&r, second, from_x,
          from_y))
    v = bdct_render_mark (v, r.depth);
  if (r.divider && x >= r.split >> p.sub_x
      && x <= (r.split + r.divider - 1) >> p.sub_x)
    v = c == BDCT_Y ? (1 << r.depth) - 1 : 1 << (r.depth - 1);
  bdct_render_legend (&r, c, x, y, &v);
  bdct_sample_put (p.dst.data + y * p.dst.stride,
      (int64_t) x * p.layout.interleave, sizeof (Sample), p.layout.shift, v);
}

/* Rows of 32 samples, 8 at a time; a launch's third dimension is the component.
 * The second one has fewer blocks than the highest frames need. */
template <typename Sample> __global__ void
draw_samples (const __grid_constant__ BdctRender r)
{
  const int c = blockIdx.z;
  const BdctRenderPlane &p = r.plane[c];
  const int x = blockIdx.x * 32 + threadIdx.x;

  if (x >= p.layout.width)
    return;
  for (int y = blockIdx.y * 8 + threadIdx.y; y < p.layout.height;
      y += gridDim.y * 8) {
    int from_x = x, from_y = y, v;
    bool second = true;

    if (r.mode == BDCT_VIEW_DIFFERENCE) {
      v = bdct_render_difference (get<Sample> (p, p.first, x, y, r.depth),
          get<Sample> (p, p.second, x, y, r.depth), r.gain, r.depth);
    } else {
      second = bdct_render_locate (&r, p.sub_x, p.sub_y, &from_x, &from_y);
      v = get<Sample> (p, second ? p.second : p.first, from_x, from_y, r.depth);
    }
    put<Sample> (r, c, x, y, second, from_x, from_y, v);
  }
}

/* One tile of luma and what lies there of chroma, in the colours of its
 * blocks. */
template <typename Sample> __global__ void
__launch_bounds__ (32)
draw_map (const __grid_constant__ BdctRender r)
{
  __shared__ int colour[kBlocks][kBlocks];

  const BdctRenderPlane &luma = r.plane[BDCT_Y];
  const int log2_width = r.log2_cell[0], log2_height = r.log2_cell[1];
  const int lane = threadIdx.x, left = blockIdx.x * kTile;
  const int first_x = left >> log2_width;
  const int end_x = min (((left + kTile - 1) >> log2_width) + 1,
      bdct_render_count_cells (&r, false));

  for (int top = blockIdx.y * kTile; top < luma.layout.height;
      top += gridDim.y * kTile) {
    const int first_y = top >> log2_height;
    const int end_y = min (((top + kTile - 1) >> log2_height) + 1,
        bdct_render_count_cells (&r, true));

    for (int i = lane; i < kBlocks * kBlocks; i += 32) {
      const int bx = first_x + i % kBlocks, by = first_y + i / kBlocks;

      if (bx < end_x && by < end_y)
        colour[i / kBlocks][i % kBlocks] =
            bdct_render_cell_colour (&r, bx, by);
    }
    __syncwarp ();
    for (int c = 0; c < r.n_components; c++) {
      const BdctRenderPlane &p = r.plane[c];
      const int x = (left >> p.sub_x) + lane, y0 = top >> p.sub_y;

      if (lane < kTile >> p.sub_x && x < p.layout.width)
        for (int y = y0; y < min (y0 + (kTile >> p.sub_y), p.layout.height);
            y++)
          put<Sample> (r, c, x, y, true, x, y, r.colour[colour
                  [(y << p.sub_y >> log2_height) - first_y]
                  [(x << p.sub_x >> log2_width) - first_x]][c]);
    }
    __syncwarp ();
  }
}

} // namespace

extern "C" cudaError_t
bdct_cuda_view_launch (const BdctRender *r, cudaStream_t stream)
{
  const bool map = r->mode >= BDCT_VIEW_ERROR_MAP;
  const void *const kernels[2][2] = {
    { (const void *) draw_samples<uint8_t>, (const void *) draw_map<uint8_t> },
    { (const void *) draw_samples<uint16_t>,
      (const void *) draw_map<uint16_t> },
  };
  const BdctPlaneLayout *luma = &r->plane[BDCT_Y].layout;
  const int rows = map ? kTile : 8;
  const dim3 grid ((luma->width - 1) / 32 + 1,
      min ((luma->height - 1) / rows + 1, 65535), map ? 1 : r->n_components);
  BdctRender render = *r;
  void *args[] = { &render };

  return cudaLaunchKernel (kernels[r->depth > 8][map], grid,
      dim3 (32, map ? 1 : 8), args, 0, stream);
}
