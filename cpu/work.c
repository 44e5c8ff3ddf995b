/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The work on a piece of a frame: strips and what is counted of their levels,
 * segments of bins, views, and colours. */
#include "state.h"

#include <string.h>
#include "dct/base/min.h"
#include "huffman-count.h"
#include "render.h"

/* The number of segments that are priced in one piece. */
#define SEGMENTS 8

/* The number of pieces of a component's strips; 0 for the second component
 * of a plane of memory, because the first one's strips include it. */
static int
count_pieces (const CpuTask * task, int c)
{
  const BdctPlaneLayout *layout = &task->plane[c].layout;

  return task->strips[c] > 0 && layout->interleave == 2
      && (int) layout->component[1] == c ? 0 : task->strips[c];
}

int
bdct_cpu_count_strips (const CpuTask * task)
{
  if (bdct_cpu_is_tree (task))
    return bdct_cpu_count_tree_strips (task);
  return count_pieces (task, 0) + count_pieces (task, 1)
      + count_pieces (task, 2);
}

static size_t
count_blocks (const BdctBlockGrid * grid)
{
  return (size_t) grid->columns * grid->rows;
}

/* The runs of CABAC's bins before a strip. */
static int
find_run (const CpuTask * task, int c, int strip)
{
  const BdctComponentJob *job = &task->job.component[c];
  const BdctBlockGrid *grid = &task->plane[c].grid;

  return (int) bdct_cabac_runs ((size_t) grid->columns
      << bdct_job_log2_parts (job), bdct_min (strip * (bdct_tile_side (job)
              >> job->log2_height), grid->rows), bdct_cabac_log2_size (job));
}

/* The maximum number of levels of a strip whose bits are wanted. */
static size_t
strip_levels (const BdctLayout * layout)
{
  return (size_t) (layout->plane[0].width + BDCT_TILE - 1) * BDCT_TILE;
}

/* The levels of strips of a plane of memory. */
size_t
bdct_cpu_piece_levels (const BdctLayout * layout)
{
  int n = 1;

  for (int p = 0; p < layout->n_planes; p++)
    if (layout->plane[p].interleave > n)
      n = layout->plane[p].interleave;
  return n * strip_levels (layout);
}

int
bdct_cpu_count_runs (const CpuTask * task, int c)
{
  const int log2_size = bdct_cabac_log2_size (&task->job.component[c]);

  if (task->strips[c] == 0 || bdct_job_coder (&task->job) != BDCT_CODER_CABAC
      || log2_size == 0)
    return 0;
  return bdct_cpu_is_tree (task) ? bdct_cpu_count_tree_runs (task, c)
      : find_run (task, c, task->strips[c]);
}

size_t
bdct_cpu_count_slots (const CpuTask * task, int c)
{
  return (size_t) bdct_cpu_count_runs (task, c)
      * bdct_cabac_slots (bdct_cpu_slots_log2 (task, c), c != BDCT_Y);
}

/* Count the bins of a strip's levels, run by run. */
static void
count_bins (const CpuTask * task, int c, int number, const BdctLevel * levels)
{
  const BdctComponentJob *job = &task->job.component[c];
  const int log2_size = bdct_cabac_log2_size (job);
  const int slots = bdct_cabac_slots (log2_size, c != BDCT_Y);
  const int at_once = log2_size == 5 ? 4 : 1;   /* runs */
  const int of_run = 16 * at_once >> 2 * (log2_size - 2);       /* blocks */
  const BdctBlockGrid *grid = &task->plane[c].grid;
  const int in_strip = bdct_tile_side (job) >> job->log2_height;
  int left = bdct_min (grid->rows - number * in_strip, in_strip)
      * grid->columns << bdct_job_log2_parts (job);
  uint16_t *record = task->bins[c] + (size_t) find_run (task, c, number)
      * slots;

  for (; left > 0; left -= of_run) {
    BdctCabacCounts runs[4];

    memset (runs, 0, at_once * sizeof runs[0]);
    for (int i = 0; i < bdct_min (left, of_run); i++) {
      bdct_cabac_count (runs, levels, log2_size, c != BDCT_Y);
      levels += 1 << 2 * log2_size;
    }
    for (int i = 0; i < at_once; i++, record += slots)
      bdct_cabac_pack (record, runs[i], log2_size, c != BDCT_Y);
  }
}

/* Count the symbols or bins of a strip's levels. */
static void
count_strip (CpuTask * task, int c, int number, const BdctLevel * levels,
    const BdctChromaFormat chroma, uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctComponentJob *job = &task->job.component[c];
  BdctBlockGrid grid = task->plane[c].grid;
  const int n = bdct_tile_side (job) >> job->log2_height;
  const int size = bdct_rate_block_levels (job);
  BdctScan scan;

  memset (counter, 0, BDCT_RATE_COUNTERS * sizeof *counter);
  if (bdct_job_coder (&task->job) == BDCT_CODER_CABAC) {
    count_bins (task, c, number, levels);
    return;
  }
  if (grid.rows - number * n < n)
    grid.rows -= number * n;
  else
    grid.rows = n;
  scan = bdct_scan_init (&grid, chroma, c);
  bdct_huffman_count (levels, &scan, counter);
  task->ends[c][number][0] = levels[0];
  task->ends[c][number][1] = levels[(count_blocks (&grid) - 1) * size];
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
  return own == NULL ? NULL : own + i * strip_levels (&self->layout);
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
        + piece->worker * bdct_cpu_piece_levels (&self->layout);
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
      count_strip (task, c, number, piece->strip[i].levels,
          self->layout.chroma, piece->counter[i]);
    if (task->drawn[c].data != NULL)
      bdct_cpu_draw_strip (planes[i], &task->drawn[c], row,
          piece->strip[i].levels);
  }
}

