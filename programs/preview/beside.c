/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.h"

#include <gst/video/video.h>
#include <string.h>

/* Copy a frame's plane into the first or second half of the other one. What
 * chroma's samples have more than an odd side repeats the last ones. */
static void
copy_plane (const GstVideoFrame * from, GstVideoFrame * to, guint plane,
    gboolean stacked, guint half)
{
  const GstVideoFormatInfo *finfo = from->info.finfo;
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gsize pixel, row, wide, rows;
  guint8 *start = GST_VIDEO_FRAME_PLANE_DATA (to, plane);

  gst_video_format_info_component (finfo, plane, component);
  pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (from, component[0]);
  row = GST_VIDEO_FRAME_COMP_WIDTH (from, component[0]) * pixel;
  wide = GST_VIDEO_FRAME_COMP_WIDTH (to, component[0]) * pixel
      / (stacked ? 1 : 2);
  rows = GST_VIDEO_FRAME_COMP_HEIGHT (to, component[0]) / (stacked ? 2 : 1);
  start += half * (stacked ? rows * GST_VIDEO_FRAME_PLANE_STRIDE (to, plane)
      : wide);
  for (gsize v = 0; v < rows; v++) {
    const gsize last = GST_VIDEO_FRAME_COMP_HEIGHT (from, component[0]) - 1;
    guint8 *out = start + v * GST_VIDEO_FRAME_PLANE_STRIDE (to, plane);

    memcpy (out, (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (from, plane)
        + MIN (v, last) * GST_VIDEO_FRAME_PLANE_STRIDE (from, plane), row);
    for (gsize x = row; x < wide; x += pixel)
      memcpy (out + x, out + x - pixel, pixel);
  }
}

static gboolean
copy (GstSample * sample, GstVideoFrame * to, gboolean stacked, guint half)
{
  GstVideoInfo info;
  GstVideoFrame from;
  gboolean same;

  if (sample == NULL
      || !gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !gst_video_frame_map (&from, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ))
    return FALSE;
  same = GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FRAME_FORMAT (to)
      && PREVIEW_BESIDE_STEP (info.width) * (stacked ? 1 : 2)
      == PREVIEW_BESIDE_STEP (to->info.width)
      && PREVIEW_BESIDE_STEP (info.height) * (stacked ? 2 : 1)
      == PREVIEW_BESIDE_STEP (to->info.height);
  for (guint i = 0; same && i < GST_VIDEO_FRAME_N_PLANES (to); i++)
    copy_plane (&from, to, i, stacked, half);
  gst_video_frame_unmap (&from);
  return same;
}

GstSample *
preview_beside_make (GstSample * first, GstSample * second, gboolean stacked)
{
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  GstVideoInfo info;
  GstVideoFrame frame;
  gboolean ok;

  if (first == NULL
      || !gst_video_info_from_caps (&info, gst_sample_get_caps (first)))
    return NULL;
  caps = gst_caps_copy (gst_sample_get_caps (first));
  gst_caps_set_features (caps, 0, NULL);
  if (stacked)
    gst_caps_set_simple (caps, "height", G_TYPE_INT,
        2 * PREVIEW_BESIDE_STEP (info.height), NULL);
  else
    gst_caps_set_simple (caps, "width", G_TYPE_INT,
        2 * PREVIEW_BESIDE_STEP (info.width), NULL);
  if (!gst_video_info_from_caps (&info, caps))
    return NULL;
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  if (buffer == NULL
      || !gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE))
    return NULL;
  ok = copy (first, &frame, stacked, 0) && copy (second, &frame, stacked, 1);
  gst_video_frame_unmap (&frame);
  return !ok ? NULL : gst_sample_new (buffer, caps, NULL,
      gst_structure_new_empty (stacked ? PREVIEW_STACKED : PREVIEW_BESIDE));
}
