/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctprivate.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

gboolean
gst_blockdct_finish_open (GstBlockDct * self)
{
  GstBlockDctFinish *finish = &self->finish;
  g_autofree gchar *path = NULL;

  finish->statistics = (GstBlockDctStatistics) { 0 };
  gst_blockdct_statistics_flush (&finish->statistics);
  finish->below = FALSE;
  gst_blockdct_finish_publish (self);
  GST_OBJECT_LOCK (self);
  path = g_strdup (self->shared.settings.start.stats_file);
  GST_OBJECT_UNLOCK (self);
  return gst_blockdct_stats_file_open (&finish->file, path, GST_ELEMENT (self));
}

void
gst_blockdct_finish_end (GstBlockDct * self)
{
  gst_blockdct_statistics_end (&self->finish.statistics, GST_ELEMENT (self),
      gst_blockdct_get_settings (self).post_messages);
}

void
gst_blockdct_finish_publish (GstBlockDct * self)
{
  GST_OBJECT_LOCK (self);
  self->shared.totals = self->finish.statistics.totals;
  GST_OBJECT_UNLOCK (self);
}

/* Publish the frame that is shown now, and the counters. */
static void
publish_frame (GstBlockDct * self, const GstBlockDctFrame * frame,
    const GstBlockDctTimes * times, guint64 index)
{
  gst_blockdct_finish_publish (self);
  GST_OBJECT_LOCK (self);
  self->shared.shown = (GstBlockDctShown) { TRUE, self->info, self->layout,
    frame->recipe.params, index, *times
  };
  GST_OBJECT_UNLOCK (self);
}

GstBlockDctShown
gst_blockdct_get_shown (GstElement * blockdct)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (blockdct);
  GstBlockDctShown shown;

  GST_OBJECT_LOCK (self);
  shown = self->shared.shown;
  GST_OBJECT_UNLOCK (self);
  return shown;
}

/* Describe where a frame's steps come from, to be freed; `*advice` says how to
 * make them finer. */
static gchar *
describe_steps (const GstBlockDctFrame * frame, const gchar ** advice)
{
  const BdctParams *params = &frame->recipe.params;
  g_autofree gchar *setting = NULL, *target = NULL;

  *advice = "Use smaller steps";
  if (!gst_blockdct_curve_is_possible (params))
    return g_strdup (params->n_steps > 0 ? "a quantization-matrix"
        : "a quantization-file");
  *advice = "Choose a finer setting";
  setting = bdct_transform_info (params->transform)->has_qp
      ? g_strdup_printf ("qp=%d", params->qp)
      : g_strdup_printf ("quality=%d", params->quality);
  if (!frame->recipe.target)
    return g_steal_pointer (&setting);
  *advice = "Set another target";
  target = gst_blockdct_targets_describe (&frame->targets);
  return g_strdup_printf ("%s, chosen for %s", setting, target);
}

/* Whether the frame is good enough to go on. A warning is posted when a
 * frame falls below its limit, and again only after a frame that reached it. */
static gboolean
check_psnr (GstBlockDct * self, const GstBlockDctFrame * frame,
    const BdctStats * stats, const GstBlockDctTimes * times, guint64 index)
{
  BdctCounters total = bdct_counters_sum (stats->component);
  gdouble psnr = bdct_psnr (bdct_mse (&total), frame->recipe.depth);
  gboolean bad = psnr < frame->min_psnr_error;
  gboolean below = psnr < frame->min_psnr_warning;
  g_autofree gchar *what = NULL;

  if (bad || (below && !self->finish.below))
    what = g_strdup_printf ("Frame %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT
        " has a PSNR of %.2f dB, below", index,
        GST_TIME_ARGS (times->timestamp), psnr);
  if (below && !self->finish.below)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("%s min-psnr-warning=%g.", what, frame->min_psnr_warning),
        ("The next warning comes only after a frame has reached the limit "
            "again."));
  if (bad) {
    const gchar *advice;
    g_autofree gchar *steps = describe_steps (frame, &advice);

    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("%s min-psnr-error=%g.", what, frame->min_psnr_error),
        ("It was made with transform=%s, %s. %s, or lower min-psnr-error.",
            bdct_transform_info (frame->recipe.params.transform)->name, steps,
            advice));
  }
  self->finish.below = below;
  return !bad;
}

/* Report a frame's figures. FALSE, with an element error, if the stream has to
 * end here. */
static gboolean
report_frame (GstBlockDct * self, GstBlockDctFrame * frame,
    const BdctStats * stats)
{
  GstBlockDctStatistics *statistics = &self->finish.statistics;
  GstElement *element = GST_ELEMENT (self);
  /* The frame that is shown again may have been dropped by a flush. */
  const guint64 frames = statistics->totals.frames;
  const guint64 index = frames - (frame->repeated && frames > 0);
  const GstBlockDctTimes times = gst_blockdct_times_of (frame->out,
      &GST_BASE_TRANSFORM (self)->segment, &self->info);
  const GstStructure *figures = NULL;

  if (frame->repeated)
    gst_blockdct_statistics_repeated (statistics, element, frame->out, stats,
        &frame->recipe, &times, frame->post_messages && frame->interval == 0);
  else
    figures =
        gst_blockdct_statistics_frame (statistics, element, frame->out, stats,
        &frame->recipe, &times, frame->post_messages, frame->interval);
  if (frame->curve.n > 0)
    gst_element_post_message (element, gst_message_new_element (GST_OBJECT
            (element), gst_blockdct_structure_curve (&frame->curve,
                frame->curve_stats, frame->exact, &frame->recipe, &times,
                index)));
  publish_frame (self, frame, &times, index);
  return frame->repeated || (gst_blockdct_stats_file_add
      (self->finish.file, element, figures)
      && check_psnr (self, frame, stats, &times, index));
}

GstFlowReturn
gst_blockdct_finish_frame (GstBlockDct * self, GstBuffer ** buffer)
{
  GstBlockDctFrame frame;
  BdctStats stats;
  GstFlowReturn ret = gst_blockdct_inflight_collect (self, &frame, &stats);
  gboolean go_on;

  if (ret != GST_FLOW_OK)
    return ret;
  /* The target's search does not know the regions. */
  if (frame.recipe.target && frame.recipe.regions > 0)
    frame.recipe.target_met = gst_blockdct_targets_are_met (&frame.targets,
        frame.recipe.depth, frame.exact, &stats);
  else if (frame.recipe.file_size > 0)
    stats.file_size = frame.recipe.file_size;
  gst_buffer_unref (frame.in);
  go_on = report_frame (self, &frame, &stats);
  g_free (frame.curve_stats);
  if (go_on) {
    *buffer = frame.out;
    return GST_FLOW_OK;
  }
  gst_buffer_unref (frame.out);
  /* The stream ends here, also for the frames behind this one. */
  gst_blockdct_inflight_discard (self);
  return GST_FLOW_ERROR;
}
