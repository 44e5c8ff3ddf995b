/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <string.h>

#define check bdct_cuda_check

/* Frames in host memory take long enough to sleep meanwhile. */
bool
bdct_cuda_frame_init (BdctCudaFrame * frame, BdctError * error)
{
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < BDCT_N_EVENTS && err == cudaSuccess; i++)
    err = cudaEventCreateWithFlags (&frame->events.event[i],
        cudaEventDisableTiming | (i == BDCT_DONE_SLEEPING
            ? cudaEventBlockingSync : 0));
  return check (err, "cudaEventCreateWithFlags", error);
}

void
bdct_cuda_frame_clear (BdctCudaFrame * frame, bool in_context)
{
  for (int i = 0; i < BDCT_N_EVENTS && in_context; i++)
    if (frame->events.event[i] != NULL)
      cudaEventDestroy (frame->events.event[i]);
  for (int i = 0; i <= BDCT_MAX_DISTORTED; i++)
    bdct_buffer_free (&frame->src[i].buffer, in_context);
  bdct_buffer_free (&frame->dst.buffer, in_context);
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    bdct_buffer_free (&frame->own[i], in_context);
  for (int i = 0; i < BDCT_N_ARRAYS; i++)
    bdct_buffer_free (&frame->array[i].memory, in_context);
}

void
bdct_cuda_frame_begin (BdctCudaFrame * frame, const BdctJob * quantizers,
    int n)
{
  frame->request = (BdctFrame) { 0 };
  memcpy (frame->quantizers, quantizers, n * sizeof *quantizers);
  for (int i = 0; i < BDCT_N_ARRAYS; i++)
    frame->array[i] = (BdctArray) {.memory = frame->array[i].memory };
  frame->launches.n = frame->packs.n = 0;
}

/* Memory for one of the plan's images. A frame's planes of R, G and B are in
 * the ring, so that they stay in the GPU's cache. */
static bool
place_own (BdctCudaFrame * frame, BdctStaging * staging, BdctPlanImage i,
    BdctImage * image, BdctError * error)
{
  if (bdct_cuda_frame_is_rgb (frame))
    return bdct_staging_planes (staging, frame->ring_index, i, image, error);
  if (staging->layout.rgb.n_planes > 0 && i != BDCT_PLAN_BASE)
    return bdct_staging_reserve_picture (staging, &frame->own[i],
        staging->device->stream, image, error);
  return bdct_staging_scratch (staging, &frame->own[i], image, error);
}

bool
bdct_cuda_frame_place_images (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctImage * src, BdctError * error)
{
  BdctImage own[BDCT_PLAN_IMAGES];

  own[BDCT_PLAN_PLANES] = frame->image[BDCT_PLAN_PLANES];
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    if (frame->plan.place[i] == BDCT_PLACE_OWN
        && !place_own (frame, staging, i, &own[i], error))
      return false;
  bdct_plan_find_images (&frame->plan, src, &frame->dst.image, own,
      frame->image);
  return true;
}

/* Arrays */

bool
bdct_array_upload (const BdctArray * array, const void *data,
    const BdctStaging * staging, BdctError * error)
{
  return check (cudaMemcpyAsync (array->device, data, array->size,
          cudaMemcpyHostToDevice, staging->device->upload), "cudaMemcpyAsync",
      error);
}

bool
bdct_cuda_frame_place_array (BdctCudaFrame * frame, BdctArrayName name,
    size_t size, BdctWay way, void *caller, const BdctStaging * staging,
    BdctError * error)
{
  BdctArray *array = &frame->array[name];

  array->caller = caller;
  array->size = size;
  array->way = way;
  array->direct = caller != NULL && bdct_host_memory_is_pinned (caller, size);
  if (!bdct_buffer_reserve (&array->memory, size, way != BDCT_STAYS
          && !array->direct, staging->engine, error))
    return false;
  array->device = array->memory.device;
  if (way != BDCT_GOES_UP || caller == NULL)
    return true;
  if (array->direct)
    return bdct_array_upload (array, caller, staging, error);
  memcpy (array->memory.host, caller, size);
  return bdct_array_upload (array, array->memory.host, staging, error);
}

bool
bdct_cuda_frame_downloads (const BdctCudaFrame * frame)
{
  bool downloads = frame->dst.on_host;

  for (int i = 0; i < BDCT_N_LARGE_ARRAYS; i++)
    downloads = downloads || frame->array[i].way == BDCT_COMES_DOWN;
  return downloads;
}

bool
bdct_cuda_frame_end_uploads (BdctCudaFrame * frame,
    const BdctStaging * staging, BdctError * error)
{
  const BdctDevice *device = staging->device;
  bool large = false, any;

  for (int i = 0; i <= frame->plan.n_distorted; i++)
    large = large || frame->src[i].on_host;
  for (int i = 0; i < BDCT_N_LARGE_ARRAYS; i++)
    large = large || frame->array[i].way == BDCT_GOES_UP;
  any = large || frame->array[BDCT_ARRAY_MAP].way == BDCT_GOES_UP;
  frame->events.done = large || bdct_cuda_frame_downloads (frame)
      ? BDCT_DONE_SLEEPING : BDCT_DONE_SPINNING;
  return !any || bdct_stream_wait_for (bdct_cuda_frame_is_rgb (frame)
      ? device->rgb_in : device->stream, device->upload,
      frame->events.event[BDCT_UPLOADED], error);
}

bool
bdct_cuda_frame_zero (const BdctCudaFrame * frame, cudaStream_t stream,
    BdctError * error)
{
  for (int i = BDCT_ARRAY_ZEROED; i < BDCT_N_ARRAYS; i++) {
    const BdctArray *array = &frame->array[i];

    if (array->device != NULL && !check (cudaMemsetAsync (array->device, 0,
                array->size, stream), "cudaMemsetAsync", error))
      return false;
  }
  return true;
}

