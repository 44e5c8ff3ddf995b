/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The controls of blockdct-preview's window, without a pointer: they have names
 * for who does not see them, follow the session, and leave the picture its
 * keys. Needs a display. */
#include <stdlib.h>
#include <string.h>
#include "actions.h"
#include "parts.h"
#include "window.h"

typedef struct
{
  PreviewSession *session;
  GtkWidget *video, *top;
  PreviewWindow *window;
  gint quality;                 /* of the last frame's figures */
  guint n_figures;
  gint block_quality;           /* of the last block's */
} Fixture;

#define N_TURNS 10000

static const PreviewOptions options = {.pattern = (gchar *) "smpte" };

static void
take_figures (Fixture * f, const GstStructure * figures)
{
  gst_structure_get_int (figures, "quality", &f->quality);
  f->n_figures++;
}

static void
take_block (Fixture * f, const GstStructure * block)
{
  gst_structure_get_int (block, "quality", &f->block_quality);
}

static void
set_up (Fixture * f, gconstpointer data)
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
tear_down (Fixture * f, gconstpointer data)
{
  (void) data;
  preview_session_stop (f->session);
  preview_window_free (f->window);
  g_object_unref (f->session);
}

static void
set (Fixture * f, const gchar * pair)
{
  GError *error = NULL;

  preview_session_set_text (f->session, pair, &error);
  g_assert_no_error (error);
}

static gdouble
get_number (Fixture * f, const gchar * control)
{
  return preview_session_get_number (f->session,
      preview_find_control (control));
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
    "chroma-qp-offset", "scaling-list", "b::transform", "b::quality", "b::qp",
    "view", "left", "right", "wipe-position", "difference-gain", "zoom",
    "zoom-x", "zoom-y", "magnifier", "grid", "overlay", "metrics",
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

  (void) data;
  gtk_combo_box_set_active (box, 0);
  g_assert_cmpint (get_number (f, "quality"), ==, 95);
  g_assert_cmpint (gtk_combo_box_get_active (box), ==, 0);
  set (f, "quality=94");
  g_assert_cmpint (gtk_combo_box_get_active (box), ==, -1);
  gtk_combo_box_set_active (box, 0);
  g_assert_cmpint (get_number (f, "quality"), ==, 95);
}

static void
show (Fixture * f, const GstStructure * figures)
{
  g_signal_emit_by_name (f->session, "figures", figures);
}

static void
show_frame (Fixture * f, const gchar * transform, const gchar * setting)
{
  GstStructure *s = gst_structure_new ("blockdct", "type", G_TYPE_STRING,
      "frame", "psnr", G_TYPE_DOUBLE, 30.0, "transform", G_TYPE_STRING,
      transform, setting, G_TYPE_INT, 20, NULL);

  show (f, s);
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

static gboolean
is_sensitive (Fixture * f, const gchar * name)
{
  return gtk_widget_get_sensitive (get (f, name));
}

/* So do the controls of B. */
static void
test_effect_of_b (Fixture * f, gconstpointer data)
{
  (void) data;
  show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (is_sensitive (f, "b::transform"));
  g_assert_false (is_sensitive (f, "b::quality"));
  set (f, "right=b");
  g_assert_true (is_sensitive (f, "b::transform"));
  g_signal_emit_by_name (f->session, "figures", gst_structure_from_string
      ("blockdct, transform=jpeg-8x8, quality=20, b-transform=hevc-8x8, "
          "b-qp=20;", NULL));
  g_assert_false (is_sensitive (f, "b::quality"));
  g_assert_true (is_sensitive (f, "b::qp"));
}

/* And those of some views. */
static void
test_effect_of_view (Fixture * f, gconstpointer data)
{
  static const struct
  {
    const gchar *view;
    gboolean left, wipe, gain, zoom, overlay;
  } views[] = {
    {"view=a", FALSE, FALSE, FALSE, FALSE, TRUE},
    {"view=flicker", TRUE, FALSE, FALSE, TRUE, TRUE},
    {"view=stacked", TRUE, TRUE, FALSE, TRUE, TRUE},
    {"view=difference", TRUE, FALSE, TRUE, TRUE, TRUE},
    {"view=error-map", TRUE, FALSE, FALSE, TRUE, TRUE},
    {"view=coefficients", FALSE, FALSE, FALSE, FALSE, TRUE},
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    set (f, views[i].view);
    g_assert_cmpint (is_sensitive (f, "left"), ==, views[i].left);
    g_assert_cmpint (is_sensitive (f, "right"), ==, views[i].left);
    g_assert_cmpint (is_sensitive (f, "wipe-position"), ==, views[i].wipe);
    g_assert_cmpint (is_sensitive (f, "difference-gain"), ==, views[i].gain);
    g_assert_cmpint (is_sensitive (f, "zoom"), ==, views[i].zoom);
    g_assert_cmpint (is_sensitive (f, "magnifier"), ==, views[i].zoom);
    g_assert_cmpint (is_sensitive (f, "overlay"), ==, views[i].overlay);
    g_assert_false (is_sensitive (f, "zoom-x"));
  }
  set (f, "view=wipe");
  set (f, "zoom=2");
  g_assert_true (is_sensitive (f, "zoom-x"));
  g_assert_true (is_sensitive (f, "zoom-y"));
}

/* Of the session, and of its controls. */
static void
assert_b (Fixture * f, const gchar * transform, gint quality)
{
  GtkWidget *box = get (f, "b::transform");
  gchar *text = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (box));

  g_assert_cmpstr (text, ==, transform);
  g_assert_cmpint (get_number (f, "b::quality"), ==, quality);
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (get (f, "b::quality"))),
      ==, quality);
  g_free (text);
}

