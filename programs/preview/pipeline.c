/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the elements of a session. */
#include "bin/register.h"
#include "parts.h"

/* Names of elements. */
#define SOURCE "source"
#define CONVERT "convert"
/* Frames that have been transformed are shown: late frames are dropped before
 * the transform. */
#define CHAIN "videoconvert name=" CONVERT " ! queue max-size-buffers=3 " \
    "max-size-bytes=0 max-size-time=0 ! blockdctpage name=preview ! " \
    "fakesink name=sink enable-last-sample=true"

/* The frame after the last one of --frames ends the stream. */
static GstPadProbeReturn
count_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  gint *left = data;

  if (*left > 0) {
    --*left;
    return GST_PAD_PROBE_OK;
  }
  gst_pad_push_event (pad, gst_event_new_eos ());
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  gst_clear_buffer ((GstBuffer **) & GST_PAD_PROBE_INFO_DATA (info));
  return GST_PAD_PROBE_HANDLED;
}

/* EOS does not reach the sink, so that the last frame can be shown again. */
static GstPadProbeReturn
watch_input (GstPad * pad, GstPadProbeInfo * info, gpointer session)
{
  (void) pad;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    preview_transport_flush (session);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS
      && !preview_transport_may_end (session))
    return GST_PAD_PROBE_DROP;
  return GST_PAD_PROBE_OK;
}

gboolean
preview_pipeline_open (PreviewSession * self, const PreviewOptions * options,
    GError ** error)
{
  GstElement *source = preview_source_new (options, error);
  GstBin *pipeline = GST_BIN (self->pipeline);
  g_autoptr (GstElement) old = gst_bin_get_by_name (pipeline, SOURCE);
  g_autoptr (GstElement) convert = gst_bin_get_by_name (pipeline, CONVERT);
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);

  if (source != NULL) {
    if (old != NULL) {
      gst_element_set_state (self->pipeline, GST_STATE_READY);
      gst_element_set_state (old, GST_STATE_NULL);
      gst_bin_remove (pipeline, old);
      /* What it said last is not about the new one. */
      gst_bus_set_flushing (bus, TRUE);
      gst_bus_set_flushing (bus, FALSE);
    }
    gst_object_set_name (GST_OBJECT (source), SOURCE);
    gst_bin_add (pipeline, source);
    gst_element_link (source, convert);
  }
  return source != NULL;
}

GstElement *
preview_pipeline_get_source (PreviewSession * self)
{
  return gst_bin_get_by_name (GST_BIN (self->pipeline), SOURCE);
}

static void
limit_frames (PreviewSession * self, GstElement * first)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (first, "src");

  if (self->options.frames > 0)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame,
        g_memdup2 (&self->options.frames, sizeof (gint)), g_free);
}

static void
watch (PreviewSession * self)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (self->bin, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, watch_input, self, NULL);
}

gboolean
preview_pipeline_build (PreviewSession * self, GError ** error)
{
  g_autoptr (GstElement) convert = NULL;
  GstElement *pipeline;

  preview_bin_register ();
  pipeline = preview_make (CHAIN, error);
  if (pipeline == NULL)
    return FALSE;
  self->pipeline = gst_object_ref_sink (pipeline);
  gst_object_set_name (GST_OBJECT (pipeline), "preview");
  convert = gst_bin_get_by_name (GST_BIN (pipeline), CONVERT);
  self->bin = gst_bin_get_by_name (GST_BIN (pipeline), "preview");
  self->sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    self->part[i] = gst_child_proxy_get_child_by_name (GST_CHILD_PROXY
        (self->bin), preview_part_names[i]);
  /* For a table or files alone, pictures need not be shown in time. */
  g_object_set (self->sink, "sync", self->options.csv == NULL
      && self->output != PREVIEW_FILES, "signal-handoffs",
      self->output == PREVIEW_PAGE, NULL);
  limit_frames (self, convert);
  watch (self);
  return TRUE;
}
