/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "slot.h"

#include <stdlib.h>
#include <string.h>
#include "apart.h"
#include "compare.h"

#define check bdct_cuda_check

static bool
create_event (cudaEvent_t * event, unsigned flags, BdctError * error)
{
  return check (cudaEventCreateWithFlags (event, cudaEventDisableTiming
          | flags), "cudaEventCreateWithFlags", error);
}

bool
bdct_slot_init (BdctSlot * slot, BdctError * error)
{
  /* Frames in host memory take long enough to sleep meanwhile. */
  return create_event (&slot->uploaded, 0, error)
      && create_event (&slot->computed, 0, error)
      && create_event (&slot->done[BDCT_WAIT_SPINNING], 0, error)
      && create_event (&slot->done[BDCT_WAIT_SLEEPING], cudaEventBlockingSync,
          error);
}

static void
free_event (cudaEvent_t event)
{
  if (event != NULL && cudaEventDestroy (event) != cudaSuccess)
    (void) cudaGetLastError ();
}

void
bdct_slot_clear (BdctSlot * slot, bool in_context)
{
  if (in_context) {
    free_event (slot->uploaded);
    free_event (slot->computed);
    for (int i = 0; i < BDCT_N_WAITS; i++)
      free_event (slot->done[i]);
  }
  bdct_buffer_free (&slot->src.buffer, in_context);
  bdct_buffer_free (&slot->dst.buffer, in_context);
  bdct_buffer_free (&slot->scratch, in_context);
  bdct_buffer_free (&slot->base, in_context);
  bdct_buffer_free (&slot->base_b, in_context);
  bdct_buffer_free (&slot->compared, in_context);
  bdct_buffer_free (&slot->b, in_context);
  bdct_buffer_free (&slot->map, in_context);
  bdct_buffer_free (&slot->records, in_context);
  bdct_buffer_free (&slot->metric_map, in_context);
  bdct_buffer_free (&slot->sizes, in_context);
  bdct_buffer_free (&slot->b_sizes, in_context);
  bdct_buffer_free (&slot->cells, in_context);
  bdct_buffer_free (&slot->counts, in_context);
  bdct_frame_metrics_clear (&slot->metrics, in_context);
  free (slot->others);
}

/* The image's planes with nothing asked of them. */
static void
describe (BdctCudaWork * work, const BdctLayout * layout,
    const BdctImage * src)
{
  memset (work, 0, sizeof *work);
  work->n_planes = layout->n_planes;
  for (int p = 0; p < layout->n_planes; p++) {
    work->plane[p].layout = layout->plane[p];
    work->plane[p].last_column = (layout->rgb.n_planes > 0
        ? (int) src->stride[p] : layout->plane[p].width) - 1;
    work->plane[p].src = bdct_image_samples (src, layout, p, 0);
  }
}

static void
set_output (BdctCudaWork * work, const BdctLayout * layout,
    const BdctImage * dst)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].dst = bdct_image_samples (dst, layout, p, 0);
}

static void
set_cells (BdctCudaWork * work, BdctCudaCell * cells)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].cells = cells;
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
  return (plane->width * plane->interleave - 1) / BDCT_CUDA_CELL_SAMPLES + 1;
}

static int
cells_down (const BdctPlaneLayout * plane)
{
  return (plane->height - 1) / BDCT_CUDA_CELL_ROWS + 1;
}

