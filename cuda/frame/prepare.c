/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prepare.h"

#include <stdlib.h>
#include <string.h>
#include "cuda/stage/frame-metrics.h"
#include "cuda/stage/rd.h"
#include "view.h"

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
min (int a, int b)
{
  return a < b ? a : b;
}

static int
cells_across (const BdctPlaneLayout * plane)
{
  return (plane->width * plane->interleave - 1) / BDCT_CUDA_MAP_TILE_SAMPLES +
      1;
}

static int
cells_down (const BdctPlaneLayout * plane)
{
  return (plane->height - 1) / BDCT_CUDA_MAP_TILE_ROWS + 1;
}

/* What the cell (x, y) holds, by the quantizers of the blocks in it. */
static uint8_t
find_cell (const BdctPlaneLayout * plane, const BdctJob * job,
    const BdctBlockGrid * grid, const uint8_t * quantizers, int x, int y)
{
  const BdctComponentJob *c = &job->component[plane->component[0]];
  const int width = (BDCT_CUDA_MAP_TILE_SAMPLES / plane->interleave)
      >> c->log2_width;
  const int height = BDCT_CUDA_MAP_TILE_ROWS >> c->log2_height;
  int set = -1;

  if (width == 0 || height == 0)
    return BDCT_CUDA_MIXED;
  for (int i = 0; i < plane->interleave; i++) {
    const BdctBlockGrid *g = &grid[plane->component[i]];
    const int n = min (width, g->columns - x * width);

    for (int v = y * height; v < min ((y + 1) * height, g->rows); v++) {
      const uint8_t *row = quantizers + g->first + (size_t) v * g->columns
          + x * width;
      uint8_t differ = 0;

      if (set < 0)
        set = row[0];
      for (int u = 0; u < n; u++)
        differ |= row[u] ^ set;
      if (differ)
        return BDCT_CUDA_MIXED;
    }
  }
  return set;
}

/* A map of a frame's blocks for larger ones: each takes the set of the block in
 * its corner. */
static void
fill_sets (uint8_t * to, const BdctBlockGrid * to_grid, const BdctJob * to_job,
    const uint8_t * from, const BdctBlockGrid * grid, const BdctJob * job)
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
count_cells (const BdctLayout * layout)
{
  size_t n = 0;

  for (int p = 0; p < layout->n_planes; p++)
    n += (size_t) cells_across (&layout->plane[p])
        * cells_down (&layout->plane[p]);
  return n;
}

/* Write the map of a job's blocks, and behind it that of its cells, at a place
 * in the slot's. Returns how large they are. */
static size_t
write_map (BdctSlot * slot, const BdctLayout * layout, const BdctFrame * frame,
    const BdctBlockGrid * frame_grid, const BdctJob * job, size_t at,
    BdctCudaWork * work)
{
  uint8_t *map = slot->map.host.data + at;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t n = bdct_blocks_init (grid, layout, job);

  fill_sets (map, grid, job, frame->quantizer_map, frame_grid,
      slot->quantizers);
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++)
      work->plane[p].quantizer_map[i] = slot->map.device + at
          + grid[plane->component[i]].first;
    work->plane[p].quantizer_of_tile = slot->map.device + at + n;
    for (int y = 0; y < cells_down (plane); y++)
      for (int x = 0; x < cells_across (plane); x++) {
        const uint8_t cell = find_cell (plane, job, grid, map, x, y);

        map[n++] = cell;
        work->mixed = work->mixed || cell == BDCT_CUDA_MIXED;
      }
  }
  return n;
}

/* Put a map where it can be uploaded; of a tree one for the blocks of each
 * size, the smallest ones' first. */
static bool
make_map (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    const BdctBlockGrid * grid, BdctCudaWork * work, size_t * size,
    BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctJobTree *tree = &slot->quantizers->tree;
  const bool is_tree = bdct_job_is_tree (slot->quantizers);
  const int n_maps = is_tree ? tree->max_log2 - tree->min_log2 + 1 : 1;
  size_t at = 0;

  *size = n_maps * (frame->n_blocks + count_cells (layout));
  if (!bdct_buffer_reserve (&slot->map, *size, true, staging->engine, error))
    return false;
  if (!is_tree) {
    write_map (slot, layout, frame, grid, slot->quantizers, 0, work);
    return true;
  }
  for (int n = tree->min_log2; n <= tree->max_log2; n++) {
    BdctJob job;

    bdct_job_of_size (&job, slot->quantizers, n);
    at += write_map (slot, layout, frame, grid, &job, at,
        &slot->rd.sized[n - 2]);
  }
  *size = at;
  return true;
}

/* The blocks' records, where they are asked for or coloured. */
static BdctBlockRecord *
place_records (BdctSlot * slot, BdctStaging * staging, BdctError * error)
{
  const size_t size = slot->n_blocks * sizeof (BdctBlockRecord);

  slot->dma_direct = slot->blocks != NULL
      && bdct_host_memory_is_pinned (slot->blocks, size);
  return bdct_buffer_reserve (&slot->records, size, slot->blocks != NULL
      && !slot->dma_direct, staging->engine, error)
      ? (BdctBlockRecord *) slot->records.device : NULL;
}

/* The passes of the quantizers, `work`, and of their levels. */
static bool
plan_passes (BdctSlot * slot, const BdctStaging * staging,
    const BdctImage * levels, BdctCudaWork * work, BdctError * error)
{
  BdctCudaDevice *device = staging->device->kernels;
  int n;

  slot->n_passes = bdct_cuda_plan (device, work, slot->pass, error);
  if (slot->n_passes == 0 || levels->data[0] == NULL)
    return slot->n_passes > 0;
  work->output = BDCT_CUDA_LEVELS;
  set_output (work, &staging->layout, levels);
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].blocks[0] = work->plane[p].blocks[1] = NULL;
  n = bdct_cuda_plan (device, work, slot->pass + slot->n_passes, error);
  slot->n_passes += n;
  return n > 0;
}

