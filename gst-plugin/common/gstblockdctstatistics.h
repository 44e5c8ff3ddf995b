/* blockdct: pools statistics into messages, the buffer meta and the `stats`
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

/* The statistics of a stream, used by one thread at a time. */
typedef struct
{
  GstBlockDctTotals totals;
  guint64 reported_dropped;     /* the part of `dropped` that a pooled message
                                   has reported */
  GstBlockDctSpan pooled;       /* since the last pooled message */
  GstBlockDctSpan interval;     /* since the last interval message */
  GstClockTime interval_end;
} GstBlockDctStatistics;

/* The times of a frame of `info` in `segment`. The duration follows from the
 * caps where `buffer` has none. */
GstBlockDctTimes gst_blockdct_times_of (GstBuffer * buffer,
    const GstSegment * segment, const GstVideoInfo * info);

/* Register the custom metas, among them the marks; more calls do nothing. */
void gst_blockdct_statistics_init (void);

/* Add one frame. Its values are attached to `buffer` as the custom meta
 * GST_BLOCKDCT_NAME, or GST_BLOCKDCT_COMPARE_NAME. With `post` they are also
 * posted: as a `frame` message or, with an `interval` above 0, pooled in one
 * message for each interval. Returns the meta's structure. */
GstStructure *gst_blockdct_statistics_frame (GstBlockDctStatistics * statistics,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    gboolean post, GstClockTime interval);

/* Report the latest frame again, as a repeated one: its values are attached to
 * `buffer` and, with `post`, posted, but not counted. */
void gst_blockdct_statistics_repeated (const GstBlockDctStatistics * statistics,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    gboolean post);

/* Post the `blockdct-curve` message of the latest frame: `stats` at each of
 * the curve's settings; `exact` says whether their bits are. */
void gst_blockdct_statistics_curve (const GstBlockDctStatistics * statistics,
    GstElement * element, const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times);

/* At the end of a stream, post the last interval and the `pooled` message over
 * all frames since the previous one, if there are any. */
void gst_blockdct_statistics_end (GstBlockDctStatistics * statistics,
    GstElement * element, gboolean post);

/* Drop the current interval, as after a flush. */
void gst_blockdct_statistics_flush (GstBlockDctStatistics * statistics);

G_END_DECLS
#endif
