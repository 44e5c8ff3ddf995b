/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hevc-quadtree on every engine of frame.h: against the definitions of the
 * fixed transforms and a search among all trees there are, in 64 bits; that no
 * tree costs more than a fixed size; and what comes of blocks of one size.
 * Threads and other jobs are in test-rate.c and test-blocks.c. */
#include <string.h>
#include "dct/cabac.h"
#include "dct/quadtree.h"
#include "frame.h"
#include "lists.h"
#include "reference.h"

typedef struct {
  Format format;
  int depth, width, height;
  Content content;
  int min_block, max_block, qp;
  double lambda_scale;
  BdctScalingList list;
  gboolean mapped, rdoq;
} Case;

#define N_SETS 3

/* A component in blocks of one size: what the definitions make of it. */
typedef struct {
  int log2_size, columns, rows;
  int *out, *levels;            /* as ref_plane() and ref_levels() leave them */
} Fixed;

typedef struct {
  const Case *c;
  BdctLayout layout;
  BdctParams params[N_SETS];
  BdctJob sets[N_SETS];
  int n_sets;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  guint8 *map;                  /* NULL without sets */
  Picture source;
  Frame src;
  BdctQuadtreeCosts costs;
  /* By set, log2 of luma's side less 2, component. */
  Fixed fixed[N_SETS][4][BDCT_MAX_COMPONENTS];
  /* What is expected. */
  guint8 *sizes;
  Picture picture;
  BdctStats stats;
} Scene;

static const BdctTransform transforms[] = {
  BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
};

static BdctEngine *engines[MAX_ENGINES];
static guint n_engines;

static void
fail (const Scene * s, const BdctEngine * engine, const char *what)
{
  const Case *c = s->c;

  g_test_fail_printf ("%s: %s depth %d, %dx%d content %d, blocks %d to %d, qp "
      "%d, lambda %g, list %d, %s: %s", engine ? engine->description : "",
      format_names[c->format], c->depth, c->width, c->height, c->content,
      c->min_block, c->max_block, c->qp, c->lambda_scale, c->list,
      c->mapped ? "sets" : "one set", what);
}

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

  params.transform = transforms[size];
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

/* What the definitions make of every block that there may be. */
static void
define_blocks (Scene * s)
{
  for (int i = 0; i < s->n_sets; i++)
    for (int size = 0; size < 4; size++)
      for (int k = 0; k < bdct_layout_components (&s->layout); k++)
        fixed_init (&s->fixed[i][size][k], s, i, size, k);
}

/* A block's levels, as dct/cabac.h wants them. */
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
  const BdctComponentJob *job = &s->sets[0].component[k];

  return s->map == NULL ? 0 : s->map[s->grid[k].first
      + (y >> job->log2_height) * s->grid[k].columns + (x >> job->log2_width)];
}

static guint64
block_cost (const Scene * s, int set, const Fixed * f, int k, int x, int y)
{
  BdctLevel levels[32 * 32] __attribute__ ((aligned (8)));
  guint32 counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };
  guint64 rate;

  take_levels (f, x, y, levels);
  rate = (guint64) bdct_cabac_count (counter, levels, f->log2_size, k > 0)
      << 15;
  for (int i = 0; i < 2 * BDCT_CABAC_CONTEXTS; i++)
    rate += (guint64) counter[i] * s->costs.bin[i / 2][i % 2];
  return (sum_errors (s, f, k, x, y) << s->sets[set].tree.distortion_shift)
      + s->sets[set].tree.lambda * rate;
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
  return s->sets[find_set (s, 0, x, y)].tree.lambda * rate;
}

static gboolean
is_inside (const Scene * s, int x, int y)
{
  return x < s->c->width && y < s->c->height;
}

/* The costs of all trees of a node, whose number it returns: `first` is that of
 * the one that is all split as late as can be. */