/* What the cell (x, y) holds, by the sets of the blocks in it. */
static uint8_t
find_cell (const BdctPlaneLayout * plane, const BdctJob * job,
    const BdctBlockGrid * grid, const uint8_t * sets, int x, int y)
{
  const BdctComponentJob *c = &job->component[plane->component[0]];
  const int width = (BDCT_CUDA_CELL_SAMPLES / plane->interleave)
      >> c->log2_width;
  const int height = BDCT_CUDA_CELL_ROWS >> c->log2_height;
  int set = -1;

  if (width == 0 || height == 0)
    return BDCT_CUDA_MIXED;
  for (int i = 0; i < plane->interleave; i++) {
    const BdctBlockGrid *g = &grid[plane->component[i]];
    const int n = min (width, g->columns - x * width);

    for (int v = y * height; v < min ((y + 1) * height, g->rows); v++) {
      const uint8_t *row = sets + g->first + (size_t) v * g->columns
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

  fill_sets (map, grid, job, frame->set_of_block, frame_grid, slot->sets);
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++)
      work->plane[p].set_of_block[i] = slot->map.device + at
          + grid[plane->component[i]].first;
    work->plane[p].set_of_cell = slot->map.device + at + n;
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
  const BdctJobTree *tree = &slot->sets->tree;
  const bool is_tree = bdct_job_is_tree (slot->sets);
  const int n_maps = is_tree ? tree->max_log2 - tree->min_log2 + 1 : 1;
  size_t at = 0;

  *size = n_maps * (frame->n_blocks + count_cells (layout));
  if (!bdct_buffer_reserve (&slot->map, *size, true, staging->engine, error))
    return false;
  if (!is_tree) {
    write_map (slot, layout, frame, grid, slot->sets, 0, work);
    return true;
  }
  for (int n = tree->min_log2; n <= tree->max_log2; n++) {
    BdctJob job;

    bdct_job_of_size (&job, slot->sets, n);
    at += write_map (slot, layout, frame, grid, &job, at,
        &slot->apart.sized[n - 2]);
  }
  *size = at;
  return true;
}

/* Whether a view is made of samples of the reconstruction. */
static bool
takes_samples (BdctViewMode mode)
{
  return mode <= BDCT_VIEW_DIFFERENCE || bdct_view_metric (mode) >= 0;
}

/* What the passes make, and what a view is drawn on; what is not needed has no
 * data. */
typedef struct {
  BdctImage rec, levels, view;
} Images;

static bool
place (BdctSlot * slot, BdctStaging * staging, BdctStagedPlanes which,
    BdctImage * image, BdctError * error)
{
  return bdct_staging_planes (staging, slot->turn, which, image, error);
}

/* A frame of R, G and B: its planes. They are made again whatever is shown, for
 * the errors of R, G and B; and in their own place, unless they are `read` once
 * more, so that half as much is to stay in the GPU's cache: a pass has read all
 * of a block, which nothing else reads, before it writes. */
static bool
place_planes (BdctSlot * slot, BdctStaging * staging, bool levels,
    bool compared, bool read, Images * images, BdctError * error)
{
  BdctCudaColour *colour = &slot->colour;

  if (!place (slot, staging, BDCT_PLANES_SRC, &slot->planes, error)
      || ((compared || bdct_slot_joins (slot)) && !place (slot, staging,
              read ? BDCT_PLANES_REC : BDCT_PLANES_SRC, &images->rec, error))
      || (slot->viewed
          && !place (slot, staging, BDCT_PLANES_SHOWN, &images->view, error))
      || (levels && !place (slot, staging, BDCT_PLANES_LEVELS,
              &images->levels, error)))
    return false;
  colour->planes = slot->planes;
  colour->rec = images->rec;
  colour->shown = slot->viewed ? images->view : images->rec;
  return true;
}

/* Have the images that a frame goes through; `shown` is what becomes of it. */
static bool
place_images (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctViewMode mode, const BdctImage * shown, Images * images,
    BdctError * error)
{
  const bool compared = frame->metrics != 0;    /* with a reconstruction */
  const bool levels = mode == BDCT_VIEW_COEFFICIENTS;

  *images = (Images) {.view = *shown };
  slot->planes = slot->src.image;
  slot->colour = (BdctCudaColour) {.layout = staging->layout,
    .src = slot->src.image,.dst = *shown
  };
  if (bdct_slot_splits (slot))
    return place_planes (slot, staging, levels, compared, compared
        || slot->viewed || frame->rate || frame->n_others > 0
        || frame->second != NULL || slot->keeps, images, error);
  if (!slot->viewed)
    images->rec = *shown;
  else if ((levels || takes_samples (mode))
      && !bdct_staging_scratch (staging, &slot->scratch,
          levels ? &images->levels : &images->rec, error))
    return false;
  return !compared || images->rec.data[0] != NULL
      || bdct_staging_scratch (staging, &slot->compared, &images->rec, error);
}

/* The second job's picture, where it is looked at. */
static bool
place_second (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctError * error)
{
  slot->b_rec = (BdctImage) { 0 };
  if (frame->second == NULL && slot->b.device != NULL)
    bdct_buffer_free (&slot->b, true);
  if (frame->second == NULL)
    return true;
  if (frame->metrics == 0 && (frame->view == NULL
          || !bdct_view_shows (frame->view, BDCT_SIDE_B)))
    return true;
  return bdct_staging_reserve_picture (staging, &slot->b,
      staging->device->stream, &slot->b_rec, error);
}

/* The blocks' records, where they are asked for or coloured. */
static BdctBlockRecord *
place_records (BdctSlot * slot, BdctStaging * staging, BdctError * error)
{
  const size_t size = slot->n_blocks * sizeof (BdctBlockRecord);

  slot->reached = slot->blocks != NULL
      && bdct_host_memory_is_pinned (slot->blocks, size);
  return bdct_buffer_reserve (&slot->records, size, slot->blocks != NULL
      && !slot->reached, staging->engine, error)
      ? (BdctBlockRecord *) slot->records.device : NULL;
}

/* Where a view is a metric's map, have that, to be made of a reconstruction. */
static bool
place_metric_map (BdctSlot * slot, BdctStaging * staging, BdctViewMode mode,
    const BdctImage * rec, BdctError * error)
{
  const BdctMetricsTask task = {.layout = &staging->layout,
    .job = slot->sets,.src = slot->planes,.rec = *rec
  };
  const BdctPlaneLayout *luma = &staging->layout.plane[0];
  BdctMetricMap map;

  if (bdct_view_metric (mode) < 0)
    return true;
  map = bdct_metric_map (bdct_view_metric (mode), luma->width, luma->height);
  if (!bdct_buffer_reserve (&slot->metric_map, sizeof (uint32_t)
          * map.columns * map.rows, false, staging->engine, error))
    return false;
  bdct_metrics_describe (&slot->mapped, &task, 0, 0);
  slot->mapped.memory = slot->metric_map.device;
  return true;
}

/* What a tree's blocks are as large as: how many places there are, and memory
 * for them. */
static bool
reserve_sizes (BdctBuffer * buffer, uint8_t ** sizes, size_t * n,
    const BdctJob * job, bool on_host, const BdctStaging * staging,
    BdctError * error)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, &staging->layout, job);
  *n = (size_t) grid[BDCT_Y].columns * grid[BDCT_Y].rows;
  if (!bdct_buffer_reserve (buffer, *n, on_host, staging->engine, error))
    return false;
  *sizes = buffer->device;
  return true;
}

