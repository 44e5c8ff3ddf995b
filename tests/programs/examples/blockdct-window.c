/* blockdct-window: a preview in a program's own window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   blockdct-window [FILE]
 *
 * FILE, or a test pattern, plays in a GtkWindow beside a list of
 * blockdctpreview's views, which is made from their enumeration; the one in
 * force is printed. The picture has the keys: what is chosen in the list gives
 * the focus back. */
#include <gst/gst.h>
#include <gtk/gtk.h>

#define REST "videoconvert ! blockdctpreview name=preview ! videoconvert ! " \
    "gtksink name=sink"

typedef struct
{
  GstElement *pipeline;
  GObject *compare;             /* of blockdctpreview: it has the view */
  GtkWidget *window, *video, *views;
  GEnumClass *klass;            /* of `view` */
  gboolean failed;
} App;

static gboolean
make_pipeline (App * app, const gchar * file, GError ** error)
{
  gchar *text = g_strconcat (file != NULL ? "filesrc name=source ! decodebin ! "
      : "videotestsrc pattern=ball ! ", REST, NULL);
  GstElement *element;

  app->pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (text);
  if (app->pipeline == NULL)
    return FALSE;
  element = gst_bin_get_by_name (GST_BIN (app->pipeline), "preview");
  gst_child_proxy_set (GST_CHILD_PROXY (element), "a::quality", 20,
      "compare::interactive", TRUE, NULL);
  app->compare = gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element),
      "compare");
  gst_object_unref (element);
  element = gst_bin_get_by_name (GST_BIN (app->pipeline), "source");
  if (element != NULL)
    g_object_set (element, "location", file, NULL);
  gst_clear_object (&element);
  element = gst_bin_get_by_name (GST_BIN (app->pipeline), "sink");
  g_object_get (element, "widget", &app->video, NULL);
  gst_object_unref (element);
  return TRUE;
}

static void
view_chosen (GtkComboBox * views, App * app)
{
  gint i = gtk_combo_box_get_active (views);

  g_object_set (app->compare, "view", app->klass->values[i].value, NULL);
  gtk_widget_grab_focus (app->video);
}

/* A key has turned it; in GTK's thread. */
static gboolean
follow_view (gpointer data)
{
  App *app = data;
  gint view;

  g_object_get (app->compare, "view", &view, NULL);
  for (guint i = 0; i < app->klass->n_values; i++)
    if (app->klass->values[i].value == view) {
      g_print ("%s\n", app->klass->values[i].value_nick);
      gtk_combo_box_set_active (GTK_COMBO_BOX (app->views), i);
    }
  return G_SOURCE_REMOVE;
}

/* In any thread. */
static void
view_changed (App * app)
{
  g_main_context_invoke (NULL, follow_view, app);
}

static void
list_views (App * app)
{
  GParamSpec *pspec = g_object_class_find_property
      (G_OBJECT_GET_CLASS (app->compare), "view");

  app->klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  app->views = gtk_combo_box_text_new ();
  for (guint i = 0; i < app->klass->n_values; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (app->views),
        app->klass->values[i].value_nick);
  follow_view (app);
  g_signal_connect (app->views, "changed", G_CALLBACK (view_chosen), app);
  g_signal_connect_swapped (app->compare, "notify::view",
      G_CALLBACK (view_changed), app);
}

/* The picture's keys are not GTK's way from widget to widget. */
static gboolean
keep_key (GtkWidget * video, GdkEventKey * event)
{
  (void) video;
  return event->keyval == GDK_KEY_Up || event->keyval == GDK_KEY_Down
      || event->keyval == GDK_KEY_Left || event->keyval == GDK_KEY_Right
      || event->keyval == GDK_KEY_space;
}

static void
make_window (App * app)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  app->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
  gtk_window_set_title (GTK_WINDOW (app->window), "blockdct-window");
  gtk_window_set_default_size (GTK_WINDOW (app->window), 640, 520);
  gtk_widget_set_can_focus (app->video, TRUE);
  g_signal_connect_after (app->video, "key-press-event",
      G_CALLBACK (keep_key), NULL);
  gtk_box_pack_start (GTK_BOX (box), app->video, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (box), app->views, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (app->window), box);
  g_signal_connect (app->window, "destroy", G_CALLBACK (gtk_main_quit), NULL);
  gtk_widget_show_all (app->window);
  gtk_widget_grab_focus (app->video);
}

static gboolean
handle_message (GstBus * bus, GstMessage * message, gpointer data)
{
  App *app = data;
  GError *error = NULL;

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    app->failed = TRUE;
    gtk_main_quit ();
  }
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  App app = { 0 };
  GstBus *bus;

  gst_init (&argc, &argv);
  if (!gtk_init_check (&argc, &argv)) {
    g_printerr ("There is no display.\n");
    return 77;
  }
  if (!make_pipeline (&app, argc > 1 ? argv[1] : NULL, &error)) {
    g_printerr ("no pipeline: %s\n", error->message);
    g_error_free (error);
    return 1;
  }
  list_views (&app);
  make_window (&app);
  bus = gst_element_get_bus (app.pipeline);
  gst_bus_add_watch (bus, handle_message, &app);
  gst_element_set_state (app.pipeline, GST_STATE_PLAYING);
  gtk_main ();
  gst_element_set_state (app.pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  g_object_unref (app.video);
  gst_object_unref (bus);
  g_object_unref (app.compare);
  gst_object_unref (app.pipeline);
  return app.failed;
}
