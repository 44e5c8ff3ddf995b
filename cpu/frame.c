/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares a frame from its plan, with memory that is kept from frame to
 * frame. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "render.h"

bool
bdct_cpu_start_task (const CpuEngine * self, CpuFrame * frame, int i,
    const BdctJob * job)
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
  bdct_plan_begin_stats (&frame->plan, &self->layout, job, &task->stats);
  return true;
}

/* Set a task's tables. Components often share them. */
static bool
prepare_tables (CpuTask * task, const BdctJob * job)
{
  const BdctComponentJob *own = task->job.component;

  if (task->prepared && memcmp (&task->job, job, sizeof *job) == 0)
    return true;
  task->prepared = false;
  task->job = *job;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    if (c > BDCT_Y && memcmp (&own[c], &own[c - 1], sizeof *own) == 0)
      task->quantizer[c] = task->quantizer[c - 1];
    else
      bdct_tile_quantizer_init (&task->quantizer[c], job, c);
  if (bdct_job_coder (job) == BDCT_CODER_CABAC)
    for (int c = 0; c < 2; c++)
      bdct_cabac_start (task->start[c], job->slice_qp,
          bdct_cpu_slots_log2 (task, c), c > 0);
  task->prepared = !bdct_cpu_is_tree (task)
      || bdct_cpu_tree_init (&task->tree, job);
  return task->prepared;
}

/* No block is smaller than 4 x 4. */
void *
bdct_cpu_alloc_by_block (const CpuEngine * self, void *memory, size_t size)
{
  size_t n = 0;

  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *plane = &self->layout.plane[p];

    n += (size_t) (plane->width + 3) / 4 * ((plane->height + 3) / 4)
        * plane->interleave;
  }
  return memory != NULL ? memory : calloc (n, size);
}

/* Memory for the results of single blocks, unless the caller has provided it,
 * and for levels of a stack whose bits are wanted. */