static int
all_trees (Scene * s, int size, int x, int y, guint64 ** costs)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (guint64));
  const int half = 2 << size;
  guint64 *part[4], sum;
  int n[4], count;

  if (!is_inside (s, x, y)) {
    sum = 0;
    g_array_append_val (all, sum);
  } else {
    if (4 << size <= s->c->max_block) {
      sum = whole_cost (s, size, x, y) + flag_cost (s, size, x, y, 0);
      g_array_append_val (all, sum);
    }
    if (4 << size > s->c->min_block) {
      const guint64 extra = shared_cost (s, size, x, y)
          + (4 << size <= s->c->max_block ? flag_cost (s, size, x, y, 1) : 0);

      for (int i = 0; i < 4; i++)
        n[i] = all_trees (s, size - 1, x + i % 2 * half, y + i / 2 * half,
            &part[i]);
      for (int a = 0; a < n[0]; a++)
        for (int b = 0; b < n[1]; b++)
          for (int c = 0; c < n[2]; c++)
            for (int d = 0; d < n[3]; d++) {
              sum = extra + part[0][a] + part[1][b] + part[2][c] + part[3][d];
              g_array_append_val (all, sum);
            }
      for (int i = 0; i < 4; i++)
        g_free (part[i]);
    }
  }
  count = all->len;
  *costs = (guint64 *) g_array_free (all, FALSE);
  return count;
}

/* The cost of a node with the sizes of `sizes`. */
static guint64
tree_cost (Scene * s, const guint8 * sizes, int size, int x, int y)
{
  const int log2_min = g_bit_storage (s->c->min_block) - 1;
  const int half = 2 << size;
  guint64 sum = 0;
  int own;

  if (!is_inside (s, x, y))
    return 0;
  own = sizes[(y >> log2_min) * s->grid[0].columns + (x >> log2_min)] - 2;
  if (own == size)
    return whole_cost (s, size, x, y) + flag_cost (s, size, x, y, 0);
  if (own > size)
    return G_MAXUINT64;
  for (int i = 0; i < 4; i++)
    sum += tree_cost (s, sizes, size - 1, x + i % 2 * half, y + i / 2 * half);
  return sum + shared_cost (s, size, x, y)
      + (4 << size <= s->c->max_block ? flag_cost (s, size, x, y, 1) : 0);
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
  void (*flag) (Scene *, gpointer, int size, int bin);
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
    visitor->flag (s, visitor->data, size, own < size);
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
take_flag (Scene * s, gpointer data, int size, int bin)
{
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

/* CABAC's estimate: segments of eight squares, each begun one segment earlier
 * (dct/cabac.h). */
typedef struct {
  BdctRateCounts counts;
  int component;
  BdctCabacSink sink;
} Coder;

static void
code_flag (Scene * s, gpointer data, int size, int bin)
{
  Coder *coder = data;

  (void) s;
  if (coder->component == 0)
    bdct_cabac_bin (&coder->sink, BDCT_CABAC_LUMA_SPLIT + 3 - size, bin);
}

static void
code_block (Scene * s, gpointer data, const Fixed * f, int k, int x, int y)
{
  Coder *coder = data;
  BdctLevel levels[32 * 32] __attribute__ ((aligned (8)));

  (void) s;
  if (coder->component != k)
    return;
  take_levels (f, x, y, levels);
  bdct_cabac_walk (&coder->sink, levels, f->log2_size, k > 0);
}

static void
code_segment (Scene * s, int segment)
{
  const int across = (s->c->width + 255) / 256;

  for (int i = 0; i < 8; i++)
    visit (s, 3, (segment % across * 8 + i) * 32, segment / across * 32);
}

static void
set_bits (Scene * s)
{
  Coder *coder = g_new0 (Coder, 1);
  Visitor v = { code_flag, code_block, coder };
  const int n = (s->c->width + 255) / 256 * ((s->c->height + 31) / 32);
  guint8 state[BDCT_CABAC_CONTEXTS];

  visitor = &v;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++) {
      guint32 counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };

      coder->component = k;
      coder->sink = (BdctCabacSink) {
      .counter = counter};
      code_segment (s, i);
      coder->counts.counter[k][BDCT_RATE_BYPASS] += coder->sink.bypass;
      for (int j = 0; j < 2 * BDCT_CABAC_CONTEXTS; j++)
        coder->counts.counter[k][j] += counter[j];
    }
  for (int k = 0; k < 3; k++) {
    guint64 cost = 0;

    coder->component = k;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < BDCT_CABAC_CONTEXTS; j++)
        state[j] = bdct_cabac_start (&coder->counts, j);
      coder->sink = (BdctCabacSink) {
      .state = state,.pitch = 1,.step = bdct_cabac_step};
      if (i > 0)
        code_segment (s, i - 1);
      coder->sink.cost = 0;
      code_segment (s, i);
      cost += coder->sink.cost;
    }
    s->stats.component[k].bits = coder->counts.counter[k][BDCT_RATE_BYPASS]
        + ((cost + (1 << 14)) >> 15);
  }
  g_free (coder);
}

