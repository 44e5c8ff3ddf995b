/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-kernels.h"
#include "fake-runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/render.h"
#include "cpu/simd/colour-rows.h"
#include "cuda/kernels/view.h"
#include "dct/engine/engine.h"
#include "dct/entropy/cabac.h"

/* What a kernel has of a plane's job: its constants. */
typedef struct {
  BdctJob job;
  BdctPlaneLayout layout;
} __attribute__ ((aligned (16))) Constants;

static void
make_constants (void *to, const BdctCudaPlane * plane, const BdctJob * job)
{
  memcpy (to, &(Constants) { *job, plane->layout }, sizeof (Constants));
}

/* The kernels: two as those of the tensor cores, which take no blocks of
 * 32 a side and leave mixed cells alone, of which one writes levels, too, and
 * one for the rest. */

static const BdctTensorKernel tensor = {
  {&tensor, 16, 128, 4, 1, true, sizeof (Constants), NULL,
      make_constants, true},
  "fake", true, false
};
static const BdctTensorKernel with_levels = {
  {&with_levels, 16, 128, 4, 1, true, sizeof (Constants), NULL,
      make_constants, true},
  "fake, with levels", true, true
};
static const BdctCudaKernel scalar[2] = {
  {&scalar[0], 32, 128, 4, 4, 0, sizeof (Constants), NULL,
      make_constants, false},
  {&scalar[1], 32, 256, 4, 4, 0, sizeof (Constants), NULL,
      make_constants, false},
};

/* And the one that makes levels alone. */
static const BdctCudaKernel levels_alone = {
  &levels_alone, 32, 128, 4, 4, 0, sizeof (Constants), NULL, make_constants,
  false
};

static BdctJob
job_of (const BdctCudaPlane * plane, int set)
{
  Constants constants;

  fake_need_device (plane->constants + set * plane->quantizer_size,
      sizeof constants, "constants of the host");
  memcpy (&constants, plane->constants + set * plane->quantizer_size,
      sizeof constants);
  if (constants.layout.interleave != plane->layout.interleave
      || memcmp (constants.layout.component, plane->layout.component,
          plane->layout.interleave * sizeof (BdctComponent)) != 0)
    fake_die ("constants of another plane");
  return constants.job;
}

/* Part of a plane. */
typedef struct {
  int x, y;                     /* of the first sample of each component */
  BdctLayout layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t first[2], n_blocks;    /* first: block of the plane's components */
} Part;

static void
part_init (Part * part, const BdctCudaPlane * plane, const BdctJob * job,
    int x, int y, int width, int height)
{
  BdctPlaneLayout *layout = &part->layout.plane[0];

  part->x = x;
  part->y = y;
  part->layout = (BdctLayout) {.depth = job->depth,.n_planes = 1 };
  *layout = plane->layout;
  layout->width = width < layout->width - x ? width : layout->width - x;
  layout->height = height < layout->height - y ? height : layout->height - y;
  part->n_blocks = bdct_blocks_init (part->grid, &part->layout, job);
  for (int i = 0; i < layout->interleave; i++)
    part->first[i] = (size_t) (y >> plane->log2_height) * plane->columns
        + (x >> plane->log2_width);
}

static BdctImage
image_of (const BdctSamples * plane, const Part * part)
{
  const BdctPlaneLayout *layout = &part->layout.plane[0];
  BdctImage image = { BDCT_MEMORY_HOST };

  if (plane->data == NULL)
    return image;
  fake_need_device (plane->data, 1, "a kernel on memory of the host");
  image.data[0] = plane->data + part->y * plane->stride
      + (ptrdiff_t) part->x * layout->interleave
      * bdct_layout_sample_size (&part->layout);
  image.stride[0] = plane->stride;
  return image;
}

/* Rows of a part's blocks in the plane's array of `size` bytes each, and in
 * the part's own. */
static void
move_blocks (const BdctCudaPlane * plane, const Part * part, int i,
    uint8_t * whole, uint8_t * own, size_t size, bool there)
{
  const BdctBlockGrid *grid =
      &part->grid[part->layout.plane[0].component[i]];

  for (int v = 0; v < grid->rows; v++) {
    uint8_t *a = whole + (part->first[i] + (size_t) v * plane->columns) * size;
    uint8_t *b = own + (grid->first + (size_t) v * grid->columns) * size;

    fake_need_device (a, grid->columns * size, "blocks on the host");
    memcpy (there ? a : b, there ? b : a, grid->columns * size);
  }
}

