/* blockdct-preview: common parts of the plots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CHART_H
#define PREVIEW_CHART_H

#include <gtk/gtk.h>

G_BEGIN_DECLS
/** Pixels below the lines; and above them, for a line of text. */
#define PREVIEW_CHART_MARGIN 12
#define PREVIEW_CHART_TOP 24
/** The least and the largest value of an axis. */
    typedef struct
{
  gdouble low, high;
} PreviewRange;

/** Set a range without values. */
void preview_range_clear (PreviewRange * range);
/** Extend the range by `value`, if it is finite. */
void preview_range_add (PreviewRange * range, gdouble value);
/** Extend the range to that of an axis: at most five round steps, and more than
 * one value. */
void preview_range_round (PreviewRange * range);

/** Draw a dark background, and horizontal lines at the range's round values,
 * with `unit`. */
void preview_chart_draw (GtkWidget * widget, cairo_t * cr,
    const PreviewRange * range, const gchar * unit);

/** The vertical position of a value; infinite values are at the edge. */
gdouble preview_chart_place (GtkWidget * widget, const PreviewRange * range,
    gdouble value);

/** Set the colour of line `i`; 0 is the line of the whole frame. */
void preview_chart_set_colour (cairo_t * cr, guint i);

/** Write `text` with its upper left corner, or with `right` its upper right
 * one, at (x, y). Returns its width. */
gint preview_chart_write (GtkWidget * widget, cairo_t * cr, gdouble x,
    gdouble y, gboolean right, const gchar * text);

G_END_DECLS
#endif
