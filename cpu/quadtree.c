/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine's quadtree (quadtree.h). The kernels of the fixed
 * transforms transform a region of squares with blocks of each size, into
 * the thread's own memory. Then each square's tree is found
 * (quadtree-search.c), and the chosen blocks are copied to the output. */
#include "quadtree-region.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  Sized sized[BDCT_QUADTREE_SIZES];
  Region region;
} Scratch;

bool
bdct_cpu_tree_init (BdctCpuTree ** memory, const BdctJob * job)
{
  BdctCpuTree *tree = *memory;

  if (tree == NULL)
    tree = *memory = aligned_alloc (64, (sizeof *tree + 63) / 64 * 64);
  if (tree == NULL)
    return false;
  for (int s = 0; s < BDCT_QUADTREE_SIZES; s++) {
    bdct_job_of_size (&tree->job[s], job, s + 2);
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      bdct_tile_quantizer_init (&tree->quantizer[s][c], &tree->job[s], c);
  }
  bdct_cabac_prices_init (&tree->prices, job->slice_qp);
  return true;
}

size_t
bdct_cpu_tree_scratch_size (void)
{
  return (sizeof (Scratch) + 63) / 64 * 64;
}

int
bdct_cpu_count_tree_strips (const CpuTask * task)
{
  return (task->plane[BDCT_Y].layout.height + ROWS - 1) / ROWS;
}

/* The squares in a row. */
static int
count_across (const CpuTask * task)
{
  return (task->plane[BDCT_Y].layout.width + BDCT_QUADTREE_SIDE - 1)
      / BDCT_QUADTREE_SIDE;
}

/* The runs of a square. */
static int
count_square_runs (const CpuTask * task, int c)
{
  return bdct_quadtree_square_levels (task->sub_x[c], task->sub_y[c]) / 256;
}

int
bdct_cpu_count_tree_runs (const CpuTask * task, int c)
{
  return (task->plane[BDCT_Y].layout.height + BDCT_QUADTREE_SIDE - 1)
      / BDCT_QUADTREE_SIDE * count_across (task) * count_square_runs (task, c);
}

/* Describe the blocks that make up a component's nodes of one size: its own,
 * or those of the next size if luma blocks share them. */
static void
init_blocks (Region * r, int c, int n)
{
  const bool own = bdct_quadtree_has_own (r->tree->chroma, c, n,
      r->tree->max_log2);
  const int node = bdct_quadtree_node (r->tree->chroma, c, n);
  Sized *sized = &r->sized[own ? n - 2 : 1];
  NodeBlocks *b = &r->blocks[c][n - 2];

  b->plane = &sized->plane[c];
  b->levels = sized->levels[c];
  b->record = sized->record[c];
  b->cost = sized->cost[c];
  b->log2_size = b->plane->quantizer[0]->job.log2_width;
  b->columns = b->plane->grid.columns;
  b->rows = b->plane->grid.rows;
  b->shift_x = r->task->sub_x[c] + b->log2_size;
  b->shift_y = r->task->sub_y[c] + b->log2_size;
  b->wide = node - b->shift_x;
  b->high = node - b->shift_y;
}

/* Describe a component of the region in blocks of one size. */
static void
init_plane (const Region * r, int n, int p, int i)
{
  const BdctTilePlane *whole =
      &r->task->plane[r->self->layout.plane[p].component[i]];
  const int c = whole->component, bytes = whole->depth > 8 ? 2 : 1;
  const int x = r->x >> r->task->sub_x[c], y = r->y >> r->task->sub_y[c];
  const int across = COLUMNS >> r->task->sub_x[c];
  const int down = ROWS >> r->task->sub_y[c], step = whole->layout.interleave;
  const bool last = whole->layout.width - x <= across;
  Sized *sized = &r->sized[n - 2];
  BdctTilePlane *plane = &sized->plane[c];
  const BdctComponentJob *job;
  const int smallest = r->task->job.component[c].log2_width;

  bdct_tile_plane_init (plane, &r->task->tree->job[n - 2], c);
  for (int k = 0; k < BDCT_MAX_QUANTIZERS && whole->quantizer[k] != NULL; k++)
    plane->quantizer[k] = &r->quantizers[k]->tree->quantizer[n - 2][c];
  job = &plane->quantizer[0]->job;
  plane->layout = whole->layout;
  plane->layout.width = bdct_min (whole->layout.width - x, across);
  plane->layout.height = bdct_min (whole->layout.height - y, down);
  plane->columns = last ? whole->columns - x : plane->layout.width;
  if (whole->src.data != NULL)
    plane->src.data = bdct_tile_at (whole, &whole->src, y, x);
  plane->src.stride = whole->src.stride;
  plane->dst.stride = across * step * bytes;
  plane->dst.data = sized->picture[p] + i * bytes;
  plane->grid.columns = ((plane->layout.width - 1) >> job->log2_width) + 1;
  plane->grid.rows = ((plane->layout.height - 1) >> job->log2_height) + 1;
  plane->blocks = sized->record[c];
  if (whole->quantizer_map == NULL)
    return;
  plane->quantizer_map = sized->quantizer_map[c];
  for (int k = 0; k < plane->grid.columns * plane->grid.rows; k++) {
    const int bx = (x + (k % plane->grid.columns << job->log2_width))
        >> smallest;
    const int by = (y + (k / plane->grid.columns << job->log2_height))
        >> smallest;

    sized->quantizer_map[c][k] = whole->quantizer_map[whole->grid.first
        + (size_t) by * whole->grid.columns + bx];
  }
}

