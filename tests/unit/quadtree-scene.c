/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quadtree-scene.h"

#include <string.h>
#include "bins.h"
#include "dct/rd/quadtree.h"
#include "lists.h"
#include "reference.h"

static const BdctTransform fixed[4] = {
  BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
};

/* Blocks */

static void
fixed_init (Fixed * f, const Scene * s, int set, int size, int k)
{
  BdctParams params = s->params[set];
  RefPlane plane = { &params, s->layout.chroma, k, s->c->depth,
    s->source.width[k], s->source.height[k], REF_FLOAT
  };
  RefResult *result = g_new0 (RefResult, 1);
  int side;

  params.transform = fixed[size];
  side = ref_block_size (params.transform, s->layout.chroma, k);
  f->log2_size = g_bit_storage (side) - 1;
  f->columns = (plane.width + side - 1) / side;
  f->rows = (plane.height + side - 1) / side;
  f->out = g_new (int, plane.width * plane.height);
  f->levels = g_new0 (int, f->columns * f->rows * side * side);
  ref_plane (&plane, s->source.sample[k], f->out, NULL, result);
  ref_levels (&plane, s->source.sample[k], f->levels);
  g_free (result);
}

static void
define (Scene * s)
{
  bdct_cabac_init ();
  for (int i = 0; i < s->n_quantizers; i++)
    for (int size = 0; size < 4; size++)
      for (int k = 0; k < bdct_layout_components (&s->layout); k++)
        fixed_init (&s->fixed[i][size][k], s, i, size, k);
}

/* A block's levels, as dct/entropy/cabac.h wants them. */
static void
take_levels (const Fixed * f, int x, int y, BdctLevel * to)
{
  const int side = 1 << f->log2_size;

  for (int i = 0; i < side * side; i++)
    to[i] = f->levels[(y * side + i / side) * f->columns * side + x * side
        + i % side];
}

static guint64
sum_errors (const Scene * s, const Fixed * f, int k, int x, int y)
{
  const int side = 1 << f->log2_size, width = s->source.width[k];
  guint64 sum = 0;

  for (int i = y * side; i < MIN ((y + 1) * side, s->source.height[k]); i++)
    for (int j = x * side; j < MIN ((x + 1) * side, width); j++) {
      const gint64 e = f->out[i * width + j] - s->source.sample[k][i * width
          + j];

      sum += e * e;
    }
  return sum;
}

/* The set of the smallest block that a component's sample is in. */
static int
find_set (const Scene * s, int k, int x, int y)
{
  const BdctComponentJob *job = &s->quantizers[0].component[k];

  return s->map == NULL ? 0 : s->map[s->grid[k].first
      + (y >> job->log2_height) * s->grid[k].columns + (x >> job->log2_width)];
}

static guint64
block_cost (const Scene * s, int set, const Fixed * f, int k, int x, int y)
{
  BdctLevel levels[32 * 32] __attribute__ ((aligned (8)));
  BdctCabacCounts runs[4] = { {0} };
  guint64 rate = 0;

  take_levels (f, x, y, levels);
  bdct_cabac_count (runs, levels, f->log2_size, k > 0);
  for (int r = 0; r < 4; r++) {
    rate += (guint64) runs[r][BDCT_CABAC_BYPASS] << 15;
    for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++)
      rate += (guint64) (runs[r][i] & 0xffff) * s->costs.bin[i][0]
          + (guint64) (runs[r][i] >> 16) * s->costs.bin[i][1];
  }
  return (sum_errors (s, f, k, x,
          y) << s->quantizers[set].tree.distortion_shift)
      + s->quantizers[set].tree.lambda * rate;
}

/* Trees */

static int
sub_x (const Scene * s, int k)
{
  return bdct_layout_sub_x (&s->layout, k);
}

static int
sub_y (const Scene * s, int k)
{
  return bdct_layout_sub_y (&s->layout, k);
}

/* Call `func` for each block of a component, of the fixed size, in the square
 * of luma at (x, y). */
