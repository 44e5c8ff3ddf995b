/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares a frame from its plan, with memory that is kept from frame to frame,
 * and ends it. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "render.h"

/* A job's tables. Components often share them. */
static void
init_tables (CpuTask * task)
{
  const BdctComponentJob *job = task->job.component;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    if (c > BDCT_Y && memcmp (&job[c], &job[c - 1], sizeof *job) == 0)
      task->quantizer[c] = task->quantizer[c - 1];
    else
      bdct_tile_quantizer_init (&task->quantizer[c], &task->job, c);
}

bool
bdct_cpu_prepare_task (CpuFrame * frame, int i, const BdctJob * job)
{
  CpuTask *task = frame->task[i];

  if (task == NULL) {
    task = frame->task[i] = aligned_alloc (64, (sizeof *task + 63) / 64 * 64);
    if (task == NULL)
      return false;
    task->prepared = false;
    task->tree = NULL;
    task->all_ends = NULL;
  }
  task->sizes = NULL;
  memset (task->levels, 0, sizeof task->levels);
  if (!task->prepared || memcmp (&task->job, job, sizeof *job) != 0) {
    task->prepared = false;
    task->job = *job;
    init_tables (task);
    if (bdct_job_coder (job) == BDCT_CODER_CABAC)
      for (int c = 0; c < 2; c++)
        bdct_cabac_start (task->start[c], job->slice_qp,
            bdct_cpu_slots_log2 (task, c), c > 0);
    if (bdct_cpu_is_tree (task) && !bdct_cpu_tree_init (&task->tree, job))
      return false;
    task->prepared = true;
  }
  return true;
}

void
bdct_cpu_start_task (const CpuEngine * self, CpuFrame * frame, int i,
    const BdctImage * src, const BdctImage * rec)
{
  const BdctLayout *layout = &self->layout;
  CpuTask *task = frame->task[i];

  memset (task->strips, 0, sizeof task->strips);
  bdct_plan_begin_stats (&frame->plan, layout, &task->job, &task->stats);
  for (int p = 0; p < layout->n_planes; p++)
    for (int k = 0; k < layout->plane[p].interleave; k++) {
      BdctComponent c = layout->plane[p].component[k];
      int side = bdct_tile_side (&task->job.component[c]);
      BdctTilePlane *plane = &task->plane[c];

      bdct_tile_plane_init (plane, &task->job, c);
      plane->quantizer[0] = &task->quantizer[c];
      bdct_tile_plane_place (plane, layout, &frame->plan.blocks.grid[c], src,
          rec, p, k);
      task->strips[c] = (layout->plane[p].height + side - 1) / side;
      task->sub_x[c] = bdct_layout_sub_x (layout, c);
      task->sub_y[c] = bdct_layout_sub_y (layout, c);
    }
}

bool
bdct_cpu_prepare_images (const CpuEngine * self, CpuFrame * frame,
    const BdctImage * src, const BdctImage * dst)
{
  BdctImage own[BDCT_PLAN_IMAGES];

  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    if (frame->plan.place[i] == BDCT_PLACE_OWN
        && !bdct_cpu_alloc_image (&self->layout, i != BDCT_PLAN_BASE,
            &frame->memory.image[i], &own[i]))
      return false;
  bdct_plan_find_images (&frame->plan, src, dst, own, frame->image);
  return true;
}

/* Memory for the results of single blocks, unless the caller has provided
 * it. */
static bool
prepare_blocks (const CpuEngine * self, CpuFrame * frame,
    const BdctFrame * request, BdctBlockRecord ** records)
{
  const BdctPlanBlocks *blocks = &frame->plan.blocks;
  CpuMemory *memory = &frame->memory;
  CpuTask *first = frame->task[0];

  *records = blocks->records ? request->blocks : NULL;
  if (blocks->records && *records == NULL)
    *records = memory->records = bdct_cpu_alloc_by_block (self,
        memory->records, sizeof *memory->records);
  first->sizes = blocks->sizes ? request->sizes : NULL;
  if (blocks->sizes && first->sizes == NULL)
    first->sizes = memory->sizes = bdct_cpu_alloc_by_block (self,
        memory->sizes, 1);
  if (blocks->by_map)
    memory->quantizer_map = bdct_cpu_alloc_by_block (self,
        memory->quantizer_map, 1);
  if (frame->stack_bits != NULL && memory->levels == NULL)
    memory->levels = aligned_alloc (64, (frame->plan.levels.n
            * sizeof *memory->levels + 63) / 64 * 64);
  return (frame->stack_bits == NULL || memory->levels != NULL)
      && (!blocks->records || *records != NULL)
      && (!blocks->sizes || first->sizes != NULL)
      && (!blocks->by_map || memory->quantizer_map != NULL);
}

