/* blockdct tests: H.265's binary arithmetic coder (clauses 9.3.4.3, 9.3.5), as
 * residual-coding.c drives it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_RESIDUAL_ARITHMETIC_H
#define TESTS_RESIDUAL_ARITHMETIC_H

#include "residual-coding.h"

/* A bin with a context of a syntax element, and `n` without. */
void encode_decision (ResidualCoder *coder, ResidualElement element, int ctx,
    guint bin);
void encode_bypass (ResidualCoder *coder, int n);

#endif
