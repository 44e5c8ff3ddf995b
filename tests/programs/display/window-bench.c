/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "window-bench.h"

#include <string.h>

static const PreviewOptions options = {.pattern = (gchar *) "smpte" };

static void
take_figures (Window * f, const GstStructure * figures)
{
  gst_structure_get_int (figures, "quality", &f->quality);
  f->n_figures++;
}

static void
take_block (Window * f, const GstStructure * block)
{
  gst_structure_get_int (block, "quality", &f->block_quality);
}

static void
set_up (Window * f, gconstpointer data)
{
  GError *error = NULL;

  (void) data;
  f->session = preview_session_new (&options, PREVIEW_WINDOW, &error);
  g_assert_no_error (error);
  f->video = preview_session_get_widget (f->session);
  f->window = preview_window_new (f->session);
  f->top = preview_window_get_widget (f->window);
  g_signal_connect_swapped (f->session, "figures", G_CALLBACK (take_figures),
      f);
  g_signal_connect_swapped (f->session, "block", G_CALLBACK (take_block), f);
}

static void
run (Window * f, gconstpointer data)
{
  ((const WindowTest *) data)->run (f);
}

static void
tear_down (Window * f, gconstpointer data)
{
  (void) data;
  preview_session_stop (f->session);
  preview_window_free (f->window);
  g_object_unref (f->session);
}

gint
window_run (int argc, char **argv, const WindowTest * tests, guint n)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  gtk_init (&argc, &argv);
  for (guint i = 0; i < n; i++)
    g_test_add (tests[i].path, Window, &tests[i], set_up, run, tear_down);
  return g_test_run ();
}

void
window_set (Window * f, const gchar * pair)
{
  GError *error = NULL;

  preview_session_set_text (f->session, pair, &error);
  g_assert_no_error (error);
}

gdouble
window_get_number (Window * f, const gchar * control)
{
  return preview_session_get_number (f->session,
      preview_find_control (control));
}

GtkWidget *
window_find (GtkWidget * widget, const gchar * name)
{
  GtkWidget *found = NULL;
  g_autoptr (GList) children = NULL;

  if (strcmp (gtk_widget_get_name (widget), name) == 0)
    return widget;
  if (!GTK_IS_CONTAINER (widget))
    return NULL;
  children = gtk_container_get_children (GTK_CONTAINER (widget));
  for (GList * l = children; l != NULL && found == NULL; l = l->next)
    found = window_find (l->data, name);
  return found;
}

GtkWidget *
window_get (Window * f, const gchar * name)
{
  GtkWidget *widget = window_find (f->top, name);

  g_assert_nonnull (widget);
  return widget;
}

void
window_show (Window * f, const GstStructure * figures)
{
  g_signal_emit_by_name (f->session, "figures", figures);
}

void
window_show_frame (Window * f, const gchar * transform, const gchar * setting)
{
  g_autoptr (GstStructure) s = gst_structure_new ("blockdct", "type",
      G_TYPE_STRING,
      "frame", "psnr", G_TYPE_DOUBLE, 30.0, "transform", G_TYPE_STRING,
      transform, setting, G_TYPE_INT, 20, NULL);

  window_show (f, s);
}

gboolean
window_is_sensitive (Window * f, const gchar * name)
{
  return gtk_widget_get_sensitive (window_get (f, name));
}

void
window_settle (void)
{
  const gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 5;

  while (g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
}

gboolean
window_has_text (GtkWidget * widget, const gchar * text)
{
  gboolean found = FALSE;
  g_autoptr (GList) children = NULL;

  if (GTK_IS_LABEL (widget))
    return gtk_widget_get_visible (widget)
        && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL;
  if (!GTK_IS_CONTAINER (widget))
    return FALSE;
  children = gtk_container_get_children (GTK_CONTAINER (widget));
  for (GList * l = children; l != NULL && !found; l = l->next)
    found = window_has_text (l->data, text);
  return found;
}

void
window_wait_for (const gint * quality, gint wanted)
{
  const gint64 end = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  while (*quality != wanted && g_get_monotonic_time () < end) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  }
  g_assert_cmpint (*quality, ==, wanted);
  while (gtk_events_pending ())
    gtk_main_iteration ();
}
