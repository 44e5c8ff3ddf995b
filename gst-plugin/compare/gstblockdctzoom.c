/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctzoom.h"

#include <string.h>
#include <blockdct/blockdct.h>

/* Whole numbers, so that all samples have the same size. */
static const gint zooms[] = { 1, 2, 3, 4, 6, 8, 12, 16 };

static const struct
{
  const gchar *key;
  gint steps;
} keys[] = {
  {"plus", 1}, {"+", 1}, {"equal", 1}, {"=", 1}, {"KP_Add", 1},
  {"minus", -1}, {"-", -1}, {"KP_Subtract", -1},
  {"0", 0}, {"KP_0", 0},
};

gboolean
gst_blockdct_zoom_find_key (const gchar * key, gint * steps)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (key, keys[i].key) == 0) {
      *steps = keys[i].steps;
      return TRUE;
    }
  return FALSE;
}

/* The view that the properties describe. */
static BdctView
get_view (GstElement * element)
{
  BdctView view = BDCT_VIEW_DEFAULT;
  gint mode;

  g_object_get (element, "view", &mode, "wipe-position", &view.position,
      "zoom", &view.zoom, "zoom-x", &view.zoom_x, "zoom-y", &view.zoom_y,
      NULL);
  view.mode = mode;
  return view;
}

static BdctLayout
layout_of (gint width, gint height)
{
  return (BdctLayout) {
    .size = sizeof (BdctLayout),.n_planes = 1,.plane = { {.width =
            width,.height = height}
  },};
}

/* The zoom that is `steps` further in the list, from any value. */
static gdouble
find_zoom (gdouble zoom, gint steps)
{
  for (; steps > 0; steps--)
    for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
      if (zooms[i] > zoom) {
        zoom = zooms[i];
        break;
      }
  for (; steps < 0; steps++)
    for (gint i = G_N_ELEMENTS (zooms) - 1; i >= 0; i--)
      if (zooms[i] < zoom) {
        zoom = zooms[i];
        break;
      }
  return zoom;
}

void
gst_blockdct_zoom_turn (GstElement * element, gint width, gint height,
    gint steps, gdouble x, gdouble y)
{
  const BdctView whole = BDCT_VIEW_DEFAULT;
  BdctLayout layout = layout_of (width, height);
  BdctView view = get_view (element);

  if (steps == 0)
    view = whole;
  else
    bdct_view_zoom_at (&view, &layout, find_zoom (view.zoom, steps), x, y);
  g_object_set (element, "zoom", view.zoom, "zoom-x", view.zoom_x, "zoom-y",
      view.zoom_y, NULL);
}

/* The wipe's line can be dragged at any zoom. */
gboolean
gst_blockdct_zoom_grabs (GstElement * element, gint width, gdouble x)
{
  BdctView view = get_view (element);

  return view.zoom >= 1 + 1 / 512.0 && (view.mode != BDCT_VIEW_WIPE
      || !gst_blockdct_zoom_is_click (width, view.position * width, 0, x,
          0));
}

void
gst_blockdct_zoom_drag (GstElement * element, gint width, gint height,
    gdouble zoom_x, gdouble zoom_y, gdouble dx, gdouble dy)
{
  BdctLayout layout = layout_of (width, height);
  BdctView view = get_view (element);

  view.zoom_x = zoom_x;
  view.zoom_y = zoom_y;
  bdct_view_pan (&view, &layout, -dx, -dy);
  g_object_set (element, "zoom-x", view.zoom_x, "zoom-y", view.zoom_y, NULL);
}
