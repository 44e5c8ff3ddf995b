/* blockdct-measure: finds the files that the arguments name.
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
  gboolean found;               /* in a folder: it may have no video */
} MeasureFile;

/* Make an array of MeasureFile, each once: of files; of folders, with all
 * files in them and in their subfolders that GStreamer can decode, sorted by
 * name; and of patterns' matches. Any other argument becomes a file, which
 * cannot be read. */
GArray *measure_files_new (gchar ** arguments);

/* Print a line of JSON for each file: its name and its container's number of
 * frames, or 0 if unknown. FALSE if one cannot be read, or stalls for `limit`
 * seconds. */
gboolean measure_files_list (GArray * files, gint limit);

G_END_DECLS
#endif
