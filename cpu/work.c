/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The work on a piece of a frame: strips and what is counted of their levels,
 * segments of bins, views, and colours. */
#include "state.h"

#include <string.h>
#include "cabac-bins.h"
#include "huffman-count.h"
#include "render.h"

/* Segments that are priced in one piece. */
#define SEGMENTS 32

/* Pieces of a component's strips: none of the second one of a plane of memory,
 * which the first one's are of, too. */
static int
count_pieces (const Pass * pass, int c)
{
  const BdctPlaneLayout *layout = &pass->plane[c].layout;

  return pass->strips[c] > 0 && layout->interleave == 2
      && (int) layout->component[1] == c ? 0 : pass->strips[c];
}

int
bdct_cpu_count_strips (const Pass * pass)
{
  if (bdct_cpu_is_tree (pass))
    return bdct_cpu_count_tree_strips (pass);
  return count_pieces (pass, 0) + count_pieces (pass, 1)
      + count_pieces (pass, 2);
}

static size_t
count_blocks (const BdctBlockGrid * grid)
{
  return (size_t) grid->columns * grid->rows;
}

/* The most levels of a strip whose bits are asked for. */
static size_t
strip_levels (const BdctLayout * layout)
{
  return (size_t) (layout->plane[0].width + BDCT_TILE - 1) * BDCT_TILE;
}

/* Of a batch's strips of a plane of memory. */
size_t
bdct_cpu_piece_levels (const BdctLayout * layout)
{
  int n = 1;

  for (int p = 0; p < layout->n_planes; p++)
    if (layout->plane[p].interleave > n)
      n = layout->plane[p].interleave;
  return n * MAX_BATCH * strip_levels (layout);
}

/* Blocks of a component's strip, but for the last one. */
static size_t
strip_blocks (const Pass * pass, int c)
{
  const BdctComponentJob *job = &pass->job.component[c];

  return (size_t) (bdct_tile_side (job) >> job->log2_height)
      * pass->plane[c].grid.columns;
}

/* The segments of a component's bins; 0 if nothing prices them. */
static int
count_segments (const Pass * pass, int c)
{
  const int log2_size = bdct_cabac_log2_size (&pass->job.component[c]);
  const int n = bdct_cabac_segment_blocks (log2_size);

  if (bdct_cpu_is_tree (pass))
    return pass->strips[c] == 0 ? 0 : bdct_cpu_count_tree_segments (pass);
  return bdct_rate_coder (pass->job.family) != BDCT_CODER_CABAC
      || log2_size == 0 || pass->strips[c] == 0 ? 0
      : (count_blocks (&pass->plane[c].grid) + n - 1) / n;
}

/* Words for a component's bins. */
size_t
bdct_cpu_count_bins (const Pass * pass, int c)
{
  const int n_segments = count_segments (pass, c);

  if (bdct_cpu_is_tree (pass))
    return n_segments * bdct_cpu_count_tree_words (pass, c);
  return n_segments == 0 ? 0
      : bdct_cabac_bins_words (count_blocks (&pass->plane[c].grid),
      bdct_cabac_log2_size (&pass->job.component[c]))
      + (size_t) (pass->strips[c] + n_segments) * BDCT_CABAC_BINS_RUN;
}

/* The run of blocks that a strip and a segment have in common: the first of
 * them, the first behind them, and their bins. From one run to the next the
 * strip or the segment goes on, or both. */
static uint64_t *
find_run (const Pass * pass, int c, int strip, int segment, size_t * from,
    size_t * to)
{
  const int log2_size = bdct_cabac_log2_size (&pass->job.component[c]);
  const size_t in_strip = strip_blocks (pass, c);
  const size_t in_segment = bdct_cabac_segment_blocks (log2_size);

  *from = strip * in_strip;
  if (*from < segment * in_segment)
    *from = segment * in_segment;
  *to = count_blocks (&pass->plane[c].grid);
  if (*to > (strip + 1) * in_strip)
    *to = (strip + 1) * in_strip;
  if (*to > (segment + 1) * in_segment)
    *to = (segment + 1) * in_segment;
  return pass->bins[c] + bdct_cabac_bins_words (*from, log2_size)
      + (size_t) (strip + segment) * BDCT_CABAC_BINS_RUN;
}

/* Write and count the bins of a strip's levels. */
static void
write_bins (const Pass * pass, int c, int number, const BdctLevel * levels,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctComponentJob *job = &pass->job.component[c];
  const int log2_size = bdct_cabac_log2_size (job);
  size_t from = number * strip_blocks (pass, c), to;
  size_t end = from + strip_blocks (pass, c);

  if (end > count_blocks (&pass->plane[c].grid))
    end = count_blocks (&pass->plane[c].grid);
  for (; from < end; from = to) {
    uint64_t *run = find_run (pass, c, number,
        from / bdct_cabac_segment_blocks (log2_size), &from, &to);

    bdct_cabac_bins_write (run, levels, to - from, log2_size, c != BDCT_Y,
        counter);
    levels += (to - from) << 2 * log2_size;
  }
}

