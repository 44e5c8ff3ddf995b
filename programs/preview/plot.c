/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plot.h"

#include <math.h>

#define N_VALUES 300
#define MARGIN 10

struct _PreviewPlot
{
  GtkDrawingArea parent;
  gdouble value[N_VALUES];      /* a ring */
  guint first, n;
};

G_DEFINE_FINAL_TYPE (PreviewPlot, preview_plot, GTK_TYPE_DRAWING_AREA);

static gdouble
get_value (PreviewPlot * self, guint i)
{
  return self->value[(self->first + i) % N_VALUES];
}

/* Whole fives around the finite values, ten apart at least. */
static void
get_range (PreviewPlot * self, gdouble * low, gdouble * high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (guint i = 0; i < self->n; i++) {
    gdouble v = get_value (self, i);

    if (isfinite (v)) {
      *low = MIN (*low, v);
      *high = MAX (*high, v);
    }
  }
  if (*low > *high) {
    *low = 30;
    *high = 40;
  }
  *low = 5 * floor (*low / 5);
  *high = MAX (5 * ceil (*high / 5), *low + 10);
}

static void
draw_line (cairo_t * cr, PangoLayout * layout, gdouble y, gdouble width,
    gdouble value)
{
  gchar *text = g_strdup_printf ("%.0f dB", value);
  gint w, h;

  pango_layout_set_text (layout, text, -1);
  g_free (text);
  pango_layout_get_pixel_size (layout, &w, &h);
  cairo_set_source_rgb (cr, 0.35, 0.35, 0.35);
  cairo_move_to (cr, 0, floor (y) + 0.5);
  cairo_line_to (cr, width, floor (y) + 0.5);
  cairo_stroke (cr);
  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  cairo_move_to (cr, 4, MAX (y - h, 0));
  pango_cairo_show_layout (cr, layout);
}

static gboolean
draw (GtkWidget * widget, cairo_t * cr)
{
  PreviewPlot *self = PREVIEW_PLOT (widget);
  gdouble width = gtk_widget_get_allocated_width (widget), low, high;
  gdouble height = gtk_widget_get_allocated_height (widget);
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, NULL);

  get_range (self, &low, &high);
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  height -= 2 * MARGIN;
  cairo_set_line_width (cr, 1);
  for (gdouble v = low; v <= high; v += (high - low) / 2)
    draw_line (cr, layout, MARGIN + height * (high - v) / (high - low), width,
        v);
  g_object_unref (layout);
  /* The newest is at the right edge; what is identical, at the top. */
  for (guint i = 0; i < self->n; i++) {
    gdouble v = get_value (self, i);
    gdouble x = width - (self->n - 1 - i) * width / (N_VALUES - 1);
    gdouble y = isfinite (v) ? MARGIN + height * (high - v) / (high - low) : 2;

    i == 0 ? cairo_move_to (cr, x, y) : cairo_line_to (cr, x, y);
  }
  cairo_set_source_rgb (cr, 0.99, 0.9, 0.14);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  return FALSE;
}

static void
preview_plot_class_init (PreviewPlotClass * klass)
{
  GTK_WIDGET_CLASS (klass)->draw = draw;
}

static void
preview_plot_init (PreviewPlot * self)
{
  gtk_widget_set_size_request (GTK_WIDGET (self), -1, 120);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), "PSNR of the last frames");
}

GtkWidget *
preview_plot_new (void)
{
  return g_object_new (PREVIEW_TYPE_PLOT, NULL);
}

void
preview_plot_add (PreviewPlot * self, gdouble psnr, gboolean repeated)
{
  if (repeated && self->n > 0)
    self->n--;
  self->value[(self->first + self->n) % N_VALUES] = psnr;
  if (self->n < N_VALUES)
    self->n++;
  else
    self->first = (self->first + 1) % N_VALUES;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
