/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The controls of blockdct-preview's window, without a pointer: they have names
 * for who does not see them, follow the element, and leave the picture its
 * keys. Needs a display. */
#include <stdlib.h>
#include <string.h>
#include <gst/video/navigation.h>
#include "actions.h"
#include "controls.h"
#include "window.h"

typedef struct
{
  GstElement *pipeline, *dct;
  PreviewTransport *transport;
  GtkWidget *video, *top;
  PreviewFront *window;
} Fixture;

#define N_TURNS 10000

static const PreviewOptions options;

static void
set_up (Fixture * f, gconstpointer data)
{
  (void) data;
  f->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  f->dct = gst_element_factory_make ("blockdct", NULL);
  g_assert_nonnull (f->dct);
  gst_bin_add_many (GST_BIN (f->pipeline), f->dct,
      gst_element_factory_make ("capsfilter", "fit"), NULL);
  f->transport = preview_transport_new (f->pipeline);
  f->video = g_object_ref_sink (gtk_drawing_area_new ());
  f->window = preview_window_new (f->video, f->dct, f->pipeline,
      f->transport, &options);
  f->top = preview_window_get_widget (f->window);
}

static void
tear_down (Fixture * f, gconstpointer data)
{
  (void) data;
  gst_element_set_state (f->dct, GST_STATE_NULL);
  f->window->free (f->window);
  preview_transport_free (f->transport);
  g_object_unref (f->video);
  gst_object_unref (f->pipeline);
}

static GtkWidget *
find (GtkWidget * widget, const gchar * name)
{
  GtkWidget *found = NULL;
  GList *children;

  if (strcmp (gtk_widget_get_name (widget), name) == 0)
    return widget;
  if (!GTK_IS_CONTAINER (widget))
    return NULL;
  children = gtk_container_get_children (GTK_CONTAINER (widget));
  for (GList * l = children; l != NULL && found == NULL; l = l->next)
    found = find (l->data, name);
  g_list_free (children);
  return found;
}

static GtkWidget *
get (Fixture * f, const gchar * name)
{
  GtkWidget *widget = find (f->top, name);

  g_assert_nonnull (widget);
  return widget;
}

static void
test_names (Fixture * f, gconstpointer data)
{
  static const gchar *const names[] = { "preset", "transform", "quality", "qp",
    "chroma-qp-offset", "scaling-list", "b-transform", "b-quality", "b-qp",
    "view", "left", "right", "wipe-position", "difference-gain", "zoom",
    "zoom-x", "zoom-y", "magnifier", "grid", "overlay", "rate", "metrics",
    "back", "pause", "step", "loop", "menu", "figure", "plane", "array"
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpstr (atk_object_get_name (gtk_widget_get_accessible (get (f,
                    names[i]))), ==, names[i]);
}

static void
test_low (Fixture * f, gconstpointer data)
{
  gint least;

  (void) data;
  gtk_widget_get_preferred_height (f->top, &least, NULL);
  g_assert_cmpint (least, <, 400);
}

static void
test_preset (Fixture * f, gconstpointer data)
{
  GtkComboBox *box = GTK_COMBO_BOX (get (f, "preset"));
  gint quality;

  (void) data;
  gtk_combo_box_set_active (box, 0);
  g_object_get (f->dct, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 95);
  g_assert_cmpint (gtk_combo_box_get_active (box), ==, 0);
  g_object_set (f->dct, "quality", 94, NULL);
  g_assert_cmpint (gtk_combo_box_get_active (box), ==, -1);
  gtk_combo_box_set_active (box, 0);
  g_object_get (f->dct, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 95);
}

static void
show_frame (Fixture * f, const gchar * transform, const gchar * setting)
{
  GstStructure *s = gst_structure_new ("blockdct", "type", G_TYPE_STRING,
      "frame", "psnr", G_TYPE_DOUBLE, 30.0, "transform", G_TYPE_STRING,
      transform, setting, G_TYPE_INT, 20, NULL);

  f->window->show_message (f->window, s);
  gst_structure_free (s);
}

static void
test_effect (Fixture * f, gconstpointer data)
{
  (void) data;
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_widget_get_sensitive (get (f, "quality")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "qp")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "scaling-list")));
  show_frame (f, "h264-4x4", "qp");
  g_assert_false (gtk_widget_get_sensitive (get (f, "quality")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "chroma-qp-offset")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "scaling-list")));
  show_frame (f, "hevc-8x8", "qp");
  g_assert_true (gtk_widget_get_sensitive (get (f, "scaling-list")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "view")));
}

