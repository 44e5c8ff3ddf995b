/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "menu.h"

static void
activate (GtkMenuItem * widget, gpointer data)
{
  const PreviewMenuItem *item = g_object_get_data (G_OBJECT (widget), "item");

  item->run (data);
}

GtkWidget *
preview_menu_new (const PreviewMenuItem * item, guint n, GtkAccelGroup * keys,
    gpointer data)
{
  GtkWidget *button = gtk_menu_button_new (), *menu = gtk_menu_new ();

  for (guint i = 0; i < n; i++) {
    GtkWidget *widget = gtk_menu_item_new_with_label (item[i].label);

    g_object_set_data (G_OBJECT (widget), "item", (gpointer) & item[i]);
    gtk_widget_set_name (widget, item[i].label);
    if (item[i].key != 0)
      gtk_widget_add_accelerator (widget, "activate", keys, item[i].key,
          item[i].modifiers, GTK_ACCEL_VISIBLE);
    g_signal_connect (widget, "activate", G_CALLBACK (activate), data);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), widget);
  }
  gtk_widget_show_all (menu);
  gtk_button_set_image (GTK_BUTTON (button), gtk_image_new_from_icon_name
      ("open-menu-symbolic", GTK_ICON_SIZE_BUTTON));
  gtk_widget_set_name (button, "menu");
  atk_object_set_name (gtk_widget_get_accessible (button), "menu");
  gtk_menu_button_set_popup (GTK_MENU_BUTTON (button), menu);
  return button;
}
