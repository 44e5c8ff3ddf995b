/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <string.h>
#include "dct/base/min.h"
#include "metrics.h"

/* Index map */

static int
tiles_across (const BdctPlaneLayout * plane)
{
  return (plane->width * plane->interleave - 1) / BDCT_CUDA_MAP_TILE_SAMPLES +
      1;
}

/* The rows of a map tile. */
static int
tile_rows (const BdctJob * job)
{
  return BDCT_CUDA_MAP_TILE_ROWS (1 << job->component[BDCT_Y].log2_height);
}

static int
tiles_down (const BdctPlaneLayout * plane, const BdctJob * job)
{
  return (plane->height - 1) / tile_rows (job) + 1;
}

/* The entry of map tile (x, y), by the quantizers of its blocks. */
static uint8_t
find_tile (const BdctPlaneLayout * plane, const BdctJob * job,
    const BdctBlockGrid * grid, const uint8_t * quantizers, int x, int y)
{
  const BdctComponentJob *c = &job->component[plane->component[0]];
  const int width = (BDCT_CUDA_MAP_TILE_SAMPLES / plane->interleave)
      >> c->log2_width;
  const int height = tile_rows (job) >> c->log2_height;
  int quantizer = -1;

  for (int i = 0; i < plane->interleave; i++) {
    const BdctBlockGrid *g = &grid[plane->component[i]];
    const int n = bdct_min (width, g->columns - x * width);

    for (int v = y * height; v < bdct_min ((y + 1) * height, g->rows); v++) {
      const uint8_t *row = quantizers + g->first + (size_t) v * g->columns
          + x * width;
      uint8_t differ = 0;

      if (quantizer < 0)
        quantizer = row[0];
      for (int u = 0; u < n; u++)
        differ |= row[u] ^ quantizer;
      if (differ)
        return BDCT_CUDA_MIXED;
    }
  }
  return quantizer;
}

/* Reduce a map of a frame's blocks to one of larger blocks: each has the
 * quantizer of the block in its corner. */
static void
fill_quantizers (uint8_t * to, const BdctBlockGrid * to_grid,
    const BdctJob * to_job, const uint8_t * from, const BdctBlockGrid * grid,
    const BdctJob * job)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const int right = to_job->component[c].log2_width
        - job->component[c].log2_width;
    const int down = to_job->component[c].log2_height
        - job->component[c].log2_height;

    for (int y = 0; y < to_grid[c].rows; y++) {
      const uint8_t *row = from + grid[c].first
          + (size_t) (y << down) * grid[c].columns;
      uint8_t *to_row = to + to_grid[c].first
          + (size_t) y * to_grid[c].columns;

      if (right == 0)
        memcpy (to_row, row, to_grid[c].columns);
      else
        for (int x = 0; x < to_grid[c].columns; x++)
          to_row[x] = row[x << right];
    }
  }
}

static size_t
count_tiles (const BdctLayout * layout, const BdctJob * job)
{
  size_t n = 0;

  for (int p = 0; p < layout->n_planes; p++)
    n += (size_t) tiles_across (&layout->plane[p])
        * tiles_down (&layout->plane[p], job);
  return n;
}

/* The entries of a row of map tiles in a stack of pictures, each with one
 * quantizer. */
static uint8_t
find_stack_tile (const BdctLayout * layout, const BdctPlaneLayout * plane,
    const uint8_t * stack_map, const BdctJob * job, int y)
{
  const int rows = plane->height / bdct_layout_pictures (layout);
  const int first = y * tile_rows (job) / rows;
  const int last = (bdct_min ((y + 1) * tile_rows (job), plane->height) - 1)
      / rows;

  for (int i = first + 1; i <= last; i++)
    if (stack_map[i] != stack_map[first])
      return BDCT_CUDA_MIXED;
  return stack_map[first];
}

/* Write the map of a job's blocks and, after it, that of its tiles, at an
 * offset of the frame's. Returns their size. */