/* So do the controls of B, and those of some views. */
static void
test_effect_of_b (Fixture * f, gconstpointer data)
{
  (void) data;
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_widget_get_sensitive (get (f, "b-transform")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "b-quality")));
  show_frame (f, "jpeg-8x8", "b-qp");
  g_assert_false (gtk_widget_get_sensitive (get (f, "b-quality")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "b-qp")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "left")));
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "flicker");
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_widget_get_sensitive (get (f, "left")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "right")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "wipe-position")));
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "stacked");
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_widget_get_sensitive (get (f, "wipe-position")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "difference-gain")));
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "difference");
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (gtk_widget_get_sensitive (get (f, "wipe-position")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "difference-gain")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "zoom")));
  g_assert_false (gtk_widget_get_sensitive (get (f, "zoom-x")));
  g_object_set (f->dct, "zoom", 2.0, NULL);
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_widget_get_sensitive (get (f, "zoom-x")));
  g_assert_true (gtk_widget_get_sensitive (get (f, "zoom-y")));
}

/* Of the element, and of its controls. */
static void
assert_b (Fixture * f, const gchar * transform, gint quality)
{
  GtkWidget *box = get (f, "b-transform");
  gchar *text = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (box));
  GValue value = G_VALUE_INIT;
  gchar *is;
  gint q;

  g_object_get_property (G_OBJECT (f->dct), "b-transform", &value);
  is = gst_value_serialize (&value);
  g_object_get (f->dct, "b-quality", &q, NULL);
  g_assert_cmpstr (is, ==, transform);
  g_assert_cmpstr (text, ==, transform);
  g_assert_cmpint (q, ==, quality);
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (get (f, "b-quality"))),
      ==, quality);
  g_value_unset (&value);
  g_free (text);
  g_free (is);
}

/* The buttons do what the keys do, and the controls follow. */
static void
test_second (Fixture * f, gconstpointer data)
{
  gint quality;

  (void) data;
  g_object_set (f->dct, "interactive", TRUE, "quality", 20, NULL);
  gst_element_set_state (f->dct, GST_STATE_PAUSED);
  g_assert_false (gtk_widget_get_sensitive (get (f, "Swap A and B")));
  assert_b (f, "none", 85);
  gtk_button_clicked (GTK_BUTTON (get (f, "Store A as B")));
  assert_b (f, "jpeg-8x8", 20);
  g_assert_true (gtk_widget_get_sensitive (get (f, "Swap A and B")));
  gst_util_set_object_arg (G_OBJECT (f->dct), "transform", "dct-8x8");
  g_object_set (f->dct, "quality", 30, NULL);
  gtk_button_clicked (GTK_BUTTON (get (f, "Swap A and B")));
  assert_b (f, "dct-8x8", 30);
  g_object_get (f->dct, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 20);
  preview_press_key (f->dct, "x");
  assert_b (f, "jpeg-8x8", 20);
  gtk_combo_box_set_active (GTK_COMBO_BOX (get (f, "b-transform")), 0);
  g_assert_false (gtk_widget_get_sensitive (get (f, "Swap A and B")));
}

static void
assert_view (Fixture * f, const gchar * view)
{
  gchar *text = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (get
          (f, "view")));

  g_assert_cmpstr (text, ==, view);
  g_free (text);
}

/* It goes back to the view that was there. */
static void
test_flicker (Fixture * f, gconstpointer data)
{
  GtkToggleButton *button = GTK_TOGGLE_BUTTON (get (f, "Flicker"));

  (void) data;
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "stacked");
  gtk_toggle_button_set_active (button, TRUE);
  assert_view (f, "flicker");
  gtk_toggle_button_set_active (button, FALSE);
  assert_view (f, "stacked");
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "flicker");
  g_assert_true (gtk_toggle_button_get_active (button));
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "wipe");
  g_assert_false (gtk_toggle_button_get_active (button));
}

