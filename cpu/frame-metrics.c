/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metrics of a frame on the CPU engine: their memory, and their stages. */
#include "state.h"

#include <stdlib.h>
#include "cpu/read.h"

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

/* Let task `k` of its group make a picture, and describe its metrics. */
static bool
prepare_task (CpuEngine * self, CpuFrame * frame, CpuTask * task, int k,
    BdctMetricsTask * what)
{
  const BdctLayout *layout = &self->layout;
  CpuMemory *memory = &frame->memory;
  size_t size;

  what->rec = task->rec;
  if (what->rec.data[0] == NULL && !bdct_cpu_alloc_image (layout, true,
          &memory->pictures[k], &what->rec))
    return false;
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      task->plane[layout->plane[p].component[i]].dst =
          bdct_image_samples (&what->rec, layout, p, i);
  size = bdct_metrics_init (&task->metrics, *self->kernel->metrics, what);
  if (size > memory->metrics_size[k]) {
    free (memory->metrics[k]);
    memory->metrics[k] = aligned_alloc (64, size);
    memory->metrics_size[k] = memory->metrics[k] != NULL ? size : 0;
  }
  return size <= memory->metrics_size[k];
}

bool
bdct_cpu_prepare_metrics (CpuEngine * self, CpuFrame * frame)
{
  const BdctPlan *plan = &frame->plan;
  BdctMetricsTask what = {
    .layout = &self->layout,
    .src = frame->image[BDCT_PLAN_PLANES],
    .frame_rate = plan->metrics.frame_rate,
  };

  if (plan->metrics.history.needed
      && !prepare_history (self, frame, what.luma))
    return false;
  if ((plan->metrics.first | plan->metrics.others) == 0)
    return true;
  for (int g = 0; g < plan->jobs.n_groups; g++)
    for (int k = 0; k < plan->jobs.group[g].n; k++) {
      CpuTask *task = frame->group[g].task[k];

      what.metrics = bdct_plan_metrics (plan,
          plan->jobs.order[plan->jobs.group[g].first + k]);
      if (what.metrics == 0)
        bdct_metrics_init (&task->metrics, *self->kernel->metrics, &what);
      else if (!prepare_task (self, frame, task, k, &what))
        return false;
    }
  /* The groups use this memory one after the other. */
  for (int g = 0; g < plan->jobs.n_groups; g++)
    for (int k = 0; k < plan->jobs.group[g].n; k++)
      bdct_metrics_place (&frame->group[g].task[k]->metrics,
          frame->memory.metrics[k]);
  return true;
}

int
bdct_cpu_count_history (const CpuEngine * self)
{
  return (self->layout.plane[0].height + HISTORY_STRIP - 1) / HISTORY_STRIP;
}

void
bdct_cpu_copy_history (const CpuFrame * frame, int number)
{
  const BdctMetricPlane *luma = &frame->luma;
  uint16_t *to = luma->memory;

  for (int y = number * HISTORY_STRIP; y < luma->height
      && y < (number + 1) * HISTORY_STRIP; y++)
    bdct_metric_read (luma, &luma->src, y, 0, luma->width,
        to + (size_t) y * luma->width);
}

bool
bdct_cpu_has_history (const CpuEngine * self, unsigned i)
{
  const CpuFrame *frame = &self->frames[(self->oldest + i) % self->depth];

  if (!frame->plan.metrics.history.needed
      || frame->stages.stage[frame->stages.now].kind != STAGE_METRICS)
    return true;
  while (i-- > 0) {
    const CpuFrame *before = &self->frames[(self->oldest + i) % self->depth];

    if (before->stages.now < before->history_stage)
      return false;
  }
  return true;
}

int
bdct_cpu_count_metrics (const CpuGroup * group, int step)
{
  int n = 0;

  for (int i = 0; i < group->n; i++)
    n += bdct_metrics_count (&group->task[i]->metrics, step);
  return n;
}

void
bdct_cpu_work_on_metrics (const CpuGroup * group, int step, int number,
    void *scratch)
{
  const BdctMetricsRun *run;
  int i = 0;

  for (; number >= bdct_metrics_count (&group->task[i]->metrics, step); i++)
    number -= bdct_metrics_count (&group->task[i]->metrics, step);
  run = &group->task[i]->metrics;
  bdct_metrics_work (run, step, number, scratch);
}

void
bdct_cpu_finish_metrics (const CpuGroup * group, int number)
{
  bdct_metrics_finish (&group->task[number]->metrics,
      &group->task[number]->stats);
}
