/* blockdct: formats a frame's statistics as a line of text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_LINE_H
#define GST_BLOCKDCT_STATS_LINE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Append a frame's line, given the fields of its message; with `first`, append
 * the heading of the file before it. */
typedef void (*GstBlockDctStatsFormat) (GString * line,
    const GstStructure * frame, gboolean first);

/* The format of a file with this name: .log or - (that of ffmpeg's psnr filter
 * with stats_version=2), .csv, or .jsonl (one object a line). NULL: none of
 * these. */
GstBlockDctStatsFormat gst_blockdct_stats_format (const gchar * path);

G_END_DECLS
#endif
