/* blockdct tests: H.265's residual_coding() in CABAC, an encoder, but for the
 * bits' values, which nobody reads, written from the standard (clauses
 * 7.3.8.11, 9.3), as was a decoder that understood it (until commit 7660f67b),
 * and sharing nothing with dct/. What dct/entropy/cabac.h counts and estimates
 * is compared with this.
 *
 * Blocks of one frame, in an I slice: a coded block flag each, then, if it is
 * 1, residual_coding(); diagonal scans; no sign hiding, transform skip, bypass
 * or range extension.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_RESIDUAL_CODING_H
#define TESTS_RESIDUAL_CODING_H

#include <glib.h>

/* Syntax elements with contexts, as the tables of initial values have them:
 * luma's contexts before chroma's. */
typedef enum {
  RESIDUAL_CBF_LUMA,
  RESIDUAL_CBF_CHROMA,
  RESIDUAL_LAST_X,
  RESIDUAL_LAST_Y,
  RESIDUAL_SUB_BLOCK,
  RESIDUAL_SIG,
  RESIDUAL_GREATER1,
  RESIDUAL_GREATER2,
  N_RESIDUAL_ELEMENTS
} ResidualElement;

#define RESIDUAL_MAX_CONTEXTS 42

typedef struct {
  guint8 p_state, mps;
} ResidualContext;

typedef struct {
  ResidualContext context[N_RESIDUAL_ELEMENTS][RESIDUAL_MAX_CONTEXTS];
  /* What was encoded. */
  guint64 bins[N_RESIDUAL_ELEMENTS][RESIDUAL_MAX_CONTEXTS][2];
  guint64 bypass;
  guint64 shifts; /* bits by which the interval was narrowed, whole ones */
  guint range;
} ResidualCoder;

void residual_encoder_init (ResidualCoder *coder, int slice_qp);
void residual_encode (ResidualCoder *coder, const gint16 *levels,
    int log2_size, gboolean chroma);

/* What was spent so far, in bits: -log2 of the width of the interval. */
double residual_bits (const ResidualCoder *coder);

#endif