/* The caller's memory for the levels of a block of the region. */
static BdctLevel *
find_levels (const Region * r, int c, int log2_size, int bx, int by)
{
  const int sub_x = r->task->sub_x[c], sub_y = r->task->sub_y[c];

  return r->task->levels[c]
      + bdct_quadtree_level (r->task->plane[BDCT_Y].layout.width, sub_x, sub_y,
      r->x + (bx << (log2_size + sub_x)), r->y + (by << (log2_size + sub_y)));
}

/* Take all given levels for those of blocks of one size, as some are. */
static void
load_levels (const Region * r, int n, int c)
{
  const BdctTilePlane *plane = &r->sized[n - 2].plane[c];
  const int log2_size = plane->quantizer[0]->job.log2_width;

  for (int y = 0; y < plane->grid.rows; y++)
    for (int x = 0; x < plane->grid.columns; x++)
      memcpy (r->sized[n - 2].levels[c] + (((size_t) y * plane->grid.columns
                  + x) << 2 * log2_size), find_levels (r, c, log2_size, x, y),
          sizeof (BdctLevel) << 2 * log2_size);
}

/* Transform all components of a plane of memory, also from given levels. */
static void
transform (const Region * r, int n, int p)
{
  const BdctPlaneLayout *layout = &r->self->layout.plane[p];
  const BdctTilePlane *planes[2];
  BdctTileStrip strip[2];
  Sized *sized = &r->sized[n - 2];

  for (int i = 0; i < layout->interleave; i++)
    planes[i] = &sized->plane[layout->component[i]];
  for (int row = 0; row < planes[0]->layout.height; row += BDCT_TILE) {
    for (int i = 0; i < layout->interleave; i++) {
      const BdctTilePlane *plane = planes[i];
      const int columns = plane->grid.columns
          << plane->quantizer[0]->job.log2_width;

      strip[i] = (BdctTileStrip) {
        .levels = sized->levels[plane->component] + row * columns,
        .given = r->given
      };
    }
    bdct_cpu_transform (r->self->kernel, planes, row, strip,
        bdct_cpu_scratch (r->self, r->piece));
  }
}

/* The squared errors of a block whose record is saturated. */
static uint64_t
sum_errors (const BdctTilePlane * plane, int x0, int y0, int size)
{
  const int bytes = plane->depth > 8 ? 2 : 1, shift = plane->layout.shift;
  const int peak = (1 << plane->depth) - 1;
  uint64_t sum = 0;

  for (int y = y0; y < bdct_min (y0 + size, plane->layout.height); y++)
    for (int x = x0; x < bdct_min (x0 + size, plane->layout.width); x++) {
      const int e = bdct_sample_get (bdct_tile_at (plane, &plane->src, y, x), 0,
          bytes, shift, peak)
          - bdct_sample_get (bdct_tile_at (plane, &plane->dst, y, x), 0, bytes,
          shift, peak);

      sum += (uint64_t) ((int64_t) e * e);
    }
  return sum;
}

/* Divide a block's record among its places on the grid of the smallest
 * blocks, by their visible samples. The parts add up to it exactly. */
static void
put_records (const Region * r, const BdctTilePlane * whole, int x0, int y0,
    int size, const BdctBlockRecord * record)
{
  const BdctPlaneLayout *layout = &whole->layout;
  const int log2_size = r->task->job.component[whole->component].log2_width;
  const int side = 1 << log2_size;
  const int x1 = bdct_min (x0 + size, layout->width);
  const int y1 = bdct_min (y0 + size, layout->height);
  const uint64_t all = (uint64_t) (x1 - x0) * (y1 - y0);
  uint64_t sum = 0;

  for (int y = y0; y < y1; y += side)
    for (int x = x0; x < x1; x += side) {
      const uint64_t next = sum + (uint64_t) (bdct_min (side, x1 - x))
          * bdct_min (side, y1 - y);

      whole->blocks[whole->grid.first
          + (size_t) (y >> log2_size) * whole->grid.columns
          + (x >> log2_size)] = (BdctBlockRecord) {
        .sse = (uint32_t) (record->sse * next / all - record->sse * sum / all),
        .nonzero = (uint16_t) (record->nonzero * next / all
            - record->nonzero * sum / all),
      };
      sum = next;
    }
}

