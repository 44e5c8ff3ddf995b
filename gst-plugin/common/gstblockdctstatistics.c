/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctstatistics.h"
#include "gstblockdctmark.h"
#include "gstblockdctstructure.h"

/* Of blockdct, and of blockdctcompare. */
static const GstMetaInfo *meta_infos[2];

GstBlockDctTimes
gst_blockdct_times_of (GstBuffer * buffer, const GstSegment * segment,
    const GstVideoInfo * info)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstBlockDctTimes times = {
    .timestamp = pts,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_BUFFER_DURATION (buffer),
  };

  if (segment->format == GST_FORMAT_TIME) {
    times.stream_time =
        gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts);
    times.running_time =
        gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  }
  if (!GST_CLOCK_TIME_IS_VALID (times.duration)
      && GST_VIDEO_INFO_FPS_N (info) > 0)
    times.duration = gst_util_uint64_scale_int (GST_SECOND,
        GST_VIDEO_INFO_FPS_D (info), GST_VIDEO_INFO_FPS_N (info));
  return times;
}

void
gst_blockdct_report_init (void)
{
  static const gchar *no_tags[] = { NULL };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_blockdct_fields_init ();
    gst_blockdct_mark_init ();
    meta_infos[0] = gst_meta_register_custom (GST_BLOCKDCT_NAME, no_tags, NULL,
        NULL, NULL);
    meta_infos[1] = gst_meta_register_custom (GST_BLOCKDCT_COMPARE_NAME,
        no_tags, NULL, NULL, NULL);
    g_once_init_leave (&once, 1);
  }
}

static void
post_structure (GstElement * element, GstStructure * s)
{
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element), s));
}

static GstClockTime
end_of (const GstBlockDctTimes * times)
{
  return gst_blockdct_times_add (times->timestamp, times->duration);
}

/* GST_CLOCK_TIME_NONE is above all times. */
static void
stretch (GstBlockDctSpan * span, const GstBlockDctTimes * times)
{
  GstClockTime end = GST_CLOCK_TIME_IS_VALID (end_of (times)) ? end_of (times)
      : times->timestamp;

  if (!GST_CLOCK_TIME_IS_VALID (end))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (span->end) || end > span->end)
    span->end = end;
  span->start = MIN (span->start, times->timestamp);
}

static void
add_to_span (GstBlockDctSpan * span, const BdctStats * stats,
    const GstBlockDctHow * how, guint64 index, const GstBlockDctTimes * times)
{
  GstBlockDctHow before = span->how;

  span->how = *how;
  if (span->pool.frames == 0) {
    span->first_index = index;
    span->times = *times;
    span->start = span->end = GST_CLOCK_TIME_NONE;
    stretch (span, times);
  } else {
    stretch (span, times);
    if (GST_CLOCK_TIME_IS_VALID (span->end))
      span->times.duration = span->end - span->start;
    span->how.coded = how->coded && before.coded;
    span->how.bits += before.bits;
    span->how.header_bits += before.header_bits;
    span->how.rate = MIN (how->rate, before.rate);
    span->how.regions = MAX (how->regions, before.regions);
    span->how.target |= before.target;
    span->how.target_met = (!how->target || how->target_met)
        && (!before.target || before.target_met);
  }
  bdct_pool_add (&span->pool, stats, how->depth);
}

static void
end_interval (GstBlockDctReport * report, GstElement * element, gboolean post)
{
  if (report->interval.pool.frames > 0 && post)
    post_structure (element, gst_blockdct_fields_interval (&report->interval));
  gst_blockdct_report_flush (report);
}

/* An interval starts at its first frame and ends with the frame that reaches
 * its end; the next one follows at once, so that intervals do not drift. */
