/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include "cuda/kernels/metric.h"

static const BdctCudaMetric *const metrics_of[BDCT_N_METRICS] = {
  [BDCT_METRIC_SSIM] = &bdct_cuda_ssim,
  [BDCT_METRIC_MS_SSIM] = &bdct_cuda_ms_ssim,
  [BDCT_METRIC_PSNR_HVS] = &bdct_cuda_psnr_hvs,
  [BDCT_METRIC_XPSNR] = &bdct_cuda_xpsnr,
};

static cudaError_t (*const maps_of[BDCT_N_METRICS])
    (const BdctCudaMetricPlanes * planes, cudaStream_t stream) = {
  [BDCT_METRIC_SSIM] = bdct_cuda_ssim_map,
  [BDCT_METRIC_PSNR_HVS] = bdct_cuda_psnr_hvs_map,
};

/* The next free place in a buffer, after this many bytes. */
static size_t
align (size_t size)
{
  return (size + 255) & ~(size_t) 255;
}

/* The runs; a frame without metrics has none. */
static int
count_runs (const BdctCudaFrame * frame)
{
  return frame->plan.metrics.wanted != 0 ? frame->plan.n_results : 0;
}

/* Set the places of all results, one behind the other from `memory` on. Returns
 * their bytes. */
static size_t
place_results (BdctCudaFrame * frame, uint8_t * memory)
{
  size_t size = 0;

  for (int i = 0; i < count_runs (frame); i++)
    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c < frame->metrics[i].n_planes[m]; c++) {
        BdctMetricPlane *plane = &frame->metrics[i].plane[m][c];

        plane->memory = memory != NULL ? memory + size : NULL;
        size += align (metrics_of[m]->results (plane));
      }
  return size;
}

/* Memory for the frame's luma in the history; find the luma of earlier frames.
 */
static bool
place_history (const BdctHistoryUse * use, BdctStaging * staging,
    const uint16_t * luma[3], BdctError * error)
{
  const BdctPlaneLayout *plane = &staging->layout.plane[0];
  BdctError why;

  if (!bdct_buffer_reserve (&staging->luma[use->own], (size_t) plane->width
          * plane->height * sizeof (uint16_t), false, staging->engine, &why))
    return bdct_error (error, "a frame's luma for the XPSNR of later frames: "
        "%s", why.message);
  for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
    luma[i] = use->of[i] < 0 ? NULL
        : (const uint16_t *) staging->luma[use->of[i]].device;
  return true;
}

bool
bdct_frame_metrics_place (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctPlanMetrics *wanted = &frame->plan.metrics;
  const BdctBuffer *memory = &frame->array[BDCT_ARRAY_METRICS].memory;
  const size_t had = memory->size;
  BdctMetricsInput task = {
    .layout = &staging->layout,
    .src = frame->image[BDCT_PLAN_PLANES],
    .frame_rate = wanted->frame_rate,
    .metrics = wanted->wanted,
  };
  size_t size;

  if (wanted->history.needed
      && !place_history (&wanted->history, staging, task.luma, error))
    return false;
  for (int i = 0; i < count_runs (frame); i++)
    bdct_metrics_init (&frame->metrics[i], NULL, &task);
  size = place_results (frame, NULL);
  if (size == 0)
    return true;
  /* Zeroed, as bytes between results are copied, too. */
  if (!bdct_cuda_frame_place_array (frame, BDCT_ARRAY_METRICS, size,
          BDCT_COMES_DOWN, NULL, staging, error)
      || (had < size && !bdct_cuda_check (cudaMemsetAsync (memory->device, 0,
                  size, staging->device->stream), "cudaMemsetAsync", error)))
    return false;
  place_results (frame, memory->device);
  return true;
}

bool
bdct_frame_copy_history (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctMetricsInput task = {
    .layout = &staging->layout,.src = frame->image[BDCT_PLAN_PLANES]
  };
  BdctMetricPlane luma;

  bdct_metrics_describe (&luma, &task, 0, 0);
  luma.memory = staging->luma[frame->plan.metrics.history.own].device;
  return bdct_cuda_check (bdct_cuda_history_copy (&luma,
          staging->device->stream), "cudaLaunchKernel", error);
}

static void
set_picture (BdctMetricsRun * run, const BdctLayout * layout,
    const BdctImage * rec)
{
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      for (int m = 0; m < BDCT_N_METRICS; m++) {
        const int c = layout->plane[p].component[i];

        if (c < run->n_planes[m])
          run->plane[m][c].rec = bdct_image_samples (rec, layout, p, i);
      }
}

/* Enqueue one metric. Metrics use the scratch memory one after the other. */
static bool
run_metric (const BdctMetricsRun * run, int m, BdctStaging * staging,
    BdctError * error)
{
  BdctBuffer *scratch = &staging->scratch;
  BdctCudaMetricPlanes planes = {.n = run->n_planes[m] };
  size_t at[BDCT_MAX_COMPONENTS + 1] = { 0 };

  for (int c = 0; c < planes.n; c++)
    at[c + 1] = at[c] + align (metrics_of[m]->scratch (&run->plane[m][c]));
  if (!bdct_buffer_grow (scratch, at[planes.n], staging->device,
          staging->engine, error))
    return false;
  for (int c = 0; c < planes.n; c++)
    planes.plane[c] = (BdctCudaMetricPlane) {
      .plane = run->plane[m][c],.scratch = scratch->device + at[c]
    };
  return bdct_cuda_check (metrics_of[m]->launch (&planes,
          staging->device->stream), "cudaLaunchKernel", error);
}

bool
bdct_frame_run_metrics (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctImage *rec = &frame->image[frame->plan.n_distorted > 0
      ? BDCT_PLAN_PLANES + 1 : BDCT_PLAN_RECONSTRUCTION];

  for (int i = 0; i < count_runs (frame); i++) {
    set_picture (&frame->metrics[i], &staging->layout, &rec[i]);
    for (int m = 0; m < BDCT_N_METRICS; m++)
      if (frame->metrics[i].n_planes[m] > 0
          && !run_metric (&frame->metrics[i], m, staging, error))
        return false;
  }
  return true;
}

BdctMetricsInput
bdct_frame_shown (const BdctCudaFrame * frame, const BdctStaging * staging)
{
  const BdctPlanView *view = &frame->plan.view;

  return (BdctMetricsInput) {
    .layout = &staging->layout,
    .src = frame->image[BDCT_PLAN_PLANES + view->left],
    .rec = frame->image[BDCT_PLAN_PLANES + view->right],
  };
}

bool
bdct_frame_make_map (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctMetricsInput task = bdct_frame_shown (frame, staging);
  BdctCudaMetricPlanes planes = {.n = 1 };

  bdct_metrics_describe (&planes.plane[0].plane, &task, 0, 0);
  planes.plane[0].plane.memory = frame->array[BDCT_ARRAY_METRIC_MAP].device;
  return bdct_cuda_check (maps_of[bdct_view_metric (frame->plan.view.view.
              mode)] (&planes, staging->device->stream), "cudaLaunchKernel",
      error);
}

void
bdct_frame_metrics_finish (BdctCudaFrame * frame, BdctStats * stats)
{
  place_results (frame, frame->array[BDCT_ARRAY_METRICS].memory.host);
  for (int i = 0; i < count_runs (frame); i++)
    bdct_metrics_finish (&frame->metrics[i], &stats[i]);
}
