/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chains that are declared for this test alone (chains.def), for which dct/'s
 * sources are compiled again: tiles of them, against job.h's definition in
 * 64-bit integers. With the vectors of the narrowest and of the widest
 * instruction set, of which the processor need not know. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "cpu/block.h"
#include "cpu/simd/tile32.h"
#include "dct/transform/matrices.h"

#define WIDTH 150
#define HEIGHT 77

static const BdctTileChains *const kernels[] =
    { &bdct_tile_baseline, &bdct_tile_avx512 };

static int32_t matrix_64[64 * 64];

static int
entry (BdctBasis basis, int k, int n)
{
  return basis == BDCT_BASIS_TEST_64 ? matrix_64[k * 64 + n]
      : bdct_matrix_int (basis, k, n);
}

static gint64
scale (gint64 v, int shift, gboolean clip)
{
  if (shift > 0)
    v = (v + ((gint64) 1 << (shift - 1))) >> shift;
  return clip ? CLAMP (v, -32768, 32767) : v;
}

/* A pass over the rows (along x) or the columns of a block. */
static void
pass (gint64 x[64][64], const BdctComponentJob * job, gboolean rows,
    gboolean inverse, int shift)
{
  const BdctChainInfo *chain = bdct_chain_info (job->chain);
  BdctBasis basis = rows ? chain->row : chain->column;
  int n = 1 << (rows ? chain->log2_width : chain->log2_height);
  int lines = 1 << (rows ? chain->log2_height : chain->log2_width);

  for (int line = 0; line < lines; line++) {
    gint64 in[64], sum;

    for (int i = 0; i < n; i++)
      in[i] = rows ? x[line][i] : x[i][line];
    for (int k = 0; k < n; k++) {
      sum = 0;
      for (int i = 0; i < n; i++)
        sum += in[i] * (inverse ? entry (basis, i, k) : entry (basis, k, i));
      sum = scale (sum, shift, inverse && job->clip16);
      if (!inverse && k >= job->keep)
        sum = 0;
      *(rows ? &x[line][k] : &x[k][line]) = sum;
    }
  }
}

/* One block of residuals there and back; returns its levels that are not 0. */
static guint
define (gint64 x[64][64], const BdctComponentJob * job, int level[64][64])
{
  int w = 1 << job->log2_width, h = 1 << job->log2_height;
  gboolean rows_first = !job->transposed;
  guint nonzero = 0;

  pass (x, job, rows_first, FALSE, job->fwd_shift[0]);
  pass (x, job, !rows_first, FALSE, job->fwd_shift[1]);
  for (int v = 0; v < h; v++)
    for (int u = 0; u < w; u++) {
      int i = (h > 8 ? v * 8 / h : v) * 8 + (w > 8 ? u * 8 / w : u);
      gint64 n = (ABS (x[v][u]) * job->quant[i] + job->quant_add)
          >> job->quant_bits;

      n = scale (x[v][u] < 0 ? -n : n, 0, job->clip16);
      level[v][u] = n;
      nonzero += n != 0;
      x[v][u] = scale (n * job->dequant[i], job->dequant_bits, job->clip16);
    }
  pass (x, job, !rows_first, TRUE, job->inv_shift[0]);
  pass (x, job, rows_first, TRUE, job->inv_shift[1]);
  return nonzero;
}

typedef struct {
  BdctJob job;
  BdctLayout layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  guint16 src[HEIGHT][WIDTH], dst[HEIGHT][WIDTH];
  BdctBlockRecord *blocks;
  BdctCounters counters;        /* sse and nonzero */
} Scene;

