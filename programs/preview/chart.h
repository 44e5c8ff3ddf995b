/* blockdct-preview: what its plots have in common.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CHART_H
#define PREVIEW_CHART_H

#include <gtk/gtk.h>

G_BEGIN_DECLS
/** Pixels below the lines, and above them, where a line of text is. */
#define PREVIEW_CHART_MARGIN 12
#define PREVIEW_CHART_TOP 24
/** The least and the largest value of an axis. */
    typedef struct
{
  gdouble low, high;
} PreviewRange;

/** No value yet. */
void preview_range_clear (PreviewRange * range);
/** Have `value` in it, if it is finite. */
void preview_range_add (PreviewRange * range, gdouble value);
/** As an axis: five round steps at most, and more than one value. */
void preview_range_round (PreviewRange * range);

/** A dark ground, and lines across at the range's round values, with `unit`. */
void preview_chart_draw (GtkWidget * widget, cairo_t * cr,
    const PreviewRange * range, const gchar * unit);

/** How far down a value is; what is infinite is at the edge. */
gdouble preview_chart_place (GtkWidget * widget, const PreviewRange * range,
    gdouble value);

/** The colour of line `i`, of which 0 is that of the whole. */
void preview_chart_set_colour (cairo_t * cr, guint i);

/** Write `text` at (x, y), which is its upper left corner, or with `right` its
 * upper right one; its width. */
gint preview_chart_write (GtkWidget * widget, cairo_t * cr, gdouble x,
    gdouble y, gboolean right, const gchar * text);

G_END_DECLS
#endif
