/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of blockdctcompare. Each is a field of its settings. A change
 * is in force from the next frame on. */
#include "gstblockdctcompareprivate.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* The offset of each property's value in the settings; or else */
enum
{
  STATS = sizeof (GstBlockDctCompareSettings),
  ACTIVE_BACKEND
};

static gsize offsets[32];
static guint n_properties;

#define FIELD(member) G_STRUCT_OFFSET (GstBlockDctCompareSettings, member)
#define MAX_OFFSET 100000

static GType
make_metrics (void)
{
  static GFlagsValue values[BDCT_N_METRICS + 2] = {
    {GST_BLOCKDCT_COMPARE_PSNR, "peak signal-to-noise ratio", "psnr"}
  };

  return gst_blockdct_param_metrics ("GstBlockDctCompareMetrics", values, 1);
}

static GType
make_views (void)
{
  static const GEnumValue views[] = {
    {BDCT_VIEW_WIPE, "left up to wipe-position, then right", "wipe"},
    {BDCT_VIEW_SIDE_BY_SIDE, "half of left, beside the same half of right",
        "side-by-side"},
    {BDCT_VIEW_STACKED, "half of left, above the same half of right",
        "stacked"},
    {BDCT_VIEW_FLICKER, "left and right in turn, half a second each",
        "flicker"},
    {BDCT_VIEW_DIFFERENCE, "right minus left, times difference-gain, plus "
          "mid-grey", "difference"},
    {GST_BLOCKDCT_COMPARE_SINGLE, "right alone; its buffers pass unchanged",
        "single"},
    {BDCT_VIEW_ERROR_MAP, "PSNR of right against left in each block of 8x8 "
          "samples, as a colour", "error-map"},
    {BDCT_VIEW_SSIM_MAP, "SSIM of each window of luma, as a colour",
        "ssim-map"},
    {BDCT_VIEW_HVS_MAP, "PSNR-HVS of each 8x8 block of luma, as a colour",
        "hvs-map"},
    {0, NULL, NULL}
  };

  return g_enum_register_static ("GstBlockDctCompareView", views);
}

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (object);
  gboolean late;

  GST_OBJECT_LOCK (self);
  late = self->started && (pspec->flags & GST_PARAM_MUTABLE_READY) != 0;
  if (!late)
    gst_blockdct_param_set (G_STRUCT_MEMBER_P (&self->settings, offsets[id]),
        value);
  GST_OBJECT_UNLOCK (self);
  if (late)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s was not changed: it is read when the element starts.",
            pspec->name), ("Set it in the state NULL or READY."));
  if (offsets[id] == FIELD (latency))
    gst_blockdct_compare_follow_latency (GST_ELEMENT (self));
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (object);

  GST_OBJECT_LOCK (self);
  if (offsets[id] == STATS)
    g_value_take_boxed (value, gst_blockdct_compare_finish_stats (self));
  else if (offsets[id] == ACTIVE_BACKEND)
    g_value_set_string (value, self->frames.backend.name);
  else
    gst_blockdct_param_get (G_STRUCT_MEMBER_P (&self->settings, offsets[id]),
        value);
  GST_OBJECT_UNLOCK (self);
}

static void
install (GObjectClass * klass, gsize offset, GParamSpec * pspec)
{
  offsets[++n_properties] = offset;
  /* The defaults stand there alone. */
  if (pspec->flags & G_PARAM_WRITABLE)
    pspec->flags |= G_PARAM_CONSTRUCT;
  gst_blockdct_param_install (klass, n_properties, pspec);
}

static void
install_live (GObjectClass * klass)
{
  install (klass, FIELD (metrics), g_param_spec_flags ("metrics", "Metrics",
          "What to measure for each distorted picture", make_metrics (),
          GST_BLOCKDCT_COMPARE_PSNR, LIVE));
  install (klass, FIELD (view), g_param_spec_enum ("view", "View",
          "What the source pad shows; the figures do not depend on it",
          make_views (), BDCT_VIEW_WIPE, LIVE));
  install (klass, FIELD (left), g_param_spec_int ("left", "Left",
          "First picture of a view: -1 = ref_sink, 0 = dist_sink, 1 = "
          "dist_sink_1, 2 = dist_sink_2", GST_BLOCKDCT_COMPARE_REFERENCE,
          BDCT_MAX_DISTORTED - 1, GST_BLOCKDCT_COMPARE_REFERENCE, LIVE));
  install (klass, FIELD (right), g_param_spec_int ("right", "Right",
          "Second picture of a view, numbered as for left",
          GST_BLOCKDCT_COMPARE_REFERENCE, BDCT_MAX_DISTORTED - 1, 0, LIVE));
  install (klass, FIELD (wipe_position), g_param_spec_double ("wipe-position",
          "Wipe position",
          "Position of the line in view=wipe, or of the half that "
          "view=side-by-side and view=stacked show; 0 = left or top", 0, 1, 0.5,
          LIVE));
  install (klass, FIELD (difference_gain),
      g_param_spec_double ("difference-gain", "Difference gain",
          "Amplification of view=difference, in steps of 1/256", 0,
          BDCT_VIEW_MAX_GAIN, 4, LIVE));
  install (klass, FIELD (zoom), g_param_spec_double ("zoom", "Zoom",
          "Magnification of the view, in steps of 1/256", 1, BDCT_VIEW_MAX_ZOOM,
          1, LIVE));
  install (klass, FIELD (zoom_x), g_param_spec_double ("zoom-x", "Zoom X",
          "Horizontal position of the zoomed part, from the left edge (0) to "
          "the right edge (1)", 0, 1, 0.5, LIVE));
  install (klass, FIELD (zoom_y), g_param_spec_double ("zoom-y", "Zoom Y",
          "Vertical position of the zoomed part, from the top (0) to the "
          "bottom (1)", 0, 1, 0.5, LIVE));
  install (klass, FIELD (overlay), g_param_spec_boolean ("overlay", "Overlay",
          "Write the figures on the picture (in builds with Pango)", FALSE,
          LIVE));
  install (klass, FIELD (interactive), g_param_spec_boolean ("interactive",
          "Interactive",
          "Keys and the pointer in the sink's window change the view",
          FALSE, PLAYING));
  install (klass, FIELD (offset), g_param_spec_int ("offset", "Offset",
          "Number of frames by which the distorted inputs are late: reference "
          "frame n matches their frame n + offset", -MAX_OFFSET, MAX_OFFSET, 0,
          LIVE));
}

void
gst_blockdct_compare_install_properties (GObjectClass * klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_live (klass);
  /* GstAggregator's, whose own value differs where nothing is live. */
  offsets[++n_properties] = FIELD (latency);
  g_object_class_override_property (klass, n_properties, "latency");
  gst_blockdct_param_common (install, klass, FIELD (common));
  install (klass, STATS, g_param_spec_boxed ("stats", "Statistics",
          "Figures since the start, one structure for each pad",
          GST_TYPE_STRUCTURE, READ));
  install (klass, ACTIVE_BACKEND, g_param_spec_string ("active-backend",
          "Active backend",
          "The engine in use, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 "
          "threads'; NULL while stopped", NULL, READ));
}
