/* blockdct-preview: PSNR over time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PLOT_H
#define PREVIEW_PLOT_H

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PREVIEW_TYPE_PLOT (preview_plot_get_type ())
G_DECLARE_FINAL_TYPE (PreviewPlot, preview_plot, PREVIEW, PLOT, GtkDrawingArea)

GtkWidget *preview_plot_new (void);

/** Add a frame's PSNR in dB, which may be infinite; or put it in the place of
 * the latest one, if it is that frame's. */
void preview_plot_add (PreviewPlot * plot, gdouble psnr, gboolean repeated);

G_END_DECLS
#endif