static void
test_zoom (Fixture * f, gconstpointer data)
{
  GtkRange *range = GTK_RANGE (get (f, "zoom"));
  gdouble zoom;

  (void) data;
  g_assert_false (gtk_widget_get_sensitive (get (f, "Whole picture")));
  gtk_range_set_value (range, 8);
  g_object_get (f->dct, "zoom", &zoom, NULL);
  g_assert_cmpfloat (zoom, ==, 8);
  g_object_set (f->dct, "zoom", 2.5, NULL);
  g_assert_cmpfloat (gtk_range_get_value (range), ==, 2.5);
  g_object_get (f->dct, "zoom", &zoom, NULL);
  g_assert_cmpfloat (zoom, ==, 2.5);
  g_assert_true (gtk_widget_get_sensitive (get (f, "Whole picture")));
}

/* What a value is for is said where it is chosen. */
static void
test_meaning (Fixture * f, gconstpointer data)
{
  gchar *text;

  (void) data;
  gst_util_set_object_arg (G_OBJECT (f->dct), "transform", "hevc-dst-4x4");
  text = gtk_widget_get_tooltip_text (get (f, "transform"));
  g_assert_nonnull (strstr (text, "hevc-dst-4x4: HEVC 4x4 DST-VII"));
  g_assert_nonnull (strstr (text, "no guide"));
  g_free (text);
  gst_util_set_object_arg (G_OBJECT (f->dct), "transform", "vvc-64x64");
  text = gtk_widget_get_tooltip_text (get (f, "transform"));
  g_assert_nonnull (strstr (text, "large smooth blocks"));
  g_free (text);
}

static void
test_focus (Fixture * f, gconstpointer data)
{
  (void) data;
  gtk_widget_grab_focus (get (f, "quality"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (f, "pause")), TRUE);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (f->top)) == f->video);
}

/* A window says which view it shows, and what it does not show. */
static gboolean
has_text (GtkWidget * widget, const gchar * text)
{
  gboolean found = FALSE;
  GList *children;

  if (GTK_IS_LABEL (widget))
    return gtk_widget_get_visible (widget)
        && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL;
  if (!GTK_IS_CONTAINER (widget))
    return FALSE;
  children = gtk_container_get_children (GTK_CONTAINER (widget));
  for (GList * l = children; l != NULL && !found; l = l->next)
    found = has_text (l->data, text);
  g_list_free (children);
  return found;
}

static void
test_texts (Fixture * f, gconstpointer data)
{
  (void) data;
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "wipe");
  g_assert_true (has_text (f->top, "left: original | right: reconstruction"));
  gst_util_set_object_arg (G_OBJECT (f->dct), "view", "stacked");
  g_assert_true (has_text (f->top, "above: original"));
  g_assert_false (has_text (f->top, "a warning"));
  f->window->show_notice (f->window, "a warning");
  g_assert_true (has_text (f->top, "a warning"));
}

static void
drop_frame (Fixture * f, gpointer element)
{
  GstMessage *qos = gst_message_new_qos (element, FALSE, 0, 0, 0, 0);

  f->window->show_qos (f->window, qos);
  gst_message_unref (qos);
}

/* What is dropped is said, by whichever element, with how many there were; but
 * not what a step leaves behind. */
static void
test_late (Fixture * f, gconstpointer data)
{
  GstElement *source = gst_bin_new ("source");
  GstElement *decoder = gst_element_factory_make ("identity", NULL);

  (void) data;
  gst_bin_add (GST_BIN (source), decoder);
  gst_bin_add (GST_BIN (f->pipeline), source);
  gst_element_set_state (f->pipeline, GST_STATE_PLAYING);
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (has_text (f->top, "too late"));
  drop_frame (f, f->dct);
  drop_frame (f, decoder);
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (has_text (f->top, "2 of 3 frames too late"));
  gst_element_set_state (f->pipeline, GST_STATE_PAUSED);
  drop_frame (f, f->dct);
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (has_text (f->top, "2 of 3 frames too late"));
  f->window->show_source (f->window, "another");
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (has_text (f->top, "too late"));
  gst_element_set_state (f->pipeline, GST_STATE_NULL);
}

