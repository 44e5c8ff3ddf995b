/* blockdct: the statistics of every frame in a file.
 *
 * Lines are made and written by a thread of their own. Of a regular file none
 * is lost: a disk that does not keep up holds the stream up, once some thousand
 * frames wait. Where somebody reads (a FIFO, a pipe, a terminal, a socket) the
 * stream does not wait: what the reader leaves lying for too long is lost, and
 * counted aloud.
 *
 * All errors and warnings are posted by `element`, which may be another one
 * when a call returns, if a handler of its messages sees to that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_FILE_H
#define GST_BLOCKDCT_STATS_FILE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstBlockDctStatsFile GstBlockDctStatsFile;

/** Open a file, `-` for standard output; what was in it is lost. A FIFO need
 * not have a reader yet. NULL, with an element error, where it cannot be
 * written, has no ending of gst_blockdct_stats_format(), or another element of
 * this process writes to it. */
GstBlockDctStatsFile *gst_blockdct_stats_file_open (const gchar * path,
    GstElement * element);

/** Add a frame, by what its meta says of it. FALSE, with an
 * element error, if something before it could not be written. `file` may be
 * NULL. */
gboolean gst_blockdct_stats_file_add (GstBlockDctStatsFile * file,
    GstElement * element, const GstStructure * frame);

/** Wait until all is written, for a reader less than a second. What could not
 * be written is an error or a warning. `file` may be NULL. */
void gst_blockdct_stats_file_flush (GstBlockDctStatsFile * file,
    GstElement * element);

/** The same, then close it. `*file` may be NULL, and is afterwards. */
void gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file,
    GstElement * element);

G_END_DECLS
#endif
