/* blockdct: which settings of a frame are evaluated until one is chosen.
 *
 * Settings have ranks from 0, the one that is wanted most, to n - 1, the one
 * that is the most likely to keep the targets: from the coarsest to the finest
 * for PSNR, from the finest to the coarsest for bits. Between the highest rank
 * that was seen to fail and the lowest that was seen to keep them is a bracket.
 * Each evaluation makes it narrower, until the two are neighbours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_BRACKET_H
#define GST_BLOCKDCT_BRACKET_H

#include <glib.h>

G_BEGIN_DECLS

/** The most evaluations of a frame, and the most settings to choose from. */
#define GST_BLOCKDCT_BRACKET_MOST 8
#define GST_BLOCKDCT_BRACKET_RANKS ((1 << GST_BLOCKDCT_BRACKET_MOST) - 1)

typedef struct
{
  gint rank;
  gboolean keeps;               /* the targets */
  gdouble excess;               /* by how many octaves its steps are beyond
                                   those that just keep them, about; the larger
                                   the nearer. Infinities are allowed */
} GstBlockDctEvaluation;

typedef struct
{
  gint n;                       /* ranks, at most as many as above */
  gint n_done;
  GstBlockDctEvaluation done[GST_BLOCKDCT_BRACKET_MOST];        /* in order */
} GstBlockDctBracket;

/** Whether the ends of the bracket are neighbours. */
gboolean gst_blockdct_bracket_is_closed (const GstBlockDctBracket * bracket);

/** The rank to evaluate next, of a bracket that is not closed.
 * `octave[rank]`, which rises, is what the steps are, but for the sign: it says
 * where to look first, while the most evaluations are enough without it. */
gint gst_blockdct_bracket_next (const GstBlockDctBracket * bracket,
    const gdouble * octave);

/** The number of the evaluation to choose: of those that keep the targets the
 * lowest rank; if none does, the one with the most excess. */
gint gst_blockdct_bracket_choose (const GstBlockDctBracket * bracket);

G_END_DECLS
#endif
