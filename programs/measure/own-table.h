/* blockdct-measure: quantization tables that suit pictures.
 *
 * For each frequency the squared errors and the entropy of the levels are known
 * for each step, from a histogram of its coefficients. Both add up over
 * frequencies, so that the best table at a price of a bit has in each frequency
 * the step with the least sum of errors and price (V. Ratnakar and M. Livny,
 * "RD-OPT: An efficient algorithm for optimizing DCT quantization tables",
 * Data Compression Conference 1995).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_OWN_TABLE_H
#define MEASURE_OWN_TABLE_H

#include "options.h"

G_BEGIN_DECLS

/* Write one table of luma and one of chroma for all files together, as the
 * text that `cjpeg -qtables` reads, to `options->own_table`; with `write_jpeg`
 * also the picture that has them. Prints what they save. */
gboolean measure_own_table_run (const MeasureOptions * options,
    const GArray * files, GError ** error);

G_END_DECLS
#endif
