/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bits of a frame. Strips count the symbols or the bins of their levels,
 * and segments of the bins are priced in a step of their own; of a stack, each
 * picture is counted and priced from the levels of all. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "dct/base/min.h"
#include "huffman-count.h"

/* The number of segments that are priced in one piece. */
#define SEGMENTS 8

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

/* The runs of CABAC's bins of a component. */
static int
count_runs (const CpuTask * task, int c)
{
  if (task->strips[c] == 0 || bdct_job_coder (&task->job) != BDCT_CODER_CABAC)
    return 0;
  return bdct_cpu_is_tree (task) ? bdct_cpu_count_tree_runs (task, c)
      : find_run (task, c, task->strips[c]);
}

/* The slots of their records. */
static size_t
count_slots (const CpuTask * task, int c)
{
  return (size_t) count_runs (task, c)
      * bdct_cabac_slots (bdct_cpu_slots_log2 (task, c), c != BDCT_Y);
}

/* The pieces of their segments. */
static int
count_segments (const CpuTask * task, int c)
{
  return (count_runs (task, c) + SEGMENTS * BDCT_CABAC_SEGMENT - 1)
      / (SEGMENTS * BDCT_CABAC_SEGMENT);
}

bool
bdct_cpu_prepare_bits (const CpuEngine * self, CpuFrame * frame)
{
  CpuMemory *memory = &frame->memory;
  CpuTask *task = frame->task[0];
  size_t n_strips = 0, n_bins = 0;

  memset (&task->counts, 0, sizeof task->counts);
  for (int p = 0; p < self->layout.n_planes; p++)
    n_strips += (size_t) self->layout.plane[p].interleave
        * ((self->layout.plane[p].height + BDCT_TILE - 1) / BDCT_TILE);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    n_bins += count_slots (task, c);
  if (task->all_ends == NULL)
    task->all_ends = malloc (n_strips * sizeof *task->all_ends);
  if (memory->n_bins < n_bins) {
    free (memory->bins);
    memory->bins = malloc (n_bins * sizeof *memory->bins);
    memory->n_bins = memory->bins != NULL ? n_bins : 0;
  }
  if (task->all_ends == NULL || memory->n_bins < n_bins)
    return false;
  n_strips = n_bins = 0;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    task->ends[c] = task->all_ends + n_strips;
    task->bins[c] = memory->bins + n_bins;
    n_strips += task->strips[c];
    n_bins += count_slots (task, c);
  }
  return true;
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

void
bdct_cpu_count_strip (const CpuTask * task, int c, int number,
    const BdctLevel * levels, BdctChromaFormat chroma,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctComponentJob *job = &task->job.component[c];
  BdctBlockGrid grid = task->plane[c].grid;
  const int n = bdct_tile_side (job) >> job->log2_height;
  const int size = bdct_rate_block_levels (job);
  BdctScan scan;

  if (bdct_job_coder (&task->job) == BDCT_CODER_CABAC) {
    count_bins (task, c, number, levels);
    return;
  }
  grid.rows = bdct_min (grid.rows - number * n, n);
  scan = bdct_scan_init (&grid, chroma, c);
  memset (counter, 0, BDCT_RATE_COUNTERS * sizeof *counter);
  bdct_huffman_count (levels, &scan, counter);
  task->ends[c][number][0] = levels[0];
  task->ends[c][number][1] = levels[(count_blocks (&grid) - 1) * size];
}

int
bdct_cpu_count_bits (const CpuEngine * self, const CpuFrame * frame, int part)
{
  if (frame->stack_bits != NULL)
    return bdct_layout_pictures (&self->layout);
  return count_segments (frame->task[0], 0) + count_segments (frame->task[0], 1)
      + count_segments (frame->task[0], 2);
}

static void
price_segments (const CpuTask * task, Piece * piece)
{
  int number = piece->number, c = 0, from, to, log2_size;

  for (; number >= count_segments (task, c); c++)
    number -= count_segments (task, c);
  log2_size = bdct_cpu_slots_log2 (task, c);
  from = number * SEGMENTS * BDCT_CABAC_SEGMENT;
  to = bdct_min (from + SEGMENTS * BDCT_CABAC_SEGMENT,
      count_runs (task, c));
  piece->component[0] = c;
  piece->price = bdct_cabac_price (task->bins[c]
      + (size_t) from * bdct_cabac_slots (log2_size, c != BDCT_Y),
      bdct_min (from, BDCT_CABAC_SEGMENT), to - from,
      task->start[c != BDCT_Y], log2_size, c != BDCT_Y);
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
bdct_cpu_price_bits (CpuEngine * self, Piece * piece)
{
  if (piece->frame->stack_bits != NULL)
    price_picture (self, piece);
  else
    price_segments (piece->frame->task[0], piece);
}

void
bdct_cpu_finish_bits (const CpuEngine * self, CpuTask * task)
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