/* Have the CPU engine write somewhere else than into what it reads. */
static uint8_t *
set_apart (const Part * part, BdctFrame * frame)
{
  const BdctPlaneLayout *layout = &part->layout.plane[0];

  if (frame->dst.data[0] == NULL || frame->dst.data[0] != frame->src.data[0])
    return NULL;
  frame->dst.stride[0] = layout->width * layout->interleave
      * bdct_layout_sample_size (&part->layout);
  return frame->dst.data[0] = malloc (frame->dst.stride[0] * layout->height);
}

/* The levels of a frame that is a part: those of each component. */
static void
write_levels (const BdctCudaPlane * plane, const Part * part,
    const BdctJob * job, const BdctLevel * levels, const size_t * first)
{
  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponent c = plane->layout.component[i];
    const size_t size = sizeof *levels * part->grid[c].columns
        * part->grid[c].rows * bdct_rate_block_levels (&job->component[c]);

    fake_need_device (plane->levels[i], size, "levels on the host");
    memcpy (plane->levels[i], levels + first[c], size);
  }
}

/* `set`: of all blocks, or BDCT_CUDA_MIXED. `levels`: these alone. */
static void
compute_part (const BdctCudaPlane * plane, const Part * part, uint8_t set,
    bool levels)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static BdctEngine *engine;
  const BdctPlaneLayout *layout = &part->layout.plane[0];
  uint8_t *map = calloc (part->n_blocks, 1);
  BdctBlockRecord *blocks = malloc (part->n_blocks * sizeof *blocks);
  BdctEngineOptions options = {.threads = 1 };
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  BdctFrame frame = {.quantizers = quantizers,.n_quantizers = 1,.blocks =
        blocks,
    .n_blocks = part->n_blocks,.src = image_of (&plane->src, part),
    .dst = levels ? (BdctImage) { 0 } : image_of (&plane->dst, part)
  };
  size_t first[BDCT_MAX_COMPONENTS];
  uint8_t *apart = set_apart (part, &frame);
  BdctStats stats;

  quantizers[0] = job_of (plane, set == BDCT_CUDA_MIXED ? 0 : set);
  if (set == BDCT_CUDA_MIXED) {
    for (int i = 0; i < layout->interleave; i++)
      move_blocks (plane, part, i, (uint8_t *) plane->quantizer_map[i], map, 1,
          false);
    for (size_t i = 0; i < part->n_blocks; i++)
      if (map[i] >= frame.n_quantizers)
        frame.n_quantizers = map[i] + 1;
    for (int i = 1; i < frame.n_quantizers; i++)
      quantizers[i] = job_of (plane, i);
    frame.quantizer_map = map;
  }
  if (levels) {
    frame.n_levels = bdct_count_levels (&part->layout, quantizers, first);
    frame.levels = aligned_alloc (64, (frame.n_levels * sizeof *frame.levels
            + 63) & ~63);
  }
  pthread_mutex_lock (&lock);
  if (engine == NULL)
    engine = bdct_cpu_engine.create (&options, NULL);
  if (!engine->klass->configure (engine, &part->layout, 1, NULL)
      || !engine->klass->submit (engine, &frame, NULL)
      || !engine->klass->collect (engine, &stats, NULL))
    fake_die ("no kernel");
  pthread_mutex_unlock (&lock);
  for (int y = 0; y < layout->height && apart != NULL; y++)
    memcpy ((uint8_t *) frame.src.data[0] + y * frame.src.stride[0],
        apart + y * frame.dst.stride[0], frame.dst.stride[0]);
  free (apart);
  if (levels)
    write_levels (plane, part, quantizers, frame.levels, first);
  for (int i = 0; i < layout->interleave && !levels
      && plane->blocks[0] != NULL; i++)
    move_blocks (plane, part, i, (uint8_t *) plane->blocks[i],
        (uint8_t *) blocks, sizeof *blocks, true);
  for (int c = 0; c < BDCT_MAX_COMPONENTS && !levels; c++) {
    plane->accumulators[3].sse[c] += stats.component[c].sse / 2;
    plane->accumulators[c].sse[c] += stats.component[c].sse
        - stats.component[c].sse / 2;
    plane->accumulators[BDCT_CUDA_ACCUMULATORS - 1].nonzero[c] +=
        stats.component[c].nonzero;
  }
  free (frame.levels);
  free (map);
  free (blocks);
}

