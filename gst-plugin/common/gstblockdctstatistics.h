/* blockdct: statistics of frames, alone or pooled; and messages, metas and
 * `stats` of them by the table of fields (gstblockdctfields.def).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>
#include "gstblockdctcurve.h"
#include "gstblockdctparam.h"
#include "gstblockdctstatsfile.h"

/* The name of the message's structure, of the custom meta and of its
 * structure. */
#define GST_BLOCKDCT_NAME "blockdct"

/* The same for blockdctcompare. */
#define GST_BLOCKDCT_COMPARE_NAME "blockdct-compare"

/* The custom meta of blockdctcoded, and the structure of its `stats`; their
 * fields `bits` and `bits-headers` are uint64. */
#define GST_BLOCKDCT_CODED_NAME "blockdct-coded"

/* The times of the frames that a report covers. GST_CLOCK_TIME_NONE where
 * unknown. */
typedef struct
{
  GstClockTime timestamp, stream_time, running_time, duration;
} GstBlockDctTimes;

/* The sum; GST_CLOCK_TIME_NONE if it overflows or one of both is not valid. */
static inline GstClockTime
gst_blockdct_times_add (GstClockTime a, GstClockTime b)
{
  return a < GST_CLOCK_TIME_NONE - b ? a + b : GST_CLOCK_TIME_NONE;
}

/* The duration of `n` frames; GST_CLOCK_TIME_NONE without a frame rate. */
static inline GstClockTime
gst_blockdct_times_of_frames (const GstVideoInfo * info, guint n)
{
  return GST_VIDEO_INFO_FPS_N (info) <= 0 ? GST_CLOCK_TIME_NONE
      : gst_util_uint64_scale_int (n * GST_SECOND,
      GST_VIDEO_INFO_FPS_D (info), GST_VIDEO_INFO_FPS_N (info));
}

/* How exactly bits are known. */
typedef enum
{
  GST_BLOCKDCT_RATE_NONE,       /* they are not counted */
  GST_BLOCKDCT_RATE_ESTIMATED,
  GST_BLOCKDCT_RATE_EXACT
} GstBlockDctRate;

/* How a frame was made. */
typedef struct
{
  BdctParams params;
  gint depth;
  const gchar *backend;         /* interned */
  const gchar *pad;             /* of blockdctcompare, interned: then only
                                   `coded` and its bits apply of the following.
                                   NULL: of blockdct */
  gboolean coded;               /* the size of the coded frame is known: */
  guint64 bits, header_bits;    /* of its picture, and of all other data */
  GstBlockDctRate rate;
  GstBlockDctTargets targets;
  gboolean target, target_met;  /* a target chose the setting; it is met */
  guint64 file_size;            /* bytes of the JPEG file, if it was coded for a
                                   target; 0: it was not */
  guint regions;                /* regions with a setting of their own */
  BdctViewMode view;            /* shown by its buffer, */
  gboolean grid;                /* with lines, or without */
} GstBlockDctRecipe;

/* Statistics pooled over some frames. */
typedef struct
{
  BdctPool pool;
  guint64 first_index;
  GstBlockDctTimes times;       /* of the first frame, with the duration of
                                   all */
  GstClockTime start, end;      /* of the earliest frame, of the latest frame */
  GstBlockDctRecipe recipe;     /* of the latest frame, except: `rate` is the
                                   least exact of all frames, `regions` the
                                   maximum, `target` is set if any frame had
                                   one, `target_met` if all were met, and bits
                                   are sums, if all are known */
} GstBlockDctSpan;

/* Counters since the start. */
typedef struct
{
  guint64 frames;
  guint64 dropped;              /* frames skipped for QoS; of blockdctcompare
                                   frames without a partner */
  BdctPool pool;                /* of the frames with the latest frame's
                                   depth */
  guint64 first_index;          /* of these frames */
  GstBlockDctRate rate;         /* the least exact of all frames */
  gint depth;
} GstBlockDctTotals;

/* The statistics of a stream, used by one thread at a time. Others read the
 * totals with the element's object lock, with which they are set. */
typedef struct
{
  GstBlockDctTotals totals;
  guint64 reported_dropped;     /* the part of `dropped` that a pooled message
                                   has reported */
  GstBlockDctSpan pooled;       /* since the last pooled message */
  GstBlockDctSpan interval;     /* since the last interval message */
  GstClockTime interval_end;
  gboolean below;               /* the last frame was below min-psnr-warning */
} GstBlockDctStatistics;

