/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a frame may ask for beside its picture (dct/engine/engine.h): records of
 * its blocks, a set for each block, no picture at
 * all. On every engine of frame.h. Several such frames at once, and what is
 * refused, are in test-blocks-queue.c. */
#include <string.h>
#include "blocks-scene.h"
#include "program.h"
#include "reference.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static void
fail (const Scene * s, const BdctEngine * engine, const char *what)
{
  g_test_fail_printf ("%s: %s, %s depth %d, %dx%d stride %d content %d: %s",
      engine->description, bdct_transform_info (s->job.transform)->name,
      format_names[s->c->format], s->c->depth, s->c->width, s->c->height,
      s->c->stride, s->c->content, what);
}

/* The records' sums are the statistics, but for errors that no record holds. */
static gboolean
sums_agree (const Scene * s, const Result * result)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    gsize n = (gsize) s->grid[c].columns * s->grid[c].rows;
    guint64 sse = 0, nonzero = 0;
    gboolean whole = TRUE;

    for (gsize i = s->grid[c].first; i < s->grid[c].first + n; i++) {
      sse += result->blocks[i].sse;
      whole = whole && result->blocks[i].sse != G_MAXUINT32;
      nonzero += result->blocks[i].nonzero;
    }
    if ((whole && sse != result->stats.component[c].sse)
        || nonzero != result->stats.component[c].nonzero)
      return FALSE;
  }
  return TRUE;
}

/* Each record, from the two pictures and the definition's levels. */
static void
check_records (const Scene * s, const BdctEngine * engine,
    const Result * result)
{
  Picture rec;

  picture_init (&rec, &s->layout);
  frame_get (&result->dst, &s->layout, &rec);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
    RefPlane plane = { &s->c->params, s->layout.chroma, k, s->c->depth,
      s->source.width[k], s->source.height[k], REF_FLOAT
    };
    int w = 1 << s->job.component[k].log2_width;
    int h = 1 << s->job.component[k].log2_height;
    int across = s->grid[k].columns * w;
    int *levels = g_new0 (int, across * s->grid[k].rows * h);

    if (s->source.sample[k] != NULL)
      ref_levels (&plane, s->source.sample[k], levels);
    for (int i = 0; i < s->grid[k].columns * s->grid[k].rows; i++) {
      BdctBlockRecord got = result->blocks[s->grid[k].first + i];
      int left = i % s->grid[k].columns * w, top = i / s->grid[k].columns * h;
      guint64 sse = 0, nonzero = 0;

      for (int y = top; y < top + h; y++)
        for (int x = left; x < left + w; x++) {
          int at = y * rec.width[k] + x;

          nonzero += levels[y * across + x] != 0;
          if (x < rec.width[k] && y < rec.height[k]) {
            gint64 e = rec.sample[k][at] - s->source.sample[k][at];

            sse += e * e;
          }
        }
      sse = MIN (sse, G_MAXUINT32);
      if (s->c->params.transform == BDCT_DCT_8X8)
        nonzero = got.nonzero;  /* a matter of single precision */
      tally_add (1, 0);
      if (got.sse != sse || got.nonzero != nonzero || got.reserved != 0) {
        char *text = g_strdup_printf ("component %d block %d: sse %u nonzero "
            "%u reserved %u, not %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, k,
            i, got.sse, got.nonzero, got.reserved, sse, nonzero);

        fail (s, engine, text);
        g_free (text);
        tally_add (0, 1);
        break;
      }
    }
    g_free (levels);
  }
  picture_clear (&rec);
}

/* With records, without a picture, with both: all agree with the frame that
 * asks for its picture alone. */