/* ... where it is asked for or looked at. */
static bool
place_sizes (BdctSlot * slot, const BdctStaging * staging,
    const BdctFrame * frame, BdctError * error)
{
  const bool looks = (slot->viewed || slot->zoomed) && (frame->view->grid
      || frame->view->mode == BDCT_VIEW_SIZE_MAP);
  size_t n;

  slot->apart.sizes = slot->apart.b_sizes = NULL;
  return (!bdct_job_is_tree (slot->sets)
      || (slot->asked_sizes == NULL && !looks)
      || reserve_sizes (&slot->sizes, &slot->apart.sizes, &slot->n_sizes,
          slot->sets, slot->asked_sizes != NULL, staging, error))
      && (frame->second == NULL || !bdct_job_is_tree (frame->second) || !looks
      || reserve_sizes (&slot->b_sizes, &slot->apart.b_sizes, &n,
          frame->second, false, staging, error));
}

/* The passes of the sets, `work`, and of their levels. */
static bool
plan_passes (BdctSlot * slot, const BdctStaging * staging,
    const Images * images, BdctCudaWork * work, BdctError * error)
{
  BdctCudaDevice *device = staging->device->kernels;
  int n;

  slot->n_passes = bdct_cuda_plan (device, work, slot->pass, error);
  if (slot->n_passes == 0 || images->levels.data[0] == NULL)
    return slot->n_passes > 0;
  work->ask = BDCT_CUDA_LEVELS;
  set_output (work, &staging->layout, &images->levels);
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].blocks[0] = work->plane[p].blocks[1] = NULL;
  n = bdct_cuda_plan (device, work, slot->pass + slot->n_passes, error);
  slot->n_passes += n;
  return n > 0;
}

/* The last step to a zoomed view, from its base. Of R, G and B, B too has
 * to become pixels; its errors in these are nobody's. */
static bool
plan_zoom (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    const BdctImage * base, BdctError * error)
{
  BdctRenderPicture a = {.job = slot->sets,.image = *base,
    .sizes = slot->apart.sizes };
  BdctRenderPicture b = {.job = frame->second,.image = slot->b_rec,
    .sizes = slot->apart.b_sizes };

  slot->joins_b = bdct_slot_splits (slot)
      && bdct_view_shows (frame->view, BDCT_SIDE_B);
  if (slot->joins_b) {
    if (!bdct_staging_scratch (staging, &slot->base_b, &b.image, error))
      return false;
    slot->colour_b = slot->colour;
    slot->colour_b.rec = slot->colour_b.shown = slot->b_rec;
    slot->colour_b.dst = b.image;
    slot->colour_b.cells = NULL;
  }
  bdct_zoom_init (&slot->zoom, frame->view, &staging->layout, &slot->src.image,
      &a, &b, &slot->dst.image);
  return true;
}

