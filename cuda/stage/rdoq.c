/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rdoq.h"

#include "levels.h"
#include "rate.h"

/* Choosing levels takes two passes; then there may be passes for the
 * picture, for the levels' picture, and two for counting bits. */
#define MAX_PASSES 6

/* A job and its passes. */
typedef struct {
  const BdctCudaFrame *frame;
  const BdctStaging *staging;
  int i;
  BdctCudaWork work;            /* with nothing asked */
  BdctLevel *levels[BDCT_MAX_PLANES];
  BdctCudaLaunch pass[MAX_PASSES];
  int n_passes;
} Task;

/* Of one component. */
static size_t
count (const BdctCudaWork * work, int p)
{
  const BdctPlaneLayout *layout = &work->plane[p].layout;
  const int n = work->quantizers->component[layout->component[0]].log2_width;

  return ((size_t) ((layout->width - 1) >> n) + 1)
      * (((layout->height - 1) >> n) + 1) << 2 * n;
}

size_t
bdct_rdoq_count (const BdctCudaWork * work, int p)
{
  return count (work, p) * work->plane[p].layout.interleave;
}

bool
bdct_rdoq_plan (BdctCudaDevice * device, const BdctCudaWork * work,
    BdctCudaLaunch pass[2], BdctError * error)
{
  BdctCudaWork make = *work, choose = *work;

  make.output = BDCT_CUDA_COEFFICIENTS;
  choose.kernel = bdct_rdoq_find (work->plane[0].quantizer_map[0] != NULL
      ? BDCT_CUDA_CHOOSE_MAPPED : BDCT_CUDA_CHOOSE);
  for (int p = 0; p < work->n_planes; p++)
    make.plane[p].dst.data = NULL;
  return bdct_cuda_plan (device, &make, &pass[0], error) > 0
      && bdct_cuda_plan (device, &choose, &pass[1], error) > 0;
}

bool
bdct_rdoq_plan_from_levels (BdctCudaDevice * device, const BdctCudaWork * work,
    const BdctLevel * const levels[BDCT_MAX_PLANES], BdctCudaLaunch * pass,
    BdctError * error)
{
  BdctCudaWork again = *work;

  again.output = BDCT_CUDA_FROM_LEVELS;
  for (int p = 0; p < work->n_planes; p++)
    again.plane[p].from_levels = levels[p];
  return bdct_cuda_plan (device, &again, pass, error) > 0;
}

/* The bytes of the levels of all planes, and of the strings of their bins
 * after these. */
static size_t
count_bytes (const BdctCudaWork * work)
{
  size_t n = 0;

  for (int p = 0; p < work->n_planes; p++)
    n += bdct_rdoq_count (work, p);
  return n * sizeof (BdctLevel);
}

static size_t
count_string_bytes (const BdctCudaWork * work, const BdctStaging * staging)
{
  return bdct_rate_count_strings (work->quantizers, &staging->layout)
      * sizeof (BdctCabacStrings);
}

static bool
reserve (const BdctCudaWork * work, const BdctStaging * staging,
    BdctBuffer * memory, BdctError * error)
{
  BdctError why;

  return bdct_buffer_grow (memory, count_bytes (work)
      + count_string_bytes (work, staging), staging->device, staging->engine,
      &why)
      || bdct_error (error, "the levels of all blocks for rdoq: %s",
      why.message);
}

bool
bdct_rdoq_reserve (const BdctJob * job, const BdctStaging * staging,
    BdctBuffer * memory, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctCudaWork work = {.quantizers = job,.n_planes = layout->n_planes };

  for (int p = 0; p < work.n_planes; p++)
    work.plane[p].layout = layout->plane[p];
  return reserve (&work, staging, memory, error);
}

/* Where everything is. */
static void
place (Task * task, const BdctBuffer * memory)
{
  BdctCudaWork *work = &task->work;

  task->levels[0] = (BdctLevel *) memory->device;
  for (int p = 0; p < work->n_planes; p++) {
    for (int k = 0; k < work->plane[p].layout.interleave; k++)
      work->plane[p].levels[k] = task->levels[p] + k * count (work, p);
    if (p + 1 < work->n_planes)
      task->levels[p + 1] = task->levels[p] + bdct_rdoq_count (work, p);
  }
}

