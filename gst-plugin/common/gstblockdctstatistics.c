/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctstatistics.h"

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
  if (!GST_CLOCK_TIME_IS_VALID (times.duration))
    times.duration = gst_blockdct_times_of_frames (info, 1);
  return times;
}

void
gst_blockdct_statistics_init (void)
{
  static const gchar *const names[] = { GST_BLOCKDCT_NAME,
    GST_BLOCKDCT_COMPARE_NAME, GST_BLOCKDCT_MARK_REPEATED
  };
  static const gchar *no_tags[] = { NULL };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_blockdct_structure_init ();
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      gst_meta_register_custom (names[i], no_tags, NULL, NULL, NULL);
    g_once_init_leave (&once, 1);
  }
}

void
gst_blockdct_mark_add (GstBuffer * buffer, const gchar * mark)
{
  if (!gst_blockdct_mark_is (buffer, mark))
    gst_buffer_add_custom_meta (buffer, mark);
}

gboolean
gst_blockdct_mark_is (GstBuffer * buffer, const gchar * mark)
{
  return gst_blockdct_find_meta (buffer, mark) != NULL;
}

/* Not by gst_buffer_get_custom_meta(), which looks the name up first, also
 * where a buffer has no metas. */
const GstStructure *
gst_blockdct_find_meta (GstBuffer * buffer, const gchar * name)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    if (gst_meta_info_is_custom (meta->info)
        && gst_custom_meta_has_name ((GstCustomMeta *) meta, name))
      return gst_custom_meta_get_structure ((GstCustomMeta *) meta);
  return NULL;
}

static const gchar *
name_of (const GstBlockDctRecipe * recipe)
{
  return recipe->pad != NULL ? GST_BLOCKDCT_COMPARE_NAME : GST_BLOCKDCT_NAME;
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

/* Extend the span by a frame. GST_CLOCK_TIME_NONE is above all times. */
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
    const GstBlockDctRecipe * recipe, guint64 index,
    const GstBlockDctTimes * times)
{
  GstBlockDctRecipe before = span->recipe;

  span->recipe = *recipe;
  if (span->pool.frames == 0) {
    span->first_index = index;
    span->times = *times;
    span->start = span->end = GST_CLOCK_TIME_NONE;
    stretch (span, times);
  } else {
    stretch (span, times);
    if (GST_CLOCK_TIME_IS_VALID (span->end))
      span->times.duration = span->end - span->start;
    span->recipe.coded = recipe->coded && before.coded;
    span->recipe.bits += before.bits;
    span->recipe.header_bits += before.header_bits;
    span->recipe.rate = MIN (recipe->rate, before.rate);
    span->recipe.regions = MAX (recipe->regions, before.regions);
    span->recipe.target |= before.target;
    span->recipe.target_met = (!recipe->target || recipe->target_met)
        && (!before.target || before.target_met);
  }
  bdct_pool_add (&span->pool, stats, recipe->depth);
}

static void
post_span (GstElement * element, GstBlockDctPlace place,
    const GstBlockDctSpan * span, guint64 dropped)
{
  GstStructure *s = gst_structure_new_empty (name_of (&span->recipe));

  gst_blockdct_structure_fill (s, place, span, dropped, FALSE);
  post_structure (element, s);
}

static void
end_interval (GstBlockDctStatistics * statistics, GstElement * element,
    gboolean post)
{
  if (statistics->interval.pool.frames > 0 && post)
    post_span (element, GST_BLOCKDCT_PLACE_INTERVAL, &statistics->interval, 0);
  gst_blockdct_statistics_flush (statistics);
}

/* An interval starts at its first frame and ends with the frame that reaches
 * its end; the next one follows at once, so that intervals do not drift. */
