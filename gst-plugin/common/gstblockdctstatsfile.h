/* blockdct: writes the statistics of every frame to a file.
 *
 * A separate thread makes and writes the lines. A regular file loses none: if
 * the disk is too slow, the stream waits once some thousand frames are pending.
 * For a reader (of a FIFO, a pipe, a terminal, a socket) the stream does not
 * wait: lines that are not read in time are lost, and a warning counts them.
 *
 * `element` posts all errors and warnings. A handler of these messages may
 * change the element before the call returns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_FILE_H
#define GST_BLOCKDCT_STATS_FILE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstBlockDctStatsFile GstBlockDctStatsFile;

/* Open a file and truncate it, or with `-` use standard output. A FIFO need
 * not have a reader yet. NULL, with an element error, if the file cannot be
 * written, has no ending that gst_blockdct_stats_format() knows, or is written
 * by another element of this process. */
GstBlockDctStatsFile *gst_blockdct_stats_file_open (const gchar * path,
    GstElement * element);

/* Add a frame, given its meta's structure. FALSE, with an element error, if an
 * earlier line could not be written. `file` may be NULL. */
gboolean gst_blockdct_stats_file_add (GstBlockDctStatsFile * file,
    GstElement * element, const GstStructure * frame);

/* Wait until all lines are written; for a reader less than a second. Posts an
 * error or a warning if lines could not be written. `file` may be NULL. */
void gst_blockdct_stats_file_flush (GstBlockDctStatsFile * file,
    GstElement * element);

/* Flush, then close the file. `*file` may be NULL, and becomes NULL. */
void gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file,
    GstElement * element);

G_END_DECLS
#endif
