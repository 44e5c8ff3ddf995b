/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes tasks and stages from a frame's plan, and allocates memory for all of
 * them, which is kept from frame to frame. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "dct/entropy/huffman-symbols.h"
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

CpuTask *
bdct_cpu_prepare_task (CpuFrame * frame, int i, const BdctJob * job)
{
  CpuTask *task = frame->task[i];

  if (task == NULL) {
    task = frame->task[i] = aligned_alloc (64, (sizeof *task + 63) / 64 * 64);
    if (task == NULL)
      return NULL;
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
      return NULL;
    task->prepared = true;
  }
  return task;
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

/* Allocate memory for the bits of the first task, which has started. */
static bool
prepare_bits (const CpuEngine * self, CpuFrame * frame)
{
  CpuMemory *memory = &frame->memory;
  CpuTask *task = frame->task[0];
  size_t n_strips = 0, n_bins = 0;

  for (int p = 0; p < self->layout.n_planes; p++)
    n_strips += (size_t) self->layout.plane[p].interleave
        * ((self->layout.plane[p].height + BDCT_TILE - 1) / BDCT_TILE);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    n_bins += bdct_cpu_count_slots (task, c);
  if (task->all_ends == NULL)
    task->all_ends = malloc (n_strips * sizeof *task->all_ends);
  if (task->all_ends == NULL)
    return false;
  if (memory->n_bins < n_bins) {
    free (memory->bins);
    memory->bins = malloc (n_bins * sizeof *memory->bins);
    memory->n_bins = memory->bins != NULL ? n_bins : 0;
  }
  return memory->n_bins >= n_bins;
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
    if (bdct_cpu_prepare_task (frame, i, &request->quantizers[i]) == NULL)
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
          && !prepare_bits (self, frame))
      || !bdct_cpu_prepare_metrics (self, frame))
    return false;
  start_view (self, frame, request, records);
  bdct_cpu_make_stages (self, frame);
  return true;
}

/* Stages */

static Stage *
add_stage (CpuStages * stages, int kind, int n_pieces)
{
  Stage *stage = &stages->stage[stages->n++];

  *stage = (Stage) {.kind = kind,.n_pieces = n_pieces };
  return stage;
}

/* Clear the counts, and add a stage for the segments of bins, if there are
 * any. */
static void
add_segments (CpuFrame * frame)
{
  CpuTask *task = frame->task[0];
  BdctLevel (*ends)[2] = task->all_ends;
  uint16_t *bins = frame->memory.bins;
  int n_pieces = 0;

  memset (&task->counts, 0, sizeof task->counts);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    task->ends[c] = ends;
    ends += task->strips[c];
    task->bins[c] = bins;
    bins += bdct_cpu_count_slots (task, c);
    n_pieces += bdct_cpu_count_segment_pieces (task, c);
  }
  if (n_pieces > 0)
    add_stage (&frame->stages, STAGE_SEGMENTS, n_pieces);
}

static void
add_metrics (CpuFrame * frame)
{
  int n;

  for (int step = 0; step < BDCT_METRIC_STAGES
      && (n = bdct_cpu_count_metrics (frame, step)) > 0; step++)
    add_stage (&frame->stages, STAGE_METRICS, n)->step = step;
  add_stage (&frame->stages, STAGE_FIGURES, frame->plan.n_results);
}

static int
count_packed (const CpuEngine * self, const BdctPlan * plan)
{
  int n = 0;

  for (int i = 0; i <= plan->n_distorted; i++)
    n += plan->packed[i];
  return n * bdct_cpu_count_packed (&self->layout);
}

void
bdct_cpu_make_stages (const CpuEngine * self, CpuFrame * frame)
{
  const BdctLayout *layout = &self->layout;
  const BdctPlan *plan = &frame->plan;
  CpuStages *stages = &frame->stages;

  stages->n = stages->now = stages->next_piece = stages->done_pieces = 0;
  frame->history_stage = 0;
  for (int i = 0; i < plan->n_steps; i++) {
    switch (plan->step[i]) {
      case BDCT_STEP_RGB_TO_PLANES:
        add_stage (stages, STAGE_RGB_TO_PLANES,
            bdct_colour_count_strips (layout));
        break;
      case BDCT_STEP_PACK:
        add_stage (stages, STAGE_PACK, count_packed (self, plan));
        break;
      case BDCT_STEP_HISTORY:
        add_stage (stages, STAGE_HISTORY, bdct_cpu_count_history (self));
        frame->history_stage = stages->n;
        break;
      case BDCT_STEP_ERRORS:
        add_stage (stages, STAGE_ERRORS, bdct_cpu_count_errors (layout));
        break;
      case BDCT_STEP_TRANSFORM:
        add_stage (stages, STAGE_STRIPS,
            bdct_cpu_count_strips (frame->task[0]));
        break;
      case BDCT_STEP_BITS:
        if (frame->stack_bits != NULL)
          add_stage (stages, STAGE_PICTURES, bdct_layout_pictures (layout));
        else
          add_segments (frame);
        break;
      case BDCT_STEP_METRICS:
        add_metrics (frame);
        break;
      case BDCT_STEP_RECORDS:
        add_stage (stages, STAGE_RECORDS, bdct_cpu_count_block_rows (layout));
        break;
      case BDCT_STEP_MAP:
        add_stage (stages, STAGE_MAP,
            bdct_metric_map (bdct_view_metric (plan->view.view.mode),
                layout->plane[0].width, layout->plane[0].height).rows);
        break;
      case BDCT_STEP_VIEW:
        add_stage (stages, STAGE_VIEW, bdct_render_count_strips (layout));
        break;
      case BDCT_STEP_PLANES_TO_RGB:
        add_stage (stages, STAGE_PLANES_TO_RGB,
            bdct_colour_count_strips (layout));
        break;
      case BDCT_STEP_ZOOM:
        add_stage (stages, STAGE_ZOOM, bdct_render_count_strips (layout));
        break;
    }
  }
}

/* Statistics */

/* Set the bits of a task, after adding the DC differences from strip to
 * strip, which are not counted yet. */
static void
price (const CpuEngine * self, CpuTask * task)
{
  if (bdct_job_coder (&task->job) == BDCT_CODER_HUFFMAN)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i < task->strips[c]; i++)
        task->counts.counter[c][BDCT_RATE_DC
            + bdct_symbol_category (task->ends[c][i][0]
                - (i > 0 ? task->ends[c][i - 1][1] : 0))]++;
  bdct_rate_price (&task->counts, &self->layout, &task->job, true,
      &task->stats);
}

void
bdct_cpu_finish_frame (const CpuEngine * self, const CpuFrame * frame,
    BdctStats * stats)
{
  if (frame->plan.bits && frame->stack_bits == NULL)
    price (self, frame->task[0]);
  for (int i = 0; i < frame->plan.n_results; i++)
    stats[i] = frame->task[i]->stats;
}
