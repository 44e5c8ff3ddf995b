/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plot.h"

#include <gio/gio.h>

#include "../file.h"
#include "merge.h"

#ifdef HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>

#define WIDTH 800
#define HEIGHT 500
#define LEFT 60
#define RIGHT 20
#define TOP 20
#define BOTTOM 50
#define FONT 13

/* Colours that most people can tell apart (Okabe and Ito, 2008), and one
 * more. */
static const gdouble colours[][3] = {
  {0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
  {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
  {0.45, 0.45, 0.45}, {0.00, 0.00, 0.00}, {0.60, 0.20, 0.20},
  {0.70, 0.68, 0.10}
};

/* A line: settings of one file and format, or of all. */
typedef struct
{
  GArray *rows;                 /* MeasureRow */
  guint colour;
  gboolean pooled;
  gchar *label;                 /* NULL: another line has the label */
} Curve;

typedef struct
{
  gdouble min[2], max[2];       /* bits a sample, figure */
  gdouble step[2];              /* of the grid */
  gint metric;                  /* of the figure; -1: PSNR */
} Axes;

static void
free_curve (gpointer data)
{
  Curve *curve = data;

  g_array_unref (curve->rows);
  g_free (curve->label);
  g_free (curve);
}

static gint
compare_bpp (gconstpointer a, gconstpointer b)
{
  gdouble p = measure_row_bpp (a), q = measure_row_bpp (b);

  return (p > q) - (p < q);
}

/* The curve of a key; if there is none, a new one. */
static Curve *
find_curve (GHashTable * by_key, GPtrArray * curves, gchar * key)
{
  Curve *curve = g_hash_table_lookup (by_key, key);

  if (curve == NULL) {
    curve = g_new0 (Curve, 1);
    curve->rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
    g_ptr_array_add (curves, curve);
    g_hash_table_insert (by_key, key, curve);
  } else {
    g_free (key);
  }
  return curve;
}

static gboolean
has_several (const GArray * rows, gboolean formats)
{
  const MeasureRow *first = &g_array_index (rows, MeasureRow, 0), *row;

  for (guint i = 1; i < rows->len; i++) {
    row = &g_array_index (rows, MeasureRow, i);
    if (g_strcmp0 (formats ? row->format : row->file, formats ? first->format
            : first->file) != 0)
      return TRUE;
  }
  return FALSE;
}

/* The lines of all files, and those of the pooled files, which are drawn on
 * top. */
static GPtrArray *
make_curves (const GArray * rows)
{
  GHashTable *by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  GHashTable *groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  GPtrArray *curves = g_ptr_array_new_with_free_func (free_curve);
  gboolean files = has_several (rows, FALSE);
  gboolean formats = has_several (rows, TRUE);

  for (gint pooled = 0; pooled <= files; pooled++)
    for (guint i = 0; i < rows->len; i++) {
      MeasureRow row = g_array_index (rows, MeasureRow, i);
      const gchar *name = measure_row_name (&row);
      gchar *group = g_strdup_printf ("%s %s", name, row.format);
      gpointer colour;
      Curve *curve;

      if (row.frame >= 0) {
        g_free (group);
        continue;
      }
      curve = find_curve (by_key, curves, g_strdup_printf ("%s %s", group,
              pooled ? "" : row.file));
      if (!g_hash_table_lookup_extended (groups, group, NULL, &colour)) {
        colour = GUINT_TO_POINTER (g_hash_table_size (groups));
        g_hash_table_insert (groups, g_strdup (group), colour);
      }
      curve->colour = GPOINTER_TO_UINT (colour);
      curve->pooled = pooled;
      if (curve->label == NULL && pooled == files)
        curve->label = g_strdup_printf ("%s%s%s", formats ? group : name,
            row.exact ? "" : ", estimated", files ? ", all files" : "");
      if (pooled) {             /* of different sizes */
        row.file = row.format;
        row.width = row.height = 0;
      }
      g_array_append_val (curve->rows, row);
      g_free (group);
    }
  for (guint i = 0; i < curves->len; i++) {
    Curve *curve = curves->pdata[i];

    measure_rows_merge (curve->rows, NULL);
    g_array_sort (curve->rows, compare_bpp);
  }
  g_hash_table_unref (by_key);
  g_hash_table_unref (groups);
  return curves;
}

/* A grid of about `wanted` lines, 1, 2 or 5 times a power of ten apart. */
static gdouble
choose_step (gdouble range, gint wanted)
{
  gdouble step = pow (10.0, floor (log10 (range / wanted)));
  gdouble times = range / wanted / step;

  return step * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

static gboolean
find_axes (const GArray * rows, gint metric, Axes * axes)
{
  /* The least range of an axis. */
  const gdouble least = metric < 0 || bdct_metric_info (metric)->in_db ? 1.0
      : 0.001;
  gboolean found = FALSE;

  *axes = (Axes) { {0.0, INFINITY}, {0.0, -INFINITY}, {0.0, 0.0}, metric };
  for (guint i = 0; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);
    gdouble quality = measure_row_quality (row, metric);

    if (row->frame >= 0 || !isfinite (quality))
      continue;
    axes->max[0] = MAX (axes->max[0], measure_row_bpp (row));
    axes->min[1] = MIN (axes->min[1], quality);
    axes->max[1] = MAX (axes->max[1], quality);
    found = TRUE;
  }
  if (!found || axes->max[0] <= 0.0)
    return FALSE;
  if (axes->max[1] - axes->min[1] < least)
    axes->max[1] = axes->min[1] + least;
  for (guint i = 0; i < 2; i++) {
    axes->step[i] = choose_step (axes->max[i] - axes->min[i], 8);
    axes->min[i] = floor (axes->min[i] / axes->step[i]) * axes->step[i];
    axes->max[i] = ceil (axes->max[i] / axes->step[i]) * axes->step[i];
  }
  return TRUE;
}

static gdouble
place (const Axes * axes, guint axis, gdouble value)
{
  gdouble share = (value - axes->min[axis]) / (axes->max[axis]
      - axes->min[axis]);

  return axis == 0 ? LEFT + share * (WIDTH - LEFT - RIGHT)
      : HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

/* Draw text whose start (`align` 0), middle (0.5) or end (1.0) is at `x`. */
static void
draw_text (cairo_t * cr, gdouble x, gdouble y, gdouble align,
    const gchar * text)
{
  cairo_text_extents_t extents;

  cairo_text_extents (cr, text, &extents);
  cairo_move_to (cr, x - align * extents.x_advance, y);
  cairo_show_text (cr, text);
}

static void
draw_grid (cairo_t * cr, const Axes * axes)
{
  gboolean in_db = axes->metric < 0 || bdct_metric_info (axes->metric)->in_db;
  gchar *title = g_strconcat (measure_metrics_label (axes->metric),
      in_db ? " (dB)" : "", NULL);

  for (guint axis = 0; axis < 2; axis++) {
    gint n = round ((axes->max[axis] - axes->min[axis]) / axes->step[axis]);
    gint digits = MAX (0, -floor (log10 (axes->step[axis]) + 1e-9));

    for (gint i = 0; i <= n; i++) {
      gdouble value = axes->min[axis] + i * axes->step[axis];
      gdouble at = place (axes, axis, value);
      gchar format[8], text[G_ASCII_DTOSTR_BUF_SIZE];

      g_snprintf (format, sizeof format, "%%.%df", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      cairo_set_source_rgb (cr, 0.87, 0.87, 0.87);
      cairo_set_line_width (cr, 1.0);
      cairo_move_to (cr, axis == 0 ? at : LEFT, axis == 0 ? TOP : at);
      cairo_line_to (cr, axis == 0 ? at : WIDTH - RIGHT,
          axis == 0 ? HEIGHT - BOTTOM : at);
      cairo_stroke (cr);
      cairo_set_source_rgb (cr, 0.2, 0.2, 0.2);
      if (axis == 0)
        draw_text (cr, at, HEIGHT - BOTTOM + 18, 0.5, text);
      else
        draw_text (cr, LEFT - 8, at + 4, 1.0, text);
    }
  }
  draw_text (cr, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, 0.5,
      "bits per luma sample");
  cairo_save (cr);
  cairo_translate (cr, 18, (TOP + HEIGHT - BOTTOM) / 2.0);
  cairo_rotate (cr, -G_PI / 2);
  draw_text (cr, 0, 0, 0.5, title);
  cairo_restore (cr);
  g_free (title);
}

static void
set_pen (cairo_t * cr, const Curve * curve, gboolean files)
{
  const gdouble *c = colours[curve->colour % G_N_ELEMENTS (colours)];

  cairo_set_source_rgba (cr, c[0], c[1], c[2],
      files && !curve->pooled ? 0.25 : 1.0);
  cairo_set_line_width (cr, curve->pooled ? 3.0 : files ? 1.0 : 2.0);
}

static void
draw_curves (cairo_t * cr, const GPtrArray * curves, const Axes * axes)
{
  gboolean files = ((Curve *) curves->pdata[curves->len - 1])->pooled;
  gdouble y = HEIGHT - BOTTOM - 14;

  for (guint i = 0; i < curves->len; i++) {
    const Curve *curve = curves->pdata[i];

    set_pen (cr, curve, files);
    cairo_new_path (cr);        /* cairo_show_text() leaves a current point */
    for (guint k = 0; k < curve->rows->len; k++) {
      const MeasureRow *row = &g_array_index (curve->rows, MeasureRow, k);
      gdouble quality = measure_row_quality (row, axes->metric);

      if (isfinite (quality))
        cairo_line_to (cr, place (axes, 0, measure_row_bpp (row)),
            place (axes, 1, quality));
    }
    cairo_stroke (cr);
  }
  for (guint i = curves->len; i-- > 0;) {
    const Curve *curve = curves->pdata[i];

    if (curve->label == NULL)
      continue;
    set_pen (cr, curve, files);
    cairo_move_to (cr, WIDTH - RIGHT - 40, y - 4);
    cairo_line_to (cr, WIDTH - RIGHT - 10, y - 4);
    cairo_stroke (cr);
    cairo_set_source_rgb (cr, 0.2, 0.2, 0.2);
    draw_text (cr, WIDTH - RIGHT - 48, y, 1.0, curve->label);
    y -= FONT + 5;
  }
}

gboolean
measure_plot_check (const gchar * path, GError ** error)
{
  if (g_str_has_suffix (path, ".svg") || g_str_has_suffix (path, ".png")
      || g_str_has_suffix (path, ".pdf"))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--plot: the name %s does not end in .svg, .png or .pdf", path);
  return FALSE;
}

static cairo_status_t
append (void *bytes, const unsigned char *data, unsigned int n)
{
  g_byte_array_append (bytes, data, n);
  return CAIRO_STATUS_SUCCESS;
}

gboolean
measure_plot_draw (const gchar * path, const GArray * rows, gint metric,
    GError ** error)
{
  GByteArray *bytes;
  gboolean ok, png = g_str_has_suffix (path, ".png");
  cairo_surface_t *surface;
  cairo_status_t status;
  GPtrArray *curves;
  cairo_t *cr;
  Axes axes;

  if (!find_axes (rows, metric, &axes)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s is not drawn: no row has a finite %s and bits", path,
        measure_metrics_label (metric));
    return FALSE;
  }
  curves = make_curves (rows);
  bytes = g_byte_array_new ();
  if (png)
    surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  else if (g_str_has_suffix (path, ".svg"))
    surface = cairo_svg_surface_create_for_stream (append, bytes, WIDTH,
        HEIGHT);
  else
    surface = cairo_pdf_surface_create_for_stream (append, bytes, WIDTH,
        HEIGHT);
  cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1.0, 1.0, 1.0);
  cairo_paint (cr);
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
      CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, FONT);
  draw_grid (cr, &axes);
  draw_curves (cr, curves, &axes);
  cairo_destroy (cr);
  if (png)
    status = cairo_surface_write_to_png_stream (surface, append, bytes);
  cairo_surface_finish (surface);
  if (!png || status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  g_ptr_array_unref (curves);
  ok = status == CAIRO_STATUS_SUCCESS;
  if (ok)
    ok = file_write (path, bytes->data, bytes->len, error);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", path,
        cairo_status_to_string (status));
  g_byte_array_unref (bytes);
  return ok;
}

#else

gboolean
measure_plot_check (const gchar * path, GError ** error)
{
  (void) path;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--plot: this blockdct-measure was built without cairo "
      "(Debian: libcairo2-dev)");
  return FALSE;
}

gboolean
measure_plot_draw (const gchar * path, const GArray * rows, gint metric,
    GError ** error)
{
  (void) rows;
  (void) metric;
  return measure_plot_check (path, error);
}
#endif
