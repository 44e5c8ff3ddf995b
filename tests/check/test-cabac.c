/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dct/cabac.h, bin by bin and over whole frames, against an encoder written
 * from the standard (residual-coding.h), which is checked by decoding. The
 * frames are computed here; barbara.pgm and, by ffmpeg, street.avi are taken
 * from the folder that BLOCKDCT_DATA names where they are there. */
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "dct/cabac.h"
#include "dct/tile.h"
#include "frame.h"
#include "residual-coding.h"

#define MAX_BLOCK (32 * 32)

/* --- One block at a time. --- */

/* Where dct/cabac.h has what residual-coding.h has as an element's contexts
 * from `first` on. */
static const struct
{
  ResidualElement element;
  int first, n, context;
} places[] = {
  {RESIDUAL_CBF_CHROMA, 0, 1, BDCT_CABAC_CHROMA_CBF},
  {RESIDUAL_LAST_X, 0, 15, BDCT_CABAC_LUMA_LAST_X},
  {RESIDUAL_LAST_X, 15, 3, BDCT_CABAC_CHROMA_LAST_X},
  {RESIDUAL_LAST_Y, 0, 15, BDCT_CABAC_LUMA_LAST_Y},
  {RESIDUAL_LAST_Y, 15, 3, BDCT_CABAC_CHROMA_LAST_Y},
  {RESIDUAL_SUB_BLOCK, 0, 2, BDCT_CABAC_LUMA_SUB_BLOCK},
  {RESIDUAL_SUB_BLOCK, 2, 2, BDCT_CABAC_CHROMA_SUB_BLOCK},
  {RESIDUAL_SIG, 0, 27, BDCT_CABAC_LUMA_SIG},
  {RESIDUAL_SIG, 27, 15, BDCT_CABAC_CHROMA_SIG},
  {RESIDUAL_GREATER1, 0, 16, BDCT_CABAC_LUMA_GREATER1},
  {RESIDUAL_GREATER1, 16, 8, BDCT_CABAC_CHROMA_GREATER1},
  {RESIDUAL_GREATER2, 0, 4, BDCT_CABAC_LUMA_GREATER2},
  {RESIDUAL_GREATER2, 4, 2, BDCT_CABAC_CHROMA_GREATER2},
};

/* The encoder's element and ctxInc of a context. */
static void
locate (int context, int log2_size, ResidualElement * element, int *ctx)
{
  *element = RESIDUAL_CBF_LUMA;
  *ctx = log2_size > 2;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (context >= places[i].context
        && context < places[i].context + places[i].n) {
      *element = places[i].element;
      *ctx = places[i].first + context - places[i].context;
    }
}

/* Blocks of levels: nothing, one level at each place, all alike, random. */
enum
{
  LEVELS_ZERO, LEVELS_SINGLE = 1, LEVELS_ALL = LEVELS_SINGLE + 5 * MAX_BLOCK,
  LEVELS_RANDOM = LEVELS_ALL + 6, N_LEVELS = LEVELS_RANDOM + 600
};

static gboolean
fill_levels (int pattern, int n, GRand * rand, gint16 * levels)
{
  static const int value[] = { 1, -2, 3, 32767, -32768, -1 };

  memset (levels, 0, n * sizeof *levels);
  if (pattern == LEVELS_ZERO)
    return TRUE;
  if (pattern < LEVELS_ALL) {
    if ((pattern - LEVELS_SINGLE) / 5 >= n)
      return FALSE;
    levels[(pattern - LEVELS_SINGLE) / 5]
        = value[(pattern - LEVELS_SINGLE) % 5];
    return TRUE;
  }
  if (pattern < LEVELS_RANDOM) {
    for (int i = 0; i < n; i++)
      levels[i] = value[pattern - LEVELS_ALL];
    return TRUE;
  }
  {
    const double density = pow (g_rand_double (rand), 3);
    const int shift = g_rand_int_range (rand, 0, 16);

    for (int i = 0; i < n; i++)
      if (g_rand_double (rand) < density)
        levels[i] = (gint16) g_rand_int (rand) >> shift;
  }
  return TRUE;
}

/* The bins of each block: those of the encoder, which a decoder has understood;
 * and their price in adapting states. */
