/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame's way through the element: what the base class gives it, and what it
 * takes from it. */
#include "gstblockdct.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

static GstBaseTransformClass *parent_class;

/* A handler of a message, or of a notification, may have stopped the element:
 * there is nothing left to work with then. */
gboolean
gst_blockdct_is_stopped (GstBlockDct * self)
{
  return self->backend.engine == NULL;
}

/* The same while another engine takes the place of one. */
static gboolean
is_started (GstBlockDct * self)
{
  gboolean started;

  GST_OBJECT_LOCK (self);
  started = self->changes.started;
  GST_OBJECT_UNLOCK (self);
  return started;
}

GstFlowReturn
gst_blockdct_chain (GstBlockDct * self, GstBuffer * buffer)
{
  return self->chain (GST_BASE_TRANSFORM_SINK_PAD (self), GST_OBJECT (self),
      buffer);
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstBlockDct *self = GST_BLOCKDCT (parent);

  (void) pad;
  gst_blockdct_repeat_enter (self);
  return gst_blockdct_repeat_leave (self, gst_blockdct_chain (self, buffer));
}

/* Empty the engine, downstream. Frames leave as they always do: the base class
 * asks generate_output for them, pushes them and keeps count. It does so when
 * it is given a buffer, here one that means nothing. */
void
gst_blockdct_drain (GstBlockDct * self)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (self->n_in_flight == 0 && self->ready == NULL)
    return;
  gst_blockdct_repeat_enter (self);
  do {
    self->draining = TRUE;
    ret = gst_blockdct_chain (self, gst_buffer_new ());
    self->draining = FALSE;
  } while (gst_blockdct_repeat_settle (self, &ret) && self->n_in_flight > 0);
  gst_blockdct_repeat_leave (self, ret);
  /* What is left, downstream does not want. */
  gst_blockdct_queue_discard (self);
}

/* A frame leaves. When a discontinuity comes in, the base class marks the next
 * one that does. That is an earlier one; each has its own mark. */
static GstPadProbeReturn
see_off (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  (void) pad;
  gst_blockdct_repeat_push (data);
  if (GST_BUFFER_IS_DISCONT (buffer) && !((GstBlockDct *) data)->discont) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

/* A stream's memory may come from another context than the one found at the
 * start: go with the stream where cuda-device-id leaves the choice. The base
 * class then asks for a new pool before the frame is started. */
static gboolean
follow_context (GstBlockDct * self, GstBuffer * buffer)
{
  const GstBlockDctBackendClass *klass = self->backend.klass;
  GstObject *other = NULL;

  if (klass->other_context != NULL)
    other = klass->other_context (buffer, self->context,
        gst_blockdct_get_settings (self).device_id);
  if (other == NULL)
    return TRUE;
  GST_INFO_OBJECT (self, "moving from %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      self->context, other);
  gst_object_ref (other);
  gst_blockdct_drain (self);
  gst_blockdct_queue_close (self);
  if (is_started (self))
    gst_blockdct_backend_set_context (GST_ELEMENT (self), &self->context,
        other);
  gst_object_unref (other);
  gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
  return is_started (self) && gst_blockdct_queue_open (self)
      && !gst_blockdct_is_stopped (self) && gst_blockdct_queue_configure (self);
}

gboolean
gst_blockdct_follow_subsampling (GstBlockDct * self)
{
  BdctChromaFormat wanted = gst_blockdct_get_settings (self).subsampling;
  gboolean ok = TRUE;

  if (self->depth == 0 || self->layout.rgb.n_planes == 0
      || self->layout.chroma == wanted)
    return TRUE;
  gst_blockdct_drain (self);
  gst_blockdct_post_hold (self);
  if (!gst_blockdct_is_stopped (self))
    ok = gst_blockdct_queue_configure (self);
  gst_blockdct_post_release (self);
  return ok && !gst_blockdct_is_stopped (self);
}

/* The base class asks for no pool while frames pass, nor when they cease to.
 * Upstream has to ask again then, if it was told what others need. */
static void
want_pools (GstBlockDct * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstBufferPool *pool;

  if (gst_base_transform_is_passthrough (trans))
    return;
  if (self->others_proposed) {
    self->others_proposed = FALSE;
    gst_base_transform_reconfigure_sink (trans);
  }
  pool = gst_base_transform_get_buffer_pool (trans);
  if (pool == NULL)
    gst_base_transform_reconfigure_src (trans);
  gst_clear_object (&pool);
}

void
gst_blockdct_sync (GstBlockDct * self, GstBuffer * input)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (input));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_blockdct_changes_sync (&self->changes, GST_ELEMENT (self), time);
}

static GstFlowReturn
submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * input)
{
  GstBlockDct *self = GST_BLOCKDCT (trans);
  GstFlowReturn ret;

  if (self->draining) {
    gst_buffer_unref (input);
    return GST_FLOW_OK;
  }
  if (self->repeating && !gst_blockdct_is_stopped (self))
    return parent_class->submit_input_buffer (trans, is_discont, input);
  gst_blockdct_sync (self, input);
  if (gst_blockdct_is_stopped (self) || !follow_context (self, input)
      || !gst_blockdct_follow_subsampling (self)) {
    gst_buffer_unref (input);
    return is_started (self) ? GST_FLOW_ERROR : GST_FLOW_FLUSHING;
  }
  want_pools (self);
  ret = parent_class->submit_input_buffer (trans, is_discont, input);
  if (ret == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    self->dropped = TRUE;
    self->report.totals.dropped++;
    gst_blockdct_output_publish (self);
  }
  return ret;
}

