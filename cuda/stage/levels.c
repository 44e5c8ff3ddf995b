/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "levels.h"

BdctLevel *
bdct_cuda_frame_levels (const BdctCudaFrame * frame, int component)
{
  return frame->levels.device + frame->plan.levels.first[component];
}

static void
set_image (BdctCudaWork * work, const BdctLayout * layout,
    const BdctImage * image)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].dst = bdct_image_samples (image, layout, p, 0);
}

static void
set_levels (const BdctCudaFrame * frame, BdctCudaWork * work)
{
  for (int p = 0; p < work->n_planes; p++)
    for (int k = 0; k < work->plane[p].layout.interleave; k++)
      work->plane[p].levels[k] = bdct_cuda_frame_levels (frame,
          work->plane[p].layout.component[k]);
}

static bool
launch (const BdctCudaWork * work, const BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;
  BdctCudaLaunch launch;
  const BdctCudaLaunch *launches[] = { &launch };

  return bdct_cuda_plan (device->kernels, work, &launch, error) > 0
      && bdct_cuda_check (bdct_cuda_launch (launches, 1, device->kernels,
          device->stream), "cudaLaunchKernel", error);
}

/* Plan the picture, statistics and records. */
static bool
reconstruct (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctCudaWork work = frame->jobs.work;

  work.kernel = bdct_levels_find (work.quantizers->family == BDCT_FAMILY_JPEG
      && layout->depth == 8 ? BDCT_LEVELS_RECONSTRUCT_JPEG
      : BDCT_LEVELS_RECONSTRUCT);
  bdct_cuda_work_set_accumulators (&work, frame->results.first);
  set_image (&work, layout, &frame->images.image[BDCT_PLAN_RECONSTRUCTION]);
  for (int p = 0; p < work.n_planes; p++) {
    BdctCudaPlane *plane = &work.plane[p];
    const int *c = (const int *) plane->layout.component;

    /* U's are before V's, in either order of memory. */
    plane->from_levels = bdct_cuda_frame_levels (frame,
        plane->layout.interleave > 1 ? BDCT_U : c[0]);
    for (int k = 0; k < plane->layout.interleave; k++)
      plane->blocks[k] = frame->blocks.records == NULL ? NULL
          : frame->blocks.records + frame->plan.blocks.grid[c[k]].first;
  }
  return launch (&work, staging, error);
}

/* Draw the picture of the levels, if the view shows it. */
static bool
draw (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctImage *drawn = &frame->images.image[BDCT_PLAN_LEVELS];
  BdctCudaWork work = frame->jobs.work;

  if (drawn->data[0] == NULL)
    return true;
  work.kernel = bdct_levels_find (BDCT_LEVELS_DRAW);
  set_levels (frame, &work);
  set_image (&work, &staging->layout, drawn);
  return launch (&work, staging, error);
}

bool
bdct_levels_read (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  return reconstruct (frame, staging, error) && draw (frame, staging, error);
}

bool
bdct_levels_write (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  BdctCudaWork work = frame->jobs.work;

  if (frame->levels.device == NULL)
    return true;
  work.output = BDCT_CUDA_LEVELS;
  set_levels (frame, &work);
  return launch (&work, staging, error) && draw (frame, staging, error);
}
