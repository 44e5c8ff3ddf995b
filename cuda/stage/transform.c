/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transform.h"

#include "levels.h"
#include "rate.h"
#include "quadtree.h"

/* The maximum number of launches of a group whose trials make pictures: one
 * for each trial, and those of the quantizers. */
#define MAX_LAUNCHES (BDCT_CUDA_MAX_PLANES + 4)

static size_t
picture_size (const BdctStaging * staging)
{
  return (bdct_staging_picture_size (staging) + 255) & ~(size_t) 255;
}

BdctImage
bdct_cuda_trial_picture (const BdctStaging * staging,
    const BdctCudaMemory * memory, int k)
{
  return bdct_staging_picture (staging, memory->pictures.device
      + k * picture_size (staging));
}

static bool
reserve_pictures (const BdctStaging * staging, BdctCudaMemory * memory, int n,
    BdctError * error)
{
  BdctError why;

  return bdct_buffer_grow (&memory->pictures, n * picture_size (staging),
      staging->device, staging->engine, &why)
      || bdct_error (error, "the pictures of %d settings for their metrics: %s",
      n, why.message);
}

/* Plan the launch of trial `i`, which makes a picture. */
static bool
plan_trial (BdctCudaFrame * frame, int i, const BdctImage * picture,
    const BdctStaging * staging, BdctError * error)
{
  BdctCudaWork work;

  bdct_cuda_frame_describe (frame, &staging->layout, i, &work);
  bdct_cuda_work_set_accumulators (&work,
      bdct_cuda_frame_accumulators (frame, i));
  for (int p = 0; p < work.n_planes; p++)
    work.plane[p].dst = bdct_image_samples (picture, &staging->layout, p, 0);
  return bdct_cuda_plan (staging->device->kernels, &work,
      &frame->jobs.trials[i - 1].launch, error) > 0;
}

/* Enqueue the jobs of a group that are not rate-distortion jobs. */
static bool
launch_group (BdctCudaFrame * frame, const BdctPlanGroup * group,
    const BdctStaging * staging, const BdctCudaMemory * memory,
    BdctError * error)
{
  const BdctDevice *device = staging->device;
  BdctCudaJobs *jobs = &frame->jobs;
  const BdctCudaLaunch *launches[MAX_LAUNCHES];
  int n = 0;

  for (int k = 0; k < group->n; k++) {
    const int i = frame->plan.jobs.order[group->first + k];
    BdctImage picture;

    for (int l = 0; i == 0 && l < jobs->n_launches; l++)
      launches[n++] = &jobs->launch[l];
    if (i == 0 || bdct_job_is_tree (bdct_cuda_frame_job (frame, i)))
      continue;
    picture = bdct_cuda_trial_picture (staging, memory, k);
    if (!plan_trial (frame, i, &picture, staging, error))
      return false;
    launches[n++] = &jobs->trials[i - 1].launch;
  }
  return bdct_cuda_check (bdct_cuda_launch (launches, n, device->kernels,
          device->stream), "cudaLaunchKernel", error);
}

bool
bdct_cuda_transform_enqueue (BdctCudaFrame * frame, int g,
    const BdctStaging * staging, BdctCudaMemory * memory, BdctError * error)
{
  const BdctPlanGroup *group = &frame->plan.jobs.group[g];
  const bool shared = bdct_cuda_frame_shares_launches (frame);
  const bool first = frame->plan.jobs.order[group->first] == 0;

  if (first && frame->plan.levels.in
      && !bdct_job_is_tree (frame->jobs.quantizers))
    return bdct_levels_read (frame, staging, error);
  if (bdct_cuda_frame_writes_levels (frame)
      && !bdct_rate_place_levels (frame, staging,
          &memory->levels[frame->results.side], error))
    return false;
  if (frame->plan.metrics.others != 0
      && !reserve_pictures (staging, memory, group->n, error))
    return false;
  if (!shared && !launch_group (frame, group, staging, memory, error))
    return false;
  for (int k = 0; k < group->n; k++) {
    const int i = frame->plan.jobs.order[group->first + k];
    BdctImage picture = frame->images.image[BDCT_PLAN_RECONSTRUCTION];

    if (!bdct_job_is_tree (bdct_cuda_frame_job (frame, i)))
      continue;
    if (i > 0 && !shared)
      picture = bdct_cuda_trial_picture (staging, memory, k);
    if (!bdct_quadtree_enqueue (frame, i, i == 0 || !shared ? &picture : NULL,
            staging, &memory->trees, &memory->levels[frame->results.side],
            error))
      return false;
  }
  return !first || !frame->plan.levels.out
      || bdct_job_is_tree (frame->jobs.quantizers)
      || bdct_levels_write (frame, staging, error);
}