/* What is done for the quantizers: their passes, and the view. */
static bool
plan_sets (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctCudaAccumulator * cells, size_t * map_size, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const bool is_rd = bdct_job_is_rd (slot->quantizers);
  const bool by_map = frame->quantizer_map != NULL && frame->n_quantizers > 1;
  BdctBlockRecord *records = NULL;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctCudaWork work;
  BdctSlotView view;
  bool colours;

  if (!bdct_slot_view_place (slot, staging, frame, &view, error))
    return false;
  colours = bdct_view_is_of_blocks (view.view);
  bdct_slot_describe_planes (slot, layout, &work);
  work.quantizers = slot->quantizers;
  work.n_quantizers = by_map ? frame->n_quantizers : 1;
  for (int n = 0; n < BDCT_TREE_SIZES && bdct_job_is_tree (slot->quantizers);
      n++)
    slot->rd.sized[n] = work;
  if (by_map || slot->blocks != NULL || colours)
    slot->n_blocks = bdct_blocks_init (grid, layout, slot->quantizers);
  if (by_map && !make_map (slot, staging, frame, grid, &work, map_size, error))
    return false;
  if (frame->rate || is_rd)
    slot->work = work;
  bdct_slot_set_cells (&work, cells);
  slot->colour.cells = cells;
  set_output (&work, layout, &view.rec);
  if (slot->blocks != NULL || colours) {
    records = place_records (slot, staging, error);
    if (records == NULL)
      return false;
    set_records (&work, grid, records);
  }
  slot->n_passes = 0;
  if (is_rd) {
    slot->rd.levels = view.levels;
    slot->rd.records = records;
    slot->rd.cells = cells;
  } else if (!plan_passes (slot, staging, &view.levels, &work, error)) {
    return false;
  }
  bdct_slot_view_describe (slot, layout, &view, records,
      by_map ? slot->map.device : NULL);
  return true;
}

static bool
plan_others (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctError * error)
{
  BdctCudaWork work;

  slot->n_trials = frame->n_trials;
  if (slot->n_trials == 0)
    return true;
  if (slot->max_trials < slot->n_trials) {
    free (slot->trials);
    slot->trials = malloc (slot->n_trials * sizeof *slot->trials);
    slot->max_trials = slot->trials != NULL ? slot->n_trials : 0;
    if (slot->trials == NULL)
      return bdct_error (error, "out of memory");
  }
  if (!bdct_buffer_reserve (&slot->cells,
          slot->n_trials * BDCT_ACCUMULATORS_SIZE, true, staging->engine,
          error))
    return false;
  for (int i = 0; i < slot->n_trials; i++) {
    BdctTrial *other = &slot->trials[i];

    other->job = frame->trials[i];
    if (bdct_job_is_rd (&other->job))
      continue;
    bdct_slot_describe_other (slot, &staging->layout, i, &work);
    if (bdct_cuda_plan (staging->device->kernels, &work, &other->pass,
            error) == 0)
      return false;
  }
  return true;
}

static bool
upload (BdctSlot * slot, BdctStaging * staging, size_t map_size,
    BdctError * error)
{
  const BdctDevice *device = staging->device;

  return (!slot->src.on_host
      || bdct_staging_upload (staging, &slot->src, error))
      && (map_size == 0 || check (cudaMemcpyAsync (slot->map.device,
              slot->map.host.data, map_size, cudaMemcpyHostToDevice,
              device->upload), "cudaMemcpyAsync", error))
      && check (cudaEventRecord (slot->uploaded, device->upload),
      "cudaEventRecord", error)
      && check (cudaStreamWaitEvent (bdct_slot_splits (slot) ? device->split
          : device->stream, slot->uploaded, 0), "cudaStreamWaitEvent", error);
}

bool
bdct_slot_prepare (BdctSlot * slot, BdctStaging * staging,
    const BdctFrame * frame, BdctCudaAccumulator * cells, BdctError * error)
{
  const BdctDevice *device = staging->device;
  size_t map_size = 0;

  slot->given.n = 0;
  memcpy (slot->quantizers, frame->quantizers,
      frame->n_quantizers * sizeof slot->quantizers[0]);
  slot->blocks = frame->blocks;
  slot->asked_sizes = bdct_job_is_tree (slot->quantizers) ? frame->sizes : NULL;
  slot->rate = frame->rate;
  slot->trial_files = frame->trial_files;
  slot->keeps = (frame->metrics | frame->trial_metrics)
      >> BDCT_METRIC_XPSNR & 1;
  slot->number = frame->number;
  if (!bdct_staging_place (staging, &slot->src, &frame->src, device->upload,
          error)
      || !bdct_staging_place (staging, &slot->dst, &frame->dst,
          device->stream, error)
      || !plan_sets (slot, staging, frame, cells, &map_size, error)
      || !plan_others (slot, staging, frame, error)
      || !bdct_compare_describe (slot, staging, frame, error)
      || (slot->rate && !bdct_buffer_reserve (&slot->counts,
              (1 + slot->n_trials) * sizeof (BdctRateCounts), true,
              staging->engine, error)))
    return false;
  slot->wait = slot->src.on_host || bdct_slot_downloads (slot)
      ? BDCT_WAIT_SLEEPING : BDCT_WAIT_SPINNING;
  if ((!slot->src.on_host && map_size == 0)
      || upload (slot, staging, map_size, error))
    return true;
  /* The caller may free the image now: nothing may go on using it. */
  bdct_device_synchronize (device);
  return false;
}
