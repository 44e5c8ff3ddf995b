/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hevc-quadtree: the best trees by a plain search in 64 bits, with the
 * definitions of the fixed transforms, and the blocks and bits of given
 * trees. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>
#include "dct/rd/quadtree.h"
#include "tests/unit/bins.h"

static const BdctTransform fixed[] = { BDCT_HEVC_4X4, BDCT_HEVC_8X8,
  BDCT_HEVC_16X16, BDCT_HEVC_32X32
};

typedef struct {
  Oracle *o;
  const BdctParams *params;     /* the first quantizer's */
  BdctCabacCosts costs;
  uint8_t *best;                /* the sizes that the search finds */
  BdctCabacCounts *runs[BDCT_MAX_COMPONENTS];
} Tree;

#define sub_x(t, c) ref_sub_x ((t)->o->layout->chroma, c)
#define sub_y(t, c) ref_sub_y ((t)->o->layout->chroma, c)

static bool
shares (const Tree * t)
{
  return t->o->layout->chroma != BDCT_CHROMA_444;
}

static bool
is_inside (const Tree * t, int x, int y)
{
  return x < t->o->made.width[0] && y < t->o->made.height[0];
}

static size_t
place (const Tree * t, int x, int y)
{
  const BdctJobInfo *info = &t->o->f->info;

  return (size_t) (y >> info->log2_height[0]) * info->grid[0].columns
      + (x >> info->log2_width[0]);
}

static const BdctJobTree *
job_of (const Tree * t, int set)
{
  return &bdct_jobs_at (t->o->f->quantizers, set)->tree;
}

/* The search */

static uint64_t
block_cost (const Tree * t, int c, BdctTransform transform, int x, int y)
{
  static int out[REF_SIZE * REF_SIZE];
  int16_t levels[32 * 32] __attribute__ ((aligned (8)));
  const int set = oracle_set (t->o, c, x, y);
  const RefResult *result = oracle_define (t->o, c, transform, set, x, y, out,
      NULL);
  const int side = ref_block_size (transform, t->o->layout->chroma, c);
  BdctCabacCounts runs[4] = { {0} };
  uint64_t rate = 0;

  for (int i = 0; i < side * side; i++)
    levels[i] = result->level[i / side][i % side];
  bdct_cabac_count (runs, levels, __builtin_ctz (side), c > 0);
  for (int r = 0; r < 4; r++) {
    rate += (uint64_t) runs[r][BDCT_CABAC_BYPASS] << 15;
    for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++)
      rate += (uint64_t) (runs[r][i] & 0xffff) * t->costs.bin[i][0]
          + (uint64_t) (runs[r][i] >> 16) * t->costs.bin[i][1];
  }
  return (result->sse << job_of (t, set)->distortion_shift)
      + job_of (t, set)->lambda * rate;
}

/* A component's blocks of the fixed size in a square of luma. */
static uint64_t
blocks_cost (const Tree * t, int c, int n, int x, int y, int side)
{
  const BdctTransform transform = fixed[n - 2];
  const int size = ref_block_size (transform, t->o->layout->chroma, c);
  const int right = clamp ((x + side) >> sub_x (t, c), 0,
      t->o->made.width[c]);
  const int bottom = clamp ((y + side) >> sub_y (t, c), 0,
      t->o->made.height[c]);
  uint64_t sum = 0;

  for (int v = y >> sub_y (t, c); v < bottom; v += size)
    for (int u = x >> sub_x (t, c); u < right; u += size)
      sum += block_cost (t, c, transform, u, v);
  return sum;
}

static uint64_t
flag_cost (const Tree * t, int n, int x, int y, int bin)
{
  return 1 << n == t->params->min_block ? 0
      : job_of (t, oracle_set (t->o, 0, x, y))->lambda
      * t->costs.bin[BDCT_CABAC_LUMA_SPLIT + 5 - n][bin];
}

/* The least cost of a node, whose sizes are then in `best`. */
static uint64_t
find_best (Tree * t, int n, int x, int y)
{
  const int side = 1 << n, half = side / 2, min = t->params->min_block;
  const bool may = side <= t->params->max_block;
  uint64_t whole = UINT64_MAX, split = UINT64_MAX;

  if (!is_inside (t, x, y))
    return 0;
  if (side > min) {
    split = may ? flag_cost (t, n, x, y, 1) : 0;
    for (int c = 1; c < 3 && n == 3 && shares (t); c++)
      split += blocks_cost (t, c, 2, x, y, 8);
    for (int i = 0; i < 4; i++)
      split += find_best (t, n - 1, x + i % 2 * half, y + i / 2 * half);
  }
  if (may) {
    whole = flag_cost (t, n, x, y, 0) + blocks_cost (t, 0, n, x, y, side);
    for (int c = 1; c < 3 && (n > 2 || !shares (t)); c++)
      whole += blocks_cost (t, c, n, x, y, side);
  }
  if (split < whole)
    return split;
  for (int v = y; v < y + side; v += min)
    for (int u = x; u < x + side; u += min)
      if (is_inside (t, u, v))
        t->best[place (t, u, v)] = n;
  return whole;
}

