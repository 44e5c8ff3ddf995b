/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bits of frames (dct/entropy/rate.h) on every engine of frame.h: against a
 * count of the definition's levels, symbol by symbol, or with
 * dct/entropy/cabac.h's functions in a plain loop. As the engines have these
 * functions, too, the tests' own CABAC coder (residual-coding.h) says about how
 * many bits there are. libjpeg's files are in tests/fidelity/test-libjpeg.c,
 * estimates of pictures in test-cabac-frames.c. */
#include <math.h>
#include <string.h>
#include "cpu/block.h"
#include "bins.h"
#include "program.h"
#include "reference-rate.h"
#include "residual-coding.h"

typedef struct {
  BdctTransform transform;
  Format format;
  int depth, width, height;
  Content content;
} Case;

typedef struct {
  const Case *c;
  BdctLayout layout;
  /* From fine to coarse; the first by itself, or all with the map. */
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  BdctParams params[BDCT_MAX_QUANTIZERS];
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  guint8 *map;
  Picture source;
  Frame src;
} Scene;

static void
scene_init (Scene * s, const Case * c)
{
  GRand *rand = g_rand_new_with_seed (c->width);

  s->c = c;
  format_layout (c->format, c->depth, 0, c->width, c->height, &s->layout);
  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++) {
    s->params[i] = (BdctParams) BDCT_PARAMS_DEFAULT;
    s->params[i].transform = c->transform;
    s->params[i].quality = 100 - 14 * i;
    s->params[i].qp = 1 + 7 * i;
    s->params[i].chroma_qp_offset = i - 4;
    g_assert_true (bdct_job_init (&s->quantizers[i], &s->params[i], &s->layout,
            NULL));
  }
  s->n_blocks = bdct_blocks_init (s->grid, &s->layout, &s->quantizers[0]);
  s->map = g_malloc (s->n_blocks);
  for (gsize i = 0; i < s->n_blocks; i++)
    s->map[i] = g_rand_int_range (rand, 0, BDCT_MAX_QUANTIZERS);
  g_rand_free (rand);
  picture_init (&s->source, &s->layout);
  picture_fill (&s->source, c->content, &s->layout, c->transform, 5);
  frame_init (&s->src, &s->layout, STRIDE_ODD);
  frame_put (&s->src, &s->layout, &s->source, TRUE);
}

static void
scene_clear (Scene * s)
{
  picture_clear (&s->source);
  frame_clear (&s->src);
  g_free (s->map);
}

static void
fail (const Scene * s, const BdctEngine * engine, const char *what)
{
  g_test_fail_printf ("%s: %s, %s depth %d, %dx%d content %d: %s",
      engine->description, bdct_transform_info (s->c->transform)->name,
      format_names[s->c->format], s->c->depth, s->c->width, s->c->height,
      s->c->content, what);
}

static void
run (const Scene * s, BdctEngine * engine, const BdctFrame * frame,
    BdctStats * stats)
{
  memset (stats, 0xee, sizeof *stats);
  engine_run (engine, &s->layout, frame, stats);
}

/* The levels of dct-8x8 are a matter of the CPU's single precision. */
static void
real_levels (const Scene * s, int set, int k, int *levels)
{
  int width = s->source.width[k], height = s->source.height[k];
  int across = s->grid[k].columns * 8;
  BdctBlock block;

  for (int by = 0; by < height; by += 8)
    for (int bx = 0; bx < width; bx += 8) {
      for (int i = 0; i < 64; i++)
        block.sample[i] = s->source.sample[k][MIN (by + i / 8, height - 1)
            * width + MIN (bx + i % 8, width - 1)];
      bdct_block_run (&block, &s->quantizers[set], k);
      for (int i = 0; i < 64; i++)
        levels[(by + i / 8) * across + bx + i % 8] = block.level[i];
    }
}

/* A component's levels, each where its sample is, in rows of whole blocks: of
 * the first set or, `mapped`, of each block's. */
static int *
get_levels (const Scene * s, int k, gboolean mapped)
{
  const BdctComponentJob *job = &s->quantizers[0].component[k];
  int across = s->grid[k].columns << job->log2_width;
  int n = across * (s->grid[k].rows << job->log2_height);
  int *levels = g_new0 (int, n), *own = g_new0 (int, n);

  for (int set = 0; set < (mapped ? BDCT_MAX_QUANTIZERS : 1); set++) {
    RefPlane plane = { &s->params[set], s->layout.chroma, k, s->c->depth,
      s->source.width[k], s->source.height[k], REF_FLOAT
    };

    if (s->c->transform == BDCT_DCT_8X8)
      real_levels (s, set, k, own);
    else
      ref_levels (&plane, s->source.sample[k], own);
    for (int i = 0; i < n; i++)
      if (!mapped || s->map[s->grid[k].first
              + (i / across >> job->log2_height) * s->grid[k].columns
              + (i % across >> job->log2_width)] == set)
        levels[i] = own[i];
  }
  g_free (own);
  return levels;
}

