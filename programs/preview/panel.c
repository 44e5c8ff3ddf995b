/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Widgets are made from descriptions of properties. Properties change in any
 * thread, also by keys and the pointer; the widgets follow in GTK's thread. */
#include "panel.h"

#include <math.h>
#include <string.h>

typedef struct
{
  PreviewPanel *panel;
  guint number;                 /* its number among the session's controls */
  GParamSpec *pspec;
  GtkWidget *widget;
  gboolean updating;            /* the change comes from the property */
} Control;

/* A button for an action that also has a key. */
typedef struct
{
  const gchar *name, *about, *key;
} Command;

static const Command commands[] = {
  {"Store A as B", "From there on A alone is turned (b)", "b"},
  {"Swap A and B", "A and B change places (x)", "x"},
  {"Whole picture", "Zoom 1:1 (0)", "0"},
};

enum
{
  STORE, SWAP, WHOLE, N_COMMANDS
};

struct _PreviewPanel
{
  GtkGrid parent;
  PreviewSession *session;
  GtkWidget *preset;
  Control control[PREVIEW_N_CONTROLS];
  GtkWidget *command[N_COMMANDS], *flicker;
  GstStructure *figures;        /* of the frame that is shown; NULL: none yet */
  gint steady;                  /* the view before view=flicker */
  gboolean loading;             /* a preset is being loaded */
  gboolean updating;            /* the change comes from the view */
};

G_DEFINE_FINAL_TYPE (PreviewPanel, preview_panel, GTK_TYPE_GRID);

static void
turn (Control * control, gdouble number)
{
  if (!control->updating)
    preview_session_set_number (control->panel->session, control->number,
        number);
}

static void
enum_changed (GtkComboBox * box, Control * control)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM (control->pspec)->enum_class;
  const gchar *nick = gtk_combo_box_get_active_id (box);

  if (nick != NULL)
    turn (control, g_enum_get_value_by_nick (klass, nick)->value);
}

static void
range_changed (GtkRange * range, Control * control)
{
  const gdouble v = gtk_range_get_value (range);

  turn (control, G_IS_PARAM_SPEC_INT (control->pspec) ? lround (v) : v);
}

static void
toggled (GtkToggleButton * button, Control * control)
{
  turn (control, gtk_toggle_button_get_active (button));
}

static guint
get_flag (gpointer button)
{
  return GPOINTER_TO_UINT (g_object_get_data (button, "flag"));
}

static void
flag_toggled (GtkToggleButton * button, Control * control)
{
  const guint flags = preview_session_get_number (control->panel->session,
      control->number);

  turn (control, gtk_toggle_button_get_active (button)
      ? flags | get_flag (button) : flags & ~get_flag (button));
}

static void
show_flags (Control * control, guint flags)
{
  g_autoptr (GList) buttons = gtk_container_get_children (GTK_CONTAINER
      (control->widget));

  for (GList * l = buttons; l != NULL; l = l->next)
    gtk_toggle_button_set_active (l->data, flags & get_flag (l->data));
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
    g_object_set_data (G_OBJECT (button), "flag",
        GUINT_TO_POINTER (klass->values[i].value));
    gtk_widget_set_name (button, klass->values[i].value_nick);
    gtk_widget_set_tooltip_text (button, klass->values[i].value_name);
    gtk_widget_set_focus_on_click (button, FALSE);
    g_signal_connect (button, "toggled", G_CALLBACK (flag_toggled), control);
    gtk_box_pack_start (GTK_BOX (box), button, FALSE, FALSE, 0);
  }
  return box;
}

/* Explain the value, in addition to the property's blurb. */
static void
explain (Control * control, const GEnumValue * value)
{
  g_autofree gchar *text = g_strdup_printf ("%s\n%s: %s",
      g_param_spec_get_blurb (control->pspec), value->value_nick,
      value->value_name);

  gtk_widget_set_tooltip_text (control->widget, text);
}

static const GEnumValue *
get_view (PreviewPanel * self)
{
  const Control *view = &self->control[preview_find_control ("view")];

  return g_enum_get_value (G_PARAM_SPEC_ENUM (view->pspec)->enum_class,
      preview_session_get_number (self->session, view->number));
}

