/* blockdct-preview: the window's menu.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_ACTIONS_H
#define PREVIEW_ACTIONS_H

#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS
/** The menu's window and session; both outlive the menu. */
    typedef struct
{
  GtkWindow *top;
  PreviewSession *session;
} PreviewActions;

/** A button with the menu, whose keys are added to `keys`. */
GtkWidget *preview_actions_new_menu (PreviewActions * self,
    GtkAccelGroup * keys);

/** Show this URI, or an error. */
void preview_actions_open (PreviewActions * self, const gchar * uri);

G_END_DECLS
#endif
