/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The steps of a plan on the CPU: how many pieces each has, and the work on a
 * piece. Here are those of a frame's strips, colours and views. */
#include "state.h"

#include <string.h>
#include "render.h"

/* The number of pieces of a component's strips; 0 for the second component
 * of a plane of memory, because the first one's strips include it. */
static int
count_pieces (const CpuTask * task, int c)
{
  const BdctPlaneLayout *layout = &task->plane[c].layout;

  return task->strips[c] > 0 && layout->interleave == 2
      && (int) layout->component[1] == c ? 0 : task->strips[c];
}

static int
count_strips (const CpuEngine * self, const CpuFrame * frame, int part)
{
  const CpuTask *task = frame->task[0];

  return bdct_cpu_is_tree (task) ? bdct_cpu_count_tree_strips (task)
      : count_pieces (task, 0) + count_pieces (task, 1)
      + count_pieces (task, 2);
}

/* The place of the levels of a strip, of component `i` of the piece: in the
 * caller's memory, or in the thread's own. */
static BdctLevel *
find_levels (const CpuEngine * self, const Piece * piece, int i, int number,
    BdctLevel * own)
{
  const CpuTask *task = piece->frame->task[0];
  const int c = piece->component[i];
  const BdctComponentJob *job = &task->job.component[c];

  if (task->levels[c] != NULL)
    return task->levels[c] + (size_t) number * (bdct_tile_side (job)
        >> job->log2_height) * task->plane[c].grid.columns
        * bdct_rate_block_levels (job);
  return own == NULL ? NULL : own + i * bdct_cpu_strip_levels (&self->layout);
}

static void
work_on_strip (CpuEngine * self, Piece * piece)
{
  CpuTask *task = piece->frame->task[0];
  const BdctPlan *plan = &piece->frame->plan;
  const bool counted = plan->bits && piece->frame->stack_bits == NULL;
  const BdctTilePlane *planes[2];
  const BdctPlaneLayout *layout;
  BdctLevel *levels = NULL;
  int number = piece->number, c = 0, row;

  memset (piece->strip, 0, sizeof piece->strip);
  memset (piece->area, 0, sizeof piece->area);
  if (bdct_cpu_is_tree (task)) {
    bdct_cpu_work_on_tree (self, piece);
    return;
  }
  for (; number >= count_pieces (task, c); c++)
    number -= count_pieces (task, c);
  layout = &task->plane[c].layout;
  piece->n_components = layout->interleave;
  piece->component[0] = c;
  piece->component[1] = layout->component[1];
  row = number * bdct_tile_side (&task->job.component[c]);
  if (counted || task->drawn[c].data != NULL)
    levels = self->scratch.strip_levels
        + 2 * piece->worker * bdct_cpu_strip_levels (&self->layout);
  for (int i = 0; i < piece->n_components; i++) {
    planes[i] = &task->plane[piece->component[i]];
    piece->strip[i].levels = find_levels (self, piece, i, number, levels);
    piece->strip[i].given = plan->levels.in;
  }
  bdct_cpu_transform (self->kernel, planes, row, piece->strip,
      bdct_cpu_scratch (self, piece));
  for (int i = 0; i < piece->n_components; i++) {
    c = piece->component[i];
    if (counted)
      bdct_cpu_count_strip (task, c, number, piece->strip[i].levels,
          self->layout.chroma, piece->counter[i]);
    if (task->drawn[c].data != NULL)
      bdct_cpu_draw_strip (planes[i], &task->drawn[c], row,
          piece->strip[i].levels);
  }
}

static int
count_colour (const CpuEngine * self, const CpuFrame * frame, int part)
{
  return bdct_colour_count_strips (&self->layout);
}

/* Move planes to picture `i` of a stack, by this many bytes or, with 0, by
 * rows. */
static void
move (BdctImage * image, const BdctLayout * one, int i, ptrdiff_t pitch)
{
  for (int p = 0; p < BDCT_MAX_PLANES; p++)
    if (image->data[p] != NULL)
      image->data[p] = (uint8_t *) image->data[p] + i * (pitch != 0 ? pitch
          : image->stride[p] * one->plane[p].height);
}

/* The colours of a piece's picture, whose layout is written to `one`, and
 * its strip in that picture. */
static BdctColour
find_picture (const CpuEngine * self, Piece * piece, BdctLayout * one,
    int *strip)
{
  const int n = piece->stage->n_pieces / bdct_layout_pictures (&self->layout);
  const int i = piece->number / n;
  BdctColour colour = piece->frame->colour;

  piece->picture = i;
  *strip = piece->number % n;
  if (bdct_layout_pictures (&self->layout) == 1)
    return colour;
  *one = bdct_layout_picture (&self->layout);
  colour.layout = one;
  move (&colour.src, one, i, piece->frame->src_pitch);
  move (&colour.dst, one, i, piece->frame->dst_pitch);
  move (&colour.planes, one, i, 0);
  move (&colour.rec, one, i, 0);
  move (&colour.shown, one, i, 0);
  return colour;
}

static void
make_planes (CpuEngine * self, Piece * piece)
{
  BdctLayout one;
  int strip;
  const BdctColour colour = find_picture (self, piece, &one, &strip);

  self->kernel->colour->rgb_to_planes (&colour, strip);
}

