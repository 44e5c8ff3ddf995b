/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "server.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <math.h>

/* No dithering, as it would add a pattern that does not come from the
 * transform. */
#define N_THREADS 2
/* Level 1 takes half of the default's time, for a tenth more bytes. */
#define PIPELINE "appsrc name=source format=time ! videoconvert dither=none " \
    "n-threads=" G_STRINGIFY (N_THREADS) " ! " \
    "video/x-raw,format={RGB,GRAY8} ! " \
    "pngenc compression-level=1 ! appsink name=sink sync=false"
/* The light of white paper and of the brightest highlights that are shown, in
 * nits. */
#define WHITE 203.0
#define PEAK 1000.0

struct _PreviewEncoder
{
  GstElement *pipeline, *source, *sink;
  GstCaps *caps;                /* of `from`; NULL without a converter */
  GstVideoConverter *converter;
  GstVideoInfo from, to;
  guint8 shade[256];            /* of a value of HDR, as SDR */
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
    png = gst_app_sink_pull_sample (GST_APP_SINK (self->sink));
  if (png != NULL && gst_buffer_map (gst_sample_get_buffer (png), &map,
          GST_MAP_READ)) {
    bytes = g_bytes_new (map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (png), &map);
  }
  if (bytes == NULL)
    preview_encoder_explain (bus, "A frame could not be encoded as PNG.",
        error);
  return bytes;
}

/* The light of a value of HDR, in nits: SMPTE ST 2084 (PQ), or ARIB STD-B67
 * (HLG) on a screen of PEAK nits. */
static gdouble
get_light (gdouble value, gboolean hlg)
{
  const gdouble root = pow (value, 1 / 78.84375);

  if (!hlg)
    return 1e4 * pow (MAX (root - 0.8359375, 0) / (18.8515625 - 18.6875
            * root), 1 / 0.1593017578125);
  return PEAK * pow (value <= 0.5 ? value * value / 3
      : (exp ((value - 0.55991073) / 0.17883277) + 0.28466892) / 12, 1.2);
}

static gboolean
is_hdr (const GstVideoInfo * info)
{
  return info->colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084
      || info->colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
}

/* Reinhard's curve, of each component, up to PEAK. */
static void
prepare_shades (PreviewEncoder * self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->shade); i++) {
    const gdouble light = MIN (get_light (i / 255.0,
            self->from.colorimetry.transfer
            == GST_VIDEO_TRANSFER_ARIB_STD_B67), PEAK) / WHITE;
    const gdouble shown = light * (1 + light * (WHITE / PEAK) * (WHITE / PEAK))
        / (1 + light);

    self->shade[i] = (guint8) (255 * pow (shown, 1 / 2.2) + 0.5);
  }
}

static gboolean
prepare_converter (PreviewEncoder * self, GstCaps * caps)
{
  GstVideoInfo *from = &self->from, *to = &self->to;

  if (self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return TRUE;
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->converter, gst_video_converter_free);
  if (!gst_video_info_from_caps (from, caps)
      || !gst_video_info_set_interlaced_format (to, GST_VIDEO_FORMAT_RGBx,
          from->interlace_mode, from->width, from->height))
    return FALSE;
  to->fps_n = from->fps_n;
  to->fps_d = from->fps_d;
  if (GST_VIDEO_INFO_IS_RGB (from))
    to->colorimetry = from->colorimetry;
  self->converter = gst_video_converter_new (from, to,
      gst_structure_new ("config",
          GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
          GST_VIDEO_DITHER_NONE, GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT,
          N_THREADS, NULL));
  if (self->converter != NULL)
    gst_caps_replace (&self->caps, caps);
  if (is_hdr (from))
    prepare_shades (self);
  return self->converter != NULL;
}

/* The formats that browsers have, and their names for them and for their
 * matrices. */
static const struct
{
  GstVideoFormat format;
  const gchar *name;
} formats[] = {
  {GST_VIDEO_FORMAT_I420, "I420"}, {GST_VIDEO_FORMAT_NV12, "NV12"},
  {GST_VIDEO_FORMAT_Y42B, "I422"}, {GST_VIDEO_FORMAT_Y444, "I444"},
};