/* Huffman coding: `symbols` by component, and the bits of each with the tables
 * that are optimal for Y, and for U and V together. */
static void
huffman_bits (const Scene * s, int *const *levels, guint64 * bits)
{
  RefSymbols symbols[3] = { {{0}, {0}}, {{0}, {0}}, {{0}, {0}} };
  RefSymbols both = { {0}, {0} };
  BdctChromaFormat chroma = s->layout.chroma;
  int h = chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_422 ? 2 : 1;
  int v = chroma == BDCT_CHROMA_420 ? 2 : 1, lengths[256];

  for (int k = 0; k < 3; k++) {
    RefScan scan = { s->grid[k].columns, s->grid[k].rows, k ? 1 : h,
      k ? 1 : v, levels[k]
    };

    if (levels[k] != NULL)
      ref_symbols (&scan, (s->c->width + 8 * h - 1) / (8 * h),
          (s->c->height + 8 * v - 1) / (8 * v), &symbols[k]);
  }
  for (int i = 0; i < 256; i++) {
    both.dc[i] = symbols[1].dc[i] + symbols[2].dc[i];
    both.ac[i] = symbols[1].ac[i] + symbols[2].ac[i];
  }
  for (int k = 0; k < 3; k++) {
    ref_optimal_lengths (k ? both.dc : symbols[0].dc, lengths);
    bits[k] = ref_symbol_bits (symbols[k].dc, lengths);
    ref_optimal_lengths (k ? both.ac : symbols[0].ac, lengths);
    bits[k] += ref_symbol_bits (symbols[k].ac, lengths);
  }
}

/* One block of a component, or transform of a block, as dct/entropy/cabac.h
 * wants it. */
static void
take_block (const Scene * s, int k, const int *levels, int block, int size,
    BdctLevel * to)
{
  const BdctComponentJob *job = &s->quantizers[0].component[k];
  int across = s->grid[k].columns << job->log2_width;
  int part = block % (1 << bdct_job_log2_parts (job)), left, top;

  block >>= bdct_job_log2_parts (job);
  left = (block % s->grid[k].columns << job->log2_width)
      + part % (1 << job->dc.log2_columns) * size;
  top = (block / s->grid[k].columns << job->log2_height)
      + (part >> job->dc.log2_columns) * size;
  for (int i = 0; i < size * size; i++)
    to[i] = levels[(top + i / size) * across + left + i % size];
}

/* The estimate is near the coder's bits. It knows nothing of the states in
 * which contexts begin, which small frames and strange ones pay for. */
static void
check_near (const BdctJob * job, const BdctBlockGrid * grid, int qp,
    BdctLevel *const *levels, const guint64 * bits)
{
  ResidualCoder coder;

  residual_encoder_init (&coder, qp);
  for (int k = 0; k < 3; k++) {
    const int log2_size = bdct_cabac_log2_size (&job->component[k]);
    const int n = grid[k].columns * grid[k].rows
        << bdct_job_log2_parts (&job->component[k]);
    const double before = residual_bits (&coder);
    double coded;

    for (int i = 0; i < n; i++)
      residual_encode (&coder, levels[k] + (i << 2 * log2_size), log2_size,
          k > 0);
    coded = residual_bits (&coder) - before;
    g_assert_cmpfloat_with_epsilon ((double) bits[k], coded,
        0.08 * coded + 400);
  }
  g_byte_array_unref (coder.bytes);
}

/* CABAC's estimate of levels as dct/entropy/cabac.h wants them. */
static void
count_cabac (const BdctJob * job, const BdctBlockGrid * grid, int qp,
    BdctLevel *const *levels, guint64 * bits)
{
  for (int k = 0; k < 3; k++)
    bits[k] = (ref_price_blocks (levels[k], grid[k].columns
            << bdct_job_log2_parts (&job->component[k]), grid[k].rows,
            bdct_cabac_log2_size (&job->component[k]), k > 0, job->slice_qp)
        + 2048) / 4096;
  check_near (job, grid, qp, levels, bits);
}