/* What is done for the sets: their passes, and the view. */
static bool
plan_sets (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctCudaCell * cells, size_t * map_size, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const bool is_apart = bdct_job_is_apart (slot->sets);
  static const BdctView default_view = BDCT_VIEW_DEFAULT;
  BdctView view = frame->view != NULL ? *frame->view : default_view;
  const bool by_map = frame->set_of_block != NULL && frame->n_sets > 1;
  const bool colours = bdct_view_is_of_blocks (&view);
  BdctImage shown = slot->dst.image;
  BdctBlockRecord *records = NULL;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctRenderPicture a, b;
  BdctCudaWork work;
  Images images;

  slot->zoomed = bdct_view_is_zoomed (&view);
  if (slot->zoomed) {
    if (!bdct_staging_scratch (staging, &slot->base, &shown, error))
      return false;
    view = bdct_zoom_base (&view);
  }
  slot->viewed = !bdct_view_is_plain (&view);
  if (!place_images (slot, staging, frame, view.mode, &shown, &images, error)
      || !place_second (slot, staging, frame, error)
      || !place_metric_map (slot, staging, view.mode, &images.rec, error)
      || !place_sizes (slot, staging, frame, error)
      || (slot->zoomed && !plan_zoom (slot, staging, frame, &shown, error)))
    return false;
  slot->rec = images.rec;
  describe (&work, layout, &slot->planes);
  work.sets = slot->sets;
  work.n_sets = by_map ? frame->n_sets : 1;
  for (int n = 0; n < BDCT_TREE_SIZES && bdct_job_is_tree (slot->sets); n++)
    slot->apart.sized[n] = work;
  if (by_map || slot->blocks != NULL || colours)
    slot->n_blocks = bdct_blocks_init (grid, layout, slot->sets);
  if (by_map && !make_map (slot, staging, frame, grid, &work, map_size, error))
    return false;
  if (frame->rate || is_apart)
    slot->work = work;
  set_cells (&work, cells);
  slot->colour.cells = cells;
  set_output (&work, layout, &images.rec);
  if (slot->blocks != NULL || colours) {
    records = place_records (slot, staging, error);
    if (records == NULL)
      return false;
    set_records (&work, grid, records);
  }
  slot->n_passes = 0;
  if (is_apart) {
    slot->apart.levels = images.levels;
    slot->apart.records = records;
    slot->apart.cells = cells;
  } else if (!plan_passes (slot, staging, &images, &work, error)) {
    return false;
  }
  a = (BdctRenderPicture) {.job = slot->sets,.image = images.levels.data[0]
        != NULL ? images.levels : images.rec,.sizes = slot->apart.sizes };
  b = (BdctRenderPicture) {.job = frame->second,.image = slot->b_rec,
    .sizes = slot->apart.b_sizes };
  if (slot->viewed)
    bdct_render_init (&slot->render, &view, layout, &slot->planes, &a, &b,
        &images.view, records, by_map ? slot->map.device : NULL,
        (const uint32_t *) slot->metric_map.device);
  return true;
}

static bool
plan_others (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctError * error)
{
  BdctCudaWork work;

  slot->n_others = frame->n_others + (frame->second != NULL);
  slot->second = frame->second != NULL ? slot->n_others : 0;
  if (slot->n_others == 0)
    return true;
  if (slot->max_others < slot->n_others) {
    free (slot->others);
    slot->others = malloc (slot->n_others * sizeof *slot->others);
    slot->max_others = slot->others != NULL ? slot->n_others : 0;
    if (slot->others == NULL)
      return bdct_error (error, "out of memory");
  }
  if (!bdct_buffer_reserve (&slot->cells, slot->n_others * BDCT_CELLS_SIZE,
          true, staging->engine, error))
    return false;
  for (int i = 0; i < slot->n_others; i++) {
    BdctOther *other = &slot->others[i];

    other->job = i < frame->n_others ? frame->others[i] : *frame->second;
    if (bdct_job_is_apart (&other->job))
      continue;
    bdct_slot_describe_other (slot, &staging->layout, i, &work);
    if (1 + i == slot->second)
      set_output (&work, &staging->layout, &slot->b_rec);
    if (bdct_cuda_plan (staging->device->kernels, &work, &other->pass,
            error) == 0)
      return false;
  }
  return true;
}

const BdctJob *
bdct_slot_job (const BdctSlot * slot, int i)
{
  return i == 0 ? slot->sets : &slot->others[i - 1].job;
}

BdctCudaCell *
bdct_slot_cells (const BdctSlot * slot, int i)
{
  return i == 0 ? slot->apart.cells
      : (BdctCudaCell *) slot->cells.device + (i - 1) * BDCT_CUDA_CELLS;
}