/* The blocks of trees */

/* One block at luma's (x, y), whose levels begin at `at` of its component. */
static bool
check_block (Tree * t, int c, int log2_size, int x, int y, size_t at)
{
  const bool halved = c > 0 && shares (t);
  const int16_t *levels = (int16_t *) t->o->out->bytes[LEVEL_BYTES]
      + t->o->f->info.first_level[c] + at;

  if (x >= t->o->made.width[c] || y >= t->o->made.height[c])
    return true;
  bdct_cabac_count (t->runs[c] + at / 256, levels, log2_size, c > 0);
  return oracle_block (t->o, c, fixed[log2_size - 2 + halved],
      oracle_set (t->o, c, x, y), x, y, levels, NULL);
}

/* A node in the order of H.265's transform_tree(): `at` is the number of luma's
 * levels before it, and `turned` the same where x and y change places. */
static bool
check_node (Tree * t, int n, int x, int y, size_t at, size_t turned)
{
  const int across = sub_x (t, 1), down = sub_y (t, 1), half = 1 << n >> 1;
  const uint8_t *sizes = t->o->out->bytes[SIZE_BYTES];
  const int size = sizes[place (t, x, y)];
  const int log2_chroma = size < n ? 2 : n - (across || down);
  const size_t before = (down > across ? turned : at) >> (across + down);

  if (1 << n <= t->params->max_block && 1 << n > t->params->min_block)
    t->runs[0][at / 256][BDCT_CABAC_LUMA_SPLIT + 5 - n] += size < n ? 1 << 16
        : 1;
  for (int i = 0; i < 4 && size < n && n > 2; i++) {
    const int u = i % 2, v = i / 2;

    if (is_inside (t, x + u * half, y + v * half)
        && !check_node (t, n - 1, x + u * half, y + v * half,
            at + ((size_t) i << 2 * (n - 1)),
            turned + ((size_t) (2 * u + v) << 2 * (n - 1))))
      return false;
  }
  if (size == n) {
    for (int v = y; v < y + (1 << n) && v < t->o->made.height[0]; v++)
      for (int u = x; u < x + (1 << n) && u < t->o->made.width[0]; u++)
        t->o->expected.area[(n - 2) & 3]++;
    if (!check_block (t, 0, n, x, y, at))
      return false;
  }
  if (size == n ? n == 2 && shares (t) : n > 3 || !shares (t))
    return true;
  for (int c = 1; c < 3; c++)
    for (int i = 0; i < 1 + (across != down); i++)
      if (!check_block (t, c, log2_chroma,
              (x >> across) + (down > across ? i << log2_chroma : 0),
              (y >> down) + (across > down ? i << log2_chroma : 0),
              before + ((size_t) i << 2 * log2_chroma)))
        return false;
  return true;
}

static bool
check_bits (const Tree * t, int squares)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const int n = squares * (4 >> (sub_x (t, c) + sub_y (t, c)));
    const uint64_t bits = t->o->made.width[c] == 0 ? 0
        : (ref_price_runs (t->runs[c], n, 0, c > 0, t->params->qp) + 2048)
        / 4096;

    if (t->o->stats->component[c].bits != bits)
      return oracle_fail (t->o->text, "component %d: %llu bits of trees, by a "
          "count %llu", c,
          (unsigned long long) t->o->stats->component[c].bits,
          (unsigned long long) bits);
  }
  return true;
}

bool
oracle_tree (Oracle * o)
{
  const int width = o->made.width[0], height = o->made.height[0];
  const int squares = (width + 31) / 32 * ((height + 31) / 32);
  const size_t n = (size_t) o->f->info.grid[0].columns
      * o->f->info.grid[0].rows;
  Tree t = {.o = o,.params = o->f->params };
  size_t at = 0;
  bool ok = true;

  bdct_cabac_init ();
  bdct_cabac_costs (&t.costs, t.params->qp);
  t.best = allocate (n);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    t.runs[c] = allocate (4 * squares * sizeof *t.runs[c]);
  for (int y = 0; y < height && !o->f->frame.from_levels; y += 32)
    for (int x = 0; x < width; x += 32)
      find_best (&t, 5, x, y);
  if (!o->f->frame.from_levels
      && memcmp (t.best, o->out->bytes[SIZE_BYTES], n) != 0)
    ok = oracle_fail (o->text, "other trees than the best");
  for (int y = 0; y < height; y += 32)
    for (int x = 0; x < width; x += 32, at += 32 * 32)
      ok = ok && check_node (&t, 5, x, y, at, at);
  ok = ok && check_bits (&t, squares);
  free (t.best);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    free (t.runs[c]);
  return ok;
}
