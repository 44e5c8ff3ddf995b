/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plot.h"
#include "chart.h"
#include "figures.h"

#include <math.h>

#define N_FRAMES 300

typedef gdouble Frame[PREVIEW_N_FIGURES][PREVIEW_N_LINES];

struct _PreviewPlot
{
  GtkBox parent;
  GtkWidget *choice, *area;
  Frame *frame;                 /* a ring of N_FRAMES */
  guint first, n;
  guint offered;                /* a bit for each figure */
  guint shown;
};

G_DEFINE_FINAL_TYPE (PreviewPlot, preview_plot, GTK_TYPE_BOX);

static gdouble
get_value (PreviewPlot * self, guint i, guint line)
{
  return self->frame[(self->first + i) % N_FRAMES][self->shown][line];
}

/* Draw a line, with the newest frame at the right edge. Missing values are
 * gaps; B's line is dashed.
 */
static void
draw_line (PreviewPlot * self, cairo_t * cr, const PreviewRange * range,
    guint line)
{
  static const gdouble dash[] = { 4 };
  gdouble width = gtk_widget_get_allocated_width (self->area);

  cairo_new_path (cr);
  for (guint i = 0; i < self->n; i++) {
    gdouble v = get_value (self, i, line);
    gdouble x = width - (self->n - 1 - i) * width / (N_FRAMES - 1);

    if (isnan (v))
      cairo_new_sub_path (cr);
    else
      cairo_line_to (cr, x, preview_chart_place (self->area, range, v));
  }
  preview_chart_set_colour (cr, line);
  cairo_set_dash (cr, dash, line == PREVIEW_LINE_B, 0);
  cairo_stroke (cr);
}

static gboolean
draw (GtkWidget * area, cairo_t * cr, PreviewPlot * self)
{
  const PreviewFigure *figure = &preview_figures[self->shown];
  gdouble right = gtk_widget_get_allocated_width (area) - 4;
  PreviewRange range;

  preview_range_clear (&range);
  for (guint i = 0; i < self->n; i++)
    for (guint line = 0; line < PREVIEW_N_LINES; line++)
      preview_range_add (&range, get_value (self, i, line));
  preview_range_round (&range);
  preview_chart_draw (area, cr, &range, figure->unit);
  cairo_set_line_width (cr, 1.5);
  for (guint line = PREVIEW_N_LINES; line-- > 0;) {
    if (figure->field[line] == NULL || self->n == 0
        || isnan (get_value (self, self->n - 1, line)))
      continue;
    draw_line (self, cr, &range, line);
    right -= 8 + preview_chart_write (area, cr, right, 0, TRUE,
        figure->field[line]);
  }
  return FALSE;
}

static void
choose (GtkComboBox * box, PreviewPlot * self)
{
  const gchar *id = gtk_combo_box_get_active_id (box);

  for (guint i = 0; i < PREVIEW_N_FIGURES; i++)
    if (g_strcmp0 (id, preview_figures[i].name) == 0)
      self->shown = i;
  gtk_widget_queue_draw (self->area);
}

/* Offer the figures of the last frame alone. */
static void
offer (PreviewPlot * self, guint figures)
{
  GtkComboBoxText *box = GTK_COMBO_BOX_TEXT (self->choice);
  guint shown = figures & 1 << self->shown ? self->shown : 0;

  if (figures == self->offered)
    return;
  self->offered = figures;
  gtk_combo_box_text_remove_all (box);
  for (guint i = 0; i < PREVIEW_N_FIGURES; i++)
    if (figures & 1 << i)
      gtk_combo_box_text_append (box, preview_figures[i].name,
          preview_figures[i].name);
  gtk_combo_box_set_active_id (GTK_COMBO_BOX (box),
      preview_figures[shown].name);
}

static void
finalize (GObject * object)
{
  g_free (PREVIEW_PLOT (object)->frame);
  G_OBJECT_CLASS (preview_plot_parent_class)->finalize (object);
}

static void
preview_plot_class_init (PreviewPlotClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
preview_plot_init (PreviewPlot * self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self),
      GTK_ORIENTATION_VERTICAL);
  self->frame = g_new (Frame, N_FRAMES);
  self->choice = gtk_combo_box_text_new ();
  gtk_widget_set_name (self->choice, "figure");
  gtk_widget_set_focus_on_click (self->choice, FALSE);
  atk_object_set_name (gtk_widget_get_accessible (self->choice), "figure");
  g_signal_connect (self->choice, "changed", G_CALLBACK (choose), self);
  self->area = gtk_drawing_area_new ();
  gtk_widget_set_size_request (self->area, -1, 80);
  gtk_widget_set_tooltip_text (self->area, "The figures of the last frames");
  g_signal_connect (self->area, "draw", G_CALLBACK (draw), self);
  gtk_box_pack_start (GTK_BOX (self), self->choice, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (self), self->area, TRUE, TRUE, 0);
}

GtkWidget *
preview_plot_new (void)
{
  return g_object_new (PREVIEW_TYPE_PLOT, NULL);
}

void
preview_plot_add (PreviewPlot * self, const GstStructure * frame)
{
  guint figures = 0;
  Frame *to;

  if (gst_structure_has_field (frame, "repeated") && self->n > 0)
    self->n--;
  to = &self->frame[(self->first + self->n) % N_FRAMES];
  for (guint i = 0; i < PREVIEW_N_FIGURES; i++)
    for (guint line = 0; line < PREVIEW_N_LINES; line++) {
      const gchar *field = preview_figures[i].field[line];
      gdouble v = field == NULL ? NAN : preview_get_number (frame, field);

      (*to)[i][line] = v * preview_figures[i].scale;
      figures |= isnan (v) ? 0 : 1 << i;
    }
  if (self->n < N_FRAMES)
    self->n++;
  else
    self->first = (self->first + 1) % N_FRAMES;
  offer (self, figures);
  gtk_widget_queue_draw (self->area);
}