/* Update the buttons, and disable the controls without effect. */
static void
update_effects (PreviewPanel * self)
{
  const GEnumValue *view = get_view (self);
  const gboolean flicker = strcmp (view->value_nick, "flicker") == 0;

  gtk_widget_set_sensitive (self->command[SWAP],
      preview_session_shows_b (self->session) && preview_session_get_number
      (self->session, preview_find_control ("b::encoder")) == 0);
  gtk_widget_set_sensitive (self->command[WHOLE], preview_session_get_number
      (self->session, preview_find_control ("zoom")) > 1);
  self->updating = TRUE;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->flicker), flicker);
  self->updating = FALSE;
  if (!flicker)
    self->steady = view->value;
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    gtk_widget_set_sensitive (self->control[i].widget,
        !preview_session_is_idle (self->session, i, self->figures));
}

/* Show the property's value. Called in GTK's thread. */
static gboolean
update_control (gpointer data)
{
  Control *control = data;
  PreviewPanel *self = control->panel;
  const gdouble v = preview_session_get_number (self->session,
      control->number);

  control->updating = TRUE;
  if (G_IS_PARAM_SPEC_ENUM (control->pspec)) {
    const GEnumValue *value = g_enum_get_value (G_PARAM_SPEC_ENUM
        (control->pspec)->enum_class, v);

    gtk_combo_box_set_active_id (GTK_COMBO_BOX (control->widget),
        value->value_nick);
    explain (control, value);
  } else if (G_IS_PARAM_SPEC_FLAGS (control->pspec)) {
    show_flags (control, v);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (control->pspec)) {
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (control->widget), v != 0);
  } else {
    gtk_range_set_value (GTK_RANGE (control->widget), v);
  }
  control->updating = FALSE;
  update_effects (self);
  return G_SOURCE_REMOVE;
}

/* The settings no longer match the preset that was loaded. */
static gboolean
forget_preset (gpointer data)
{
  PreviewPanel *self = data;

  gtk_combo_box_set_active (GTK_COMBO_BOX (self->preset), -1);
  return G_SOURCE_REMOVE;
}

static void
control_changed (PreviewPanel * self, guint control)
{
  g_main_context_invoke (NULL, update_control, &self->control[control]);
  /* GTK's thread loads presets. A change in another thread at the same time may
   * be missed here; the next change is not. */
  if (!self->loading)
    g_main_context_invoke (NULL, forget_preset, self);
}

/* A box whose text is shortened where the window is narrow. */
static GtkWidget *
make_choice (void)
{
  GtkWidget *box = gtk_combo_box_text_new ();
  g_autoptr (GList) cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT (box));

  g_object_set (cells->data, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  return box;
}

static GtkWidget *
make_widget (Control * control)
{
  GParamSpec *pspec = control->pspec;
  GtkWidget *widget;

  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    widget = make_choice ();
    for (guint i = 0; i < klass->n_values; i++)
      gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (widget),
          klass->values[i].value_nick, klass->values[i].value_nick);
    g_signal_connect (widget, "changed", G_CALLBACK (enum_changed), control);
  } else if (G_IS_PARAM_SPEC_FLAGS (pspec)) {
    widget = make_flags (control);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    widget = gtk_check_button_new ();
    g_signal_connect (widget, "toggled", G_CALLBACK (toggled), control);
  } else {
    gdouble low, high;

    if (G_IS_PARAM_SPEC_INT (pspec)) {
      low = G_PARAM_SPEC_INT (pspec)->minimum;
      high = G_PARAM_SPEC_INT (pspec)->maximum;
    } else {
      low = G_PARAM_SPEC_DOUBLE (pspec)->minimum;
      high = G_PARAM_SPEC_DOUBLE (pspec)->maximum;
    }
    /* Whole numbers for the zoom, so that all samples have the same size. */
    widget = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, low, high,
        G_IS_PARAM_SPEC_INT (pspec) || low == 1 ? 1 : 0.01);
    gtk_scale_set_value_pos (GTK_SCALE (widget), GTK_POS_RIGHT);
    g_signal_connect (widget, "value-changed", G_CALLBACK (range_changed),
        control);
  }
  gtk_widget_set_name (widget, preview_controls[control->number]);
  gtk_widget_set_tooltip_text (widget, g_param_spec_get_blurb (pspec));
  gtk_widget_set_hexpand (widget, TRUE);
  return widget;
}

