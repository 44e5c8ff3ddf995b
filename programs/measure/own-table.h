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

#include "bench.h"

G_BEGIN_DECLS

/** Find luma's and chroma's steps for the MeasureFiles' pictures that a plan
 * begins with, all together: with the squared errors of `params`' quality, in
 * R, G and B, and the fewest bits. Set `params` to them, and `saved` to the
 * part of the levels' entropy that they save. A source that stalls for `limit`
 * seconds is given up. */
gboolean measure_own_table (const GArray * files, const MeasurePlan * plan,
    gint limit, BdctParams * params, gdouble * saved, GError ** error);

/** Write steps as the text that `cjpeg -qtables` reads. */
gboolean measure_own_table_write (const gchar * path, const BdctParams * params,
    GError ** error);

G_END_DECLS
#endif
