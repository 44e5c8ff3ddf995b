/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoder.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

/* Nothing is dithered: that would be a pattern the transform did not make. */
#define PIPELINE "appsrc name=source format=time ! videoconvert dither=none " \
    "n-threads=2 ! video/x-raw,format={RGB,GRAY8} ! " \
    "pngenc name=png ! appsink name=sink sync=false"
#define LIMIT (20 * GST_SECOND)

struct _PreviewEncoder
{
  GstElement *pipeline, *source, *png, *sink;
};

PreviewEncoder *
preview_encoder_new (GError ** error)
{
  GstElement *pipeline = gst_parse_launch (PIPELINE, error);
  PreviewEncoder *self;

  if (error != NULL && *error != NULL) {
    g_prefix_error (error, "PNG needs gstreamer1.0-plugins-base and -good: ");
    gst_clear_object (&pipeline);
    return NULL;
  }
  self = g_new0 (PreviewEncoder, 1);
  self->pipeline = gst_object_ref_sink (pipeline);
  self->source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  self->png = gst_bin_get_by_name (GST_BIN (pipeline), "png");
  self->sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return self;
}

void
preview_encoder_free (PreviewEncoder * self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->source);
  gst_object_unref (self->png);
  gst_object_unref (self->sink);
  gst_object_unref (self->pipeline);
  g_free (self);
}

static void
explain (PreviewEncoder * self, GError ** error)
{
  GstBus *bus = gst_element_get_bus (self->pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  if (message != NULL) {
    gst_message_parse_error (message, error, NULL);
    gst_message_unref (message);
  } else {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
        "A frame could not be made a PNG.");
  }
  gst_object_unref (bus);
}

GBytes *
preview_encoder_run (PreviewEncoder * self, GstSample * frame,
    gboolean compress, GError ** error)
{
  GstSample *png = NULL;
  GBytes *bytes = NULL;
  GstMapInfo map;

  /* Level 1 takes half of the default's time, for a tenth more bytes. */
  g_object_set (self->png, "compression-level", compress ? 1 : 0, NULL);
  if (gst_app_src_push_sample (GST_APP_SRC (self->source), frame)
      == GST_FLOW_OK)
    png = gst_app_sink_try_pull_sample (GST_APP_SINK (self->sink), LIMIT);
  if (png != NULL && gst_buffer_map (gst_sample_get_buffer (png), &map,
          GST_MAP_READ)) {
    bytes = g_bytes_new (map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (png), &map);
  }
  if (bytes == NULL)
    explain (self, error);
  g_clear_pointer (&png, gst_sample_unref);
  return bytes;
}
