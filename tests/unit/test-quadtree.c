/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hevc-quadtree on every engine of frame.h: against all trees there are
 * (quadtree-scene.h); that no tree costs more than a fixed size; and what comes
 * of blocks of one size. Threads are in test-rate.c and test-blocks.c. */
#include <string.h>
#include "program.h"
#include "quadtree-scene.h"

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
typedef struct {
  BdctStats stats;
  guint8 *sizes;
  BdctBlockRecord *blocks;
  Frame dst;
} Result;

static void
run (const Scene * s, BdctEngine * engine, gboolean rate, Result * r)
{
  BdctFrame frame = {.quantizers = s->quantizers,.n_quantizers =
        s->n_quantizers,
    .src = s->src.image,.quantizer_map = s->map,.n_blocks = s->n_blocks,
    .bits = rate
  };

  r->sizes = g_malloc0 (s->grid[0].columns * s->grid[0].rows);
  r->blocks = g_new0 (BdctBlockRecord, s->n_blocks);
  frame_init (&r->dst, &s->layout, STRIDE_ODD);
  frame.dst = r->dst.image;
  frame.sizes = r->sizes;
  frame.blocks = r->blocks;
  engine_run (engine, &s->layout, &frame, &r->stats);
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

  quadtree_expect (s);
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
        quadtree_scene_init (&s, &c, n);
        check_scene (&s);
        quadtree_scene_clear (&s);
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
      1, seed % BDCT_N_SCALING_LISTS, FALSE
    };
    guint64 *costs, best = G_MAXUINT64, own;
    Result r;
    Scene s;
    int n;

    if (!case_due (seed))
      continue;
    if (seed % 5 == 0)
      c.width = 19;
    quadtree_scene_init (&s, &c, seed);
    quadtree_define (&s);
    run (&s, engines[0], FALSE, &r);
    n = quadtree_all (&s, 3, 0, 0, &costs);
    for (int i = 0; i < n; i++)
      best = MIN (best, costs[i]);
    tally_add (n, 0);
    g_free (costs);
    own = quadtree_cost (&s, r.sizes, 3, 0, 0);
    if (own != best)
      fail (&s, engines[0], "another tree costs less");
    for (int size = 2; size <= 5; size++) {
      memset (r.sizes, size, s.grid[0].columns * s.grid[0].rows);
      if (quadtree_cost (&s, r.sizes, 3, 0, 0) < own)
        fail (&s, engines[0], "blocks of one size cost less");
    }
    result_clear (&r);
    quadtree_scene_clear (&s);
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
      i % 2 ? BDCT_SCALING_DEFAULT : BDCT_SCALING_FLAT, i % 3 == 0
    };
    Result tree, fixed;
    Scene s;

    if (!case_due (i))
      continue;
    quadtree_scene_init (&s, &c, i);
    for (guint e = 0; e < n_engines; e++) {
      run (&s, engines[e], FALSE, &tree);
      for (int k = 0; k < N_SETS; k++) {
        BdctParams params = s.params[k];

        params.transform = quadtree_fixed[i % 4];
        g_assert_true (bdct_job_init (&s.quantizers[k], &params, &s.layout,
                NULL));
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
        g_assert_true (bdct_job_init (&s.quantizers[k], &s.params[k], &s.layout,
                NULL));
      result_clear (&tree);
      result_clear (&fixed);
    }
    quadtree_scene_clear (&s);
  }
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_set_nonfatal_assertions ();
  for (int f = 0; f < N_FORMATS; f++)
    tests_add (test_definition, f, "/quadtree/definition/%s", format_names[f]);
  g_test_add_func ("/quadtree/exhaustive", test_exhaustive);
  g_test_add_func ("/quadtree/one-size", test_one_size);
  return tests_run ("definitions and a search in 64 bits");
}
