/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prepare.h"

#include <string.h>
#include "dct/base/min.h"

#define check bdct_cuda_check

static void
set_output (BdctCudaWork * work, const BdctLayout * layout,
    const BdctImage * dst)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].dst = bdct_image_samples (dst, layout, p, 0);
}

static void
set_records (BdctCudaWork * work, const BdctBlockGrid * grid,
    BdctBlockRecord * records)
{
  for (int p = 0; p < work->n_planes; p++)
    for (int i = 0; i < work->plane[p].layout.interleave; i++)
      work->plane[p].blocks[i] = records == NULL ? NULL
          : records + grid[work->plane[p].layout.component[i]].first;
}

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
  uint8_t *map = frame->blocks.map.host.data + at;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t n = bdct_blocks_init (grid, layout, job);

  if (request->stack_map != NULL)
    bdct_blocks_map_stack (layout, grid, request->stack_map, map);
  else
    fill_quantizers (map, grid, job, request->quantizer_map,
        frame->plan.blocks.grid, frame->jobs.quantizers);
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++)
      work->plane[p].quantizer_map[i] = frame->blocks.map.device + at
          + grid[plane->component[i]].first;
    work->plane[p].quantizer_of_tile = frame->blocks.map.device + at + n;
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

/* Put a map where it can be uploaded; for a tree, one for the blocks of each
 * size, the smallest first. */
static bool
make_map (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctCudaJobs *jobs = &frame->jobs;
  BdctCudaBlocks *blocks = &frame->blocks;
  const BdctJobTree *tree = &jobs->quantizers->tree;
  const bool is_tree = bdct_job_is_tree (jobs->quantizers);
  const int n_maps = is_tree ? tree->max_log2 - tree->min_log2 + 1 : 1;

  blocks->map_size = n_maps
      * (frame->plan.blocks.n + count_tiles (layout, jobs->quantizers));
  if (!bdct_buffer_reserve (&blocks->map, blocks->map_size, true,
          staging->engine, error))
    return false;
  if (!is_tree) {
    write_map (frame, layout, request, jobs->quantizers, 0, &jobs->work);
    return true;
  }
  blocks->map_size = 0;
  for (int n = tree->min_log2; n <= tree->max_log2; n++) {
    BdctJob job;

    bdct_job_of_size (&job, jobs->quantizers, n);
    blocks->map_size += write_map (frame, layout, request, &job,
        blocks->map_size, &jobs->sized[n - 2]);
  }
  return true;
}

/* Memory for results of single blocks. */
static bool
place_blocks (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  const BdctPlanBlocks *plan = &frame->plan.blocks;
  const size_t size = plan->n * sizeof (BdctBlockRecord);
  BdctCudaBlocks *blocks = &frame->blocks;

  blocks->to_records = request->blocks;
  blocks->sizes_given = plan->sizes && frame->plan.levels.in;
  blocks->to_sizes = plan->sizes && !blocks->sizes_given ? request->sizes
      : NULL;
  blocks->records = NULL;
  blocks->sizes = NULL;
  blocks->map_size = 0;
  if (plan->records) {
    blocks->dma_direct = request->blocks != NULL
        && bdct_host_memory_is_pinned (request->blocks, size);
    if (!bdct_buffer_reserve (&blocks->record_memory, size,
            request->blocks != NULL && !blocks->dma_direct, staging->engine,
            error))
      return false;
    blocks->records = (BdctBlockRecord *) blocks->record_memory.device;
  }
  if (plan->sizes) {
    if (!bdct_buffer_reserve (&blocks->size_memory, plan->n_sizes,
            request->sizes != NULL, staging->engine, error))
      return false;
    blocks->sizes = blocks->size_memory.device;
    if (blocks->sizes_given)
      memcpy (blocks->size_memory.host.data, request->sizes, plan->n_sizes);
  }
  return true;
}

/* Memory for levels that are output, input or drawn, unless the caller's is on
 * the device. */
static bool
place_levels (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  BdctCudaLevels *levels = &frame->levels;
  const size_t size = frame->plan.levels.n * sizeof *levels->device;

  levels->device = request->levels;
  levels->host = NULL;
  if (request->levels == NULL
      && (frame->plan.place[BDCT_PLAN_LEVELS] == BDCT_PLACE_NONE
          || bdct_job_is_tree (request->quantizers)))
    return true;
  if (request->levels != NULL && request->levels_memory == BDCT_MEMORY_DEVICE)
    return bdct_device_check_memory (staging->device, request->levels, error);
  levels->host = request->levels;
  levels->dma_direct = levels->host == NULL
      || bdct_host_memory_is_pinned (levels->host, size);
  if (!bdct_buffer_reserve (&levels->memory, size, !levels->dma_direct,
          staging->engine, error))
    return false;
  levels->device = (BdctLevel *) levels->memory.device;
  if (frame->plan.levels.in && !levels->dma_direct)
    memcpy (levels->memory.host.data, levels->host, size);
  return true;
}

