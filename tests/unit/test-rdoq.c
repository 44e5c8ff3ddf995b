/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Levels chosen by rate and distortion (dct/rd/rdoq.h): against a search among
 * all levels of small blocks, with costs by plain definitions in 64 bits; that
 * no block costs more than its plain levels; and the engine, on every
 * instruction set, with what is chosen for each block. */
#include <math.h>
#include <string.h>
#include "cpu/block.h"
#include "cpu/simd/cabac-price.h"
#include "dct/entropy/cabac.h"
#include "dct/rd/rdoq.h"
#include "program.h"
#include "lists.h"
#include "reference.h"

#define SIDE 32

static const BdctTransform transforms[] = {
  BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
};

/* Blocks of coefficients */

typedef struct {
  BdctJob job;
  BdctRdoq rdoq;
  BdctCabacCosts costs;
  BdctComponent component;
  int n, size;                  /* coefficients, and of a row */
  gint32 cells[SIDE * SIDE];
} Block;

static void
block_init (Block * b, const BdctParams * params, int depth,
    BdctComponent component)
{
  BdctLayout layout;

  format_layout (FORMAT_Y444, depth, 0, 64, 64, &layout);
  g_assert_true (bdct_job_init (&b->job, params, &layout, NULL));
  bdct_rdoq_init (&b->rdoq, &b->job, component);
  bdct_cabac_costs (&b->costs, params->qp);
  b->component = component;
  b->size = 1 << b->job.component[component].log2_width;
  b->n = b->size * b->size;
  memset (b->cells, 0, sizeof b->cells);
}

static double
step_of (const Block * b, int i)
{
  const BdctComponentJob *job = &b->job.component[b->component];
  const BdctQuantizer entry = bdct_job_entry (job, i / b->size, i % b->size);

  return ldexp (1, job->quant_bits) / entry.quant;
}

static void
set_cell (Block * b, int i, double steps)
{
  b->cells[i] = CLAMP (lround (steps * step_of (b, i)), -16384, 16384);
}

/* Clip3 (CoeffMinY, CoeffMaxY, ((level m levelScale << qP / 6) + ...) >>
 * bdShift), of numbers that no product of leaves 64 bits. */
static gint64
dequantized (const Block * b, int i, gint64 level)
{
  const BdctComponentJob *job = &b->job.component[b->component];
  const gint64 unit = (gint64) 1 << job->dequant_bits;
  const gint64 n = level * bdct_job_entry (job, i / b->size,
      i % b->size).dequant + unit / 2;
  const gint64 d = n >= 0 ? n / unit : -((-n + unit - 1) / unit);

  return CLAMP (d, -32768, 32767);
}

static guint64
cost_of (const Block * b, const BdctLevel * levels)
{
  BdctLevel aligned[SIDE * SIDE] __attribute__ ((aligned (8)));
  guint32 counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };
  guint64 rate, errors = 0;

  memcpy (aligned, levels, b->n * sizeof *levels);
  rate = (guint64) bdct_cabac_count (counter, aligned,
      g_bit_storage (b->size) - 1, b->component != BDCT_Y) << 15;
  for (int k = 0; k < 2 * BDCT_CABAC_CONTEXTS; k++)
    rate += (guint64) counter[k] * b->costs.bin[k / 2][k % 2];
  for (int i = 0; i < b->n; i++) {
    const gint64 e = b->cells[i] - dequantized (b, i, levels[i]);

    errors += e * e;
  }
  /* In samples' errors: 2^(15 - depth - log2_size), squared, of each. */
  return (errors * b->n << b->job.rdoq.distortion_shift)
      + b->job.rdoq.lambda * rate;
}

static int
nearest (const Block * b, int i)
{
  const BdctComponentJob *job = &b->job.component[b->component];
  const gint64 quant = bdct_job_entry (job, i / b->size, i % b->size).quant;

  return MIN (32767, (ABS ((gint64) b->cells[i]) * quant
          + ((gint64) 1 << (job->quant_bits - 1))) >> job->quant_bits);
}

static int
plain (const Block * b, int i)
{
  const BdctComponentJob *job = &b->job.component[b->component];
  const gint64 quant = bdct_job_entry (job, i / b->size, i % b->size).quant;
  const int level = MIN (32767, (ABS ((gint64) b->cells[i]) * quant
          + job->quant_add) >> job->quant_bits);

  return b->cells[i] < 0 ? -level : level;
}