void
bdct_slot_describe (const BdctSlot * slot, const BdctLayout * layout, int i,
    BdctCudaWork * work)
{
  if (i == 0) {
    *work = slot->work;
    return;
  }
  describe (work, layout, &slot->planes);
  work->sets = bdct_slot_job (slot, i);
  work->n_sets = 1;
}

void
bdct_slot_describe_other (const BdctSlot * slot, const BdctLayout * layout,
    int i, BdctCudaWork * work)
{
  bdct_slot_describe (slot, layout, 1 + i, work);
  set_cells (work, bdct_slot_cells (slot, 1 + i));
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
    const BdctFrame * frame, BdctCudaCell * cells, BdctError * error)
{
  const BdctDevice *device = staging->device;
  size_t map_size = 0;

  memcpy (slot->sets, frame->sets, frame->n_sets * sizeof slot->sets[0]);
  slot->blocks = frame->blocks;
  slot->asked_sizes = bdct_job_is_tree (slot->sets) ? frame->sizes : NULL;
  slot->rate = frame->rate;
  slot->other_files = frame->other_files;
  slot->keeps = (frame->metrics | frame->other_metrics)
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
              (1 + slot->n_others) * sizeof (BdctRateCounts), true,
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

bool
bdct_slot_splits (const BdctSlot * slot)
{
  return slot->colour.layout.rgb.n_planes > 0;
}

bool
bdct_slot_joins (const BdctSlot * slot)
{
  return bdct_slot_splits (slot) && slot->colour.dst.data[0] != NULL;
}

bool
bdct_slot_downloads (const BdctSlot * slot)
{
  return slot->dst.on_host || slot->blocks != NULL
      || slot->asked_sizes != NULL;
}

bool
bdct_slot_download (BdctSlot * slot, BdctStaging * staging, BdctError * error)
{
  return (!slot->dst.on_host
      || bdct_staging_download (staging, &slot->dst, error))
      && (slot->blocks == NULL || check (cudaMemcpyAsync (slot->reached
              ? (void *) slot->blocks : slot->records.host.data,
              slot->records.device, slot->n_blocks * sizeof *slot->blocks,
              cudaMemcpyDeviceToHost, staging->device->download),
          "cudaMemcpyAsync", error))
      && (slot->asked_sizes == NULL
      || check (cudaMemcpyAsync (slot->sizes.host.data, slot->sizes.device,
              slot->n_sizes, cudaMemcpyDeviceToHost,
              staging->device->download), "cudaMemcpyAsync", error));
}

void
bdct_slot_finish (BdctSlot * slot, BdctStaging * staging)
{
  bdct_staging_finish (staging, &slot->dst);
  if (slot->blocks != NULL && !slot->reached)
    memcpy (slot->blocks, slot->records.host.data,
        slot->n_blocks * sizeof *slot->blocks);
  if (slot->asked_sizes != NULL)
    memcpy (slot->asked_sizes, slot->sizes.host.data, slot->n_sizes);
}

static void
count (const BdctLayout * layout, const BdctJob * job,
    const BdctCudaCell * cells, BdctStats * stats)
{
  memset (stats, 0, sizeof *stats);
  bdct_engine_count (layout, job, stats);
  for (int i = 0; i < BDCT_CUDA_CELLS; i++) {
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += cells[i].sse[c];
      stats->component[c].nonzero += cells[i].nonzero[c];
      stats->component[c].levels += cells[i].levels[c];
    }
    for (int n = 0; n < BDCT_TREE_SIZES; n++)
      stats->area[n] += cells[i].area[n];
  }
}

void
bdct_slot_count (BdctSlot * slot, const BdctLayout * layout,
    const BdctCudaCell * cells, BdctStats * stats)
{
  const BdctCudaCell *others = (BdctCudaCell *) slot->cells.host.data;

  count (layout, slot->sets, cells, stats);
  for (int k = 0; bdct_slot_joins (slot) && k < 3; k++) {
    stats->rgb[k].samples = stats->component[BDCT_Y].samples;
    for (int i = 0; i < BDCT_CUDA_CELLS; i++)
      stats->rgb[k].sse += cells[i].rgb_sse[k];
  }
  for (int i = 0; i < slot->n_others; i++)
    count (layout, &slot->others[i].job, others + i * BDCT_CUDA_CELLS,
        stats + 1 + i);
  for (int i = 0; slot->rate && i <= slot->n_others; i++)
    bdct_rate_price ((BdctRateCounts *) slot->counts.host.data + i, layout,
        bdct_slot_job (slot, i), i == 0 || i == slot->second
        || slot->other_files, stats + i);
  bdct_frame_metrics_finish (&slot->metrics, stats);
}
