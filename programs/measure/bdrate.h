/* blockdct-measure: Bjontegaard's comparison of curves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_BDRATE_H
#define MEASURE_BDRATE_H

#include "row.h"

G_BEGIN_DECLS

/* Lines for people of sums of files: the mean difference in bits at the same
 * quality, in %, of each transform and encoder against the first one, for each
 * file and format, and the mean of all files that have one; by PSNR and by the
 * rows' metrics (VCEG-M33; with more than four points the cubic is a
 * least-squares fit). Curves with less than four points, or without a common
 * range of quality, have no result. NULL if no row is an encoder's, or if all
 * rows are one encoder's. */
gchar *measure_bd_rates (const GArray * rows);

G_END_DECLS
#endif
