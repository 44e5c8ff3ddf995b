/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view-scene.h"

#include <string.h>
#include "reference.h"

const double view_deltas[VIEW_SETS] = { 0, -8.5, 30 };

void
view_run (BdctEngine * engine, const Scene * s, const BdctView * view,
    unsigned metrics, const Frame * src, const Frame * dst, BdctStats * stats)
{
  BdctJob job[VIEW_SETS];
  BdctFrame frame = {.quantizers = job,.n_quantizers =
        s->set ? G_N_ELEMENTS (job) : 1,
    .quantizer_map = s->set,.src = src->image,.dst = dst->image,.view = view,
    .metrics = metrics
  };
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctError error = { "" };
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (job); i++)
    ok = ok && bdct_job_init (&job[i], &s->c->params, &s->layout, &error);
  frame.n_blocks = bdct_blocks_init (grid, &s->layout, job);
  if (!ok)
    g_error ("%s: %s", engine->description, error.message);
  engine_run (engine, &s->layout, &frame, stats);
}

void
view_reconstruct (BdctEngine * engine, Scene * s, const Frame * src,
    BdctStats * stats)
{
  static const BdctView plain = BDCT_VIEW_DEFAULT;
  const Scene alone = {.c = s->c,.layout = s->layout };
  Frame dst;

  frame_init (&dst, &s->layout, s->c->stride);
  view_run (engine, &alone, &plain, 0, src, &dst, stats);
  frame_get (&dst, &s->layout, &s->rec);
  frame_clear (&dst);
}

void
view_run_two (BdctEngine * engine, const Scene * s, unsigned metrics,
    gboolean swaps, const Frame * left, const Frame * right, const Frame * dst,
    BdctStats * stats)
{
  const BdctComparison comparison = {
    .reference = {.image = swaps ? right->image : left->image},
    .distorted = {{.image = swaps ? left->image : right->image}},
    .n_distorted = 1,
    .errors = true,
    .metrics = metrics,
    .view = &s->view,
    .left = swaps ? 0 : -1,
    .right = swaps ? -1 : 0,
    .dst = dst->image,
  };

  engine_compare (engine, &s->layout, &comparison, stats);
}

void
view_scene_init (Scene * s, const Case * c)
{
  *s = (Scene) { .c = c, .view = BDCT_VIEW_DEFAULT };
  format_layout (c->format, c->depth, c->shift, c->width, c->height,
      &s->layout);
  bdct_view_colours (&s->view, c->depth, 0.2126, 0.0722, false);
  picture_init (&s->source, &s->layout);
  picture_init (&s->rec, &s->layout);
  picture_fill (&s->source, c->content, &s->layout, c->params.transform, 7);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
    RefPlane plane = { &c->params, s->layout.chroma, k, c->depth,
      s->source.width[k], s->source.height[k],
      engines_on_cuda () ? REF_TENSOR : REF_FLOAT
    };

    if (s->source.sample[k] == NULL)
      continue;
    s->size[k] = ref_block_width (c->params.transform, s->layout.chroma, k);
    s->height[k] = ref_block_height (c->params.transform, s->layout.chroma, k);
    s->levels[k] = g_new0 (int, (plane.width + REF_SIZE - 1)
        * (plane.height + REF_SIZE - 1));
    ref_levels (&plane, s->source.sample[k], s->levels[k]);
  }
}

void
view_scene_clear (Scene * s)
{
  g_free (s->value);
  g_free (s->most);
  g_free (s->set);
  picture_clear (&s->source);
  picture_clear (&s->rec);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
    g_free (s->levels[k]);
}

void
view_scene_divide (Scene * s)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctJob job;
  gsize n;

  g_assert_true (bdct_job_init (&job, &s->c->params, &s->layout, NULL));
  n = bdct_blocks_init (grid, &s->layout, &job);
  g_free (s->set);
  s->set = g_new (guint8, n);
  for (gsize i = 0; i < n; i++)
    s->set[i] = i * 7 / 3 % VIEW_SETS;
  memcpy (s->view.delta_qp, view_deltas, sizeof view_deltas);
}