/* Count what is in a strip's levels. */
static void
count_strip (Pass * pass, int c, int number, const BdctLevel * levels,
    const BdctChromaFormat chroma, uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctComponentJob *job = &pass->job.component[c];
  BdctBlockGrid grid = pass->plane[c].grid;
  const int n = bdct_tile_side (job) >> job->log2_height;
  const int size = bdct_rate_block_levels (job);
  BdctScan scan;

  memset (counter, 0, BDCT_RATE_COUNTERS * sizeof *counter);
  if (bdct_rate_coder (pass->job.family) == BDCT_CODER_CABAC) {
    write_bins (pass, c, number, levels, counter);
    return;
  }
  if (grid.rows - number * n < n)
    grid.rows -= number * n;
  else
    grid.rows = n;
  scan = bdct_scan_init (&grid, chroma, c);
  bdct_huffman_count (levels, &scan, counter);
  pass->ends[c][number][0] = levels[0];
  pass->ends[c][number][1] = levels[(count_blocks (&grid) - 1) * size];
}

/* Have the tiles of a strip of all that is in a plane of memory. */
static void
transform_strip (CpuEngine * self, Piece * piece, int row)
{
  const BdctTilePlane *planes[2][MAX_BATCH];
  const int n = piece->batch->n;
  const BdctTileKernel *kernel = self->kernel;
  bool tile16 = kernel->tile16 != NULL, real = kernel->real != NULL;

  for (int i = 0; i < piece->n_components; i++)
    for (int k = 0; k < n; k++) {
      planes[i][k] = &piece->batch->pass[k]->plane[piece->component[i]];
      tile16 = tile16 && bdct_tile_is_tile16 (planes[i][k]);
      real = real && bdct_tile_is_float8x8 (planes[i][k]);
    }
  if (tile16)
    (*kernel->tile16) (planes, n, row, piece->strip);
  else
    for (int i = 0; i < piece->n_components; i++)
      (real ? *kernel->real : kernel->plain->strip) (planes[i], n, row,
          piece->strip[i]);
}

/* A strip of a batch. */
static void
work_on_strip (CpuEngine * self, Batch * batch, int number, Piece * piece)
{
  const Pass *first = batch->pass[0];
  const BdctPlaneLayout *layout;
  BdctLevel *levels = NULL;
  int c = 0;

  piece->batch = batch;
  memset (piece->strip, 0, sizeof piece->strip);
  memset (piece->area, 0, sizeof piece->area);
  if (bdct_cpu_is_tree (first)) {
    bdct_cpu_work_on_tree (self, batch, number, piece);
    return;
  }
  for (; number >= count_pieces (first, c); c++)
    number -= count_pieces (first, c);
  layout = &first->plane[c].layout;
  piece->n_components = layout->interleave;
  piece->component[0] = c;
  piece->component[1] = layout->component[1];
  if (piece->slot->rate
      && (bdct_rate_coder (first->job.family) == BDCT_CODER_HUFFMAN
          || bdct_cabac_log2_size (&first->job.component[c]) > 0))
    levels = self->strip_levels
        + piece->worker * bdct_cpu_piece_levels (&self->layout);
  for (int i = 0; levels != NULL && i < piece->n_components; i++)
    for (int k = 0; k < batch->n; k++, levels += strip_levels (&self->layout))
      piece->strip[i][k].levels = levels;
  transform_strip (self, piece,
      number * bdct_tile_side (&first->job.component[c]));
  for (int i = 0; levels != NULL && i < piece->n_components; i++)
    for (int k = 0; k < batch->n; k++)
      count_strip (batch->pass[k], piece->component[i], number,
          piece->strip[i][k].levels, self->layout.chroma,
          piece->counter[i][k]);
}

/* Pieces of SEGMENTS segments. */
int
bdct_cpu_count_segment_pieces (const Pass * pass, int c)
{
  return (count_segments (pass, c) + SEGMENTS - 1) / SEGMENTS;
}

/* Have states adapt to a segment (cabac-bins.h). */
static uint64_t
adapt_to_segment (const Pass * pass, int c, int segment,
    BdctCabacBinsState first[BDCT_CABAC_CONTEXTS],
    BdctCabacBinsState second[BDCT_CABAC_CONTEXTS])
{
  const int log2_size = bdct_cabac_log2_size (&pass->job.component[c]);
  size_t from = (size_t) segment * bdct_cabac_segment_blocks (log2_size), to;
  size_t end = from + bdct_cabac_segment_blocks (log2_size);
  uint64_t cost = 0;

  if (bdct_cpu_is_tree (pass))
    return bdct_cabac_bins_adapt (bdct_cpu_find_tree_run (pass, c, segment),
        first, second);
  if (end > count_blocks (&pass->plane[c].grid))
    end = count_blocks (&pass->plane[c].grid);
  for (; from < end; from = to)
    cost +=
        bdct_cabac_bins_adapt (find_run (pass, c, from / strip_blocks (pass, c),
            segment, &from, &to), first, second);
  return cost;
}

