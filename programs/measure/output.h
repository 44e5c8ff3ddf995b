/* blockdct-measure: where the rows go.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_OUTPUT_H
#define MEASURE_OUTPUT_H

#include "bench.h"

G_BEGIN_DECLS

typedef struct _MeasureOutput MeasureOutput;

/** Open a file, whose table, if it has one, is dropped, or "-", the standard
 * output. `metrics`, bits 1 << BdctMetric, have columns. NULL if the file has
 * something else, or another run is writing it. */
MeasureOutput *measure_output_new (const gchar * path, MeasureStyle style,
    guint metrics, GError ** error);

/** Open one to go on with: what stands behind the last file with all its rows
 * is cut off, and `rows` receives the others. `chosen`: a row a transform, not
 * one a setting. NULL if it was made with another plan, or another run is
 * writing it. */
MeasureOutput *measure_output_resume (const gchar * path, MeasureStyle style,
    const MeasurePlan * plan, gboolean chosen, GArray * rows, GError ** error);

/** Write a file's rows, at once. */
gboolean measure_output_write (MeasureOutput * output, const GArray * rows,
    GError ** error);

/** Close it; FALSE if not all could be written. */
gboolean measure_output_close (MeasureOutput * output, GError ** error);

G_END_DECLS
#endif
