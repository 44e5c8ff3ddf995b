/* blockdct-measure: writes the rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_OUTPUT_H
#define MEASURE_OUTPUT_H

#include "bench.h"

G_BEGIN_DECLS

typedef struct _MeasureOutput MeasureOutput;

/* Open a file, or "-", the standard output. A table in the file is dropped.
 * `metrics`, bits 1 << BdctMetric, get columns. NULL if the file has other
 * content, or if another run is writing it. */
MeasureOutput *measure_output_new (const gchar * path, MeasureStyle style,
    guint metrics, GError ** error);

/* Open a file to continue it: rows after the last complete file are cut off,
 * and `rows` receives the others. `chosen`: there is one row for each
 * transform, not for each setting. NULL if the table was made with another
 * plan, or if another run is writing it. */
MeasureOutput *measure_output_resume (const gchar * path, MeasureStyle style,
    const MeasurePlan * plan, gboolean chosen, GArray * rows, GError ** error);

/* Write a file's rows, and flush them. */
gboolean measure_output_write (MeasureOutput * output, const GArray * rows,
    GError ** error);

/* Close it; FALSE if not all could be written. */
gboolean measure_output_close (MeasureOutput * output, GError ** error);

G_END_DECLS
#endif