static void
add_to_interval (GstBlockDctStatistics * statistics, GstElement * element,
    const BdctStats * stats, const GstBlockDctRecipe * recipe, guint64 index,
    const GstBlockDctTimes * times, gboolean post, GstClockTime interval)
{
  GstClockTime start = times->timestamp;
  GstClockTime end = statistics->interval_end;

  if (GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (end)) {
    if (start >= end || gst_blockdct_times_add (start, interval) < end) {
      end_interval (statistics, element, post);
      /* Keep the grid of the first interval, unless time has jumped. */
      statistics->interval_end = start >= end && start - end < interval
          ? gst_blockdct_times_add (end, interval)
          : gst_blockdct_times_add (start, interval);
    }
  } else if (GST_CLOCK_TIME_IS_VALID (start)) {
    statistics->interval_end = gst_blockdct_times_add (start, interval);
  }
  end = statistics->interval_end;
  add_to_span (&statistics->interval, stats, recipe, index, times);
  if (GST_CLOCK_TIME_IS_VALID (end_of (times))
      && GST_CLOCK_TIME_IS_VALID (end) && end_of (times) >= end) {
    end_interval (statistics, element, post);
    statistics->interval_end = gst_blockdct_times_add (end, interval);
  }
}

/* Attach the values of one frame to its buffer. */
static GstStructure *
attach (GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, guint64 index,
    const GstBlockDctTimes * times, gboolean repeated)
{
  GstBlockDctSpan span = { 0 };
  GstStructure *s = gst_custom_meta_get_structure (gst_buffer_add_custom_meta
      (buffer, name_of (recipe)));

  add_to_span (&span, stats, recipe, index, times);
  gst_blockdct_structure_fill (s, GST_BLOCKDCT_PLACE_FRAME, &span, 0, repeated);
  return s;
}

/* Count a frame, and report it. Returns its meta's structure. */
static const GstStructure *
add_frame (GstBlockDctStatistics * statistics, GstElement * element,
    GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    const GstBlockDctCommon * common)
{
  GstBlockDctTotals *totals = &statistics->totals;
  const guint64 index = totals->frames;
  const gboolean post = common->post_messages;
  GstStructure *s;

  /* Errors at different depths cannot be pooled. */
  if (statistics->pooled.pool.frames > 0
      && recipe->depth != statistics->pooled.recipe.depth)
    gst_blockdct_statistics_end (statistics, element, post);

  s = attach (buffer, stats, recipe, index, times, FALSE);
  GST_OBJECT_LOCK (element);
  totals->frames++;
  if (recipe->depth != totals->depth) {
    totals->pool = (BdctPool) { 0 };
    totals->depth = recipe->depth;
    totals->first_index = index;
    totals->rate = recipe->rate;
  }
  totals->rate = MIN (totals->rate, recipe->rate);
  bdct_pool_add (&totals->pool, stats, recipe->depth);
  GST_OBJECT_UNLOCK (element);
  add_to_span (&statistics->pooled, stats, recipe, index, times);
  if (common->interval > 0) {
    add_to_interval (statistics, element, stats, recipe, index, times, post,
        common->interval);
  } else {
    end_interval (statistics, element, post);
    if (post)
      post_structure (element, gst_structure_copy (s));
  }
  return s;
}

/* How a frame was made, and how to make a better one; to be freed. */
static gchar *
advise (const GstBlockDctRecipe * recipe)
{
  const BdctParams *params = &recipe->params;
  const BdctTransformInfo *info = bdct_transform_info (params->transform);
  const gchar *advice = "Choose a finer setting";
  g_autofree gchar *steps = NULL, *target = NULL;

  if (recipe->pad != NULL)
    return g_strdup ("Encode at a higher quality");
  if (!gst_blockdct_curve_is_possible (params)) {
    advice = "Use smaller steps";
    steps = g_strdup (params->n_steps > 0 ? "a quantization-matrix"
        : "a quantization-file");
  } else {
    steps = info->has_qp ? g_strdup_printf ("qp=%d", params->qp)
        : g_strdup_printf ("quality=%d", params->quality);
  }
  if (recipe->target) {
    advice = "Set another target";
    target = gst_blockdct_targets_describe (&recipe->targets);
  }
  return g_strdup_printf ("It was made with transform=%s, %s%s%s. %s",
      info->name, steps, target != NULL ? ", chosen for " : "",
      target != NULL ? target : "", advice);
}

