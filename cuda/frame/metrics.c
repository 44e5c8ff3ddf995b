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

/* The bytes of the results of all runs; and their places in a buffer of this
 * size. */
static size_t
count_results (const BdctFrameMetrics * self)
{
  size_t size = 0;

  for (int i = 0; i < self->n; i++)
    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c < self->run[i].n_planes[m]; c++)
        size += align (metrics_of[m]->results (&self->run[i].plane[m][c]));
  return size;
}

static void
place_results (BdctFrameMetrics * self, uint8_t * at)
{
  for (int i = 0; i < self->n; i++)
    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c < self->run[i].n_planes[m]; c++) {
        self->run[i].plane[m][c].memory = at;
        at += align (metrics_of[m]->results (&self->run[i].plane[m][c]));
      }
}

bool
bdct_frame_metrics_reserve (BdctFrameMetrics * self,
    const BdctStaging * staging, BdctError * error)
{
  const size_t size = count_results (self);
  const bool grows = self->results.size < size;

  /* Zeroed, as bytes between results are copied, too. */
  if (size > 0 && (!bdct_buffer_reserve (&self->results, size, true,
              staging->engine, error)
          || (grows && !bdct_cuda_check (cudaMemsetAsync
                  (self->results.device, 0, size, staging->device->stream),
                  "cudaMemsetAsync", error))))
    return false;
  place_results (self, self->results.device);
  return true;
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

/* Bytes of scratch memory for a metric. */
static size_t
count_scratch (const BdctMetricsRun * run, int m)
{
  size_t size = 0;

  for (int c = 0; c < run->n_planes[m]; c++)
    size += align (metrics_of[m]->scratch (&run->plane[m][c]));
  return size;
}

static BdctCudaMetricPlanes
gather (const BdctMetricsRun * run, int m, uint8_t * scratch)
{
  BdctCudaMetricPlanes planes = {.n = run->n_planes[m] };

  for (int c = 0; c < planes.n; c++) {
    planes.plane[c] = (BdctCudaMetricPlane) {
      .plane = run->plane[m][c],.scratch = scratch
    };
    scratch += align (metrics_of[m]->scratch (&run->plane[m][c]));
  }
  return planes;
}

bool
bdct_frame_metrics_enqueue (BdctFrameMetrics * self, int i,
    const BdctImage * rec, BdctBuffer * scratch, const BdctStaging * staging,
    BdctError * error)
{
  BdctMetricsRun *run = &self->run[i];
  BdctCudaMetricPlanes planes;

  set_picture (run, &staging->layout, rec);
  for (int m = 0; m < BDCT_N_METRICS; m++) {
    if (run->n_planes[m] == 0)
      continue;
    if (!bdct_buffer_grow (scratch, count_scratch (run, m), staging->device,
            staging->engine, error))
      return false;
    planes = gather (run, m, scratch->device);
    if (!bdct_cuda_check (metrics_of[m]->launch (&planes,
                staging->device->stream), "cudaLaunchKernel", error))
      return false;
  }
  return true;
}

bool
bdct_cuda_map_enqueue (BdctMetric metric, const BdctMetricPlane * plane,
    const BdctStaging * staging, BdctError * error)
{
  const BdctCudaMetricPlanes planes = {.plane = {{.plane = *plane}},.n = 1 };

  return bdct_cuda_check (maps_of[metric] (&planes,
          staging->device->stream), "cudaLaunchKernel", error);
}

bool
bdct_frame_metrics_download (const BdctFrameMetrics * self,
    cudaStream_t stream, BdctError * error)
{
  const size_t size = count_results (self);

  return size == 0 || bdct_cuda_check (cudaMemcpyAsync
      (self->results.host.data, self->results.device, size,
          cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync", error);
}

void
bdct_frame_metrics_finish (BdctFrameMetrics * self, BdctStats * stats)
{
  place_results (self, self->results.host.data);
  for (int i = 0; i < self->n; i++)
    bdct_metrics_finish (&self->run[i], &stats[i]);
}
