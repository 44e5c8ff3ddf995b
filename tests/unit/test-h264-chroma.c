/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.264's chroma with its DC transform against the definition: samples,
 * levels, counters, at every QP, of pictures made for the second stage, too. */
#include <string.h>
#include "program.h"
#include "reference.h"

/* Blocks of 4 x 4 whose samples differ little, so that the DCs are nearly all
 * there is. In each macroblock they have the signs of a Hadamard function, or
 * any values. */
static void
fill_flat (Picture * picture, const BdctLayout * layout, GRand * rand)
{
  const int peak = bdct_layout_peak (layout);

  for (int c = BDCT_U; c <= BDCT_V; c++) {
    const int columns = (picture->width[c] + 3) / 4;
    const int height = layout->chroma == BDCT_CHROMA_420 ? 2 : 4;
    const int rows = (picture->height[c] + 3) / 4;
    int *base = g_new (int, columns * rows);

    for (int i = 0; i < columns * rows; i++) {
      const int x = i % columns % 2, y = i / columns % height;
      const int kind = (i / columns / height + i % columns / 2 * 3) % 16;
      const int bits = (kind & 1 & x) ^ (kind >> 1 & y & 1)
          ^ (kind >> 2 & y >> 1 & 1);

      base[i] = kind < 8 ? bits ? peak : 0 : kind < 12
          ? (peak + 1) / 2 + (bits ? -1 : 1) * g_rand_int_range (rand, 0, 9)
          : g_rand_int_range (rand, 0, peak + 1);
    }
    for (int i = 0; i < picture->width[c] * picture->height[c]; i++) {
      const int v = base[i / picture->width[c] / 4 * columns
          + i % picture->width[c] / 4] + g_rand_int_range (rand, -1, 2);

      picture->sample[c][i] = CLAMP (v, 0, peak);
    }
    g_free (base);
  }
}

/* An engine's frame of a picture, with its levels, against the definition's. */
typedef struct {
  BdctParams params;
  BdctLayout layout;
  Picture source, defined, rec;
  int *levels[BDCT_MAX_COMPONENTS];
  RefResult result[BDCT_MAX_COMPONENTS];
} Scene;

static void
check_levels (const Scene * s, int c, const BdctJob * job,
    const BdctLevel * levels)
{
  const int width = ref_block_width (s->params.transform, s->layout.chroma, c);
  const int height = ref_block_height (s->params.transform, s->layout.chroma,
      c);
  const int columns = (s->source.width[c] + width - 1) / width;
  const int rows = (s->source.height[c] + height - 1) / height;

  g_assert_cmpint (bdct_rate_block_levels (&job->component[c]), ==,
      width * height);
  for (int i = 0; i < columns * width * rows * height; i++) {
    const int x = i % (columns * width), y = i / (columns * width);
    const gsize block = (gsize) (y / height) * columns + x / width;
    const int part = y % height / 4 * 2 + x % width / 4;

    g_assert_cmpint (levels[(block * (width * height / 16) + part) * 16
            + y % 4 * 4 + x % 4], ==, s->levels[c][i]);
  }
}

static void
check_engine (Scene * s, BdctEngine * engine)
{
  gsize first[BDCT_MAX_COMPONENTS];
  BdctFrame frame = {.n_quantizers = 1 };
  BdctStats stats;
  Frame src, dst;
  BdctJob job;

  g_assert_true (bdct_job_init (&job, &s->params, &s->layout, NULL));
  frame_init (&src, &s->layout, STRIDE_TIGHT);
  frame_init (&dst, &s->layout, STRIDE_ODD);
  frame_put (&src, &s->layout, &s->source, FALSE);
  frame.quantizers = &job;
  frame.src = src.image;
  frame.dst = dst.image;
  frame.n_levels = bdct_count_levels (&s->layout, &job, first);
  frame.levels = g_aligned_alloc0 (frame.n_levels, sizeof *frame.levels, 64);
  engine_run (engine, &s->layout, &frame, &stats);
  frame_get (&dst, &s->layout, &s->rec);
  for (int c = BDCT_U; c <= BDCT_V; c++) {
    const int n = s->rec.width[c] * s->rec.height[c];
    guint64 differ = 0;

    for (int i = 0; i < n; i++)
      differ += s->rec.sample[c][i] != s->defined.sample[c][i];
    tally_add (n, differ);
    if (differ > 0)
      g_test_fail_printf ("%s depth %d chroma %d qp %d%+d component %d: %"
          G_GUINT64_FORMAT " of %d differ", bdct_transform_info
          (s->params.transform)->name, s->layout.depth, s->layout.chroma,
          s->params.qp, s->params.chroma_qp_offset, c, differ, n);
    g_assert_cmpuint (stats.component[c].sse, ==, s->result[c].sse);
    g_assert_cmpuint (stats.component[c].nonzero, ==, s->result[c].nonzero);
    g_assert_cmpuint (stats.component[c].levels, ==, s->result[c].levels);
    check_levels (s, c, &job, frame.levels + first[c]);
  }
  g_aligned_free (frame.levels);
  frame_clear (&src);
  frame_clear (&dst);
}

static void
run (BdctTransform transform, Format format, int depth, int qp, guint seed)
{
  static const int sizes[][2] = {
    {288, 160}, {250, 158}, {257, 191}, {18, 130}, {1, 1}, {321, 9}
  };
  GRand *rand = g_rand_new_with_seed (seed);
  const int *size = sizes[seed % G_N_ELEMENTS (sizes)];
  Scene s = {.params = BDCT_PARAMS_DEFAULT };

  s.params.transform = transform;
  s.params.qp = qp;
  s.params.chroma_qp_offset = (int) (seed * 7 % 25) - 12;
  s.params.deadzone = ref_deadzone (seed);
  format_layout (format, depth, 0, size[0], size[1], &s.layout);
  picture_init (&s.source, &s.layout);
  picture_init (&s.defined, &s.layout);
  picture_init (&s.rec, &s.layout);
  picture_fill (&s.source, seed / 2 % N_CONTENTS, &s.layout, transform, seed);
  if (seed % 2 == 0)
    fill_flat (&s.source, &s.layout, rand);
  for (int c = BDCT_U; c <= BDCT_V; c++) {
    const RefPlane plane = { &s.params, s.layout.chroma, c, depth,
      s.source.width[c], s.source.height[c], REF_FLOAT
    };

    s.levels[c] = g_new (int, (plane.width + 7) * (plane.height + 15));
    ref_plane (&plane, s.source.sample[c], s.defined.sample[c], NULL,
        &s.result[c]);
    ref_levels (&plane, s.source.sample[c], s.levels[c]);
  }
  for (guint i = 0; i < n_engines; i++)
    check_engine (&s, engines[i]);
  for (int c = BDCT_U; c <= BDCT_V; c++)
    g_free (s.levels[c]);
  picture_clear (&s.source);
  picture_clear (&s.defined);
  picture_clear (&s.rec);
  g_rand_free (rand);
}

static void
test_qps (gconstpointer data)
{
  static const Format formats[] = { FORMAT_NV12, FORMAT_Y42B, FORMAT_I420,
    FORMAT_NV16
  };
  const int depth = GPOINTER_TO_INT (data);
  guint seed = depth;

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (int t = BDCT_H264_4X4; t <= BDCT_H264_8X8; t++)
      for (int qp = 0; qp <= 51; qp++, seed++)
        if (case_due (seed))
          run (t, formats[f], depth, qp, seed);
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  for (int depth = 8; depth <= 12; depth++)
    tests_add (test_qps, depth, "/h264-chroma/%d bits", depth);
  return tests_run ("the definition");
}
