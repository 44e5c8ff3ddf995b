/* blockdct: writes the statistics of every frame to a file.
 *
 * A line is written before its frame leaves: a slow reader of a pipe, as a slow
 * disk, slows the stream down.
 *
 * `element` posts all errors. A handler of these messages may change the
 * element before the call returns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct _GstBlockDctStatsFile GstBlockDctStatsFile;

/* Open the file that `*setting` of `element` names; NULL and "" name none, `-`
 * is standard output. FALSE, with an element error, if it cannot be written, is
 * being written by others, or has none of these endings: .log, as `-`, has the
 * format of ffmpeg's psnr filter with stats_version=2, .csv, .jsonl one object
 * a line. */
gboolean gst_blockdct_stats_file_open (GstBlockDctStatsFile ** file,
    gchar * const *setting, GstElement * element);

/* Add a frame, given its meta's structure. FALSE, with an element error, if
 * its line could not be written. `file` may be NULL. */
gboolean gst_blockdct_stats_file_add (GstBlockDctStatsFile * file,
    GstElement * element, const GstStructure * frame);

/* Wake a thread that waits for a reader: its line, and all that follow, are
 * lost. Any thread may call this before the file is closed. `file` may be
 * NULL. */
void gst_blockdct_stats_file_cancel (GstBlockDctStatsFile * file);

/* `*file` may be NULL, and becomes NULL. */
void gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file,
    GstElement * element);
