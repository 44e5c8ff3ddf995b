/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search among settings by itself: how many it evaluates, and what it
 * chooses, whatever the figures are. */
#include <math.h>
#include "bench.h"
#include "gst-plugin/blockdct/gstblockdctbracket.h"

#define MAX_RANKS GST_BLOCKDCT_BRACKET_RANKS

typedef struct
{
  gint n;
  gdouble octave[MAX_RANKS];
  gboolean keeps[MAX_RANKS];
  gdouble excess[MAX_RANKS];
} Ranks;

static void
init_ranks (Ranks * r, gint n)
{
  r->n = n;
  for (gint i = 0; i < n; i++)
    r->octave[i] = i / 6.0 - 4;
}

/* The rank that is chosen; all that holds of any figures is checked. */
static gint
search (const Ranks * r, gint * n_done)
{
  GstBlockDctBracket bracket = {.n = r->n };
  gint chosen;

  while (!gst_blockdct_bracket_is_closed (&bracket)) {
    const gint rank = gst_blockdct_bracket_next (&bracket, r->octave);

    g_assert_cmpint (bracket.n_done, <, GST_BLOCKDCT_BRACKET_MOST);
    g_assert_cmpint (rank, >=, 0);
    g_assert_cmpint (rank, <, r->n);
    for (gint i = 0; i < bracket.n_done; i++)
      g_assert_cmpint (rank, !=, bracket.done[i].rank);
    bracket.done[bracket.n_done++] = (GstBlockDctEvaluation) {
    rank, r->keeps[rank], r->excess[rank]};
  }
  chosen = bracket.done[gst_blockdct_bracket_choose (&bracket)].rank;
  if (r->keeps[chosen])
    g_assert_true (chosen == 0 || !r->keeps[chosen - 1]);
  else
    g_assert_false (r->keeps[r->n - 1]);
  for (gint i = 0; i < bracket.n_done && !r->keeps[chosen]; i++)
    g_assert_cmpfloat (r->excess[chosen], >=, bracket.done[i].excess);
  *n_done = bracket.n_done;
  return chosen;
}

typedef enum
{ STRAIGHT, STEEP, FLAT, CURVED, CLIFF, INFINITE, N_SHAPES } Shape;

/* Excess so many octaves beyond where it is 0. */
static gdouble
get_shape (Shape shape, gdouble octaves)
{
  switch (shape) {
    case STRAIGHT:
      return octaves;
    case STEEP:
      return 50 * octaves;
    case FLAT:
      return octaves / 50;
    case CURVED:
      return expm1 (octaves);
    case CLIFF:
      return octaves >= 0 ? 1e-9 : -1e9;
    default:
      return octaves >= 0 ? INFINITY : -INFINITY;
  }
}

/* From some rank on all keep the targets: that one is found; if none does, the
 * last is. */
TEST ("/bracket/steps", test_steps)
{
  static const gint sizes[] = { 1, 2, 3, 52, 100, MAX_RANKS };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (Shape shape = 0; shape < N_SHAPES; shape++)
      for (gint first = 0; first <= sizes[s]; first++) {
        gint n_done;
        Ranks r;

        init_ranks (&r, sizes[s]);
        for (gint i = 0; i < r.n; i++) {
          r.keeps[i] = i >= first;
          r.excess[i] = get_shape (shape, (i - first + 0.5) / 6.0);
        }
        if (first == r.n && (shape == CLIFF || shape == INFINITE))
          search (&r, &n_done); /* one is as near as the other */
        else
          g_assert_cmpint (search (&r, &n_done), ==, MIN (first, r.n - 1));
      }
}

/* Figures that rise as typical ones take few evaluations. */
TEST ("/bracket/few", test_few)
{
  gint sum = 0, n = 0;

  for (gdouble rise = 0.6; rise < 1.7; rise += 0.1)
    for (gint first = 1; first < 52; first++) {
      gint n_done;
      Ranks r;

      init_ranks (&r, 52);
      for (gint i = 0; i < r.n; i++) {
        r.excess[i] = rise * (i - first + 0.3) / 6.0;
        r.keeps[i] = r.excess[i] >= 0;
      }
      g_assert_cmpint (search (&r, &n_done), ==, first);
      sum += n_done;
      n++;
    }
  g_test_message ("%.2f evaluations", (gdouble) sum / n);
  g_assert_cmpint (sum, <, 4 * n);
}

/* Neither do those that keep the targets follow each other, nor does excess
 * rise. */
TEST ("/bracket/any", test_any)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint k = 0; k < 20000; k++) {
    const gdouble kept = g_rand_double (rand);
    gint n_done;
    Ranks r;

    init_ranks (&r, g_rand_int_range (rand, 1, MAX_RANKS + 1));
    for (gint i = 0; i < r.n; i++) {
      r.keeps[i] = g_rand_double (rand) < kept;
      r.excess[i] = g_rand_double (rand) * (r.keeps[i] ? 1 : -1);
    }
    search (&r, &n_done);
  }
  g_rand_free (rand);
}
