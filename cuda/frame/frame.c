/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

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
  bdct_buffer_free (&slot->compared, in_context);
  bdct_buffer_free (&slot->map, in_context);
  bdct_buffer_free (&slot->records, in_context);
  bdct_buffer_free (&slot->sizes, in_context);
  bdct_buffer_free (&slot->cells, in_context);
  bdct_buffer_free (&slot->counts, in_context);
  for (int i = 0; i <= BDCT_MAX_DISTORTED; i++) {
    bdct_buffer_free (&slot->given.end[i].buffer, in_context);
    bdct_buffer_free (&slot->given.packed[i], in_context);
  }
  bdct_buffer_free (&slot->given.metric_map, in_context);
  bdct_buffer_free (&slot->given.base, in_context);
  bdct_frame_metrics_clear (&slot->metrics, in_context);
  free (slot->trials);
}

void
bdct_slot_describe_planes (const BdctSlot * slot, const BdctLayout * layout,
    BdctCudaWork * work)
{
  memset (work, 0, sizeof *work);
  work->n_planes = layout->n_planes;
  for (int p = 0; p < layout->n_planes; p++) {
    work->plane[p].layout = layout->plane[p];
    work->plane[p].last_column = (layout->rgb.n_planes > 0
        ? (int) slot->planes.stride[p] : layout->plane[p].width) - 1;
    work->plane[p].src = bdct_image_samples (&slot->planes, layout, p, 0);
  }
}

void
bdct_slot_set_cells (BdctCudaWork * work, BdctCudaAccumulator * cells)
{
  for (int p = 0; p < work->n_planes; p++)
    work->plane[p].cells = cells;
}

const BdctJob *
bdct_slot_job (const BdctSlot * slot, int i)
{
  return i == 0 ? slot->quantizers : &slot->trials[i - 1].job;
}

BdctCudaAccumulator *
bdct_slot_cells (const BdctSlot * slot, int i)
{
  return i == 0 ? slot->rd.cells
      : (BdctCudaAccumulator *) slot->cells.device + (i -
      1) * BDCT_CUDA_ACCUMULATORS;
}

void
bdct_slot_describe (const BdctSlot * slot, const BdctLayout * layout, int i,
    BdctCudaWork * work)
{
  if (i == 0) {
    *work = slot->work;
    return;
  }
  bdct_slot_describe_planes (slot, layout, work);
  work->quantizers = bdct_slot_job (slot, i);
  work->n_quantizers = 1;
}

void
bdct_slot_describe_other (const BdctSlot * slot, const BdctLayout * layout,
    int i, BdctCudaWork * work)
{
  bdct_slot_describe (slot, layout, 1 + i, work);
  bdct_slot_set_cells (work, bdct_slot_cells (slot, 1 + i));
}

bool
bdct_slot_splits (const BdctSlot * slot)
{
  return slot->given.n == 0 && slot->colour.layout.rgb.n_planes > 0;
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
      && (slot->blocks == NULL || check (cudaMemcpyAsync (slot->dma_direct
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
  if (slot->blocks != NULL && !slot->dma_direct)
    memcpy (slot->blocks, slot->records.host.data,
        slot->n_blocks * sizeof *slot->blocks);
  if (slot->asked_sizes != NULL)
    memcpy (slot->asked_sizes, slot->sizes.host.data, slot->n_sizes);
}

static void
count (const BdctLayout * layout, const BdctJob * job,
    const BdctCudaAccumulator * cells, BdctStats * stats)
{
  memset (stats, 0, sizeof *stats);
  bdct_engine_count (layout, job, stats);
  for (int i = 0; i < BDCT_CUDA_ACCUMULATORS; i++) {
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += cells[i].sse[c];
      stats->component[c].nonzero += cells[i].nonzero[c];
      stats->component[c].levels += cells[i].levels[c];
    }
    for (int n = 0; n < BDCT_TREE_SIZES; n++)
      stats->area[n] += cells[i].area[n];
  }
}

static void
count_rgb (const BdctCudaAccumulator * cells, BdctStats * stats)
{
  for (int k = 0; k < 3; k++) {
    stats->rgb[k].samples = stats->component[BDCT_Y].samples;
    for (int i = 0; i < BDCT_CUDA_ACCUMULATORS; i++)
      stats->rgb[k].sse += cells[i].rgb_sse[k];
  }
}

void
bdct_slot_count (BdctSlot * slot, const BdctLayout * layout,
    const BdctCudaAccumulator * cells, BdctStats * stats)
{
  const BdctCudaAccumulator *trials =
      (BdctCudaAccumulator *) slot->cells.host.data;
  const bool given = slot->given.n > 0;

  for (int i = 0; i <= slot->n_trials; i++) {
    const BdctCudaAccumulator *own = i == 0 ? cells
        : trials + (i - 1) * BDCT_CUDA_ACCUMULATORS;

    count (layout, given ? NULL : bdct_slot_job (slot, i), own, stats + i);
    if (given ? slot->given.errors && layout->rgb.n_planes > 0
        : i == 0 && bdct_slot_joins (slot))
      count_rgb (own, stats + i);
  }
  for (int i = 0; slot->rate && i <= slot->n_trials; i++)
    bdct_rate_price ((BdctRateCounts *) slot->counts.host.data + i, layout,
        bdct_slot_job (slot, i), i == 0 || slot->trial_files, stats + i);
  bdct_frame_metrics_finish (&slot->metrics, stats);
}
