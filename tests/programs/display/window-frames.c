/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blockdct-preview's window shows of frames and blocks, and what its menu
 * does. Needs a display. */
#include <stdlib.h>
#include <string.h>
#include "actions.h"
#include "window-bench.h"

#define N_TURNS 10000

static void
drop_frame (Window * f, gpointer element)
{
  gst_element_post_message (f->session->pipeline, gst_message_new_qos (element,
          FALSE, 0, 0, 0, 0));
}

/* As a streaming thread says it. */
static void
make_frame (Window * f)
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
test_late (Window * f)
{
  g_autofree gchar *uri = gst_filename_to_uri ("/nowhere/another", NULL);
  GstElement *source = preview_pipeline_get_source (f->session);

  make_frame (f);
  g_assert_false (window_has_text (f->top, "too late"));
  drop_frame (f, f->session->bin);
  drop_frame (f, source);
  make_frame (f);
  g_assert_true (window_has_text (f->top, "2 of 3 frames too late"));
  preview_session_set_paused (f->session, TRUE);
  drop_frame (f, f->session->bin);
  make_frame (f);
  g_assert_true (window_has_text (f->top, "2 of 3 frames too late"));
  gst_object_unref (source);
  g_assert_true (preview_session_open (f->session, uri, NULL));
  preview_session_set_paused (f->session, FALSE);
  make_frame (f);
  g_assert_false (window_has_text (f->top, "too late"));
}

/* What is measured can be plotted, and no more. */
static void
test_plot (Window * f)
{
  GtkComboBox *box = GTK_COMBO_BOX (window_get (f, "figure"));
  GstStructure *s;

  window_show_frame (f, "jpeg-8x8", "quality");
  g_assert_true (gtk_combo_box_set_active_id (box, "PSNR"));
  g_assert_false (gtk_combo_box_set_active_id (box, "SSIM"));
  s = gst_structure_from_string ("blockdct, type=frame, psnr=(double)inf, "
      "ssim=0.9, bpp=(double)1.5, transform=jpeg-8x8, quality=20;", NULL);
  window_show (f, s);
  gst_structure_free (s);
  g_assert_true (window_has_text (f->top, "psnr identical\nbpp 1.5\n"));
  g_assert_true (gtk_combo_box_set_active_id (box, "SSIM"));
  g_assert_true (gtk_combo_box_set_active_id (box, "rate"));
  window_show_frame (f, "jpeg-8x8", "quality");
  g_assert_cmpstr (gtk_combo_box_get_active_id (box), ==, "PSNR");
}

/* B's figures stand beside A's, and are plotted where A's are. */
static void
test_figures_of_b (Window * f)
{
  GstStructure *s = gst_structure_from_string ("blockdct, type=frame, "
      "psnr=30.25, b-psnr=(double)inf, nonzero=0.5, b-nonzero=0.25, "
      "transform=jpeg-8x8, quality=20;", NULL);

  window_show (f, s);
  gst_structure_free (s);
  g_assert_true (window_has_text (f->top, "A | B\npsnr 30.25 | identical\n"
          "nonzero 50 | 25 %\n"));
  window_show_frame (f, "jpeg-8x8", "quality");
  g_assert_false (window_has_text (f->top, "A | B"));
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
test_block (Window * f)
{
  GtkTreeView *table = GTK_TREE_VIEW (window_get (f, "table"));
  g_autoptr (GString) text = g_string_new ("blockdct-block, "
      "transform=jpeg-8x8, quality=20, x=8, y=16, size=8, x-u=0, y-u=8, "
      "size-u=8");
  static const gchar *const planes[] = { "", "-u" };
  g_autoptr (GstStructure) s = NULL;

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
  g_assert_true (window_has_text (f->top, "jpeg-8x8 of 8x8 at (8, 16)"));
  gtk_combo_box_set_active (GTK_COMBO_BOX (window_get (f, "plane")), 1);
  g_assert_true (window_has_text (f->top, "jpeg-8x8 of 8x8 at (0, 8)"));
  g_assert_cmpint (gtk_tree_model_iter_n_children (gtk_combo_box_get_model
          (GTK_COMBO_BOX (window_get (f, "plane"))), NULL), ==, 2);
  for (gint i = 0; i < 5; i++)
    gtk_combo_box_set_active (GTK_COMBO_BOX (window_get (f, "array")), i);
}

static gpointer
turn_many (gpointer session)
{
  for (gint i = 0; i < N_TURNS; i++)
    preview_session_set_number (session, preview_find_control ("quality"),
        1 + i % 90);
  return NULL;
}

/* The slider of what is paused is moved 10,000 times while another thread, as
 * keys do, turns the same: fewer frames are shown, none waits, the last value
 * is in force and on the slider. */
static void
test_many (Window * f)
{
  GtkRange *slider = GTK_RANGE (window_get (f, "quality"));
  GThread *thread;
  guint n;

  window_set (f, "quality=91");
  preview_session_set_paused (f->session, TRUE);
  preview_session_start (f->session);
  window_wait_for (&f->quality, 91);
  n = f->n_figures;
  /* As the main loop does: else GTK would be used in the other thread. */
  g_assert_true (g_main_context_acquire (NULL));
  thread = g_thread_new ("keys", turn_many, f->session);
  for (gint i = 0; i < N_TURNS; i++)
    gtk_range_set_value (slider, 1 + i % 89);
  g_thread_join (thread);
  gtk_range_set_value (slider, 99);
  window_wait_for (&f->quality, 99);
  g_assert_cmpint (gtk_range_get_value (slider), ==, 99);
  g_assert_cmpuint (f->n_figures - n, <, N_TURNS);
  window_settle ();
  n = f->n_figures;
  window_settle ();
  g_assert_cmpuint (f->n_figures, ==, n);
  g_main_context_release (NULL);
}

/* What the table shows of DC. */
static gint
read_coefficient (Window * f)
{
  GtkTreeView *table = GTK_TREE_VIEW (window_get (f, "table"));
  GtkTreeViewColumn *column = gtk_tree_view_get_column (table, 0);
  g_autoptr (GList) cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT
      (column));
  GtkTreeIter row;
  g_autofree gchar *text = NULL;
  gint dc;

  g_assert_true (gtk_tree_model_get_iter_first (gtk_tree_view_get_model
          (table), &row));
  gtk_tree_view_column_cell_set_cell_data (column,
      gtk_tree_view_get_model (table), &row, FALSE, FALSE);
  g_object_get (cells->data, "text", &text, NULL);
  dc = atoi (text);
  return dc;
}

