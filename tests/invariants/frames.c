/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "invariants.h"

#include <string.h>

/* The formats of the pads' template, in system memory. */
static const GValue *
formats (void)
{
  static GstCaps *caps;

  if (caps == NULL) {
    GstElementFactory *factory = gst_element_factory_find ("blockdct");
    const GstStaticPadTemplate *templ;

    if (factory == NULL)
      fail ("there is no element blockdct: GST_PLUGIN_PATH names its folder");
    templ = gst_element_factory_get_static_pad_templates (factory)->data;
    caps = gst_static_pad_template_get_caps ((GstStaticPadTemplate *) templ);
    gst_object_unref (factory);
  }
  return gst_structure_get_value (gst_caps_get_structure (caps,
          gst_caps_get_size (caps) - 1), "format");
}

/* Whether frames of two formats can be compared. */
static gboolean
are_alike (const GstVideoFormatInfo * a, const GstVideoFormatInfo * b)
{
  const guint n = GST_VIDEO_FORMAT_INFO_IS_GRAY (a) ? 0 : 1;

  if (GST_VIDEO_FORMAT_INFO_IS_RGB (a) || GST_VIDEO_FORMAT_INFO_IS_RGB (b))
    return a == b;
  return GST_VIDEO_FORMAT_INFO_DEPTH (a, 0) == GST_VIDEO_FORMAT_INFO_DEPTH (b,
      0) && GST_VIDEO_FORMAT_INFO_IS_GRAY (a) == GST_VIDEO_FORMAT_INFO_IS_GRAY
      (b) && GST_VIDEO_FORMAT_INFO_W_SUB (a, n) ==
      GST_VIDEO_FORMAT_INFO_W_SUB (b, n)
      && GST_VIDEO_FORMAT_INFO_H_SUB (a, n) == GST_VIDEO_FORMAT_INFO_H_SUB (b,
      n);
}

GstCaps *
caps_draw (guint64 format, gint width, gint height, gint rate, GstCaps * like)
{
  const GValue *all = formats ();
  const guint n = gst_value_list_get_size (all);
  GstVideoInfo info;
  const GstVideoFormatInfo *found;
  GstCaps *caps;

  for (;; format++) {
    found = gst_video_format_get_info (gst_video_format_from_string
        (g_value_get_string (gst_value_list_get_value (all, format % n))));
    if (like == NULL || (gst_video_info_from_caps (&info, like)
            && are_alike (found, info.finfo)))
      break;
  }
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_INFO_FORMAT (found),
      width, height);
  info.fps_n = rate;
  info.fps_d = 1;
  /* What only describes the picture. */
  info.par_n = 1 + height % 2;
  info.interlace_mode = width % 3;      /* progressive, interleaved, mixed */
  caps = gst_video_info_to_caps (&info);
  gst_caps_set_simple (caps, "x-unknown", G_TYPE_INT, height, NULL);
  return caps;
}

gint
caps_depth (GstCaps * caps)
{
  GstVideoInfo info;

  return caps != NULL && gst_video_info_from_caps (&info, caps)
      ? GST_VIDEO_INFO_COMP_DEPTH (&info, 0) : 0;
}

/* Noise, a plain area, or a ramp with some noise. */
static void
fill (guint8 * data, gsize size, GRand * r)
{
  const guint kind = g_rand_int_range (r, 0, 4), slope = g_rand_int (r) % 9;
  const guint8 level = g_rand_int (r);

  for (gsize i = 0; i < size; i++)
    data[i] = kind == 0 ? g_rand_int (r) : kind == 1 ? level
        : level + i * slope / 8 + (kind == 2 ? 0 : g_rand_int (r) % 8);
}

/* Lines that are farther apart than they need be, also from the bottom up, and
 * planes, too. */
static GstBuffer *
spread_out (const GstVideoInfo * info, GRand * r)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, at = 16 * g_rand_int_range (r, 0,
      4);
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };
  GstBuffer *buffer;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint component[GST_VIDEO_MAX_COMPONENTS], rows;

    gst_video_format_info_component (info->finfo, p, component);
    offset[p] = at;
    stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p)
        + 4 * g_rand_int_range (r, 0, 20);
    rows = GST_VIDEO_INFO_COMP_HEIGHT (info, component[0]);
    at += (gsize) stride[p] * rows + 8 * g_rand_int_range (r, 0, 9);
    if (g_rand_boolean (r)) {
      offset[p] += (gsize) stride[p] * (rows - 1);
      stride[p] = -stride[p];
    }
  }
  buffer = gst_buffer_new_allocate (NULL, at, NULL);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info), offset,
      stride);
  return buffer;
}

static void
add_region (GstBuffer * buffer, const GstVideoInfo * info, GRand * r)
{
  const guint w = GST_VIDEO_INFO_WIDTH (info), h = GST_VIDEO_INFO_HEIGHT (info);
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta (buffer, "part",
      g_rand_int (r) % w, g_rand_int (r) % h, 1 + g_rand_int (r) % w,
      1 + g_rand_int (r) % h);

  gst_video_region_of_interest_meta_add_param (meta,
      gst_structure_new ("roi/blockdct", "delta-qp", G_TYPE_INT,
          g_rand_int_range (r, -9, 10), NULL));
}

