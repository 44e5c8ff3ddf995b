/* blockdct-preview: the window's controls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PANEL_H
#define PREVIEW_PANEL_H

#include <gst/gst.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS
#define PREVIEW_TYPE_PANEL (preview_panel_get_type ())
G_DECLARE_FINAL_TYPE (PreviewPanel, preview_panel, PREVIEW, PANEL, GtkGrid)
/** A control for each property of `dct` that is turned, and its presets. */
    GtkWidget * preview_panel_new (GstElement * dct);

/** What has no effect with what made this frame cannot be turned. */
void preview_panel_show_frame (PreviewPanel * self,
    const GstStructure * frame);

G_END_DECLS
#endif
