/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include "cuda/kernels/metric.h"
#include "cuda/kernels/view.h"
#include "cuda/stage/levels.h"
#include "cuda/stage/quadtree.h"
#include "cuda/stage/rate.h"

#define check bdct_cuda_check

static bool
launched (cudaError_t err, BdctError * error)
{
  return check (err, "cudaLaunchKernel", error);
}

/* Convert R, G and B to planes, in a stream of its own, for which the kernels'
 * stream waits. */
static bool
rgb_to_planes (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;

  return check (cudaStreamWaitEvent (device->rgb_in,
          staging->ring[frame->images.ring_index].free, 0),
      "cudaStreamWaitEvent", error)
      && launched (bdct_cuda_rgb_to_planes_launch (&frame->shown.colour,
          device->rgb_in), error)
      && bdct_stream_wait_for (device->stream, device->rgb_in,
      device->was_rgb_in, error);
}

static bool
pack (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctCudaPictures *pictures = &frame->pictures;
  const cudaStream_t stream = staging->device->stream;
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < pictures->n_packs && err == cudaSuccess; i++)
    err = bdct_cuda_pack_launch (&pictures->pack[i], stream);
  for (int i = 0; staging->layout.rgb.n_planes > 0
      && i <= frame->plan.n_distorted && err == cudaSuccess; i++)
    err = bdct_cuda_rgb_to_planes_launch (&pictures->colour[i], stream);
  return launched (err, error);
}

static bool
copy_history (const BdctCudaFrame * frame, const BdctStaging * staging,
    const BdctCudaMemory * memory, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctPlaneLayout *plane = &layout->plane[0];
  const BdctMetricPlane luma = {
    .depth = layout->depth,
    .width = plane->width,
    .height = plane->height,
    .step = 1,
    .shift = plane->shift,
    .src = bdct_image_samples (&frame->images.image[BDCT_PLAN_PLANES], layout,
        0, 0),
    .memory = memory->luma[frame->plan.metrics.history.own].device,
  };

  return launched (bdct_cuda_history_copy (&luma, staging->device->stream),
      error);
}

static bool
add_errors (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const cudaStream_t stream = staging->device->stream;

  return launched (bdct_cuda_errors_launch (&frame->pictures.errors, stream),
      error)
      && (!frame->plan.rgb_errors || launched (bdct_cuda_rgb_errors_launch
          (&frame->pictures.rgb_errors, stream), error));
}

/* Transform, unless that was launched together with other frames. */
static bool
transform (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctCudaMemory * memory, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const BdctCudaJobs *jobs = &frame->jobs;
  const BdctCudaLaunch *launches[] = { &jobs->launch[0], &jobs->launch[1] };

  if (bdct_job_is_tree (jobs->quantizers))
    return bdct_quadtree_enqueue (frame, staging, &memory->trees,
        &memory->levels[frame->results.bits_slot], error);
  if (frame->plan.levels.in)
    return bdct_levels_read (frame, staging, error);
  if (bdct_cuda_frame_writes_levels (frame)
      && !bdct_rate_place_levels (frame, staging,
          &memory->levels[frame->results.bits_slot], error))
    return false;
  return (bdct_cuda_frame_shares_launches (frame)
      || launched (bdct_cuda_launch (launches, jobs->n_launches,
              device->kernels, device->stream), error))
      && bdct_levels_write (frame, staging, error);
}

static bool
run_metrics (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctCudaMemory * memory, BdctError * error)
{
  const BdctImage *rec = &frame->images.image[frame->plan.n_distorted > 0
      ? BDCT_PLAN_PLANES + 1 : BDCT_PLAN_RECONSTRUCTION];

  for (int i = 0; i < frame->plan.n_results; i++)
    if (!bdct_frame_metrics_enqueue (&frame->results.metrics, i, &rec[i],
            &memory->metrics, staging, error))
      return false;
  return true;
}

/* R, G and B of a frame are made in a stream of their own, after the
 * kernels'; those of a comparison may be enlarged after it. */
static bool
planes_to_rgb (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;

  if (frame->plan.n_distorted > 0)
    return launched (bdct_cuda_planes_to_rgb_launch (&frame->shown.colour,
            NULL, device->stream), error);
  return bdct_stream_wait_for (device->rgb_out, device->stream,
      device->was_computed, error)
      && launched (bdct_cuda_planes_to_rgb_launch (&frame->shown.colour,
          frame->plan.view.drawn ? &frame->shown.render : NULL,
          device->rgb_out), error);
}

