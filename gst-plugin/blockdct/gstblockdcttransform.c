/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctprivate.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpool.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

static GstBaseTransformClass *parent_class;

/* Reports */

gboolean
gst_blockdct_finish_open (GstBlockDct * self)
{
  gst_blockdct_statistics_reset (&self->shared.statistics, GST_ELEMENT (self));
  return gst_blockdct_stats_file_open (&self->stats_file,
      &self->shared.settings.common.stats_file, GST_ELEMENT (self));
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
  GstBlockDctStatistics *statistics = &self->shared.statistics;
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
      self->stats_file);

  if (frame->curve.n > 0)
    gst_element_post_message (element, gst_message_new_element (GST_OBJECT
            (element), gst_blockdct_structure_curve (&frame->curve,
                frame->curve_stats, frame->exact, &frame->recipe, &times,
                index)));
  GST_OBJECT_LOCK (self);
  self->shared.shown = (GstBlockDctShown) {
  TRUE, self->info, self->layout, frame->recipe.params, index, times};
  GST_OBJECT_UNLOCK (self);
  return ok;
}

/* Take the oldest frame out of the engine and report it. `*buffer` is the
 * caller's. */
static GstFlowReturn
finish_frame (GstBlockDct * self, GstBuffer ** buffer)
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

/* Frames */

void
gst_blockdct_drain (GstBlockDct * self)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *buffer;

  while (self->inflight.n > 0 && ret == GST_FLOW_OK) {
    ret = finish_frame (self, &buffer);
    if (ret == GST_FLOW_OK)
      ret = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), buffer);
  }
  /* Downstream has refused the frames that are left. */
  gst_blockdct_inflight_discard (self);
}

/* Move to another context, if the stream has: the base class then asks for a
 * new pool before the frame is started. */
static gboolean
follow_context (GstBlockDct * self, GstBuffer * buffer)
{
  GstBlockDctBackend *backend = &self->shared.backend;
  g_autoptr (GstObject) other = NULL;

  /* An earlier move failed, with an error: there is no engine. */
  if (backend->klass == NULL)
    return FALSE;
  other = gst_blockdct_backend_find_other (backend, buffer,
      self->settings.common.device_id);
  if (other == NULL)
    return TRUE;
  gst_blockdct_drain (self);
  gst_blockdct_inflight_close (self);
  gst_blockdct_backend_set_context (backend, other);
  gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
  return gst_blockdct_inflight_open (self)
      && gst_blockdct_inflight_configure (self);
}

/* RGB frames become planes of another size when chroma-subsampling
 * changes: earlier frames leave first. */
static gboolean
follow_subsampling (GstBlockDct * self)
{
  if (self->inflight.depth == 0 || self->layout.rgb.n_planes == 0
      || self->layout.chroma == self->settings.subsampling)
    return TRUE;
  gst_blockdct_drain (self);
  return gst_blockdct_inflight_configure (self);
}

/* The base class asks for no pool while frames pass through, nor when
 * passthrough ends. If downstream's answer was passed on to upstream,
 * upstream has to ask again. */
static void
want_pools (GstBlockDct * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  g_autoptr (GstBufferPool) pool = NULL;

  if (gst_base_transform_is_passthrough (trans))
    return;
  if (self->transform.others_proposed) {
    self->transform.others_proposed = FALSE;
    gst_base_transform_reconfigure_sink (trans);
  }
  pool = gst_base_transform_get_buffer_pool (trans);
  if (pool == NULL)
    gst_base_transform_reconfigure_src (trans);
}

/* Update the controlled properties for a frame, and copy all settings. */
static void
follow_settings (GstBlockDct * self, GstBuffer * input)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (input));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  self->settings = gst_blockdct_get_settings (self);
}