static void
test_blocks (gconstpointer data)
{
  const int log2_size = GPOINTER_TO_INT (data) >> 1;
  const gboolean chroma = GPOINTER_TO_INT (data) & 1;
  const int n = 1 << 2 * log2_size;
  const int first = chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA;
  const int end = chroma ? BDCT_CABAC_CONTEXTS : BDCT_CABAC_CHROMA;
  GRand *rand = g_rand_new_with_seed (log2_size);
  gint16 levels[MAX_BLOCK] __attribute__ ((aligned (8)));
  gint16 decoded[MAX_BLOCK];
  guint8 state[BDCT_CABAC_CONTEXTS];
  ResidualCoder encoder, decoder;
  guint64 bypass_before = 0;
  int n_blocks = 0;

  residual_encoder_init (&encoder, 26);
  for (int i = first; i < end; i++) {
    ResidualElement element;
    int ctx;

    locate (i, log2_size, &element, &ctx);
    state[i] = 2 * encoder.context[element][ctx].p_state
        + encoder.context[element][ctx].mps;
  }
  for (int pattern = 0; pattern < N_LEVELS; pattern++) {
    guint32 counter[2 * BDCT_CABAC_CONTEXTS] = { 0 }, bypass = 0, cost;

    if (!fill_levels (pattern, n, rand, levels))
      continue;
    memset (encoder.bins, 0, sizeof encoder.bins);
    encoder.model_bits = 0;
    residual_encode (&encoder, levels, log2_size, chroma);
    g_assert_cmpuint (bdct_cabac_count (counter, levels, log2_size, chroma),
        ==, encoder.bypass - bypass_before);
    for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++) {
      ResidualElement element;
      int ctx;

      locate (i, log2_size, &element, &ctx);
      for (int bin = 0; bin < 2; bin++)
        if (counter[2 * i + bin] != (i < first || i >= end ? 0
                : encoder.bins[element][ctx][bin]))
          g_error ("block %d: context %d has %u bins %d", pattern, i,
              counter[2 * i + bin], bin);
    }
    cost = bdct_cabac_price (state, 1, bdct_cabac_step, levels, log2_size,
        chroma, &bypass);
    g_assert_cmpuint (bypass, ==, encoder.bypass - bypass_before);
    g_assert_cmpfloat_with_epsilon (cost / 32768.0, encoder.model_bits,
        2 * n / 65536.0);
    bypass_before = encoder.bypass;
    n_blocks++;
  }
  residual_flush (&encoder);

  residual_decoder_init (&decoder, 26, encoder.bytes);
  g_rand_set_seed (rand, log2_size);
  for (int pattern = 0; pattern < N_LEVELS; pattern++)
    if (fill_levels (pattern, n, rand, levels)) {
      residual_decode (&decoder, decoded, log2_size, chroma);
      if (memcmp (levels, decoded, n * sizeof *levels) != 0)
        g_error ("block %d is decoded otherwise", pattern);
    }
  g_assert_true (residual_at_end (&decoder));
  g_test_message ("%d blocks", n_blocks);
  g_byte_array_unref (encoder.bytes);
  g_rand_free (rand);
}

