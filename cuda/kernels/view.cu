/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views on the GPU. dct/picture/render.h computes each sample; this file
 * traverses the frame. Where a view copies or subtracts samples, and
 * view-copy.cu cannot, a thread draws a sample. Where a view colours blocks, a
 * warp draws a tile of 32 x 32 luma samples. */
#include "view.cuh"

namespace {

constexpr int kTile = 32;
constexpr int kBlocks = kTile / 4;      /* of the smallest size, in a side */

/* Rows of 32 samples, 8 at a time; the launch's third dimension is the
 * component. The second dimension has fewer blocks than the highest frames
 * need. */
template <typename Sample> __global__ void
draw_samples (const __grid_constant__ BdctRender r)
{
  const int c = blockIdx.z;
  const BdctRenderPlane &p = r.plane[c];
  const int x = blockIdx.x * 32 + threadIdx.x;

  if (x >= p.layout.width)
    return;
  for (int y = blockIdx.y * 8 + threadIdx.y; y < p.layout.height;
      y += gridDim.y * 8)
    draw_sample<Sample> (r, c, x, y);
}

/* One tile of luma and the chroma at its place, in the colours of its
 * blocks. */
template <typename Sample> __global__ void
__launch_bounds__ (32)
draw_map (const __grid_constant__ BdctRender r)
{
  __shared__ int colour[kBlocks][kBlocks];

  const BdctRenderPlane &luma = r.plane[BDCT_Y];
  const int log2_width = r.log2_block[0], log2_height = r.log2_block[1];
  const int lane = threadIdx.x, left = blockIdx.x * kTile;
  const int first_x = left >> log2_width;
  const int end_x = min (((left + kTile - 1) >> log2_width) + 1,
      bdct_render_count_blocks (&r, false));

  for (int top = blockIdx.y * kTile; top < luma.layout.height;
      top += gridDim.y * kTile) {
    const int first_y = top >> log2_height;
    const int end_y = min (((top + kTile - 1) >> log2_height) + 1,
        bdct_render_count_blocks (&r, true));

    for (int i = lane; i < kBlocks * kBlocks; i += 32) {
      const int bx = first_x + i % kBlocks, by = first_y + i / kBlocks;

      if (bx < end_x && by < end_y)
        colour[i / kBlocks][i % kBlocks] =
            bdct_render_block_colour (&r, bx, by);
    }
    __syncwarp ();
    for (int c = 0; c < r.n_components; c++) {
      const BdctRenderPlane &p = r.plane[c];
      const int x = (left >> p.sub_x) + lane, y0 = top >> p.sub_y;

      if (lane < kTile >> p.sub_x && x < p.layout.width)
        for (int y = y0; y < min (y0 + (kTile >> p.sub_y), p.layout.height);
            y++)
          put<Sample> (r, c, x, y, r.colour[colour
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

  if (bdct_cuda_copy_takes (r))
    return bdct_cuda_copy_launch (r, stream);
  return cudaLaunchKernel (kernels[r->depth > 8][map], grid,
      dim3 (32, map ? 1 : 8), args, 0, stream);
}
