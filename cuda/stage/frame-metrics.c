/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame-metrics.h"

#include "cuda/kernels/metric.h"
#include "rd.h"

/* Other jobs whose pictures there are at a time: as many as share a launch. */
#define MAX_PICTURES BDCT_CUDA_MAX_PLANES

static int
min (int a, int b)
{
  return a < b ? a : b;
}

bool
bdct_compare_describe (BdctSlot * slot, const BdctStaging * staging,
    const BdctFrame * frame, BdctError * error)
{
  BdctMetricsTask task = {
    .layout = &staging->layout,
    .src = slot->planes,
    .frame_rate = frame->frame_rate,
  };
  int n;

  slot->metrics_of_trials = frame->trial_metrics != 0 && frame->n_trials > 0;
  n = slot->metrics_of_trials ? 1 + slot->n_trials : frame->metrics != 0;
  if (!bdct_frame_metrics_reset (&slot->metrics, n, error))
    return false;
  for (int i = 0; i < n; i++) {
    task.job = bdct_slot_job (slot, i);
    task.metrics = i == 0 ? frame->metrics : frame->trial_metrics;
    if (task.metrics != 0)
      bdct_frame_metrics_describe (&slot->metrics, i, &task);
  }
  return bdct_frame_metrics_reserve (&slot->metrics, staging, error);
}

/* Keep a frame's luma, unless it is there from when it came before with its
 * number. */
static bool
keep (const BdctSlot * slot, const BdctStaging * staging, BdctKept * own,
    BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctPlaneLayout *plane = &layout->plane[0];
  BdctMetricPlane luma = {
    .depth = layout->depth,
    .width = plane->width,
    .height = plane->height,
    .step = 1,
    .shift = plane->shift,
    .src = bdct_image_samples (&slot->planes, layout, 0, 0),
  };
  BdctError why;

  if (own->there && own->number == slot->number)
    return true;
  own->there = false;
  if (!bdct_buffer_reserve (&own->samples, (size_t) plane->width
          * plane->height * sizeof (uint16_t), false, staging->engine, &why))
    return bdct_error (error, "a frame's luma, for the XPSNR of those after "
        "it: %s", why.message);
  luma.memory = own->samples.device;
  if (!bdct_cuda_check (bdct_cuda_xpsnr_keep (&luma, staging->device->stream),
          "cudaLaunchKernel", error))
    return false;
  own->number = slot->number;
  own->there = true;
  return true;
}

bool
bdct_compare_place_luma (const BdctSlot * slot, const BdctStaging * staging,
    BdctCompareMemory * memory, const uint16_t * luma[3], BdctError * error)
{
  const unsigned n = memory->n_kept;

  if (!slot->keeps)
    return true;
  if (!keep (slot, staging, &memory->kept[slot->number % n], error))
    return false;
  for (unsigned i = 0; i < 3 && i <= slot->number; i++) {
    const BdctKept *kept = &memory->kept[(slot->number - i) % n];

    if (kept->there && kept->number == slot->number - i)
      luma[i] = (const uint16_t *) kept->samples.device;
  }
  return true;
}

/* Have the trials from `first` on make their pictures. */
static bool
make_pictures (BdctSlot * slot, const BdctStaging * staging, int first, int n,
    const BdctImage * pictures, BdctBuffer * rd, BdctError * error)
{
  const BdctCudaLaunch *passes[MAX_PICTURES];
  int n_passes = 0;

  for (int i = 0; i < n; i++) {
    BdctTrial *other = &slot->trials[first + i];
    BdctCudaWork work;

    if (bdct_job_is_rd (&other->job)) {
      if (!bdct_rd_enqueue (slot, 1 + first + i, &pictures[i], staging,
              rd, error))
        return false;
      continue;
    }
    bdct_slot_describe_other (slot, &staging->layout, first + i, &work);
    for (int p = 0; p < work.n_planes; p++)
      work.plane[p].dst = bdct_image_samples (&pictures[i], &staging->layout,
          p, 0);
    if (bdct_cuda_plan (staging->device->kernels, &work, &other->pass,
            error) == 0)
      return false;
    passes[n_passes++] = &other->pass;
  }
  return bdct_cuda_check (bdct_cuda_launch (passes, n_passes,
          staging->device->kernels, staging->device->stream),
      "cudaLaunchKernel", error);
}

/* Have so many pictures. */
static bool
place_pictures (BdctBuffer * memory, const BdctStaging * staging,
    BdctImage * pictures, int n, BdctError * error)
{
  const size_t size = (bdct_staging_picture_size (staging) + 255)
      & ~(size_t) 255;
  BdctError why;

  if (!bdct_buffer_grow (memory, n * size, staging->device, staging->engine,
          &why))
    return bdct_error (error, "the pictures of %d settings, for their "
        "metrics: %s", n, why.message);
  for (int i = 0; i < n; i++)
    pictures[i] = bdct_staging_picture (staging, memory->device + i * size);
  return true;
}

static bool
enqueue_others (BdctSlot * slot, const BdctStaging * staging,
    const uint16_t * const luma[3], BdctCompareMemory * memory,
    BdctBuffer * rd, BdctError * error)
{
  const int n = min (slot->n_trials,
      BDCT_CUDA_MAX_PLANES / staging->layout.n_planes);
  BdctImage pictures[MAX_PICTURES];

  if (!place_pictures (&memory->pictures, staging, pictures, n, error))
    return false;
  for (int first = 0; first < slot->n_trials; first += n) {
    const int here = min (n, slot->n_trials - first);

    if (!make_pictures (slot, staging, first, here, pictures, rd, error))
      return false;
    for (int i = 0; i < here; i++)
      if (!bdct_frame_metrics_enqueue (&slot->metrics, 1 + first + i,
              &pictures[i], luma, &memory->scratch, staging, error))
        return false;
  }
  return true;
}

bool
bdct_compare_enqueue (BdctSlot * slot, const BdctStaging * staging,
    BdctCompareMemory * memory, BdctBuffer * rd, BdctError * error)
{
  const uint16_t *luma[3] = { NULL, NULL, NULL };

  return bdct_compare_place_luma (slot, staging, memory, luma, error)
      && (slot->metrics.n == 0
      || (bdct_frame_metrics_enqueue (&slot->metrics, 0, &slot->rec, luma,
              &memory->scratch, staging, error)
          && (!slot->metrics_of_trials
              || enqueue_others (slot, staging, luma, memory, rd,
                  error))));
}

void
bdct_compare_clear (BdctCompareMemory * memory, bool in_context)
{
  bdct_buffer_free (&memory->scratch, in_context);
  bdct_buffer_free (&memory->pictures, in_context);
  for (unsigned i = 0; i < memory->n_kept; i++) {
    bdct_buffer_free (&memory->kept[i].samples, in_context);
    memory->kept[i].there = false;
  }
}