/* What can be said without a table: blocks whose bins are counted by hand. */
static void
test_by_hand (void)
{
  static const struct
  {
    int log2_size;
    gboolean chroma;
    int n;
    struct
    {
      int x, y, level;
    } level[3];
    /* flags, prefixes' bins of x and y, sub-blocks, significances, greater 1
     * and 2, bypass */
    int cbf, last_x, last_y, sub_block, sig, greater1, greater2, bypass;
  } cases[] = {
    {2, FALSE, 0, {{0}}, 1, 0, 0, 0, 0, 0, 0, 0},
    {2, FALSE, 1, {{0, 0, 1}}, 1, 1, 1, 0, 0, 1, 0, 1},
    /* 3: a sign, and a remainder of 0 */
    {5, FALSE, 1, {{0, 0, -3}}, 1, 1, 1, 0, 0, 1, 1, 2},
    /* The last place of 4x4: prefixes end at cMax. 15 places before. */
    {2, TRUE, 1, {{3, 3, 2}}, 1, 3, 3, 0, 15, 1, 1, 1},
    /* (5, 2) of 8x8: prefix 4, of 5 bins, and a bit; 2, of 3 bins. Sub-block
     * (1, 0) is the third, place (1, 2) the eighth: 7 before it, then the flag
     * of (0, 1), and 16. */
    {3, FALSE, 1, {{5, 2, 1}}, 1, 5, 3, 1, 23, 1, 0, 2},
    /* (31, 31): 9 bins each, 3 bits each; 15 in the sub-block, 62 flags, 16. */
    {5, TRUE, 1, {{31, 31, 1}}, 1, 9, 9, 62, 31, 1, 0, 7},
    /* 103: flags tell 3; the remainder is 100: 4 ones for the first 4, 5 for
     * 2 + 4 + 8 + 16 + 32, a zero, 34 in 6 bits; the sign. */
    {2, FALSE, 1, {{0, 0, 103}}, 1, 1, 1, 0, 0, 1, 1, 17},
    /* Two levels: 4 and, before it, 5; the remainders are 1 with Rice 0 and,
     * because 4 > 3, 3 with Rice 1: 2 and 3 bits; two signs. */
    {2, FALSE, 2, {{0, 1, 4}, {0, 0, 5}}, 1, 1, 2, 0, 1, 2, 1, 7},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint16 levels[MAX_BLOCK] = { 0 };
    ResidualCoder c;
    int sum[N_RESIDUAL_ELEMENTS] = { 0 };

    for (int k = 0; k < cases[i].n; k++)
      levels[(cases[i].level[k].y << cases[i].log2_size)
          + cases[i].level[k].x] = cases[i].level[k].level;
    residual_encoder_init (&c, 26);
    residual_encode (&c, levels, cases[i].log2_size, cases[i].chroma);
    for (int e = 0; e < N_RESIDUAL_ELEMENTS; e++)
      for (int ctx = 0; ctx < RESIDUAL_MAX_CONTEXTS; ctx++)
        sum[e] += c.bins[e][ctx][0] + c.bins[e][ctx][1];
    g_test_message ("case %u", i);
    g_assert_cmpint (sum[RESIDUAL_CBF_LUMA] + sum[RESIDUAL_CBF_CHROMA], ==,
        cases[i].cbf);
    g_assert_cmpint (sum[RESIDUAL_LAST_X], ==, cases[i].last_x);
    g_assert_cmpint (sum[RESIDUAL_LAST_Y], ==, cases[i].last_y);
    g_assert_cmpint (sum[RESIDUAL_SUB_BLOCK], ==, cases[i].sub_block);
    g_assert_cmpint (sum[RESIDUAL_SIG], ==, cases[i].sig);
    g_assert_cmpint (sum[RESIDUAL_GREATER1], ==, cases[i].greater1);
    g_assert_cmpint (sum[RESIDUAL_GREATER2], ==, cases[i].greater2);
    g_assert_cmpint (c.bypass, ==, cases[i].bypass);
    g_byte_array_unref (c.bytes);
  }
}

/* Bits that can be told by hand. Of empty blocks in the state of the surest
 * bin, each takes 9 from a range of 448 and more, then 8 above 383, 7 above 319
 * and 6 above 255. When it is doubled there, it is 505 on the average: 57 / 9
 * + 64 / 8 + 64 / 7 + 64 / 6 = 34 blocks a bit, 3414 take 100. The end of the
 * slice takes 2 of a range of 256 to 510, 7 to 8 bits, and at most 3 to write
 * what is left. */
static void
test_bits (void)
{
  const gint16 empty[16] = { 0 };
  ResidualCoder c;
  double before;

  residual_encoder_init (&c, 26);
  for (int i = 0; i < 200; i++)
    residual_encode (&c, empty, 2, FALSE);
  before = residual_bits (&c);
  for (int i = 0; i < 3414; i++)
    residual_encode (&c, empty, 2, FALSE);
  g_assert_cmpfloat_with_epsilon (residual_bits (&c) - before, 100, 2);
  before = residual_bits (&c);
  residual_flush (&c);
  g_assert_cmpfloat (c.n_bits, >, before + 7);
  g_assert_cmpfloat (c.n_bits, <, before + 11);
  g_byte_array_unref (c.bytes);
}

/* The coder's table of ranges follows from the states' probabilities: it has
 * those times the middle of the range's quarter, and at least 6. */
static void
test_ranges (void)
{
  for (int i = 0; i < 63; i++)
    for (int q = 0; q < 4; q++) {
      const double p = 0.5 * pow (0.01875 / 0.5, i / 63.0);
      const double lps = CLAMP (p * (256 + 64 * q + 32), 6,
          i < 3 && q == 0 ? 128 : 512);

      if (fabs (residual_range_lps (i, q) - lps) > 1)
        g_error ("state %d, quarter %d: %u, not %f", i, q,
            residual_range_lps (i, q), lps);
    }
}