/* Plan the launches of the picture. */
static bool
plan_launches (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctImage *image = frame->images.image;
  BdctCudaDevice *device = staging->device->kernels;
  BdctCudaJobs *jobs = &frame->jobs;
  BdctCudaWork work = jobs->work;

  bdct_cuda_work_set_accumulators (&work, frame->results.first);
  set_output (&work, layout, &image[BDCT_PLAN_RECONSTRUCTION]);
  set_records (&work, frame->plan.blocks.grid, frame->blocks.records);
  work.levels = frame->plan.bits && frame->blocks.records == NULL;
  jobs->n_launches = bdct_cuda_plan (device, &work, jobs->launch, error);
  return jobs->n_launches > 0;
}

/* Describe the planes that are transformed, without any output. */
static void
describe_work (const BdctCudaFrame * frame,
    const BdctLayout * layout, BdctCudaWork * work)
{
  const BdctImage *planes = &frame->images.image[BDCT_PLAN_PLANES];

  memset (work, 0, sizeof *work);
  work->n_planes = layout->n_planes;
  for (int p = 0; p < layout->n_planes; p++) {
    work->plane[p].layout = layout->plane[p];
    work->plane[p].last_column = (layout->rgb.n_planes > 0
        ? (int) planes->stride[p] : layout->plane[p].width) - 1;
    work->plane[p].src = bdct_image_samples (planes, layout, p, 0);
  }
}

static bool
plan_quantizers (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, BdctError * error)
{
  BdctCudaJobs *jobs = &frame->jobs;

  describe_work (frame, &staging->layout, &jobs->work);
  jobs->work.quantizers = jobs->quantizers;
  jobs->work.n_quantizers = frame->plan.blocks.by_map ? request->n_quantizers
      : 1;
  for (int n = 0; n < BDCT_TREE_SIZES && bdct_job_is_tree (jobs->quantizers);
      n++)
    jobs->sized[n] = jobs->work;
  if (frame->plan.blocks.by_map
      && !make_map (frame, staging, request, error))
    return false;
  jobs->n_launches = 0;
  return bdct_job_is_tree (jobs->quantizers) || frame->plan.levels.in
      || plan_launches (frame, staging, error);
}

static bool
place_results (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  BdctCudaResults *results = &frame->results;
  const size_t counts = bdct_cuda_frame_counts_size (frame, &staging->layout);

  return (counts == 0 || bdct_buffer_reserve (&results->counts, counts, true,
          staging->engine, error))
      && (results->stack_sse == NULL || bdct_buffer_reserve (&results->stack,
          staging->layout.stack * sizeof *results->stack_sse, true,
          staging->engine, error));
}