/* If frames have R, G and B, the stream that makes these ends each frame. */
static bool
end_rgb (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;

  if (staging->layout.rgb.n_planes == 0)
    return true;
  if (frame->plan.n_distorted > 0
      || !bdct_plan_has (&frame->plan, BDCT_STEP_PLANES_TO_RGB)) {
    if (!bdct_stream_wait_for (device->rgb_out, device->stream,
            device->was_computed, error))
      return false;
  }
  return (!bdct_cuda_frame_is_rgb (frame)
          && frame->plan.place[BDCT_PLAN_PLANES] != BDCT_PLACE_BEFORE)
      || check (cudaEventRecord (staging->ring[frame->images.ring_index].free,
          device->rgb_out), "cudaEventRecord", error);
}

/* Get exclusive use of the next slot's memory. */
static bool
begin_bits (BdctCudaFrame * frame, const BdctDevice * device,
    BdctCudaMemory * memory, BdctError * error)
{
  frame->results.bits_slot = memory->next_bits_slot++ % BDCT_CUDA_BITS_SLOTS;
  frame->results.bits_overlap = memory->bits_overlap;
  return !memory->bits_overlap || check (cudaStreamWaitEvent (device->stream,
          device->was_counted[frame->results.bits_slot], 0),
      "cudaStreamWaitEvent", error);
}

static bool
run_bits (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctCudaMemory * memory, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const int slot = frame->results.bits_slot;
  BdctBuffer *levels = &memory->levels[slot];

  if (!frame->results.bits_overlap)
    return bdct_rate_enqueue (frame, staging, levels, device->stream, error);
  return bdct_stream_wait_for (device->bits[slot], device->stream,
      device->was_transformed, error)
      && bdct_rate_enqueue (frame, staging, levels, device->bits[slot],
      error)
      && check (cudaEventRecord (device->was_counted[slot],
          device->bits[slot]), "cudaEventRecord", error);
}

bool
bdct_cuda_frame_wait_for_bits (const BdctCudaFrame * frame,
    const BdctDevice * device, cudaStream_t stream, BdctError * error)
{
  return !frame->results.bits_overlap || check (cudaStreamWaitEvent (stream,
          device->was_counted[frame->results.bits_slot], 0),
      "cudaStreamWaitEvent", error);
}

static bool
run_step (BdctCudaFrame * frame, BdctStepKind step,
    const BdctStaging * staging, BdctCudaMemory * memory, BdctError * error)
{
  const cudaStream_t stream = staging->device->stream;

  switch (step) {
    case BDCT_STEP_RGB_TO_PLANES:
      return true;              /* bdct_cuda_frame_begin() has enqueued it */
    case BDCT_STEP_PACK:
      return pack (frame, staging, error);
    case BDCT_STEP_HISTORY:
      return copy_history (frame, staging, memory, error);
    case BDCT_STEP_ERRORS:
      return add_errors (frame, staging, error);
    case BDCT_STEP_TRANSFORM:
      return transform (frame, staging, memory, error);
    case BDCT_STEP_BITS:
      return run_bits (frame, staging, memory, error);
    case BDCT_STEP_METRICS:
      return run_metrics (frame, staging, memory, error);
    case BDCT_STEP_RECORDS:
      return launched (bdct_cuda_records_launch (&frame->shown.records,
              stream), error);
    case BDCT_STEP_MAP:
      return bdct_cuda_map_enqueue (bdct_view_metric (frame->plan.view.
              view.mode), &frame->shown.mapped, staging, error);
    case BDCT_STEP_VIEW:
      return launched (bdct_cuda_view_launch (&frame->shown.render, stream),
          error);
    case BDCT_STEP_PLANES_TO_RGB:
      return planes_to_rgb (frame, staging, error);
    case BDCT_STEP_ZOOM:
      return launched (bdct_cuda_zoom_launch (&frame->shown.zoom, stream),
          error);
  }
  return true;
}

bool
bdct_cuda_frame_begin (const BdctCudaFrame * frame,
    const BdctStaging * staging, BdctError * error)
{
  return !bdct_cuda_frame_is_rgb (frame)
      || rgb_to_planes (frame, staging, error);
}

bool
bdct_cuda_frame_run (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctCudaMemory * memory, BdctError * error)
{
  frame->results.bits_overlap = false;
  if (frame->plan.bits && !begin_bits (frame, staging->device, memory,
          error))
    return false;
  for (int i = 0; i < frame->plan.n_steps; i++)
    if (!run_step (frame, frame->plan.step[i], staging, memory, error))
      return false;
  return end_rgb (frame, staging, error);
}
