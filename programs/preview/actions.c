/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "actions.h"
#include "menu.h"

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

/* What the user chose; the caller's, or NULL. */
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
open_file (gpointer data)
{
  PreviewActions *self = data;
  g_autofree gchar *uri = choose (self, "Open", GTK_FILE_CHOOSER_ACTION_OPEN,
      NULL);

  if (uri != NULL)
    preview_actions_open (self, uri);
}

/* Of the frame that was shown when it was asked for. */
static void
save (PreviewActions * self, PreviewSave what, const gchar * name)
{
  g_autoptr (GstSample) frame = preview_session_get_original (self->session);
  g_autofree gchar *uri = choose (self, "Save", GTK_FILE_CHOOSER_ACTION_SAVE,
      name);
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
save_view (gpointer data)
{
  save (data, PREVIEW_SAVE_VIEW, "view.png");
}

static void
save_original (gpointer data)
{
  save (data, PREVIEW_SAVE_ORIGINAL, "original.png");
}

static void
save_a (gpointer data)
{
  save (data, PREVIEW_SAVE_A, "a.png");
}

static void
save_b (gpointer data)
{
  save (data, PREVIEW_SAVE_B, "b.png");
}

/* It becomes the clipboard's. */
static void
copy (gchar * text)
{
  gtk_clipboard_set_text (gtk_clipboard_get (GDK_SELECTION_CLIPBOARD), text,
      -1);
  g_free (text);
}

static void
copy_for_shell (gpointer data)
{
  copy (preview_session_describe_for_shell (((PreviewActions *)
              data)->session));
}

static void
copy_for_python (gpointer data)
{
  copy (preview_session_describe_for_python (((PreviewActions *)
              data)->session));
}

static void
toggle_full (gpointer data)
{
  PreviewActions *self = data;
  GdkWindow *window = gtk_widget_get_window (GTK_WIDGET (self->top));

  if (gdk_window_get_state (window) & GDK_WINDOW_STATE_FULLSCREEN)
    gtk_window_unfullscreen (self->top);
  else
    gtk_window_fullscreen (self->top);
}

static void
close_window (gpointer data)
{
  gtk_window_close (((PreviewActions *) data)->top);
}

static const PreviewMenuItem items[] = {
  {"Open", open_file, GDK_KEY_o, GDK_CONTROL_MASK},
  {"Save view", save_view, GDK_KEY_s, GDK_CONTROL_MASK},
  {"Save original", save_original, 0, 0},
  {"Save A", save_a, 0, 0},
  {"Save B", save_b, 0, 0},
  {"Copy as gst-launch", copy_for_shell, GDK_KEY_c, GDK_CONTROL_MASK},
  {"Copy as Python", copy_for_python, GDK_KEY_c,
      GDK_CONTROL_MASK | GDK_SHIFT_MASK},
  {"Full screen", toggle_full, GDK_KEY_F11, 0},
  {"Close", close_window, GDK_KEY_q, GDK_CONTROL_MASK},
};

GtkWidget *
preview_actions_new_menu (PreviewActions * self, GtkAccelGroup * keys)
{
  return preview_menu_new (items, G_N_ELEMENTS (items), keys, self);
}
