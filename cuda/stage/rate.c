/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rate.h"

#include <string.h>
#include "cuda/kernels/levels.h"
#include "dct/entropy/cabac-price.h"
#include "dct/entropy/huffman-symbols.h"
#include "levels.h"

/* The maximum number of jobs of a round, of one plane each. */
#define MAX_JOBS BDCT_CUDA_MAX_PLANES

/* The passes, in order: make levels, or count symbols; count bins; price
 * bins. */
#define N_STAGES 3

typedef struct {
  BdctCudaLaunch launch[N_STAGES][MAX_JOBS];
  int n[N_STAGES];
} Round;

/* As many jobs as share a launch. */
static int
round_size (const BdctLayout * layout)
{
  return BDCT_CUDA_MAX_PLANES / layout->n_planes;
}

/* Whether the bits of job `i` are those of the caller's levels. */
static bool
is_given (const BdctCudaFrame * frame, int i)
{
  return i == 0 && frame->plan.levels.in;
}

/* Whether job `i` is counted here: rate-distortion jobs are counted where their
 * levels are made, and trees even where these are given. */
static bool
is_counted (const BdctCudaFrame * frame, int i)
{
  const BdctJob *job = bdct_cuda_frame_job (frame, i);

  return !bdct_job_is_tree (job)
      || (is_given (frame, i) && !bdct_job_is_tree (job));
}

static bool
is_cabac (const BdctJob * job)
{
  return bdct_job_coder (job) == BDCT_CODER_CABAC;
}

/* Whether the launch that makes job `i`'s picture writes its levels. */
static bool
is_written (const BdctCudaFrame * frame, int i)
{
  return i == 0 && bdct_cuda_frame_writes_levels (frame);
}

/* Whether this needs memory. */
static bool
has_levels (const BdctCudaFrame * frame, int i)
{
  return is_counted (frame, i)
      && (is_cabac (bdct_cuda_frame_job (frame, i)) || is_written (frame, i));
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

/* Get room for the levels of as many of a group's jobs as a round has, and
 * for the counts of their bins, each as large as the largest of them. */
static bool
reserve (const BdctCudaFrame * frame, const BdctPlanGroup * group,
    const BdctStaging * staging, BdctBuffer * levels, size_t * job_size,
    BdctError * error)
{
  BdctError why;
  int n = 0;

  *job_size = 0;
  for (int k = 0; k < group->n; k++) {
    const int i = frame->plan.jobs.order[group->first + k];
    const BdctJob *job = bdct_cuda_frame_job (frame, i);
    BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
    size_t size;

    if (!has_levels (frame, i))
      continue;
    bdct_blocks_init (grid, &staging->layout, job);
    size = !is_cabac (job) ? 0 : (count_bins (job, &staging->layout) + 255)
        & ~(size_t) 255;
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      size += count_levels (job, grid, c) * sizeof (BdctLevel);
    if (*job_size < size)
      *job_size = size;
    n += n < round_size (&staging->layout);
  }
  return bdct_buffer_grow (levels, n * *job_size, staging->device,
      staging->engine, &why)
      || bdct_error (error, "the levels of %d settings for their bits: %s, or "
      "give the curve fewer settings", n, why.message);
}

static bool
add (Round * round, int stage, const BdctCudaWork * work,
    const BdctStaging * staging, BdctError * error)
{
  return bdct_cuda_plan (staging->device->kernels, work,
      &round->launch[stage][round->n[stage]++], error) > 0;
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
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t job_size;

  if (!reserve (frame, &frame->plan.jobs.group[0], staging, levels, &job_size,
          error))
    return false;
  bdct_blocks_init (grid, &staging->layout, frame->jobs.quantizers);
  place (frame->jobs.quantizers, grid, (BdctLevel *) levels->device, first);
  for (int p = 0; p < launch->n_planes; p++) {
    BdctCudaPlane *plane = &launch->plane[p];

    for (int k = 0; k < plane->layout.interleave; k++)
      plane->levels[k] = first[plane->layout.component[k]];
  }
  return true;
}

/* Plan the count of job `i`. */
static bool
plan (Round * round, const BdctCudaFrame * frame, const BdctStaging * staging,
    int i, BdctLevel * levels, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctJob *job = bdct_cuda_frame_job (frame, i);
  BdctLevel *first[BDCT_MAX_COMPONENTS];
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctCudaWork work;

  bdct_cuda_frame_describe (frame, layout, i, &work);
  bdct_blocks_init (grid, layout, job);
  levels = place (job, grid, levels, first);
  for (int p = 0; p < work.n_planes; p++) {
    BdctCudaPlane *plane = &work.plane[p];
    const BdctComponent c = plane->layout.component[0];
    const BdctScan scan = bdct_scan_init (&grid[c], layout->chroma, c);

    plane->counts = bdct_cuda_frame_counts (frame, i);
    plane->mcu_width = scan.h;
    plane->mcu_height = scan.v;
    for (int k = 0; k < plane->layout.interleave; k++)
      plane->levels[k] = is_given (frame, i) ? bdct_cuda_frame_levels (frame,
          plane->layout.component[k]) : first[plane->layout.component[k]];
  }
  if (!is_cabac (job)) {
    work.pictures = bdct_layout_pictures (layout);
    work.kernel = is_given (frame, i) || is_written (frame, i)
        ? bdct_levels_find (BDCT_LEVELS_SYMBOLS)
        : bdct_rate_find (BDCT_CUDA_SYMBOLS, job);
    return add (round, 0, &work, staging, error);
  }
  work.output = BDCT_CUDA_LEVELS;
  if (!is_given (frame, i) && !is_written (frame, i)
      && !add (round, 0, &work, staging, error))
    return false;
  set_bins (&work, (uint16_t *) levels);
  work.kernel = bdct_rate_find (BDCT_CUDA_BINS, job);
  if (!add (round, 1, &work, staging, error))
    return false;
  work.kernel = bdct_rate_find (BDCT_CUDA_PRICE, job);
  return add (round, 2, &work, staging, error);
}

static bool
launch (const Round * round, const BdctDevice * device, cudaStream_t stream,
    BdctError * error)
{
  const BdctCudaLaunch *launches[N_STAGES * MAX_JOBS];
  int n = 0;

  for (int stage = 0; stage < N_STAGES; stage++)
    for (int i = 0; i < round->n[stage]; i++)
      launches[n++] = &round->launch[stage][i];
  return bdct_cuda_check (bdct_cuda_launch (launches, n, device->kernels,
          stream), "cudaLaunchKernel", error);
}

bool
bdct_rate_enqueue (const BdctCudaFrame * frame, int g,
    const BdctStaging * staging, BdctBuffer * levels, cudaStream_t stream,
    BdctError * error)
{
  const BdctPlanGroup *group = &frame->plan.jobs.group[g];
  const int size = round_size (&staging->layout);
  size_t job_size;

  if (!reserve (frame, group, staging, levels, &job_size, error))
    return false;
  for (int first = 0; first < group->n; first += size) {
    uint8_t *at = levels->device;
    Round round;

    memset (round.n, 0, sizeof round.n);
    for (int k = first; k < group->n && k < first + size; k++) {
      const int i = frame->plan.jobs.order[group->first + k];

      if (!is_counted (frame, i))
        continue;
      if (!plan (&round, frame, staging, i, (BdctLevel *) at, error))
        return false;
      if (has_levels (frame, i))
        at += job_size;
    }
    if (!launch (&round, staging->device, stream, error))
      return false;
  }
  return true;
}
