/* blockdct-preview: the menu.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_MENU_H
#define PREVIEW_MENU_H

#include <gtk/gtk.h>

G_BEGIN_DECLS
/** What is done, and the key that does it, too; 0: none. */
    typedef struct
{
  const gchar *label;
  void (*run) (gpointer data);
  guint key;
  GdkModifierType modifiers;
} PreviewMenuItem;

/** A button with a menu of `n` items, which outlive it, with their keys in
 * `keys`. */
GtkWidget *preview_menu_new (const PreviewMenuItem * item, guint n,
    GtkAccelGroup * keys, gpointer data);

G_END_DECLS
#endif
