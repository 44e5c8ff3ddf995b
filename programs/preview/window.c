/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Controls are made from the element's own descriptions of its properties.
 * Properties change in any thread (keys and the pointer turn them too); the
 * controls follow in GTK's. */
#include "window.h"
#include "controls.h"
#include "pipeline.h"
#include "plot.h"

#include <math.h>
#include <string.h>

/* Until a block is clicked on. */
#define HELP "In the picture:\n" \
    "drag             dividing line\n" \
    "wheel, Up, Down  finer, coarser\n" \
    "Left, Right      transform\n" \
    "v                next view\n" \
    "g                grid\n" \
    "space            original, and back\n" \
    "click            a block's levels\n" \
    "Ctrl+Q closes the window."

typedef struct _PreviewWindow PreviewWindow;

typedef struct
{
  PreviewWindow *window;
  GParamSpec *pspec;
  GtkWidget *widget;
  gboolean updating;            /* the property came first */
} Control;

struct _PreviewWindow
{
  PreviewFront front;
  GtkWidget *top, *content, *video, *plot, *figures, *block, *pause, *preset;
  GtkWidget *caption;           /* what the picture is */
  GtkWidget *notice;            /* what went wrong */
  gchar *dropped;               /* frames that came too late; or NULL */
  GstElement *dct, *pipeline;
  Control control[PREVIEW_N_CONTROLS];
  gboolean loading;             /* a preset */
  guint fit;                    /* source */
};

static void
enum_changed (GtkComboBox * box, Control * control)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM (control->pspec)->enum_class;
  gint active = gtk_combo_box_get_active (box);

  if (!control->updating && active >= 0)
    g_object_set (control->window->dct, control->pspec->name,
        klass->values[active].value, NULL);
}

static void
range_changed (GtkRange * range, Control * control)
{
  gdouble v = gtk_range_get_value (range);

  if (control->updating)
    return;
  if (G_IS_PARAM_SPEC_INT (control->pspec))
    g_object_set (control->window->dct, control->pspec->name,
        (gint) lround (v), NULL);
  else
    g_object_set (control->window->dct, control->pspec->name, v, NULL);
}

static void
toggled (GtkToggleButton * button, Control * control)
{
  if (!control->updating)
    g_object_set (control->window->dct, control->pspec->name,
        gtk_toggle_button_get_active (button), NULL);
}

/* What the value means, too: the blurb is the property's. */
static void
explain (Control * control, const GEnumValue * value)
{
  gchar *text = g_strdup_printf ("%s\n%s: %s",
      g_param_spec_get_blurb (control->pspec), value->value_nick,
      value->value_name);

  gtk_widget_set_tooltip_text (control->widget, text);
  g_free (text);
}

/* In GTK's thread: the control shows what the property is. */
static gboolean
update_control (gpointer data)
{
  Control *control = data;
  PreviewWindow *self = control->window;
  GValue value = G_VALUE_INIT;

  control->updating = TRUE;
  g_object_get_property (G_OBJECT (self->dct), control->pspec->name, &value);
  if (G_VALUE_HOLDS_ENUM (&value)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (control->pspec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      if (klass->values[i].value == g_value_get_enum (&value)) {
        gtk_combo_box_set_active (GTK_COMBO_BOX (control->widget), i);
        explain (control, &klass->values[i]);
        if (strcmp (control->pspec->name, "view") == 0)
          gtk_label_set_text (GTK_LABEL (self->caption),
              preview_describe_view (&klass->values[i]));
      }
  } else if (G_VALUE_HOLDS_BOOLEAN (&value)) {
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (control->widget),
        g_value_get_boolean (&value));
  } else {
    gtk_range_set_value (GTK_RANGE (control->widget), G_VALUE_HOLDS_INT (&value)
        ? g_value_get_int (&value) : g_value_get_double (&value));
  }
  g_value_unset (&value);
  control->updating = FALSE;
  return G_SOURCE_REMOVE;
}

/* What was loaded is no longer what is set. */
static gboolean
forget_preset (gpointer data)
{
  PreviewWindow *self = data;

  gtk_combo_box_set_active (GTK_COMBO_BOX (self->preset), -1);
  return G_SOURCE_REMOVE;
}

static void
property_changed (GObject * object, GParamSpec * pspec, Control * control)
{
  PreviewWindow *self = control->window;

  (void) object, (void) pspec;
  g_main_context_invoke (NULL, update_control, control);
  /* GTK's thread loads presets; what another one turns at the same time may
   * not be seen here, and the next thing that is turned will. */
  if (!self->loading)
    g_main_context_invoke (NULL, forget_preset, self);
}