/* The block that was clicked on is shown as the settings make it, paused and
 * playing, and whoever looks at another page stays there. */
static void
test_follow (Window * f)
{
  GtkRange *slider = GTK_RANGE (window_get (f, "quality"));
  GtkNotebook *pages = GTK_NOTEBOOK (window_get (f, "pages"));
  gint dc[4];

  window_set (f, "quality=90");
  preview_session_set_paused (f->session, TRUE);
  preview_session_start (f->session);
  window_wait_for (&f->quality, 90);
  preview_session_point (f->session, "press", 100, 70);
  preview_session_point (f->session, "release", 100, 70);
  window_wait_for (&f->block_quality, 90);
  g_assert_cmpint (gtk_notebook_get_current_page (pages), ==, 2);
  dc[0] = read_coefficient (f);
  gtk_range_set_value (slider, 5);
  window_wait_for (&f->block_quality, 5);
  dc[1] = read_coefficient (f);
  gtk_notebook_set_current_page (pages, 0);
  preview_session_set_paused (f->session, FALSE);
  gtk_range_set_value (slider, 20);
  window_wait_for (&f->block_quality, 20);
  dc[2] = read_coefficient (f);
  g_assert_cmpint (gtk_notebook_get_current_page (pages), ==, 0);
  gtk_range_set_value (slider, 90);
  window_wait_for (&f->block_quality, 90);
  dc[3] = read_coefficient (f);
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
test_full (Window * f)
{
  GdkEventWindowState event = {.type = GDK_WINDOW_STATE,
    .new_window_state = GDK_WINDOW_STATE_FULLSCREEN
  };
  gboolean handled;

  g_signal_emit_by_name (f->top, "window-state-event", &event, &handled);
  g_assert_false (gtk_widget_get_visible (window_get (f, "pages")));
  g_assert_true (gtk_widget_get_visible (window_get (f, "pause")));
  event.new_window_state = 0;
  g_signal_emit_by_name (f->top, "window-state-event", &event, &handled);
  g_assert_true (gtk_widget_get_visible (window_get (f, "pages")));
}

static void
choose (Window * f, const gchar * item)
{
  GtkWidget *widget = window_find (GTK_WIDGET (gtk_menu_button_get_popup
          (GTK_MENU_BUTTON (window_get (f, "menu")))), item);

  g_assert_nonnull (widget);
  gtk_menu_item_activate (GTK_MENU_ITEM (widget));
}

/* What is copied is in the clipboard, with what is set. */
static void
test_copy (Window * f)
{
  GtkClipboard *clipboard = gtk_clipboard_get (GDK_SELECTION_CLIPBOARD);
  gchar *text;

  window_set (f, "b::transform=hevc-8x8");
  window_set (f, "zoom=3");
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
test_opening (Window * f)
{
  PreviewActions actions = {.session = f->session };

  preview_actions_open (&actions, "none:nothing");
  g_assert_true (window_has_text (f->top, "none"));
  preview_actions_open (&actions, "file:///nowhere/a%20b");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (f->top)), ==,
      "a b - blockdct-preview");
  g_assert_false (window_has_text (f->top, "Resource not found"));
  for (guint i = 0; i < 50 && !window_has_text (f->top, "Resource not found");
      i++)
    window_settle ();
  g_assert_true (window_has_text (f->top, "Resource not found"));
}

int
main (int argc, char **argv)
{
  static const WindowTest tests[] = {
    {"/frames/late", test_late},
    {"/frames/many", test_many},
    {"/frames/plot", test_plot},
    {"/frames/figures-of-b", test_figures_of_b},
    {"/frames/block", test_block},
    {"/frames/follow", test_follow},
    {"/frames/full", test_full},
    {"/frames/copy", test_copy},
    {"/frames/open", test_opening},
  };

  return window_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