static bool
prepare_blocks (const CpuEngine * self, CpuFrame * frame,
    const BdctFrame * request)
{
  const BdctPlanBlocks *blocks = &frame->plan.blocks;
  CpuMemory *memory = &frame->memory;
  CpuTask *first = frame->task[0];

  frame->records = blocks->records ? request->blocks : NULL;
  if (blocks->records && frame->records == NULL)
    frame->records = memory->records = bdct_cpu_alloc_by_block (self,
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
  if ((frame->stack_bits != NULL && memory->levels == NULL)
      || (blocks->records && frame->records == NULL)
      || (blocks->sizes && first->sizes == NULL)
      || (blocks->by_map && memory->quantizer_map == NULL))
    return false;
  if (blocks->by_map && request->stack_map != NULL)
    bdct_blocks_map_stack (&self->layout, blocks->grid, request->stack_map,
        memory->quantizer_map);
  else if (blocks->by_map)
    memcpy (memory->quantizer_map, request->quantizer_map, request->n_blocks);
  return true;
}

bool
bdct_cpu_prepare_images (const CpuEngine * self, CpuFrame * frame,
    const BdctImage * src, const BdctImage * dst)
{
  BdctImage own[BDCT_PLAN_IMAGES];

  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    if (frame->plan.place[i] == BDCT_PLACE_OWN
        && !bdct_image_alloc (&self->layout, i != BDCT_PLAN_BASE,
            &frame->memory.image[i], &own[i]))
      return false;
  bdct_plan_find_images (&frame->plan, src, dst, own, frame->image);
  return true;
}

/* Describe component `i` of plane `p`. */
static void
place_component (const CpuEngine * self, CpuFrame * frame,
    const BdctFrame * request, int p, int i)
{
  const BdctLayout *layout = &self->layout;
  const BdctImage *image = frame->image;
  const BdctComponent c = layout->plane[p].component[i];
  CpuTask *first = frame->task[0];
  BdctTilePlane *plane = &first->plane[c];
  const int side = bdct_tile_side (&first->job.component[c]);
  BdctLevel *levels = frame->stack_bits != NULL ? frame->memory.levels
      : request->levels;

  bdct_tile_plane_init (plane, &first->job, c);
  for (int k = 0; k < request->n_quantizers; k++)
    plane->quantizer[k] = &frame->task[k]->quantizer[c];
  plane->layout = layout->plane[p];
  plane->columns = layout->rgb.n_planes > 0 ? bdct_colour_columns (layout, p)
      : plane->layout.width;
  plane->src = bdct_image_samples (&image[BDCT_PLAN_PLANES], layout, p, i);
  plane->dst = bdct_image_samples (&image[BDCT_PLAN_RECONSTRUCTION], layout,
      p, i);
  plane->grid = frame->plan.blocks.grid[c];
  plane->blocks = frame->records;
  if (frame->plan.blocks.by_map)
    plane->quantizer_map = frame->memory.quantizer_map;
  first->drawn[c] = bdct_image_samples (&image[BDCT_PLAN_LEVELS], layout, p, i);
  first->levels[c] = levels == NULL ? NULL
      : levels + frame->plan.levels.first[c];
  first->strips[c] = (plane->layout.height + side - 1) / side;
  first->sub_x[c] = bdct_layout_sub_x (layout, c);
  first->sub_y[c] = bdct_layout_sub_y (layout, c);
}

static void
start_view (const CpuEngine * self, CpuFrame * frame, const BdctFrame * request)
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
        &image[BDCT_PLAN_PLANES], &rec, &image[BDCT_PLAN_VIEW], frame->records,
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

void *
bdct_cpu_alloc_by_thread (const CpuEngine * self, size_t size)
{
  return aligned_alloc (64, (self->threads.max + 1) * ((size + 63) / 64 * 64));
}

/* Allocate memory for strips' levels. If there is none, no frame in flight
 * uses it; else threads may read the pointer now. */
static bool
reserve_strips (CpuEngine * self)
{
  if (self->scratch.strip_levels == NULL)
    self->scratch.strip_levels = bdct_cpu_alloc_by_thread (self,
        2 * bdct_cpu_strip_levels (&self->layout) * sizeof (BdctLevel));
  return self->scratch.strip_levels != NULL;
}

bool
bdct_cpu_prepare_frame (CpuEngine * self, CpuFrame * frame,
    const BdctFrame * request)
{
  const BdctLayout *layout = &self->layout;
  const BdctPlan *plan = &frame->plan;
  const bool stack = bdct_layout_pictures (layout) > 1;

  frame->stack_sse = stack ? request->stack_sse : NULL;
  frame->stack_bits = stack && request->bits ? request->stack_bits : NULL;
  frame->stack_map = request->stack_map;
  for (int i = 0; i < request->n_quantizers; i++)
    if (!bdct_cpu_start_task (self, frame, i, &request->quantizers[i])
        || !prepare_tables (frame->task[i], &request->quantizers[i]))
      return false;
  if (!prepare_blocks (self, frame, request)
      || (bdct_cpu_is_tree (frame->task[0]) && !bdct_cpu_reserve_trees (self))
      || !bdct_cpu_prepare_images (self, frame, &request->src, &request->dst))
    return false;
  memset (frame->task[0]->strips, 0, sizeof frame->task[0]->strips);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      place_component (self, frame, request, p, i);
  /* A tree's levels have gaps where squares reach beyond the picture. */
  if (plan->levels.out && bdct_cpu_is_tree (frame->task[0]))
    memset (request->levels, 0, plan->levels.n * sizeof *request->levels);
  start_view (self, frame, request);
  return ((!plan->bits && plan->place[BDCT_PLAN_LEVELS] == BDCT_PLACE_NONE)
      || reserve_strips (self))
      && (!plan->bits || stack || bdct_cpu_prepare_bits (self, frame))
      && (plan->metrics.wanted == 0 || bdct_cpu_prepare_metrics (self, frame));
}

bool
bdct_cpu_reserve_trees (CpuEngine * self)
{
  if (self->scratch.tree == NULL)
    self->scratch.tree = bdct_cpu_alloc_by_thread (self,
        bdct_cpu_tree_scratch_size ());
  return self->scratch.tree != NULL;
}

static void
free_task (CpuTask * task)
{
  if (task == NULL)
    return;
  free (task->all_ends);
  free (task->tree);
  free (task);
}

static void
free_memory (CpuMemory * memory)
{
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    free (memory->image[i]);
  for (int i = 0; i < BDCT_MAX_DISTORTED; i++)
    free (memory->metrics[i]);
  free (memory->quantizer_map);
  free (memory->sizes);
  free (memory->records);
  free (memory->bins);
  free (memory->levels);
  free (memory->map);
}

void
bdct_cpu_free_frames (CpuEngine * self)
{
  for (unsigned i = 0; i < self->depth; i++) {
    for (int k = 0; k < BDCT_MAX_STACK_QUANTIZERS; k++)
      free_task (self->frames[i].task[k]);
    free_memory (&self->frames[i].memory);
  }
  for (int i = 0; i < BDCT_HISTORY_MAX; i++) {
    free (self->luma[i]);
    self->luma[i] = NULL;
  }
  free (self->scratch.strip_levels);
  free (self->scratch.tree);
  self->scratch.strip_levels = NULL;
  self->scratch.tree = NULL;
  free (self->frames);
  self->frames = NULL;
  self->depth = 0;
}
