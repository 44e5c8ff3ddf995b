/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <string.h>

#define check bdct_cuda_check

static bool
create_event (cudaEvent_t * event, unsigned flags, BdctError * error)
{
  return check (cudaEventCreateWithFlags (event, cudaEventDisableTiming
          | flags), "cudaEventCreateWithFlags", error);
}

bool
bdct_cuda_frame_init (BdctCudaFrame * frame, BdctError * error)
{
  BdctCudaEvents *events = &frame->events;

  /* Frames in host memory take long enough to sleep meanwhile. */
  return create_event (&events->uploaded, 0, error)
      && create_event (&events->computed, 0, error)
      && create_event (&events->done[BDCT_WAIT_SPINNING], 0, error)
      && create_event (&events->done[BDCT_WAIT_SLEEPING],
      cudaEventBlockingSync, error);
}

static void
free_event (cudaEvent_t event)
{
  if (event != NULL && cudaEventDestroy (event) != cudaSuccess)
    (void) cudaGetLastError ();
}

void
bdct_cuda_frame_clear (BdctCudaFrame * frame, bool in_context)
{
  if (in_context) {
    free_event (frame->events.uploaded);
    free_event (frame->events.computed);
    for (int i = 0; i < BDCT_N_WAITS; i++)
      free_event (frame->events.done[i]);
  }
  for (int i = 0; i <= BDCT_MAX_DISTORTED; i++)
    bdct_buffer_free (&frame->images.src[i].buffer, in_context);
  bdct_buffer_free (&frame->images.dst.buffer, in_context);
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    bdct_buffer_free (&frame->images.memory[i], in_context);
  bdct_buffer_free (&frame->blocks.map, in_context);
  bdct_buffer_free (&frame->blocks.record_memory, in_context);
  bdct_buffer_free (&frame->blocks.size_memory, in_context);
  bdct_buffer_free (&frame->levels.memory, in_context);
  bdct_buffer_free (&frame->results.accumulators, in_context);
  bdct_buffer_free (&frame->results.counts, in_context);
  bdct_buffer_free (&frame->results.stack, in_context);
  bdct_buffer_free (&frame->results.metrics.results, in_context);
  bdct_buffer_free (&frame->shown.map, in_context);
}

void
bdct_cuda_memory_clear (BdctCudaMemory * memory, bool in_context)
{
  for (int i = 0; i < BDCT_CUDA_SIDES; i++)
    bdct_buffer_free (&memory->levels[i], in_context);
  bdct_buffer_free (&memory->trees, in_context);
  bdct_buffer_free (&memory->metrics, in_context);
  for (int i = 0; i < BDCT_HISTORY_MAX; i++)
    bdct_buffer_free (&memory->luma[i], in_context);
}

/* Images and metrics */

/* Memory for one of the plan's images. A frame's planes of R, G and B are in
 * the ring, so that they stay in the GPU's cache. */
static bool
place_own (BdctCudaFrame * frame, BdctStaging * staging, BdctPlanImage i,
    BdctImage * image, BdctError * error)
{
  BdctBuffer *memory = &frame->images.memory[i];

  if (bdct_cuda_frame_is_rgb (frame))
    return bdct_staging_planes (staging, frame->images.ring_index, i, image,
        error);
  if (staging->layout.rgb.n_planes > 0 && i != BDCT_PLAN_BASE)
    return bdct_staging_reserve_picture (staging, memory,
        staging->device->stream, image, error);
  return bdct_staging_scratch (staging, memory, image, error);
}

bool
bdct_cuda_frame_place_images (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctImage * src, BdctError * error)
{
  BdctImage own[BDCT_PLAN_IMAGES];

  own[BDCT_PLAN_PLANES] = frame->images.image[BDCT_PLAN_PLANES];
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    if (frame->plan.place[i] == BDCT_PLACE_OWN
        && !place_own (frame, staging, i, &own[i], error))
      return false;
  bdct_plan_find_images (&frame->plan, src, &frame->images.dst.image, own,
      frame->images.image);
  return true;
}

/* Memory for the frame's luma in the history; find the luma of earlier frames.
 */
static bool
place_history (const BdctHistoryUse * use, const BdctStaging * staging,
    BdctCudaMemory * memory, const uint16_t * luma[3], BdctError * error)
{
  const BdctPlaneLayout *plane = &staging->layout.plane[0];
  BdctError why;

  if (!bdct_buffer_reserve (&memory->luma[use->own], (size_t) plane->width
          * plane->height * sizeof (uint16_t), false, staging->engine, &why))
    return bdct_error (error, "a frame's luma for the XPSNR of later frames: "
        "%s", why.message);
  for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
    luma[i] = use->of[i] < 0 ? NULL
        : (const uint16_t *) memory->luma[use->of[i]].device;
  return true;
}

bool
bdct_cuda_frame_describe_metrics (BdctCudaFrame * frame,
    const BdctStaging * staging, BdctCudaMemory * memory, BdctError * error)
{
  const BdctPlanMetrics *wanted = &frame->plan.metrics;
  BdctFrameMetrics *metrics = &frame->results.metrics;
  BdctMetricsInput task = {
    .layout = &staging->layout,
    .src = frame->images.image[BDCT_PLAN_PLANES],
    .frame_rate = wanted->frame_rate,
    .metrics = wanted->wanted,
  };

  if (wanted->history.needed
      && !place_history (&wanted->history, staging, memory, task.luma, error))
    return false;
  metrics->n = wanted->wanted != 0 ? frame->plan.n_results : 0;
  for (int i = 0; i < metrics->n; i++)
    bdct_metrics_init (&metrics->run[i], NULL, &task);
  return bdct_frame_metrics_reserve (metrics, staging, error);
}