/* Everything of the plane as it has to be. */
static void
expect (Scene * s)
{
  const BdctComponentJob *job = &s->job.component[BDCT_Y];
  int w = 1 << job->log2_width, h = 1 << job->log2_height;
  int middle = 1 << (s->job.depth - 1);
  int level[64][64];

  for (gsize b = 0; b < s->n_blocks; b++) {
    int left = b % s->grid[0].columns * w, top = b / s->grid[0].columns * h;
    gint64 x[64][64];
    guint64 sse = 0;
    guint nonzero;

    for (int i = 0; i < w * h; i++)
      x[i / w][i % w] = s->src[MIN (top + i / w, HEIGHT - 1)]
          [MIN (left + i % w, WIDTH - 1)] - middle;
    nonzero = define (x, job, level);
    for (int i = 0; i < w * h; i++)
      if (top + i / w < HEIGHT && left + i % w < WIDTH) {
        int v = CLAMP (x[i / w][i % w] + middle, 0, 2 * middle - 1);
        int e = v - s->src[top + i / w][left + i % w];

        s->dst[top + i / w][left + i % w] = v;
        sse += e * e;
      }
    s->blocks[b] = (BdctBlockRecord) { MIN (sse, G_MAXUINT32), nonzero, 0 };
    s->counters.sse += sse;
    s->counters.nonzero += nonzero;
  }
}

static void
check_kernel (const Scene * s, const Scene * expected,
    const BdctTileChains * kernel, const char *where)
{
  static guint8 scratch[BDCT_SCRATCH_SIZE] __attribute__ ((aligned (64)));
  BdctCounters counters = { 0 };
  BdctTileQuantizer set;
  BdctTilePlane plane;
  const BdctChainInfo *chain = bdct_chain_info (s->job.component[0].chain);

  bdct_tile_plane_init (&plane, &s->job, BDCT_Y);
  bdct_tile_quantizer_init (&set, &s->job, BDCT_Y);
  if (chain->row == BDCT_BASIS_TEST_64)
    plane.row = matrix_64;
  if (chain->column == BDCT_BASIS_TEST_64)
    plane.column = matrix_64;
  plane.quantizer[0] = &set;
  plane.layout = s->layout.plane[0];
  plane.columns = plane.layout.width;
  plane.src = (BdctSamples) { (guint8 *) s->src, 2 * WIDTH };
  plane.dst = (BdctSamples) { (guint8 *) s->dst, 2 * WIDTH };
  plane.grid = s->grid[0];
  plane.blocks = s->blocks;
  /* Twice, the second time with the levels. */
  for (int y = 0; y < HEIGHT; y += bdct_tile_side (&set.job)) {
    BdctTileStrip strips[2] = { {.levels = NULL}, {.levels = NULL} };
    int rows = (MIN (HEIGHT - y, bdct_tile_side (&set.job))
        + (1 << set.job.log2_height) - 1) >> set.job.log2_height;
    int n = rows * plane.grid.columns * bdct_rate_block_levels (&set.job);
    guint64 nonzero = 0;

    strips[1].levels = g_new (BdctLevel, n);
    for (int k = 0; k < 2; k++)
      kernel->strip (&plane, y, &strips[k], scratch);
    for (int i = 0; i < n; i++)
      nonzero += strips[1].levels[i] != 0;
    if (memcmp (&strips[0].counters, &strips[1].counters,
            sizeof counters) != 0)
      g_test_fail_printf ("%s: a strip with levels differs", where);
    if (nonzero != strips[1].counters.nonzero)
      g_test_fail_printf ("%s: not all levels are in memory", where);
    counters.sse += strips[1].counters.sse;
    counters.nonzero += strips[1].counters.nonzero;
    g_free (strips[1].levels);
  }
  if (memcmp (s->dst, expected->dst, sizeof s->dst) != 0)
    g_test_fail_printf ("%s: wrong samples", where);
  if (memcmp (s->blocks, expected->blocks,
          s->n_blocks * sizeof *s->blocks) != 0)
    g_test_fail_printf ("%s: wrong records", where);
  if (memcmp (&counters, &expected->counters, sizeof counters) != 0)
    g_test_fail_printf ("%s: wrong statistics", where);
}