static guint64
choose (const Block * b, BdctLevel * levels)
{
  return bdct_rdoq_choose (&b->rdoq, bdct_cabac_price_baseline,
      &b->job.component[b->component], b->component != BDCT_Y, b->cells,
      b->size, levels);
}

/* What is true of all that is chosen. Returns its cost. */
static guint64
check_choice (const Block * b, const BdctLevel * levels, guint64 claimed)
{
  BdctLevel other[SIDE * SIDE] = { 0 };
  const guint64 cost = cost_of (b, levels);

  g_assert_cmpuint (cost, ==, claimed);
  g_assert_cmpuint (cost, <=, cost_of (b, other));
  for (int i = 0; i < b->n; i++) {
    const int m = ABS (levels[i]), high = nearest (b, i);

    other[i] = plain (b, i);
    g_assert_true (m == 0 || m == high || m == high - 1);
    g_assert_true (m == 0 || (levels[i] < 0) == (b->cells[i] < 0));
  }
  g_assert_cmpuint (cost, <=, cost_of (b, other));
  return cost;
}

/* The least cost of all levels up to the nearest ones. */
static guint64
search (const Block * b)
{
  BdctLevel levels[SIDE * SIDE] = { 0 };
  guint64 least = G_MAXUINT64;

  for (;;) {
    const guint64 cost = cost_of (b, levels);
    int i = 0;

    least = MIN (least, cost);
    while (i < b->n && ABS (levels[i]) == nearest (b, i))
      levels[i++] = 0;
    if (i == b->n)
      return least;
    levels[i] += b->cells[i] < 0 ? -1 : 1;
  }
}

/* Blocks of few levels: how near to the best is what is chosen? */
static void
test_small (gconstpointer data)
{
  const int size = GPOINTER_TO_INT (data);
  GRand *rand = g_rand_new_with_seed (size);
  double excess = 0, gain = 0, gained = 0;
  guint n_best = 0, n = 40000 >> 2 * size;

  for (guint k = 0; k < n; k++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    BdctLevel levels[SIDE * SIDE], unchosen[SIDE * SIDE];
    guint64 cost, least, before;
    Block b;

    params.transform = transforms[size];
    params.rdoq = TRUE;
    params.qp = g_rand_int_range (rand, 10, 52);
    block_init (&b, &params, 8, k % 2 ? BDCT_Y : BDCT_U);
    for (int i = 0; i < b.n; i++)
      set_cell (&b, i, g_rand_double_range (rand, -0.4, 0.4));
    for (int i = g_rand_int_range (rand, 1, 7 - size); i > 0; i--)
      set_cell (&b, g_rand_int_range (rand, 0, MIN (b.n, 64)),
          g_rand_double_range (rand, -3.4, 3.4));
    cost = check_choice (&b, levels, choose (&b, levels));
    least = search (&b);
    for (int i = 0; i < b.n; i++)
      unchosen[i] = plain (&b, i);
    before = cost_of (&b, unchosen);
    g_assert_cmpuint (cost, >=, least);
    n_best += cost == least;
    excess += (double) (cost - least) / least;
    gain += (double) (before - least) / least;
    gained += (double) (before - cost) / least;
  }
  g_test_message ("%dx%d: the best in %.1f%% of blocks; %.3f%% above it on "
      "average, plain levels %.3f%%", 4 << size, 4 << size, 100.0 * n_best / n,
      100 * excess / n, 100 * gain / n);
  g_assert_cmpfloat (gained, >, 0.8 * gain);
  g_rand_free (rand);
}