/* What only the first task has, not those of other quantizers. */
static void
start_first (const CpuEngine * self, CpuFrame * frame,
    const BdctFrame * request, BdctBlockRecord * records)
{
  const BdctLayout *layout = &self->layout;
  const bool by_map = frame->plan.blocks.by_map;
  BdctLevel *levels = frame->stack_bits != NULL ? frame->memory.levels
      : request->levels;

  /* A tree's levels have gaps where squares reach beyond the picture. */
  if (frame->plan.levels.out && bdct_cpu_is_tree (frame->task[0]))
    memset (request->levels, 0, frame->plan.levels.n * sizeof *request->levels);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      frame->task[0]->drawn[layout->plane[p].component[i]] =
          bdct_image_samples (&frame->image[BDCT_PLAN_LEVELS], layout, p, i);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctTilePlane *plane = &frame->task[0]->plane[c];

    for (int i = 1; i < request->n_quantizers; i++)
      plane->quantizer[i] = &frame->task[i]->quantizer[c];
    plane->blocks = records;
    if (levels != NULL && frame->task[0]->strips[c] > 0)
      frame->task[0]->levels[c] = levels + frame->plan.levels.first[c];
    if (by_map)
      plane->quantizer_map = frame->memory.quantizer_map;
  }
  if (by_map && request->stack_map != NULL)
    bdct_blocks_map_stack (layout, frame->plan.blocks.grid, request->stack_map,
        frame->memory.quantizer_map);
  else if (by_map)
    memcpy (frame->memory.quantizer_map, request->quantizer_map,
        request->n_blocks);
}

/* Allocate memory for strips' levels. If there is none, no frame in flight
 * uses it; else threads may read the pointer now. */
static bool
reserve_strips (CpuEngine * self)
{
  if (self->scratch.strip_levels == NULL)
    self->scratch.strip_levels = bdct_cpu_alloc_by_thread (self,
        bdct_cpu_piece_levels (&self->layout) * sizeof (BdctLevel));
  return self->scratch.strip_levels != NULL;
}

static void
start_view (const CpuEngine * self, CpuFrame * frame, const BdctFrame * request,
    const BdctBlockRecord * records)
{
  const BdctLayout *layout = &self->layout;
  const BdctPlan *plan = &frame->plan;
  const BdctImage *image = frame->image;
  const BdctRenderPicture rec = {
    .job = request->quantizers,
    .image = image[image[BDCT_PLAN_LEVELS].data[0] != NULL
        ? BDCT_PLAN_LEVELS : BDCT_PLAN_RECONSTRUCTION],
    .sizes = frame->task[0]->sizes,
  };

  if (plan->view.drawn)
    bdct_render_init (&frame->render, &plan->view.view, layout,
        &image[BDCT_PLAN_PLANES], &rec, &image[BDCT_PLAN_VIEW], records,
        plan->blocks.by_map ? frame->memory.quantizer_map : NULL, NULL);
  frame->colour = (BdctColour) {
    .layout = layout,
    /* Without a source, bytes other than R, G and B are not changed. */
    .src = request->src.data[0] != NULL ? request->src : request->dst,
    .dst = request->dst,
    .planes = image[BDCT_PLAN_PLANES],
    .rec = image[BDCT_PLAN_RECONSTRUCTION],
    .shown = image[BDCT_PLAN_VIEW],
    .render = plan->view.drawn ? &frame->render : NULL,
  };
  frame->src_pitch = bdct_stack_pitch (layout, &request->src,
      request->src_pitch);
  frame->dst_pitch = bdct_stack_pitch (layout, &request->dst,
      request->dst_pitch);
  if (frame->stack_sse != NULL)
    memset (frame->stack_sse, 0, bdct_layout_pictures (layout)
        * sizeof *frame->stack_sse);
}

bool
bdct_cpu_prepare_frame (CpuEngine * self, CpuFrame * frame,
    const BdctFrame * request)
{
  const BdctImage *image = frame->image;
  const bool stack = bdct_layout_pictures (&self->layout) > 1;
  BdctBlockRecord *records;

  frame->stack_sse = stack ? request->stack_sse : NULL;
  frame->stack_bits = stack && request->bits ? request->stack_bits : NULL;
  frame->stack_map = request->stack_map;
  for (int i = 0; i < request->n_quantizers; i++)
    if (!bdct_cpu_prepare_task (frame, i, &request->quantizers[i]))
      return false;
  if (!prepare_blocks (self, frame, request, &records)
      || (bdct_cpu_is_tree (frame->task[0]) && !bdct_cpu_reserve_trees (self))
      || !bdct_cpu_prepare_images (self, frame, &request->src, &request->dst))
    return false;
  bdct_cpu_start_task (self, frame, 0, &image[BDCT_PLAN_PLANES],
      &image[BDCT_PLAN_RECONSTRUCTION]);
  start_first (self, frame, request, records);
  if (((request->bits || image[BDCT_PLAN_LEVELS].data[0] != NULL)
          && !reserve_strips (self))
      || (request->bits && frame->stack_bits == NULL
          && !bdct_cpu_prepare_bits (self, frame))
      || !bdct_cpu_prepare_metrics (self, frame))
    return false;
  start_view (self, frame, request, records);
  bdct_cpu_make_stages (self, frame);
  return true;
}

void
bdct_cpu_finish_frame (const CpuEngine * self, const CpuFrame * frame,
    BdctStats * stats)
{
  if (frame->plan.bits && frame->stack_bits == NULL)
    bdct_cpu_finish_bits (self, frame->task[0]);
  for (int i = 0; i < frame->plan.n_results; i++)
    stats[i] = frame->task[i]->stats;
}
