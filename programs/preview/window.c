/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Picture, bar and plot are beside the panel, or above it in a narrow
 * window. */
#include "window.h"
#include "actions.h"
#include "bar.h"
#include "curve.h"
#include "figures.h"
#include "inspector.h"
#include "panel.h"
#include "plot.h"

#include <math.h>
#include <string.h>

/* A window at least this wide has the panel beside the picture. */
#define WIDE 640
/* The panel's height in a narrower window. */
#define LOW 90
/* The height of the figures; more of them are scrolled. */
#define FIGURES 220

#define HELP "In the picture:\n" \
    "drag             dividing line\n" \
    "wheel, Up, Down  finer, coarser\n" \
    "Left, Right      transform\n" \
    "v                next view\n" \
    "g                grid\n" \
    "space            left picture, and back\n" \
    "b, x             A to B, swap them\n" \
    "c                pair to compare\n" \
    "Ctrl+wheel, + -  zoom; 0: whole\n" \
    "m                magnifier\n" \
    "click            a block's levels\n" \
    "p, comma, .      pause, back, step\n" \
    "l                repeat from, to, no\n" \
    "Files can be dropped on it."

struct _PreviewWindow
{
  PreviewActions actions;
  PreviewSession *session;
  GtkWidget *top, *content, *video, *side, *controls, *panel, *figures;
  GtkWidget *pages, *plot, *curve, *inspector;
  GtkWidget *caption;           /* which part of the picture is which */
  GtkWidget *notice;            /* warnings and errors */
  gboolean full;                /* the whole screen */
  guint fit;                    /* source */
  guint arrange;                /* source */
};

/* Show the whole window or, in full screen, only picture and bar. */

static void
show_parts (PreviewWindow * self)
{
  gtk_widget_set_visible (self->pages, !self->full);
  gtk_widget_set_visible (self->side, !self->full);
}

static gboolean
state_changed (GtkWidget * top, GdkEventWindowState * event,
    PreviewWindow * self)
{
  (void) top;
  self->full = (event->new_window_state & GDK_WINDOW_STATE_FULLSCREEN) != 0;
  show_parts (self);
  return FALSE;
}

static gboolean
arrange (gpointer data)
{
  PreviewWindow *self = data;
  gint width = gtk_widget_get_allocated_width (self->top);
  GtkOrientation orientation = width < WIDE ? GTK_ORIENTATION_VERTICAL
      : GTK_ORIENTATION_HORIZONTAL;
  self->arrange = 0;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->content), orientation);
  gtk_container_child_set (GTK_CONTAINER (self->content), self->side, "expand",
      width < WIDE, NULL);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW
      (self->controls), width < WIDE ? LOW : -1);
  return G_SOURCE_REMOVE;
}

/* Arrange the window later, not while GTK allocates sizes. */
static void
arrange_later (PreviewWindow * self)
{
  if (self->arrange == 0)
    self->arrange = g_idle_add (arrange, self);
}

/* Open the first of the dropped files. */
static void
take_drop (GtkWidget * top, GdkDragContext * context, gint x, gint y,
    GtkSelectionData * dropped, guint info, guint when, PreviewWindow * self)
{
  g_auto (GStrv) uris = gtk_selection_data_get_uris (dropped);

  (void) top, (void) context, (void) x, (void) y, (void) info, (void) when;
  if (uris != NULL && uris[0] != NULL)
    preview_actions_open (&self->actions, uris[0]);
}

static GtkWidget *
make_text (void)
{
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_family_new ("Monospace"));
  return g_object_new (GTK_TYPE_LABEL, "attributes", attributes, "xalign", 0.0,
      "yalign", 0.0, "width-chars", 34, "max-width-chars", 34, "wrap", TRUE,
      NULL);
}

/* A scrolled widget that fits any height and width of the window. */
static GtkWidget *
make_scrolled (GtkWidget * widget)
{
  return g_object_new (GTK_TYPE_SCROLLED_WINDOW, "propagate-natural-width",
      TRUE, "child", widget, NULL);
}

