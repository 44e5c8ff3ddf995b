/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the tree of a square. Most blocks are of the smallest size: they are
 * priced only if they may be chosen, which a lower bound of their costs,
 * from their records, tells. */
#include "quadtree-region.h"

#include <string.h>

static uint64_t
cost (const Region * r, const NodeBlocks * b, int number, uint64_t distortion,
    uint64_t rate)
{
  const uint8_t *map = b->plane->quantizer_map;
  const BdctJobTree *tree =
      &r->quantizers[map != NULL ? map[number] : 0]->job.tree;

  return bdct_quadtree_cost (tree->lambda, tree->distortion_shift, distortion,
      rate);
}

static uint32_t
find_rate (const Region * r, const NodeBlocks * b, int c, int number)
{
  return bdct_cabac_block_cost (&r->task->tree->prices,
      b->levels + ((size_t) number << 2 * b->log2_size), b->log2_size,
      c != BDCT_Y);
}

void
bdct_cpu_price_blocks (const Region * r, int c, int n)
{
  const NodeBlocks *b = &r->blocks[c][n - 2];
  const uint32_t *flag = r->task->tree->prices.costs.bin[c != BDCT_Y
      ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF];

  for (int i = 0; i < b->columns * b->rows; i++) {
    const uint32_t nonzero = b->record[i].nonzero;

    /* Each level has a sign. Without levels this is all. */
    b->cost[i] = cost (r, b, i, b->record[i].sse,
        nonzero == 0 || n == r->tree->min_log2 ? flag[nonzero != 0]
        + (nonzero << BDCT_CABAC_COST_BITS) : find_rate (r, b, c, i));
  }
}

/* A square's tree in progress. */
typedef struct {
  const Region *region;
  int left, top;
  BdctQuadtreeSquare square;
} Search;

/* A range of blocks in a square's nodes of one size. */
typedef struct {
  int x0, y0, x1, y1;
} Range;

/* The blocks in node (u, v), and in `n_nodes` nodes across and down from
 * there. */
static inline Range
find_range (const Search * s, const NodeBlocks * b, int n, int u, int v,
    int n_nodes)
{
  Range range;

  range.x0 = (s->left + (u << n)) >> b->shift_x;
  range.y0 = (s->top + (v << n)) >> b->shift_y;
  range.x1 = bdct_min (range.x0 + (n_nodes << b->wide), b->columns);
  range.y1 = bdct_min (range.y0 + (n_nodes << b->high), b->rows);
  return range;
}

/* Add the costs of a component's blocks to a square's nodes of one size. */
static void
add_blocks (const Search * s, int c, int n, uint64_t * to)
{
  const NodeBlocks *b = &s->region->blocks[c][n - 2];
  const int log2 = BDCT_QUADTREE_LOG2 - n;
  const Range range = find_range (s, b, n, 0, 0, 1 << log2);

  for (int y = range.y0; y < range.y1; y++) {
    const uint64_t *from = b->cost + y * b->columns;
    uint64_t *row = to + ((y - range.y0) >> b->high << log2);

    for (int x = range.x0; x < range.x1; x++)
      row[(x - range.x0) >> b->wide] += from[x];
  }
}

/* The difference between the real costs of a component's blocks in a node
 * and their lower bounds. */
static uint64_t
price_node (const Search * s, int c, int n, int u, int v)
{
  const Region *r = s->region;
  const NodeBlocks *b = &r->blocks[c][n - 2];
  const Range range = find_range (s, b, n, u, v, 1);
  uint64_t sum = 0;

  for (int y = range.y0; y < range.y1; y++)
    for (int x = range.x0; x < range.x1; x++) {
      const int i = y * b->columns + x;

      if (b->record[i].nonzero != 0)
        sum += cost (r, b, i, b->record[i].sse, find_rate (r, b, c, i))
            - b->cost[i];
    }
  return sum;
}

/* Price the smallest blocks in a node as long as splitting it may be worth
 * it. */
static void
price_parts (Search * s, int u, int v)
{
  const Region *r = s->region;
  const int n = r->tree->min_log2, columns = BDCT_QUADTREE_SIDE >> n;
  const int i = v * columns / 2 + u;
  const uint64_t whole = s->square.whole[n - 1][i];
  uint64_t *part = s->square.whole[n - 2] + 2 * v * columns + 2 * u;
  uint64_t split = s->square.split[n - 1][i] + part[0] + part[1]
      + part[columns] + part[columns + 1];

  for (int c = 0; c < r->n_components; c++)
    for (int k = 0; k < 4 && split < whole
        && n == bdct_quadtree_node (r->tree->chroma, c, n); k++) {
      const uint64_t more = price_node (s, c, n, 2 * u + k % 2, 2 * v + k / 2);

      part[k / 2 * columns + k % 2] += more;
      split += more;
    }
}

/* Add the cost of a node's flag. */
static void
add_flag (Search * s, int n, int u, int v)
{
  const Region *r = s->region;
  const NodeBlocks *b = &r->blocks[BDCT_Y][n - 2];
  const uint32_t *rate =
      r->task->tree->prices.costs.bin[bdct_quadtree_context (n)];
  const int number = ((s->top >> n) + v) * b->columns + (s->left >> n) + u;
  const int i = (v << (BDCT_QUADTREE_LOG2 - n)) + u;

  s->square.whole[n - 2][i] += cost (r, b, number, 0, rate[0]);
  s->square.split[n - 2][i] += cost (r, b, number, 0, rate[1]);
}

/* Price the nodes of one size. */
static void
price_nodes (Search * s, int n)
{
  const Region *r = s->region;
  const int side = BDCT_QUADTREE_SIDE >> n;
  const size_t size = (size_t) (side * side) * sizeof (uint64_t);
  uint64_t *whole = s->square.whole[n - 2], *split = s->square.split[n - 2];

  memset (whole, 0, size);
  if (n == bdct_quadtree_node (r->tree->chroma, BDCT_U, n))
    for (int c = 1; c < r->n_components; c++)
      add_blocks (s, c, n, whole);
  /* A split node also has the cost of chroma blocks that its luma blocks
   * share. */
  if (n == bdct_quadtree_node (r->tree->chroma, BDCT_U, n - 1))
    memcpy (split, whole, size);
  else
    memset (split, 0, size);
  add_blocks (s, BDCT_Y, n, whole);
  if (n == r->tree->min_log2)
    return;
  for (int v = 0; v < side; v++)
    for (int u = 0; u < side; u++)
      if (is_inside (r, s->left + (u << n), s->top + (v << n))) {
        add_flag (s, n, u, v);
        if (n == r->tree->min_log2 + 1)
          price_parts (s, u, v);
      }
}

void
bdct_cpu_decide_square (const Region * r, int left, int top, uint8_t size[64])
{
  Search s;

  s.region = r;
  s.left = left;
  s.top = top;
  if (r->tree->min_log2 < r->tree->max_log2)
    for (int n = r->tree->min_log2; n <= r->tree->max_log2; n++)
      price_nodes (&s, n);
  bdct_quadtree_decide (r->tree, &s.square, size);
}
