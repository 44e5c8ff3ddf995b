/* blockdct: from statistics to messages, the buffer meta and the `stats`
 * property.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_REPORT_H
#define GST_BLOCKDCT_REPORT_H

#include <gst/gst.h>
#include <gst/video/video.h>
#include "dct/job.h"
#include "dct/stats.h"
#include "dct/view.h"
#include "gstblockdctsweep.h"

G_BEGIN_DECLS

/** The name of the message's structure, of the custom meta and its structure.*/
#define GST_BLOCKDCT_NAME "blockdct"

/** Likewise of blockdctcompare. */
#define GST_BLOCKDCT_COMPARE_NAME "blockdct-compare"

/** When a report's frames were shown. GST_CLOCK_TIME_NONE where unknown. */
typedef struct
{
  GstClockTime timestamp, stream_time, running_time, duration;
} GstBlockDctTimes;

/** When a frame of `info` is shown by `segment`: its duration is the caps'
 * where `buffer` has none. */
GstBlockDctTimes gst_blockdct_times_of (GstBuffer * buffer,
    const GstSegment * segment, const GstVideoInfo * info);

/** The sum; GST_CLOCK_TIME_NONE if it is no time any more, or one is none. */
static inline GstClockTime
gst_blockdct_times_add (GstClockTime a, GstClockTime b)
{
  return a < GST_CLOCK_TIME_NONE - b ? a + b : GST_CLOCK_TIME_NONE;
}

/** What is known of bits. */
typedef enum
{
  GST_BLOCKDCT_RATE_NONE,       /* they were not asked for */
  GST_BLOCKDCT_RATE_ESTIMATED,
  GST_BLOCKDCT_RATE_EXACT
} GstBlockDctRate;

/** What was done to a frame. */
typedef struct
{
  BdctParams params;
  gint depth;
  const gchar *backend;         /* interned */
  const gchar *pad;             /* of blockdctcompare, interned: whose frames
                                   these are; but for `coded` nothing below then
                                   counts. NULL: of blockdct */
  gboolean coded;               /* it is known how large a coded frame was: */
  guint64 bits, header_bits;    /* of its picture, and of all else */
  GstBlockDctRate rate;
  gboolean target, target_met;  /* a target chose the setting; it is kept */
  guint64 file_size;            /* of the JPEG file, if the target had it coded;
                                   0: it is not known so well */
  guint regions;                /* that have a setting of their own */
  BdctViewMode view;            /* what its buffer shows */
} GstBlockDctHow;

/** Statistics pooled over some frames. */
typedef struct
{
  BdctPool pool;
  guint64 first_index;
  GstBlockDctTimes times;       /* of the first frame; the whole's duration */
  GstClockTime start, end;      /* of the earliest, of the latest frame */
  GstBlockDctHow how;           /* of the latest frame; but `rate` is the least
                                   that is known of one, `regions` the most, and
                                   of the targets whether there was one, and all
                                   were met; bits are sums, if all are known */
} GstBlockDctSpan;

/** Counters since the start. */
typedef struct
{
  guint64 frames;
  guint64 dropped;              /* frames skipped for QoS; of blockdctcompare
                                   those that had no partner */
  BdctPool pool;                /* of those at the latest frame's depth */
  guint64 first_index;          /* of these */
  GstBlockDctRate rate;         /* the least that is known of one */
  gint depth;
} GstBlockDctTotals;

/** The statistics of a stream. One thread at a time. */
typedef struct
{
  GstBlockDctTotals totals;
  guint64 reported_dropped;     /* of `dropped`, in a pooled message already */
  GstBlockDctSpan pooled;       /* since the last pooled message */
  GstBlockDctSpan interval;     /* since the last interval message */
  GstClockTime interval_end;
} GstBlockDctReport;

/** Register the custom metas, the mark of repeated frames among them; once. */
void gst_blockdct_report_init (void);

/** Add one frame. Its values are attached to `buffer` as the custom meta
 * GST_BLOCKDCT_NAME, or GST_BLOCKDCT_COMPARE_NAME, and if `post`, posted: as a
 * `frame` message, or, with an `interval` above 0, pooled in one `interval`
 * message for each. Returns the meta's structure. */
GstStructure *gst_blockdct_report_frame (GstBlockDctReport * report,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctHow * how, const GstBlockDctTimes * times, gboolean post,
    GstClockTime interval);

/** The latest frame once more: its values are attached to `buffer`, and posted
 * if `post`, as a repeated frame's; nothing is counted. */
void gst_blockdct_report_repeated (const GstBlockDctReport * report,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctHow * how, const GstBlockDctTimes * times,
    gboolean post);

/** Post the `blockdct-curve` message of a frame, the latest one: its statistics
 * at each of the curve's settings, and whether their bits are exact. */
void gst_blockdct_report_curve (const GstBlockDctReport * report,
    GstElement * element, const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctHow * how,
    const GstBlockDctTimes * times);

/** The end of a stream: post what the interval still holds and the `pooled`
 * message over all frames since the last one, if there are any. */
void gst_blockdct_report_end (GstBlockDctReport * report,
    GstElement * element, gboolean post);

/** Forget the interval under way, as after a flush. */
void gst_blockdct_report_flush (GstBlockDctReport * report);

G_END_DECLS
#endif