/* Copy samples of a row; a whole block has as many as compilers copy with
 * single moves. */
static inline void
copy_row (uint8_t * to, const uint8_t * from, int n)
{
#define CASE(n)                                                               \
  case n:                                                                     \
    memcpy (to, from, n);                                                     \
    break
  switch (n) {
    CASE (4);
    CASE (8);
    CASE (16);
    CASE (32);
    default:
      memcpy (to, from, (size_t) n);
  }
#undef CASE
}

/* Copy samples of a plane of memory. */
static void
copy_samples (const BdctTilePlane * whole, const BdctTilePlane * from, int x,
    int y, int left, int top, int size)
{
  const int pixel = whole->layout.interleave * (whole->depth > 8 ? 2 : 1);
  const int width = bdct_min (size, from->layout.width - x);
  const uint8_t *row = bdct_tile_at (from, &from->dst, y, x);
  uint8_t *to = bdct_tile_at (whole, &whole->dst, top + y, left + x);

  for (int i = 0; i < bdct_min (size, from->layout.height - y); i++) {
    copy_row (to, row, width * pixel);
    to += whole->dst.stride;
    row += from->dst.stride;
  }
}

/* The run in its square of a block at luma's (x, y) of the region. */
static int
find_run (const Region * r, int c, int x, int y)
{
  return bdct_quadtree_level (BDCT_QUADTREE_SIDE, r->task->sub_x[c],
      r->task->sub_y[c], x % BDCT_QUADTREE_SIDE, y % BDCT_QUADTREE_SIDE) / 256;
}

/* Copy a component's blocks in a node. */
static void
take (Region * r, int c, int n, int x, int y)
{
  const NodeBlocks *b = &r->blocks[c][n - 2];
  const BdctTilePlane *whole = &r->task->plane[c];
  const int left = r->x >> r->task->sub_x[c], top = r->y >> r->task->sub_y[c];
  BdctCounters *counters = &r->piece->strip[c].counters;
  const int size = 1 << b->log2_size, first = whole->layout.component[0];
  const int x0 = x >> b->shift_x, y0 = y >> b->shift_y;

  for (int by = y0; by < bdct_min (y0 + (1 << b->high), b->rows); by++)
    for (int bx = x0; bx < bdct_min (x0 + (1 << b->wide), b->columns); bx++) {
      const int number = by * b->columns + bx;
      const BdctBlockRecord *record = &b->record[number];
      BdctLevel *levels = b->levels + ((size_t) number << 2 * b->log2_size);

      if (r->task->levels[c] != NULL && !r->given)
        memcpy (find_levels (r, c, b->log2_size, bx, by), levels,
            sizeof *levels << 2 * b->log2_size);
      counters->levels += (uint64_t) size *size;
      counters->nonzero += record->nonzero;
      counters->sse += record->sse < UINT32_MAX ? record->sse
          : sum_errors (b->plane, bx * size, by * size, size);
      if (r->rate)
        bdct_cabac_count (&r->runs[c][find_run (r, c, bx << b->shift_x,
                    by << b->shift_y)], levels, b->log2_size, c != BDCT_Y);
      if (whole->blocks != NULL)
        put_records (r, whole, left + bx * size, top + by * size, size, record);
      if (r->task->drawn[c].data != NULL)
        bdct_cpu_draw_levels (whole, &r->task->drawn[c],
            &b->plane->quantizer[0]->job, levels, left + bx * size,
            top + by * size);
      /* An interleaved plane is copied when its last component is done. */
      if (whole->dst.data != NULL
          && (whole->layout.interleave == 1 || c == BDCT_V))
        copy_samples (&r->task->plane[first], first == c ? b->plane
            : r->blocks[first][n - 2].plane, bx * size, by * size, left, top,
            size);
    }
}

static void
put_flag (Region * r, int x, int y, int n, bool split)
{
  if (r->rate && n > r->tree->min_log2)
    r->runs[BDCT_Y][find_run (r, BDCT_Y, x, y)][bdct_quadtree_context (n)] +=
        split ? 1 << 16 : 1;
}

