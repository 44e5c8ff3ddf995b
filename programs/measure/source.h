/* blockdct-measure: a file's decoded pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SOURCE_H
#define MEASURE_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _MeasureSource MeasureSource;

/** Errors of its own. All others are as GStreamer's elements post them. */
#define MEASURE_SOURCE_ERROR (measure_source_error_quark ())
enum
{
  MEASURE_NO_VIDEO,             /* a file of sound, say */
  MEASURE_OTHER
};
GQuark measure_source_error_quark (void);

/** Whether an element opens other places than the file, as those of playlists
 * and of sessions do: it is never used. */
gboolean measure_source_refuses (GstElementFactory * factory);

/** Start to decode a file, some pictures ahead. Where no picture comes of it,
 * and not a byte is read, for `limit` seconds of waiting, it is given up; 0:
 * never. */
MeasureSource *measure_source_new (const gchar * path, gint limit);

/** The next picture, the caller's; NULL at the end, if `stop`, read atomically,
 * is not 0, or with `*error`, NULL before, set if there is no going on. An end
 * without any picture, or before that of which the file tells, is an error. */
GstSample *measure_source_pull (MeasureSource * source, gint * stop,
    GError ** error);

/** After the first picture: how many frames the file says it has; 0 where it
 * does not. */
gint64 measure_source_frames (MeasureSource * source);

/** How much of the file has been pulled, 0 to 1. */
gdouble measure_source_progress (MeasureSource * source);

/** Free it; but one that was given up is left as it is, with its threads. */
void measure_source_free (MeasureSource * source);

G_END_DECLS
#endif
