/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Controls are made from the element's own descriptions of its properties.
 * Properties change in any thread (keys and the pointer turn them too); the
 * controls follow in GTK's. */
#include "panel.h"
#include "controls.h"

#include <math.h>

typedef struct
{
  PreviewPanel *panel;
  GParamSpec *pspec;
  GtkWidget *widget;
  gboolean updating;            /* the property came first */
} Control;

struct _PreviewPanel
{
  GtkGrid parent;
  GstElement *dct;
  GtkWidget *preset;
  Control control[PREVIEW_N_CONTROLS];
  gboolean loading;             /* a preset */
};

G_DEFINE_FINAL_TYPE (PreviewPanel, preview_panel, GTK_TYPE_GRID);

static void
enum_changed (GtkComboBox * box, Control * control)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM (control->pspec)->enum_class;
  gint active = gtk_combo_box_get_active (box);

  if (!control->updating && active >= 0)
    g_object_set (control->panel->dct, control->pspec->name,
        klass->values[active].value, NULL);
}

static void
range_changed (GtkRange * range, Control * control)
{
  gdouble v = gtk_range_get_value (range);

  if (control->updating)
    return;
  if (G_IS_PARAM_SPEC_INT (control->pspec))
    g_object_set (control->panel->dct, control->pspec->name,
        (gint) lround (v), NULL);
  else
    g_object_set (control->panel->dct, control->pspec->name, v, NULL);
}

static void
toggled (GtkToggleButton * button, Control * control)
{
  if (!control->updating)
    g_object_set (control->panel->dct, control->pspec->name,
        gtk_toggle_button_get_active (button), NULL);
}

/* All of them, by their buttons. */
static void
flag_toggled (GtkWidget * button, Control * control)
{
  GFlagsClass *klass = G_PARAM_SPEC_FLAGS (control->pspec)->flags_class;
  GList *buttons = gtk_container_get_children (GTK_CONTAINER
      (control->widget)), *l = buttons;
  guint flags = 0;

  (void) button;
  for (guint i = 0; i < klass->n_values && l != NULL; i++) {
    if (klass->values[i].value == 0)
      continue;
    if (gtk_toggle_button_get_active (l->data))
      flags |= klass->values[i].value;
    l = l->next;
  }
  g_list_free (buttons);
  if (!control->updating)
    g_object_set (control->panel->dct, control->pspec->name, flags, NULL);
}

static void
show_flags (Control * control, guint flags)
{
  GFlagsClass *klass = G_PARAM_SPEC_FLAGS (control->pspec)->flags_class;
  GList *buttons = gtk_container_get_children (GTK_CONTAINER
      (control->widget)), *l = buttons;

  for (guint i = 0; i < klass->n_values && l != NULL; i++) {
    if (klass->values[i].value == 0)
      continue;
    gtk_toggle_button_set_active (l->data, flags & klass->values[i].value);
    l = l->next;
  }
  g_list_free (buttons);
}

static GtkWidget *
make_flags (Control * control)
{
  GFlagsClass *klass = G_PARAM_SPEC_FLAGS (control->pspec)->flags_class;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  for (guint i = 0; i < klass->n_values; i++) {
    GtkWidget *button;

    if (klass->values[i].value == 0)
      continue;
    button = gtk_check_button_new_with_label (klass->values[i].value_nick);
    gtk_widget_set_name (button, klass->values[i].value_nick);
    gtk_widget_set_tooltip_text (button, klass->values[i].value_name);
    gtk_widget_set_focus_on_click (button, FALSE);
    g_signal_connect (button, "toggled", G_CALLBACK (flag_toggled), control);
    gtk_box_pack_start (GTK_BOX (box), button, FALSE, FALSE, 0);
  }
  return box;
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
  PreviewPanel *self = control->panel;
  GValue value = G_VALUE_INIT;

  control->updating = TRUE;
  g_object_get_property (G_OBJECT (self->dct), control->pspec->name, &value);
  if (G_VALUE_HOLDS_ENUM (&value)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (control->pspec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      if (klass->values[i].value == g_value_get_enum (&value)) {
        gtk_combo_box_set_active (GTK_COMBO_BOX (control->widget), i);
        explain (control, &klass->values[i]);
      }
  } else if (G_VALUE_HOLDS_FLAGS (&value)) {
    show_flags (control, g_value_get_flags (&value));
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
  PreviewPanel *self = data;

  gtk_combo_box_set_active (GTK_COMBO_BOX (self->preset), -1);
  return G_SOURCE_REMOVE;
}

static void
property_changed (GObject * object, GParamSpec * pspec, Control * control)
{
  PreviewPanel *self = control->panel;

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
  } else if (G_IS_PARAM_SPEC_FLAGS (pspec)) {
    widget = make_flags (control);
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
load_preset (GtkComboBoxText * box, PreviewPanel * self)
{
  gchar *name = gtk_combo_box_text_get_active_text (box);

  self->loading = TRUE;
  if (name != NULL)
    gst_preset_load_preset (GST_PRESET (self->dct), name);
  self->loading = FALSE;
  g_free (name);
}

static void
attach_presets (PreviewPanel * self, GtkGrid * grid)
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
dispose (GObject * object)
{
  PreviewPanel *self = PREVIEW_PANEL (object);

  if (self->dct != NULL)
    for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
      g_signal_handlers_disconnect_by_data (self->dct, &self->control[i]);
  gst_clear_object (&self->dct);
  G_OBJECT_CLASS (preview_panel_parent_class)->dispose (object);
}

static void
preview_panel_class_init (PreviewPanelClass * klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
}

static void
preview_panel_init (PreviewPanel * self)
{
  gtk_grid_set_row_spacing (GTK_GRID (self), 4);
  gtk_grid_set_column_spacing (GTK_GRID (self), 12);
}

GtkWidget *
preview_panel_new (GstElement * dct)
{
  PreviewPanel *self = g_object_new (PREVIEW_TYPE_PANEL, NULL);

  self->dct = gst_object_ref (dct);
  attach_presets (self, GTK_GRID (self));
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++) {
    Control *control = &self->control[i];
    gchar *signal = g_strconcat ("notify::", preview_controls[i], NULL);

    control->panel = self;
    control->pspec = preview_control_get_pspec (dct, i);
    control->widget = make_widget (control);
    attach_row (GTK_GRID (self), preview_controls[i], control->widget);
    update_control (control);
    g_signal_connect (dct, signal, G_CALLBACK (property_changed), control);
    g_free (signal);
  }
  return GTK_WIDGET (self);
}

void
preview_panel_show_frame (PreviewPanel * self, const GstStructure * frame)
{
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    gtk_widget_set_sensitive (self->control[i].widget,
        !preview_control_is_idle (self->dct, preview_controls[i],
            frame));
}
