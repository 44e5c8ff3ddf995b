/* blockdct: which settings of a frame are evaluated until one is chosen.
 *
 * Settings have ranks from 0, the one that is wanted most, to n - 1, the one
 * that is most likely to meet the targets: from the coarsest to the finest for
 * PSNR, from the finest to the coarsest for bits. The bracket lies between the
 * highest rank that is known to fail and the lowest that is known to meet the
 * targets. Each evaluation makes it narrower, until the two are neighbours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The maximum numbers of evaluations of a frame, and of settings to choose
 * from. */
#define GST_BLOCKDCT_BRACKET_MOST 8
#define GST_BLOCKDCT_BRACKET_RANKS ((1 << GST_BLOCKDCT_BRACKET_MOST) - 1)

typedef struct
{
  gint rank;
  gboolean keeps;               /* the targets */
  gdouble excess;               /* by about how many octaves its steps are
                                 * beyond those that just meet them; the
                                 * larger, the nearer. May be infinite */
} GstBlockDctEvaluation;

typedef struct
{
  gint n;                       /* number of ranks, at most as above */
  gint n_done;
  GstBlockDctEvaluation done[GST_BLOCKDCT_BRACKET_MOST];        /* in order */
} GstBlockDctBracket;

/* Whether the ends of the bracket are neighbours. */
gboolean gst_blockdct_bracket_is_closed (const GstBlockDctBracket * bracket);

/* The rank to evaluate next, of a bracket that is not closed.
 * `octave[rank]`, which rises, is the logarithm of the steps, with either
 * sign. It only makes the search faster: without it, bisection finds the
 * rank within the maximum number of evaluations. */
gint gst_blockdct_bracket_next (const GstBlockDctBracket * bracket,
    const gdouble * octave);

/* The number of the evaluation to choose: the lowest rank that meets the
 * targets or, if none does, the one with the largest excess. */
gint gst_blockdct_bracket_choose (const GstBlockDctBracket * bracket);