static void
check_case_records (const Scene * s, BdctEngine * engine)
{
  BdctFrame plain = {.quantizers = &s->job,.n_quantizers = 1 };
  BdctFrame both = plain, records = plain, neither = plain;
  Result expected, got;

  run (s, engine, &plain, TRUE, FALSE, &expected);
  run (s, engine, &both, TRUE, TRUE, &got);
  if (!frame_equal (&expected.dst, &got.dst, &s->layout))
    fail (s, engine, "the picture with records is another");
  if (memcmp (&expected.stats, &got.stats, sizeof (BdctStats)) != 0)
    fail (s, engine, "the statistics with records are others");
  if (!sums_agree (s, &got))
    fail (s, engine, "the records' sums are not the statistics");
  check_records (s, engine, &got);
  result_clear (&expected);
  expected = got;
  run (s, engine, &records, FALSE, TRUE, &got);
  if (memcmp (&expected.stats, &got.stats, sizeof (BdctStats)) != 0
      || memcmp (expected.blocks, got.blocks,
          s->n_blocks * sizeof *got.blocks) != 0)
    fail (s, engine, "statistics or records without a picture are others");
  result_clear (&got);
  run (s, engine, &neither, FALSE, FALSE, &got);
  if (memcmp (&expected.stats, &got.stats, sizeof (BdctStats)) != 0)
    fail (s, engine, "statistics without a picture are others");
  result_clear (&got);
  result_clear (&expected);
}

/* Blocks of `from` that the map gives this set, picture and records. */
static void
take_blocks (const Scene * s, const guint8 * map, int set, const Result * from,
    Picture * picture, BdctBlockRecord * blocks)
{
  Picture whole;

  picture_init (&whole, &s->layout);
  frame_get (&from->dst, &s->layout, &whole);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int i = 0; i < whole.width[c] * whole.height[c]; i++) {
      gsize block = s->grid[c].first
          + (i / whole.width[c] >> s->job.component[c].log2_height)
          * s->grid[c].columns
          + (i % whole.width[c] >> s->job.component[c].log2_width);

      if (map[block] == set) {
        picture->sample[c][i] = whole.sample[c][i];
        blocks[block] = from->blocks[block];
      }
    }
  picture_clear (&whole);
}

/* A frame with a map is put together from those of its sets alone. */
static void
check_case_map (const Scene * s, BdctEngine * engine, gboolean random)
{
  BdctBlockRecord *blocks = g_new (BdctBlockRecord, s->n_blocks);
  guint8 *map = make_map (s, random);
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  BdctFrame frame = {.quantizers = quantizers,.n_quantizers =
        BDCT_MAX_QUANTIZERS,.quantizer_map = map };
  Picture picture;
  Frame expected;
  Result got;

  make_sets (s, quantizers);
  picture_init (&picture, &s->layout);
  frame_init (&expected, &s->layout, s->c->stride);
  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++) {
    BdctFrame alone = {.quantizers = &quantizers[i],.n_quantizers = 1 };

    run (s, engine, &alone, TRUE, TRUE, &got);
    take_blocks (s, map, i, &got, &picture, blocks);
    result_clear (&got);
  }
  frame_put (&expected, &s->layout, &picture, FALSE);
  run (s, engine, &frame, TRUE, TRUE, &got);
  if (!frame_equal (&expected, &got.dst, &s->layout))
    fail (s, engine, "a block is not its set's");
  if (memcmp (blocks, got.blocks, s->n_blocks * sizeof *blocks) != 0)
    fail (s, engine, "a record is not its set's");
  if (!sums_agree (s, &got))
    fail (s, engine, "the records' sums are not the statistics");
  tally_add (s->n_blocks, 0);
  result_clear (&got);
  frame_clear (&expected);
  picture_clear (&picture);
  g_free (blocks);
  g_free (map);
}

/* A view and records of the same frame; a map's picture does not depend on
 * whose records it colours. */
static void
check_case_views (const Scene * s, BdctEngine * engine)
{
  BdctFrame plain = {.quantizers = &s->job,.n_quantizers = 1 };
  BdctView view = BDCT_VIEW_DEFAULT;
  Result expected, with, without;

  bdct_view_colours (&view, s->c->depth, 0.299, 0.114, true);
  run (s, engine, &plain, TRUE, TRUE, &expected);
  for (view.mode = 0; view.mode < BDCT_N_VIEWS; view.mode++) {
    BdctFrame a = {.quantizers = &s->job,.n_quantizers = 1,.view = &view }, b =
        a;

    if (!bdct_view_is_of_frame (view.mode))
      continue;
    run (s, engine, &a, TRUE, TRUE, &with);
    run (s, engine, &b, TRUE, FALSE, &without);
    if (memcmp (expected.blocks, with.blocks,
            s->n_blocks * sizeof *with.blocks) != 0)
      fail (s, engine, bdct_view_info (view.mode)->name);
    if (!frame_equal (&with.dst, &without.dst, &s->layout))
      fail (s, engine, "the view is another with records");
    result_clear (&with);
    result_clear (&without);
  }
  result_clear (&expected);
}

