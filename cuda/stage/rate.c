/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/run.h"

#include "dct/entropy/cabac-price.h"
#include "dct/entropy/huffman-symbols.h"

static bool
is_cabac (const BdctJob * job)
{
  return bdct_job_coder (job) == BDCT_CODER_CABAC;
}

/* Set where the records of the bins' counts are, from `bins` on. Returns their
 * bytes. */
static size_t
set_bins (BdctCudaWork * work, uint16_t * bins)
{
  size_t n = 0;

  for (int p = 0; p < work->n_planes; p++) {
    BdctCudaPlane *plane = &work->plane[p];
    const BdctPlaneLayout *layout = &plane->layout;
    const BdctComponentJob *own =
        &work->quantizers->component[layout->component[0]];
    const size_t columns = ((layout->width - 1) >> own->log2_width) + 1;
    const int log2_size = bdct_cabac_log2_size (own);

    plane->bins = bins == NULL ? NULL : bins + n;
    n += bdct_cabac_runs (columns << bdct_job_log2_parts (own),
        ((layout->height - 1) >> own->log2_height) + 1, log2_size)
        * bdct_cabac_slots (log2_size, layout->component[0] != BDCT_Y)
        * layout->interleave;
  }
  return n * sizeof *bins;
}

/* Get the memory of the frame's slot for its levels, by component, unless they
 * are given, and for the counts of their bins, which begin at the last. */
static bool
place (const BdctCudaFrame * frame, BdctStaging * staging,
    BdctLevel * first[BDCT_MAX_COMPONENTS + 1], BdctError * error)
{
  const BdctJob *job = frame->quantizers;
  const BdctBlockGrid *grid = frame->plan.blocks.grid;
  BdctBuffer *memory = &staging->bits[frame->sums.bits_slot];
  BdctCudaWork work = frame->work[0];
  size_t n[BDCT_MAX_COMPONENTS], size = 0;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    n[c] = frame->plan.levels.in ? 0 : (size_t) grid[c].columns * grid[c].rows
        * bdct_rate_block_levels (&job->component[c]);
    size += n[c] * sizeof (BdctLevel);
  }
  if (is_cabac (job))
    size += set_bins (&work, NULL);
  if (!bdct_buffer_grow (memory, size, staging->device, staging->engine, error))
    return false;
  first[0] = (BdctLevel *) memory->device;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    first[c + 1] = first[c] + n[c];
  return true;
}

bool
bdct_rate_place_levels (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  BdctCudaLaunch *launch = &frame->launches.launch[0];
  BdctLevel *first[BDCT_MAX_COMPONENTS + 1];

  if (!place (frame, staging, first, error))
    return false;
  for (int p = 0; p < launch->n_planes; p++) {
    BdctCudaPlane *plane = &launch->plane[p];

    for (int k = 0; k < plane->layout.interleave; k++)
      plane->levels[k] = first[plane->layout.component[k]];
  }
  return true;
}

bool
bdct_rate_enqueue (const BdctCudaFrame * frame, BdctStaging * staging,
    cudaStream_t stream, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctCudaDevice *device = staging->device->kernels;
  const BdctJob *job = frame->quantizers;
  const bool given = frame->plan.levels.in;
  const bool there = given || bdct_cuda_frame_writes_levels (frame);
  BdctLevel *first[BDCT_MAX_COMPONENTS + 1] = { NULL };
  BdctCudaWork work = frame->work[0];
  bool ok;

  if (bdct_job_is_tree (job))
    return true;
  if (!place (frame, staging, first, error))
    return false;
  for (int p = 0; p < work.n_planes; p++) {
    BdctCudaPlane *plane = &work.plane[p];
    const BdctComponent c = plane->layout.component[0];
    const BdctScan scan = bdct_scan_init (&frame->plan.blocks.grid[c],
        layout->chroma, c);

    plane->counts = bdct_cuda_frame_counts (frame);
    plane->mcu_width = scan.h;
    plane->mcu_height = scan.v;
    for (int k = 0; k < plane->layout.interleave; k++)
      plane->levels[k] = given ? bdct_cuda_frame_levels (frame,
          plane->layout.component[k]) : first[plane->layout.component[k]];
  }
  work.output = BDCT_CUDA_LEVELS;
  ok = there || bdct_cuda_run (device, &work, stream, error);
  if (!is_cabac (job)) {
    work.pictures = bdct_layout_pictures (layout);
    work.kernel = bdct_levels_find (BDCT_LEVELS_SYMBOLS);
    return ok && bdct_cuda_run (device, &work, stream, error);
  }
  set_bins (&work, (uint16_t *) first[BDCT_MAX_COMPONENTS]);
  for (int k = BDCT_CUDA_BINS; k <= BDCT_CUDA_PRICE && ok; k++) {
    work.kernel = bdct_rate_find (k);
    ok = bdct_cuda_run (device, &work, stream, error);
  }
  return ok;
}
