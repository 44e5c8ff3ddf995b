/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metrics of a frame on the CPU engine: what they need, their stages. */
#include "state.h"

#include <stdlib.h>
#include "cpu/metrics/read.h"

/* Rows of luma that are kept in one piece. */
#define KEEP_STRIP 64

/* Whether a pass of a frame has metrics, and which. */
static unsigned
get_metrics (const Slot * slot, const Pass * pass)
{
  return pass == slot->pass[0] ? slot->metrics : slot->trial_metrics;
}

/* The luma that a frame keeps, and those before it. */
static bool
prepare_kept (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctImage * src, const uint16_t * luma[3])
{
  const BdctPlaneLayout *layout = &self->layout.plane[0];
  const unsigned n = self->depth + BDCT_MORE_KEPT;
  Kept *own = &self->kept[frame->number % n];

  /* With the number of a frame before, as trials have it, it is kept
   * already, or will be. */
  slot->keeps = !own->there || own->number != frame->number;
  if (own->samples == NULL)
    own->samples = malloc ((size_t) layout->width * layout->height
        * sizeof *own->samples);
  if (own->samples == NULL)
    return false;
  own->number = frame->number;
  own->there = true;
  for (unsigned i = 0; i < 3 && i <= frame->number; i++) {
    const Kept *kept = &self->kept[(frame->number - i) % n];

    if (kept->there && kept->number == frame->number - i)
      luma[i] = kept->samples;
  }
  slot->luma = (BdctMetricPlane) {
    .depth = self->layout.depth,
    .width = layout->width,
    .height = layout->height,
    .step = 1,
    .shift = layout->shift,
    .src = bdct_image_samples (src, &self->layout, 0, 0),
    .memory = own->samples,
  };
  return true;
}

/* Have a pass, the k-th in its batch, make a picture, and compare it. */
static bool
prepare_pass (CpuEngine * self, Slot * slot, Pass * pass, int k,
    BdctMetricsTask * task)
{
  const BdctLayout *layout = &self->layout;
  size_t size;

  task->job = &pass->job;
  task->metrics = get_metrics (slot, pass);
  if (task->rec.data[0] == NULL
      && !bdct_cpu_own_image (self, &slot->pictures[k], &task->rec))
    return false;
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      pass->plane[layout->plane[p].component[i]].dst =
          bdct_image_samples (&task->rec, layout, p, i);
  size = bdct_metrics_init (&pass->metrics, *self->kernel->metrics, task);
  if (size > slot->metric_size[k]) {
    free (slot->metric_memory[k]);
    slot->metric_memory[k] = aligned_alloc (64, size);
    slot->metric_size[k] = slot->metric_memory[k] != NULL ? size : 0;
  }
  return size <= slot->metric_size[k];
}

bool
bdct_cpu_prepare_metrics (CpuEngine * self, Slot * slot,
    const BdctFrame * frame, const BdctImage * src)
{
  const unsigned any = frame->metrics | frame->trial_metrics;
  BdctMetricsTask task = {
    .layout = &self->layout,
    .src = *src,
    .frame_rate = frame->frame_rate,
  };

  slot->metrics = frame->metrics;
  slot->trial_metrics = frame->trial_metrics;
  slot->kept_stage = 0;
  slot->keeps = false;
  slot->needs_kept = any >> BDCT_METRIC_XPSNR & 1;
  if (slot->needs_kept
      && !prepare_kept (self, slot, frame, src, task.luma))
    return false;
  for (int i = 0; i < slot->n_batches && any != 0; i++)
    for (int k = 0; k < slot->batch[i].n; k++) {
      Pass *pass = slot->batch[i].pass[k];

      task.rec = pass->rec;
      if (get_metrics (slot, pass) != 0
          && !prepare_pass (self, slot, pass, k, &task))
        return false;
    }
  /* What batches share one after the other has its place now. */
  for (int i = 0; i < slot->n_batches && any != 0; i++)
    for (int k = 0; k < slot->batch[i].n; k++)
      if (get_metrics (slot, slot->batch[i].pass[k]) != 0)
        bdct_metrics_place (&slot->batch[i].pass[k]->metrics,
            slot->metric_memory[k]);
  return true;
}

int
bdct_cpu_count_kept (const CpuEngine * self, const Slot * slot)
{
  return slot->keeps
      ? (self->layout.plane[0].height + KEEP_STRIP - 1) / KEEP_STRIP : 0;
}

void
bdct_cpu_keep (const Slot * slot, int number)
{
  const BdctMetricPlane *luma = &slot->luma;
  uint16_t *to = luma->memory;

  for (int y = number * KEEP_STRIP; y < luma->height
      && y < (number + 1) * KEEP_STRIP; y++)
    bdct_metric_read (luma, &luma->src, y, 0, luma->width,
        to + (size_t) y * luma->width);
}

bool
bdct_cpu_has_kept (const CpuEngine * self, unsigned i)
{
  const Slot *slot = &self->slots[(self->oldest + i) % self->depth];

  if (!slot->needs_kept || slot->stages[slot->stage].kind != STAGE_METRICS)
    return true;
  while (i-- > 0) {
    const Slot *before = &self->slots[(self->oldest + i) % self->depth];

    if (before->stage < before->kept_stage)
      return false;
  }
  return true;
}

static int
count_pieces (const Slot * slot, const Pass * pass, int step)
{
  return get_metrics (slot, pass) == 0 ? 0
      : bdct_metrics_count (&pass->metrics, step);
}

int
bdct_cpu_count_metrics (const Slot * slot, const Batch * batch, int step)
{
  int n = 0;

  for (int i = 0; i < batch->n; i++)
    n += count_pieces (slot, batch->pass[i], step);
  return n;
}

void
bdct_cpu_work_on_metrics (const Slot * slot, const Batch * batch, int step,
    int number)
{
  int i = 0;

  for (; number >= count_pieces (slot, batch->pass[i], step); i++)
    number -= count_pieces (slot, batch->pass[i], step);
  bdct_metrics_work (&batch->pass[i]->metrics, step, number);
}

void
bdct_cpu_finish_metrics (const Slot * slot, const Batch * batch, int number)
{
  Pass *pass = batch->pass[number];

  if (get_metrics (slot, pass) != 0)
    bdct_metrics_finish (&pass->metrics, &pass->stats);
}

void
bdct_cpu_free_metrics (CpuEngine * self)
{
  for (unsigned i = 0; i < self->depth; i++)
    for (int k = 0; k < MAX_BATCH; k++) {
      free (self->slots[i].pictures[k]);
      free (self->slots[i].metric_memory[k]);
    }
  for (unsigned i = 0; i < sizeof self->kept / sizeof self->kept[0]; i++) {
    free (self->kept[i].samples);
    self->kept[i] = (Kept) { 0 };
  }
}