static guint64
each_block (Scene * s, int k, int size, int x, int y, int side,
    guint64 (*func) (Scene *, int set, const Fixed *, int k, int x, int y))
{
  const int x0 = x >> sub_x (s, k), y0 = y >> sub_y (s, k);
  const int log2_size = s->fixed[0][size][k].log2_size;
  guint64 sum = 0;

  for (int by = y0; by < MIN ((y + side) >> sub_y (s, k),
          s->source.height[k]); by += 1 << log2_size)
    for (int bx = x0; bx < MIN ((x + side) >> sub_x (s, k),
            s->source.width[k]); bx += 1 << log2_size) {
      const int own = find_set (s, k, bx, by);

      sum += func (s, own, &s->fixed[own][size][k], k, bx >> log2_size,
          by >> log2_size);
    }
  return sum;
}

static guint64
cost_of (Scene * s, int set, const Fixed * f, int k, int x, int y)
{
  return block_cost (s, set, f, k, x, y);
}

static gboolean
shares (const Scene * s)
{
  return s->layout.chroma != BDCT_CHROMA_444;
}

/* What the node at (x, y), 4 << size a side, costs as one block, without its
 * flag; with `chroma`, the blocks of U and V, too. */
static guint64
whole_cost (Scene * s, int size, int x, int y)
{
  guint64 sum = each_block (s, 0, size, x, y, 4 << size, cost_of);

  for (int k = 1; k < bdct_layout_components (&s->layout); k++)
    if (size > 0 || !shares (s))
      sum += each_block (s, k, size, x, y, 4 << size, cost_of);
  return sum;
}

/* What is added where it is split: chroma that 4 x 4 share. */
static guint64
shared_cost (Scene * s, int size, int x, int y)
{
  guint64 sum = 0;

  for (int k = 1; size == 1 && shares (s)
      && k < bdct_layout_components (&s->layout); k++)
    sum += each_block (s, k, 0, x, y, 8, cost_of);
  return sum;
}

static guint64
flag_cost (Scene * s, int size, int x, int y, int bin)
{
  const guint64 rate = s->costs.bin[BDCT_CABAC_LUMA_SPLIT + 3 - size][bin];

  if (4 << size == s->c->min_block)
    return 0;
  return s->quantizers[find_set (s, 0, x, y)].tree.lambda * rate;
}

static gboolean
is_inside (const Scene * s, int x, int y)
{
  return x < s->c->width && y < s->c->height;
}

/* The best tree of a node by the plain recursion, written to `sizes`. */
static guint64
best_tree (Scene * s, int size, int x, int y)
{
  const int log2_min = g_bit_storage (s->c->min_block) - 1;
  const int half = 2 << size;
  guint64 whole = G_MAXUINT64, split = G_MAXUINT64;

  if (!is_inside (s, x, y))
    return 0;
  if (4 << size > s->c->min_block) {
    split = shared_cost (s, size, x, y)
        + (4 << size <= s->c->max_block ? flag_cost (s, size, x, y, 1) : 0);
    for (int i = 0; i < 4; i++)
      split += best_tree (s, size - 1, x + i % 2 * half, y + i / 2 * half);
  }
  if (4 << size <= s->c->max_block)
    whole = whole_cost (s, size, x, y) + flag_cost (s, size, x, y, 0);
  if (split < whole)
    return split;
  for (int i = y; i < MIN (y + 2 * half, s->c->height); i++)
    for (int j = x; j < MIN (x + 2 * half, s->c->width); j++)
      s->sizes[(i >> log2_min) * s->grid[0].columns + (j >> log2_min)] =
          size + 2;
  return whole;
}

/* What a frame becomes */

