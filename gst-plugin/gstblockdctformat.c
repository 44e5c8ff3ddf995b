/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctformat.h"

/* The formats, and the minor release of GStreamer 1.x whose libgstcuda can
 * allocate each: it aborts on a format it does not know, so it cannot be
 * asked. */
#define NEVER G_MAXUINT
static const struct
{
  GstVideoFormat format;
  guint cuda_since;
} formats[] = {
  {GST_VIDEO_FORMAT_NV12, 22},
  {GST_VIDEO_FORMAT_I420, 22},
  {GST_VIDEO_FORMAT_YV12, 22},
  {GST_VIDEO_FORMAT_NV21, 22},
  {GST_VIDEO_FORMAT_Y42B, 22},
  {GST_VIDEO_FORMAT_NV16, NEVER},
  {GST_VIDEO_FORMAT_Y444, 22},
  {GST_VIDEO_FORMAT_GRAY8, NEVER},
  {GST_VIDEO_FORMAT_P010_10LE, 22},
  {GST_VIDEO_FORMAT_I420_10LE, 22},
  {GST_VIDEO_FORMAT_I422_10LE, 22},
  {GST_VIDEO_FORMAT_Y444_10LE, 24},
  {GST_VIDEO_FORMAT_P012_LE, 24},
  {GST_VIDEO_FORMAT_I420_12LE, 24},
  {GST_VIDEO_FORMAT_I422_12LE, 22},
  {GST_VIDEO_FORMAT_Y444_12LE, 24},
};

static GstCaps *
make_caps (gboolean cuda, guint minor)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (GstVideoFormat));
  GstCaps *caps;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (!cuda || formats[i].cuda_since <= minor)
      g_array_append_val (list, formats[i].format);
  caps = gst_video_make_raw_caps_with_features ((GstVideoFormat *) list->data,
      list->len, cuda
      ? gst_caps_features_new (GST_BLOCKDCT_CUDA_MEMORY, NULL) : NULL);
  g_array_unref (list);
  return caps;
}

GstCaps *
gst_blockdct_format_caps (void)
{
  GstCaps *caps = gst_caps_new_empty ();

#ifdef HAVE_CUDA
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  gst_caps_append (caps, make_caps (TRUE, minor));
#endif
  gst_caps_append (caps, make_caps (FALSE, 0));
  return caps;
}

static gboolean
has_feature (GstCaps * caps, guint index, const gchar * feature)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, index);

  return gst_caps_features_get_size (features) == 1
      && gst_caps_features_contains (features, feature);
}

gboolean
gst_blockdct_format_is_cuda (GstCaps * caps)
{
  return has_feature (caps, 0, GST_BLOCKDCT_CUDA_MEMORY);
}

GstCaps *
gst_blockdct_format_transform_caps (GstCaps * caps, gboolean cuda)
{
  static const gchar *memories[] =
      { GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, GST_BLOCKDCT_CUDA_MEMORY };
  /* A frame is taken as it lies: two fields may be woven into it, but not stand
   * apart. Not in the template, because caps that do not say how they are
   * interlaced would then have to choose. */
  GstStructure *woven = gst_structure_from_string ("video/x-raw, "
      "interlace-mode = (string) { progressive, interleaved, mixed }", NULL);
  GstCaps *same = gst_caps_new_empty (), *other = gst_caps_new_empty ();
  GstCaps *all, *handled;

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *s = gst_structure_copy (gst_caps_get_structure (caps, i));

    if (gst_structure_has_field (s, "interlace-mode")) {
      GstStructure *all_modes = s;

      s = gst_structure_intersect (all_modes, woven);
      gst_structure_free (all_modes);
      if (s == NULL)
        continue;
    }
    for (guint from = 0; from < (cuda ? 2 : 1); from++) {
      if (!has_feature (caps, i, memories[from]))
        continue;
      same = gst_caps_merge_structure_full (same, gst_structure_copy (s),
          gst_caps_features_new_single (memories[from]));
      if (cuda)
        other = gst_caps_merge_structure_full (other, gst_structure_copy (s),
            gst_caps_features_new_single (memories[1 - from]));
    }
    gst_structure_free (s);
  }
  gst_structure_free (woven);
  same = gst_caps_merge (same, other);
  /* One memory may not hold each format the other one does. */
  all = gst_blockdct_format_caps ();
  handled = gst_caps_intersect_full (same, all, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (all);
  gst_caps_unref (same);
  return handled;
}

void
gst_blockdct_format_layout (const GstVideoInfo * info, BdctLayout * layout)
{
  const GstVideoFormatInfo *finfo = info->finfo;

  *layout = (BdctLayout) {
    .depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0),
    .n_planes = GST_VIDEO_INFO_N_PLANES (info),
  };
  if (GST_VIDEO_INFO_N_COMPONENTS (info) == 1)
    layout->chroma = BDCT_CHROMA_400;
  else if (GST_VIDEO_FORMAT_INFO_W_SUB (finfo, 1) == 0)
    layout->chroma = BDCT_CHROMA_444;
  else if (GST_VIDEO_FORMAT_INFO_H_SUB (finfo, 1) == 0)
    layout->chroma = BDCT_CHROMA_422;
  else
    layout->chroma = BDCT_CHROMA_420;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    BdctPlaneLayout *plane =
        &layout->plane[GST_VIDEO_FORMAT_INFO_PLANE (finfo, c)];
    gint bytes = bdct_layout_sample_size (layout);
    /* Bytes by its description, but P010's says 1 for the second word. */
    gboolean second = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c) > 0;

    plane->width = GST_VIDEO_INFO_COMP_WIDTH (info, c);
    plane->height = GST_VIDEO_INFO_COMP_HEIGHT (info, c);
    plane->shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, c);
    plane->interleave = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c) / bytes;
    plane->component[second] = (BdctComponent) c;
  }
}