static void
test_start (void)
{
  g_assert_cmpint (bdct_cabac_state (0, 0) >> 1, ==, 0);
  g_assert_cmpint (bdct_cabac_state (7, 7) >> 1, ==, 0);
  g_assert_cmpint (bdct_cabac_state (G_GUINT64_CONSTANT (1) << 39, 0), ==, 124);
  g_assert_cmpint (bdct_cabac_state (1, 1 << 30), ==, 125);
  for (int i = 0; i < 63; i++) {
    const double p = 0.5 * pow (0.01875 / 0.5, i / 63.0);
    const guint64 less = (guint64) (p * 1e9);

    g_assert_cmpint (bdct_cabac_state (1000000000 - less, less), ==, 2 * i);
    if (i > 0)
      g_assert_cmpint (bdct_cabac_state (less, 1000000000 - less), ==,
          2 * i + 1);
  }
}

/* A segment's cost: from the states that the frame's counts give, through the
 * segment before and its own. */
static void
test_segment (void)
{
  enum { LOG2_SIZE = 3, N_BEFORE = 20, N = 50 };
  static gint16 levels[N_BEFORE + N][64] __attribute__ ((aligned (8)));
  BdctRateCounts *counts = g_new0 (BdctRateCounts, 1);
  GRand *rand = g_rand_new_with_seed (3);
  guint8 start[BDCT_CABAC_CONTEXTS];
  ResidualCoder coder;
  double before = 0;
  guint32 cost;

  g_assert_cmpint (bdct_cabac_segment_blocks (2), ==, 256);
  g_assert_cmpint (bdct_cabac_segment_blocks (LOG2_SIZE), >=, N);
  g_assert_cmpint (bdct_cabac_segment_blocks (5), ==, 4);
  for (int i = 0; i < N_BEFORE + N; i++) {
    guint32 counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };

    fill_levels (LEVELS_RANDOM, 64, rand, levels[i]);
    bdct_cabac_count (counter, levels[i], LOG2_SIZE, TRUE);
    for (int k = 0; k < 2 * BDCT_CABAC_CONTEXTS; k++)
      counts->counter[i & 1 ? BDCT_U : BDCT_V][k] += counter[k];
  }
  residual_encoder_init (&coder, 26);
  for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++) {
    const guint64 *u = &counts->counter[BDCT_U][2 * i];
    const guint64 *v = &counts->counter[BDCT_V][2 * i];
    ResidualElement element;
    int ctx;

    start[i] = bdct_cabac_start (counts, i);
    g_assert_cmpint (start[i], ==, bdct_cabac_state (u[0] + v[0], u[1] + v[1]));
    locate (i, LOG2_SIZE, &element, &ctx);
    coder.context[element][ctx].p_state = start[i] >> 1;
    coder.context[element][ctx].mps = start[i] & 1;
  }
  for (int i = 0; i < N_BEFORE + N; i++) {
    if (i == N_BEFORE)
      before = coder.model_bits;
    residual_encode (&coder, levels[i], LOG2_SIZE, TRUE);
  }
  cost = bdct_cabac_segment (start, levels[N_BEFORE], N_BEFORE, N, LOG2_SIZE,
      TRUE);
  g_assert_cmpfloat_with_epsilon (cost / 32768.0, coder.model_bits - before,
      2 * 64 * N / 65536.0);
  g_assert_cmpuint (bdct_cabac_segment (start, levels[N_BEFORE], 0, N,
          LOG2_SIZE, TRUE), !=, cost);
  g_byte_array_unref (coder.bytes);
  g_rand_free (rand);
  g_free (counts);
}

static void
test_sizes (void)
{
  static const int size[BDCT_N_TRANSFORMS] = {
    3, 3, 2, 2, 3, 4, 5, 2, 3, 5
  };
  BdctLayout layout;

  format_layout (FORMAT_GRAY, 8, 0, 64, 64, &layout);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    BdctJob job;

    params.transform = t;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    g_assert_cmpint (bdct_cabac_log2_size (&job.component[0]), ==, size[t]);
    job.component[0].log2_width++;
    g_assert_cmpint (bdct_cabac_log2_size (&job.component[0]), ==, 0);
    job.component[0].log2_height++;
    job.component[0].keep = 64;
    g_assert_cmpint (bdct_cabac_log2_size (&job.component[0]), ==, 0);
  }
}

