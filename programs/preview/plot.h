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
/** One of the figures of the last frames, and a box to choose which, of those
 * that the last frame has. */
    GtkWidget * preview_plot_new (void);

/** Add a frame's message; or put it in the place of the latest one, if it is
 * that frame's. */
void preview_plot_add (PreviewPlot * self, const GstStructure * frame);

G_END_DECLS
#endif
