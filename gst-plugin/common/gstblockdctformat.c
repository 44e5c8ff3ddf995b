/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctformat.h"

/* The formats, and the minor release of GStreamer 1.x whose libgstcuda can
 * allocate each; 0: none. It cannot be asked, because it aborts on a format
 * that it does not know. */
static const struct
{
  GstVideoFormat format;
  guint cuda_since;
} formats[] = {
  {GST_VIDEO_FORMAT_NV12, 22}, {GST_VIDEO_FORMAT_I420, 22},
  {GST_VIDEO_FORMAT_YV12, 22}, {GST_VIDEO_FORMAT_NV21, 22},
  {GST_VIDEO_FORMAT_Y42B, 22}, {GST_VIDEO_FORMAT_NV16, 0},
  {GST_VIDEO_FORMAT_Y444, 22}, {GST_VIDEO_FORMAT_GRAY8, 0},
  {GST_VIDEO_FORMAT_P010_10LE, 22}, {GST_VIDEO_FORMAT_I420_10LE, 22},
  {GST_VIDEO_FORMAT_I422_10LE, 22}, {GST_VIDEO_FORMAT_Y444_10LE, 24},
  {GST_VIDEO_FORMAT_P012_LE, 24}, {GST_VIDEO_FORMAT_I420_12LE, 24},
  {GST_VIDEO_FORMAT_I422_12LE, 22}, {GST_VIDEO_FORMAT_Y444_12LE, 24},
  {GST_VIDEO_FORMAT_RGB, 22}, {GST_VIDEO_FORMAT_BGR, 22},
  {GST_VIDEO_FORMAT_RGBx, 22}, {GST_VIDEO_FORMAT_BGRx, 22},
  {GST_VIDEO_FORMAT_xRGB, 0}, {GST_VIDEO_FORMAT_xBGR, 0},
  {GST_VIDEO_FORMAT_RGBA, 22}, {GST_VIDEO_FORMAT_BGRA, 22},
  {GST_VIDEO_FORMAT_ARGB, 22}, {GST_VIDEO_FORMAT_ABGR, 22},
  {GST_VIDEO_FORMAT_GBR, 22},
};

/* Whether some of these caps have a format. */
static gboolean
has_format (const GstCaps * caps, GstVideoFormat format)
{
  g_autoptr (GstCaps) one = gst_video_make_raw_caps_with_features (&format, 1,
      gst_caps_features_new_any ());

  return gst_caps_can_intersect (caps, one);
}

/* Whether pictures of two formats can be compared. */
static gboolean
is_similar (GstVideoFormat a, GstVideoFormat b)
{
  const GstVideoFormatInfo *x = gst_video_format_get_info (a);
  const GstVideoFormatInfo *y = gst_video_format_get_info (b);

  return a == b || (!GST_VIDEO_FORMAT_INFO_IS_RGB (x)
      && !GST_VIDEO_FORMAT_INFO_IS_RGB (y)
      && GST_VIDEO_FORMAT_INFO_DEPTH (x, 0) == GST_VIDEO_FORMAT_INFO_DEPTH (y,
          0)
      && GST_VIDEO_FORMAT_INFO_N_COMPONENTS (x)
      == GST_VIDEO_FORMAT_INFO_N_COMPONENTS (y)
      && GST_VIDEO_FORMAT_INFO_W_SUB (x, 1) == GST_VIDEO_FORMAT_INFO_W_SUB (y,
          1)
      && GST_VIDEO_FORMAT_INFO_H_SUB (x, 1) == GST_VIDEO_FORMAT_INFO_H_SUB (y,
          1));
}

/* Whether a format is similar to one of the caps; NULL: to all. */
static gboolean
is_wanted (GstVideoFormat format, const GstCaps * similar)
{
  gboolean wanted = similar == NULL;

  for (guint i = 0; i < G_N_ELEMENTS (formats) && !wanted; i++)
    wanted = is_similar (format, formats[i].format)
        && has_format (similar, formats[i].format);
  return wanted;
}

/* The caps of the formats that a class's own memory can hold; NULL: of all
 * formats, in system memory. Nothing is added if none is wanted. */
