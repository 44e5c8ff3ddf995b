/* blockdct-measure: measures a file with an encoder and its decoder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_CODER_H
#define MEASURE_CODER_H

#include <gst/video/video.h>
#include "bench.h"
#include "encoder.h"

G_BEGIN_DECLS

/* One pass of a file through an encoder, at one value. */
typedef struct
{
  const MeasurePlan *plan;
  const MeasureEncoder *encoder;
  gint value;
  GstVideoFormat format;        /* UNKNOWN: the decoder's */
  const gchar *file;            /* the rows' name, interned */
  gint backend;                 /* of blockdctcompare, which measures */
  guint threads;
  gint stall_limit;             /* as for measure_source_new() */
  gint *stop, *progress;        /* as for measure_bench_run() */
  guint pass, n_passes;         /* this pass's part of the progress */
} MeasureCoding;

/* Whether blockdctcompare is installed; FALSE with an error. */
gboolean measure_coder_check (GError ** error);

/* Append the rows of a source's pictures: those of frames, if the plan has
 * them, and their sum. FALSE with an error, such as that the encoder stalls;
 * with `*error` NULL if `stop` was set. `of_file` receives whether the error is
 * in the file, and thus independent of the encoder. `without` receives lines
 * about unsupported metrics. */
gboolean measure_coder_run (const MeasureCoding * coding,
    MeasureSource * source, GArray * rows, GString * without,
    gboolean * of_file, GError ** error);

G_END_DECLS
#endif
