/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of what is shown, and from them the view that the engine
 * draws. */
#include "gstblockdctproperties.h"

/* For how long view=flicker shows one picture. */
#define FLICKER_TIME (GST_SECOND / 2)

GType
gst_blockdct_view_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[BDCT_N_VIEWS + 1];

    for (gint i = 0; i < BDCT_N_VIEWS; i++) {
      const BdctViewInfo *info = bdct_view_info (i);

      values[i] = (GEnumValue) {
      i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctView", values));
  }
  return type;
}

static GType
side_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[BDCT_N_SIDES + 1];

    for (gint i = 0; i < BDCT_N_SIDES; i++) {
      const BdctViewInfo *info = bdct_side_info (i);

      values[i] = (GEnumValue) {
      i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctSide", values));
  }
  return type;
}

void
gst_blockdct_view_configure (GstBlockDct * self)
{
  const GstVideoColorimetry *colorimetry = &self->info.colorimetry;
  /* The planes that R, G and B become are JFIF's. */
  gboolean rgb = GST_VIDEO_INFO_IS_RGB (&self->info);
  gdouble kr, kb;

  if (rgb || !gst_video_color_matrix_get_Kr_Kb (colorimetry->matrix, &kr, &kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601, &kr, &kb);
  bdct_view_colours (&self->view, self->layout.depth, kr, kb,
      rgb || colorimetry->range == GST_VIDEO_COLOR_RANGE_0_255);
}

/* Where there is no B, A is shown in its place, which is said once. */
static void
do_without_second (GstBlockDct * self)
{
  BdctView *view = &self->view;

  if (!bdct_view_shows (view, BDCT_SIDE_B)
      && (view->mode != BDCT_VIEW_FLICKER || (view->left != BDCT_SIDE_B
              && view->right != BDCT_SIDE_B)))
    return;
  if (!self->told_no_second)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("view=%s shows A in place of B: there is no B.",
            bdct_view_info (view->mode)->name),
        ("Set b-transform, b-quality and b-qp."));
  self->told_no_second = TRUE;
  if (view->mode == BDCT_VIEW_RECONSTRUCTION_B)
    view->mode = BDCT_VIEW_RECONSTRUCTION;
  if (view->left == BDCT_SIDE_B)
    view->left = BDCT_SIDE_A;
  if (view->right == BDCT_SIDE_B)
    view->right = BDCT_SIDE_A;
}

const BdctView *
gst_blockdct_view_update (GstBlockDct * self,
    const GstBlockDctSettings * settings, GstClockTime time)
{
  self->view.mode = settings->view;
  self->view.grid = settings->grid;
  self->view.left = settings->left;
  self->view.right = settings->right;
  self->view.second = GST_CLOCK_TIME_IS_VALID (time)
      && time / FLICKER_TIME % 2 == 1;
  if (settings->second.transform == 0)
    do_without_second (self);
  else
    self->told_no_second = FALSE;
  self->view.position = settings->wipe_position;
  self->view.gain = settings->difference_gain;
  self->view.zoom = settings->zoom;
  self->view.zoom_x = settings->zoom_x;
  self->view.zoom_y = settings->zoom_y;
  return &self->view;
}

