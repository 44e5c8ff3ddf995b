/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctreport.h"

void
gst_blockdct_report_init (void)
{
  static const gchar *no_tags[] = { NULL };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_meta_register_custom (GST_BLOCKDCT_NAME, no_tags, NULL, NULL, NULL);
    g_once_init_leave (&once, 1);
  }
}

/* Names of a figure by component, as literals: GStreamer interns them. */
typedef const gchar *Names[BDCT_MAX_COMPONENTS];
static const Names mse_names = { "mse-y", "mse-u", "mse-v" };
static const Names psnr_names = { "psnr-y", "psnr-u", "psnr-v" };
static const Names sse_names = { "sse-y", "sse-u", "sse-v" };
static const Names samples_names = { "samples-y", "samples-u", "samples-v" };

/* The figures that frames, intervals and the whole stream have in common. */
static void
set_figures (GstStructure * s, const BdctStats * stats, gint depth)
{
  BdctCounters total = bdct_stats_total (stats);
  gdouble mse = bdct_mse (&total);

  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];

    if (counters->samples == 0)
      continue;
    gst_structure_set (s,
        mse_names[c], G_TYPE_DOUBLE, bdct_mse (counters),
        psnr_names[c], G_TYPE_DOUBLE, bdct_psnr (bdct_mse (counters), depth),
        NULL);
  }
  gst_structure_set (s,
      "mse", G_TYPE_DOUBLE, mse,
      "psnr", G_TYPE_DOUBLE, bdct_psnr (mse, depth),
      "identical", G_TYPE_BOOLEAN, total.sse == 0,
      "nonzero", G_TYPE_DOUBLE,
      total.levels ? (gdouble) total.nonzero / total.levels : 0.0, NULL);
}

static GstStructure *
make_structure (const gchar * type, const GstBlockDctSpan * span)
{
  const GstBlockDctHow *how = &span->how;
  const BdctTransformInfo *info = bdct_transform_info (how->params.transform);
  const GstBlockDctTimes *t = &span->times;
  GstStructure *s = gst_structure_new (GST_BLOCKDCT_NAME,
      "type", G_TYPE_STRING, type,
      "timestamp", G_TYPE_UINT64, t->timestamp,
      "stream-time", G_TYPE_UINT64, t->stream_time,
      "running-time", G_TYPE_UINT64, t->running_time,
      "duration", G_TYPE_UINT64, t->duration,
      "index", G_TYPE_UINT64, span->first_index,
      "frames", G_TYPE_UINT64, span->pool.frames, NULL);

  set_figures (s, &span->pool.sum, how->depth);
  gst_structure_set (s, "transform", G_TYPE_STRING, info->name,
      info->family == BDCT_FAMILY_HEVC ? "qp" : "quality", G_TYPE_INT,
      info->family == BDCT_FAMILY_HEVC ? how->params.qp : how->params.quality,
      "backend", G_TYPE_STRING, how->backend, NULL);
  return s;
}

static void
set_spread (GstStructure * s, const BdctPool * pool)
{
  gst_structure_set (s,
      "psnr-mean", G_TYPE_DOUBLE, pool->psnr_mean,
      "psnr-min", G_TYPE_DOUBLE, pool->psnr_min,
      "psnr-max", G_TYPE_DOUBLE, pool->psnr_max, NULL);
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
  if (!GST_CLOCK_TIME_IS_VALID (times->timestamp)
      || !GST_CLOCK_TIME_IS_VALID (times->duration))
    return GST_CLOCK_TIME_NONE;
  return times->timestamp + times->duration;
}

static void
add_to_span (GstBlockDctSpan * span, const BdctStats * stats,
    const GstBlockDctHow * how, guint64 index, const GstBlockDctTimes * times)
{
  if (span->pool.frames == 0) {
    span->first_index = index;
    span->times = *times;
  } else if (GST_CLOCK_TIME_IS_VALID (end_of (times))
      && GST_CLOCK_TIME_IS_VALID (span->times.timestamp)
      && end_of (times) > span->times.timestamp) {
    span->times.duration = end_of (times) - span->times.timestamp;
  }
  span->how = *how;
  bdct_pool_add (&span->pool, stats, how->depth);
}