static GstFlowReturn
transform (GstBaseTransform * trans, GstBuffer * inbuf, GstBuffer * outbuf)
{
  return gst_blockdct_queue_submit (GST_BLOCKDCT (trans), inbuf, outbuf);
}

/* Takes `inbuf`, unless the element was told just now to let it pass: then
 * `*passes`. */
static GstFlowReturn
start_frame (GstBlockDct * self, GstBuffer * inbuf, gboolean * passes)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  guint generation = self->generation;
  GstBuffer *buffer = NULL;
  GstFlowReturn ret =
      GST_BASE_TRANSFORM_GET_CLASS (trans)->prepare_output_buffer (trans,
      inbuf, &buffer);

  *passes = ret == GST_FLOW_OK && buffer == inbuf;
  if (*passes)
    return ret;
  if (generation != self->generation) {
    /* A handler came in between, and the caps are no longer this frame's. */
    gst_clear_buffer (&buffer);
    gst_buffer_unref (inbuf);
    self->dropped = TRUE;
    return gst_blockdct_is_stopped (self) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  }
  if (ret == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("Cannot get an output buffer."),
        ("The memory may be full: close other users of it or lower "
            "async-depth."));
  if (ret == GST_FLOW_OK && self->dropped) {
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    self->dropped = FALSE;
  }
  if (ret == GST_FLOW_OK)
    ret = self->repeating ? gst_blockdct_repeat_start (self, inbuf, buffer)
        : transform (trans, inbuf, buffer);
  gst_clear_buffer (&buffer);
  gst_buffer_unref (inbuf);
  return ret;
}

/* gst_base_transform_set_passthrough() is everybody's. What passes has to be
 * what downstream expects. */
static gboolean
may_pass (GstBaseTransform * trans)
{
  GstCaps *in, *out;
  gboolean same;

  if (!gst_base_transform_is_passthrough (trans))
    return FALSE;
  in = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (trans));
  out = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (trans));
  same = in == out || (in != NULL && out != NULL
      && gst_caps_is_equal (in, out));
  gst_caps_replace (&in, NULL);
  gst_caps_replace (&out, NULL);
  if (!same) {
    GST_ELEMENT_WARNING (trans, STREAM, FORMAT,
        ("Frames cannot pass through: the memory differs."), (NULL));
    gst_base_transform_set_passthrough (trans, FALSE);
  }
  return same;
}

/* Take what has come in, and have a frame `ready` if it is time for one. */
static GstFlowReturn
advance (GstBlockDct * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstBuffer *inbuf = g_steal_pointer (&trans->queued_buf);
  gboolean passes = inbuf != NULL && may_pass (trans);
  GstFlowReturn ret = GST_FLOW_OK;

  if (gst_blockdct_is_stopped (self) || (self->depth == 0 && !passes)) {
    gst_clear_buffer (&inbuf);
    return GST_FLOW_FLUSHING;
  }
  if (inbuf != NULL && !passes)
    ret = start_frame (self, inbuf, &passes);
  if (passes) {
    gst_blockdct_navigation_show (&self->navigation, NULL);
    gst_blockdct_repeat_forget (self);
    if (self->n_in_flight == 0) {
      self->ready = inbuf;
      return GST_FLOW_OK;
    }
    /* The earlier ones first. */
    trans->queued_buf = inbuf;
  }
  if (ret == GST_FLOW_OK && self->n_in_flight > 0
      && (passes || self->draining || self->n_in_flight == self->depth
          || self->in_flight[self->oldest].repeated))
    ret = gst_blockdct_output_frame (self);
  return ret;
}

/* The base class comes again until there is no frame to push. So does a handler
 * of what is posted here: it gets the frame, which then was `ready` first. */
static GstFlowReturn
generate_output (GstBaseTransform * trans, GstBuffer ** outbuf)
{
  GstBlockDct *self = GST_BLOCKDCT (trans);
  GstFlowReturn ret = GST_FLOW_OK;

  gst_blockdct_repeat_pushed (self);
  if (self->ready == NULL) {
    gst_blockdct_post_hold (self);
    ret = advance (self);
    gst_blockdct_post_release (self);
  }
  *outbuf = g_steal_pointer (&self->ready);
  self->discont = *outbuf != NULL && GST_BUFFER_IS_DISCONT (*outbuf);
  if (ret == GST_FLOW_OK && gst_blockdct_is_stopped (self))
    ret = GST_FLOW_FLUSHING;
  return ret;
}

void
gst_blockdct_install_flow (GstBaseTransformClass * klass)
{
  parent_class = g_type_class_peek_parent (klass);
  klass->submit_input_buffer = GST_DEBUG_FUNCPTR (submit_input_buffer);
  klass->generate_output = GST_DEBUG_FUNCPTR (generate_output);
  klass->transform = GST_DEBUG_FUNCPTR (transform);
}

void
gst_blockdct_init_flow (GstBlockDct * self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (self);

  self->chain = GST_PAD_CHAINFUNC (pad);
  gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (chain));
  /* The first probe that sees what leaves. */
  gst_pad_add_probe (GST_BASE_TRANSFORM_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_BUFFER, see_off, self, NULL);
}
