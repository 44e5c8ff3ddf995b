/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blocks-scene.h"

#include <string.h>

void
scene_init (Scene * s, const Case * c)
{
  s->c = c;
  format_layout (c->format, c->depth, c->shift, c->width, c->height,
      &s->layout);
  g_assert_true (bdct_job_init (&s->job, &c->params, &s->layout, NULL));
  s->n_blocks = bdct_blocks_init (s->grid, &s->layout, &s->job);
  picture_init (&s->source, &s->layout);
  picture_fill (&s->source, c->content, &s->layout, c->params.transform, 5);
  frame_init (&s->src, &s->layout, c->stride);
  frame_put (&s->src, &s->layout, &s->source, TRUE);
}

void
scene_clear (Scene * s)
{
  picture_clear (&s->source);
  frame_clear (&s->src);
}

void
result_clear (Result * result)
{
  frame_clear (&result->dst);
  g_free (result->blocks);
}

void
describe (const Scene * s, BdctFrame * frame, gboolean picture,
    gboolean records, Result * result)
{
  memset (result, 0, sizeof *result);
  frame->src = s->src.image;
  if (picture) {
    frame_init (&result->dst, &s->layout, s->c->stride);
    frame->dst = result->dst.image;
  }
  frame->n_blocks = s->n_blocks;
  if (records) {
    result->blocks = g_new (BdctBlockRecord, s->n_blocks);
    memset (result->blocks, 0xee, s->n_blocks * sizeof *result->blocks);
    frame->blocks = result->blocks;
  }
}

void
run (const Scene * s, BdctEngine * engine, BdctFrame * frame, gboolean picture,
    gboolean records, Result * result)
{
  describe (s, frame, picture, records, result);
  engine_run (engine, &s->layout, frame, &result->stats);
}

void
make_sets (const Scene * s, BdctJob quantizers[BDCT_MAX_QUANTIZERS])
{
  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++) {
    BdctParams params = s->c->params;

    params.quality = 97 - 12 * i;
    params.qp = 4 + 6 * i;
    params.chroma_qp_offset = i - 4;
    g_assert_true (bdct_job_init (&quantizers[i], &params, &s->layout, NULL));
  }
}

guint8 *
make_map (const Scene * s, gboolean random)
{
  guint8 *map = g_malloc (s->n_blocks);
  GRand *rand = g_rand_new_with_seed (s->n_blocks);

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int i = 0; i < s->grid[c].columns * s->grid[c].rows; i++)
      map[s->grid[c].first + i] = random ? g_rand_int_range (rand, 0,
          BDCT_MAX_QUANTIZERS) : (i % s->grid[c].columns / 9
          + i / s->grid[c].columns / 8 * 3 + c) % BDCT_MAX_QUANTIZERS;
  g_rand_free (rand);
  return map;
}