static void
make_rgb (CpuEngine * self, Piece * piece)
{
  CpuFrame *frame = piece->frame;
  BdctLayout one;
  int strip;
  const BdctColour colour = find_picture (self, piece, &one, &strip);

  /* In a comparison, another stage adds up the errors. */
  piece->n_rgb = frame->plan.n_distorted == 0 && frame->plan.rgb_errors;
  memset (piece->rgb_sse, 0, sizeof piece->rgb_sse);
  self->kernel->colour->planes_to_rgb (&colour, strip,
      piece->n_rgb > 0 ? piece->rgb_sse[0] : NULL);
}

static int
count_view (const CpuEngine * self, const CpuFrame * frame, int part)
{
  return bdct_render_count_strips (&self->layout);
}

static void
draw_view (CpuEngine * self, Piece * piece)
{
  bdct_render_strip (&piece->frame->render, piece->number);
}

static void
enlarge (CpuEngine * self, Piece * piece)
{
  bdct_zoom_strip (&piece->frame->zoom, piece->number);
}

/* A step has parts, 1 unless the table says more, and a part pieces. */
static const struct
{
  int (*count) (const CpuEngine * self, const CpuFrame * frame, int part);
  void (*work) (CpuEngine * self, Piece * piece);
  int more_parts;
} steps[] = {
  [BDCT_STEP_RGB_TO_PLANES] = {count_colour, make_planes},
  [BDCT_STEP_PACK] = {bdct_cpu_count_packed, bdct_cpu_pack},
  [BDCT_STEP_HISTORY] = {bdct_cpu_count_history, bdct_cpu_copy_history},
  [BDCT_STEP_ERRORS] = {bdct_cpu_count_errors, bdct_cpu_square},
  [BDCT_STEP_TRANSFORM] = {count_strips, work_on_strip},
  /* Of CABAC and of stacks: another frame's Huffman symbols are counted strip
   * by strip, with the transform, and this step has no pieces. */
  [BDCT_STEP_BITS] = {bdct_cpu_count_bits, bdct_cpu_price_bits},
  [BDCT_STEP_METRICS] = {bdct_cpu_count_metrics, bdct_cpu_work_on_metrics,
      BDCT_METRIC_STAGES},
  [BDCT_STEP_RECORDS] = {bdct_cpu_count_records, bdct_cpu_make_records},
  [BDCT_STEP_MAP] = {bdct_cpu_count_map, bdct_cpu_work_on_map},
  [BDCT_STEP_VIEW] = {count_view, draw_view},
  [BDCT_STEP_PLANES_TO_RGB] = {count_colour, make_rgb},
  [BDCT_STEP_ZOOM] = {count_view, enlarge},
};

void
bdct_cpu_make_stages (const CpuEngine * self, CpuFrame * frame)
{
  const BdctPlan *plan = &frame->plan;
  CpuStages *stages = &frame->stages;

  stages->n = stages->now = stages->next_piece = stages->done_pieces = 0;
  frame->history_stage = 0;
  for (int i = 0; i < plan->n_steps; i++) {
    const BdctStepKind kind = plan->step[i];

    for (int part = 0; part <= steps[kind].more_parts; part++) {
      const int n_pieces = (*steps[kind].count) (self, frame, part);

      if (n_pieces > 0)
        stages->stage[stages->n++] = (Stage) { kind, part, n_pieces };
    }
    if (kind == BDCT_STEP_HISTORY)
      frame->history_stage = stages->n;
  }
}

void
bdct_cpu_work (CpuEngine * self, Piece * piece)
{
  piece->n_components = piece->n_distorted = piece->n_rgb = 0;
  piece->price = 0;
  (*steps[piece->stage->kind].work) (self, piece);
}

void
bdct_cpu_add_up (const Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  CpuTask *first = frame->task[0];
  const bool symbols = frame->plan.bits && frame->stack_bits == NULL
      && bdct_job_coder (&first->job) == BDCT_CODER_HUFFMAN;

  for (int i = 0; i < BDCT_TREE_SIZES && piece->n_components > 0; i++)
    first->stats.area[i] += piece->area[i];
  for (int i = 0; i < piece->n_components; i++) {
    const BdctCounters *counters = &piece->strip[i].counters;
    const int c = piece->component[i];
    BdctCounters *sum = &first->stats.component[c];

    sum->sse += counters->sse;
    sum->nonzero += counters->nonzero;
    sum->levels += counters->levels;
    for (int n = 0; symbols && n < BDCT_RATE_COUNTERS; n++)
      first->counts.counter[c][n] += piece->counter[i][n];
  }
  if (piece->price > 0)
    first->counts.counter[piece->component[0]][0] += piece->price;
  for (int i = 0; i < piece->n_distorted; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      frame->task[i]->stats.component[c].sse += piece->sse[i][c];
  for (int i = 0; i < piece->n_rgb; i++)
    for (int k = 0; k < 3; k++) {
      frame->task[i]->stats.rgb[k].sse += piece->rgb_sse[i][k];
      if (frame->stack_sse != NULL)
        frame->stack_sse[piece->picture][k] += piece->rgb_sse[i][k];
    }
}
