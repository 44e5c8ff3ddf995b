/* blockdct tests: the price of CABAC's bins (dct/entropy/cabac-price.h) of a
 * component in a plain loop.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_BINS_H
#define TESTS_BINS_H

#include <glib.h>
#include "dct/entropy/cabac-price.h"

/* Of its runs, or of its blocks in rows of `columns`, in 2^-12 bit. log2_size
 * 0: with trees. */
guint64 ref_price_runs (const BdctCabacCounts *runs, int n_runs, int log2_size,
    gboolean chroma, int slice_qp);
guint64 ref_price_blocks (const BdctLevel *levels, int columns, int rows,
    int log2_size, gboolean chroma, int slice_qp);

#endif