static void
add_to_interval (GstBlockDctReport * report, GstElement * element,
    const BdctStats * stats, const GstBlockDctHow * how, guint64 index,
    const GstBlockDctTimes * times, gboolean post, GstClockTime interval)
{
  GstClockTime start = times->timestamp;
  GstClockTime end = report->interval_end;

  if (GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (end)) {
    if (start >= end || gst_blockdct_times_add (start, interval) < end) {
      end_interval (report, element, post);
      /* On the grid of the first interval, unless time has jumped. */
      report->interval_end = start >= end && start - end < interval
          ? gst_blockdct_times_add (end, interval)
          : gst_blockdct_times_add (start, interval);
    }
  } else if (GST_CLOCK_TIME_IS_VALID (start)) {
    report->interval_end = gst_blockdct_times_add (start, interval);
  }
  end = report->interval_end;
  add_to_span (&report->interval, stats, how, index, times);
  if (GST_CLOCK_TIME_IS_VALID (end_of (times))
      && GST_CLOCK_TIME_IS_VALID (end) && end_of (times) >= end) {
    end_interval (report, element, post);
    report->interval_end = gst_blockdct_times_add (end, interval);
  }
}

/* The values of one frame, attached to its buffer. */
static GstStructure *
attach (GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctHow * how, guint64 index, const GstBlockDctTimes * times)
{
  GstBlockDctSpan span = { 0 };
  GstStructure *s = gst_custom_meta_get_structure ((GstCustomMeta *)
      gst_buffer_add_meta (buffer, meta_infos[how->pad != NULL], NULL));

  add_to_span (&span, stats, how, index, times);
  gst_blockdct_fields_frame (s, &span);
  return s;
}

void
gst_blockdct_report_repeated (const GstBlockDctReport * report,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctHow * how, const GstBlockDctTimes * times, gboolean post)
{
  GstStructure *s = attach (buffer, stats, how,
      report->totals.frames - 1, times);

  gst_blockdct_fields_repeated (s);
  if (post)
    post_structure (element, gst_structure_copy (s));
}

GstStructure *
gst_blockdct_report_frame (GstBlockDctReport * report, GstElement * element,
    GstBuffer * buffer, const BdctStats * stats, const GstBlockDctHow * how,
    const GstBlockDctTimes * times, gboolean post, GstClockTime interval)
{
  GstBlockDctTotals *totals = &report->totals;
  guint64 index = totals->frames++;
  GstStructure *s;

  /* Errors at different depths cannot be pooled. */
  if (report->pooled.pool.frames > 0 && how->depth != report->pooled.how.depth)
    gst_blockdct_report_end (report, element, post);

  s = attach (buffer, stats, how, index, times);
  if (how->depth != totals->depth) {
    totals->pool = (BdctPool) {
    0};
    totals->depth = how->depth;
    totals->first_index = index;
    totals->rate = how->rate;
  }
  totals->rate = MIN (totals->rate, how->rate);
  bdct_pool_add (&totals->pool, stats, how->depth);
  add_to_span (&report->pooled, stats, how, index, times);
  if (interval > 0) {
    add_to_interval (report, element, stats, how, index, times, post, interval);
  } else {
    end_interval (report, element, post);
    if (post)
      post_structure (element, gst_structure_copy (s));
  }
  return s;
}

void
gst_blockdct_report_curve (const GstBlockDctReport * report,
    GstElement * element, const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctHow * how,
    const GstBlockDctTimes * times)
{
  post_structure (element, gst_blockdct_fields_curve (curve, stats, exact, how,
          times, report->totals.frames - 1));
}

void
gst_blockdct_report_end (GstBlockDctReport * report, GstElement * element,
    gboolean post)
{
  guint64 dropped = report->totals.dropped - report->reported_dropped;

  end_interval (report, element, post);
  if (report->pooled.pool.frames > 0) {
    if (post)
      post_structure (element, gst_blockdct_fields_pooled (&report->pooled,
              dropped));
    report->reported_dropped = report->totals.dropped;
  }
  report->pooled = (GstBlockDctSpan) {
  0};
}

void
gst_blockdct_report_flush (GstBlockDctReport * report)
{
  report->interval = (GstBlockDctSpan) {
  0};
  report->interval_end = GST_CLOCK_TIME_NONE;
}
