/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "actions.h"

/* A menu item: its function and argument, and its key; 0: none. */
typedef struct
{
  const gchar *label;
  void (*run) (PreviewActions * self, gint what);
  gint what;
  guint key;
  GdkModifierType modifiers;
} Item;

static void
say (PreviewActions * self, const GError * error)
{
  g_signal_emit_by_name (self->session, "notice", error->message);
}

void
preview_actions_open (PreviewActions * self, const gchar * uri)
{
  g_autoptr (GError) error = NULL;

  if (!preview_session_open (self->session, uri, &error))
    say (self, error);
}

/* The file that the user chooses, owned by the caller; or NULL. */
static gchar *
choose (PreviewActions * self, const gchar * title, GtkFileChooserAction what,
    const gchar * name)
{
  GtkFileChooserNative *native = gtk_file_chooser_native_new (title,
      self->top, what, NULL, NULL);
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (native);
  gchar *uri = NULL;

  gtk_file_chooser_set_do_overwrite_confirmation (chooser, TRUE);
  if (name != NULL)
    gtk_file_chooser_set_current_name (chooser, name);
  if (gtk_native_dialog_run (GTK_NATIVE_DIALOG (native))
      == GTK_RESPONSE_ACCEPT)
    uri = gtk_file_chooser_get_uri (chooser);
  g_object_unref (native);
  return uri;
}

static void
open_file (PreviewActions * self, gint unused)
{
  g_autofree gchar *uri = choose (self, "Open", GTK_FILE_CHOOSER_ACTION_OPEN,
      NULL);

  (void) unused;
  if (uri != NULL)
    preview_actions_open (self, uri);
}

/* Save the frame that was shown when the item was chosen. */
static void
save (PreviewActions * self, gint what)
{
  static const gchar *const names[] = {
    [PREVIEW_SAVE_VIEW] = "view.png",[PREVIEW_SAVE_A] = "a.png",
    [PREVIEW_SAVE_B] = "b.png",[PREVIEW_SAVE_ORIGINAL] = "original.png"
  };
  g_autoptr (GstSample) frame = preview_session_get_original (self->session);
  g_autofree gchar *uri = choose (self, "Save", GTK_FILE_CHOOSER_ACTION_SAVE,
      names[what]);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *path = uri == NULL ? NULL : g_filename_from_uri (uri, NULL,
      &error);

  if (path != NULL && frame == NULL)
    g_set_error (&error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "There is no frame to save.");
  else if (path != NULL)
    preview_session_save (self->session, frame, what, path, &error);
  if (error != NULL)
    say (self, error);
}

static void
copy (PreviewActions * self, gint python)
{
  g_autofree gchar *text = python
      ? preview_session_describe_for_python (self->session)
      : preview_session_describe_for_shell (self->session);

  gtk_clipboard_set_text (gtk_clipboard_get (GDK_SELECTION_CLIPBOARD), text,
      -1);
}

static void
toggle_full (PreviewActions * self, gint unused)
{
  GdkWindow *window = gtk_widget_get_window (GTK_WIDGET (self->top));

  (void) unused;
  if (gdk_window_get_state (window) & GDK_WINDOW_STATE_FULLSCREEN)
    gtk_window_unfullscreen (self->top);
  else
    gtk_window_fullscreen (self->top);
}

static void
close_window (PreviewActions * self, gint unused)
{
  (void) unused;
  gtk_window_close (self->top);
}

static const Item items[] = {
  {"Open", open_file, 0, GDK_KEY_o, GDK_CONTROL_MASK},
  {"Save view", save, PREVIEW_SAVE_VIEW, GDK_KEY_s, GDK_CONTROL_MASK},
  {"Save original", save, PREVIEW_SAVE_ORIGINAL, 0, 0},
  {"Save A", save, PREVIEW_SAVE_A, 0, 0},
  {"Save B", save, PREVIEW_SAVE_B, 0, 0},
  {"Copy as gst-launch", copy, FALSE, GDK_KEY_c, GDK_CONTROL_MASK},
  {"Copy as Python", copy, TRUE, GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK},
  {"Full screen", toggle_full, 0, GDK_KEY_F11, 0},
  {"Close", close_window, 0, GDK_KEY_q, GDK_CONTROL_MASK},
};

static void
activate (GtkMenuItem * widget, PreviewActions * self)
{
  const Item *item = g_object_get_data (G_OBJECT (widget), "item");

  item->run (self, item->what);
}

GtkWidget *
preview_actions_new_menu (PreviewActions * self, GtkAccelGroup * keys)
{
  GtkWidget *button = gtk_menu_button_new (), *menu = gtk_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (items); i++) {
    GtkWidget *widget = gtk_menu_item_new_with_label (items[i].label);

    g_object_set_data (G_OBJECT (widget), "item", (gpointer) & items[i]);
    gtk_widget_set_name (widget, items[i].label);
    if (items[i].key != 0)
      gtk_widget_add_accelerator (widget, "activate", keys, items[i].key,
          items[i].modifiers, GTK_ACCEL_VISIBLE);
    g_signal_connect (widget, "activate", G_CALLBACK (activate), self);
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