/* The panel is not cut off beside the picture, nor in a narrow window. */
static void
test_wide (Fixture * f, gconstpointer data)
{
  static const gint widths[] = { 320, 600, 720, 760, 1100 };
  gint least, now;

  (void) data;
  gtk_widget_set_size_request (f->video, 640, 480);
  f->window->show_notice (f->window, "What is beside the panel would like to "
      "have as much of the window as this has letters, and more.");
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    gtk_window_resize (GTK_WINDOW (f->top), widths[i], 600);
    for (guint n = 0; n < 50; n++) {
      while (gtk_events_pending ())
        gtk_main_iteration ();
      g_usleep (2000);
    }
    gtk_widget_get_preferred_width (gtk_widget_get_ancestor (get (f,
                "quality"), GTK_TYPE_BOX), &least, NULL);
    now = gtk_widget_get_allocated_width (gtk_widget_get_ancestor (get (f,
                "quality"), GTK_TYPE_SCROLLED_WINDOW));
    g_assert_cmpint (gtk_widget_get_allocated_width (f->top), ==, widths[i]);
    g_assert_cmpint (now, >=, least);
  }
}

/* A button for each flag. */
static void
test_flags (Fixture * f, gconstpointer data)
{
  GFlagsClass *klass;
  guint flags;

  (void) data;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (f, "psnr-b")), TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (f, "ssim")), TRUE);
  g_object_get (f->dct, "metrics", &flags, NULL);
  klass = G_PARAM_SPEC_FLAGS (g_object_class_find_property
      (G_OBJECT_GET_CLASS (f->dct), "metrics"))->flags_class;
  g_assert_cmpuint (flags, ==, g_flags_get_value_by_nick (klass,
          "ssim")->value | g_flags_get_value_by_nick (klass, "psnr-b")->value);
  gst_util_set_object_arg (G_OBJECT (f->dct), "metrics", "xpsnr");
  g_assert_false (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get (f,
                  "ssim"))));
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get (f,
                  "xpsnr"))));
}

/* What is measured can be plotted, and no more. */
static void
test_plot (Fixture * f, gconstpointer data)
{
  GtkComboBox *box = GTK_COMBO_BOX (get (f, "figure"));
  GstStructure *s;

  (void) data;
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_combo_box_set_active_id (box, "PSNR"));
  g_assert_false (gtk_combo_box_set_active_id (box, "SSIM"));
  s = gst_structure_from_string ("blockdct, type=frame, psnr=(double)inf, "
      "ssim=0.9, bpp=(double)1.5, transform=jpeg-8x8, quality=20;", NULL);
  f->window->show_message (f->window, s);
  gst_structure_free (s);
  g_assert_true (has_text (f->top, "psnr identical\nbpp 1.5\n"));
  g_assert_true (gtk_combo_box_set_active_id (box, "SSIM"));
  g_assert_true (gtk_combo_box_set_active_id (box, "rate"));
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_cmpstr (gtk_combo_box_get_active_id (box), ==, "PSNR");
}

/* B's figures stand beside A's, and are plotted where A's are. */
static void
test_figures_of_b (Fixture * f, gconstpointer data)
{
  GstStructure *s = gst_structure_from_string ("blockdct, type=frame, "
      "psnr=30.25, b-psnr=(double)inf, nonzero=0.5, b-nonzero=0.25, "
      "transform=jpeg-8x8, quality=20;", NULL);

  (void) data;
  f->window->show_message (f->window, s);
  gst_structure_free (s);
  g_assert_true (has_text (f->top, "A | B\npsnr 30.25 | identical\n"
          "nonzero 50 | 25 %\n"));
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (has_text (f->top, "A | B"));
}

static void
append_array (GString * text, const gchar * name, const gchar * type,
    const gchar * plane)
{
  g_string_append_printf (text, ", %s%s=(%s)<", name, plane, type);
  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "%s(%s)%u", i > 0 ? "," : "", type, i);
  g_string_append (text, ">");
}