/* Blocks of any levels, of every size, depth, list and lambda. */
static void
test_blocks (void)
{
  static const double scales[] = { 1, 0, 0.25, 4, 1000 };
  static const double spreads[] = { 0.4, 1, 5, 60, 1e6 };
  GRand *rand = g_rand_new_with_seed (1);

  for (int n = 0; n < 3000; n++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    BdctLevel levels[SIDE * SIDE];
    double spread = spreads[n % 5], norm = 0;
    Block b;

    params.transform = n % 9 == 8 ? BDCT_HEVC_DST_4X4 : transforms[n % 4];
    params.rdoq = TRUE;
    params.qp = g_rand_int_range (rand, 0, 52);
    params.lambda_scale = scales[n / 5 % 5];
    params.deadzone = ref_deadzone (n);
    params.scaling_list = n / 25 % 3;
    if (params.scaling_list == BDCT_SCALING_FILE)
      random_lists (&params, n);
    block_init (&b, &params, 8 + n % 3 * 2, n % 3);
    for (int i = 0; i < b.n; i++) {
      set_cell (&b, i, g_rand_double_range (rand, -spread, spread)
          / (1 + g_rand_int_range (rand, 0, i % b.size + i / b.size + 1)));
      norm += (double) b.cells[i] * b.cells[i];
    }
    /* No block of samples has more. */
    for (int i = 0; norm > 0x1p28 && i < b.n; i++)
      b.cells[i] *= 0x1p14 / sqrt (norm);
    check_choice (&b, levels, choose (&b, levels));
    /* Where bits weigh nothing levels are the nearest. */
    for (int i = 0; params.lambda_scale == 0 && i < b.n; i++) {
      const gint64 low = ABS (b.cells[i] - dequantized (&b, i, levels[i]));

      for (int m = nearest (&b, i) - 1; m <= nearest (&b, i); m++)
        g_assert_cmpint (low, <=, ABS (b.cells[i] - dequantized (&b, i,
                    b.cells[i] < 0 ? -m : m)));
    }
  }
  g_rand_free (rand);
}

/* Frames */

/* A component, block by block, and its levels that are not 0. */
static guint64
expect_component (const BdctJob * quantizers, const guint8 * map,
    const BdctBlockGrid * grid, const Picture * source, Picture * out, int c)
{
  const int size = 1 << quantizers[0].component[c].log2_width;
  const int width = source->width[c], height = source->height[c];
  BdctBlock *block = g_new (BdctBlock, 1);
  guint64 nonzero = 0;

  for (int y = 0; y < height; y += size)
    for (int x = 0; x < width; x += size) {
      const int number = y / size * grid[c].columns + x / size;
      const BdctJob *job = &quantizers[map[grid[c].first + number]];
      gint32 cells[SIDE * SIDE];
      BdctLevel levels[SIDE * SIDE];
      BdctRdoq rdoq;

      for (int i = 0; i < size * size; i++)
        block->sample[i] = source->sample[c][MIN (y + i / size, height - 1)
            * width + MIN (x + i % size, width - 1)];
      bdct_block_run (block, job, c);
      for (int i = 0; i < size * size; i++)
        cells[i] = lround (block->coefficient[i]);
      bdct_rdoq_init (&rdoq, job, c);
      bdct_rdoq_choose (&rdoq, bdct_cabac_price_baseline, &job->component[c],
          c != BDCT_Y, cells, size, levels);
      for (int i = 0; i < size * size; i++) {
        g_assert_cmpint (block->level[i], ==, levels[i]);
        nonzero += levels[i] != 0;
        if (y + i / size < height && x + i % size < width)
          out->sample[c][(y + i / size) * width + x + i % size] =
              block->reconstruction[i];
      }
    }
  g_free (block);
  return nonzero;
}