/* The figures stay visible while controls are changed. */
static GtkWidget *
make_side (PreviewWindow * self)
{
  GtkWidget *side = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *controls = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *help = make_text (), *figures;

  /* The controls must not take room from the picture. */
  gtk_widget_set_hexpand (controls, FALSE);
  /* Room for the scroll bar. */
  gtk_widget_set_margin_end (controls, 12);
  self->panel = preview_panel_new (self->session);
  self->figures = make_text ();
  gtk_label_set_text (GTK_LABEL (help), HELP);
  gtk_box_pack_start (GTK_BOX (controls), self->panel, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (controls), help, FALSE, FALSE, 0);
  self->controls = make_scrolled (controls);
  figures = make_scrolled (self->figures);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW
      (figures), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (figures),
      FIGURES);
  gtk_box_pack_start (GTK_BOX (side), self->controls, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (side), figures, FALSE, FALSE, 0);
  return side;
}

/* Keys of the picture must not move GTK's focus. */
static gboolean
keep_key (GtkWidget * video, GdkEventKey * event)
{
  (void) video;
  return event->keyval == GDK_KEY_Up || event->keyval == GDK_KEY_Down
      || event->keyval == GDK_KEY_Left || event->keyval == GDK_KEY_Right
      || event->keyval == GDK_KEY_space;
}

static gboolean
take_focus (GtkWidget * video)
{
  gtk_widget_grab_focus (video);
  return FALSE;
}

/* Scale in the pipeline, as GTK would scale a much larger picture in its only
 * thread. Wait until the window has its size, as gtksink may draw an old frame
 * with the new caps, and warn. */
static gboolean
fit (gpointer data)
{
  PreviewWindow *self = data;
  gint scale = gtk_widget_get_scale_factor (self->video);

  self->fit = 0;
  preview_session_fit (self->session,
      scale * gtk_widget_get_allocated_width (self->video),
      scale * gtk_widget_get_allocated_height (self->video));
  return G_SOURCE_REMOVE;
}

static gboolean
fit_later (gpointer data)
{
  PreviewWindow *self = data;

  if (self->fit != 0)
    g_source_remove (self->fit);
  self->fit = g_timeout_add (300, fit, self);
  return G_SOURCE_REMOVE;
}

static void
resized (PreviewWindow * self)
{
  g_main_context_invoke (NULL, fit_later, self);
}

static gboolean
show_caption (gpointer data)
{
  PreviewWindow *self = data;
  g_autofree gchar *caption = preview_session_describe_view (self->session);

  gtk_label_set_text (GTK_LABEL (self->caption), caption);
  return G_SOURCE_REMOVE;
}

/* Called in any thread. */
static void
control_changed (PreviewWindow * self)
{
  g_main_context_invoke (NULL, show_caption, self);
}

void
preview_window_free (PreviewWindow * self)
{
  g_signal_handlers_disconnect_by_data (self->session, self);
  if (self->fit != 0)
    g_source_remove (self->fit);
  gtk_widget_destroy (self->top);
  if (self->arrange != 0)
    g_source_remove (self->arrange);
  g_object_unref (self->top);
  g_object_unref (self->session);
  g_free (self);
}

GtkWidget *
preview_window_get_widget (PreviewWindow * self)
{
  return self->top;
}

/* Append a value, with a fixed number of digits, so that it does not move. */
static void
append_value (GString * text, const PreviewFigure * figure, gdouble v)
{
  const gboolean decibels = strcmp (figure->unit, "dB") == 0;

  v *= figure->scale;
  if (isinf (v))
    g_string_append (text, "identical");
  else
    g_string_append_printf (text, decibels ? "%.2f" : "%.4g", v);
}

/* Append a row with A's figure and B's, if they are measured. bpp is a unit,
 * too. */
static void
append_row (GString * text, const PreviewFigure * figure, guint line,
    const GstStructure * s)
{
  const gchar *field = figure->field[line];
  g_autofree gchar *of_b = g_strconcat ("b-", field, NULL);
  gdouble a = preview_get_number (s, field);
  gdouble b = preview_get_number (s, of_b);

  if (!isnan (a)) {
    g_string_append_printf (text, "%s ", field);
    append_value (text, figure, a);
    if (!isnan (b)) {
      g_string_append (text, " | ");
      append_value (text, figure, b);
    }
    if (strcmp (field, "bpp") != 0 && !isinf (isnan (b) ? a : b))
      g_string_append_printf (text, " %s", figure->unit);
    g_string_append_c (text, '\n');
  }
}