static void
install_zoom (GObjectClass * klass)
{
  const BdctView default_view = BDCT_VIEW_DEFAULT;

  /**
   * GstBlockDct:zoom:
   *
   * How many times as wide and as high the view is shown, each sample a square
   * of its own colour. The caps, and the figures, are those of the whole
   * picture. At 16 each square has its sample's value on it, in builds with
   * Pango.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_ZOOM, FIELD (zoom),
      g_param_spec_double ("zoom", "Zoom",
          "How many times as wide and high the view is shown; steps of 1/256",
          1, BDCT_VIEW_MAX_ZOOM, default_view.zoom, LIVE));
  /**
   * GstBlockDct:zoom-x:
   *
   * Which part of the picture is seen when zoomed: 0 has its left edge at the
   * frame's, 1 its right edge. What is at this share of the frame's width stays
   * there whatever the zoom.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_ZOOM_X, FIELD (zoom_x),
      g_param_spec_double ("zoom-x", "Zoom X",
          "Which part of the zoomed picture is seen, from its left edge (0) to "
          "its right one (1)", 0, 1, default_view.zoom_x, LIVE));
  /**
   * GstBlockDct:zoom-y:
   *
   * As #GstBlockDct:zoom-x, from the top (0) to the bottom (1).
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_ZOOM_Y, FIELD (zoom_y),
      g_param_spec_double ("zoom-y", "Zoom Y",
          "Which part of the zoomed picture is seen, from its top (0) to its "
          "bottom (1)", 0, 1, default_view.zoom_y, LIVE));
}

static void
install_magnifier (GObjectClass * klass)
{
  /**
   * GstBlockDct:magnifier:
   *
   * Whether the view's samples around a place are shown there 16 times as
   * large, or more in a large picture, with their values and the place in the
   * picture that the middle one has, in builds with Pango. It follows the
   * pointer if the element is #GstBlockDct:interactive. Frames of less than 48
   * samples across or down have none.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MAGNIFIER, FIELD (magnifier),
      g_param_spec_boolean ("magnifier", "Magnifier",
          "Show samples and their values large around the pointer", FALSE,
          LIVE));
  /**
   * GstBlockDct:magnifier-x:
   *
   * The column in the middle of the magnifier, as a share of the view's width.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MAGNIFIER_X, FIELD (magnifier_x),
      g_param_spec_double ("magnifier-x", "Magnifier X",
          "The place of the magnifier, from the left edge (0) to the right one "
          "(1)", 0, 1, 0.5, LIVE));
  /**
   * GstBlockDct:magnifier-y:
   *
   * The row in the middle of the magnifier, as a share of the view's height.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MAGNIFIER_Y, FIELD (magnifier_y),
      g_param_spec_double ("magnifier-y", "Magnifier Y",
          "The place of the magnifier, from the top (0) to the bottom (1)", 0,
          1, 0.5, LIVE));
}

void
gst_blockdct_install_views (GObjectClass * klass)
{
  const BdctView default_view = BDCT_VIEW_DEFAULT;

  /**
   * GstBlockDct:view:
   *
   * What the output shows. The statistics are the reconstruction's in any case.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_VIEW, FIELD (view),
      g_param_spec_enum ("view", "View",
          "What is shown; the statistics are the reconstruction's in any case",
          gst_blockdct_view_get_type (), default_view.mode, LIVE));
  /**
   * GstBlockDct:left:
   *
   * The first of the two pictures in wipe, side-by-side, stacked (where it is
   * the upper one), flicker and difference (where it is subtracted).
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_LEFT, FIELD (left),
      g_param_spec_enum ("left", "Left",
          "The first picture of the views that show two", side_get_type (),
          default_view.left, LIVE));
  /**
   * GstBlockDct:right:
   *
   * The second of the two pictures in these views.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_RIGHT, FIELD (right),
      g_param_spec_enum ("right", "Right",
          "The second picture of the views that show two", side_get_type (),
          default_view.right, LIVE));
  /**
   * GstBlockDct:wipe-position:
   *
   * Where the wipe is divided, from 0 (left) to 1; in side-by-side and stacked
   * which half of the picture is shown, from the first (0) to the last.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_WIPE_POSITION, FIELD (wipe_position),
      g_param_spec_double ("wipe-position", "Wipe position",
          "Where view=wipe is divided, or which part of the picture "
          "view=side-by-side and view=stacked show", 0, 1,
          default_view.position, LIVE));
  /**
   * GstBlockDct:difference-gain:
   *
   * What the difference is multiplied by in view=difference.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_DIFFERENCE_GAIN, FIELD (difference_gain),
      g_param_spec_double ("difference-gain", "Difference gain",
          "Amplification of view=difference", 0, BDCT_VIEW_MAX_GAIN,
          default_view.gain, LIVE));
  /**
   * GstBlockDct:grid:
   *
   * Show the borders of luma's blocks, in any view.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_GRID, FIELD (grid),
      g_param_spec_boolean ("grid", "Grid",
          "Show the borders of luma's blocks", default_view.grid, LIVE));
  install_zoom (klass);
  install_magnifier (klass);
  /**
   * GstBlockDct:overlay:
   *
   * Write transform, quality or QP, PSNR and engine on the picture, in builds
   * with Pango.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_OVERLAY, FIELD (overlay),
      g_param_spec_boolean ("overlay", "Overlay",
          "Write transform, quality, PSNR and engine on the picture", FALSE,
          LIVE));
  /**
   * GstBlockDct:interactive:
   *
   * Whether keys and pointer in the sink's window, which come as navigation
   * events, turn the properties.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_INTERACTIVE, QUIET_FIELD (interactive),
      g_param_spec_boolean ("interactive", "Interactive",
          "Let pointer and keys in the sink's window turn the properties",
          FALSE, PLAYING));
  /**
   * GstBlockDct:keep-frame:
   *
   * Whether a change of what a frame looks like is shown at once on the frame
   * that left last, when no other one comes: while paused, and at the end of
   * the stream. Downstream is flushed for it; frames that wait in a queue there
   * are gone.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_KEEP_FRAME, QUIET_FIELD (keep_frame),
      g_param_spec_boolean ("keep-frame", "Keep frame",
          "While paused, and at the end, show the latest frame again when a "
          "property changes", FALSE, PLAYING));
  gst_type_mark_as_plugin_api (gst_blockdct_view_get_type (), 0);
  gst_type_mark_as_plugin_api (side_get_type (), 0);
}