GstBuffer *
frame_new (GstCaps * caps, guint64 seed, guint look, GstBufferPool * pool)
{
  GRand *r = g_rand_new_with_seed (seed);
  GstBuffer *buffer = NULL;
  GstVideoInfo info;
  GstMapInfo map;

  if (!gst_video_info_from_caps (&info, caps))
    fail ("no video caps");
  if (pool != NULL && (look & LOOK_POOL)) {
    if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
      fail ("the source's pool gives no buffer");
  } else if (look & LOOK_STRIDES) {
    buffer = spread_out (&info, r);
  } else {
    buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  }
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  fill (map.data, map.size, r);
  gst_buffer_unmap (buffer, &map);
  if (look & LOOK_META)
    gst_structure_set (gst_custom_meta_get_structure
        (gst_buffer_add_custom_meta (buffer, "fuzz-meta")), "seed",
        G_TYPE_UINT64, seed, NULL);
  if (look & LOOK_REGION)
    add_region (buffer, &info, r);
  if (look & LOOK_FLAGS)
    GST_BUFFER_FLAG_SET (buffer, g_rand_int (r) & (GST_BUFFER_FLAG_DISCONT
            | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_DELTA_UNIT
            | GST_BUFFER_FLAG_DROPPABLE | GST_BUFFER_FLAG_CORRUPTED));
  g_rand_free (r);
  return buffer;
}

GstBuffer *
frame_plain (GstBuffer * buffer, GstCaps * caps)
{
  GstVideoFrame frame, copy;
  GstVideoInfo info;
  GstVideoMeta *meta;
  GstBuffer *plain;

  if (caps == NULL || !gst_video_info_from_caps (&info, caps)
      || !gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    fail ("a buffer does not fit its caps");
  plain = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (plain, 0, 0, GST_VIDEO_INFO_SIZE (&info));
  if (!gst_video_frame_map (&copy, &info, plain, GST_MAP_READWRITE)
      || !gst_video_frame_copy (&copy, &frame))
    fail ("a frame cannot be copied");
  gst_video_frame_unmap (&copy);
  gst_video_frame_unmap (&frame);
  gst_buffer_copy_into (plain, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  meta = gst_buffer_get_video_meta (plain);
  if (meta != NULL)
    gst_buffer_remove_meta (plain, (GstMeta *) meta);
  return plain;
}

/* FNV-1a of the visible samples. */
static guint64
sum_of (GstBuffer * buffer, GstCaps * caps)
{
  guint64 sum = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  GstVideoFrame frame;
  GstVideoInfo info;

  if (caps == NULL || !gst_video_info_from_caps (&info, caps)
      || !gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    fail ("a buffer does not fit its caps");
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&frame); p++) {
    gint c[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (info.finfo, p, c);
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c[0]); y++) {
      const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p)
          + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

      for (gint i = 0; i < GST_VIDEO_FRAME_COMP_WIDTH (&frame, c[0])
          * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c[0]); i++)
        sum = (sum ^ row[i]) * G_GUINT64_CONSTANT (0x100000001b3);
    }
  }
  gst_video_frame_unmap (&frame);
  return sum;
}

/* XPSNR looks at earlier frames, and threads are chosen. */
static gboolean
keep (GQuark field, const GValue * value, gpointer data)
{
  const gchar *name = g_quark_to_string (field);

  (void) value, (void) data;
  return strstr (name, "xpsnr") == NULL && strcmp (name, "backend") != 0;
}

gchar *
describe_structure (const GstStructure * s)
{
  GstStructure *copy = gst_structure_copy (s);
  gchar *text;

  gst_structure_filter_and_map_in_place (copy,
      (GstStructureFilterMapFunc) keep, NULL);
  text = gst_structure_to_string (copy);
  gst_structure_free (copy);
  return text;
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(gchar * const *) a, *(gchar * const *) b);
}

static gchar *
describe_metas (GstBuffer * buffer)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  gpointer state = NULL;
  GstMeta *meta;
  gchar *all;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    if (gst_meta_info_is_custom (meta->info))
      g_ptr_array_add (texts, describe_structure
          (gst_custom_meta_get_structure ((GstCustomMeta *) meta)));
    else if (meta->info->api != GST_VIDEO_META_API_TYPE)
      g_ptr_array_add (texts, g_strdup (g_type_name (meta->info->api)));
  g_ptr_array_sort (texts, compare_texts);
  g_ptr_array_add (texts, NULL);
  all = g_strjoinv ("\n  ", (gchar **) texts->pdata);
  g_ptr_array_unref (texts);
  return all;
}

#define TIME(t) GST_CLOCK_TIME_IS_VALID (t) ? (gint64) (t) : -1

/* What is not a frame's own: GstBaseTransform marks the next frame that it
 * pushes as DISCONT, even if the one that is has been drained. */
#define PASSING (GST_BUFFER_FLAG_TAG_MEMORY | GST_BUFFER_FLAG_DISCONT)

gchar *
describe_buffer (GstBuffer * buffer, GstCaps * caps, const GstSegment * segment)
{
  gchar *metas = describe_metas (buffer);
  gchar *of_caps = caps != NULL ? gst_caps_to_string (caps) : NULL;
  gchar *text = g_strdup_printf ("frame pts %" G_GINT64_FORMAT " running %"
      G_GINT64_FORMAT " dts %" G_GINT64_FORMAT " duration %" G_GINT64_FORMAT
      " offset %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " flags %x samples %"
      G_GINT64_MODIFIER "x\n  %s\n  %s", TIME (GST_BUFFER_PTS (buffer)),
      TIME (gst_segment_to_running_time (segment, GST_FORMAT_TIME,
              GST_BUFFER_PTS (buffer))), TIME (GST_BUFFER_DTS (buffer)),
      TIME (GST_BUFFER_DURATION (buffer)),
      (gint64) GST_BUFFER_OFFSET (buffer),
      (gint64) GST_BUFFER_OFFSET_END (buffer),
      GST_BUFFER_FLAGS (buffer) & ~(guint) PASSING,
      sum_of (buffer, caps), of_caps, metas);

  g_free (of_caps);
  g_free (metas);
  return text;
}
