/* blockdct element tests: keys and the pointer of somebody in front of a sink's
 * window, and text that a sink draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_VIEWER_H
#define TESTS_ELEMENT_VIEWER_H

#include <gst/video/navigation.h>
#include "duel.h"

/* Events; `viewer_button()`'s is button 1, pressed or released. */
GstEvent *viewer_key (const gchar * name);
GstEvent *viewer_button (gboolean press, gdouble x, gdouble y);
GstEvent *viewer_move (gdouble x, gdouble y);
GstEvent *viewer_wheel (gdouble x, gdouble y, gdouble by);

/* Send an event, which is taken, to the source pad of a blockdctcompare or a
 * blockdctpreview. Whether it goes on upstream, which it may only as it was. */
gboolean viewer_send (GstElement * element, GstEvent * event);

/* Press a button, move, and let it go elsewhere. */
void viewer_drag (GstElement * element, gdouble x0, gdouble y0, gdouble x1,
    gdouble y1);

/* Values of an element's properties, as text side by side, are these. */
void viewer_assert (GstElement * element, const gchar * name,
    const gchar * value);
void viewer_assert_all (GstElement * element, const gchar * const *names,
    guint n, const gchar * values);

/* Count how often a property changes; NULL: any of them. */
void viewer_count (GstElement * element, const gchar * property, guint * n);

/* Let the sink say that it draws what is attached to buffers. */
void viewer_attach (Duel * duel);

/* What is attached to a buffer; NULL: nothing is. */
GstVideoOverlayComposition *viewer_get_attached (GstBuffer * buffer);

#endif