/* Copy the blocks of a node, or those of its parts. */
static void
take_node (Region * r, const uint8_t size[64], int left, int top, int n,
    int x, int y)
{
  const int half = 1 << (n - 1);
  const bool split = n > 2 && size[2 * (y - top) + ((x - left) >> 2)] < n;

  if (!is_inside (r, x, y))
    return;
  if (n <= r->tree->max_log2)
    put_flag (r, x, y, n, split);
  if (split)
    for (int i = 0; i < 4; i++)
      take_node (r, size, left, top, n - 1, x + i % 2 * half,
          y + i / 2 * half);
  else {
    r->piece->area[n - 2] += (uint64_t) bdct_min (1 << n, r->width - x)
        * bdct_min (1 << n, r->height - y);
    take (r, BDCT_Y, n, x, y);
  }
  for (int c = 1; c < r->n_components; c++)
    if (split ? n == 3 && size[2 * (y - top) + ((x - left) >> 2)] == 2
        && bdct_quadtree_node (r->tree->chroma, c, 2) == 3
        : n == bdct_quadtree_node (r->tree->chroma, c, n))
      take (r, c, split ? 2 : n, x, y);
}

/* The index in the frame of the size of the block at (x, y) of the region. */
static uint8_t *
find_size (const Region * r, int x, int y)
{
  return r->task->sizes + (size_t) ((r->y + y) >> r->tree->min_log2)
      * r->task->plane[BDCT_Y].grid.columns + ((r->x + x) >> r->tree->min_log2);
}

/* Store the counts of a square's runs. */
static void
put_runs (const Region * r, int c, int left, int top)
{
  const int n = count_square_runs (r->task, c);
  const int slots = bdct_cabac_slots (0, c != BDCT_Y);
  const size_t square = (size_t) ((r->y + top) / BDCT_QUADTREE_SIDE)
      * count_across (r->task) + (r->x + left) / BDCT_QUADTREE_SIDE;

  for (int i = 0; i < n; i++)
    bdct_cabac_pack (r->task->bins[c] + (square * n + i) * slots,
        r->runs[c][i], 0, c != BDCT_Y);
}

static void
work_on_square (Region * r, int left, int top)
{
  uint8_t size[64];

  if (!r->given)
    bdct_cpu_decide_square (r, left, top, size);
  for (int i = 0; r->task->sizes != NULL && i < 64; i++) {
    const int x = left + i % 8 * 4, y = top + i / 8 * 4;

    if (is_inside (r, x, y) && r->given)
      size[i] = *find_size (r, x, y);
    else if (is_inside (r, x, y))
      *find_size (r, x, y) = size[i];
  }
  memset (r->runs, 0, sizeof r->runs);
  take_node (r, size, left, top, BDCT_QUADTREE_LOG2, left, top);
  for (int c = 0; r->rate && c < r->n_components; c++)
    put_runs (r, c, left, top);
}

static void
work_on_region (Region * r)
{
  const BdctLayout *layout = &r->self->layout;
  const int n_components = r->n_components;

  for (int n = r->tree->min_log2; n <= r->tree->max_log2; n++)
    for (int p = 0; p < layout->n_planes; p++)
      if (bdct_quadtree_has_own (r->tree->chroma,
              layout->plane[p].component[0], n, r->tree->max_log2)) {
        for (int i = 0; i < layout->plane[p].interleave; i++) {
          init_plane (r, n, p, i);
          if (r->given)
            load_levels (r, n, layout->plane[p].component[i]);
        }
        transform (r, n, p);
      }
  for (int n = r->tree->min_log2; n <= r->tree->max_log2; n++)
    for (int c = 0; c < n_components; c++) {
      init_blocks (r, c, n);
      if (!r->given && r->tree->max_log2 > r->tree->min_log2
          && n == bdct_quadtree_node (r->tree->chroma, c, n))
        bdct_cpu_price_blocks (r, c, n);
    }
  for (int y = 0; y < ROWS; y += BDCT_QUADTREE_SIDE)
    for (int x = 0; x < COLUMNS; x += BDCT_QUADTREE_SIDE)
      if (is_inside (r, x, y))
        work_on_square (r, x, y);
}

void
bdct_cpu_work_on_tree (CpuEngine * self, Piece * piece)
{
  Scratch *scratch = (Scratch *) (self->scratch.tree
      + piece->worker * bdct_cpu_tree_scratch_size ());
  Region *r = &scratch->region;

  r->self = self;
  r->sized = scratch->sized;
  r->piece = piece;
  r->task = piece->frame->task[0];
  r->quantizers = (const CpuTask * const *) piece->frame->task;
  r->tree = &r->task->job.tree;
  r->given = piece->frame->plan.levels.in;
  r->y = piece->number * ROWS;
  r->rate = piece->frame->plan.bits;
  r->height = self->layout.plane[0].height - r->y;
  r->n_components = piece->n_components =
      bdct_layout_components (&self->layout);
  for (int c = 0; c < piece->n_components; c++)
    piece->component[c] = c;
  for (r->x = 0; r->x < self->layout.plane[0].width; r->x += COLUMNS) {
    r->width = self->layout.plane[0].width - r->x;
    work_on_region (r);
  }
}
