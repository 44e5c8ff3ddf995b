/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Zoomed views on the GPU: a thread computes a sample, or a pixel of R, G and
 * B, by dct/picture/zoom.h. */
#include "view.h"

namespace {

/* Rows of 32, 8 at a time; the launch's third dimension is the group. The
 * second dimension has fewer blocks than the highest frames need. */
template <typename Sample, int CHANNELS> __global__ void
magnify (const __grid_constant__ BdctZoom z)
{
  const BdctZoomGroup &group = z.group[blockIdx.z];
  const int x = blockIdx.x * 32 + threadIdx.x;

  if (x >= group.width)
    return;
  for (int y = blockIdx.y * 8 + threadIdx.y; y < group.height;
      y += gridDim.y * 8) {
    int column = x, row = y;
    const bool second = bdct_render_locate (&z.render, group.sub_x, group.sub_y,
        &column, &row);

    column = (column << group.sub_x) + z.window.left;
    row = (row << group.sub_y) + z.window.top;
    bdct_zoom_put (&z, &group, CHANNELS, sizeof (Sample), x, y, second,
        bdct_zoom_find (&z.window, column), bdct_zoom_find (&z.window, row));
  }
}

} // namespace

extern "C" cudaError_t
bdct_cuda_zoom_launch (const BdctZoom *z, cudaStream_t stream)
{
  const BdctZoomGroup *all = &z->group[0];
  const void *const kernel = z->render.depth > 8
      ? (const void *) magnify<uint16_t, 1>
      : all->n == 1 ? (const void *) magnify<uint8_t, 1>
      : all->n == 3 ? (const void *) magnify<uint8_t, 3>
      : (const void *) magnify<uint8_t, 4>;
  const dim3 grid ((all->width - 1) / 32 + 1,
      min ((all->height - 1) / 8 + 1, 65535), z->n_groups);
  BdctZoom zoom = *z;
  void *args[] = { &zoom };

  return cudaLaunchKernel (kernel, grid, dim3 (32, 8), args, 0, stream);
}