int
bdct_cpu_count_segment_pieces (const CpuTask * task, int c)
{
  return (bdct_cpu_count_runs (task, c) + SEGMENTS * BDCT_CABAC_SEGMENT - 1)
      / (SEGMENTS * BDCT_CABAC_SEGMENT);
}

static void
work_on_segments (const CpuTask * task, Piece * piece)
{
  int number = piece->number, c = 0, from, to, log2_size;

  for (; number >= bdct_cpu_count_segment_pieces (task, c); c++)
    number -= bdct_cpu_count_segment_pieces (task, c);
  log2_size = bdct_cpu_slots_log2 (task, c);
  from = number * SEGMENTS * BDCT_CABAC_SEGMENT;
  to = bdct_min (from + SEGMENTS * BDCT_CABAC_SEGMENT,
      bdct_cpu_count_runs (task, c));
  piece->component[0] = c;
  piece->price = bdct_cabac_price (task->bins[c]
      + (size_t) from * bdct_cabac_slots (log2_size, c != BDCT_Y),
      bdct_min (from, BDCT_CABAC_SEGMENT), to - from,
      task->start[c != BDCT_Y], log2_size, c != BDCT_Y);
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
make_planes (const CpuEngine * self, Piece * piece)
{
  BdctLayout one;
  int strip;
  const BdctColour colour = find_picture (self, piece, &one, &strip);

  self->kernel->colour->rgb_to_planes (&colour, strip);
}

static void
make_rgb (const CpuEngine * self, Piece * piece)
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

/* The bits of a picture of a stack, from its levels. */
static void
price_picture (const CpuEngine * self, Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  const BdctLayout one = bdct_layout_picture (&self->layout);
  const int i = piece->number;
  const BdctJob *job =
      &frame->task[frame->stack_map != NULL ? frame->stack_map[i] : 0]->job;
  BdctRateCounts *counts = bdct_cpu_scratch (self, piece);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, &one, job);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctScan scan = bdct_scan_init (&grid[c], one.chroma, c);
    const BdctLevel *levels = frame->task[0]->levels[c]
        + i * count_blocks (&grid[c]) * 64;
    uint32_t *counter = piece->counter[c];

    memset (counter, 0, BDCT_RATE_COUNTERS * sizeof *counter);
    bdct_huffman_count (levels, &scan, counter);
    counter[BDCT_RATE_DC + bdct_symbol_category (levels[0])]++;
    for (int n = 0; n < BDCT_RATE_COUNTERS; n++)
      counts->counter[c][n] = counter[n];
  }
  bdct_rate_price_picture (counts, &self->layout, job, frame->stack_bits[i]);
}

void
bdct_cpu_work (CpuEngine * self, Piece * piece)
{
  CpuFrame *frame = piece->frame;
  const int number = piece->number;

  piece->n_components = piece->n_distorted = piece->n_rgb = 0;
  piece->price = 0;
  switch (piece->stage->kind) {
    case STAGE_RGB_TO_PLANES:
      make_planes (self, piece);
      break;
    case STAGE_PACK:
      bdct_cpu_pack (self, frame, number);
      break;
    case STAGE_HISTORY:
      bdct_cpu_copy_history (frame, number);
      break;
    case STAGE_ERRORS:
      bdct_cpu_square (self, piece);
      break;
    case STAGE_STRIPS:
      work_on_strip (self, piece);
      break;
    case STAGE_SEGMENTS:
      work_on_segments (frame->task[0], piece);
      break;
    case STAGE_METRICS:
      bdct_cpu_work_on_metrics (frame, piece->stage->step, number,
          bdct_cpu_scratch (self, piece));
      break;
    case STAGE_FIGURES:
      bdct_metrics_finish (&frame->task[number]->metrics,
          &frame->task[number]->stats);
      break;
    case STAGE_RECORDS:
      bdct_cpu_measure_blocks (self, frame, number);
      break;
    case STAGE_MAP:
      bdct_cpu_work_on_map (self, piece);
      break;
    case STAGE_VIEW:
      bdct_render_strip (&frame->render, number);
      break;
    case STAGE_PLANES_TO_RGB:
      make_rgb (self, piece);
      break;
    case STAGE_ZOOM:
      bdct_zoom_strip (&frame->zoom, number);
      break;
    case STAGE_PICTURES:
      price_picture (self, piece);
      break;
  }
}

void
bdct_cpu_add_up (const Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  CpuTask *first = frame->task[0];

  for (int i = 0; i < BDCT_TREE_SIZES && piece->n_components > 0; i++)
    first->stats.area[i] += piece->area[i];
  for (int i = 0; i < piece->n_components; i++) {
    const BdctTileStrip *strip = &piece->strip[i];
    const int c = piece->component[i];
    BdctCounters *sum = &first->stats.component[c];

    sum->sse += strip->counters.sse;
    sum->nonzero += strip->counters.nonzero;
    sum->levels += strip->counters.levels;
    for (int n = 0; frame->plan.bits && strip->levels != NULL
        && frame->stack_bits == NULL && n < BDCT_RATE_COUNTERS; n++)
      first->counts.counter[c][n] += piece->counter[i][n];
  }
  if (piece->price > 0)
    first->counts.counter[piece->component[0]][0] += piece->price;
  for (int i = 0; i < piece->n_distorted; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      frame->task[i]->stats.component[c].sse += piece->sse[i][c];
  for (int k = 0; k < 3 && piece->n_rgb > 0 && frame->stack_sse != NULL; k++)
    frame->stack_sse[piece->picture][k] += piece->rgb_sse[0][k];
  for (int i = 0; i < piece->n_rgb; i++)
    for (int k = 0; k < 3; k++)
      frame->task[i]->stats.rgb[k].sse += piece->rgb_sse[i][k];
}