/* Work */

size_t
bdct_cuda_frame_counts_size (const BdctCudaFrame * frame,
    const BdctLayout * layout)
{
  return !frame->plan.bits || frame->results.stack_bits == NULL ? 0
      : bdct_layout_pictures (layout) * sizeof (BdctRateCounts);
}

BdctCudaAccumulator *
bdct_cuda_frame_accumulators (const BdctCudaFrame * frame, int i)
{
  return i == 0 ? frame->results.first
      : (BdctCudaAccumulator *) frame->results.accumulators.device
      + (i - 1) * BDCT_CUDA_ACCUMULATORS;
}

unsigned long long *
bdct_cuda_frame_counts (const BdctCudaFrame * frame)
{
  const BdctCudaResults *results = &frame->results;

  return (unsigned long long *) (results->stack_bits != NULL
      ? (BdctRateCounts *) results->counts.device : results->first_counts);
}

void
bdct_cuda_work_set_accumulators (BdctCudaWork * work,
    BdctCudaAccumulator * accumulators)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].accumulators = accumulators;
}

/* Results */

static bool
downloads_levels (const BdctCudaFrame * frame)
{
  return frame->plan.levels.out && frame->levels.host != NULL;
}

bool
bdct_cuda_frame_downloads (const BdctCudaFrame * frame)
{
  return frame->images.dst.on_host || frame->blocks.to_records != NULL
      || frame->blocks.to_sizes != NULL || downloads_levels (frame);
}

static bool
download (BdctStaging * staging, void *to, const void *from, size_t size,
    BdctError * error)
{
  return check (cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToHost,
          staging->device->download), "cudaMemcpyAsync", error);
}

bool
bdct_cuda_frame_download (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctCudaBlocks *blocks = &frame->blocks;
  const BdctPlanBlocks *plan = &frame->plan.blocks;
  const BdctCudaLevels *levels = &frame->levels;

  return (!frame->images.dst.on_host
      || bdct_staging_download (staging, &frame->images.dst, error))
      && (blocks->to_records == NULL || download (staging, blocks->dma_direct
              ? (void *) blocks->to_records : blocks->record_memory.host.data,
              blocks->records, plan->n * sizeof *blocks->records, error))
      && (blocks->to_sizes == NULL || download (staging,
              blocks->size_memory.host.data, blocks->sizes, plan->n_sizes,
              error))
      && (!downloads_levels (frame) || download (staging, levels->dma_direct
              ? (void *) levels->host : levels->memory.host.data,
              levels->device, frame->plan.levels.n * sizeof *levels->device,
              error));
}

void
bdct_cuda_frame_finish (BdctCudaFrame * frame, BdctStaging * staging)
{
  const BdctCudaBlocks *blocks = &frame->blocks;
  const BdctCudaResults *results = &frame->results;

  bdct_staging_finish (staging, &frame->images.dst);
  if (blocks->to_records != NULL && !blocks->dma_direct)
    memcpy (blocks->to_records, blocks->record_memory.host.data,
        frame->plan.blocks.n * sizeof *blocks->records);
  if (blocks->to_sizes != NULL)
    memcpy (blocks->to_sizes, blocks->size_memory.host.data,
        frame->plan.blocks.n_sizes);
  if (downloads_levels (frame) && !frame->levels.dma_direct)
    memcpy (frame->levels.host, frame->levels.memory.host.data,
        frame->plan.levels.n * sizeof *frame->levels.host);
  if (results->stack_sse != NULL)
    memcpy (results->stack_sse, results->stack.host.data,
        staging->layout.stack * sizeof *results->stack_sse);
  for (int i = 0; results->stack_bits != NULL && i < staging->layout.stack; i++)
    bdct_rate_price_picture ((BdctRateCounts *) results->counts.host.data + i,
        &staging->layout, &frame->jobs.quantizers[results->stack_map != NULL
            ? results->stack_map[i] : 0], results->stack_bits[i]);
}

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
bdct_cuda_frame_count (BdctCudaFrame * frame, const BdctLayout * layout,
    const BdctCudaAccumulator * first, const BdctRateCounts * first_counts,
    const BdctStats * price, BdctStats * stats)
{
  const BdctCudaResults *results = &frame->results;
  const BdctCudaAccumulator *others =
      (BdctCudaAccumulator *) frame->results.accumulators.host.data;
  const BdctJob *job = frame->jobs.quantizers;

  for (int i = 0; i < frame->plan.n_results; i++) {
    bdct_plan_begin_stats (&frame->plan, layout, job, stats + i);
    add_up (i == 0 ? first : others + (i - 1) * BDCT_CUDA_ACCUMULATORS,
        stats + i);
  }
  if (price != NULL)
    set_price (stats, price);
  else if (frame->plan.bits && results->stack_bits == NULL)
    bdct_rate_price (first_counts, layout, job, true, stats);
  for (int i = 0; results->stack_sse != NULL && i < layout->stack; i++)
    for (int k = 0; k < 3; k++)
      stats->rgb[k].sse += results->stack_sse[i][k];
  bdct_frame_metrics_finish (&frame->results.metrics, stats);
}
