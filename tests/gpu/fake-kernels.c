/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-kernels.h"
#include "fake-runtime.h"

#include <string.h>
#include "cpu/render.h"
#include "cpu/simd/colour-rows.h"
#include "cuda/kernels/view.h"

void
fake_compute (const void *function, const BdctCudaBatch * batch)
{
  if (!fake_levels (function, batch) && !fake_rate (function, batch)
      && !fake_scalar (function, batch) && !fake_tensor (function, batch))
    fake_die ("a kernel that nobody knows");
}

int
fake_blocks (const BdctCudaKernel * kernel, const BdctCudaBatch * batch)
{
  const int span = kernel->spans ? batch->span * kernel->warps : 1;

  return (batch->n_tiles - 1) / span + 1;
}

void
fake_check_grid (const void *function, const BdctCudaBatch * batch,
    unsigned blocks, unsigned threads)
{
  const BdctCudaKernel *kernel = function;
  int n = 0;

  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane *plane = &batch->plane[p];

    if (plane->first_tile != n)
      fake_die ("a plane's tiles");
    n += kernel->tile_blocks ? plane->tiles_x * plane->layout.interleave
        : ((plane->row_bytes - 1) / kernel->row_bytes + 1)
        * ((plane->layout.height - 1) / kernel->rows + 1);
  }
  if (n != batch->n_tiles || threads != (unsigned) kernel->warps * 32
      || (int) blocks != fake_blocks (kernel, batch))
    fake_die ("a launch that leaves tiles out");
}

static void
need_device (const BdctImage * image)
{
  for (int p = 0; p < BDCT_MAX_PLANES; p++)
    fake_need_device (image->data[p], 1, "a kernel on an image of the host");
}

/* Enqueue what the CPU does in place of a kernel with this parameter. */
#define LAUNCH(func, parameter, stream)                                       \
  {                                                                           \
    FakeOther other = { func, { 0 }, 1, 1 };                                  \
                                                                              \
    _Static_assert (sizeof *(parameter) <= sizeof other.work, "too large");   \
    memcpy (other.work, parameter, sizeof *(parameter));                      \
    return fake_launch (&other, stream);                                      \
  }

/* Of all views but the coefficients, which take kernels of their own. */
static void
draw (const FakeOther * other)
{
  BdctRender own;
  const BdctRender *render = memcpy (&own, other->work, sizeof own);

  for (int c = 0; c < render->n_components; c++)
    fake_need_device (render->plane[c].dst.data, 1, "a view on the host");
  for (int y = 0; y < render->plane[BDCT_Y].layout.height;
      y += BDCT_RENDER_STRIP)
    bdct_render_strip (render, y / BDCT_RENDER_STRIP);
}

cudaError_t
bdct_cuda_view_launch (const BdctRender * render, cudaStream_t stream)
{
  if (bdct_cuda_copy_takes (render))
    return bdct_cuda_copy_launch (render, stream);
  LAUNCH (draw, render, stream);
}

static void
enlarge (const FakeOther * other)
{
  BdctZoom own;
  const BdctZoom *zoom = memcpy (&own, other->work, sizeof own);

  for (int g = 0; g < zoom->n_groups; g++)
    for (int k = 0; k < zoom->group[g].n; k++) {
      const BdctZoomChannel *channel = &zoom->channel[zoom->group[g].first + k];

      fake_need_device (channel->first.data, 1, "a zoomed view of the host's");
      fake_need_device (channel->second.data, 1, "a zoomed view of the host's");
      fake_need_device (channel->dst.data, 1, "a zoomed view on the host");
    }
  for (int y = 0; y < zoom->group[0].height; y += BDCT_RENDER_STRIP)
    bdct_zoom_strip (zoom, y / BDCT_RENDER_STRIP);
}

cudaError_t
bdct_cuda_zoom_launch (const BdctZoom * zoom, cudaStream_t stream)
LAUNCH (enlarge, zoom, stream)

/* R, G and B, as the CPU has them. */

typedef struct {
  BdctCudaColour colour;
  BdctRender render;
  bool viewed;                  /* there is a `render` */
} Colours;

static BdctColour
colour_of (const FakeOther * other, Colours * given)
{
  const BdctCudaColour *from = &given->colour;

  memcpy (given, other->work, sizeof *given);
  need_device (&from->src);
  need_device (&from->dst);
  need_device (&from->planes);
  need_device (&from->rec);
  need_device (&from->shown);
  for (int p = 0; p < from->layout.n_planes; p++)
    if (from->planes.data[p] != NULL
        && from->planes.stride[p] != bdct_colour_columns (&from->layout, p))
      fake_die ("rows of planes with other columns");
  return (BdctColour) {
    &from->layout, from->src, from->dst, from->planes, from->rec, from->shown,
        given->viewed ? &given->render : NULL};
}

static void
split (const FakeOther * other)
{
  Colours given;
  const BdctColour colour = colour_of (other, &given);

  for (int i = 0; i < bdct_colour_count_strips (colour.layout); i++)
    bdct_colour_baseline.rgb_to_planes (&colour, i);
}

static void
join (const FakeOther * other)
{
  Colours given;
  const BdctColour colour = colour_of (other, &given);
  BdctCudaAccumulator *cells = given.colour.accumulators;

  fake_need_device (cells, BDCT_CUDA_ACCUMULATORS * sizeof *cells,
      "cells on the host");
  for (int i = 0; i < bdct_colour_count_strips (colour.layout); i++) {
    uint64_t sse[3] = { 0, 0, 0 };

    bdct_colour_baseline.planes_to_rgb (&colour, i, sse);
    for (int k = 0; k < 3 && cells != NULL; k++)
      cells[i % BDCT_CUDA_ACCUMULATORS].rgb_sse[k] += sse[k];
  }
}

cudaError_t
bdct_cuda_rgb_to_planes_launch (const BdctCudaColour * colour,
    cudaStream_t stream)
{
  const Colours given = {.colour = *colour };

  LAUNCH (split, &given, stream);
}

cudaError_t
bdct_cuda_planes_to_rgb_launch (const BdctCudaColour * colour,
    const BdctRender * render, cudaStream_t stream)
{
  const Colours given = { *colour, render != NULL ? *render
        : (BdctRender) { 0 }, render != NULL };

  LAUNCH (join, &given, stream);
}