/* The table has a block's cells; a plane that is not there is not offered. */
static void
test_block (Fixture * f, gconstpointer data)
{
  GtkTreeView *table = GTK_TREE_VIEW (get (f, "table"));
  GString *text = g_string_new ("blockdct-block, transform=jpeg-8x8, "
      "quality=20, x=8, y=16, size=8, x-u=0, y-u=8, size-u=8");
  static const gchar *const planes[] = { "", "-u" };
  GstStructure *s;

  (void) data;
  for (guint i = 0; i < 2; i++) {
    append_array (text, "samples", "int", planes[i]);
    append_array (text, "coefficients", "double", planes[i]);
    append_array (text, "levels", "int", planes[i]);
    append_array (text, "reconstruction", "int", planes[i]);
  }
  g_string_append_c (text, ';');
  s = gst_structure_from_string (text->str, NULL);
  g_assert_nonnull (s);
  f->window->show_message (f->window, s);
  g_assert_cmpuint (gtk_tree_view_get_n_columns (table), ==, 9);
  g_assert_cmpint (gtk_tree_model_iter_n_children (gtk_tree_view_get_model
          (table), NULL), ==, 8);
  g_assert_true (has_text (f->top, "jpeg-8x8 of 8x8 at (8, 16)"));
  gtk_combo_box_set_active (GTK_COMBO_BOX (get (f, "plane")), 1);
  g_assert_true (has_text (f->top, "jpeg-8x8 of 8x8 at (0, 8)"));
  g_assert_cmpint (gtk_tree_model_iter_n_children (gtk_combo_box_get_model
          (GTK_COMBO_BOX (get (f, "plane"))), NULL), ==, 2);
  for (gint i = 0; i < 5; i++)
    gtk_combo_box_set_active (GTK_COMBO_BOX (get (f, "array")), i);
  gst_structure_free (s);
  g_string_free (text, TRUE);
}

static gpointer
turn_many (gpointer dct)
{
  for (gint i = 0; i < N_TURNS; i++)
    g_object_set (dct, "quality", 1 + i % 90, NULL);
  return NULL;
}

static void
count_frame (GstElement * sink, GstBuffer * frame, GstPad * pad, gint * n)
{
  (void) sink, (void) frame, (void) pad;
  g_atomic_int_inc (n);
}

/* Shows what the pipeline says until a message of this name has this quality;
 * how many messages it was. */
static guint
wait_message (Fixture * f, GstBus * bus, const gchar * name, gint wanted)
{
  gint quality = 0;
  guint n = 0;

  while (quality != wanted) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
        GST_MESSAGE_ELEMENT);

    g_assert_nonnull (message);
    f->window->show_message (f->window, gst_message_get_structure (message));
    if (gst_message_has_name (message, name))
      gst_structure_get_int (gst_message_get_structure (message), "quality",
          &quality);
    gst_message_unref (message);
    n++;
  }
  while (gtk_events_pending ())
    gtk_main_iteration ();
  return n;
}

static guint
wait_quality (Fixture * f, GstBus * bus, gint wanted)
{
  return wait_message (f, bus, "blockdct", wanted);
}

/* The slider of what is paused is moved 10,000 times while another thread, as
 * keys do, turns the same: fewer frames are shown, none waits, the last value
 * is in force and on the slider. */