/* Append all figures; with PSNR also that of the planes. */
static void
append_figures (GString * text, const GstStructure * s)
{
  if (gst_structure_has_field (s, "b-psnr"))
    g_string_append (text, "A | B\n");
  for (guint line = 0; line < PREVIEW_LINE_B; line++)
    append_row (text, &preview_figures[0], line, s);
  for (guint i = 1; i < PREVIEW_N_FIGURES; i++)
    append_row (text, &preview_figures[i], 0, s);
}

static void
show_figures (PreviewWindow * self, const GstStructure * s)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const gchar *backend = gst_structure_get_string (s, "backend");
  guint64 index = 0, late, played;

  preview_session_get_late (self->session, &late, &played);
  gst_structure_get_uint64 (s, "index", &index);
  append_figures (text, s);
  g_string_append_printf (text, "frame %" G_GUINT64_FORMAT, index);
  if (backend != NULL)
    g_string_append_printf (text, "\n%s", backend);
  if (late > 0)
    g_string_append_printf (text, "\n%" G_GUINT64_FORMAT " of %"
        G_GUINT64_FORMAT " frames too late: not shown", late, played);
  gtk_label_set_text (GTK_LABEL (self->figures), text->str);
  preview_panel_show_frame (PREVIEW_PANEL (self->panel), s);
  preview_plot_add (PREVIEW_PLOT (self->plot), s);
  preview_curve_update (PREVIEW_CURVE (self->curve), s);
}

static void
show_block (PreviewWindow * self, const GstStructure * block)
{
  preview_inspector_show (PREVIEW_INSPECTOR (self->inspector), block);
  if (!gst_structure_has_field (block, "repeated"))
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->pages),
        gtk_notebook_page_num (GTK_NOTEBOOK (self->pages), self->inspector));
}

static void
show_notice (PreviewWindow * self, const gchar * text)
{
  gtk_label_set_text (GTK_LABEL (self->notice), text);
  gtk_widget_show (self->notice);
}

gboolean
preview_window_save (PreviewWindow * self, const gchar * path, GError ** error)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24,
      gtk_widget_get_allocated_width (self->top),
      gtk_widget_get_allocated_height (self->top));
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;
  GtkAllocation all;

  /* The last figures may have changed the layout, and a widget without a place
   * is not drawn. */
  gtk_widget_get_allocation (self->top, &all);
  gtk_widget_size_allocate (self->top, &all);
  gtk_widget_draw (self->top, cr);
  cairo_destroy (cr);
  status = cairo_surface_write_to_png (surface, path);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "%s cannot be written: %s.", path, cairo_status_to_string (status));
  return status == CAIRO_STATUS_SUCCESS;
}

static void
show_source (PreviewWindow * self)
{
  g_autofree gchar *name = preview_session_get_name (self->session);
  g_autofree gchar *title = g_strdup_printf ("%s - blockdct-preview", name);

  gtk_window_set_title (GTK_WINDOW (self->top), title);
  gtk_widget_hide (self->notice);
}

static void
add_page (PreviewWindow * self, GtkWidget * page, const gchar * name)
{
  gtk_notebook_append_page (GTK_NOTEBOOK (self->pages), page,
      gtk_label_new (name));
}