/* Write the levels of a plane. */
static void
write_plane (const BdctCudaPlane * plane)
{
  const BdctJob job = job_of (plane, 0);
  const bool map = plane->quantizer_map[0] != NULL;
  Part part;

  part_init (&part, plane, &job, 0, 0, plane->layout.width,
      plane->layout.height);
  compute_part (plane, &part, map ? BDCT_CUDA_MIXED : 0, true);
}

/* The levels, and what the other tensor kernel does. */
static void
write_both (const BdctCudaBatch * batch)
{
  BdctCudaBatch rest = *batch;

  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane *plane = &batch->plane[p];
    const int rows = ((plane->layout.height - 1) >> plane->log2_height) + 1;

    write_plane (plane);
    for (int i = 0; i < plane->layout.interleave; i++)
      rest.plane[p].blocks[i] = plane->records == NULL ? NULL
          : plane->records + i * plane->columns * rows;
  }
  fake_compute (&tensor, &rest);
}

void
fake_compute (const void *function, const BdctCudaBatch * batch)
{
  const bool takes_mixed = function != &tensor && function != &with_levels;

  if (fake_levels (function, batch) || fake_rate (function, batch)
      || (fake_tensor != NULL && fake_tensor (function, batch)))
    return;
  if (function == &levels_alone) {
    for (int p = 0; p < batch->n_planes; p++)
      write_plane (&batch->plane[p]);
    return;
  }
  if (function == &with_levels) {
    write_both (batch);
    return;
  }
  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane *plane = &batch->plane[p];
    const BdctPlaneLayout *layout = &plane->layout;
    const int width = BDCT_CUDA_MAP_TILE_SAMPLES / layout->interleave;
    const int height = BDCT_CUDA_MAP_TILE_ROWS (1 << plane->log2_height);
    const BdctJob job = job_of (plane, 0);
    const uint8_t *cell = plane->quantizer_of_tile;
    Part part;

    if (job.depth != batch->depth)
      fake_die ("a job of another depth");
    if (cell == NULL || (takes_mixed && !batch->mixed)) {
      part_init (&part, plane, &job, 0, 0, layout->width, layout->height);
      compute_part (plane, &part, cell == NULL ? 0 : BDCT_CUDA_MIXED, false);
      continue;
    }
    for (int y = 0; y < layout->height; y += height)
      for (int x = 0; x < layout->width; x += width, cell++) {
        fake_need_device (cell, 1, "cells on the host");
        if ((*cell == BDCT_CUDA_MIXED) != takes_mixed)
          continue;
        part_init (&part, plane, &job, x, y, width, height);
        compute_part (plane, &part, *cell, false);
      }
  }
  for (int p = 0; p < batch->n_planes && fake_plant && !takes_mixed; p++)
    if (batch->plane[p].dst.data != NULL)
      batch->plane[p].dst.data[batch->plane[p].dst.stride] ^= 0x40;
}

__attribute__ ((weak)) const BdctTensorKernel *
bdct_tensor_find (const BdctCudaWork * work, unsigned traits)
{
  (void) traits;
  for (int p = 0; p < work->n_planes; p++)
    if (work->quantizers[0].component[work->plane[p].layout.component[0]].
        log2_width > 4)
      return NULL;
  return work->levels ? &with_levels : &tensor;
}

const BdctCudaKernel *
bdct_scalar_find (const BdctCudaWork * work)
{
  return work->output == BDCT_CUDA_LEVELS ? &levels_alone
      : &scalar[work->quantizers[0].depth > 8];
}

void
fake_check_grid (const void *function, const BdctCudaBatch * batch,
    unsigned blocks, unsigned threads)
{
  const BdctCudaKernel *kernel = function;
  int span = kernel->spans ? batch->span * kernel->warps : 1;
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
      || (int) blocks != (n + span - 1) / span)
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