/* Turn the main loop for a moment. */
static void
settle (void)
{
  const gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 5;

  while (g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
}

/* The buttons do what the keys do, and the controls follow. */
static void
test_second (Fixture * f, gconstpointer data)
{
  (void) data;
  set (f, "quality=20");
  preview_session_start (f->session);
  settle ();
  g_assert_false (is_sensitive (f, "Swap A and B"));
  assert_b (f, "jpeg-8x8", 85);
  gtk_button_clicked (GTK_BUTTON (get (f, "Store A as B")));
  assert_b (f, "jpeg-8x8", 20);
  g_assert_true (is_sensitive (f, "Swap A and B"));
  g_assert_true (preview_session_shows_b (f->session));
  set (f, "transform=dct-8x8");
  set (f, "quality=30");
  gtk_button_clicked (GTK_BUTTON (get (f, "Swap A and B")));
  assert_b (f, "dct-8x8", 30);
  g_assert_cmpint (get_number (f, "quality"), ==, 20);
  preview_session_press_key (f->session, "x");
  assert_b (f, "jpeg-8x8", 20);
  gtk_combo_box_set_active (GTK_COMBO_BOX (get (f, "left")), 0);
  gtk_combo_box_set_active (GTK_COMBO_BOX (get (f, "right")), 1);
  g_assert_false (is_sensitive (f, "Swap A and B"));
}

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
  set (f, "view=stacked");
  gtk_toggle_button_set_active (button, TRUE);
  assert_view (f, "flicker");
  gtk_toggle_button_set_active (button, FALSE);
  assert_view (f, "stacked");
  set (f, "view=flicker");
  g_assert_true (gtk_toggle_button_get_active (button));
  set (f, "view=wipe");
  g_assert_false (gtk_toggle_button_get_active (button));
}

/* One choice for what two elements show. */
static void
test_views (Fixture * f, gconstpointer data)
{
  GtkComboBox *box = GTK_COMBO_BOX (get (f, "view"));
  gint view;

  (void) data;
  set (f, "view=size-map");
  assert_view (f, "size-map");
  g_object_get (f->session->part[PREVIEW_A], "view", &view, NULL);
  g_assert_cmpint (view, !=, 0);
  set (f, "compare::right=-1");
  assert_view (f, "original");
  g_object_get (f->session->part[PREVIEW_A], "view", &view, NULL);
  g_assert_cmpint (view, ==, 0);
  set (f, "view=coefficients");
  set (f, "compare::view=difference");
  assert_view (f, "difference");
  g_object_get (f->session->part[PREVIEW_A], "view", &view, NULL);
  g_assert_cmpint (view, ==, 0);
  for (gint i = 0; i < gtk_tree_model_iter_n_children (gtk_combo_box_get_model
          (box), NULL); i++) {
    gtk_combo_box_set_active (box, i);
    g_assert_cmpint (gtk_combo_box_get_active (box), ==, i);
  }
  /* No picture is compared with itself. */
  set (f, "view=original");
  set (f, "view=wipe");
  g_assert_true (has_text (f->top, "left: original | right: A"));
}

