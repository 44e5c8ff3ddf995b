/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bar.h"

/* ms between two updates of the time */
#define PERIOD 100

struct _PreviewBar
{
  GtkGrid parent;
  PreviewSession *session;
  GtkWidget *video, *seek, *clock, *buttons, *pause, *back, *step, *loop;
  GstClockTime from, to;        /* the marks */
  gboolean held;                /* the user drags the seek bar */
  gboolean updating;            /* the change comes from the pipeline */
  guint timer;
};

G_DEFINE_FINAL_TYPE (PreviewBar, preview_bar, GTK_TYPE_GRID);

static void
show_marks (PreviewBar * self)
{
  GtkScale *scale = GTK_SCALE (self->seek);
  GstClockTime from, to;

  preview_session_get_range (self->session, &from, &to);
  if (from == self->from && to == self->to)
    return;
  gtk_scale_clear_marks (scale);
  if (GST_CLOCK_TIME_IS_VALID (from))
    gtk_scale_add_mark (scale, from / (gdouble) GST_SECOND, GTK_POS_BOTTOM,
        "A");
  if (GST_CLOCK_TIME_IS_VALID (to))
    gtk_scale_add_mark (scale, to / (gdouble) GST_SECOND, GTK_POS_BOTTOM, "B");
  gtk_button_set_label (GTK_BUTTON (self->loop), GST_CLOCK_TIME_IS_VALID (to)
      ? "A-B" : GST_CLOCK_TIME_IS_VALID (from) ? "A-" : "Loop");
  self->from = from;
  self->to = to;
}

static void
show_time (PreviewBar * self, GstClockTime position, GstClockTime duration)
{
  gdouble now = position / (gdouble) GST_SECOND;
  gdouble all = duration / (gdouble) GST_SECOND;
  g_autofree gchar *text = g_strdup_printf ("%.2f of %.2f s", now, all);

  gtk_label_set_text (GTK_LABEL (self->clock), text);
  gtk_range_set_range (GTK_RANGE (self->seek), 0, all);
  if (!self->held)
    gtk_range_set_value (GTK_RANGE (self->seek), now);
}

/* Show the time, but not for a camera or a still picture. */
static gboolean
update (gpointer data)
{
  PreviewBar *self = data;
  GstClockTime position, duration;
  gboolean known = preview_session_get_time (self->session, &position,
      &duration);

  if (known)
    show_time (self, position, duration);
  gtk_widget_set_visible (self->seek, known);
  gtk_widget_set_visible (self->clock, known);
  gtk_widget_set_sensitive (self->back, known);
  gtk_widget_set_sensitive (self->loop, known);
  show_marks (self);
  self->updating = TRUE;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->pause),
      preview_session_is_paused (self->session));
  self->updating = FALSE;
  return G_SOURCE_CONTINUE;
}

/* The user has moved the slider. */
static gboolean
seek (GtkRange * range, GtkScrollType scroll, gdouble value, PreviewBar * self)
{
  GtkAdjustment *adjustment = gtk_range_get_adjustment (range);

  (void) scroll;
  value = CLAMP (value, 0, gtk_adjustment_get_upper (adjustment));
  preview_session_seek (self->session, value * GST_SECOND);
  return FALSE;
}

static gboolean
hold (GtkWidget * scale, GdkEvent * event, PreviewBar * self)
{
  (void) scale;
  self->held = event->type == GDK_BUTTON_PRESS;
  return FALSE;
}

static void
pause_toggled (GtkToggleButton * button, PreviewBar * self)
{
  if (!self->updating)
    preview_session_set_paused (self->session,
        gtk_toggle_button_get_active (button));
  gtk_widget_grab_focus (self->video);
}

static void
step (GtkWidget * button, PreviewBar * self)
{
  preview_session_step (self->session, button == self->back ? -1 : 1);
  update (self);
}

static void
mark (PreviewBar * self)
{
  preview_session_mark (self->session);
  update (self);
}