void
gst_blockdct_explain_refusal (GstBlockDct * self, GstCaps * caps)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD (trans);
  g_autoptr (GstCaps) all = NULL, downstream = NULL;

  if (GST_PAD_IS_FLUSHING (src) || !gst_pad_is_linked (src))
    return;
  all = GST_BASE_TRANSFORM_GET_CLASS (trans)->transform_caps (trans,
      GST_PAD_SINK, caps, NULL);
  downstream = gst_pad_peer_query_caps (src, NULL);
  if (!gst_caps_can_intersect (all, downstream)
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_REFUSED))
    gst_blockdct_format_post_refused (GST_ELEMENT (self), downstream, all);
}

/* A frame cannot be processed: downstream wants other caps now, or upstream
 * has sent none. Those that this element has refused were explained. */
static void
explain_no_caps (GstBlockDct * self)
{
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);
  g_autoptr (GstPad) peer = gst_pad_get_peer (sink);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (sink);

  if (caps != NULL)
    gst_blockdct_explain_refusal (self, caps);
  else if (peer != NULL && !gst_pad_has_current_caps (peer))
    gst_blockdct_format_post_no_caps (GST_ELEMENT (self), sink);
}

static GstFlowReturn
submit_input_buffer (GstBaseTransform * trans, gboolean is_discont,
    GstBuffer * input)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  /* Not `is_discont`, which stays set until a frame leaves. */
  const gboolean discont = GST_BUFFER_IS_DISCONT (input)
      || self->transform.dropped;
  GstFlowReturn ret;

  follow_settings (self, input);
  if (!follow_context (self, input) || !follow_subsampling (self)) {
    gst_buffer_unref (input);
    return GST_FLOW_ERROR;
  }
  want_pools (self);
  ret = parent_class->submit_input_buffer (trans, is_discont, input);
  if (ret == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    self->transform.dropped = TRUE;
    gst_blockdct_statistics_drop (&self->shared.statistics,
        GST_ELEMENT (self), 1);
  } else if (ret == GST_FLOW_NOT_NEGOTIATED) {
    explain_no_caps (self);
  } else if (ret == GST_FLOW_OK && discont) {
    /* The base class marks the next frame that leaves through it: it has to be
     * this one. */
    gst_blockdct_drain (self);
  }
  return ret;
}

/* Takes `inbuf`, unless passthrough has been switched on just now: then
 * `*passes` is set. */
static GstFlowReturn
start_frame (GstBlockDct * self, GstBuffer * inbuf, gboolean * passes)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstBuffer *buffer = NULL;
  GstFlowReturn ret =
      GST_BASE_TRANSFORM_GET_CLASS (trans)->prepare_output_buffer (trans,
      inbuf, &buffer);

  *passes = ret == GST_FLOW_OK && buffer == inbuf;
  if (*passes)
    return ret;
  if (ret == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("Cannot get an output buffer."),
        ("The memory may be full: close other programs that use it, or lower "
            "async-depth."));
  if (ret == GST_FLOW_OK && self->transform.dropped) {
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    self->transform.dropped = FALSE;
  }
  if (ret == GST_FLOW_OK)
    ret = gst_blockdct_inflight_submit (trans, inbuf, buffer);
  gst_clear_buffer (&buffer);
  gst_buffer_unref (inbuf);
  return ret;
}

/* Anyone may call gst_base_transform_set_passthrough(). Frames that pass have
 * to have the caps that downstream expects. */
static gboolean
may_pass (GstBaseTransform * trans)
{
  g_autoptr (GstCaps) in = NULL, out = NULL;
  gboolean same;

  if (!gst_base_transform_is_passthrough (trans))
    return FALSE;
  in = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (trans));
  out = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (trans));
  same = in == out || (in != NULL && out != NULL
      && gst_caps_is_equal (in, out));
  if (!same) {
    GST_ELEMENT_WARNING (trans, STREAM, FORMAT,
        ("Frames cannot pass through: sink and source pad have different "
            "memory."), (NULL));
    gst_base_transform_set_passthrough (trans, FALSE);
  }
  return same;
}