static size_t
write_map (BdctCudaFrame * frame, const BdctLayout * layout,
    const BdctFrame * request, const BdctJob * job, size_t at,
    BdctCudaWork * work)
{
  const BdctBuffer *memory = &frame->array[BDCT_ARRAY_MAP].memory;
  uint8_t *map = memory->host + at;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t n = bdct_blocks_init (grid, layout, job);

  if (request->stack_map != NULL)
    bdct_blocks_map_stack (layout, grid, request->stack_map, map);
  else
    fill_quantizers (map, grid, job, request->quantizer_map,
        frame->plan.blocks.grid, frame->quantizers);
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++)
      work->plane[p].quantizer_map[i] = memory->device + at
          + grid[plane->component[i]].first;
    work->plane[p].quantizer_of_tile = memory->device + at + n;
    for (int y = 0; y < tiles_down (plane, job); y++)
      for (int x = 0; x < tiles_across (plane); x++) {
        const uint8_t tile = request->stack_map != NULL
            ? find_stack_tile (layout, plane, request->stack_map, job, y)
            : find_tile (plane, job, grid, map, x, y);

        map[n++] = tile;
        work->mixed = work->mixed || tile == BDCT_CUDA_MIXED;
      }
  }
  return n;
}

/* Make a map and upload it; for a tree, one for the blocks of each size, the
 * smallest first. */
static bool
make_map (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctArray *array = &frame->array[BDCT_ARRAY_MAP];
  const BdctJob *job = frame->quantizers;
  const bool is_tree = bdct_job_is_tree (job);
  const int first = job->tree.min_log2, last = job->tree.max_log2;

  if (!bdct_cuda_frame_place_array (frame, BDCT_ARRAY_MAP,
          (last - first + 1) * (frame->plan.blocks.n
              + count_tiles (layout, job)), BDCT_GOES_UP, NULL, staging,
          error))
    return false;
  array->size = 0;
  for (int n = first; n <= last; n++) {
    BdctJob sized;

    if (is_tree)
      bdct_job_of_size (&sized, job, n);
    array->size += write_map (frame, layout, request, is_tree ? &sized : job,
        array->size, &frame->work[is_tree ? n - 2 : 0]);
  }
  return bdct_array_upload (array, array->memory.host, staging, error);
}

/* Memory for what there is of single blocks. Levels that are output, input or
 * drawn may be in the caller's memory on the device. */
static bool
place_blocks (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  const BdctPlan *plan = &frame->plan;
  const BdctPlanBlocks *blocks = &plan->blocks;
  const BdctWay down = BDCT_COMES_DOWN, up = BDCT_GOES_UP;

  if ((blocks->records && !bdct_cuda_frame_place_array (frame,
              BDCT_ARRAY_RECORDS, blocks->n * sizeof (BdctBlockRecord),
              request->blocks != NULL ? down : BDCT_STAYS, request->blocks,
              staging, error))
      || (blocks->sizes && !bdct_cuda_frame_place_array (frame,
              BDCT_ARRAY_SIZES, blocks->n_sizes, plan->levels.in ? up
              : request->sizes != NULL ? down : BDCT_STAYS, request->sizes,
              staging, error)))
    return false;
  if (request->levels == NULL
      && (plan->place[BDCT_PLAN_LEVELS] == BDCT_PLACE_NONE
          || bdct_job_is_tree (request->quantizers)))
    return true;
  if (request->levels == NULL || request->levels_memory == BDCT_MEMORY_HOST)
    return bdct_cuda_frame_place_array (frame, BDCT_ARRAY_LEVELS,
        plan->levels.n * sizeof (BdctLevel), plan->levels.in ? up
        : plan->levels.out ? down : BDCT_STAYS, request->levels, staging,
        error);
  frame->array[BDCT_ARRAY_LEVELS].device = request->levels;
  return bdct_device_check_memory (staging->device, request->levels, error);
}

/* Memory for the results of each picture of a stack. */
static bool
place_stack (BdctCudaFrame * frame, const BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  const int n = staging->layout.stack;

  return bdct_layout_pictures (&staging->layout) == 1
      || ((!request->bits || request->stack_bits == NULL
          || bdct_cuda_frame_place_array (frame, BDCT_ARRAY_COUNTS,
              n * sizeof (BdctRateCounts), BDCT_COMES_DOWN, NULL, staging,
              error))
      && (request->stack_sse == NULL
          || bdct_cuda_frame_place_array (frame, BDCT_ARRAY_RGB_SSE,
              n * sizeof *request->stack_sse, BDCT_COMES_DOWN,
              request->stack_sse, staging, error)));
}

