/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctprivate.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

gboolean
gst_blockdct_finish_open (GstBlockDct * self)
{
  GstBlockDctFinish *finish = &self->finish;

  finish->statistics = (GstBlockDctStatistics) { 0 };
  gst_blockdct_statistics_flush (&finish->statistics);
  gst_blockdct_finish_publish (self);
  return gst_blockdct_stats_file_open (&finish->file,
      &self->shared.settings.common.stats_file, GST_ELEMENT (self));
}

void
gst_blockdct_finish_end (GstBlockDct * self)
{
  gst_blockdct_statistics_end (&self->finish.statistics, GST_ELEMENT (self),
      gst_blockdct_get_settings (self).common.post_messages);
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
  const BdctCounters total = bdct_counters_sum (stats->component);
  const gboolean ok = gst_blockdct_statistics_report (statistics, element,
      frame->out, stats, &frame->recipe, &times, &frame->common,
      bdct_psnr (bdct_mse (&total), frame->recipe.depth), frame->repeated,
      self->finish.file);

  if (frame->curve.n > 0)
    gst_element_post_message (element, gst_message_new_element (GST_OBJECT
            (element), gst_blockdct_structure_curve (&frame->curve,
                frame->curve_stats, frame->exact, &frame->recipe, &times,
                index)));
  publish_frame (self, frame, &times, index);
  return ok;
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
    frame.recipe.target_met =
        gst_blockdct_targets_are_met (&frame.recipe.targets,
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
