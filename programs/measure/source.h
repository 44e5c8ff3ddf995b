/* blockdct-measure: a file's decoded pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SOURCE_H
#define MEASURE_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _MeasureSource MeasureSource;

/** The error of a file of sound, say. All others are as GStreamer's elements
 * post them. */
#define MEASURE_SOURCE_ERROR (measure_source_error_quark ())
#define MEASURE_NO_VIDEO 1
GQuark measure_source_error_quark (void);

/** Start to decode a file, some pictures ahead. */
MeasureSource *measure_source_new (const gchar * path);

/** The next picture, the caller's; NULL at the end, if `stop`, read atomically,
 * is not 0, or with `*error`, NULL before, set if there is no going on. */
GstSample *measure_source_pull (MeasureSource * source, gint * stop,
    GError ** error);

/** How much of the file has been pulled, 0 to 1. */
gdouble measure_source_progress (MeasureSource * source);

void measure_source_free (MeasureSource * source);

G_END_DECLS
#endif
