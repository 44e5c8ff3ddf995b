/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metrics of a frame on the CPU engine: their memory, and their stages. */
#include "state.h"

#include <stdlib.h>
#include "cpu/read.h"
#include "dct/base/min.h"

/* Rows of luma that are copied to the history in one piece. */
#define HISTORY_STRIP 64

/* Get the history's place for the frame's luma, and find the luma of earlier
 * frames. */
static bool
prepare_history (CpuEngine * self, CpuFrame * frame, const uint16_t * luma[3])
{
  const BdctHistoryUse *use = &frame->plan.metrics.history;
  const BdctPlaneLayout *layout = &self->layout.plane[0];
  uint16_t **own = &self->luma[use->own];

  if (*own == NULL)
    *own = malloc ((size_t) layout->width * layout->height * sizeof **own);
  if (*own == NULL)
    return false;
  for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
    luma[i] = use->of[i] >= 0 ? self->luma[use->of[i]] : NULL;
  frame->luma = (BdctMetricPlane) {
    .depth = self->layout.depth,
    .width = layout->width,
    .height = layout->height,
    .step = 1,
    .shift = layout->shift,
    .src = bdct_image_samples (&frame->image[BDCT_PLAN_PLANES],
        &self->layout, 0, 0),
    .memory = *own,
  };
  return true;
}

bool
bdct_cpu_prepare_metrics (CpuEngine * self, CpuFrame * frame)
{
  const BdctPlan *plan = &frame->plan;
  const BdctImage *rec = &frame->image[plan->n_distorted > 0
      ? BDCT_PLAN_PLANES + 1 : BDCT_PLAN_RECONSTRUCTION];
  CpuMemory *memory = &frame->memory;
  BdctMetricsInput what = {
    .layout = &self->layout,
    .src = frame->image[BDCT_PLAN_PLANES],
    .frame_rate = plan->metrics.frame_rate,
    .metrics = plan->metrics.wanted,
  };

  if (plan->metrics.history.needed
      && !prepare_history (self, frame, what.luma))
    return false;
  for (int i = 0; what.metrics != 0 && i < plan->n_results; i++) {
    size_t size;

    what.rec = rec[i];
    size = bdct_metrics_init (&frame->task[i]->metrics, *self->kernel->metrics,
        &what);
    if (size > memory->metrics_size[i]) {
      free (memory->metrics[i]);
      memory->metrics[i] = aligned_alloc (64, size);
      memory->metrics_size[i] = memory->metrics[i] != NULL ? size : 0;
    }
    if (size > memory->metrics_size[i])
      return false;
    bdct_metrics_place (&frame->task[i]->metrics, memory->metrics[i]);
  }
  return true;
}

int
bdct_cpu_count_history (const CpuEngine * self, const CpuFrame * frame,
    int part)
{
  return (self->layout.plane[0].height + HISTORY_STRIP - 1) / HISTORY_STRIP;
}

void
bdct_cpu_copy_history (CpuEngine * self, Piece * piece)
{
  const BdctMetricPlane *luma = &piece->frame->luma;
  const int y0 = piece->number * HISTORY_STRIP;
  uint16_t *to = luma->memory;

  for (int y = y0; y < bdct_min (y0 + HISTORY_STRIP, luma->height); y++)
    bdct_metric_read (luma, &luma->src, y, 0, luma->width,
        to + (size_t) y * luma->width);
}

bool
bdct_cpu_has_history (const CpuEngine * self, unsigned i)
{
  const CpuFrame *frame = &self->frames[(self->oldest + i) % self->depth];

  if (!frame->plan.metrics.history.needed
      || frame->stages.stage[frame->stages.now].kind != BDCT_STEP_METRICS)
    return true;
  while (i-- > 0) {
    const CpuFrame *before = &self->frames[(self->oldest + i) % self->depth];

    if (before->stages.now < before->history_stage)
      return false;
  }
  return true;
}

/* The last part computes the figures. */
int
bdct_cpu_count_metrics (const CpuEngine * self, const CpuFrame * frame,
    int part)
{
  int n = 0;

  if (part == BDCT_METRIC_STAGES)
    return frame->plan.n_results;
  for (int i = 0; i < frame->plan.n_results; i++)
    n += bdct_metrics_count (&frame->task[i]->metrics, part);
  return n;
}

void
bdct_cpu_work_on_metrics (CpuEngine * self, Piece * piece)
{
  CpuTask *const *task = piece->frame->task;
  const int part = piece->stage->part;
  int number = piece->number, n;

  if (part == BDCT_METRIC_STAGES) {
    bdct_metrics_finish (&task[number]->metrics, &task[number]->stats);
    return;
  }
  for (; number >= (n = bdct_metrics_count (&(*task)->metrics, part)); task++)
    number -= n;
  bdct_metrics_work (&(*task)->metrics, part, number,
      bdct_cpu_scratch (self, piece));
}