/* The times of a frame of `info` in `segment`. The duration follows from the
 * caps where `buffer` has none. */
GstBlockDctTimes gst_blockdct_times_of (GstBuffer * buffer,
    const GstSegment * segment, const GstVideoInfo * info);

/* Register the custom metas, among them the marks; more calls do nothing. */
void gst_blockdct_statistics_init (void);

/* Add one frame, or report the latest one again, as a `repeated` one, without
 * counting it. Its values are attached to `buffer` as the custom meta
 * GST_BLOCKDCT_NAME, or GST_BLOCKDCT_COMPARE_NAME. They are also posted as the
 * settings say: as a `frame` message or, with an `interval` above 0, pooled in
 * one message for each interval; and written to `file`, if that is not NULL.
 * FALSE, with an element error, if the stream has to end here: the file cannot
 * be written, or `psnr` is below its limit. */
gboolean gst_blockdct_statistics_report (GstBlockDctStatistics * statistics,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    const GstBlockDctCommon * common, gdouble psnr, gboolean repeated,
    GstBlockDctStatsFile * file);

/* At the end of a stream, post the last interval and the `pooled` message over
 * all frames since the previous one, if there are any. */
void gst_blockdct_statistics_end (GstBlockDctStatistics * statistics,
    GstElement * element, gboolean post);

/* Begin anew; count frames that have been dropped. */
void gst_blockdct_statistics_reset (GstBlockDctStatistics * statistics,
    GstElement * element);
void gst_blockdct_statistics_drop (GstBlockDctStatistics * statistics,
    GstElement * element, guint n);

/* Drop the current interval, as after a flush. */
void gst_blockdct_statistics_flush (GstBlockDctStatistics * statistics);

/* A custom meta that blockdct-preview puts on a frame that it shows again, and
 * that elements pass on: the frame is not counted. */
#define GST_BLOCKDCT_MARK_REPEATED "blockdct-repeated"

/* Mark a writable buffer, if it is not yet. */
void gst_blockdct_mark_add (GstBuffer * buffer, const gchar * mark);

gboolean gst_blockdct_mark_is (GstBuffer * buffer, const gchar * mark);

/* The structure of a buffer's custom meta; NULL: it has none. */
const GstStructure *gst_blockdct_find_meta (GstBuffer * buffer,
    const gchar * name);

/* Structures (gstblockdctstructure.c) */

/* Make the table; call it once, before all other functions. */
void gst_blockdct_structure_init (void);

/* What a structure describes (bits). */
typedef enum
{
  GST_BLOCKDCT_PLACE_FRAME = 1, /* the meta, and its message */
  GST_BLOCKDCT_PLACE_INTERVAL = 2,
  GST_BLOCKDCT_PLACE_POOLED = 4,        /* all frames, */
  GST_BLOCKDCT_PLACE_STATS = 8  /* also in the property `stats` */
} GstBlockDctPlace;

/* Fill in the fields of a span, with the number of dropped frames, or of a
 * frame that is shown again (`repeated`). */
void gst_blockdct_structure_fill (GstStructure * s, GstBlockDctPlace place,
    const GstBlockDctSpan * span, guint64 dropped, gboolean repeated);

/* Make the message `blockdct-curve` of a frame: `stats` at each of the curve's
 * settings; `exact` says whether their bits are. And the structure of `stats`,
 * of a `pad` of blockdctcompare or, with NULL, of blockdct. The caller owns
 * them. */
GstStructure *gst_blockdct_structure_curve (const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times, guint64 index);
GstStructure *gst_blockdct_structure_stats (const GstBlockDctTotals * totals,
    const gchar * pad);

/* Columns of files: of blockdct and of blockdctcompare in .csv; in .log behind
 * ffmpeg's own; and of the metrics' figures, which both have. */
typedef enum
{
  GST_BLOCKDCT_COLUMNS_CSV, GST_BLOCKDCT_COLUMNS_PADS,
  GST_BLOCKDCT_COLUMNS_LOG, GST_BLOCKDCT_COLUMNS_FIGURES,
  GST_BLOCKDCT_N_COLUMNS
} GstBlockDctColumns;

/* Their names in order, ended by 0. */
const GQuark *gst_blockdct_structure_columns (GstBlockDctColumns which);