/* Every format, depth, packing and odd sizes, with all of it. */
static void
test_all (gconstpointer data)
{
  static const struct
  {
    int depth, shift;
  } depths[] = { {8, 0}, {10, 6}, {12, 0}, {9, 0}, {12, 4} };
  static const struct
  {
    int width, height;
  } sizes[] = { {1, 1}, {33, 65}, {70, 31}, {190, 97} };
  Case c = { .params = defaults };
  guint n = 0;

  c.params.transform = GPOINTER_TO_INT (data);
  for (c.format = 0; c.format < N_FORMATS; c.format++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++, n++) {
      Scene s;

      if (!case_due (n + c.params.transform))
        continue;
      c.depth = depths[n % G_N_ELEMENTS (depths)].depth;
      c.shift = depths[n % G_N_ELEMENTS (depths)].shift;
      c.width = sizes[i].width;
      c.height = sizes[i].height;
      c.stride = n % N_STRIDES;
      c.content = n % (CONTENT_CHECKER + 1);
      c.params.quality = 1 + n * 37 % 100;
      c.params.qp = n * 29 % 52;
      scene_init (&s, &c);
      for (guint e = 0; e < n_engines; e++) {
        check_case_records (&s, engines[e]);
        /* The CUDA engine has two kernels of dct-8x8, which round apart. */
        if (s.job.family != BDCT_FAMILY_DCT8X8 || !engines_on_cuda ()) {
          check_case_map (&s, engines[e], TRUE);
          check_case_map (&s, engines[e], FALSE);
        }
        check_case_views (&s, engines[e]);
      }
      scene_clear (&s);
      if (g_test_failed ())
        return;
    }
}

/* A block's squared errors beyond 32 bits stay at the largest number. */
static void
test_saturation (void)
{
  Case c = { .params = defaults, .format = FORMAT_GRAY, .depth = 12,
    .width = 32, .height = 32
  };
  BdctFrame frame = { .n_quantizers = 1 };
  Result result;
  Scene s;

  if (engines_on_cuda ()) {
    g_test_skip ("a job that no parameters lead to");
    return;
  }
  c.params.transform = BDCT_HEVC_32X32;
  scene_init (&s, &c);
  frame.quantizers = &s.job;
  /* Black that comes back as grey: 1024 times 2048^2. */
  memset (s.source.sample[0], 0, 32 * 32 * sizeof (int));
  frame_put (&s.src, &s.layout, &s.source, FALSE);
  s.job.component[0].quant_add = 0;
  memset (s.job.component[0].quant, 0, sizeof s.job.component[0].quant);
  s.job.component[0].quant_dc = 0;
  for (guint e = 0; e < n_engines; e++) {
    run (&s, engines[e], &frame, TRUE, TRUE, &result);
    g_assert_cmpuint (result.stats.component[0].sse, >, G_MAXUINT32);
    g_assert_cmpuint (result.blocks[0].sse, ==, G_MAXUINT32);
    result_clear (&result);
  }
  scene_clear (&s);
}

/* Blocks of one coefficient, as large as can be: dequantized by one set, it is
 * more than another's quantizer is exact for. */
static void
test_large (void)
{
  static const int signs[8] = { 1, 1, -1, -1, -1, -1, 1, 1 };
  Case c = { .params = defaults, .format = FORMAT_GRAY, .depth = 12,
    .width = 64, .height = 64
  };
  Scene s;

  c.params.transform = BDCT_H264_8X8;
  scene_init (&s, &c);
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 64; x++)
      s.source.sample[0][y * 64 + x] =
          signs[y % 8] * signs[x % 8] > 0 ? 4095 : 0;
  frame_put (&s.src, &s.layout, &s.source, FALSE);
  for (guint e = 0; e < n_engines; e++)
    check_case_map (&s, engines[e], TRUE);
  scene_clear (&s);
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  for (int t = 0; t < BDCT_N_FIXED; t++)
    tests_add (test_all, t, "/blocks/all/%s", bdct_transform_info (t)->name);
  g_test_add_func ("/blocks/saturation", test_saturation);
  g_test_add_func ("/blocks/large", test_large);
  return tests_run ("blocks alone");
}
