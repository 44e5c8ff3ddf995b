/* blockdct: the statistics of every frame in a file.
 *
 * Lines are made and written by a thread of their own. A disk that does not
 * keep up holds the stream up, once some thousand frames wait.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_FILE_H
#define GST_BLOCKDCT_STATS_FILE_H

#include <gst/gst.h>
#include "dct/job.h"

G_BEGIN_DECLS

typedef struct _GstBlockDctStatsFile GstBlockDctStatsFile;

/** Open a file, `-` for standard output; what was in it is lost. Its format
 * goes by the ending: .csv, .json (one object a line), else that of ffmpeg's
 * psnr filter with stats_version=2. NULL with the reason. */
GstBlockDctStatsFile *gst_blockdct_stats_file_open (const gchar * path,
    BdctError * error);

/** Add a frame, by the custom meta that its buffer carries. FALSE, with the
 * reason, if something before it could not be written. `file` may be NULL. */
gboolean gst_blockdct_stats_file_add (GstBlockDctStatsFile * file,
    GstBuffer * buffer, BdctError * error);

/** Wait until all is written. FALSE, with the reason, if it could not be and
 * nobody was told yet. `file` may be NULL. */
gboolean gst_blockdct_stats_file_flush (GstBlockDctStatsFile * file,
    BdctError * error);

/** The same, then close it. `*file` may be NULL, and is afterwards. */
gboolean gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file,
    BdctError * error);

G_END_DECLS
#endif