static void
cabac_bits (const Scene * s, int *const *levels, guint64 * bits)
{
  BdctLevel *blocks[3];

  for (int k = 0; k < 3; k++) {
    int side = 1 << bdct_cabac_log2_size (&s->quantizers[0].component[k]);
    int n = s->grid[k].columns * s->grid[k].rows
        << bdct_job_log2_parts (&s->quantizers[0].component[k]);

    blocks[k] = g_aligned_alloc (MAX (n, 1) * side * side, sizeof (BdctLevel),
        8);
    for (int i = 0; i < n; i++)
      take_block (s, k, levels[k], i, side, blocks[k] + i * side * side);
  }
  count_cabac (s->quantizers, s->grid, s->params[0].qp, blocks, bits);
  for (int k = 0; k < 3; k++)
    g_aligned_free (blocks[k]);
}

static void
check_definition (const Scene * s, BdctEngine * engine,
    const BdctStats * stats, const guint64 * bits)
{
  guint64 sum = bits[0] + bits[1] + bits[2];
  char text[200];
  gboolean ok;

  if (s->c->transform == BDCT_JPEG_8X8 && s->c->depth == 8) {
    ok = stats->bits_optimized == sum && stats->file_size > 0
        && stats->file_size_optimized > 0
        && bdct_stats_total (stats).bits > stats->bits_optimized / 2;
  } else {
    ok = stats->bits_optimized == 0 && stats->file_size == 0
        && stats->file_size_optimized == 0;
    for (int k = 0; k < 3; k++)
      ok = ok && stats->component[k].bits == bits[k];
  }
  tally_add (1, !ok);
  g_snprintf (text, sizeof text, "bits %" G_GUINT64_FORMAT " %"
      G_GUINT64_FORMAT " %" G_GUINT64_FORMAT ", optimized %" G_GUINT64_FORMAT
      ", not %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
      stats->component[0].bits, stats->component[1].bits,
      stats->component[2].bits, stats->bits_optimized, bits[0], bits[1],
      bits[2]);
  if (!ok)
    fail (s, engine, text);
}

/* A frame of one set or of eight, on all engines. */
static void
check_scene (const Scene * s, gboolean mapped)
{
  BdctFrame frame = {.quantizers = s->quantizers,.n_quantizers =
        mapped ? BDCT_MAX_QUANTIZERS : 1,
    .src = s->src.image,.quantizer_map = mapped ? s->map : NULL,
    .n_blocks = s->n_blocks,.bits = true
  };
  int *levels[3] = { NULL, NULL, NULL };
  BdctStats first, stats;
  guint64 bits[3];

  for (int k = 0; k < 3; k++)
    if (s->source.sample[k] != NULL)
      levels[k] = get_levels (s, k, mapped);
  if (bdct_job_coder (&s->quantizers[0]) == BDCT_CODER_HUFFMAN)
    huffman_bits (s, levels, bits);
  else
    cabac_bits (s, levels, bits);
  for (guint i = 0; i < n_engines; i++) {
    run (s, engines[i], &frame, &stats);
    if (i == 0)
      first = stats;
    if (memcmp (&first, &stats, sizeof stats) != 0)
      fail (s, engines[i], "another engine has other statistics");
    check_definition (s, engines[i], &stats, bits);
    frame.bits = false;
    run (s, engines[i], &frame, &stats);
    frame.bits = true;
    if (bdct_stats_total (&stats).bits != 0 || stats.bits_optimized != 0
        || stats.file_size != 0 || stats.file_size_optimized != 0)
      fail (s, engines[i], "bits that were not asked for");
    for (int k = 0; k < 3; k++)
      stats.component[k].bits = first.component[k].bits;
    if (memcmp (first.component, stats.component, sizeof stats.component) != 0)
      fail (s, engines[i], "other statistics without bits");
  }
  for (int k = 0; k < 3; k++)
    g_free (levels[k]);
}

static void
test_definition (gconstpointer data)
{
  static const int sizes[][2] = { {1, 1}, {7, 9}, {17, 33}, {100, 70},
    {129, 201}
  };
  Case c = {.transform = GPOINTER_TO_INT (data) };
  guint n = c.transform;

  for (c.depth = 8; c.depth <= 12; c.depth += 2)
    for (c.format = 0; c.format < N_FORMATS; c.format++)
      for (guint i = 0; i < G_N_ELEMENTS (sizes) && !g_test_failed (); i++) {
        Scene s;

        if (!case_due (n++))
          continue;
        c.width = sizes[i][0];
        c.height = sizes[i][1];
        c.content = (i + c.format) % (CONTENT_CHECKER + 1);
        scene_init (&s, &c);
        check_scene (&s, FALSE);
        check_scene (&s, TRUE);
        scene_clear (&s);
      }
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_set_nonfatal_assertions ();
  for (int t = 0; t < BDCT_N_FIXED; t++)
    if (t != BDCT_DCT_8X8 || !engines_on_cuda ())
      tests_add (test_definition, t, "/rate/definition/%s",
          bdct_transform_info (t)->name);
  return tests_run ("bits");
}
