/* blockdct-measure: decodes a file's pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SOURCE_H
#define MEASURE_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _MeasureSource MeasureSource;

/* The source's own errors. All others are those posted by GStreamer's
 * elements. */
#define MEASURE_SOURCE_ERROR (measure_source_error_quark ())
enum
{
  MEASURE_NO_VIDEO,             /* such as a file of sound */
  MEASURE_OTHER
};
GQuark measure_source_error_quark (void);

/* Start to decode a file, a few pictures ahead. If there is no picture, and no
 * byte is read, for `limit` seconds of waiting, it is given up; 0: never. */
MeasureSource *measure_source_new (const gchar * path, gint limit);

/* The next picture, owned by the caller. NULL at the end, if `stop`, read
 * atomically, is not 0, or with an error. It is an error if there is no
 * picture, or if the file ends before the end that it declares. `*error` has to
 * be NULL. */
GstSample *measure_source_pull (MeasureSource * source, gint * stop,
    GError ** error);

/* The number of frames that the file declares, known after the first picture;
 * 0: none. */
gint64 measure_source_frames (MeasureSource * source);

/* The fraction of the file that has been pulled, 0 to 1. */
gdouble measure_source_progress (MeasureSource * source);

/* Free a source. One that was given up is not freed, as its threads may
 * hang. */
void measure_source_free (MeasureSource * source);

G_END_DECLS
#endif