static void
check_frame (const BdctParams * params, Format format, int depth, int width,
    int height, Content content)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  guint64 nonzero[BDCT_MAX_COMPONENTS] = { 0 };
  Picture source, picture;
  Frame src, dst, expected;
  BdctFrame frame = { .n_quantizers = 2 };
  BdctParams second = *params;
  BdctLayout layout;
  BdctStats stats;
  BdctError error;
  BdctJob quantizers[2];
  guint8 *map;

  format_layout (format, depth, 0, width, height, &layout);
  second.qp = (params->qp + 9) % 52;
  g_assert_true (bdct_job_init (&quantizers[0], params, &layout, NULL));
  g_assert_true (bdct_job_init (&quantizers[1], &second, &layout, NULL));
  frame.n_blocks = bdct_blocks_init (grid, &layout, &quantizers[0]);
  map = g_malloc (frame.n_blocks);
  for (gsize i = 0; i < frame.n_blocks; i++)
    map[i] = i * 7 / 5 % 2;
  picture_init (&source, &layout);
  picture_init (&picture, &layout);
  picture_fill (&source, content, &layout, BDCT_HEVC_8X8, width);
  for (int c = 0; c < bdct_layout_components (&layout); c++)
    nonzero[c] = expect_component (quantizers, map, grid, &source, &picture, c);
  frame_init (&src, &layout, STRIDE_ODD);
  frame_init (&expected, &layout, STRIDE_ODD);
  frame_put (&src, &layout, &source, FALSE);
  frame_put (&expected, &layout, &picture, FALSE);
  frame.src = src.image;
  frame.quantizers = quantizers;
  frame.quantizer_map = map;
  for (guint e = 0; e < n_engines; e++) {
    frame_init (&dst, &layout, STRIDE_ODD);
    frame.dst = dst.image;
    if (!engines[e]->klass->configure (engines[e], &layout, 1, &error)
        || !engines[e]->klass->submit (engines[e], &frame, &error)
        || !engines[e]->klass->collect (engines[e], &stats, &error))
      g_test_fail_printf ("%s: %s", engines[e]->description, error.message);
    else if (!frame_equal (&dst, &expected, &layout))
      g_test_fail_printf ("%s: %s %s depth %d, %dx%d qp %d: other samples",
          engines[e]->description,
          bdct_transform_info (params->transform)->name, format_names[format],
          depth, width, height, params->qp);
    for (int c = 0; c < bdct_layout_components (&layout); c++)
      g_assert_cmpuint (stats.component[c].nonzero, ==, nonzero[c]);
    frame_clear (&dst);
  }
  frame_clear (&src);
  frame_clear (&expected);
  picture_clear (&source);
  picture_clear (&picture);
  g_free (map);
}

static void
test_frames (void)
{
  static const struct
  {
    int width, height;
  } sizes[] = { {1, 1}, {33, 65}, {70, 38}, {127, 9} };
  BdctParams params = BDCT_PARAMS_DEFAULT;

  params.rdoq = TRUE;
  for (int n = 0; n < 4 * N_FORMATS * (int) G_N_ELEMENTS (sizes); n++) {
    params.transform = n % 5 == 4 ? BDCT_HEVC_DST_4X4 : transforms[n % 4];
    params.qp = n * 29 % 52;
    params.scaling_list = n / 4 % 2;
    params.lambda_scale = n % 3 ? 1 : 5;
    check_frame (&params, n % N_FORMATS, 8 + n / 3 % 3 * 2,
        sizes[n / N_FORMATS % G_N_ELEMENTS (sizes)].width,
        sizes[n / N_FORMATS % G_N_ELEMENTS (sizes)].height,
        n / 2 % (CONTENT_CHECKER + 1));
    if (g_test_failed ())
      return;
  }
}

/* A tree of one size is that size's, and what is asked of other transforms is
 * not asked. */
static void
test_jobs (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout;
  BdctJob job, sized, fixed;
  BdctError error = { "" };

  format_layout (FORMAT_I420, 10, 0, 64, 64, &layout);
  params.rdoq = TRUE;
  params.deadzone = 0.2;
  params.transform = BDCT_HEVC_QUADTREE;
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  for (int size = 0; size < 4; size++) {
    bdct_job_of_size (&sized, &job, size + 2);
    params.transform = transforms[size];
    g_assert_true (bdct_job_init (&fixed, &params, &layout, NULL));
    g_assert_cmpmem (&sized, sizeof sized, &fixed, sizeof fixed);
  }
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    params.transform = t;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    g_assert_cmpint (job.rdoq.distortion_shift != 0, ==,
        bdct_transform_info (t)->has_rdoq);
    g_assert_cmpint (bdct_transform_info (t)->has_rdoq, ==,
        g_str_has_prefix (bdct_transform_info (t)->name, "hevc-"));
  }
  params.transform = BDCT_HEVC_8X8;
  params.lambda_scale = -1;
  g_assert_false (bdct_job_init (&job, &params, &layout, &error));
  g_assert_nonnull (strstr (error.message, "lambda-scale -1 "));
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_add_func ("/rdoq/jobs", test_jobs);
  for (int size = 0; size < 4; size++)
    tests_add (test_small, size, "/rdoq/small/%d", 4 << size);
  g_test_add_func ("/rdoq/blocks", test_blocks);
  g_test_add_func ("/rdoq/frames", test_frames);
  return tests_run (NULL);
}