static GtkWidget *
add_button (PreviewBar * self, GtkWidget * button, const gchar * name,
    const gchar * about, GtkAccelGroup * keys, guint key)
{
  gtk_widget_set_name (button, name);
  gtk_widget_set_tooltip_text (button, about);
  atk_object_set_name (gtk_widget_get_accessible (button), name);
  gtk_widget_add_accelerator (button, "clicked", keys, key, 0,
      GTK_ACCEL_VISIBLE);
  preview_bar_append (self, button);
  return button;
}

static void
add_seek (PreviewBar * self)
{
  self->seek = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1,
      0.01);
  gtk_scale_set_draw_value (GTK_SCALE (self->seek), FALSE);
  gtk_widget_set_name (self->seek, "seek");
  atk_object_set_name (gtk_widget_get_accessible (self->seek), "time");
  gtk_widget_set_hexpand (self->seek, TRUE);
  gtk_widget_set_focus_on_click (self->seek, FALSE);
  gtk_widget_set_no_show_all (self->seek, TRUE);
  g_signal_connect (self->seek, "change-value", G_CALLBACK (seek), self);
  g_signal_connect (self->seek, "button-press-event", G_CALLBACK (hold), self);
  g_signal_connect (self->seek, "button-release-event", G_CALLBACK (hold),
      self);
  self->clock = gtk_label_new (NULL);
  gtk_widget_set_name (self->clock, "clock");
  gtk_widget_set_no_show_all (self->clock, TRUE);
  gtk_grid_attach (GTK_GRID (self), self->seek, 0, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (self), self->clock, 1, 0, 1, 1);
}

static void
dispose (GObject * object)
{
  PreviewBar *self = PREVIEW_BAR (object);

  if (self->timer != 0)
    g_source_remove (self->timer);
  self->timer = 0;
  G_OBJECT_CLASS (preview_bar_parent_class)->dispose (object);
}

static void
preview_bar_class_init (PreviewBarClass * klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
}

static void
preview_bar_init (PreviewBar * self)
{
  self->from = self->to = GST_CLOCK_TIME_NONE;
  gtk_grid_set_column_spacing (GTK_GRID (self), 6);
  gtk_widget_set_margin_bottom (GTK_WIDGET (self), 6);
}

GtkWidget *
preview_bar_new (PreviewSession * session, GtkAccelGroup * keys,
    GtkWidget * video)
{
  PreviewBar *self = g_object_new (PREVIEW_TYPE_BAR, NULL);

  self->session = session;
  self->video = video;
  self->buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  gtk_grid_attach (GTK_GRID (self), self->buttons, 0, 1, 2, 1);
  add_seek (self);
  self->back = add_button (self, gtk_button_new_from_icon_name
      ("media-skip-backward-symbolic", GTK_ICON_SIZE_BUTTON), "back",
      "The frame before, of what is paused (,)", keys, GDK_KEY_comma);
  self->pause = add_button (self, g_object_new (GTK_TYPE_TOGGLE_BUTTON,
          "image", gtk_image_new_from_icon_name
          ("media-playback-pause-symbolic", GTK_ICON_SIZE_BUTTON), NULL),
      "pause", "Pause, and play (p)", keys, GDK_KEY_p);
  self->step = add_button (self, gtk_button_new_from_icon_name
      ("media-skip-forward-symbolic", GTK_ICON_SIZE_BUTTON), "step",
      "The next frame, of what is paused (.)", keys, GDK_KEY_period);
  self->loop = add_button (self, gtk_button_new_with_label ("Loop"), "loop",
      "Repeat from this frame on; again: until this frame; again: no more (l)",
      keys, GDK_KEY_l);
  g_signal_connect (self->back, "clicked", G_CALLBACK (step), self);
  g_signal_connect (self->pause, "toggled", G_CALLBACK (pause_toggled), self);
  g_signal_connect (self->step, "clicked", G_CALLBACK (step), self);
  g_signal_connect_swapped (self->loop, "clicked", G_CALLBACK (mark), self);
  self->timer = g_timeout_add (PERIOD, update, self);
  return GTK_WIDGET (self);
}

/* A click does not take the keyboard focus from the picture. */
void
preview_bar_append (PreviewBar * self, GtkWidget * button)
{
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_box_pack_start (GTK_BOX (self->buttons), button, FALSE, FALSE, 0);
}