static GtkWidget *
make_widget (Control * control)
{
  GParamSpec *pspec = control->pspec;
  GtkWidget *widget;

  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    widget = gtk_combo_box_text_new ();
    for (guint i = 0; i < klass->n_values; i++)
      gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (widget),
          klass->values[i].value_nick);
    g_signal_connect (widget, "changed", G_CALLBACK (enum_changed), control);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    widget = gtk_check_button_new ();
    g_signal_connect (widget, "toggled", G_CALLBACK (toggled), control);
  } else {
    if (G_IS_PARAM_SPEC_INT (pspec)) {
      GParamSpecInt *range = G_PARAM_SPEC_INT (pspec);

      widget = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL,
          range->minimum, range->maximum, 1);
    } else {
      GParamSpecDouble *range = G_PARAM_SPEC_DOUBLE (pspec);

      widget = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL,
          range->minimum, range->maximum, 0.01);
    }
    gtk_scale_set_value_pos (GTK_SCALE (widget), GTK_POS_RIGHT);
    g_signal_connect (widget, "value-changed", G_CALLBACK (range_changed),
        control);
  }
  gtk_widget_set_name (widget, pspec->name);
  gtk_widget_set_tooltip_text (widget, g_param_spec_get_blurb (pspec));
  gtk_widget_set_hexpand (widget, TRUE);
  return widget;
}

/* A wheel over a control moves the panel, and turns nothing. */
static gboolean
leave_scroll (GtkWidget * widget)
{
  g_signal_stop_emission_by_name (widget, "scroll-event");
  return FALSE;
}

/* The keys stay the picture's when something is clicked on. */
static void
attach_row (GtkGrid * grid, const gchar * name, GtkWidget * widget)
{
  GtkWidget *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), widget);
  atk_object_set_name (gtk_widget_get_accessible (widget), name);
  gtk_widget_set_focus_on_click (widget, FALSE);
  g_signal_connect (widget, "scroll-event", G_CALLBACK (leave_scroll), NULL);
  gtk_grid_attach_next_to (grid, label, NULL, GTK_POS_BOTTOM, 1, 1);
  gtk_grid_attach_next_to (grid, widget, label, GTK_POS_RIGHT, 1, 1);
}

static void
load_preset (GtkComboBoxText * box, PreviewWindow * self)
{
  gchar *name = gtk_combo_box_text_get_active_text (box);

  self->loading = TRUE;
  if (name != NULL)
    gst_preset_load_preset (GST_PRESET (self->dct), name);
  self->loading = FALSE;
  g_free (name);
}

static void
attach_presets (PreviewWindow * self, GtkGrid * grid)
{
  gchar **names = gst_preset_get_preset_names (GST_PRESET (self->dct));
  GtkWidget *box = gtk_combo_box_text_new ();

  for (gchar ** name = names; name != NULL && *name != NULL; name++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (box), *name);
  gtk_widget_set_sensitive (box, names != NULL && *names != NULL);
  gtk_widget_set_name (box, "preset");
  self->preset = box;
  g_signal_connect (box, "changed", G_CALLBACK (load_preset), self);
  attach_row (grid, "preset", box);
  g_strfreev (names);
}

static void
pause_toggled (GtkToggleButton * button, PreviewWindow * self)
{
  gboolean paused = gtk_toggle_button_get_active (button);

  gst_element_set_state (self->pipeline,
      paused ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  gtk_widget_grab_focus (self->video);
}

static GtkWidget *
make_text (gint lines)
{
  GtkWidget *label = gtk_label_new (NULL);
  PangoAttrList *attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_family_new ("Monospace"));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_lines (GTK_LABEL (label), lines);
  gtk_label_set_width_chars (GTK_LABEL (label), 34);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 34);
  gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
  return label;
}

/* As high as the window, however low that is. */
static GtkWidget *
make_scrolled (GtkWidget * widget)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL);

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled),
      GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scrolled), widget);
  return scrolled;
}

static GtkWidget *
make_panel (PreviewWindow * self)
{
  GtkWidget *panel = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());

  /* What its controls want is not for the panel to take from the picture. */
  gtk_widget_set_hexpand (panel, FALSE);
  /* Beside the bar that scrolls it. */
  gtk_widget_set_margin_end (panel, 12);
  gtk_grid_set_row_spacing (grid, 4);
  gtk_grid_set_column_spacing (grid, 12);
  attach_presets (self, grid);
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++) {
    Control *control = &self->control[i];
    gchar *signal = g_strconcat ("notify::", preview_controls[i], NULL);

    control->window = self;
    control->pspec = preview_control_get_pspec (self->dct, i);
    control->widget = make_widget (control);
    attach_row (grid, preview_controls[i], control->widget);
    update_control (control);
    g_signal_connect (self->dct, signal, G_CALLBACK (property_changed),
        control);
    g_free (signal);
  }
  self->pause = gtk_toggle_button_new_with_label ("Pause");
  gtk_widget_set_name (self->pause, "pause");
  gtk_widget_set_focus_on_click (self->pause, FALSE);
  g_signal_connect (self->pause, "toggled", G_CALLBACK (pause_toggled), self);
  self->figures = make_text (7);
  self->block = make_text (-1);
  gtk_label_set_text (GTK_LABEL (self->block), HELP);
  gtk_box_pack_start (GTK_BOX (panel), GTK_WIDGET (grid), FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (panel), self->pause, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (panel), self->figures, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (panel), self->block, FALSE, FALSE, 0);
  return make_scrolled (panel);
}