static void
test_zoom (Fixture * f, gconstpointer data)
{
  GtkRange *range = GTK_RANGE (get (f, "zoom"));

  (void) data;
  g_assert_false (is_sensitive (f, "Whole picture"));
  gtk_range_set_value (range, 8);
  g_assert_cmpfloat (get_number (f, "zoom"), ==, 8);
  set (f, "zoom=2.5");
  g_assert_cmpfloat (gtk_range_get_value (range), ==, 2.5);
  g_assert_cmpfloat (get_number (f, "zoom"), ==, 2.5);
  g_assert_true (is_sensitive (f, "Whole picture"));
}

/* What a value is for is said where it is chosen. */
static void
test_meaning (Fixture * f, gconstpointer data)
{
  gchar *text;

  (void) data;
  set (f, "transform=hevc-dst-4x4");
  text = gtk_widget_get_tooltip_text (get (f, "transform"));
  g_assert_nonnull (strstr (text, "hevc-dst-4x4: HEVC 4x4 DST-VII"));
  g_assert_nonnull (strstr (text, "no guide"));
  g_free (text);
  set (f, "transform=vvc-64x64");
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
static void
test_texts (Fixture * f, gconstpointer data)
{
  (void) data;
  set (f, "view=wipe");
  g_assert_true (has_text (f->top, "left: original | right: A"));
  set (f, "view=stacked");
  g_assert_true (has_text (f->top, "above: original"));
  g_assert_false (has_text (f->top, "a warning"));
  g_signal_emit_by_name (f->session, "notice", "a warning");
  g_assert_true (has_text (f->top, "a warning"));
}

static void
drop_frame (Fixture * f, gpointer element)
{
  gst_element_post_message (f->session->pipeline, gst_message_new_qos (element,
          FALSE, 0, 0, 0, 0));
}

/* As a streaming thread says it. */
static void
make_frame (Fixture * f)
{
  gst_element_post_message (f->session->pipeline, gst_message_new_application
      (NULL, gst_structure_from_string ("blockdct, type=frame, psnr=30.0, "
              "transform=jpeg-8x8, quality=20;", NULL)));
  while (gtk_events_pending ())
    gtk_main_iteration ();
}

/* What is dropped is said, by whichever element, with how many there were; but
 * not what a step leaves behind. */
static void
test_late (Fixture * f, gconstpointer data)
{
  gchar *uri = gst_filename_to_uri ("/nowhere/another", NULL);
  GstElement *source = preview_pipeline_get_source (f->session);

  (void) data;
  make_frame (f);
  g_assert_false (has_text (f->top, "too late"));
  drop_frame (f, f->session->bin);
  drop_frame (f, source);
  make_frame (f);
  g_assert_true (has_text (f->top, "2 of 3 frames too late"));
  preview_session_set_paused (f->session, TRUE);
  drop_frame (f, f->session->bin);
  make_frame (f);
  g_assert_true (has_text (f->top, "2 of 3 frames too late"));
  gst_object_unref (source);
  g_assert_true (preview_session_open (f->session, uri, NULL));
  preview_session_set_paused (f->session, FALSE);
  make_frame (f);
  g_assert_false (has_text (f->top, "too late"));
  g_free (uri);
}

/* The panel is not cut off beside the picture, nor in a narrow window. */
static void
test_wide (Fixture * f, gconstpointer data)
{
  static const gint widths[] = { 320, 600, 720, 760, 1100 };
  gint least, now;

  (void) data;
  gtk_widget_set_size_request (f->video, 640, 480);
  g_signal_emit_by_name (f->session, "notice", "What is beside the panel "
      "would like to have as much of the window as this has letters, or more.");
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
  GFlagsClass *klass = G_PARAM_SPEC_FLAGS (preview_session_get_pspec
      (f->session, preview_find_control ("metrics")))->flags_class;
  guint flags;

  (void) data;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (f, "psnr-b")), TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (f, "ssim")), TRUE);
  /* B's, too. */
  g_object_get (f->session->part[PREVIEW_B], "metrics", &flags, NULL);
  g_assert_cmpuint (flags, ==, get_number (f, "metrics"));
  g_assert_cmpuint (flags, ==, g_flags_get_value_by_nick (klass,
          "ssim")->value | g_flags_get_value_by_nick (klass, "psnr-b")->value);
  set (f, "metrics=xpsnr");
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
  show (f, s);
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
  show (f, s);
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
  g_signal_emit_by_name (f->session, "block", s);
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
turn_many (gpointer session)
{
  for (gint i = 0; i < N_TURNS; i++)
    preview_session_set_number (session, preview_find_control ("quality"),
        1 + i % 90);
  return NULL;
}