/* Describe the planes that are transformed, and plan the launches of the
 * picture. */
static bool
plan_work (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctImage *planes = &frame->image[BDCT_PLAN_PLANES];
  const BdctImage *rec = &frame->image[BDCT_PLAN_RECONSTRUCTION];
  const bool by_map = frame->plan.blocks.by_map;
  BdctCudaWork work = {
    .quantizers = frame->quantizers,
    .n_quantizers = by_map ? request->n_quantizers : 1,
    .n_planes = layout->n_planes
  };

  for (int p = 0; p < layout->n_planes; p++) {
    work.plane[p].layout = layout->plane[p];
    work.plane[p].last_column = (layout->rgb.n_planes > 0
        ? (int) planes->stride[p] : layout->plane[p].width) - 1;
    work.plane[p].src = bdct_image_samples (planes, layout, p, 0);
  }
  for (int n = 0; n < (bdct_job_is_tree (frame->quantizers)
          ? BDCT_TREE_SIZES : 1); n++)
    frame->work[n] = work;
  if (by_map && !make_map (frame, staging, request, error))
    return false;
  if (bdct_job_is_tree (frame->quantizers) || frame->plan.levels.in)
    return true;
  work = frame->work[0];
  bdct_cuda_work_set_accumulators (&work, frame->sums.accumulators);
  bdct_cuda_work_set_image (&work, layout, rec);
  bdct_cuda_work_set_records (&work, frame);
  work.levels = frame->plan.bits
      && frame->array[BDCT_ARRAY_RECORDS].device == NULL;
  frame->launches.n = bdct_cuda_choose (staging->device->kernels, &work,
      frame->launches.launch, error);
  return frame->launches.n > 0;
}

/* For copies to and from the host, a stack is one image. */
static bool
check_pitch (const BdctLayout * layout, const BdctImage * image,
    ptrdiff_t pitch, BdctError * error)
{
  return bdct_layout_pictures (layout) == 1
      || image->memory == BDCT_MEMORY_DEVICE
      || bdct_stack_pitch (layout, image, 0)
      == bdct_stack_pitch (layout, image, pitch)
      || bdct_error (error, "pictures of a stack in host memory are %td bytes "
      "apart, not %td", pitch, bdct_stack_pitch (layout, image, 0));
}

/* Set where the source is: there already, if it is that of the frame before. */
static bool
place_source (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, const BdctCudaFrame * before, BdctError * error)
{
  if (!request->same_source)
    return bdct_staging_place (staging, &frame->src[0], &request->src,
        staging->device->upload, error)
        && (!frame->src[0].on_host
        || bdct_staging_upload (staging, &frame->src[0], error));
  frame->src[0].on_host = false;
  frame->src[0].image = before->src[0].image;
  if (frame->plan.place[BDCT_PLAN_PLANES] == BDCT_PLACE_BEFORE) {
    frame->image[BDCT_PLAN_PLANES] = before->image[BDCT_PLAN_PLANES];
    frame->ring_index = before->ring_index;
  }
  return true;
}

bool
bdct_cuda_prepare_frame (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, const BdctCudaFrame * before, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;

  bdct_cuda_frame_begin (frame, request->quantizers, request->n_quantizers);
  frame->request = *request;
  if (check_pitch (layout, &request->src, request->src_pitch, error)
      && check_pitch (layout, &request->dst, request->dst_pitch, error)
      && place_source (frame, staging, request, before, error)
      && bdct_staging_place (staging, &frame->dst, &request->dst,
          staging->device->stream, error)
      && bdct_cuda_frame_place_images (frame, staging, &frame->src[0].image,
          error)
      && place_blocks (frame, staging, request, error)
      && place_stack (frame, staging, request, error)
      && plan_work (frame, staging, request, error)
      && bdct_frame_metrics_place (frame, staging, error)
      && bdct_cuda_frame_end_uploads (frame, staging, error))
    return true;
  bdct_device_synchronize (staging->device);
  return false;
}