/* The picture's own keys are not GTK's way from control to control. */
static gboolean
keep_key (GtkWidget * video, GdkEventKey * event)
{
  (void) video;
  return event->keyval == GDK_KEY_Up || event->keyval == GDK_KEY_Down
      || event->keyval == GDK_KEY_Left || event->keyval == GDK_KEY_Right
      || event->keyval == GDK_KEY_space;
}

static gboolean
close_key (GtkWidget * top, GdkEventKey * event)
{
  if ((event->state & GDK_CONTROL_MASK) && (event->keyval == GDK_KEY_q
          || event->keyval == GDK_KEY_w)) {
    gtk_window_close (GTK_WINDOW (top));
    return TRUE;
  }
  return FALSE;
}

static gboolean
take_focus (GtkWidget * video)
{
  gtk_widget_grab_focus (video);
  return FALSE;
}

/* What is much larger than its widget GTK would scale, in its one thread.
 * Not before the window has its size: gtksink may draw an old frame as one of
 * the new caps, and complain. */
static gboolean
fit (gpointer data)
{
  PreviewWindow *self = data;
  gint scale = gtk_widget_get_scale_factor (self->video);

  self->fit = 0;
  preview_pipeline_fit (self->pipeline, self->dct,
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
caps_changed (GObject * pad, GParamSpec * pspec, PreviewWindow * self)
{
  (void) pad, (void) pspec;
  g_main_context_invoke (NULL, fit_later, self);
}

static void
follow_size (PreviewWindow * self)
{
  GstPad *pad = gst_element_get_static_pad (self->dct, "src");

  g_signal_connect_swapped (self->video, "size-allocate",
      G_CALLBACK (fit_later), self);
  g_signal_connect (pad, "notify::caps", G_CALLBACK (caps_changed), self);
  gst_object_unref (pad);
}

static void
free_window (PreviewFront * front)
{
  PreviewWindow *self = (PreviewWindow *) front;
  GstPad *pad;

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    g_signal_handlers_disconnect_by_data (self->dct, &self->control[i]);
  pad = gst_element_get_static_pad (self->dct, "src");
  g_signal_handlers_disconnect_by_data (pad, self);
  gst_object_unref (pad);
  if (self->fit != 0)
    g_source_remove (self->fit);
  gtk_widget_destroy (self->top);
  g_object_unref (self->top);
  gst_object_unref (self->dct);
  gst_object_unref (self->pipeline);
  g_free (self->dropped);
  g_free (self);
}

GtkWidget *
preview_window_get_widget (PreviewFront * front)
{
  return ((PreviewWindow *) front)->top;
}

static void
append_decibels (GString * text, const gchar * label, const GstStructure * s,
    const gchar * field)
{
  gdouble v;

  if (!gst_structure_get_double (s, field, &v))
    return;
  if (isinf (v))
    g_string_append_printf (text, "%s identical\n", label);
  else
    g_string_append_printf (text, "%s %.2f dB\n", label, v);
}

static void
show_figures (PreviewWindow * self, const GstStructure * s)
{
  GString *text = g_string_new (NULL);
  gdouble psnr = 0, nonzero = 0;
  guint64 index = 0;

  gst_structure_get_double (s, "psnr", &psnr);
  gst_structure_get_double (s, "nonzero", &nonzero);
  gst_structure_get_uint64 (s, "index", &index);
  append_decibels (text, "PSNR ", s, "psnr");
  append_decibels (text, "    Y", s, "psnr-y");
  append_decibels (text, "    U", s, "psnr-u");
  append_decibels (text, "    V", s, "psnr-v");
  g_string_append_printf (text, "non-zero %.1f %%, frame %" G_GUINT64_FORMAT
      "\n%s", 100 * nonzero, index, gst_structure_get_string (s, "backend"));
  if (self->dropped != NULL)
    g_string_append_printf (text, "\n%s", self->dropped);
  gtk_label_set_text (GTK_LABEL (self->figures), text->str);
  preview_plot_add (PREVIEW_PLOT (self->plot), psnr,
      gst_structure_has_field (s, "repeated"));
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    gtk_widget_set_sensitive (self->control[i].widget,
        !preview_control_is_idle (preview_controls[i], s));
  g_string_free (text, TRUE);
}

/* The levels of the block that was clicked on; of a large one the lowest
 * frequencies. */
static void
show_block (PreviewWindow * self, const GstStructure * s)
{
  const GValue *levels = gst_structure_get_value (s, "levels");
  gint x = 0, y = 0, size = 0;
  GString *text;

  gst_structure_get_int (s, "x", &x);
  gst_structure_get_int (s, "y", &y);
  gst_structure_get_int (s, "size", &size);
  if (levels == NULL || size == 0)
    return;
  text = g_string_new (NULL);
  g_string_append_printf (text, "Luma's block at (%d, %d), %dx%d:", x, y, size,
      size);
  for (gint v = 0; v < MIN (size, 8); v++) {
    g_string_append_c (text, '\n');
    for (gint u = 0; u < MIN (size, 8); u++)
      g_string_append_printf (text, "%4d", g_value_get_int
          (gst_value_array_get_value (levels, v * size + u)));
  }
  gtk_label_set_text (GTK_LABEL (self->block), text->str);
  g_string_free (text, TRUE);
}

static void
show_message (PreviewFront * front, const GstStructure * message)
{
  PreviewWindow *self = (PreviewWindow *) front;
  const gchar *type = gst_structure_get_string (message, "type");

  if (gst_structure_has_name (message, "blockdct-block"))
    show_block (self, message);
  else if (gst_structure_has_name (message, "blockdct")
      && g_strcmp0 (type, "pooled") != 0)
    show_figures (self, message);
}

static void
show_notice (PreviewFront * front, const gchar * text)
{
  PreviewWindow *self = (PreviewWindow *) front;
  gtk_label_set_text (GTK_LABEL (self->notice), text);
  gtk_widget_show (self->notice);
}

static void
show_qos (PreviewFront * front, GstMessage * message)
{
  PreviewWindow *self = (PreviewWindow *) front;
  GstFormat format;
  guint64 shown, dropped;

  gst_message_parse_qos_stats (message, &format, &shown, &dropped);
  if (format != GST_FORMAT_BUFFERS || dropped == 0)
    return;
  g_free (self->dropped);
  self->dropped = g_strdup_printf ("%" G_GUINT64_FORMAT " of %"
      G_GUINT64_FORMAT " frames too late: not shown", dropped, shown + dropped);
}

static gboolean
save (PreviewFront * front, const gchar * path, GError ** error)
{
  PreviewWindow *self = (PreviewWindow *) front;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24,
      gtk_widget_get_allocated_width (self->top),
      gtk_widget_get_allocated_height (self->top));
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  gtk_widget_draw (self->top, cr);
  cairo_destroy (cr);
  status = cairo_surface_write_to_png (surface, path);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "%s cannot be written: %s.", path, cairo_status_to_string (status));
  return status == CAIRO_STATUS_SUCCESS;
}

