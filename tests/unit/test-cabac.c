/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dct/entropy/cabac.h, block by block, against an encoder written from the
 * standard (residual-coding.h).
 * Whole frames: test-cabac-frames.c. */
#include <math.h>
#include <string.h>
#include "dct/entropy/cabac-price.h"
#include "residual-coding.h"

#define MAX_BLOCK (32 * 32)

/* Where dct/entropy/cabac.h has what residual-coding.h has as an element's
 * contexts from `first` on. */
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

/* Whether a context is none of residual_coding()'s. */
static gboolean
is_split (int context)
{
  return context >= BDCT_CABAC_LUMA_SPLIT && context < BDCT_CABAC_CHROMA;
}

/* What a context has at the start of a slice: the encoder's state, but for the
 * coded block flags, which have those of a tree's second level. */
static void
check_first (int context, const ResidualContext * state,
    const BdctCabacCosts * costs)
{
  const double less = 0.5 * pow (0.01875 / 0.5, state->p_state / 63.0);
  const double one = bdct_cabac_first (context, 26);

  g_assert_cmpfloat_with_epsilon (one, state->mps ? 1 - less : less, 1e-9);
  g_assert_cmpfloat_with_epsilon (costs->bin[context][0] / 32768.0,
      -log2 (1 - one), 1 / 65536.0);
  g_assert_cmpfloat_with_epsilon (costs->bin[context][1] / 32768.0,
      -log2 (one), 1 / 65536.0);
}

/* The bins of each block, in all runs that it is in: those of the encoder; and
 * their cost in states that do not move. */
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
  ResidualCoder encoder;
  guint64 bypass_before = 0;
  BdctCabacPrices prices;
  int n_blocks = 0;

  bdct_cabac_prices_init (&prices, 26);
  residual_encoder_init (&encoder, 26);
  for (int i = first; i < end; i++) {
    ResidualElement element;
    int ctx;

    if (is_split (i))
      continue;
    locate (i, log2_size, &element, &ctx);
    if (i != BDCT_CABAC_LUMA_CBF && i != BDCT_CABAC_CHROMA_CBF)
      check_first (i, &encoder.context[element][ctx], &prices.costs);
  }
  for (int pattern = 0; pattern < N_LEVELS; pattern++) {
    BdctCabacCounts runs[4] = { {0} };
    guint32 bypass = 0;
    guint64 cost = 0;

    if (!fill_levels (pattern, n, rand, levels))
      continue;
    memset (encoder.bins, 0, sizeof encoder.bins);
    residual_encode (&encoder, levels, log2_size, chroma);
    bdct_cabac_count (runs, levels, log2_size, chroma);
    for (int r = 0; r < 4; r++)
      bypass += runs[r][BDCT_CABAC_BYPASS];
    g_assert_cmpuint (bypass, ==, encoder.bypass - bypass_before);
    cost = (guint64) bypass << BDCT_CABAC_COST_BITS;
    for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++) {
      ResidualElement element;
      int ctx;

      if (is_split (i))
        continue;
      locate (i, log2_size, &element, &ctx);
      for (int bin = 0; bin < 2; bin++) {
        guint32 all = 0;

        for (int r = 0; r < 4; r++)
          all += runs[r][i] >> 16 * bin & 0xffff;
        cost += (guint64) all * prices.costs.bin[i][bin];
        if (all != (i < first || i >= end ? 0
                : encoder.bins[element][ctx][bin]))
          g_error ("block %d: context %d has %u bins %d", pattern, i, all, bin);
      }
    }
    g_assert_cmpuint (bdct_cabac_block_cost (&prices, levels, log2_size,
            chroma), ==, cost);
    bypass_before = encoder.bypass;
    n_blocks++;
  }
  g_test_message ("%d blocks", n_blocks);
  g_rand_free (rand);
}

/* Runs of 16 sub-blocks of random levels, with which all sums of a segment's
 * price are computed again in double precision, from the definition alone. */