static void
test_many (Fixture * f, gconstpointer data)
{
  GtkRange *slider = GTK_RANGE (get (f, "quality"));
  GstElement *source = gst_element_factory_make ("videotestsrc", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstBus *bus = gst_element_get_bus (f->pipeline);
  gint n_frames = 0;
  GThread *thread;

  (void) data;
  g_object_set (sink, "signal-handoffs", TRUE, NULL);
  g_signal_connect (sink, "preroll-handoff", G_CALLBACK (count_frame),
      &n_frames);
  g_object_set (f->dct, "keep-frame", TRUE, "quality", 91, NULL);
  gst_bin_add_many (GST_BIN (f->pipeline), source, sink, NULL);
  g_assert_true (gst_element_link_many (source, f->dct, sink, NULL));
  gst_element_set_state (f->pipeline, GST_STATE_PAUSED);
  wait_quality (f, bus, 91);
  /* As the main loop does: else GTK would be used in the other thread. */
  g_assert_true (g_main_context_acquire (NULL));
  thread = g_thread_new ("keys", turn_many, f->dct);
  for (gint i = 0; i < N_TURNS; i++)
    gtk_range_set_value (slider, 1 + i % 89);
  g_thread_join (thread);
  gtk_range_set_value (slider, 99);
  g_assert_cmpuint (wait_quality (f, bus, 99), <, N_TURNS);
  g_assert_cmpint (gtk_range_get_value (slider), ==, 99);
  g_assert_cmpint (g_atomic_int_get (&n_frames), <, N_TURNS);
  g_assert_null (gst_bus_timed_pop_filtered (bus, GST_SECOND / 5,
          GST_MESSAGE_ELEMENT));
  g_main_context_release (NULL);
  gst_element_set_state (f->pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

/* What the table shows of DC. */
static gint
read_cell (Fixture * f)
{
  GtkTreeView *table = GTK_TREE_VIEW (get (f, "table"));
  GtkTreeViewColumn *column = gtk_tree_view_get_column (table, 0);
  GList *cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT (column));
  GtkTreeIter row;
  gchar *text;
  gint dc;

  g_assert_true (gtk_tree_model_get_iter_first (gtk_tree_view_get_model
          (table), &row));
  gtk_tree_view_column_cell_set_cell_data (column,
      gtk_tree_view_get_model (table), &row, FALSE, FALSE);
  g_object_get (cells->data, "text", &text, NULL);
  dc = atoi (text);
  g_list_free (cells);
  g_free (text);
  return dc;
}

/* The block that was clicked on is shown as the settings make it, paused and
 * playing, and whoever looks at another page stays there. */
static void
test_follow (Fixture * f, gconstpointer data)
{
  GtkRange *slider = GTK_RANGE (get (f, "quality"));
  GtkNotebook *pages = GTK_NOTEBOOK (get (f, "pages"));
  GstElement *source = gst_element_factory_make ("videotestsrc", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstBus *bus = gst_element_get_bus (f->pipeline);
  gint dc[4];

  (void) data;
  g_object_set (sink, "sync", TRUE, NULL);
  g_object_set (f->dct, "keep-frame", TRUE, "interactive", TRUE, "quality", 90,
      NULL);
  gst_bin_add_many (GST_BIN (f->pipeline), source, sink, NULL);
  g_assert_true (gst_element_link_many (source, f->dct, sink, NULL));
  gst_element_set_state (f->pipeline, GST_STATE_PAUSED);
  wait_quality (f, bus, 90);
  preview_navigate (f->dct, gst_navigation_event_new_mouse_button_press (1,
          100, 70, GST_NAVIGATION_MODIFIER_NONE));
  preview_navigate (f->dct, gst_navigation_event_new_mouse_button_release (1,
          100, 70, GST_NAVIGATION_MODIFIER_NONE));
  wait_message (f, bus, "blockdct-block", 90);
  g_assert_cmpint (gtk_notebook_get_current_page (pages), ==, 2);
  dc[0] = read_cell (f);
  gtk_range_set_value (slider, 5);
  wait_message (f, bus, "blockdct-block", 5);
  dc[1] = read_cell (f);
  gtk_notebook_set_current_page (pages, 0);
  gst_element_set_state (f->pipeline, GST_STATE_PLAYING);
  gtk_range_set_value (slider, 20);
  wait_message (f, bus, "blockdct-block", 20);
  dc[2] = read_cell (f);
  g_assert_cmpint (gtk_notebook_get_current_page (pages), ==, 0);
  gtk_range_set_value (slider, 90);
  wait_message (f, bus, "blockdct-block", 90);
  dc[3] = read_cell (f);
  g_test_message ("DC at 90, 5, 20, 90: %d %d %d %d", dc[0], dc[1], dc[2],
      dc[3]);
  /* By the steps of annex K for DC: 3, 160, 40. */
  g_assert_cmpint (dc[0], !=, 0);
  g_assert_cmpint (dc[3], ==, dc[0]);
  g_assert_cmpint (ABS (dc[1] * 160 - dc[0] * 3), <=, 82);
  g_assert_cmpint (ABS (dc[2] * 40 - dc[0] * 3), <=, 22);
  gst_element_set_state (f->pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

/* With the whole screen there is the picture alone, with its bar. */
static void
test_full (Fixture * f, gconstpointer data)
{
  GdkEventWindowState event = {.type = GDK_WINDOW_STATE,
    .new_window_state = GDK_WINDOW_STATE_FULLSCREEN
  };
  gboolean handled;

  (void) data;
  g_signal_emit_by_name (f->top, "window-state-event", &event, &handled);
  g_assert_false (gtk_widget_get_visible (get (f, "pages")));
  g_assert_true (gtk_widget_get_visible (get (f, "pause")));
  event.new_window_state = 0;
  g_signal_emit_by_name (f->top, "window-state-event", &event, &handled);
  g_assert_true (gtk_widget_get_visible (get (f, "pages")));
}

static void
choose (Fixture * f, const gchar * item)
{
  GtkWidget *widget = find (GTK_WIDGET (gtk_menu_button_get_popup
          (GTK_MENU_BUTTON (get (f, "menu")))), item);

  g_assert_nonnull (widget);
  gtk_menu_item_activate (GTK_MENU_ITEM (widget));
}

/* What is copied is in the clipboard, with what is set. */
static void
test_copy (Fixture * f, gconstpointer data)
{
  GtkClipboard *clipboard = gtk_clipboard_get (GDK_SELECTION_CLIPBOARD);
  gchar *text;

  (void) data;
  gst_bin_add (GST_BIN (f->pipeline), gst_bin_new ("source"));
  gst_util_set_object_arg (G_OBJECT (f->dct), "b-transform", "hevc-8x8");
  g_object_set (f->dct, "zoom", 3.0, NULL);
  choose (f, "Copy as gst-launch");
  text = gtk_clipboard_wait_for_text (clipboard);
  g_assert_true (g_str_has_prefix (text, "gst-launch-1.0 videotestsrc "));
  g_assert_nonnull (strstr (text, " b-transform=hevc-8x8 "));
  g_assert_nonnull (strstr (text, " zoom=3"));
  g_free (text);
  choose (f, "Copy as Python");
  text = gtk_clipboard_wait_for_text (clipboard);
  g_assert_true (g_str_has_prefix (text, "import gi\n"));
  g_assert_nonnull (strstr (text, " b-transform=hevc-8x8 "));
  g_free (text);
}

static void
remember (gpointer owner, const gchar * uri)
{
  g_free (*(gchar **) owner);
  *(gchar **) owner = g_strdup (uri);
}

/* What is chosen or dropped is opened, where there is somebody to do so. */
static void
test_opening (Fixture * f, gconstpointer data)
{
  gchar *opened = NULL;
  PreviewActions actions = {.front = f->window };

  (void) data;
  preview_actions_open (&actions, "file:///nobody");
  f->window->open = remember;
  f->window->owner = &opened;
  preview_actions_open (&actions, "file:///a%20b");
  g_assert_cmpstr (opened, ==, "file:///a%20b");
  g_free (opened);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const gchar *path;
    void (*func) (Fixture * f, gconstpointer data);
  } tests[] = {
    {"/controls/names", test_names}, {"/controls/low", test_low},
    {"/controls/preset", test_preset}, {"/controls/effect", test_effect},
    {"/controls/effect-of-b", test_effect_of_b},
    {"/controls/second", test_second}, {"/controls/flicker", test_flicker},
    {"/controls/zoom", test_zoom}, {"/controls/meaning", test_meaning},
    {"/controls/focus", test_focus}, {"/controls/texts", test_texts},
    {"/controls/late", test_late}, {"/controls/wide", test_wide},
    {"/controls/many", test_many},
    {"/controls/flags", test_flags}, {"/controls/plot", test_plot},
    {"/controls/figures-of-b", test_figures_of_b},
    {"/controls/block", test_block}, {"/controls/follow", test_follow},
    {"/controls/full", test_full},
    {"/controls/copy", test_copy},
    {"/controls/open", test_opening},
  };

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  gtk_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