/* --- Whole frames. --- */

static double
lattice (guint x, guint y, guint seed)
{
  guint h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;

  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) / 4294967296.0;
}

/* Noise in 0 to 1 in octaves, each half as wide as the one before and of
 * 2^-slope the amplitude, down to `finest` samples: the larger the slope, the
 * smoother. */
static double
octaves (double x, double y, double slope, double finest, guint seed)
{
  double sum = 0, total = 0, amplitude = 1;

  for (double width = 256; width >= finest; width /= 2) {
    const double u = x / width, v = y / width;
    const guint i = (guint) u, j = (guint) v;
    const double a = u - i, b = v - j;
    const double s = a * a * (3 - 2 * a), t = b * b * (3 - 2 * b);
    const guint key = seed + 7 * (guint) width;

    sum += amplitude * ((1 - t) * ((1 - s) * lattice (i, j, key)
            + s * lattice (i + 1, j, key))
        + t * ((1 - s) * lattice (i, j + 1, key)
            + s * lattice (i + 1, j + 1, key)));
    total += amplitude;
    amplitude *= pow (2, -slope);
  }
  return sum / total;
}

/* Hills under a sky, before water: regions of unlike roughness with edges
 * between them, and a sensor's noise. */
static int
hills (int c, double x, double y)
{
  static const double colour[4][3] = {
    {205, 140, 112}, {150, 134, 122}, {96, 122, 120}, {120, 136, 118},
  };
  static const double relief[4] = { 60, 90, 190, 110 };
  static const double slope[4] = { 1.6, 0.9, 0.55, 1.1 };
  int region = 0;
  double v;

  if (y > 130 + 160 * (octaves (x, 0, 1.2, 1, 1) - 0.5))
    region = 1;
  if (y > 215 + 150 * (octaves (x, 0, 0.9, 1, 2) - 0.5))
    region = 2;
  if (y > 310)
    region = 3;
  v = octaves (x, region == 3 ? 5 * y : y, slope[region], 1, 10 + region) - 0.5;
  v *= c == 0 ? relief[region] : relief[region] / 6;
  return (int) CLAMP (colour[region][c] + v + 4 * (lattice ((guint) x,
              (guint) y, 77 + c) - 0.5) + 0.5, 0, 255);
}

/* Letters: strokes in cells of 9 x 14 with words and lines between. */
static int
text (int x, int y)
{
  const int column = x / 9, row = y / 14, cx = x % 9, cy = y % 14;
  const guint letter = (guint) (lattice (column, row, 5) * 4096);

  if (letter % 6 == 0 || cx > 6 || cy > 10 || lattice (0, row, 6) < 0.1)
    return 245;
  return ((letter >> 2 & 1) && cx < 2) || ((letter >> 3 & 1) && cx > 4)
      || ((letter >> 4 & 1) && cy < 2) || ((letter >> 5 & 1) && cy > 8)
      || ((letter >> 6 & 1) && (cy == 5 || cy == 6))
      || ((letter >> 7 & 1) && abs (cx - cy / 2) < 1) ? 20 : 245;
}

typedef enum
{
  SCENE_HILLS, SCENE_NOISE, SCENE_GRADIENT, SCENE_TEXT, SCENE_BLACK, N_SCENES
} Scene;

static const char *const scene_names[N_SCENES] = {
  "hills", "noise", "gradient", "text", "black"
};

static int
scene_sample (Scene scene, int c, int x, int y)
{
  switch (scene) {
    case SCENE_HILLS:
      return hills (c, x, y);
    case SCENE_NOISE:
      return (int) (256 * lattice (x, y, 50 + c));
    case SCENE_GRADIENT:
      return c == 0 ? (x + y) * 255 / 894 : c == 1 ? x / 2 : 255 - y / 2;
    case SCENE_TEXT:
      return c == 0 ? text (x, y) : 128;
    default:
      return c == 0 ? 16 : 128;
  }
}