bool
bdct_cuda_frame_download (BdctCudaFrame * frame, BdctStaging * staging,
    cudaStream_t stream, BdctError * error)
{
  for (int i = 0; i < BDCT_N_ARRAYS; i++) {
    const BdctArray *array = &frame->array[i];

    if (array->way == BDCT_COMES_DOWN && !check (cudaMemcpyAsync (array->direct
                ? array->caller : array->memory.host, array->device,
                array->size, cudaMemcpyDeviceToHost, stream),
            "cudaMemcpyAsync", error))
      return false;
  }
  return !frame->dst.on_host || bdct_staging_download (staging, &frame->dst,
      error);
}

void
bdct_cuda_frame_finish (BdctCudaFrame * frame, BdctStaging * staging)
{
  const BdctFrame *request = &frame->request;
  const BdctRateCounts *counts = (BdctRateCounts *)
      frame->array[BDCT_ARRAY_COUNTS].memory.host;

  bdct_staging_finish (staging, &frame->dst);
  for (int i = 0; i < BDCT_N_ARRAYS; i++) {
    const BdctArray *array = &frame->array[i];

    if (array->way == BDCT_COMES_DOWN && array->caller != NULL
        && !array->direct)
      memcpy (array->caller, array->memory.host, array->size);
  }
  for (int i = 0; frame->array[BDCT_ARRAY_COUNTS].device != NULL
      && i < staging->layout.stack; i++)
    bdct_rate_price_picture (&counts[i], &staging->layout,
        &frame->quantizers[request->stack_map != NULL
            ? request->stack_map[i] : 0], request->stack_bits[i]);
}

/* Work */

BdctCudaAccumulator *
bdct_cuda_frame_accumulators (const BdctCudaFrame * frame, int i)
{
  return i == 0 ? frame->sums.accumulators
      : (BdctCudaAccumulator *) frame->array[BDCT_ARRAY_SUMS].device
      + (i - 1) * BDCT_CUDA_ACCUMULATORS;
}

unsigned long long *
bdct_cuda_frame_counts (const BdctCudaFrame * frame)
{
  const BdctArray *own = &frame->array[BDCT_ARRAY_COUNTS];

  return own->device != NULL ? own->device
      : (unsigned long long *) frame->sums.counts;
}

BdctLevel *
bdct_cuda_frame_levels (const BdctCudaFrame * frame, int component)
{
  BdctLevel *levels = frame->array[BDCT_ARRAY_LEVELS].device;

  return levels == NULL ? NULL : levels + frame->plan.levels.first[component];
}

BdctBlockRecord *
bdct_cuda_frame_records (const BdctCudaFrame * frame, int component)
{
  BdctBlockRecord *records = frame->array[BDCT_ARRAY_RECORDS].device;

  return records == NULL ? NULL
      : records + frame->plan.blocks.grid[component].first;
}

void
bdct_cuda_work_set_accumulators (BdctCudaWork * work,
    BdctCudaAccumulator * accumulators)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].accumulators = accumulators;
}

void
bdct_cuda_work_set_image (BdctCudaWork * work, const BdctLayout * layout,
    const BdctImage * image)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].dst = bdct_image_samples (image, layout, p, 0);
}

void
bdct_cuda_work_set_records (BdctCudaWork * work, const BdctCudaFrame * frame)
{
  for (int p = 0; p < work->n_planes; p++)
    for (int i = 0; i < work->plane[p].layout.interleave; i++)
      work->plane[p].blocks[i] = bdct_cuda_frame_records (frame,
          work->plane[p].layout.component[i]);
}

/* Results */

static void
add_up (const BdctCudaAccumulator * from, BdctStats * stats)
{
  for (int i = 0; i < BDCT_CUDA_ACCUMULATORS; i++) {
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += from[i].sse[c];
      stats->component[c].nonzero += from[i].nonzero[c];
      stats->component[c].levels += from[i].levels[c];
    }
    for (int n = 0; n < BDCT_TREE_SIZES; n++)
      stats->area[n] += from[i].area[n];
    for (int k = 0; k < 3 && stats->rgb[k].samples > 0; k++)
      stats->rgb[k].sse += from[i].rgb_sse[k];
  }
}

static void
set_price (BdctStats * stats, const BdctStats * price)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    stats->component[c].bits = price->component[c].bits;
  stats->bits_optimized = price->bits_optimized;
  stats->file_size = price->file_size;
  stats->file_size_optimized = price->file_size_optimized;
}

void
bdct_cuda_frame_get_stats (BdctCudaFrame * frame, const BdctLayout * layout,
    const BdctCudaAccumulator * first, const BdctRateCounts * first_counts,
    const BdctStats * price, BdctStats * stats)
{
  const BdctArray *array = frame->array;
  const BdctCudaAccumulator *others =
      (BdctCudaAccumulator *) array[BDCT_ARRAY_SUMS].memory.host;

  for (int i = 0; i < frame->plan.n_results; i++) {
    bdct_plan_begin_stats (&frame->plan, layout, frame->quantizers, stats + i);
    add_up (i == 0 ? first : others + (i - 1) * BDCT_CUDA_ACCUMULATORS,
        stats + i);
  }
  if (price != NULL)
    set_price (stats, price);
  else if (frame->plan.bits && array[BDCT_ARRAY_COUNTS].device == NULL)
    bdct_rate_price (first_counts, layout, frame->quantizers, true, stats);
  for (int i = 0; array[BDCT_ARRAY_RGB_SSE].device != NULL
      && i < layout->stack; i++)
    for (int k = 0; k < 3; k++)
      stats->rgb[k].sse += frame->request.stack_sse[i][k];
}