/* Plan the statistics, and the picture if it is wanted. */
static bool
plan_picture (Task * task, const BdctImage * dst, BdctError * error)
{
  const BdctCudaFrame *frame = task->frame;
  const BdctLayout *layout = &task->staging->layout;
  BdctCudaWork work = task->work;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, layout, work.quantizers);
  for (int p = 0; p < work.n_planes; p++) {
    BdctCudaPlane *plane = &work.plane[p];

    if (dst != NULL)
      plane->dst = bdct_image_samples (dst, layout, p, 0);
    plane->accumulators = bdct_cuda_frame_accumulators (frame, task->i);
    for (int k = 0; k < plane->layout.interleave; k++)
      plane->blocks[k] = task->i > 0 || frame->blocks.records == NULL ? NULL
          : frame->blocks.records + grid[plane->layout.component[k]].first;
  }
  return bdct_rdoq_plan_from_levels (task->staging->device->kernels, &work,
      (const BdctLevel * const *) task->levels, &task->pass[task->n_passes++],
      error);
}

/* Plan what a kernel of its own does with the levels. */
static bool
plan_more (Task * task, const BdctCudaKernel * kernel, BdctError * error)
{
  task->work.kernel = kernel;
  return bdct_cuda_plan (task->staging->device->kernels, &task->work,
      &task->pass[task->n_passes++], error) > 0;
}

static bool
plan_drawing (Task * task, BdctError * error)
{
  const BdctImage *levels = &task->frame->images.image[BDCT_PLAN_LEVELS];

  if (task->i > 0 || levels->data[0] == NULL)
    return true;
  for (int p = 0; p < task->work.n_planes; p++)
    task->work.plane[p].dst = bdct_image_samples (levels,
        &task->staging->layout, p, 0);
  return plan_more (task, bdct_rdoq_find (BDCT_CUDA_DRAW), error);
}

static bool
plan_bits (Task * task, const BdctBuffer * memory, BdctError * error)
{
  const BdctCudaFrame *frame = task->frame;

  if (!frame->plan.jobs.bits)
    return true;
  for (int p = 0; p < task->work.n_planes; p++)
    task->work.plane[p].counts = bdct_cuda_frame_counts (frame, task->i);
  bdct_rate_set_strings (&task->work, (BdctCabacStrings *) (memory->device
          + count_bytes (&task->work)));
  return plan_more (task, bdct_rate_find (BDCT_CUDA_BINS,
          task->work.quantizers), error)
      && plan_more (task, bdct_rate_find (BDCT_CUDA_COST,
          task->work.quantizers), error);
}

/* Copy the levels to the caller's memory. */
static bool
copy_levels (const Task * task, BdctError * error)
{
  const BdctCudaWork *work = &task->work;
  cudaError_t err = cudaSuccess;

  if (task->i > 0 || !task->frame->plan.levels.out)
    return true;
  for (int p = 0; p < work->n_planes; p++)
    for (int k = 0; k < work->plane[p].layout.interleave
        && err == cudaSuccess; k++)
      err = cudaMemcpyAsync (bdct_cuda_frame_levels (task->frame,
              work->plane[p].layout.component[k]), work->plane[p].levels[k],
          count (work, p) * sizeof (BdctLevel), cudaMemcpyDeviceToDevice,
          task->staging->device->stream);
  return bdct_cuda_check (err, "cudaMemcpyAsync", error);
}

bool
bdct_rdoq_enqueue (const BdctCudaFrame * frame, int i, const BdctImage * dst,
    const BdctStaging * staging, BdctBuffer * memory, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const BdctCudaLaunch *passes[MAX_PASSES];
  Task task = {.frame = frame,.staging = staging,.i = i,.n_passes = 2 };

  bdct_cuda_frame_describe (frame, &staging->layout, i, &task.work);
  if (!reserve (&task.work, staging, memory, error))
    return false;
  place (&task, memory);
  if (!bdct_rdoq_plan (device->kernels, &task.work, task.pass, error)
      || !plan_picture (&task, dst, error) || !plan_drawing (&task, error)
      || !plan_bits (&task, memory, error))
    return false;
  for (int k = 0; k < task.n_passes; k++)
    passes[k] = &task.pass[k];
  return bdct_cuda_check (bdct_cuda_launch (passes, task.n_passes,
          device->kernels, device->stream), "cudaLaunchKernel", error)
      && copy_levels (&task, error);
}
