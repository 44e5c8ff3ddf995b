/* blockdct-measure: measures one file after another with an engine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_BENCH_H
#define MEASURE_BENCH_H

#include "row.h"
#include "source.h"

G_BEGIN_DECLS

/* What to measure of every file. */
typedef struct
{
  GArray *settings;             /* BdctParams */
  GArray *encoders;             /* MeasureEncoder */
  GArray *formats;              /* GstVideoFormat; empty: the decoder's */
  BdctChromaFormat subsampling; /* of R, G and B */
  guint metrics;                /* bits 1 << BdctMetric */
  gboolean each_frame;          /* also rows of single frames */
  gboolean coded;               /* sizes of JPEG files are made exact
                                   (cpu/jpeg-file.h) */
  gint64 first_frame, n_frames; /* the part of a file; -1: all the rest */
} MeasurePlan;

typedef struct _MeasureBench MeasureBench;

/* Start an engine for each format: `backend` is a value of the element's
 * property, `device` a GPU's number, -1 any; `beside` is NULL or a bench on
 * that device, whose context is shared. NULL with an error. */
MeasureBench *measure_bench_new (const MeasurePlan * plan, gint backend,
    gint device, guint threads, const MeasureBench * beside, GError ** error);

/* The engine's description. */
const gchar *measure_bench_describe (MeasureBench * bench);

/* Measure a source and return its rows, named `file`; NULL with an error, or
 * without one if `stop` was set. Other threads may read `progress` atomically:
 * 1/1000 of the file, of which this is the first of `n_passes`. `without`
 * receives lines that say which metrics the rows lack, and why; NULL if they
 * have all. `origin`, if it is not NULL, receives the JPEG file that a still
 * was decoded from, if that shows. */
GArray *measure_bench_run (MeasureBench * bench, MeasureSource * source,
    const gchar * file, guint n_passes, gint * stop, gint * progress,
    gchar ** without, gchar ** origin, GError ** error);

void measure_bench_free (MeasureBench * bench);

G_END_DECLS
#endif
