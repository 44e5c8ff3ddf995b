/* blockdct: zooming and panning in the sink's window.
 *
 * It knows the element by its properties alone, as the rest of what a viewer
 * does (gstblockdctnavigation.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_ZOOM_H
#define GST_BLOCKDCT_ZOOM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Whether a button that went down at (x0, y0) of a picture of this width, and
 * up at (x1, y1), was a click: a hand that clicks is not quite still. */
static inline gboolean
gst_blockdct_zoom_is_click (gint width, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1)
{
  const gdouble reach = MAX (3, width / 200);

  return ABS (x1 - x0) < reach && ABS (y1 - y0) < reach;
}

/** Whether a key, by its name or by what it writes, zooms: `*steps` in (above
 * 0) or out; 0 is back to the whole picture. */
gboolean gst_blockdct_zoom_find_key (const gchar * key, gint * steps);

/** Zoom a picture of this size in, or out, by so many steps; 0: show all of it.
 * What is at (x, y) of the view stays there as far as the edges allow. */
void gst_blockdct_zoom_turn (GstElement * element, gint width, gint height,
    gint steps, gdouble x, gdouble y);

/** Whether a drag that begins in column `x` moves the picture. */
gboolean gst_blockdct_zoom_grabs (GstElement * element, gint width,
    gdouble x);

/** Move the picture by (dx, dy) from where it was at `zoom-x` and `zoom-y`. */
void gst_blockdct_zoom_drag (GstElement * element, gint width, gint height,
    gdouble zoom_x, gdouble zoom_y, gdouble dx, gdouble dy);

G_END_DECLS
#endif