/* The levels of a component's whole tiles, blocks one after another. */
static gint16 *
take_levels (const BdctJob * job, BdctComponent c, const Picture * picture,
    int *n_blocks)
{
  const int columns = picture->width[c] / BDCT_TILE;
  const int rows = picture->height[c] / BDCT_TILE;
  const int log2_size = bdct_cabac_log2_size (&job->component[c]);
  const int size = 1 << log2_size, across = columns * BDCT_TILE / size;
  gint16 *levels = g_new (gint16, (gsize) columns * rows * BDCT_TILE
      * BDCT_TILE);
  BdctTilePlane plane;
  BdctTileSet set;

  *n_blocks = across * (rows * BDCT_TILE / size);
  bdct_tile_plane_init (&plane, job, c);
  bdct_tile_set_init (&set, job, c);
  plane.set[0] = &set;
  for (int ty = 0; ty < rows; ty++)
    for (int tx = 0; tx < columns; tx++) {
      BdctTileStages stages;

      for (int i = 0; i < BDCT_TILE * BDCT_TILE; i++)
        stages.residual.cell[i] = picture->sample[c][(gsize)
            (ty * BDCT_TILE + i / BDCT_TILE) * picture->width[c]
            + tx * BDCT_TILE + i % BDCT_TILE] - 128;
      (*bdct_tile_kernels ())->plain->stages (&plane, &stages, TRUE);
      for (int i = 0; i < BDCT_TILE * BDCT_TILE; i++) {
        const int x = tx * BDCT_TILE + i % BDCT_TILE;
        const int y = ty * BDCT_TILE + i / BDCT_TILE;

        levels[((gsize) (y / size * across + x / size) << 2 * log2_size)
            + y % size * size + x % size] = stages.level.cell[i];
      }
    }
  return levels;
}

typedef struct {
  double truth[BDCT_MAX_COMPONENTS], estimate[BDCT_MAX_COMPONENTS];
} Bits;

/* A frame's bits by the encoder and by the estimate. */
static void
measure (const Picture * picture, BdctChromaFormat chroma, BdctParams * params,
    Bits * bits)
{
  BdctLayout layout = {.depth = 8,.chroma = chroma };
  BdctRateCounts *counts = g_new0 (BdctRateCounts, 1);
  gint16 *levels[BDCT_MAX_COMPONENTS] = { NULL };
  guint8 start[BDCT_CABAC_CONTEXTS];
  ResidualCoder encoder, decoder;
  int n_blocks[BDCT_MAX_COMPONENTS];
  int log2_size[BDCT_MAX_COMPONENTS];
  BdctJob job;

  memset (bits, 0, sizeof *bits);
  g_assert_true (bdct_job_init (&job, params, &layout, NULL));
  residual_encoder_init (&encoder, params->qp);
  for (int c = 0; c < BDCT_MAX_COMPONENTS && picture->sample[c]; c++) {
    const double before = residual_bits (&encoder);
    guint32 counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };

    levels[c] = take_levels (&job, c, picture, &n_blocks[c]);
    log2_size[c] = bdct_cabac_log2_size (&job.component[c]);
    for (int i = 0; i < n_blocks[c]; i++) {
      const gint16 *block = levels[c] + ((gsize) i << 2 * log2_size[c]);

      residual_encode (&encoder, block, log2_size[c], c > 0);
      counts->counter[c][BDCT_RATE_BYPASS] +=
          bdct_cabac_count (counter, block, log2_size[c], c > 0);
    }
    for (int i = 0; i < 2 * BDCT_CABAC_CONTEXTS; i++)
      counts->counter[c][i] = counter[i];
    bits->truth[c] = residual_bits (&encoder) - before;
  }
  residual_flush (&encoder);

  for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++)
    start[i] = bdct_cabac_start (counts, i);
  residual_decoder_init (&decoder, params->qp, encoder.bytes);
  for (int c = 0; c < BDCT_MAX_COMPONENTS && picture->sample[c]; c++) {
    const int run = bdct_cabac_segment_blocks (log2_size[c]);
    guint64 cost = 0;

    for (int i = 0; i < n_blocks[c]; i += run)
      cost += bdct_cabac_segment (start,
          levels[c] + ((gsize) i << 2 * log2_size[c]), MIN (run, i),
          MIN (run, n_blocks[c] - i), log2_size[c], c > 0);
    bits->estimate[c] = cost / 32768.0 + counts->counter[c][BDCT_RATE_BYPASS];
    for (int i = 0; i < n_blocks[c]; i++) {
      gint16 decoded[MAX_BLOCK];

      residual_decode (&decoder, decoded, log2_size[c], c > 0);
      if (memcmp (decoded, levels[c] + ((gsize) i << 2 * log2_size[c]),
              sizeof *decoded << 2 * log2_size[c]) != 0)
        g_error ("component %d, block %d is decoded otherwise", c, i);
    }
  }
  g_assert_true (residual_at_end (&decoder));
  g_byte_array_unref (encoder.bytes);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    g_free (levels[c]);
  g_free (counts);
}

