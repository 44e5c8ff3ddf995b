/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hevc-quadtree on every engine of frame.h, against the definitions and a plain
 * search (quadtree-scene.h). */
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

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_set_nonfatal_assertions ();
  for (int f = 0; f < N_FORMATS; f++)
    tests_add (test_definition, f, "/quadtree/definition/%s", format_names[f]);
  return tests_run ("definitions and a search in 64 bits");
}
