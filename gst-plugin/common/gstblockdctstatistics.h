/* blockdct: from statistics to messages, the buffer meta and the `stats`
 * property.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATISTICS_H
#define GST_BLOCKDCT_STATISTICS_H

#include <gst/gst.h>
#include <gst/video/video.h>
#include "gstblockdctcurve.h"
#include "gstblockdctstatstypes.h"

G_BEGIN_DECLS

/** The statistics of a stream. One thread at a time. */
typedef struct
{
  GstBlockDctTotals totals;
  guint64 reported_dropped;     /* of `dropped`, in a pooled message already */
  GstBlockDctSpan pooled;       /* since the last pooled message */
  GstBlockDctSpan interval;     /* since the last interval message */
  GstClockTime interval_end;
} GstBlockDctStatistics;

/** When a frame of `info` is shown by `segment`: its duration is the caps'
 * where `buffer` has none. */
GstBlockDctTimes gst_blockdct_times_of (GstBuffer * buffer,
    const GstSegment * segment, const GstVideoInfo * info);

/** Register the custom metas, the mark of repeated frames among them; once. */
void gst_blockdct_statistics_init (void);

/** Add one frame. Its values are attached to `buffer` as the custom meta
 * GST_BLOCKDCT_NAME, or GST_BLOCKDCT_COMPARE_NAME, and if `post`, posted: as a
 * `frame` message, or, with an `interval` above 0, pooled in one `interval`
 * message for each. Returns the meta's structure. */
GstStructure *gst_blockdct_statistics_frame (GstBlockDctStatistics * statistics,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    gboolean post, GstClockTime interval);

/** The latest frame once more: its values are attached to `buffer`, and posted
 * if `post`, as a repeated frame's; nothing is counted. */
void gst_blockdct_statistics_repeated (const GstBlockDctStatistics * statistics,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    gboolean post);

/** Post the `blockdct-curve` message of a frame, the latest one: its statistics
 * at each of the curve's settings, and whether their bits are exact. */
void gst_blockdct_statistics_curve (const GstBlockDctStatistics * statistics,
    GstElement * element, const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times);

/** The end of a stream: post what the interval still holds and the `pooled`
 * message over all frames since the last one, if there are any. */
void gst_blockdct_statistics_end (GstBlockDctStatistics * statistics,
    GstElement * element, gboolean post);

/** Forget the interval under way, as after a flush. */
void gst_blockdct_statistics_flush (GstBlockDctStatistics * statistics);

G_END_DECLS
#endif
