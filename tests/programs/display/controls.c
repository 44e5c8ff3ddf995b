/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The controls of blockdct-preview's window, without a pointer: they have names
 * for who does not see them, follow the session, and leave the picture its
 * keys. Needs a display. */
#include <string.h>
#include "player-bench.h"
#include "window-bench.h"

static void
test_names (Window * f)
{
  static const gchar *const names[] = { "preset", "transform", "quality", "qp",
    "chroma-qp-offset", "scaling-list", "b::encoder", "b::encoder-quality",
    "b::encoder-qp", "b::encoder-bitrate", "b::transform", "b::quality",
    "b::qp", "view", "left", "right", "wipe-position", "difference-gain",
    "zoom", "zoom-x", "zoom-y", "magnifier", "grid", "overlay", "metrics",
    "back", "pause", "step", "loop", "menu", "figure", "plane", "array"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpstr (atk_object_get_name (gtk_widget_get_accessible (window_get
                (f, names[i]))), ==, names[i]);
}

static void
test_low (Window * f)
{
  gint least;

  gtk_widget_get_preferred_height (f->top, &least, NULL);
  g_assert_cmpint (least, <, 400);
}

static void
test_preset (Window * f)
{
  GtkComboBox *box = GTK_COMBO_BOX (window_get (f, "preset"));

  gtk_combo_box_set_active (box, 0);
  g_assert_cmpint (window_get_number (f, "quality"), ==, 95);
  g_assert_cmpint (gtk_combo_box_get_active (box), ==, 0);
  window_set (f, "quality=94");
  g_assert_cmpint (gtk_combo_box_get_active (box), ==, -1);
  gtk_combo_box_set_active (box, 0);
  g_assert_cmpint (window_get_number (f, "quality"), ==, 95);
}

static void
test_effect (Window * f)
{
  window_show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (window_is_sensitive (f, "quality"));
  g_assert_false (window_is_sensitive (f, "qp"));
  g_assert_false (window_is_sensitive (f, "scaling-list"));
  window_show_frame (f, "h264-4x4", "qp");
  g_assert_false (window_is_sensitive (f, "quality"));
  g_assert_true (window_is_sensitive (f, "chroma-qp-offset"));
  g_assert_false (window_is_sensitive (f, "scaling-list"));
  window_show_frame (f, "hevc-8x8", "qp");
  g_assert_true (window_is_sensitive (f, "scaling-list"));
  g_assert_true (window_is_sensitive (f, "view"));
}

/* So do the controls of B. */
static void
test_effect_of_b (Window * f)
{
  window_show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (window_is_sensitive (f, "b::transform"));
  g_assert_false (window_is_sensitive (f, "b::quality"));
  window_set (f, "right=b");
  g_assert_true (window_is_sensitive (f, "b::transform"));
  g_signal_emit_by_name (f->session, "figures", gst_structure_from_string
      ("blockdct, transform=jpeg-8x8, quality=20, b-transform=hevc-8x8, "
          "b-qp=20;", NULL));
  g_assert_false (window_is_sensitive (f, "b::quality"));
  g_assert_true (window_is_sensitive (f, "b::qp"));
}

/* And those of some views. */
static void
test_effect_of_view (Window * f)
{
  static const gchar *const names[] = { "left", "right", "wipe-position",
    "difference-gain", "zoom", "magnifier", "overlay", "zoom-x"
  };
  static const gchar *const views[][2] = {
    {"view=a", "overlay"},
    {"view=flicker", "left right zoom magnifier overlay"},
    {"view=stacked", "left right wipe-position zoom magnifier overlay"},
    {"view=difference", "left right difference-gain zoom magnifier overlay"},
    {"view=error-map", "left right zoom magnifier overlay"},
    {"view=coefficients", "overlay"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    g_auto (GStrv) sensitive = g_strsplit (views[i][1], " ", -1);

    window_set (f, views[i][0]);
    for (guint k = 0; k < G_N_ELEMENTS (names); k++)
      g_assert_cmpint (window_is_sensitive (f, names[k]), ==,
          g_strv_contains ((const gchar * const *) sensitive, names[k]));
  }
  window_set (f, "view=wipe");
  window_set (f, "zoom=2");
  g_assert_true (window_is_sensitive (f, "zoom-x"));
  g_assert_true (window_is_sensitive (f, "zoom-y"));
}

/* Of the session, and of its controls. */
static void
assert_b (Window * f, const gchar * transform, gint quality)
{
  GtkWidget *box = window_get (f, "b::transform");
  g_autofree gchar *text = gtk_combo_box_text_get_active_text
      (GTK_COMBO_BOX_TEXT (box));

  g_assert_cmpstr (text, ==, transform);
  g_assert_cmpint (window_get_number (f, "b::quality"), ==, quality);
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (window_get (f,
                  "b::quality"))), ==, quality);
}