static void
expect (Scene * s)
{
  Visitor v = { take_flag, take_block, NULL };
  const int log2_min = g_bit_storage (s->c->min_block) - 1;

  visitor = &v;
  define_blocks (s);
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

static void
scene_init (Scene * s, const Case * c, guint32 seed)
{
  GRand *rand = g_rand_new_with_seed (seed);

  memset (s, 0, sizeof *s);
  s->c = c;
  s->n_sets = c->mapped ? N_SETS : 1;
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
    s->params[i].rdoq = c->rdoq;
    if (c->list == BDCT_SCALING_FILE)
      random_lists (&s->params[i], seed + i);
    g_assert_true (bdct_job_init (&s->sets[i], &s->params[i], &s->layout,
            NULL));
  }
  s->n_blocks = bdct_blocks_init (s->grid, &s->layout, &s->sets[0]);
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
  bdct_quadtree_costs (&s->costs, s->params[0].qp);
  s->sizes = g_malloc0 (s->grid[0].columns * s->grid[0].rows);
}

static void
scene_clear (Scene * s)
{
  for (int i = 0; i < s->n_sets; i++)
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

/* Tests */

typedef struct {
  BdctStats stats;
  guint8 *sizes;
  BdctBlockRecord *blocks;
  Frame dst;
} Result;

static void
run (const Scene * s, BdctEngine * engine, gboolean rate, Result * r)
{
  BdctFrame frame = {.sets = s->sets,.n_sets = s->n_sets,
    .src = s->src.image,.set_of_block = s->map,.n_blocks = s->n_blocks,
    .rate = rate
  };
  BdctError error = { "" };

  r->sizes = g_malloc0 (s->grid[0].columns * s->grid[0].rows);
  r->blocks = g_new0 (BdctBlockRecord, s->n_blocks);
  frame_init (&r->dst, &s->layout, STRIDE_ODD);
  frame.dst = r->dst.image;
  frame.sizes = r->sizes;
  frame.blocks = r->blocks;
  if (!engine->klass->configure (engine, &s->layout, 1, &error)
      || !engine->klass->submit (engine, &frame, &error)
      || !engine->klass->collect (engine, &r->stats, &error))
    g_error ("%s: %s", engine->description, error.message);
}

static void
result_clear (Result * r)
{
  frame_clear (&r->dst);
  g_free (r->sizes);
  g_free (r->blocks);
}

static void
check_picture (const Scene * s, BdctEngine * engine, const Result * r)
{
  guint64 different = 0, samples = 0;
  Picture picture;

  picture_init (&picture, &s->layout);
  frame_get (&r->dst, &s->layout, &picture);
  for (int k = 0; k < bdct_layout_components (&s->layout); k++) {
    const int n = s->source.width[k] * s->source.height[k];

    samples += n;
    for (int i = 0; i < n; i++)
      different += picture.sample[k][i] != s->picture.sample[k][i];
  }
  tally_add (samples, different);
  if (different > 0)
    fail (s, engine, "the picture is another one");
  picture_clear (&picture);
}

/* Records add up to the statistics; a block's are even. */
static void
check_records (const Scene * s, BdctEngine * engine, const Result * r)
{
  gsize number = 0;

  for (int k = 0; k < bdct_layout_components (&s->layout); k++) {
    guint64 sse = 0, nonzero = 0;

    for (int i = 0; i < s->grid[k].columns * s->grid[k].rows; i++, number++) {
      sse += r->blocks[number].sse;
      nonzero += r->blocks[number].nonzero;
    }
    if (sse != r->stats.component[k].sse
        || nonzero != r->stats.component[k].nonzero)
      fail (s, engine, "records do not add up to the statistics");
  }
}

static void
check_scene (Scene * s)
{
  Result r;

  expect (s);
  for (guint i = 0; i < n_engines; i++) {
    BdctStats unrated = s->stats;

    run (s, engines[i], TRUE, &r);
    if (memcmp (r.sizes, s->sizes, s->grid[0].columns * s->grid[0].rows) != 0)
      fail (s, engines[i], "other sizes");
    check_picture (s, engines[i], &r);
    check_records (s, engines[i], &r);
    if (memcmp (&r.stats, &s->stats, sizeof s->stats) != 0)
      fail (s, engines[i], "other statistics");
    result_clear (&r);
    run (s, engines[i], FALSE, &r);
    for (int k = 0; k < 3; k++)
      unrated.component[k].bits = 0;
    if (memcmp (&r.stats, &unrated, sizeof unrated) != 0)
      fail (s, engines[i], "other statistics without bits");
    result_clear (&r);
  }
}

static void
test_definition (gconstpointer data)
{
  static const int sizes[][2] = { {1, 1}, {8, 4}, {9, 33}, {40, 70},
    {261, 67}, {64, 17}
  };
  static const int blocks[][2] = { {4, 32}, {8, 32}, {4, 16}, {4, 8},
    {16, 32}, {8, 16}, {4, 4}, {32, 32}
  };
  static const double scales[] = { 1, 0, 0.25, 7, BDCT_MAX_LAMBDA_SCALE };
  Case c = {.format = GPOINTER_TO_INT (data) };
  guint n = c.format;

  for (c.depth = 8; c.depth <= 12; c.depth += 2)
    for (guint i = 0; i < G_N_ELEMENTS (sizes) && !g_test_failed (); i++)
      for (int k = 0; k < 4; k++, n++) {
        Scene s;

        if (!case_due (n))
          continue;
        c.width = sizes[i][0];
        c.height = sizes[i][1];
        c.content = k == 3 ? CONTENT_SMOOTH : n % (CONTENT_CHECKER + 1);
        c.min_block = blocks[k == 0 ? 0 : n % G_N_ELEMENTS (blocks)][0];
        c.max_block = blocks[k == 0 ? 0 : n % G_N_ELEMENTS (blocks)][1];
        c.qp = n * 17 % 52;
        c.lambda_scale = scales[k == 0 ? 0 : n % G_N_ELEMENTS (scales)];
        c.list = (i + k) % BDCT_N_SCALING_LISTS;
        c.mapped = (n / 2) % 2;
        c.rdoq = n % 3 == 2 && !engines_on_cuda ();
        scene_init (&s, &c, n);
        check_scene (&s);
        scene_clear (&s);
      }
}

/* Random squares: the engine's tree costs as little as the best of all trees,
 * each of which is tried, and never more than any of one size. */
static void
test_exhaustive (void)
{
  for (guint32 seed = 0; seed < 60 && !g_test_failed (); seed++) {
    Case c = { seed % N_FORMATS, 8 + seed / 8 % 3 * 2, 32, 32,
      seed % 3 ? CONTENT_SMOOTH : CONTENT_RANDOM, 4, 32, 10 + seed * 7 % 40,
      1, seed % BDCT_N_SCALING_LISTS, FALSE,
      seed % 4 == 3 && !engines_on_cuda ()
    };
    guint64 *costs, best = G_MAXUINT64, own;
    Result r;
    Scene s;
    int n;

    if (!case_due (seed))
      continue;
    if (seed % 5 == 0)
      c.width = 19;
    scene_init (&s, &c, seed);
    define_blocks (&s);
    run (&s, engines[0], FALSE, &r);
    n = all_trees (&s, 3, 0, 0, &costs);
    for (int i = 0; i < n; i++)
      best = MIN (best, costs[i]);
    tally_add (n, 0);
    g_free (costs);
    own = tree_cost (&s, r.sizes, 3, 0, 0);
    if (own != best)
      fail (&s, engines[0], "another tree costs less");
    for (int size = 2; size <= 5; size++) {
      memset (r.sizes, size, s.grid[0].columns * s.grid[0].rows);
      if (tree_cost (&s, r.sizes, 3, 0, 0) < own)
        fail (&s, engines[0], "blocks of one size cost less");
    }
    result_clear (&r);
    scene_clear (&s);
  }
}

/* Blocks of one size alone are those of the fixed transform, to the byte, and
 * so are all figures but the bits, whose segments are others. */
static void
test_one_size (void)
{
  for (int i = 0; i < 4 * N_FORMATS * 3 && !g_test_failed (); i++) {
    Case c = { i / 4 % N_FORMATS, 8 + i / 4 / N_FORMATS * 2, 331, 203,
      CONTENT_SMOOTH, 4 << i % 4, 4 << i % 4, 5 + i % 46, 1,
      i % 2 ? BDCT_SCALING_DEFAULT : BDCT_SCALING_FLAT, i % 3 == 0,
      i % 5 == 4 && !engines_on_cuda ()
    };
    Result tree, fixed;
    Scene s;

    if (!case_due (i))
      continue;
    scene_init (&s, &c, i);
    for (guint e = 0; e < n_engines; e++) {
      run (&s, engines[e], FALSE, &tree);
      for (int k = 0; k < N_SETS; k++) {
        BdctParams params = s.params[k];

        params.transform = transforms[i % 4];
        g_assert_true (bdct_job_init (&s.sets[k], &params, &s.layout, NULL));
      }
      run (&s, engines[e], FALSE, &fixed);
      g_assert_cmpuint (tree.stats.area[i % 4], ==, 331 * 203);
      tree.stats.area[i % 4] = 0;
      tally_add (331 * 203, 0);
      if (!frame_equal (&tree.dst, &fixed.dst, &s.layout))
        fail (&s, engines[e], "the picture is not the fixed transform's");
      if (memcmp (&tree.stats, &fixed.stats, sizeof fixed.stats) != 0)
        fail (&s, engines[e], "figures are not the fixed transform's");
      if (memcmp (tree.blocks, fixed.blocks,
              s.n_blocks * sizeof *tree.blocks) != 0)
        fail (&s, engines[e], "records are not the fixed transform's");
      for (int k = 0; k < N_SETS; k++)
        g_assert_true (bdct_job_init (&s.sets[k], &s.params[k], &s.layout,
                NULL));
      result_clear (&tree);
      result_clear (&fixed);
    }
    scene_clear (&s);
  }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  n_engines = engines_open (engines);
  for (int f = 0; f < N_FORMATS; f++) {
    char *path = g_strdup_printf ("/quadtree/definition/%s", format_names[f]);

    g_test_add_data_func (path, GINT_TO_POINTER (f), test_definition);
    g_free (path);
  }
  g_test_add_func ("/quadtree/exhaustive", test_exhaustive);
  g_test_add_func ("/quadtree/one-size", test_one_size);
  status = g_test_run ();
  tally_print ("definitions and a search in 64 bits");
  engines_close (engines, n_engines);
  return status;
}
