/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-kernels.h"
#include "fake-runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/render.h"
#include "cpu/simd/colour-rows.h"
#include "cpu/simd/tile32.h"
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

/* `set`: of all blocks, or BDCT_CUDA_MIXED. */
static void
compute_part (const BdctCudaPlane * plane, const Part * part, uint8_t set)
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
    .dst = image_of (&plane->dst, part)
  };
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
  for (int i = 0; i < layout->interleave && plane->blocks[0] != NULL; i++)
    move_blocks (plane, part, i, (uint8_t *) plane->blocks[i],
        (uint8_t *) blocks, sizeof *blocks, true);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    plane->accumulators[3].sse[c] += stats.component[c].sse / 2;
    plane->accumulators[c].sse[c] += stats.component[c].sse
        - stats.component[c].sse / 2;
    plane->accumulators[BDCT_CUDA_ACCUMULATORS - 1].nonzero[c] +=
        stats.component[c].nonzero;
  }
  free (map);
  free (blocks);
}

/* The levels of component `i`, as the CPU makes them. */
static void
make_levels (const BdctCudaPlane * plane, const BdctJob * job, int i,
    const BdctBlockGrid * grid, BdctLevel * levels)
{
  static _Thread_local BdctTileQuantizer quantizers[BDCT_MAX_QUANTIZERS];
  const BdctComponent c = plane->layout.component[i];
  const BdctComponentJob *own = &job->component[c];
  const BdctLayout layout = {.depth = job->depth };
  const int side = bdct_tile_side (own);
  const BdctImage image = {.data = {plane->src.data},
    .stride = {plane->src.stride}
  };
  static _Thread_local uint8_t scratch[BDCT_SCRATCH_SIZE]
      __attribute__ ((aligned (64)));
  BdctTilePlane tiles;
  int n_quantizers = 1;

  memset (&tiles, 0, sizeof tiles);
  bdct_tile_plane_init (&tiles, job, c);
  tiles.layout = plane->layout;
  tiles.columns = plane->last_column + 1;
  tiles.src = bdct_image_samples (&image, &layout, 0, i);
  tiles.grid = *grid;
  tiles.grid.first = 0;
  tiles.quantizer_map = plane->quantizer_map[i];
  for (int k = 0; tiles.quantizer_map != NULL
      && k < grid->columns * grid->rows; k++)
    if (tiles.quantizer_map[k] >= n_quantizers)
      n_quantizers = tiles.quantizer_map[k] + 1;
  for (int k = 0; k < n_quantizers; k++) {
    const BdctJob set = job_of (plane, k);

    bdct_tile_quantizer_init (&quantizers[k], &set, c);
    tiles.quantizer[k] = &quantizers[k];
  }
  for (int y = 0; y < plane->layout.height; y += side) {
    BdctTileStrip strip = {.levels = levels
          + (size_t) (y >> own->log2_height) * grid->columns
          * bdct_rate_block_levels (own)
    };

    bdct_tile_kernels ()[0]->plain->strip (&tiles, y, &strip, scratch);
  }
}

/* Write the levels of a plane. */
static void
write_plane (const BdctCudaPlane * plane)
{
  const BdctJob job = job_of (plane, 0);
  const BdctLayout layout = {.n_planes = 1,.plane = {plane->layout} };
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, &layout, &job);
  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponent c = plane->layout.component[i];
    const size_t n = (size_t) grid[c].columns * grid[c].rows
        * bdct_rate_block_levels (&job.component[c]);

    fake_need_device (plane->levels[i], n * sizeof (BdctLevel),
        "levels on the host");
    make_levels (plane, &job, i, &grid[c], plane->levels[i]);
  }
}

/* The levels, and what the other tensor kernel does. */
static void
write_levels (const BdctCudaBatch * batch)
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

  if (fake_levels (function, batch) || fake_rate (function, batch))
    return;
  if (function == &levels_alone) {
    for (int p = 0; p < batch->n_planes; p++)
      write_plane (&batch->plane[p]);
    return;
  }
  if (function == &with_levels) {
    write_levels (batch);
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
      compute_part (plane, &part, cell == NULL ? 0 : BDCT_CUDA_MIXED);
      continue;
    }
    for (int y = 0; y < layout->height; y += height)
      for (int x = 0; x < layout->width; x += width, cell++) {
        fake_need_device (cell, 1, "cells on the host");
        if ((*cell == BDCT_CUDA_MIXED) != takes_mixed)
          continue;
        part_init (&part, plane, &job, x, y, width, height);
        compute_part (plane, &part, *cell);
      }
  }
  for (int p = 0; p < batch->n_planes && fake_plant && !takes_mixed; p++)
    if (batch->plane[p].dst.data != NULL)
      batch->plane[p].dst.data[batch->plane[p].dst.stride] ^= 0x40;
}

const BdctTensorKernel *
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

/* Of all views but the coefficients, which take kernels of their own. */
static void
draw (const FakeOther * other)
{
  const BdctRender *render = &other->render;

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
  return fake_launch (&(FakeOther) {draw,.render = *render }, stream);
}

static void
enlarge (const FakeOther * other)
{
  const BdctZoom *zoom = &other->zoom;

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
{
  return fake_launch (&(FakeOther) {enlarge,.zoom = *zoom }, stream);
}

/* R, G and B, as the CPU has them. */

static BdctColour
colour_of (const FakeOther * other)
{
  const BdctCudaColour *from = &other->colour;

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
        other->viewed ? &other->render : NULL};
}

static void
split (const FakeOther * other)
{
  const BdctColour colour = colour_of (other);

  for (int i = 0; i < bdct_colour_count_strips (colour.layout); i++)
    bdct_colour_baseline.rgb_to_planes (&colour, i);
}

static void
join (const FakeOther * other)
{
  const BdctColour colour = colour_of (other);
  BdctCudaAccumulator *cells = other->colour.accumulators;

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
  return fake_launch (&(FakeOther) {split,.colour = *colour }, stream);
}

cudaError_t
bdct_cuda_planes_to_rgb_launch (const BdctCudaColour * colour,
    const BdctRender * render, cudaStream_t stream)
{
  FakeOther other = {.compute = join,.colour = *colour,
    .viewed = render != NULL
  };

  if (render != NULL)
    other.render = *render;
  return fake_launch (&other, stream);
}