/* Whole frames of one picture: what its errors come to, in %. */
typedef struct {
  int n;
  double sum, worst;            /* of the frames */
  double luma, chroma;          /* the worst of Y alone, of U and V alone, where
                                   these have 500 bytes and more */
  double least, most;           /* bits of a frame */
} Errors;

static double
percent (double estimate, double truth)
{
  return 100 * (estimate / truth - 1);
}

/* The larger of `worst` and the error of one component, or two. */
static double
worse (double worst, double estimate, double truth)
{
  return truth < 4000 ? worst : MAX (worst, fabs (percent (estimate, truth)));
}

/* Measure a picture at all sizes and QPs, and print a line for each size. */
static void
measure_picture (const char *name, const Picture * picture,
    BdctChromaFormat chroma, Errors * errors)
{
  static const int qps[] = { 12, 22, 27, 32, 37, 42 };

  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++) {
    GString *line = g_string_new (NULL);
    BdctParams params = BDCT_PARAMS_DEFAULT;

    params.transform = t;
    g_string_printf (line, "%s, %s: bits (error in %%)", name,
        bdct_transform_info (t)->name);
    for (guint q = 0; q < G_N_ELEMENTS (qps); q++) {
      double truth, estimate, error;
      Bits bits;

      params.qp = qps[q];
      measure (picture, chroma, &params, &bits);
      truth = bits.truth[0] + bits.truth[1] + bits.truth[2];
      estimate = bits.estimate[0] + bits.estimate[1] + bits.estimate[2];
      error = percent (estimate, truth);
      g_string_append_printf (line, " %.0f (%+.2f)", truth, error);
      errors->sum += fabs (error);
      errors->worst = MAX (errors->worst, fabs (error));
      errors->luma = worse (errors->luma, bits.estimate[0], bits.truth[0]);
      errors->chroma = worse (errors->chroma,
          bits.estimate[1] + bits.estimate[2], bits.truth[1] + bits.truth[2]);
      errors->least = errors->n ? MIN (errors->least, truth) : truth;
      errors->most = MAX (errors->most, truth);
      errors->n++;
    }
    g_test_message ("%s", line->str);
    g_string_free (line, TRUE);
  }
}

/* The row of docs/fidelity.md. Natural pictures are held to a mean error of
 * 0.5% and a worst one of 2%, others to a worst one of 5%. */
static void
judge (const char *name, const Errors * e, gboolean natural)
{
  g_test_message ("| %s | %.0f to %.0f | %.2f | %.2f | %.2f | %.2f |", name,
      e->least, e->most, e->sum / e->n, e->worst, e->luma, e->chroma);
  if (natural)
    g_assert_cmpfloat (e->sum / e->n, <=, 0.5);
  g_assert_cmpfloat (e->worst, <=, natural ? 2 : 5);
}

static void
test_scene (gconstpointer data)
{
  const Scene scene = GPOINTER_TO_INT (data);
  const gboolean natural = scene == SCENE_HILLS;
  Errors errors = { 0 };
  Picture picture;
  BdctLayout layout;

  if (natural)
    format_layout (FORMAT_I420, 8, 0, 640, 448, &layout);
  else
    format_layout (FORMAT_Y444, 8, 0, 512, 384, &layout);
  picture_init (&picture, &layout);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const int step = layout.plane[0].width / picture.width[c];

    for (int y = 0; y < picture.height[c]; y++)
      for (int x = 0; x < picture.width[c]; x++)
        picture.sample[c][y * picture.width[c] + x]
            = scene_sample (scene, c, step * x, step * y);
  }
  measure_picture (scene_names[scene], &picture, layout.chroma, &errors);
  judge (scene_names[scene], &errors, natural);
  picture_clear (&picture);
}

static void
test_barbara (void)
{
  Errors errors = { 0 };
  Picture picture;

  if (!picture_load (&picture, "barbara.pgm"))
    return;
  measure_picture ("Barbara", &picture, BDCT_CHROMA_400, &errors);
  judge ("Barbara", &errors, TRUE);
  picture_clear (&picture);
}

