/* blockdct-measure: a file's decoded pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SOURCE_H
#define MEASURE_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _MeasureSource MeasureSource;

/** Errors of a file that is none of pictures; all others are as GStreamer's
 * elements post them. */
#define MEASURE_ERROR_NO_VIDEO GST_STREAM_ERROR_WRONG_TYPE

/** Start to decode a file, some pictures ahead. */
MeasureSource *measure_source_new (const gchar * path);

/** The next picture; NULL at the end, with `error` set if it is none to be
 * reached, or if `stop`, read atomically, is not 0. The caller's. */
GstSample *measure_source_pull (MeasureSource * source, gint * stop,
    GError ** error);

/** How much of the file has been pulled, 0 to 1. */
gdouble measure_source_progress (MeasureSource * source);

void measure_source_free (MeasureSource * source);

G_END_DECLS
#endif