static void
fill (Scene * s, GRand * rand, gboolean extreme)
{
  int peak = (1 << s->job.depth) - 1;

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    s->src[i / WIDTH][i % WIDTH] = !extreme ? g_rand_int_range (rand, 0,
        peak + 1) : g_rand_boolean (rand) ? peak : 0;
}

/* A plane of a transform's luma, either way round, with or without a rounding
 * in the first pass. */
static void
test_transform (gconstpointer data)
{
  GRand *rand = g_rand_new_with_seed (64);
  BdctParams params = BDCT_PARAMS_DEFAULT;
  Scene s = { .layout = { .chroma = BDCT_CHROMA_400, .n_planes = 1,
    .plane = { { WIDTH, HEIGHT, 0, 1, { BDCT_Y, BDCT_Y } } } }
  };

  params.transform = GPOINTER_TO_INT (data);
  for (int n = 0; n < 32; n++) {
    BdctComponentJob *job = &s.job.component[BDCT_Y];
    Scene expected;
    char where[80];

    s.layout.depth = n % 2 ? 12 : 10;
    params.qp = n * 13 % 52;
    params.scaling_list = n / 4 % 2;
    g_assert_true (bdct_job_init (&s.job, &params, &s.layout, NULL));
    s.n_blocks = bdct_blocks_init (s.grid, &s.layout, &s.job);
    job->transposed = n / 2 % 2;
    if (n / 8 % 2 && job->log2_width + job->log2_height < 8) {
      job->fwd_shift[1] += job->fwd_shift[0];
      job->fwd_shift[0] = 0;
    }
    fill (&s, rand, n / 16);
    expected = s;
    expected.blocks = g_new (BdctBlockRecord, s.n_blocks);
    expect (&expected);
    for (guint k = 0; k < G_N_ELEMENTS (kernels); k++) {
      memset (s.dst, 0xee, sizeof s.dst);
      s.blocks = g_new (BdctBlockRecord, s.n_blocks);
      g_snprintf (where, sizeof where, "kernel %u, case %d", k, n);
      check_kernel (&s, &expected, kernels[k], where);
      g_free (s.blocks);
    }
    g_free (expected.blocks);
  }
  g_rand_free (rand);
}

/* A rectangle alone: rows of as many samples as it is wide. */
static void
test_block (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout = {.depth = 8,.chroma = BDCT_CHROMA_444,.n_planes = 3 };
  GRand *rand = g_rand_new_with_seed (4);
  int level[64][64];
  gint64 x[64][64];
  BdctBlock block;
  BdctJob job;

  params.transform = (BdctTransform) BDCT_TEST_4X8;
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    int w = c == BDCT_Y ? 4 : 8;

    for (int i = 0; i < 32; i++) {
      block.sample[i] = g_rand_int_range (rand, 0, 256);
      x[i / w][i % w] = block.sample[i] - 128;
    }
    bdct_block_run (&block, &job, c);
    define (x, &job.component[c], level);
    g_assert_cmpint (block.width, ==, w);
    g_assert_cmpint (block.height, ==, 32 / w);
    for (int i = 0; i < 32; i++) {
      g_assert_cmpint (block.level[i], ==, level[i / w][i % w]);
      g_assert_cmpint (block.reconstruction[i], ==,
          CLAMP (x[i / w][i % w] + 128, 0, 255));
    }
  }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 0; i < 64 * 64; i++)
    matrix_64[i] = (int) lrint (64 * (i < 64 ? 1 : G_SQRT2)
        * cos ((2 * (i % 64) + 1) * (i / 64) * G_PI / 128));
  for (int t = BDCT_TEST_4X8; t <= BDCT_TEST_4X64; t++) {
    char *path = g_strdup_printf ("/chains/%s", bdct_transform_info (t)->name);

    g_test_add_data_func (path, GINT_TO_POINTER (t), test_transform);
    g_free (path);
  }
  g_test_add_func ("/chains/block", test_block);
  return g_test_run ();
}