static void
test_price (gconstpointer data)
{
  enum { N = 2 * BDCT_CABAC_SEGMENT };
  const int log2_size = GPOINTER_TO_INT (data) >> 1;
  const gboolean chroma = GPOINTER_TO_INT (data) & 1;
  const int n = 1 << 2 * log2_size, slots = bdct_cabac_slots (log2_size,
      chroma);
  const int first = chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA;
  const int end = chroma ? BDCT_CABAC_CONTEXTS : BDCT_CABAC_CHROMA;
  BdctCabacCounts *runs = g_new0 (BdctCabacCounts, N);
  guint16 *records = g_new0 (guint16, N * slots), start[BDCT_CABAC_TREE_SLOTS];
  GRand *rand = g_rand_new_with_seed (log2_size);
  gint16 levels[MAX_BLOCK] __attribute__ ((aligned (8)));
  double price = 0;

  for (int i = 0; i < N * 256; i += n) {
    fill_levels (LEVELS_RANDOM, n, rand, levels);
    bdct_cabac_count (&runs[i / 256], levels, log2_size, chroma);
  }
  for (int i = 0; i < N; i++)
    bdct_cabac_pack (records + i * slots, runs[i], log2_size, chroma);
  bdct_cabac_start (start, 30, log2_size, chroma);
  for (int k = first; k < end; k++) {
    double p = bdct_cabac_first (k, 30);

    for (int i = 0; i < N; i++) {
      const double n0 = MIN (runs[i][k] & 0xffff, 255);
      const double n1 = MIN (runs[i][k] >> 16, 255);
      /* The probability is in steps of a quarter of a bin. */
      const double b = floor (4 * 14 * p + 0.5) / 4, a = 14 - b;

      if (n0 + n1 == 0)
        continue;
      if (i >= N / 2)
        price += (lgamma (a) + lgamma (b) - lgamma (14) - lgamma (a + n0)
            - lgamma (b + n1) + lgamma (14 + n0 + n1)) / G_LN2;
      p = p * pow (0.946, n0 + n1) + (1 - pow (0.946, n0 + n1)) * n1 / (n0
          + n1);
      p = CLAMP (p, 0.01875, 1 - 0.01875);
    }
  }
  for (int i = N / 2; i < N; i++)
    price += runs[i][BDCT_CABAC_BYPASS];
  /* Where p is near a step's border, it falls on the other side. */
  g_assert_cmpfloat_with_epsilon (bdct_cabac_price (records + N / 2 * slots,
          N / 2, N / 2, start, log2_size, chroma) / 4096.0, price,
      price * 1e-3);
  g_free (records);
  g_free (runs);
  g_rand_free (rand);
}

/* The tables, rounded. */
static void
test_tables (void)
{
  static BdctCabacTables tables;

  bdct_cabac_fill (&tables);
  for (guint i = 1; i < G_N_ELEMENTS (tables.gamma); i++)
    g_assert_cmpint (tables.gamma[i], ==,
        lround (4096 * lgamma (i / 4.0) / G_LN2));
  for (guint i = 0; i <= BDCT_CABAC_MOST; i++)
    g_assert_cmpuint (tables.step[2 * i], ==, lround (65536 * pow (0.946, i)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  bdct_cabac_init ();
  g_test_add_func ("/cabac/tables", test_tables);
  for (int log2_size = 2; log2_size <= 5; log2_size++)
    for (int chroma = 0; chroma < 2; chroma++) {
      const gpointer data = GINT_TO_POINTER (2 * log2_size + chroma);
      g_autofree char *blocks = g_strdup_printf ("/cabac/%s/%d", chroma
          ? "chroma" : "luma", 1 << log2_size);
      g_autofree char *price = g_strconcat (blocks, "/price", NULL);

      g_test_add_data_func (blocks, data, test_blocks);
      g_test_add_data_func (price, data, test_price);
    }
  return g_test_run ();
}