/* The buttons do what the keys do, and the controls follow. */
static void
test_second (Window * f)
{
  window_set (f, "quality=20");
  preview_session_start (f->session);
  window_settle ();
  g_assert_false (window_is_sensitive (f, "Swap A and B"));
  assert_b (f, "jpeg-8x8", 85);
  gtk_button_clicked (GTK_BUTTON (window_get (f, "Store A as B")));
  assert_b (f, "jpeg-8x8", 20);
  g_assert_true (window_is_sensitive (f, "Swap A and B"));
  g_assert_true (preview_session_shows_b (f->session));
  window_set (f, "transform=dct-8x8");
  window_set (f, "quality=30");
  gtk_button_clicked (GTK_BUTTON (window_get (f, "Swap A and B")));
  assert_b (f, "dct-8x8", 30);
  g_assert_cmpint (window_get_number (f, "quality"), ==, 20);
  preview_session_press_key (f->session, "x");
  assert_b (f, "jpeg-8x8", 20);
  gtk_combo_box_set_active (GTK_COMBO_BOX (window_get (f, "left")), 0);
  gtk_combo_box_set_active (GTK_COMBO_BOX (window_get (f, "right")), 1);
  g_assert_false (window_is_sensitive (f, "Swap A and B"));
}

/* What makes B; what has no effect on it cannot be turned. */
static void
assert_encodes (Window * f, const gchar * choice, gboolean encodes)
{
  g_assert_cmpstr (gtk_combo_box_get_active_id (GTK_COMBO_BOX (window_get (f,
                  "b::encoder"))), ==, choice);
  g_assert_cmpint (window_is_sensitive (f, "b::encoder-quality"), ==, encodes);
  g_assert_cmpint (window_is_sensitive (f, "b::transform"), ==, !encodes);
  g_assert_cmpint (window_is_sensitive (f, "b::quality"), ==, !encodes);
  g_assert_cmpint (window_is_sensitive (f, "Swap A and B"), ==, !encodes);
  g_assert_false (window_is_sensitive (f, "b::encoder-qp"));
}

/* While it is paused. */
static void
test_encoder (Window * f)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("jpegenc");
  GtkComboBox *box = GTK_COMBO_BOX (window_get (f, "b::encoder"));
  gdouble transform, fine;

  if (factory == NULL) {
    g_test_skip ("there is no jpegenc");
    return;
  }
  preview_session_set_paused (f->session, TRUE);
  preview_session_start (f->session);
  g_assert_false (window_is_sensitive (f, "b::encoder"));
  window_set (f, "right=b");
  transform = player_wait_for_b (f->session, NULL);
  assert_encodes (f, "transform", FALSE);
  g_assert_true (gtk_combo_box_set_active_id (box, "jpegenc-quality"));
  fine = player_wait_for_b (f->session, "jpegenc quality=75");
  assert_encodes (f, "jpegenc-quality", TRUE);
  gtk_range_set_value (GTK_RANGE (window_get (f, "b::encoder-quality")), 5);
  g_assert_cmpfloat (player_wait_for_b (f->session, "jpegenc quality=5"), <,
      fine);
  g_object_set (f->session->bin, "b-encoder", "nonsense", NULL);
  while (!window_has_text (f->top, "nonsense"))
    g_main_context_iteration (NULL, TRUE);
  assert_encodes (f, "jpegenc-quality", TRUE);
  g_assert_true (gtk_combo_box_set_active_id (box, "transform"));
  g_assert_cmpfloat (player_wait_for_b (f->session, NULL), ==, transform);
  assert_encodes (f, "transform", FALSE);
}

static void
assert_view (Window * f, const gchar * view)
{
  g_autofree gchar *text =
      gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (window_get (f,
              "view")));

  g_assert_cmpstr (text, ==, view);
}

/* It goes back to the view that was there. */
static void
test_flicker (Window * f)
{
  GtkToggleButton *button = GTK_TOGGLE_BUTTON (window_get (f, "Flicker"));

  window_set (f, "view=stacked");
  gtk_toggle_button_set_active (button, TRUE);
  assert_view (f, "flicker");
  gtk_toggle_button_set_active (button, FALSE);
  assert_view (f, "stacked");
  window_set (f, "view=flicker");
  g_assert_true (gtk_toggle_button_get_active (button));
  window_set (f, "view=wipe");
  g_assert_false (gtk_toggle_button_get_active (button));
}

/* One choice for what two elements show. */
static void
test_views (Window * f)
{
  GtkComboBox *box = GTK_COMBO_BOX (window_get (f, "view"));
  gint view;

  window_set (f, "view=size-map");
  assert_view (f, "size-map");
  g_object_get (f->session->part[PREVIEW_A], "view", &view, NULL);
  g_assert_cmpint (view, !=, 0);
  window_set (f, "compare::right=-1");
  assert_view (f, "original");
  g_object_get (f->session->part[PREVIEW_A], "view", &view, NULL);
  g_assert_cmpint (view, ==, 0);
  window_set (f, "view=coefficients");
  window_set (f, "compare::view=difference");
  assert_view (f, "difference");
  g_object_get (f->session->part[PREVIEW_A], "view", &view, NULL);
  g_assert_cmpint (view, ==, 0);
  for (gint i = 0; i < gtk_tree_model_iter_n_children (gtk_combo_box_get_model
          (box), NULL); i++) {
    gtk_combo_box_set_active (box, i);
    g_assert_cmpint (gtk_combo_box_get_active (box), ==, i);
  }
  /* No picture is compared with itself. */
  window_set (f, "view=original");
  window_set (f, "view=wipe");
  g_assert_true (window_has_text (f->top, "left: original | right: A"));
}