/* Turn the main loop until one of the last messages has this quality. */
static void
wait_for (const gint * quality, gint wanted)
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

/* The slider of what is paused is moved 10,000 times while another thread, as
 * keys do, turns the same: fewer frames are shown, none waits, the last value
 * is in force and on the slider. */
static void
test_many (Fixture * f, gconstpointer data)
{
  GtkRange *slider = GTK_RANGE (get (f, "quality"));
  GThread *thread;
  guint n;

  (void) data;
  set (f, "quality=91");
  preview_session_set_paused (f->session, TRUE);
  preview_session_start (f->session);
  wait_for (&f->quality, 91);
  n = f->n_figures;
  /* As the main loop does: else GTK would be used in the other thread. */
  g_assert_true (g_main_context_acquire (NULL));
  thread = g_thread_new ("keys", turn_many, f->session);
  for (gint i = 0; i < N_TURNS; i++)
    gtk_range_set_value (slider, 1 + i % 89);
  g_thread_join (thread);
  gtk_range_set_value (slider, 99);
  wait_for (&f->quality, 99);
  g_assert_cmpint (gtk_range_get_value (slider), ==, 99);
  g_assert_cmpuint (f->n_figures - n, <, N_TURNS);
  settle ();
  n = f->n_figures;
  settle ();
  g_assert_cmpuint (f->n_figures, ==, n);
  g_main_context_release (NULL);
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
  gint dc[4];

  (void) data;
  set (f, "quality=90");
  preview_session_set_paused (f->session, TRUE);
  preview_session_start (f->session);
  wait_for (&f->quality, 90);
  preview_session_point (f->session, "press", 100, 70);
  preview_session_point (f->session, "release", 100, 70);
  wait_for (&f->block_quality, 90);
  g_assert_cmpint (gtk_notebook_get_current_page (pages), ==, 2);
  dc[0] = read_cell (f);
  gtk_range_set_value (slider, 5);
  wait_for (&f->block_quality, 5);
  dc[1] = read_cell (f);
  gtk_notebook_set_current_page (pages, 0);
  preview_session_set_paused (f->session, FALSE);
  gtk_range_set_value (slider, 20);
  wait_for (&f->block_quality, 20);
  dc[2] = read_cell (f);
  g_assert_cmpint (gtk_notebook_get_current_page (pages), ==, 0);
  gtk_range_set_value (slider, 90);
  wait_for (&f->block_quality, 90);
  dc[3] = read_cell (f);
  g_test_message ("DC at 90, 5, 20, 90: %d %d %d %d", dc[0], dc[1], dc[2],
      dc[3]);
  /* By the steps of annex K for DC: 3, 160, 40. */
  g_assert_cmpint (dc[0], !=, 0);
  g_assert_cmpint (dc[3], ==, dc[0]);
  g_assert_cmpint (ABS (dc[1] * 160 - dc[0] * 3), <=, 82);
  g_assert_cmpint (ABS (dc[2] * 40 - dc[0] * 3), <=, 22);
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
  set (f, "b::transform=hevc-8x8");
  set (f, "zoom=3");
  choose (f, "Copy as gst-launch");
  text = gtk_clipboard_wait_for_text (clipboard);
  g_assert_true (g_str_has_prefix (text, "gst-launch-1.0 videotestsrc "));
  g_assert_nonnull (strstr (text, " b::transform=hevc-8x8 "));
  g_assert_nonnull (strstr (text, " compare::zoom=3 "));
  g_free (text);
  choose (f, "Copy as Python");
  text = gtk_clipboard_wait_for_text (clipboard);
  g_assert_true (g_str_has_prefix (text, "import gi\n"));
  g_assert_nonnull (strstr (text, "('b'), 'transform', 'hevc-8x8')"));
  g_free (text);
}

/* What is chosen or dropped is opened, or it is said why not. */
static void
test_opening (Fixture * f, gconstpointer data)
{
  PreviewActions actions = {.session = f->session };

  (void) data;
  preview_actions_open (&actions, "none:nothing");
  g_assert_true (has_text (f->top, "none"));
  preview_actions_open (&actions, "file:///nowhere/a%20b");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (f->top)), ==,
      "a b - blockdct-preview");
  g_assert_false (has_text (f->top, "Resource not found"));
  for (guint i = 0; i < 50 && !has_text (f->top, "Resource not found"); i++)
    settle ();
  g_assert_true (has_text (f->top, "Resource not found"));
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
    {"/controls/effect-of-view", test_effect_of_view},
    {"/controls/views", test_views},
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
