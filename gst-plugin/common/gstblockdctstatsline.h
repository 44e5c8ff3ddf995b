/* blockdct: a frame's statistics as a line of text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_LINE_H
#define GST_BLOCKDCT_STATS_LINE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Append a frame's line, by the fields of its message; with `first` what
 * stands before all lines, too. */
typedef void (*GstBlockDctStatsFormat) (GString * line,
    const GstStructure * frame, gboolean first);

/** What a file of this name is written in: .log or - (as ffmpeg's psnr filter
 * does with stats_version=2), .csv, or .jsonl (one object a line). NULL: none
 * of these. */
GstBlockDctStatsFormat gst_blockdct_stats_format (const gchar * path);

G_END_DECLS
#endif