/* The wheel over a control scrolls the panel, and does not change the
 * control. */
static gboolean
leave_scroll (GtkWidget * widget)
{
  g_signal_stop_emission_by_name (widget, "scroll-event");
  return FALSE;
}

/* A click does not take the keyboard focus from the picture. */
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
  g_autofree gchar *name = gtk_combo_box_text_get_active_text (box);

  self->loading = TRUE;
  if (name != NULL)
    preview_session_load_preset (self->session, name);
  self->loading = FALSE;
}

static void
attach_presets (PreviewPanel * self, GtkGrid * grid)
{
  g_auto (GStrv) names = preview_session_get_presets (self->session);
  GtkWidget *box = make_choice ();

  for (gchar ** name = names; name != NULL && *name != NULL; name++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (box), *name);
  gtk_widget_set_sensitive (box, names != NULL && *names != NULL);
  gtk_widget_set_name (box, "preset");
  self->preset = box;
  g_signal_connect (box, "changed", G_CALLBACK (load_preset), self);
  attach_row (grid, "preset", box);
}

static void
run_command (GtkWidget * button, PreviewPanel * self)
{
  const Command *command = g_object_get_data (G_OBJECT (button), "command");

  preview_session_press_key (self->session, command->key);
}

static void
flicker_toggled (GtkToggleButton * button, PreviewPanel * self)
{
  const guint view = preview_find_control ("view");

  if (self->updating)
    return;
  if (gtk_toggle_button_get_active (button))
    preview_session_set_text (self->session, "view=flicker", NULL);
  else
    preview_session_set_number (self->session, view, self->steady);
}

static void
add_button (GtkGrid * grid, GtkWidget * button, guint i,
    const gchar * name, const gchar * about)
{
  gtk_widget_set_name (button, name);
  gtk_widget_set_tooltip_text (button, about);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_grid_attach (grid, button, i % 2, i / 2, 1, 1);
}

static void
attach_commands (PreviewPanel * self)
{
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());

  gtk_grid_set_column_homogeneous (grid, TRUE);
  gtk_grid_set_row_spacing (grid, 4);
  gtk_grid_set_column_spacing (grid, 4);
  for (guint i = 0; i < N_COMMANDS; i++) {
    GtkWidget *button = gtk_button_new_with_label (commands[i].name);

    g_object_set_data (G_OBJECT (button), "command", (gpointer) & commands[i]);
    g_signal_connect (button, "clicked", G_CALLBACK (run_command), self);
    add_button (grid, button, i, commands[i].name, commands[i].about);
    self->command[i] = button;
  }
  self->flicker = gtk_toggle_button_new_with_label ("Flicker");
  g_signal_connect (self->flicker, "toggled", G_CALLBACK (flicker_toggled),
      self);
  add_button (grid, self->flicker, N_COMMANDS, "Flicker",
      "The left picture and the right one in turn");
  gtk_grid_attach_next_to (GTK_GRID (self), GTK_WIDGET (grid), NULL,
      GTK_POS_BOTTOM, 2, 1);
}

static void
dispose (GObject * object)
{
  PreviewPanel *self = PREVIEW_PANEL (object);

  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_clear_pointer (&self->figures, gst_structure_free);
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
preview_panel_new (PreviewSession * session)
{
  PreviewPanel *self = g_object_new (PREVIEW_TYPE_PANEL, NULL);

  self->session = g_object_ref (session);
  attach_presets (self, GTK_GRID (self));
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++) {
    Control *control = &self->control[i];

    control->panel = self;
    control->number = i;
    control->pspec = preview_session_get_pspec (session, i);
    control->widget = make_widget (control);
    attach_row (GTK_GRID (self), preview_controls[i], control->widget);
    if (strcmp (preview_controls[i], "b::qp") == 0)
      attach_commands (self);
  }
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    update_control (&self->control[i]);
  g_signal_connect_swapped (session, "changed", G_CALLBACK (control_changed),
      self);
  return GTK_WIDGET (self);
}

void
preview_panel_show_frame (PreviewPanel * self, const GstStructure * figures)
{
  g_clear_pointer (&self->figures, gst_structure_free);
  self->figures = gst_structure_copy (figures);
  update_effects (self);
}
