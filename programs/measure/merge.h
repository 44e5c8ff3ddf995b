/* blockdct-measure: merges tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_MERGE_H
#define MEASURE_MERGE_H

#include "row.h"

G_BEGIN_DECLS

/* Add up the rows of the same file, format, setting and frame, such as those
 * of a file's segments. The result has the order of a single run, whatever the
 * order of the input. FALSE if rows are of different pictures. */
gboolean measure_rows_merge (GArray * rows, GError ** error);

/* Sort the rows of one file, which come transform by transform and encoder by
 * encoder, into the order of a run. */
void measure_rows_arrange (GArray * rows);

/* Add a row of the same kind to another. FALSE if they are of different
 * pictures. */
gboolean measure_row_add (MeasureRow * sum, const MeasureRow * row,
    GError ** error);

G_END_DECLS
#endif