static void
end_interval (GstBlockDctReport * report, GstElement * element, gboolean post)
{
  if (report->interval.pool.frames > 0 && post) {
    GstStructure *s = make_structure ("interval", &report->interval);

    set_spread (s, &report->interval.pool);
    post_structure (element, s);
  }
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
    if (start >= end || start + interval < end) {
      end_interval (report, element, post);
      /* On the grid of the first interval, unless time has jumped. */
      report->interval_end = start >= end && start - end < interval
          ? end + interval : start + interval;
    }
  } else if (GST_CLOCK_TIME_IS_VALID (start)) {
    report->interval_end = start + interval;
  }
  end = report->interval_end;
  add_to_span (&report->interval, stats, how, index, times);
  if (GST_CLOCK_TIME_IS_VALID (end_of (times))
      && GST_CLOCK_TIME_IS_VALID (end) && end_of (times) >= end) {
    end_interval (report, element, post);
    report->interval_end = end + interval;
  }
}

static gboolean
copy_field (GQuark name, const GValue * value, gpointer structure)
{
  gst_structure_id_set_value (structure, name, value);
  return TRUE;
}

void
gst_blockdct_report_frame (GstBlockDctReport * report, GstElement * element,
    GstBuffer * buffer, const BdctStats * stats, const GstBlockDctHow * how,
    const GstBlockDctTimes * times, gboolean post, GstClockTime interval)
{
  GstBlockDctSpan span = { 0 };
  GstCustomMeta *meta;
  guint64 index = report->totals.pool.frames;
  GstStructure *s;

  /* Errors at different depths cannot be pooled. */
  if (report->pooled.pool.frames > 0 && how->depth != report->pooled.how.depth)
    gst_blockdct_report_end (report, element, post);

  add_to_span (&span, stats, how, index, times);
  s = make_structure ("frame", &span);
  meta = gst_buffer_add_custom_meta (buffer, GST_BLOCKDCT_NAME);
  if (meta != NULL)
    gst_structure_foreach (s, copy_field, gst_custom_meta_get_structure (meta));

  bdct_pool_add (&report->totals.pool, stats, how->depth);
  report->totals.depth = how->depth;
  add_to_span (&report->pooled, stats, how, index, times);
  if (interval > 0) {
    gst_structure_free (s);
    add_to_interval (report, element, stats, how, index, times, post,
        interval);
  } else {
    end_interval (report, element, post);
    if (post)
      post_structure (element, s);
    else
      gst_structure_free (s);
  }
}

void
gst_blockdct_report_end (GstBlockDctReport * report, GstElement * element,
    gboolean post)
{
  guint64 dropped = report->totals.dropped - report->reported_dropped;

  end_interval (report, element, post);
  if (report->pooled.pool.frames > 0) {
    if (post) {
      GstStructure *s = make_structure ("pooled", &report->pooled);

      set_spread (s, &report->pooled.pool);
      gst_structure_set (s, "dropped", G_TYPE_UINT64, dropped, NULL);
      post_structure (element, s);
    }
    report->reported_dropped = report->totals.dropped;
  }
  report->pooled = (GstBlockDctSpan) { 0 };
}

void
gst_blockdct_report_flush (GstBlockDctReport * report)
{
  report->interval = (GstBlockDctSpan) { 0 };
  report->interval_end = GST_CLOCK_TIME_NONE;
}

GstStructure *
gst_blockdct_report_stats (const GstBlockDctTotals * totals)
{
  const BdctPool *pool = &totals->pool;
  GstStructure *s = gst_structure_new (GST_BLOCKDCT_NAME "-stats",
      "frames", G_TYPE_UINT64, pool->frames,
      "dropped", G_TYPE_UINT64, totals->dropped, NULL);

  if (pool->frames == 0)
    return s;
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &pool->sum.component[c];

    if (counters->samples == 0)
      continue;
    gst_structure_set (s,
        sse_names[c], G_TYPE_UINT64, counters->sse,
        samples_names[c], G_TYPE_UINT64, counters->samples, NULL);
  }
  set_figures (s, &pool->sum, totals->depth);
  set_spread (s, pool);
  return s;
}
