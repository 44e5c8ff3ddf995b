/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include <math.h>
#include <string.h>

void
bdct_metrics_describe (BdctMetricPlane * to, const BdctMetricsInput * task,
    int plane, int i)
{
  const BdctPlaneLayout *layout = &task->layout->plane[plane];
  const BdctComponent c = layout->component[i];

  *to = (BdctMetricPlane) {
    .component = c,
    .depth = task->layout->depth,
    .width = layout->width,
    .height = layout->height,
    .step = layout->interleave,
    .shift = layout->shift,
    .src = bdct_image_samples (&task->src, task->layout, plane, i),
    .rec = bdct_image_samples (&task->rec, task->layout, plane, i),
    .luma = {task->luma[0], task->luma[1], task->luma[2]},
    .luma_width = task->layout->plane[0].width,
    .luma_height = task->layout->plane[0].height,
    .frame_rate = task->frame_rate,
  };
}

/* The bytes from a plane's memory to the next plane's. */
static size_t
get_size (const BdctMetricsRun * run, int metric, int c)
{
  const BdctMetricKernel *kernel = run->kernels[metric];

  return kernel->memory == NULL ? 0
      : ((*kernel->memory) (&run->plane[metric][c]) + 63) & ~(size_t) 63;
}

void
bdct_metrics_place (BdctMetricsRun * run, uint8_t * memory)
{
  for (int m = 0; m < BDCT_N_METRICS; m++)
    for (int c = 0; c < run->n_planes[m]; c++) {
      run->plane[m][c].memory = memory;
      memory += get_size (run, m, c);
    }
}

size_t
bdct_metrics_init (BdctMetricsRun * run,
    const BdctMetricKernel * const *kernels, const BdctMetricsInput * task)
{
  const BdctLayout *layout = task->layout;
  size_t size = 0;

  run->kernels = kernels;
  run->metrics = task->metrics;
  for (int m = 0; m < BDCT_N_METRICS; m++) {
    run->n_planes[m] = 0;
    for (int p = 0; p < layout->n_planes; p++)
      for (int i = 0; i < layout->plane[p].interleave; i++) {
        const int c = layout->plane[p].component[i];

        if (!(task->metrics >> m & 1)
            || bdct_metric_info (m)->figure[c] == NULL)
          continue;
        bdct_metrics_describe (&run->plane[m][c], task, p, i);
        run->n_planes[m]++;
      }
  }
  for (int m = 0; m < BDCT_N_METRICS && kernels != NULL; m++)
    for (int c = 0; c < run->n_planes[m]; c++)
      size += get_size (run, m, c);
  return size;
}

static int
count_pieces (const BdctMetricsRun * run, int m, int c, int stage)
{
  return stage >= bdct_metric_stages (m) ? 0
      : run->kernels[m]->count (&run->plane[m][c], stage);
}

int
bdct_metrics_count (const BdctMetricsRun * run, int stage)
{
  int n = 0;

  for (int m = 0; m < BDCT_N_METRICS; m++)
    for (int c = 0; c < run->n_planes[m]; c++)
      n += count_pieces (run, m, c, stage);
  return n;
}

void
bdct_metrics_work (const BdctMetricsRun * run, int stage, int piece,
    void *scratch)
{
  for (int m = 0; m < BDCT_N_METRICS; m++)
    for (int c = 0; c < run->n_planes[m]; c++) {
      const int n = count_pieces (run, m, c, stage);

      if (piece < n) {
        run->kernels[m]->work (&run->plane[m][c], stage, piece, scratch);
        return;
      }
      piece -= n;
    }
}

static int64_t
get_billionths (double value)
{
  const double billionths = rint (value * 1e9);

  return fabs (billionths) < 0x1p63 ? (int64_t) billionths : INT64_MAX;
}

void
bdct_metrics_finish (const BdctMetricsRun * run, BdctStats * stats)
{
  stats->metrics = run->metrics;
  memset (stats->metric, 0, sizeof stats->metric);
  for (int m = 0; m < BDCT_N_METRICS; m++) {
    if (run->n_planes[m] > 0)
      bdct_metric_finish (m, run->plane[m], run->n_planes[m],
          stats->metric[m]);
    for (int c = 0; c <= BDCT_METRIC_ALL; c++)
      stats->billionths[m][c] = get_billionths (stats->metric[m][c]);
  }
}
