/* blockdct-preview: the window's controls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PANEL_H
#define PREVIEW_PANEL_H

#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS
#define PREVIEW_TYPE_PANEL (preview_panel_get_type ())
G_DECLARE_FINAL_TYPE (PreviewPanel, preview_panel, PREVIEW, PANEL, GtkGrid)
/** The controls of a session, which outlives it, and A's presets. */
    GtkWidget * preview_panel_new (PreviewSession * session);

/** Disable the controls without effect, given the figures of the frame that is
 * shown. */
void preview_panel_show_frame (PreviewPanel * self,
    const GstStructure * figures);

G_END_DECLS
#endif
