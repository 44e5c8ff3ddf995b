/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convert.h"

#include "error.h"
#include "memory.h"

gboolean
measure_read_caps (GstSample * sample, GstVideoInfo * info, GError ** error)
{
  return gst_video_info_from_caps (info, gst_sample_get_caps (sample))
      || measure_fail (error, "the decoder's pictures have an unknown format");
}

gboolean
measure_is_same_picture (const GstVideoInfo * a, const GstVideoInfo * b)
{
  return GST_VIDEO_INFO_FORMAT (a) == GST_VIDEO_INFO_FORMAT (b)
      && a->width == b->width && a->height == b->height;
}

void
measure_refuse_change (const GstVideoInfo * info, const GstVideoInfo * before,
    gint64 index, GError ** error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "frame %" G_GINT64_FORMAT " is %s %dx%d, those before it are %s %dx%d: "
      "one row cannot hold both; measure the parts with --first-frame and "
      "--n-frames", index, GST_VIDEO_INFO_NAME (info), info->width,
      info->height, GST_VIDEO_INFO_NAME (before), before->width,
      before->height);
}

static gboolean
set_info (MeasureConversion * conversion, GstVideoFormat format)
{
  const GstVideoInfo *decoded = &conversion->decoded;
  GstVideoInfo *info = &conversion->info;

  if (format == GST_VIDEO_INFO_FORMAT (decoded)) {
    *info = *decoded;
    return TRUE;
  }
  if (!gst_video_info_set_interlaced_format (info, format,
          GST_VIDEO_INFO_INTERLACE_MODE (decoded),
          GST_VIDEO_INFO_WIDTH (decoded), GST_VIDEO_INFO_HEIGHT (decoded)))
    return FALSE;
  info->fps_n = GST_VIDEO_INFO_FPS_N (decoded);
  info->fps_d = GST_VIDEO_INFO_FPS_D (decoded);
  info->colorimetry = decoded->colorimetry;
  info->chroma_site = decoded->chroma_site;
  if (GST_VIDEO_INFO_IS_RGB (decoded)) {
    info->colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
    info->colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
    info->chroma_site = GST_VIDEO_CHROMA_SITE_JPEG;
  }
  conversion->converter = gst_video_converter_new (decoded, info, NULL);
  return conversion->converter != NULL;
}

gboolean
measure_conversion_set (MeasureConversion * conversion,
    const GstVideoInfo * decoded, GstVideoFormat format, GError ** error)
{
  measure_conversion_clear (conversion);
  conversion->decoded = *decoded;
  if (set_info (conversion, format))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "%s cannot be converted to %s", GST_VIDEO_INFO_NAME (decoded),
      gst_video_format_to_string (format));
  return FALSE;
}

void
measure_conversion_clear (MeasureConversion * conversion)
{
  g_clear_pointer (&conversion->converter, gst_video_converter_free);
}

GstBuffer *
measure_conversion_run (MeasureConversion * conversion, GstBuffer * buffer,
    GstAllocator * allocator, GError ** error)
{
  GstVideoFrame from, to;
  GstBuffer *converted;

  if (conversion->converter == NULL)
    return gst_buffer_ref (buffer);
  converted = gst_buffer_new_allocate (allocator, conversion->info.size, NULL);
  if (converted == NULL || !gst_video_frame_map (&to, &conversion->info,
          converted, GST_MAP_WRITE)) {
    gst_clear_buffer (&converted);
    measure_fail (error, "a picture cannot be allocated");
    measure_memory_explain (error);
  } else if (!gst_video_frame_map (&from, &conversion->decoded, buffer,
          GST_MAP_READ)) {
    gst_video_frame_unmap (&to);
    gst_clear_buffer (&converted);
    measure_fail (error, "a decoded picture cannot be mapped");
  } else {
    gst_video_converter_frame (conversion->converter, &from, &to);
    gst_video_frame_unmap (&from);
    gst_video_frame_unmap (&to);
  }
  return converted;
}