/* Take the frame that has come in. The base class calls this until there is no
 * frame to push. */
static GstFlowReturn
generate_output (GstBaseTransform * trans, GstBuffer ** outbuf)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  GstBlockDctInFlight *inflight = &self->inflight;
  GstBuffer *inbuf = g_steal_pointer (&trans->queued_buf);
  gboolean passes = inbuf != NULL && may_pass (trans);
  GstFlowReturn ret = GST_FLOW_OK;

  *outbuf = NULL;
  if (inflight->depth == 0 && !passes) {
    gst_clear_buffer (&inbuf);
    return GST_FLOW_FLUSHING;
  }
  if (inbuf != NULL && !passes)
    ret = start_frame (self, inbuf, &passes);
  if (passes) {
    gst_blockdct_drain (self);
    *outbuf = inbuf;
    return GST_FLOW_OK;
  }
  if (ret == GST_FLOW_OK && inflight->n > 0
      && (inflight->n == inflight->depth || inflight->repeating))
    ret = finish_frame (self, outbuf);
  return ret;
}

/* Buffers */

static gboolean
propose_allocation (GstBaseTransform * trans, GstQuery * decide_query,
    GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);

  if (!parent_class->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (gst_base_transform_is_passthrough (trans)) {
    self->transform.others_proposed = TRUE;
    return TRUE;
  }
  return gst_blockdct_pool_propose (&self->shared.backend, query,
      self->inflight.depth);
}

static gboolean
decide_allocation (GstBaseTransform * trans, GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);

  return gst_blockdct_pool_decide (&self->shared.backend, query, &self->info,
      self->inflight.depth, &self->transform.own_limit)
      && parent_class->decide_allocation (trans, query);
}

/* Whether the pool has no free buffer now. */
static gboolean
is_exhausted (GstBufferPool * pool)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
  };
  g_autoptr (GstBuffer) buffer = NULL;

  return gst_buffer_pool_acquire_buffer (pool, &buffer, &params)
      == GST_FLOW_EOS;
}

/* The pool is activated here, because the base class reports a failure without
 * reason or advice. Where this element has set the pool's limit, only it knows
 * why it waits: it warns once. */
static GstFlowReturn
prepare_output_buffer (GstBaseTransform * trans, GstBuffer * input,
    GstBuffer ** outbuf)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  g_autoptr (GstBufferPool) pool = gst_base_transform_get_buffer_pool (trans);

  if (pool != NULL && !gst_buffer_pool_is_active (pool)
      && !gst_buffer_pool_set_active (pool, TRUE))
    return GST_FLOW_ERROR;
  if (pool != NULL && self->transform.own_limit > 0 && is_exhausted (pool)
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_LIMIT))
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("All %u output buffers are downstream; waiting for one to come back.",
            self->transform.own_limit),
        ("An element there keeps them. Let it keep fewer, or copy frames to "
            "system memory first, where there is no such limit."));
  return parent_class->prepare_output_buffer (trans, input, outbuf);
}

void
gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing)
{
  g_autoptr (GstBufferPool) pool =
      gst_base_transform_get_buffer_pool (GST_BASE_TRANSFORM (self));

  if (pool != NULL && gst_buffer_pool_is_active (pool))
    gst_buffer_pool_set_flushing (pool, flushing);
}

void
gst_blockdct_install_transform (GstBaseTransformClass * klass)
{
  parent_class = g_type_class_peek_parent (klass);
  klass->submit_input_buffer = GST_DEBUG_FUNCPTR (submit_input_buffer);
  klass->generate_output = GST_DEBUG_FUNCPTR (generate_output);
  klass->transform = GST_DEBUG_FUNCPTR (gst_blockdct_inflight_submit);
  klass->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  klass->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  klass->prepare_output_buffer = GST_DEBUG_FUNCPTR (prepare_output_buffer);
}