/* Whether the frame is good enough to go on. A warning is posted when a
 * frame falls below its limit, and again only after a frame that reached it. */
static gboolean
check_psnr (GstBlockDctStatistics * statistics, GstElement * element,
    const GstBlockDctRecipe * recipe, guint64 index, GstClockTime timestamp,
    const GstBlockDctCommon * common, gdouble psnr)
{
  const gboolean bad = psnr < common->min_psnr_error;
  const gboolean below = psnr < common->min_psnr_warning;
  const gboolean warns = below && !statistics->below;
  g_autofree gchar *what = NULL, *advice = NULL;

  statistics->below = below;
  if (!bad && !warns)
    return TRUE;
  what = g_strdup_printf ("%s%s %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT
      " has a PSNR of %.2f dB, below", recipe->pad != NULL ? recipe->pad : "",
      recipe->pad != NULL ? ": frame" : "Frame", index,
      GST_TIME_ARGS (timestamp), psnr);
  if (warns)
    GST_ELEMENT_WARNING (element, STREAM, FAILED,
        ("%s min-psnr-warning=%g.", what, common->min_psnr_warning),
        ("The next warning comes only after a frame has reached the limit "
            "again."));
  if (!bad)
    return TRUE;
  advice = advise (recipe);
  GST_ELEMENT_ERROR (element, STREAM, FAILED,
      ("%s min-psnr-error=%g.", what, common->min_psnr_error),
      ("%s, or lower min-psnr-error.", advice));
  return FALSE;
}

gboolean
gst_blockdct_statistics_report (GstBlockDctStatistics * statistics,
    GstElement * element, GstBuffer * buffer, const BdctStats * stats,
    const GstBlockDctRecipe * recipe, const GstBlockDctTimes * times,
    const GstBlockDctCommon * common, gdouble psnr, gboolean repeated,
    GstBlockDctStatsFile * file)
{
  const guint64 index = statistics->totals.frames;
  GstStructure *s;

  if (!repeated)
    return gst_blockdct_stats_file_add (file, element, add_frame (statistics,
            element, buffer, stats, recipe, times, common))
        && check_psnr (statistics, element, recipe, index, times->timestamp,
        common, psnr);
  s = attach (buffer, stats, recipe, MAX (index, 1) - 1, times, TRUE);
  if (common->post_messages && common->interval == 0)
    post_structure (element, gst_structure_copy (s));
  return TRUE;
}

void
gst_blockdct_statistics_end (GstBlockDctStatistics * statistics,
    GstElement * element, gboolean post)
{
  guint64 dropped = statistics->totals.dropped - statistics->reported_dropped;

  end_interval (statistics, element, post);
  if (statistics->pooled.pool.frames > 0) {
    if (post)
      post_span (element, GST_BLOCKDCT_PLACE_POOLED, &statistics->pooled,
          dropped);
    statistics->reported_dropped = statistics->totals.dropped;
  }
  statistics->pooled = (GstBlockDctSpan) { 0 };
}

void
gst_blockdct_statistics_reset (GstBlockDctStatistics * statistics,
    GstElement * element)
{
  GST_OBJECT_LOCK (element);
  *statistics = (GstBlockDctStatistics) {
  .interval_end = GST_CLOCK_TIME_NONE};
  GST_OBJECT_UNLOCK (element);
}

void
gst_blockdct_statistics_drop (GstBlockDctStatistics * statistics,
    GstElement * element, guint n)
{
  GST_OBJECT_LOCK (element);
  statistics->totals.dropped += n;
  GST_OBJECT_UNLOCK (element);
}

void
gst_blockdct_statistics_flush (GstBlockDctStatistics * statistics)
{
  if (statistics->interval.pool.frames > 0)
    statistics->interval = (GstBlockDctSpan) { 0 };
  statistics->interval_end = GST_CLOCK_TIME_NONE;
}
