/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From the properties to the view that the engine draws. */
#include "gstblockdct.h"

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

const BdctView *
gst_blockdct_view_update (GstBlockDct * self,
    const GstBlockDctSettings * settings)
{
  self->view.mode = settings->view;
  self->view.grid = settings->grid;
  self->view.position = settings->wipe_position;
  self->view.gain = settings->difference_gain;
  return &self->view;
}