static void
add_caps (GstCaps * all, const GstBlockDctBackendClass * klass,
    const GstCaps * similar)
{
  GstVideoFormat held[G_N_ELEMENTS (formats)];
  guint n = 0, major, minor, micro, nano;
  GstCaps *caps;

  gst_version (&major, &minor, &micro, &nano);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if ((klass == NULL || (formats[i].cuda_since > 0
                && formats[i].cuda_since <= minor))
        && is_wanted (formats[i].format, similar))
      held[n++] = formats[i].format;
  if (n == 0)
    return;
  caps = gst_video_make_raw_caps_with_features (held, n, klass != NULL
      ? gst_caps_features_new (klass->feature, NULL) : NULL);
  gst_caps_set_simple (caps, "width", GST_TYPE_INT_RANGE, 1, BDCT_MAX_SIDE,
      "height", GST_TYPE_INT_RANGE, 1, BDCT_MAX_SIDE, NULL);
  gst_caps_append (all, caps);
}

GstCaps *
gst_blockdct_format_similar_caps (const GstCaps * similar)
{
  const GstBlockDctBackendClass *klass =
      gst_blockdct_backend_with_memory (GST_BLOCKDCT_BACKEND_AUTO);
  GstCaps *caps = gst_caps_new_empty ();

  if (klass != NULL)
    add_caps (caps, klass, similar);
  add_caps (caps, NULL, similar);
  return caps;
}

/* Created once, as each stream queries the caps several times. */
static GstCaps *all_caps;
static GstStructure *woven;

static void
ensure_made (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    all_caps = gst_blockdct_format_similar_caps (NULL);
    GST_MINI_OBJECT_FLAG_SET (all_caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
    /* Frames are processed as they are in memory: a frame may interleave two
     * fields, but not store them one after the other. This is not in the
     * template, where it would force caps without an interlace-mode to choose
     * one. */
    woven = gst_structure_from_string ("video/x-raw, "
        "interlace-mode = (string) { progressive, interleaved, mixed }", NULL);
    g_once_init_leave (&once, 1);
  }
}

GstCaps *
gst_blockdct_format_caps (void)
{
  ensure_made ();
  return gst_caps_ref (all_caps);
}

GstCaps *
gst_blockdct_format_transform_caps (GstCaps * caps,
    const GstBlockDctBackendClass * klass)
{
  const gchar *memories[] = { GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY,
    klass != NULL ? klass->feature : NULL
  };
  const guint n_memories = memories[1] != NULL ? 2 : 1;
  g_autoptr (GstCaps) stays = gst_caps_new_empty ();
  GstCaps *moves = gst_caps_new_empty ();

  ensure_made ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *s = gst_caps_get_structure (caps, i);
    guint from = 0;

    while (from < n_memories
        && !gst_blockdct_backend_has_feature (caps, i, memories[from]))
      from++;
    if (from == n_memories)
      continue;
    s = gst_structure_has_field (s, "interlace-mode")
        ? gst_structure_intersect (s, woven) : gst_structure_copy (s);
    if (s == NULL)
      continue;
    if (n_memories == 2)
      moves = gst_caps_merge_structure_full (moves, gst_structure_copy (s),
          gst_caps_features_new_single (memories[1 - from]));
    stays = gst_caps_merge_structure_full (stays, s,
        gst_caps_features_new_single (memories[from]));
  }
  stays = gst_caps_merge (stays, moves);
  /* A memory may not hold all formats of another. */
  return gst_caps_intersect_full (stays, all_caps, GST_CAPS_INTERSECT_FIRST);
}

gboolean
gst_blockdct_format_info (GstVideoInfo * info, const GstCaps * caps)
{
  GstVideoColorimetry colorimetry;
  const gchar *text;

  if (!gst_video_info_from_caps (info, caps))
    return FALSE;
  text = gst_structure_get_string (gst_caps_get_structure (caps, 0),
      "colorimetry");
  if (text != NULL && gst_video_colorimetry_from_string (&colorimetry, text)
      && colorimetry.range != GST_VIDEO_COLOR_RANGE_UNKNOWN)
    info->colorimetry.range = colorimetry.range;
  return TRUE;
}

/* R, G and B are the first three components; a fourth one is alpha. */
static void
rgb_layout (const GstVideoInfo * info, BdctChromaFormat subsampling,
    BdctLayout * layout)
{
  BdctRgb rgb = {
    .n_planes = GST_VIDEO_INFO_N_PLANES (info),
    .bytes = GST_VIDEO_INFO_COMP_PSTRIDE (info, 0),
  };

  for (guint k = 0; k < 3; k++) {
    rgb.plane[k] = GST_VIDEO_INFO_COMP_PLANE (info, k);
    rgb.offset[k] = GST_VIDEO_INFO_COMP_POFFSET (info, k);
  }
  bdct_layout_init_rgb (layout, &rgb, GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), subsampling);
}

