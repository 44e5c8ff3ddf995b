/* blockdct-preview: the frames' figures over time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PLOT_H
#define PREVIEW_PLOT_H

#include <gst/gst.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS
#define PREVIEW_TYPE_PLOT (preview_plot_get_type ())
G_DECLARE_FINAL_TYPE (PreviewPlot, preview_plot, PREVIEW, PLOT, GtkBox)
/** A plot of one figure of the last frames, and a box to choose the figure, of
 * those that the last frame has. */
    GtkWidget * preview_plot_new (void);

/** Add a frame's message, or replace the latest one if it is of the same
 * frame. */
void preview_plot_add (PreviewPlot * self, const GstStructure * frame);

G_END_DECLS
#endif
