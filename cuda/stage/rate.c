/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rate.h"

#include "dct/entropy/cabac-price.h"
#include "dct/entropy/huffman-symbols.h"
#include "levels.h"

static bool
is_cabac (const BdctJob * job)
{
  return bdct_job_coder (job) == BDCT_CODER_CABAC;
}

static size_t
count_levels (const BdctJob * job, const BdctBlockGrid * grid, int component)
{
  return (size_t) grid[component].columns * grid[component].rows
      * bdct_rate_block_levels (&job->component[component]);
}

/* The slots of the records of each component of a plane. */
static size_t
count_slots (const BdctJob * job, const BdctPlaneLayout * layout)
{
  const BdctComponentJob *own = &job->component[layout->component[0]];
  const size_t columns = (size_t) ((layout->width - 1) >> own->log2_width) + 1;
  const int log2_size = bdct_cabac_log2_size (own);

  return bdct_cabac_runs (columns << bdct_job_log2_parts (own),
      ((layout->height - 1) >> own->log2_height) + 1, log2_size)
      * bdct_cabac_slots (log2_size, layout->component[0] != BDCT_Y);
}

/* The bytes of all components' records. */
static size_t
count_bins (const BdctJob * job, const BdctLayout * layout)
{
  size_t n = 0;

  for (int p = 0; p < layout->n_planes; p++)
    n += count_slots (job, &layout->plane[p]) * layout->plane[p].interleave;
  return n * sizeof (uint16_t);
}

static void
set_bins (BdctCudaWork * work, uint16_t * bins)
{
  for (int p = 0; p < work->n_planes; p++) {
    BdctCudaPlane *plane = &work->plane[p];

    plane->bins = bins;
    bins += count_slots (work->quantizers, &plane->layout)
        * plane->layout.interleave;
  }
}

/* Get room for a frame's levels, unless they are given, and for the counts of
 * their bins. */
static bool
reserve (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctBuffer * levels, BdctError * error)
{
  const BdctJob *job = frame->jobs.quantizers;
  size_t size = is_cabac (job) ? count_bins (job, &staging->layout) : 0;

  if (!frame->plan.levels.in)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      size += count_levels (job, frame->plan.blocks.grid, c)
          * sizeof (BdctLevel);
  return bdct_buffer_grow (levels, size, staging->device, staging->engine,
      error);
}

/* The first level of each component, from `levels` on. Returns the end. */
static BdctLevel *
place (const BdctJob * job, const BdctBlockGrid * grid, BdctLevel * levels,
    BdctLevel * first[BDCT_MAX_COMPONENTS])
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    first[c] = levels;
    levels += count_levels (job, grid, c);
  }
  return levels;
}

bool
bdct_rate_place_levels (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctBuffer * levels, BdctError * error)
{
  BdctCudaLaunch *launch = &frame->jobs.launch[0];
  BdctLevel *first[BDCT_MAX_COMPONENTS];

  if (!reserve (frame, staging, levels, error))
    return false;
  place (frame->jobs.quantizers, frame->plan.blocks.grid,
      (BdctLevel *) levels->device, first);
  for (int p = 0; p < launch->n_planes; p++) {
    BdctCudaPlane *plane = &launch->plane[p];

    for (int k = 0; k < plane->layout.interleave; k++)
      plane->levels[k] = first[plane->layout.component[k]];
  }
  return true;
}

bool
bdct_rate_enqueue (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctBuffer * memory, cudaStream_t stream, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctDevice *device = staging->device;
  const BdctJob *job = frame->jobs.quantizers;
  const bool given = frame->plan.levels.in;
  const bool there = given || bdct_cuda_frame_writes_levels (frame);
  BdctCudaLaunch launch[3];
  const BdctCudaLaunch *launches[] = { &launch[0], &launch[1], &launch[2] };
  BdctLevel *first[BDCT_MAX_COMPONENTS], *end;
  const BdctBlockGrid *grid = frame->plan.blocks.grid;
  BdctCudaWork work = frame->jobs.work;
  int n = 0;
  bool ok;

  if (bdct_job_is_tree (job))
    return true;
  if (!reserve (frame, staging, memory, error))
    return false;
  end = (BdctLevel *) memory->device;
  if (!given)
    end = place (job, grid, end, first);
  for (int p = 0; p < work.n_planes; p++) {
    BdctCudaPlane *plane = &work.plane[p];
    const BdctComponent c = plane->layout.component[0];
    const BdctScan scan = bdct_scan_init (&grid[c], layout->chroma, c);

    plane->counts = bdct_cuda_frame_counts (frame);
    plane->mcu_width = scan.h;
    plane->mcu_height = scan.v;
    for (int k = 0; k < plane->layout.interleave; k++)
      plane->levels[k] = given ? bdct_cuda_frame_levels (frame,
          plane->layout.component[k]) : first[plane->layout.component[k]];
  }
  work.output = BDCT_CUDA_LEVELS;
  ok = there || bdct_cuda_plan (device->kernels, &work, &launch[n++],
      error) > 0;
  if (!is_cabac (job)) {
    work.pictures = bdct_layout_pictures (layout);
    work.kernel = bdct_levels_find (BDCT_LEVELS_SYMBOLS);
    ok = ok && bdct_cuda_plan (device->kernels, &work, &launch[n++],
        error) > 0;
  } else {
    set_bins (&work, (uint16_t *) end);
    for (int k = BDCT_CUDA_BINS; k <= BDCT_CUDA_PRICE && ok; k++) {
      work.kernel = bdct_rate_find (k);
      ok = bdct_cuda_plan (device->kernels, &work, &launch[n++], error) > 0;
    }
  }
  return ok && bdct_cuda_check (bdct_cuda_launch (launches, n,
          device->kernels, stream), "cudaLaunchKernel", error);
}