static guint64
take (Scene * s, int set, const Fixed * f, int k, int x, int y)
{
  const int side = 1 << f->log2_size, width = s->source.width[k];
  BdctCounters *counters = &s->stats.component[k];
  BdctLevel levels[32 * 32] __attribute__ ((aligned (8)));

  (void) set;
  take_levels (f, x, y, levels);
  counters->sse += sum_errors (s, f, k, x, y);
  counters->levels += side * side;
  for (int i = 0; i < side * side; i++)
    counters->nonzero += levels[i] != 0;
  for (int i = y * side; i < MIN ((y + 1) * side, s->source.height[k]); i++)
    for (int j = x * side; j < MIN ((x + 1) * side, width); j++)
      s->picture.sample[k][i * width + j] = f->out[i * width + j];
  return 0;
}

/* Go through a node of the best tree, and call functions for flags and
 * blocks. */
typedef struct {
  void (*flag) (Scene *, gpointer, int size, int x, int y, int bin);
  void (*block) (Scene *, gpointer, const Fixed *, int k, int x, int y);
  gpointer data;
} Visitor;

static Visitor *visitor;

static guint64
visit_block (Scene * s, int set, const Fixed * f, int k, int x, int y)
{
  (void) set;
  visitor->block (s, visitor->data, f, k, x, y);
  return 0;
}

static void
visit (Scene * s, int size, int x, int y)
{
  const int log2_min = g_bit_storage (s->c->min_block) - 1;
  const int half = 2 << size;
  int own;

  if (!is_inside (s, x, y))
    return;
  own = s->sizes[(y >> log2_min) * s->grid[0].columns + (x >> log2_min)] - 2;
  if (4 << size <= s->c->max_block && 4 << size > s->c->min_block)
    visitor->flag (s, visitor->data, size, x, y, own < size);
  for (int i = 0; own < size && i < 4; i++)
    visit (s, size - 1, x + i % 2 * half, y + i / 2 * half);
  if (own == size)
    each_block (s, 0, size, x, y, 4 << size, visit_block);
  for (int k = 1; k < bdct_layout_components (&s->layout); k++)
    if (own == size && (size > 0 || !shares (s)))
      each_block (s, k, size, x, y, 4 << size, visit_block);
    else if (own == 0 && size == 1 && shares (s))
      each_block (s, k, 0, x, y, 8, visit_block);
}

static void
take_flag (Scene * s, gpointer data, int size, int x, int y, int bin)
{
  (void) x;
  (void) y;
  (void) s;
  (void) data;
  (void) size;
  (void) bin;
}

static void
take_block (Scene * s, gpointer data, const Fixed * f, int k, int x, int y)
{
  (void) data;
  take (s, 0, f, k, x, y);
}

/* CABAC's estimate: the bins of a component's runs (dct/entropy/cabac.h). */
typedef struct {
  BdctCabacCounts *runs[3];
} Coder;

/* The run of a block at luma's (x, y). */
static guint32 *
find_run (const Scene * s, const Coder * coder, int k, int x, int y)
{
  return coder->runs[k][bdct_quadtree_level (s->c->width, sub_x (s, k),
          sub_y (s, k), x, y) / 256];
}

static void
code_flag (Scene * s, gpointer data, int size, int x, int y, int bin)
{
  find_run (s, data, 0, x, y)[BDCT_CABAC_LUMA_SPLIT + 3 - size] +=
      bin ? 1 << 16 : 1;
}

static void
code_block (Scene * s, gpointer data, const Fixed * f, int k, int x, int y)
{
  BdctLevel levels[32 * 32] __attribute__ ((aligned (8)));

  take_levels (f, x, y, levels);
  bdct_cabac_count ((BdctCabacCounts *) find_run (s, data, k,
          x << (f->log2_size + sub_x (s, k)),
          y << (f->log2_size + sub_y (s, k))), levels, f->log2_size, k > 0);
}

