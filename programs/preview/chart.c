/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart.h"

#include <math.h>

void
preview_range_clear (PreviewRange * range)
{
  range->low = INFINITY;
  range->high = -INFINITY;
}

void
preview_range_add (PreviewRange * range, gdouble value)
{
  if (isfinite (value)) {
    range->low = MIN (range->low, value);
    range->high = MAX (range->high, value);
  }
}

/* The step of an axis: 1, 2 or 5 times a power of ten. */
static gdouble
get_step (const PreviewRange * range)
{
  gdouble least = (range->high - range->low) / 4;
  gdouble step = pow (10, floor (log10 (least)));

  return least <= step ? step : least <= 2 * step ? 2 * step
      : least <= 5 * step ? 5 * step : 10 * step;
}

void
preview_range_round (PreviewRange * range)
{
  gdouble step;

  if (range->low > range->high)
    *range = (PreviewRange) {
    0, 1};
  if (range->high - range->low < 1e-3 * MAX (fabs (range->high), 1e-3)) {
    range->high += 1e-3 * MAX (fabs (range->high), 1);
    range->low -= 1e-3 * MAX (fabs (range->low), 1);
  }
  step = get_step (range);
  range->low = step * floor (range->low / step);
  range->high = step * ceil (range->high / step);
}

gdouble
preview_chart_place (GtkWidget * widget, const PreviewRange * range,
    gdouble value)
{
  gdouble height = gtk_widget_get_allocated_height (widget);
  gdouble part = (range->high - value) / (range->high - range->low);

  if (isinf (value))
    return value > 0 ? PREVIEW_CHART_TOP - 4 : height - 2;
  return PREVIEW_CHART_TOP + part * (height - PREVIEW_CHART_TOP
      - PREVIEW_CHART_MARGIN);
}

gint
preview_chart_write (GtkWidget * widget, cairo_t * cr, gdouble x, gdouble y,
    gboolean right, const gchar * text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget,
      text);
  gint width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  cairo_move_to (cr, right ? x - width : x, y);
  pango_cairo_show_layout (cr, layout);
  return width;
}

void
preview_chart_draw (GtkWidget * widget, cairo_t * cr,
    const PreviewRange * range, const gchar * unit)
{
  gdouble width = gtk_widget_get_allocated_width (widget);
  gdouble step = get_step (range);
  gint left;

  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_paint (cr);
  cairo_set_line_width (cr, 1);
  for (gdouble v = range->low; v < range->high + step / 2; v += step) {
    gdouble y = floor (preview_chart_place (widget, range, v)) + 0.5;
    g_autofree gchar *text = g_strdup_printf ("%.4g %s",
        fabs (v) < step / 2 ? 0 : v, unit);

    cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
    left = 8 + preview_chart_write (widget, cr, 4, y - 9, FALSE, text);
    cairo_set_source_rgb (cr, 0.3, 0.3, 0.3);
    cairo_move_to (cr, left, y);
    cairo_line_to (cr, width, y);
    cairo_stroke (cr);
  }
}

/* The colours are bright enough for the background, and differ for people who
 * cannot tell red from green. */
void
preview_chart_set_colour (cairo_t * cr, guint i)
{
  static const gdouble rgb[][3] = {
    {0.99, 0.9, 0.14}, {0.9, 0.9, 0.9}, {0.34, 0.71, 0.91}, {0.84, 0.37, 0},
    {0, 0.75, 0.55}
  };

  cairo_set_source_rgb (cr, rgb[i][0], rgb[i][1], rgb[i][2]);
}