static void
test_zoom (Window * f)
{
  GtkRange *range = GTK_RANGE (window_get (f, "zoom"));

  g_assert_false (window_is_sensitive (f, "Whole picture"));
  gtk_range_set_value (range, 8);
  g_assert_cmpfloat (window_get_number (f, "zoom"), ==, 8);
  window_set (f, "zoom=2.5");
  g_assert_cmpfloat (gtk_range_get_value (range), ==, 2.5);
  g_assert_cmpfloat (window_get_number (f, "zoom"), ==, 2.5);
  g_assert_true (window_is_sensitive (f, "Whole picture"));
}

/* What a value is for is said where it is chosen. */
static void
test_meaning (Window * f)
{
  gchar *text;

  window_set (f, "transform=hevc-dst-4x4");
  text = gtk_widget_get_tooltip_text (window_get (f, "transform"));
  g_assert_nonnull (strstr (text, "hevc-dst-4x4: HEVC 4x4 DST-VII"));
  g_assert_nonnull (strstr (text, "no guide"));
  g_free (text);
  window_set (f, "transform=vvc-64x64");
  text = gtk_widget_get_tooltip_text (window_get (f, "transform"));
  g_assert_nonnull (strstr (text, "large smooth blocks"));
  g_free (text);
}

static void
test_focus (Window * f)
{
  gtk_widget_grab_focus (window_get (f, "quality"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (window_get (f, "pause")),
      TRUE);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (f->top)) == f->video);
}

/* A window says which view it shows, and what it does not show. */
static void
test_texts (Window * f)
{
  window_set (f, "view=wipe");
  g_assert_true (window_has_text (f->top, "left: original | right: A"));
  window_set (f, "view=stacked");
  g_assert_true (window_has_text (f->top, "above: original"));
  g_assert_false (window_has_text (f->top, "a warning"));
  g_signal_emit_by_name (f->session, "notice", "a warning");
  g_assert_true (window_has_text (f->top, "a warning"));
}

/* The panel is not cut off beside the picture, nor in a narrow window. */
static void
test_wide (Window * f)
{
  static const gint widths[] = { 320, 600, 720, 760, 1100 };
  gint least, now;

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
    gtk_widget_get_preferred_width (gtk_widget_get_ancestor (window_get (f,
                "quality"), GTK_TYPE_BOX), &least, NULL);
    now =
        gtk_widget_get_allocated_width (gtk_widget_get_ancestor (window_get (f,
                "quality"), GTK_TYPE_SCROLLED_WINDOW));
    g_assert_cmpint (gtk_widget_get_allocated_width (f->top), ==, widths[i]);
    g_assert_cmpint (now, >=, least);
  }
}

/* A button for each flag. */
static void
test_flags (Window * f)
{
  GFlagsClass *klass = G_PARAM_SPEC_FLAGS (preview_session_get_pspec
      (f->session, preview_find_control ("metrics")))->flags_class;
  guint flags;

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (window_get (f, "psnr-b")),
      TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (window_get (f, "ssim")),
      TRUE);
  /* B's, too. */
  g_object_get (f->session->part[PREVIEW_B], "metrics", &flags, NULL);
  g_assert_cmpuint (flags, ==, window_get_number (f, "metrics"));
  g_assert_cmpuint (flags, ==, g_flags_get_value_by_nick (klass,
          "ssim")->value | g_flags_get_value_by_nick (klass, "psnr-b")->value);
  window_set (f, "metrics=xpsnr");
  g_assert_false (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (window_get
              (f, "ssim"))));
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (window_get (f,
                  "xpsnr"))));
}

int
main (int argc, char **argv)
{
  static const WindowTest tests[] = {
    {"/controls/names", test_names},
    {"/controls/low", test_low},
    {"/controls/preset", test_preset},
    {"/controls/effect", test_effect},
    {"/controls/effect-of-b", test_effect_of_b},
    {"/controls/effect-of-view", test_effect_of_view},
    {"/controls/views", test_views},
    {"/controls/second", test_second},
    {"/controls/encoder", test_encoder},
    {"/controls/flicker", test_flicker},
    {"/controls/zoom", test_zoom},
    {"/controls/meaning", test_meaning},
    {"/controls/focus", test_focus},
    {"/controls/texts", test_texts},
    {"/controls/wide", test_wide},
    {"/controls/flags", test_flags},
  };

  return window_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
