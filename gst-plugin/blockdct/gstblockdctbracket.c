/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctbracket.h"

/* Stands for an excess that is not finite. */
#define MAX_EXCESS 30.0

/* While one end of the bracket is unknown, go this factor beyond the point
 * where the targets should just be met, so as to find that end. */
#define BEYOND 1.125

/* The ends of the bracket; NULL: unknown. */
static void
find_ends (const GstBlockDctBracket * bracket,
    const GstBlockDctEvaluation ** fails, const GstBlockDctEvaluation ** keeps)
{
  *fails = *keeps = NULL;
  for (gint i = 0; i < bracket->n_done; i++) {
    const GstBlockDctEvaluation *e = &bracket->done[i];

    if (e->keeps && (*keeps == NULL || e->rank < (*keeps)->rank))
      *keeps = e;
    if (!e->keeps && (*fails == NULL || e->rank > (*fails)->rank))
      *fails = e;
  }
}

static gdouble
get_excess (const GstBlockDctEvaluation * e)
{
  return CLAMP (e->excess, -MAX_EXCESS, MAX_EXCESS);
}

/* By how much excess rises per octave of the steps; if it does not rise, 1,
 * as its definition says. */
static gdouble
get_rise (const GstBlockDctEvaluation * a, const GstBlockDctEvaluation * b,
    const gdouble * octave)
{
  const gdouble rise = (get_excess (b) - get_excess (a))
      / (octave[b->rank] - octave[a->rank]);

  return rise > 0 ? rise : 1;
}

/* The octave at which the targets should just be met. */
static gdouble
guess (const GstBlockDctBracket * bracket, const GstBlockDctEvaluation * fails,
    const GstBlockDctEvaluation * keeps, const gdouble * octave)
{
  const GstBlockDctEvaluation *last;
  gdouble rise;

  if (bracket->n_done == 0)
    return octave[(bracket->n - 1) / 2];
  if (fails != NULL && keeps != NULL)
    return octave[fails->rank] - get_excess (fails) / get_rise (fails, keeps,
        octave);
  last = &bracket->done[bracket->n_done - 1];
  rise = bracket->n_done > 1 ? get_rise (last - 1, last, octave) : 1;
  return octave[last->rank] - BEYOND * get_excess (last) / rise;
}

gboolean
gst_blockdct_bracket_is_closed (const GstBlockDctBracket * bracket)
{
  const GstBlockDctEvaluation *fails, *keeps;

  find_ends (bracket, &fails, &keeps);
  return (fails != NULL ? fails->rank + 1 : 0)
      > (keeps != NULL ? keeps->rank - 1 : bracket->n - 1);
}

gint
gst_blockdct_bracket_next (const GstBlockDctBracket * bracket,
    const gdouble * octave)
{
  const gint left = GST_BLOCKDCT_BRACKET_MOST - bracket->n_done;
  const GstBlockDctEvaluation *fails, *keeps;
  gint low, high, reach, rank;
  gdouble zero;

  find_ends (bracket, &fails, &keeps);
  low = fails != NULL ? fails->rank + 1 : 0;
  high = keeps != NULL ? keeps->rank - 1 : bracket->n - 1;
  zero = guess (bracket, fails, keeps, octave);
  for (rank = low; rank < high && octave[rank] < zero;)
    rank++;
  /* This rank should meet the targets, and the one before it should not.
   * Both have to be evaluated; the less certain one comes first. */
  if (rank > low && zero - octave[rank - 1] < octave[rank] - zero)
    rank--;
  /* Whatever the result, the remaining evaluations have to suffice for
   * bisection. */
  reach = 1 << (left - 1);
  return CLAMP (rank, high + 1 - reach, low - 1 + reach);
}

gint
gst_blockdct_bracket_choose (const GstBlockDctBracket * bracket)
{
  gint best = 0;

  for (gint i = 1; i < bracket->n_done; i++) {
    const GstBlockDctEvaluation *a = &bracket->done[i];
    const GstBlockDctEvaluation *b = &bracket->done[best];

    if (a->keeps != b->keeps ? a->keeps
        : a->keeps || a->excess == b->excess ? a->rank < b->rank
        : a->excess > b->excess)
      best = i;
  }
  return best;
}
