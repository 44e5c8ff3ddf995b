/* blockdct: zooming and panning in the sink's window.
 *
 * It uses the element's properties alone, as gstblockdctnavigation.h does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_ZOOM_H
#define GST_BLOCKDCT_ZOOM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a button that was pressed at (x0, y0) of a picture of this width,
 * and released at (x1, y1), is a click: a hand is never quite still. */
static inline gboolean
gst_blockdct_zoom_is_click (gint width, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1)
{
  const gdouble reach = MAX (3, width / 200);

  return ABS (x1 - x0) < reach && ABS (y1 - y0) < reach;
}

/* Whether a key, given by its name or its character, zooms. `*steps` above 0
 * zoom in, below 0 out; 0 shows the whole picture. */
gboolean gst_blockdct_zoom_find_key (const gchar * key, gint * steps);

/* Zoom a picture of this size in or out by `steps`; 0: show the whole picture.
 * The sample at (x, y) of the view stays there as far as the edges allow. */
void gst_blockdct_zoom_turn (GstElement * element, gint width, gint height,
    gint steps, gdouble x, gdouble y);

/* Whether a drag that begins in column `x` moves the picture. */
gboolean gst_blockdct_zoom_grabs (GstElement * element, gint width,
    gdouble x);

/* Move the picture by (dx, dy) from the position `zoom_x`, `zoom_y`. */
void gst_blockdct_zoom_drag (GstElement * element, gint width, gint height,
    gdouble zoom_x, gdouble zoom_y, gdouble dx, gdouble dy);

G_END_DECLS
#endif
