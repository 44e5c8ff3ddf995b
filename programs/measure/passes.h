/* blockdct-measure: all that a file goes through.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_PASSES_H
#define MEASURE_PASSES_H

#include "files.h"
#include "options.h"

G_BEGIN_DECLS

/** What becomes of a file. */
typedef struct
{
  GArray *rows;                 /* NULL: `error`, or not measured */
  GError *error;
  gchar *without;               /* which metrics, and why; NULL: none */
  gchar *lost;                  /* rows of encoders, and why; NULL: none */
  gboolean done;
} MeasureResult;

/** Have all rows of a file: of the transforms, whose bench this is, and of the
 * encoders. The source is taken; each value of an encoder has one of its own.
 * `stop` and `progress` are measure_bench_run()'s. */
void measure_passes_run (const MeasureOptions * options, MeasureBench * bench,
    MeasureSource * source, const MeasureFile * file, gint * stop,
    gint * progress, MeasureResult * result);

G_END_DECLS
#endif
