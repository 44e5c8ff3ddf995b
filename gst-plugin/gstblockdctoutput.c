/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said of a frame that comes out of the engine, and to whom. */
#include "gstblockdct.h"
#include "gstblockdctpool.h"

gboolean
gst_blockdct_output_open (GstBlockDct * self)
{
  gchar *path;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->stats_path);
  GST_OBJECT_UNLOCK (self);
  if (path == NULL || *path == '\0') {
    g_free (path);
    return TRUE;
  }
  self->stats_file = gst_blockdct_stats_file_open (path, GST_ELEMENT (self));
  g_free (path);
  return self->stats_file != NULL;
}

/* Nothing of a stream is lost unsaid: at its end, or where it is cut off. */
void
gst_blockdct_output_finish (GstBlockDct * self, gboolean close)
{
  if (close)
    gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
  else
    gst_blockdct_stats_file_flush (self->stats_file, GST_ELEMENT (self));
}

void
gst_blockdct_output_publish (GstBlockDct * self)
{
  GST_OBJECT_LOCK (self);
  self->totals = self->report.totals;
  GST_OBJECT_UNLOCK (self);
}

/* What of the frame has to be there until the next one is: to click on, and to
 * be shown again. */
static void
hold (GstBlockDct * self, const GstBlockDctInFlight * frame,
    const GstBlockDctTimes * times, guint64 index)
{
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  GstBuffer *in = NULL;
  GstBlockDctShown shown = {
    .info = self->info,
    .layout = self->layout,
    .view = frame->view,
    .params = frame->how.params,
    .second = frame->how.second,
    .index = index,
    .times = *times,
  };

  /* That is one more than was proposed to upstream. */
  if (settings.interactive || settings.keep_frame)
    in = gst_blockdct_pool_is_limited (frame->in)
        ? gst_buffer_copy_deep (frame->in) : gst_buffer_ref (frame->in);
  shown.in = in;
  gst_blockdct_navigation_show (&self->navigation,
      settings.interactive && in != NULL ? &shown : NULL);
  gst_blockdct_navigation_follow (&self->navigation, GST_ELEMENT (self));
  gst_blockdct_repeat_keep (self, settings.keep_frame ? in : NULL,
      frame->asked);
  gst_clear_buffer (&in);
}

/* What a frame's steps come from, to be freed, and what makes them finer. */
static gchar *
describe_steps (const GstBlockDctInFlight * frame, const gchar ** advice)
{
  const BdctParams *params = &frame->how.params;
  BdctFamily family = bdct_transform_info (params->transform)->family;
  gchar *setting, *target, *text;

  *advice = "Give it smaller steps";
  if (!gst_blockdct_sweep_is_possible (params))
    return g_strdup (params->n_steps > 0 ? "a quantization-matrix"
        : "a quantization-file");
  *advice = "Choose a finer setting";
  setting = bdct_family_has_qp (family)
      ? g_strdup_printf ("qp=%d", params->qp)
      : g_strdup_printf ("quality=%d", params->quality);
  if (!frame->how.target)
    return setting;
  *advice = "Set another target";
  target = gst_blockdct_targets_describe (&frame->targets);
  text = g_strdup_printf ("%s, chosen for %s", setting, target);
  g_free (setting);
  g_free (target);
  return text;
}

/* Whether the frame is good enough to go on. Who falls below a warning's limit
 * is told once, until a frame is above it again. */
static gboolean
check_psnr (GstBlockDct * self, const GstBlockDctInFlight * frame,
    const BdctStats * stats, const GstBlockDctTimes * times, guint64 index)
{
  BdctCounters total = bdct_stats_total (stats);
  gdouble psnr = bdct_psnr (bdct_mse (&total), frame->how.depth);
  gboolean bad = psnr < frame->min_psnr_error;
  gboolean below = psnr < frame->min_psnr_warning;
  gchar *what = NULL;

  if (bad || (below && !self->below))
    what = g_strdup_printf ("Frame %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT
        " has a PSNR of %.2f dB, below", index,
        GST_TIME_ARGS (times->timestamp), psnr);
  if (below && !self->below)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("%s min-psnr-warning=%g.", what, frame->min_psnr_warning),
        ("The next warning is after a frame that is not."));
  if (bad) {
    const gchar *advice;
    gchar *steps = describe_steps (frame, &advice);

    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("%s min-psnr-error=%g.", what, frame->min_psnr_error),
        ("It was made with transform=%s, %s. %s, or lower min-psnr-error.",
            bdct_transform_info (frame->how.params.transform)->name, steps,
            advice));
    g_free (steps);
  }
  self->below = below;
  g_free (what);
  return !bad;
}

GstFlowReturn
gst_blockdct_output_frame (GstBlockDct * self)
{
  guint64 index = self->report.totals.frames;
  gboolean ok = TRUE;
  GstBlockDctOverlayFrame drawn;
  GstBlockDctInFlight frame;
  GstBlockDctTimes times;
  BdctStats stats[1 + BDCT_MAX_OTHERS + 1], *second;
  GstStructure *figures = NULL;
  GstFlowReturn ret = gst_blockdct_queue_collect (self, &frame, stats);

  if (ret != GST_FLOW_OK)
    return ret;
  second = stats + 1 + frame.curve.n;
  times = gst_blockdct_times_of (frame.out,
      &GST_BASE_TRANSFORM (self)->segment, &self->info);
  /* It was chosen without them. */
  if (frame.how.target && frame.how.regions > 0)
    frame.how.target_met = gst_blockdct_targets_are_met (&frame.targets,
        frame.how.depth, frame.exact, stats);
  else if (frame.how.file_size > 0)
    stats->file_size = frame.how.file_size;
  if (frame.repeated) {
    index--;
    gst_blockdct_report_repeated (&self->report, GST_ELEMENT (self), frame.out,
        stats, second, &frame.how, &times, frame.post_messages
        && frame.interval == 0);
  } else {
    figures =
        gst_blockdct_report_frame (&self->report, GST_ELEMENT (self), frame.out,
        stats, second, &frame.how, &times, frame.post_messages, frame.interval);
  }
  if (frame.curve.n > 0)
    gst_blockdct_report_curve (&self->report, GST_ELEMENT (self), &frame.curve,
        stats + 1, frame.exact, &frame.how, &times);
  gst_blockdct_output_publish (self);
  hold (self, &frame, &times, index);
  gst_buffer_unref (frame.in);
  drawn = (GstBlockDctOverlayFrame) {
    .buffer = frame.out,
    .info = &self->info,
    .layout = &self->layout,
    .view = &frame.view,
    .stats = stats,
    .second = second,
    .how = &frame.how,
    .figures = frame.overlay,
    .magnifier = frame.magnifier,
    .magnifier_x = frame.magnifier_x,
    .magnifier_y = frame.magnifier_y,
    .attach = self->overlay_attach,
  };
  gst_blockdct_overlay_draw (&self->overlay, GST_ELEMENT (self), &drawn);
  if (!frame.repeated)
    ok = gst_blockdct_stats_file_add (self->stats_file, GST_ELEMENT (self),
        figures) && check_psnr (self, &frame, stats, &times, index);
  if (!ok) {
    gst_buffer_unref (frame.out);
    /* The stream ends here, also for what is behind it. */
    gst_blockdct_queue_discard (self);
    return GST_FLOW_ERROR;
  }
  self->ready = frame.out;
  return GST_FLOW_OK;
}
