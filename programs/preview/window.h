/* blockdct-preview: the window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_WINDOW_H
#define PREVIEW_WINDOW_H

#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS
typedef struct _PreviewWindow PreviewWindow;

/** A window with a session's picture, its controls, the transport bar, plots,
 * blocks and figures. */
PreviewWindow *preview_window_new (PreviewSession * session);
void preview_window_free (PreviewWindow * self);

/** The toplevel; it emits "destroy" when the user closes it. */
GtkWidget *preview_window_get_widget (PreviewWindow * self);

/** Write the whole window as a PNG. */
gboolean preview_window_save (PreviewWindow * self, const gchar * path,
    GError ** error);

G_END_DECLS
#endif
