/* blockdct-measure: the files that its arguments stand for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_FILES_H
#define MEASURE_FILES_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *path;                  /* for the system */
  const gchar *name;            /* in UTF-8, with \xFF for bytes; interned */
  goffset size;                 /* bytes */
  gboolean found;               /* in a folder: nobody said that it has video */
} MeasureFile;

/** MeasureFiles, each once: files as they are, folders with all that GStreamer
 * can decode in them and in their folders, by name, and what patterns match. An
 * argument that is nothing of this is a file, which nobody will be able to
 * read. */
GArray *measure_files_new (gchar ** arguments);

/** Print a line of JSON for each file: its name and how many frames it has, as
 * its container says; 0 where that does not. FALSE if one cannot be read, or
 * stalls for `limit` seconds. */
gboolean measure_files_list (GArray * files, gint limit);

G_END_DECLS
#endif