static const struct
{
  GstVideoColorMatrix matrix;
  const gchar *name;
} matrices[] = {
  {GST_VIDEO_COLOR_MATRIX_BT601, "smpte170m"},
  {GST_VIDEO_COLOR_MATRIX_BT709, "bt709"},
  {GST_VIDEO_COLOR_MATRIX_BT2020, "bt2020-ncl"},
};

/* FALSE: browsers do not have it. */
static gboolean
describe_planes (const GstVideoInfo * info, PreviewPicture * picture)
{
  picture->format = picture->matrix = NULL;
  picture->full = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (GST_VIDEO_INFO_FORMAT (info) == formats[i].format)
      picture->format = formats[i].name;
  for (guint i = 0; i < G_N_ELEMENTS (matrices); i++)
    if (info->colorimetry.matrix == matrices[i].matrix)
      picture->matrix = matrices[i].name;
  return picture->format != NULL && picture->matrix != NULL;
}

/* The planes one after the other, without what pads their rows. */
static void
pack (GstVideoInfo * info)
{
  gint component[GST_VIDEO_MAX_COMPONENTS];

  info->size = 0;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    gst_video_format_info_component (info->finfo, i, component);
    info->offset[i] = info->size;
    info->stride[i] = GST_VIDEO_INFO_COMP_WIDTH (info, component[0])
        * GST_VIDEO_INFO_COMP_PSTRIDE (info, component[0]);
    info->size += (gsize) info->stride[i]
        * GST_VIDEO_INFO_COMP_HEIGHT (info, component[0]);
  }
}

static GBytes *
make_raw (PreviewEncoder * self, GstSample * sample, gboolean planes,
    PreviewPicture * picture)
{
  GstVideoInfo info = self->to;
  GstBuffer *buffer;
  GstVideoFrame from, to;
  guint8 *data;

  planes = planes && !picture->tone_mapped
      && describe_planes (&self->from, picture);
  if (planes) {
    info = self->from;
    pack (&info);
  }
  data = g_try_malloc (info.size);
  if (data == NULL || !gst_video_frame_map (&from, &self->from,
          gst_sample_get_buffer (sample), GST_MAP_READ)) {
    g_free (data);
    return NULL;
  }
  buffer = gst_buffer_new_wrapped_full (0, data, info.size, 0, info.size, NULL,
      NULL);
  if (gst_video_frame_map (&to, &info, buffer, GST_MAP_WRITE)) {
    if (planes)
      gst_video_frame_copy (&to, &from);
    else
      gst_video_converter_frame (self->converter, &from, &to);
    gst_video_frame_unmap (&to);
  }
  gst_buffer_unref (buffer);
  gst_video_frame_unmap (&from);
  for (gsize i = 0; picture->tone_mapped && i < info.size; i++)
    data[i] = self->shade[data[i]];
  if (!planes)
    picture->format = "RGBX";
  return g_bytes_new_take (data, info.size);
}

/* As a PNG has what is shown. */
static GstSample *
make_shown (PreviewEncoder * self, GstSample * frame, PreviewPicture * picture)
{
  g_autoptr (GBytes) raw = make_raw (self, frame, FALSE, picture);
  g_autoptr (GstBuffer) buffer = raw == NULL ? NULL
      : gst_buffer_new_wrapped_bytes (raw);
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&self->to);

  picture->format = "png";
  return buffer == NULL ? NULL : gst_sample_new (buffer, caps, NULL, NULL);
}

gboolean
preview_encoder_run (PreviewEncoder * self, GstSample * frame,
    PreviewKind kind, gboolean map, PreviewPicture * picture, GError ** error)
{
  g_autoptr (GstSample) shown = NULL;

  g_clear_pointer (&picture->file, g_bytes_unref);
  picture->format = "png";
  if (prepare_converter (self, gst_sample_get_caps (frame))) {
    picture->tone_mapped = !map && is_hdr (&self->from);
    if (kind != PREVIEW_PNG)
      picture->file = make_raw (self, frame, kind == PREVIEW_PLANES, picture);
    else if (!picture->tone_mapped)
      picture->file = make_png (self, frame, error);
    else if ((shown = make_shown (self, frame, picture)) != NULL)
      picture->file = make_png (self, shown, error);
  }
  picture->width = self->from.width;
  picture->height = self->from.height;
  if (picture->file == NULL && *error == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
        "A frame could not be converted: memory may be short.");
  return picture->file != NULL;
}
