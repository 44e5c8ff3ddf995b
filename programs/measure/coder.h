/* blockdct-measure: an encoder and its decoder at work on a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_CODER_H
#define MEASURE_CODER_H

#include <gst/video/video.h>
#include "bench.h"
#include "encoder.h"

G_BEGIN_DECLS

/** A file that goes through an encoder at one value. */
typedef struct
{
  const MeasurePlan *plan;
  const MeasureEncoder *encoder;
  gint value;
  GstVideoFormat format;        /* UNKNOWN: the decoder's */
  const gchar *file;            /* the rows' name, interned */
  gint backend;                 /* of blockdctcompare, which is the judge */
  guint threads;
  gint stall_limit;             /* as measure_source_new() has it */
  gint *stop, *progress;        /* as measure_bench_run() has them */
  guint pass, n_passes;         /* of the progress: which part of it this is */
} MeasureCoding;

/** Whether there is a judge; FALSE with the reason. */
gboolean measure_coder_check (GError ** error);

/** Append the rows of all of a source's pictures: those of the frames, if the
 * plan has them, and their sum. FALSE with the reason, which may be that the
 * encoder stalls; with `*error` NULL if `stop` was set. `of_file` receives
 * whether the reason is the file's, whatever the encoder. `without` receives
 * lines on metrics that are not supported. */
gboolean measure_coder_run (const MeasureCoding * coding,
    MeasureSource * source, GArray * rows, GString * without,
    gboolean * of_file, GError ** error);

G_END_DECLS
#endif
