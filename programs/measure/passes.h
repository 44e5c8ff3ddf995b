/* blockdct-measure: measures a file with all transforms and encoders.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_PASSES_H
#define MEASURE_PASSES_H

#include "files.h"
#include "options.h"

G_BEGIN_DECLS

/* The result of a file. */
typedef struct
{
  GArray *rows;                 /* NULL: see `error`, or not measured */
  GError *error;
  gchar *without;               /* missing metrics, and why; NULL: none */
  gchar *lost;                  /* missing rows of encoders, and why; NULL:
                                   none */
  gchar *origin;                /* the JPEG file that it is or comes from; NULL:
                                   none is known */
  gboolean done;
} MeasureResult;

/* Make all rows of a file: of the transforms, by `bench`, and of the encoders.
 * The source is taken; each value of an encoder opens another one. `stop` and
 * `progress` are as for measure_bench_run(). */
void measure_passes_run (const MeasureOptions * options, MeasureBench * bench,
    MeasureSource * source, const MeasureFile * file, gint * stop,
    gint * progress, MeasureResult * result);

G_END_DECLS
#endif