static GtkWidget *
make_pages (PreviewWindow * self)
{
  self->pages = gtk_notebook_new ();
  self->plot = preview_plot_new ();
  self->curve = preview_curve_new (self->session);
  self->inspector = preview_inspector_new ();
  gtk_widget_set_name (self->pages, "pages");
  gtk_notebook_set_scrollable (GTK_NOTEBOOK (self->pages), TRUE);
  add_page (self, self->plot, "Time");
  add_page (self, self->curve, "Rate");
  add_page (self, self->inspector, "Block");
  g_signal_connect_object (self->pages, "switch-page",
      G_CALLBACK (gtk_widget_grab_focus), self->video,
      G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  return self->pages;
}

static GtkWidget *
make_bar (PreviewWindow * self)
{
  g_autoptr (GtkAccelGroup) keys = gtk_accel_group_new ();
  GtkWidget *bar = preview_bar_new (self->session, keys, self->video);

  preview_bar_append (PREVIEW_BAR (bar), preview_actions_new_menu
      (&self->actions, keys));
  gtk_window_add_accel_group (GTK_WINDOW (self->top), keys);
  return bar;
}

/* The picture must not take room from the panel for its own size. */
static GtkWidget *
make_place (PreviewWindow * self)
{
  return g_object_new (GTK_TYPE_SCROLLED_WINDOW,
      "hscrollbar-policy", GTK_POLICY_EXTERNAL,
      "vscrollbar-policy", GTK_POLICY_EXTERNAL, "min-content-width", 160,
      "min-content-height", 120, "child", self->video, NULL);
}

/* The picture, with its caption and bar, above the pages. */
static GtkWidget *
make_main (PreviewWindow * self)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  /* Labels must not take room, either. */
  self->caption = g_object_new (GTK_TYPE_LABEL, "max-width-chars", 20,
      "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  self->notice = g_object_new (GTK_TYPE_LABEL, "max-width-chars", 20, "wrap",
      TRUE, "xalign", 0.0, NULL);
  gtk_box_pack_start (GTK_BOX (box), make_place (self), TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (box), self->caption, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), make_bar (self), FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), self->notice, FALSE, FALSE, 0);
  gtk_paned_pack1 (GTK_PANED (paned), box, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (paned), make_pages (self), FALSE, FALSE);
  return paned;
}

static void
connect_signals (PreviewWindow * self)
{
  gtk_widget_set_can_focus (self->video, TRUE);
  g_signal_connect (self->video, "button-press-event",
      G_CALLBACK (take_focus), NULL);
  g_signal_connect_after (self->video, "key-press-event",
      G_CALLBACK (keep_key), NULL);
  g_signal_connect (self->top, "window-state-event",
      G_CALLBACK (state_changed), self);
  g_signal_connect_swapped (self->top, "size-allocate",
      G_CALLBACK (arrange_later), self);
  gtk_drag_dest_set (self->top, GTK_DEST_DEFAULT_ALL, NULL, 0,
      GDK_ACTION_COPY);
  gtk_drag_dest_add_uri_targets (self->top);
  g_signal_connect (self->top, "drag-data-received", G_CALLBACK (take_drop),
      self);
  g_signal_connect_swapped (self->video, "size-allocate",
      G_CALLBACK (fit_later), self);
}

static void
follow_session (PreviewWindow * self)
{
  static const struct
  {
    const gchar *name;
    GCallback handler;
  } signals[] = {
    {"changed", G_CALLBACK (control_changed)},
    {"resized", G_CALLBACK (resized)},
    {"figures", G_CALLBACK (show_figures)},
    {"block", G_CALLBACK (show_block)},
    {"notice", G_CALLBACK (show_notice)},
    {"opened", G_CALLBACK (show_source)},
  };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_swapped (self->session, signals[i].name,
        signals[i].handler, self);
}

PreviewWindow *
preview_window_new (PreviewSession * session)
{
  PreviewWindow *self = g_new0 (PreviewWindow, 1);
  GtkWidget *main;

  self->session = g_object_ref (session);
  self->video = preview_session_get_widget (session);
  self->top = g_object_ref_sink (gtk_window_new (GTK_WINDOW_TOPLEVEL));
  self->content = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_container_set_border_width (GTK_CONTAINER (self->content), 6);
  self->actions.top = GTK_WINDOW (self->top);
  self->actions.session = session;
  main = make_main (self);
  self->side = make_side (self);
  gtk_box_pack_start (GTK_BOX (self->content), main, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (self->content), self->side, FALSE, TRUE, 0);
  gtk_container_add (GTK_CONTAINER (self->top), self->content);
  gtk_window_set_icon_name (GTK_WINDOW (self->top), "blockdct-preview");
  gtk_window_set_default_size (GTK_WINDOW (self->top), 1100, 680);
  connect_signals (self);
  follow_session (self);
  show_caption (self);
  gtk_widget_show_all (self->top);
  show_source (self);
  gtk_widget_grab_focus (self->video);
  return self;
}
