/* blockdct-measure: the table's columns, for writing and reading them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ROW_COLUMNS_H
#define MEASURE_ROW_COLUMNS_H

#include "row.h"

G_BEGIN_DECLS

/* The columns of counts, and the kinds of rows that have them: of exact
 * transforms, of estimated ones, of encoders. The columns of bits have
 * different names for exact and estimated ones. */
typedef struct
{
  const gchar *name;
  MeasureCount count;
  enum { MEASURE_EXACT = 1, MEASURE_ESTIMATE = 2, MEASURE_CODED = 4 } of;
} MeasureColumn;

#define MEASURE_N_COLUMNS 21
extern const MeasureColumn measure_columns[MEASURE_N_COLUMNS];

/* Whether the format has the plane of a count. */
gboolean measure_row_has_plane (const MeasureRow * row, MeasureCount count);
/* Whether the row has measure_columns[i]. */
gboolean measure_row_has_column (const MeasureRow * row, guint i);

/* Fill in the statistics from which the metrics' figures are computed. */
void measure_row_get_stats (const MeasureRow * row, BdctStats * stats);
/* A metric's figure; NAN without one. */
gdouble measure_row_figure (const MeasureRow * row, const BdctStats * stats,
    guint metric, guint component);

/* The columns of a metric, interned: of its sum and of its figure. */
const gchar *measure_name_sum (guint metric, guint component);
const gchar *measure_name_figure (guint metric, guint component);

G_END_DECLS
#endif