PreviewFront *
preview_window_new (GtkWidget * video, GstElement * dct,
    GstElement * pipeline, const gchar * title)
{
  PreviewWindow *self = g_new0 (PreviewWindow, 1);
  GtkWidget *left = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->front.show_message = show_message;
  self->front.show_notice = show_notice;
  self->front.show_qos = show_qos;
  self->front.save = save;
  self->front.free = free_window;
  self->dct = gst_object_ref (dct);
  self->pipeline = gst_object_ref (pipeline);
  self->video = video;
  self->top = g_object_ref_sink (gtk_window_new (GTK_WINDOW_TOPLEVEL));
  self->content = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->plot = preview_plot_new ();
  self->caption = gtk_label_new (NULL);
  self->notice = gtk_label_new (NULL);
  gtk_label_set_line_wrap (GTK_LABEL (self->notice), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->notice), 0);
  gtk_container_set_border_width (GTK_CONTAINER (self->content), 6);
  gtk_widget_set_size_request (video, 160, 120);
  gtk_widget_set_can_focus (video, TRUE);
  g_signal_connect (video, "button-press-event", G_CALLBACK (take_focus), NULL);
  g_signal_connect_after (video, "key-press-event", G_CALLBACK (keep_key),
      NULL);
  g_signal_connect (self->top, "key-press-event", G_CALLBACK (close_key), NULL);
  gtk_box_pack_start (GTK_BOX (left), video, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (left), self->caption, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (left), self->plot, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (left), self->notice, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (self->content), left, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (self->content), make_panel (self), FALSE, FALSE,
      0);
  gtk_container_add (GTK_CONTAINER (self->top), self->content);
  gtk_window_set_title (GTK_WINDOW (self->top), title);
  gtk_window_set_icon_name (GTK_WINDOW (self->top), "blockdct-preview");
  gtk_window_set_default_size (GTK_WINDOW (self->top), 1100, 680);
  follow_size (self);
  gtk_widget_show_all (self->top);
  gtk_widget_hide (self->notice);
  gtk_widget_grab_focus (video);
  return &self->front;
}