/* Some segments of a batch. While states that have adapted to the segment
 * before price one, others adapt to it, which price the next; the one before
 * the first is gone through for that alone. */
static void
work_on_segments (Batch * batch, int number, Piece * piece)
{
  BdctCabacBinsState start[BDCT_CABAC_CONTEXTS], now[BDCT_CABAC_CONTEXTS];
  BdctCabacBinsState next[BDCT_CABAC_CONTEXTS];
  int i = 0, c = 0, from, to;
  Pass *pass;

  for (; number >= bdct_cpu_count_segment_pieces (batch->pass[i], c);
      i += (c + 1) / BDCT_MAX_COMPONENTS, c = (c + 1) % BDCT_MAX_COMPONENTS)
    number -= bdct_cpu_count_segment_pieces (batch->pass[i], c);
  pass = batch->pass[i];
  from = number * SEGMENTS;
  to = count_segments (pass, c);
  if (to > from + SEGMENTS)
    to = from + SEGMENTS;
  bdct_cabac_bins_start (&pass->counts, c != BDCT_Y, start);
  piece->pass = pass;
  piece->component[0] = c;
  piece->cost = 0;
  memcpy (next, start, sizeof next);
  for (int k = from > 0 ? from - 1 : 0; k < to; k++) {
    uint64_t cost;

    memcpy (now, next, sizeof now);
    memcpy (next, start, sizeof next);
    cost = adapt_to_segment (pass, c, k, now, next);
    if (k >= from)
      piece->cost += cost;
  }
}

void
bdct_cpu_work (CpuEngine * self, Piece * piece)
{
  Slot *slot = piece->slot;
  Batch *batch = &slot->batch[piece->stage->batch];
  uint64_t unused[3] = { 0 };
  int number = piece->number;

  piece->batch = NULL;
  piece->pass = NULL;
  piece->n_rgb = 0;
  switch (piece->stage->kind) {
    case STAGE_SPLIT:
      self->kernel->colour->split (&slot->colour, number);
      break;
    case STAGE_PACK:
      bdct_cpu_pack (self, slot, number);
      break;
    case STAGE_ERRORS:
      bdct_cpu_square (self, batch, number, piece);
      break;
    case STAGE_KEEP:
      bdct_cpu_keep (slot, number);
      break;
    case STAGE_STRIPS:
      for (; number >= bdct_cpu_count_strips (batch->pass[0]); batch++)
        number -= bdct_cpu_count_strips (batch->pass[0]);
      work_on_strip (self, batch, number, piece);
      break;
    case STAGE_SEGMENTS:
      work_on_segments (batch, number, piece);
      break;
    case STAGE_METRICS:
      bdct_cpu_work_on_metrics (slot, batch, piece->stage->step, number);
      break;
    case STAGE_FIGURES:
      bdct_cpu_finish_metrics (slot, batch, number);
      break;
    case STAGE_BLOCKS:
      bdct_cpu_measure_blocks (self, slot, number);
      break;
    case STAGE_MAP:
      bdct_cpu_work_on_map (self, slot, number);
      break;
    case STAGE_VIEW:
      bdct_render_strip (&slot->render, number);
      break;
    case STAGE_JOIN:
      piece->n_rgb = 1;
      memset (piece->rgb_sse, 0, sizeof piece->rgb_sse);
      self->kernel->colour->join (&slot->colour, number, piece->rgb_sse[0]);
      break;
    case STAGE_JOIN_VIEW:
      self->kernel->colour->join (&slot->colour, number, unused);
      break;
    case STAGE_ZOOM:
      bdct_zoom_strip (&slot->comparison.zoom, number);
      break;
  }
}

/* Add to the passes what came of a piece. Called with the lock, but for a frame
 * that no other thread knows. */
void
bdct_cpu_add_up (const Piece * piece)
{
  const Batch *batch = piece->batch;

  for (int k = 0; batch != NULL && k < batch->n; k++)
    for (int i = 0; i < BDCT_TREE_SIZES; i++)
      batch->pass[k]->stats.area[i] += piece->area[k][i];
  for (int i = 0; batch != NULL && i < piece->n_components; i++)
    for (int k = 0; k < batch->n; k++) {
      const BdctTileStrip *strip = &piece->strip[i][k];
      const int c = piece->component[i];
      Pass *pass = batch->pass[k];

      pass->stats.component[c].sse += strip->counters.sse;
      pass->stats.component[c].nonzero += strip->counters.nonzero;
      pass->stats.component[c].levels += strip->counters.levels;
      for (int n = 0; strip->levels != NULL && n < BDCT_RATE_COUNTERS; n++)
        pass->counts.counter[c][n] += piece->counter[i][k][n];
    }
  for (int i = 0; i < piece->n_rgb; i++)
    for (int k = 0; k < 3; k++)
      bdct_cpu_pass (piece->slot, i)->stats.rgb[k].sse +=
          piece->rgb_sse[i][k];
  if (piece->pass != NULL)
    piece->pass->counts.counter[piece->component[0]][BDCT_RATE_COST] +=
        piece->cost;
}
