/* blockdct: what the viewer's keys and pointer in the sink's window change.
 *
 * It gets and sets the element's properties, and uses nothing else of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* The state of one element's window. Any thread may use it. Coordinates are
 * samples of luma. */
typedef struct
{
  GMutex lock;
  gint width, height;           /* of the picture; 0 before caps */
  gboolean pressed, dragging;
  gdouble x, y;                 /* where the button was pressed */
  gboolean pans;                /* the drag moves a zoomed picture */
  gdouble zoom_x, zoom_y;       /* when the button was pressed */
  gint before[2];               /* `view` and `right` to return to */
} GstBlockDctNavigation;

/* Set the picture's size; 0: there is no picture. */
void gst_blockdct_navigation_set_size (GstBlockDctNavigation * self,
    gint width, gint height);

/* Handle an upstream navigation event if the element is `interactive`. FALSE
 * if the event is not for it; the caller keeps the event. */
gboolean gst_blockdct_navigation_event (GstBlockDctNavigation * self,
    GstElement * element, GstEvent * event);

/* Whether keys are held that leave an event to others. */
gboolean gst_blockdct_navigation_has_modifier (GstEvent * event);

/* The steps of a wheel, up or down (below 0). */
gint gst_blockdct_navigation_get_steps (GstEvent * event);

/* Whether a button that was pressed at (x0, y0) of a picture of this width,
 * and released at (x1, y1), is a click: a hand is never quite still. */
static inline gboolean
gst_blockdct_navigation_is_click (gint width, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1)
{
  const gdouble reach = MAX (3, width / 200);

  return ABS (x1 - x0) < reach && ABS (y1 - y0) < reach;
}