static void
set_bits (Scene * s)
{
  const int squares = (s->c->width + 31) / 32 * ((s->c->height + 31) / 32);
  Coder coder;
  Visitor v = { code_flag, code_block, &coder };

  visitor = &v;
  for (int k = 0; k < 3; k++)
    coder.runs[k] = g_new0 (BdctCabacCounts, 4 * squares);
  for (int y = 0; y < s->c->height; y += 32)
    for (int x = 0; x < s->c->width; x += 32)
      visit (s, 3, x, y);
  visitor = NULL;
  for (int k = 0; k < bdct_layout_components (&s->layout); k++) {
    const int n = squares * (4 >> (sub_x (s, k) + sub_y (s, k)));

    s->stats.component[k].bits = (ref_price_runs (coder.runs[k], n, 0, k > 0,
            s->quantizers[0].slice_qp) + 2048) / 4096;
  }
  for (int k = 0; k < 3; k++)
    g_free (coder.runs[k]);
}

void
quadtree_expect (Scene * s)
{
  Visitor v = { take_flag, take_block, NULL };
  const int log2_min = g_bit_storage (s->c->min_block) - 1;

  visitor = &v;
  define (s);
  for (int y = 0; y < s->c->height; y += 32)
    for (int x = 0; x < s->c->width; x += 32) {
      best_tree (s, 3, x, y);
      visit (s, 3, x, y);
    }
  for (int k = 0; k < bdct_layout_components (&s->layout); k++)
    s->stats.component[k].samples = (guint64) s->source.width[k]
        * s->source.height[k];
  for (int i = 0; i < s->c->height; i++)
    for (int j = 0; j < s->c->width; j++)
      s->stats.area[s->sizes[(i >> log2_min) * s->grid[0].columns
              + (j >> log2_min)] - 2]++;
  set_bits (s);
}

void
quadtree_scene_init (Scene * s, const Case * c, guint32 seed)
{
  GRand *rand = g_rand_new_with_seed (seed);

  memset (s, 0, sizeof *s);
  s->c = c;
  s->n_quantizers = c->mapped ? N_SETS : 1;
  format_layout (c->format, c->depth, 0, c->width, c->height, &s->layout);
  for (int i = 0; i < N_SETS; i++) {
    s->params[i] = (BdctParams) BDCT_PARAMS_DEFAULT;
    s->params[i].transform = BDCT_HEVC_QUADTREE;
    s->params[i].qp = CLAMP (c->qp + 6 * i * (i % 2 ? 1 : -1), 0, 51);
    s->params[i].chroma_qp_offset = i - 1;
    s->params[i].min_block = c->min_block;
    s->params[i].max_block = c->max_block;
    s->params[i].lambda_scale = c->lambda_scale;
    s->params[i].scaling_list = c->list;
    s->params[i].deadzone = ref_deadzone (seed);
    if (c->list == BDCT_SCALING_FILE)
      random_lists (&s->params[i], seed + i);
    g_assert_true (bdct_job_init (&s->quantizers[i], &s->params[i], &s->layout,
            NULL));
  }
  s->n_blocks = bdct_blocks_init (s->grid, &s->layout, &s->quantizers[0]);
  if (c->mapped) {
    s->map = g_malloc (s->n_blocks);
    for (gsize i = 0; i < s->n_blocks; i++)
      s->map[i] = g_rand_int_range (rand, 0, N_SETS);
  }
  g_rand_free (rand);
  picture_init (&s->source, &s->layout);
  picture_init (&s->picture, &s->layout);
  picture_fill (&s->source, c->content, &s->layout, BDCT_HEVC_8X8, seed);
  frame_init (&s->src, &s->layout, STRIDE_ODD);
  frame_put (&s->src, &s->layout, &s->source, TRUE);
  bdct_cabac_costs (&s->costs, s->params[0].qp);
  s->sizes = g_malloc0 (s->grid[0].columns * s->grid[0].rows);
}

void
quadtree_scene_clear (Scene * s)
{
  for (int i = 0; i < s->n_quantizers; i++)
    for (int size = 0; size < 4; size++)
      for (int k = 0; k < 3; k++) {
        g_free (s->fixed[i][size][k].out);
        g_free (s->fixed[i][size][k].levels);
      }
  picture_clear (&s->source);
  picture_clear (&s->picture);
  frame_clear (&s->src);
  g_free (s->sizes);
  g_free (s->map);
}
