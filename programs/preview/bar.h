/* blockdct-preview: the bar below the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_BAR_H
#define PREVIEW_BAR_H

#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS
#define PREVIEW_TYPE_BAR (preview_bar_get_type ())
G_DECLARE_FINAL_TYPE (PreviewBar, preview_bar, PREVIEW, BAR, GtkGrid)
/** The position of a session, which outlives it, and buttons to change it,
 * whose keys are added to `keys`. A click on them leaves the focus at
 * `video`. */
    GtkWidget * preview_bar_new (PreviewSession * session,
    GtkAccelGroup * keys, GtkWidget * video);

/** Append a button to the bar. */
void preview_bar_append (PreviewBar * self, GtkWidget * button);

G_END_DECLS
#endif