void
gst_blockdct_format_layout (const GstVideoInfo * info,
    BdctChromaFormat subsampling, BdctLayout * layout)
{
  static const BdctChromaFormat chroma[2][2] = {
    {BDCT_CHROMA_444, BDCT_CHROMA_440}, {BDCT_CHROMA_422, BDCT_CHROMA_420}
  };
  const GstVideoFormatInfo *finfo = info->finfo;

  if (GST_VIDEO_INFO_IS_RGB (info)) {
    rgb_layout (info, subsampling, layout);
    return;
  }
  bdct_layout_init (layout, GST_VIDEO_INFO_N_COMPONENTS (info) == 1
      ? BDCT_CHROMA_400 : chroma[GST_VIDEO_FORMAT_INFO_W_SUB (finfo, 1)]
      [GST_VIDEO_FORMAT_INFO_H_SUB (finfo, 1)],
      GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0),
      GST_VIDEO_FORMAT_INFO_SHIFT (finfo, 0), GST_VIDEO_INFO_N_PLANES (info),
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
  /* U and V may change places. The description counts bytes, but P010's has 1
   * for the second word. */
  for (guint c = 1; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++)
    layout->plane[GST_VIDEO_FORMAT_INFO_PLANE (finfo, c)].component
        [GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c) > 0] = c;
}

static gint bare;               /* atomic */

void
gst_blockdct_format_bare_views (void)
{
  g_atomic_int_set (&bare, TRUE);
}

void
gst_blockdct_format_view (const GstVideoInfo * info,
    const BdctLayout * layout, BdctView * view)
{
  const GstVideoColorimetry *colorimetry = &info->colorimetry;
  const BdctView initial = BDCT_VIEW_DEFAULT;
  /* RGB becomes planes with JFIF's matrix. */
  gboolean rgb = GST_VIDEO_INFO_IS_RGB (info);
  gdouble kr, kb;

  *view = initial;
  view->bare = g_atomic_int_get (&bare);
  if (rgb || !gst_video_color_matrix_get_Kr_Kb (colorimetry->matrix, &kr, &kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601, &kr, &kb);
  bdct_view_colours (view, layout->depth, kr, kb,
      rgb || colorimetry->range == GST_VIDEO_COLOR_RANGE_0_255);
}

guint
gst_blockdct_format_metrics (GstElement * element, guint metrics,
    const GstVideoInfo * info, const BdctLayout * layout, guint * warned,
    const gchar * advice)
{
  guint supported = metrics;
  BdctError reason;

  for (guint m = 0; m < BDCT_N_METRICS; m++) {
    if (!(metrics >> m & 1) || bdct_metric_check (m, layout, &reason))
      continue;
    supported &= ~(1u << m);
    if (!(*warned >> m & 1))
      GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
          ("%s is not defined for %s %dx%d: %s.", bdct_metric_info (m)->name,
              GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
              GST_VIDEO_INFO_HEIGHT (info), reason.message), ("%s", advice));
  }
  *warned |= metrics & ~supported;
  return supported;
}

static GstPadProbeReturn
explain (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;
  gint width = 0, height = 0;
  const GstStructure *s;
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS || element == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  if (width > BDCT_MAX_SIDE || height > BDCT_MAX_SIDE)
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("A picture of %d x %d is too large.", width, height),
        ("Crop or scale it upstream: each side is limited to %d samples.",
            BDCT_MAX_SIDE));
  else if (!gst_pad_query_accept_caps (pad, caps))
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("The caps at %s are not supported.", GST_PAD_NAME (pad)),
        ("They are %" GST_PTR_FORMAT ". Put videoconvert, or another "
            "converter, in front of this element.", caps));
  return GST_PAD_PROBE_OK;
}

void
gst_blockdct_format_explain (GstPad * pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, explain, NULL,
      NULL);
}

void
gst_blockdct_format_post_refused (GstElement * element, const GstCaps * taken,
    const GstCaps * given)
{
  GST_ELEMENT_ERROR (element, STREAM, WRONG_TYPE,
      ("Downstream does not accept the picture."),
      ("It accepts %" GST_PTR_FORMAT ", but gets %" GST_PTR_FORMAT ". Put "
          "videoconvert after this element.", taken, given));
}

void
gst_blockdct_format_post_no_caps (GstElement * element, GstPad * pad)
{
  GST_ELEMENT_ERROR (element, STREAM, FORMAT,
      ("%s has frames without caps.", GST_PAD_NAME (pad)),
      ("Put a capsfilter, or rawvideoparse, in front of it."));
}