/* Measure pictures of 768 x 576 that ffmpeg reads: every 33rd of a film. */
static void
measure_file (const char *name, const char *file, int n_frames)
{
  enum { WIDTH = 768, HEIGHT = 576 };
  gchar *samples, *bytes, *count = g_strdup_printf ("%d", n_frames);
  const int fd = g_file_open_tmp ("cabac-XXXXXX.yuv", &samples, NULL);
  const char *argv[] = { "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", file,
    "-vf", "select=not(mod(n\\,33))", "-fps_mode", "passthrough",
    "-frames:v", count, "-f", "rawvideo", "-pix_fmt", "yuv420p", samples, NULL
  };
  Errors errors = { 0 };
  BdctLayout layout;
  GError *error = NULL;
  gsize size, at = 0;

  g_assert_cmpint (fd, >=, 0);
  g_assert_true (g_close (fd, NULL));
  g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
      NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (samples, &bytes, &size, NULL));
  g_remove (samples);
  g_assert_cmpuint (size, ==, (gsize) n_frames * WIDTH * HEIGHT * 3 / 2);
  format_layout (FORMAT_I420, 8, 0, WIDTH, HEIGHT, &layout);
  for (int n = 0; n < n_frames; n++) {
    Picture picture;

    picture_init (&picture, &layout);
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i < picture.width[c] * picture.height[c]; i++)
        picture.sample[c][i] = (guint8) bytes[at++];
    measure_picture (name, &picture, layout.chroma, &errors);
    picture_clear (&picture);
  }
  judge (name, &errors, TRUE);
  g_free (bytes);
  g_free (samples);
  g_free (count);
}

static gboolean
have_ffmpeg (void)
{
  gchar *ffmpeg = g_find_program_in_path ("ffmpeg");

  g_free (ffmpeg);
  if (ffmpeg == NULL)
    g_test_skip ("no ffmpeg (package ffmpeg)");
  return ffmpeg != NULL;
}

static void
test_street (void)
{
  const char *folder = g_getenv ("BLOCKDCT_DATA");
  gchar *film = g_build_filename (folder ? folder : BLOCKDCT_DATA_DEFAULT,
      "street.avi", NULL);

  if (!g_file_test (film, G_FILE_TEST_EXISTS))
    g_test_skip ("no street.avi; BLOCKDCT_DATA names its folder");
  else if (have_ffmpeg ())
    measure_file ("street", film, 3);
  g_free (film);
}

/* The landscape of docs/make-landscape: sky and water beside rock and reeds. */
static void
test_landscape (void)
{
  static const char *const pythons[] = { "python3", "/usr/bin/python3" };
  gchar *picture;
  int fd, status = 1;

  if (!have_ffmpeg ())
    return;
  fd = g_file_open_tmp ("cabac-XXXXXX.ppm", &picture, NULL);
  g_assert_cmpint (fd, >=, 0);
  g_assert_true (g_close (fd, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (pythons) && status != 0; i++) {
    const char *argv[] = { pythons[i], MAKE_LANDSCAPE, picture, NULL };

    if (!g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH
            | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status,
            NULL))
      status = 1;
  }
  if (status == 0)
    measure_file ("landscape", picture, 1);
  else
    g_test_skip ("docs/make-landscape fails (package python3-numpy)");
  g_remove (picture);
  g_free (picture);
}

static void
add_for (const char *group, const char *name, int data, GTestDataFunc func)
{
  gchar *path = g_strdup_printf ("/cabac/%s/%s", group, name);

  g_test_add_data_func (path, GINT_TO_POINTER (data), func);
  g_free (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cabac/by-hand", test_by_hand);
  g_test_add_func ("/cabac/bits", test_bits);
  g_test_add_func ("/cabac/ranges", test_ranges);
  g_test_add_func ("/cabac/start", test_start);
  g_test_add_func ("/cabac/segment", test_segment);
  g_test_add_func ("/cabac/sizes", test_sizes);
  for (int log2_size = 2; log2_size <= 5; log2_size++)
    for (int chroma = 0; chroma < 2; chroma++) {
      gchar *name = g_strdup_printf ("%d", 1 << log2_size);

      add_for (chroma ? "chroma" : "luma", name, 2 * log2_size + chroma,
          test_blocks);
      g_free (name);
    }
  for (int i = 0; i < N_SCENES; i++)
    add_for ("frames", scene_names[i], i, test_scene);
  g_test_add_func ("/cabac/frames/barbara", test_barbara);
  g_test_add_func ("/cabac/frames/street", test_street);
  g_test_add_func ("/cabac/frames/landscape", test_landscape);
  return g_test_run ();
}
