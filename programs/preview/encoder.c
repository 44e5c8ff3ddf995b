/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoder.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

/* No dithering, as it would add a pattern that does not come from the
 * transform. */
#define N_THREADS 2
/* Level 1 takes half of the default's time, for a tenth more bytes. */
#define PIPELINE "appsrc name=source format=time ! videoconvert dither=none " \
    "n-threads=" G_STRINGIFY (N_THREADS) " ! " \
    "video/x-raw,format={RGB,GRAY8} ! " \
    "pngenc compression-level=1 ! appsink name=sink sync=false"
#define LIMIT (20 * GST_SECOND)

/* The sizes of a BMP's BITMAPFILEHEADER and BITMAPINFOHEADER, and of the
 * palette that follows in a grey one: B, G, R and 0 for each value. */
#define HEADER 54
#define PALETTE 1024

struct _PreviewEncoder
{
  GstElement *pipeline, *source, *sink;
  GstCaps *caps;                /* input caps of `converter` */
  GstVideoConverter *converter;
  GstVideoInfo from, to;
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
  self->sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return self;
}

void
preview_encoder_free (PreviewEncoder * self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->source);
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->converter, gst_video_converter_free);
  gst_object_unref (self->sink);
  gst_object_unref (self->pipeline);
  g_free (self);
}

void
preview_encoder_explain (GstBus * bus, const gchar * other, GError ** error)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_ERROR);

  if (message != NULL)
    gst_message_parse_error (message, error, NULL);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%s", other);
}

static GBytes *
make_png (PreviewEncoder * self, GstSample * frame, GError ** error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  g_autoptr (GstSample) png = NULL;
  GBytes *bytes = NULL;
  GstMapInfo map;

  if (gst_app_src_push_sample (GST_APP_SRC (self->source), frame)
      == GST_FLOW_OK)
    png = gst_app_sink_try_pull_sample (GST_APP_SINK (self->sink), LIMIT);
  if (png != NULL && gst_buffer_map (gst_sample_get_buffer (png), &map,
          GST_MAP_READ)) {
    bytes = g_bytes_new (map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (png), &map);
  }
  if (bytes == NULL)
    preview_encoder_explain (bus, "A frame could not be made a PNG.", error);
  return bytes;
}

/* GStreamer pads the rows of both formats to four bytes, as a BMP does. */
static gboolean
prepare_converter (PreviewEncoder * self, GstCaps * caps)
{
  GstVideoInfo *from = &self->from, *to = &self->to;

  if (self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return self->converter != NULL;
  gst_caps_replace (&self->caps, caps);
  g_clear_pointer (&self->converter, gst_video_converter_free);
  if (!gst_video_info_from_caps (from, caps)
      || !gst_video_info_set_interlaced_format (to,
          GST_VIDEO_INFO_IS_GRAY (from) ? GST_VIDEO_FORMAT_GRAY8
          : GST_VIDEO_FORMAT_BGR, from->interlace_mode, from->width,
          from->height))
    return FALSE;
  to->fps_n = from->fps_n;
  to->fps_d = from->fps_d;
  if (!GST_VIDEO_INFO_IS_YUV (from))
    to->colorimetry = from->colorimetry;
  self->converter = gst_video_converter_new (from, to,
      gst_structure_new ("config",
          GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
          GST_VIDEO_DITHER_NONE, GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT,
          N_THREADS, NULL));
  return self->converter != NULL;
}

/* Write a Windows 3 header of `start` bytes, which are zeroed: BI_RGB, and
 * top-down, with a negative height. */
static void
write_header (guint8 * data, guint start, const GstVideoInfo * info)
{
  guint grey = GST_VIDEO_INFO_IS_GRAY (info);

  data[0] = 'B';
  data[1] = 'M';
  GST_WRITE_UINT32_LE (data + 2, start + info->size);
  GST_WRITE_UINT32_LE (data + 10, start);
  GST_WRITE_UINT32_LE (data + 14, 40);
  GST_WRITE_UINT32_LE (data + 18, info->width);
  GST_WRITE_UINT32_LE (data + 22, -info->height);
  GST_WRITE_UINT16_LE (data + 26, 1);
  GST_WRITE_UINT16_LE (data + 28, grey ? 8 : 24);
  GST_WRITE_UINT32_LE (data + 34, info->size);
  for (guint i = 0; grey && i < 256; i++)
    GST_WRITE_UINT32_LE (data + HEADER + 4 * i, i * 0x010101);
}

/* The converter writes directly after the header. The padding of rows is
 * zeroed, so that it reveals no old memory. */
static GBytes *
make_bmp (PreviewEncoder * self, GstSample * frame)
{
  GstVideoFrame from, to;
  GstBuffer *buffer;
  guint8 *data;
  guint start;
  gsize size;
  gboolean ok = FALSE;

  if (!prepare_converter (self, gst_sample_get_caps (frame)))
    return NULL;
  start = HEADER + (GST_VIDEO_INFO_IS_GRAY (&self->to) ? PALETTE : 0);
  size = start + self->to.size;
  data = size <= G_MAXUINT32 ? g_try_malloc0 (size) : NULL;
  if (data == NULL)
    return NULL;
  write_header (data, start, &self->to);
  buffer = gst_buffer_new_wrapped_full (0, data, size, start, self->to.size,
      data, NULL);
  if (gst_video_frame_map (&to, &self->to, buffer, GST_MAP_WRITE)) {
    ok = gst_video_frame_map (&from, &self->from,
        gst_sample_get_buffer (frame), GST_MAP_READ);
    if (ok) {
      gst_video_converter_frame (self->converter, &from, &to);
      gst_video_frame_unmap (&from);
    }
    gst_video_frame_unmap (&to);
  }
  gst_buffer_unref (buffer);
  if (ok)
    return g_bytes_new_take (data, size);
  g_free (data);
  return NULL;
}

GBytes *
preview_encoder_run (PreviewEncoder * self, GstSample * frame,
    gboolean compress, GError ** error)
{
  GBytes *bytes;

  if (compress)
    return make_png (self, frame, error);
  bytes = make_bmp (self, frame);
  if (bytes == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
        "A frame could not be made a BMP: memory for it may be short.");
  return bytes;
}
