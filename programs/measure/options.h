/* blockdct-measure: its command line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_OPTIONS_H
#define MEASURE_OPTIONS_H

#include "bench.h"
#include "target.h"

G_BEGIN_DECLS

/* The options. */
typedef struct
{
  gchar **arguments;            /* files, folders, patterns */
  gchar *csv, *json, *plot;     /* NULL: none */
  gchar *write_jpeg, *own_table;        /* NULL: none */
  gboolean quiet, resume, list, merge, origin, version;
  gint threads, backend;        /* values of the element's properties */
  gint stall_limit;             /* seconds; 0: none */
  gint plot_metric;             /* BdctMetric; -1: PSNR */
  MeasureTarget target;
  MeasurePlan plan;
} MeasureOptions;

/* Remove the options of this program and of GStreamer, which is initialised,
 * from a command line, and store them in a zeroed struct. FALSE with an error
 * that names the option, its value, and the valid values. The struct has to be
 * cleared in any case. */
gboolean measure_options_parse (MeasureOptions * options, int *argc,
    char ***argv, GError ** error);

void measure_options_clear (MeasureOptions * options);

G_END_DECLS
#endif