/* From one picture of a stack to the next, in memory on the device. */
static ptrdiff_t
find_pitch (const BdctLayout * layout, const BdctEndpoint * end,
    ptrdiff_t pitch)
{
  return bdct_stack_pitch (layout, &end->image, end->on_host ? 0 : pitch);
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

static void
describe_view (BdctCudaFrame * frame, const BdctLayout * layout,
    const BdctFrame * request)
{
  const BdctPlan *plan = &frame->plan;
  const BdctImage *image = frame->images.image;
  const BdctRenderPicture rec = {
    .job = frame->jobs.quantizers,
    .image = image[image[BDCT_PLAN_LEVELS].data[0] != NULL
        ? BDCT_PLAN_LEVELS : BDCT_PLAN_RECONSTRUCTION],
    .sizes = frame->blocks.sizes,
  };

  if (plan->view.drawn)
    bdct_render_init (&frame->shown.render, &plan->view.view, layout,
        &image[BDCT_PLAN_PLANES], &rec, &image[BDCT_PLAN_VIEW],
        frame->blocks.records, plan->blocks.by_map ? frame->blocks.map.device
        : NULL, NULL);
  if (layout->rgb.n_planes > 0)
    frame->shown.colour = (BdctCudaColour) {
      .layout = *layout,
      /* Without a source, bytes other than R, G and B are not changed. */
      .src = image[BDCT_PLAN_PLANES].data[0] != NULL
          ? frame->images.src[0].image : frame->images.dst.image,
      .dst = frame->images.dst.image,
      .planes = image[BDCT_PLAN_PLANES],
      .rec = image[BDCT_PLAN_RECONSTRUCTION],
      .shown = image[BDCT_PLAN_VIEW],
      .src_pitch = find_pitch (layout, &frame->images.src[0],
          request->src_pitch),
      .dst_pitch = find_pitch (layout, &frame->images.dst, request->dst_pitch),
      .accumulators = frame->results.first,
      .sums = frame->results.stack_sse == NULL ? NULL
          : (unsigned long long (*)[3]) frame->results.stack.device,
    };
}

static bool
uploads_levels (const BdctCudaFrame * frame)
{
  return frame->plan.levels.in && frame->levels.host != NULL;
}

static bool
upload (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const BdctCudaBlocks *blocks = &frame->blocks;
  const BdctCudaLevels *levels = &frame->levels;

  return (!frame->images.src[0].on_host
      || bdct_staging_upload (staging, &frame->images.src[0], error))
      && (blocks->map_size == 0 || check (cudaMemcpyAsync (blocks->map.device,
              blocks->map.host.data, blocks->map_size, cudaMemcpyHostToDevice,
              device->upload), "cudaMemcpyAsync", error))
      && (!blocks->sizes_given || check (cudaMemcpyAsync
              (blocks->sizes, blocks->size_memory.host.data,
                  frame->plan.blocks.n_sizes, cudaMemcpyHostToDevice,
                  device->upload), "cudaMemcpyAsync", error))
      && (!uploads_levels (frame) || check (cudaMemcpyAsync (levels->device,
              levels->dma_direct ? (void *) levels->host
              : levels->memory.host.data, frame->plan.levels.n
              * sizeof *levels->device, cudaMemcpyHostToDevice,
              device->upload), "cudaMemcpyAsync", error))
      && check (cudaEventRecord (frame->events.uploaded, device->upload),
      "cudaEventRecord", error)
      && check (cudaStreamWaitEvent (bdct_cuda_frame_is_rgb (frame)
          ? device->split : device->stream, frame->events.uploaded, 0),
      "cudaStreamWaitEvent", error);
}

/* Set where the source is: there already, if it is that of the frame before. */
static bool
place_source (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctFrame * request, const BdctCudaFrame * before, BdctError * error)
{
  BdctCudaImages *images = &frame->images;

  if (!request->same_source)
    return bdct_staging_place (staging, &images->src[0], &request->src,
        staging->device->upload, error);
  images->src[0].on_host = false;
  images->src[0].image = before->images.src[0].image;
  if (frame->plan.place[BDCT_PLAN_PLANES] == BDCT_PLACE_BEFORE) {
    images->image[BDCT_PLAN_PLANES] = before->images.image[BDCT_PLAN_PLANES];
    images->ring_index = before->images.ring_index;
  }
  return true;
}

bool
bdct_cuda_prepare_frame (BdctCudaFrame * frame, BdctStaging * staging,
    BdctCudaMemory * memory, const BdctFrame * request,
    const BdctCudaFrame * before, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const bool stack = bdct_layout_pictures (&staging->layout) > 1;
  BdctEndpoint *src = &frame->images.src[0];

  frame->results.stack_sse = stack ? request->stack_sse : NULL;
  frame->results.stack_bits = stack && request->bits ? request->stack_bits
      : NULL;
  frame->results.stack_map = request->stack_map;
  memcpy (frame->jobs.quantizers, request->quantizers,
      request->n_quantizers * sizeof frame->jobs.quantizers[0]);
  if (!check_pitch (&staging->layout, &request->src, request->src_pitch,
          error)
      || !check_pitch (&staging->layout, &request->dst, request->dst_pitch,
          error)
      || !place_source (frame, staging, request, before, error)
      || !bdct_staging_place (staging, &frame->images.dst, &request->dst,
          device->stream, error)
      || !bdct_cuda_frame_place_images (frame, staging, &src->image, error)
      || !place_blocks (frame, staging, request, error)
      || !place_levels (frame, staging, request, error)
      || !place_results (frame, staging, error)
      || !plan_quantizers (frame, staging, request, error)
      || !bdct_cuda_frame_describe_metrics (frame, staging, memory, error))
    return false;
  describe_view (frame, &staging->layout, request);
  frame->events.wait = src->on_host || uploads_levels (frame)
      || bdct_cuda_frame_downloads (frame)
      ? BDCT_WAIT_SLEEPING : BDCT_WAIT_SPINNING;
  if ((!src->on_host && !uploads_levels (frame)
          && !frame->blocks.sizes_given && frame->blocks.map_size == 0)
      || upload (frame, staging, error))
    return true;
  /* After this the caller may free the image: nothing may use it any longer. */
  bdct_device_synchronize (device);
  return false;
}
