/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes rows as CSV, as JSON and for people. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include "row-columns.h"
#include "target.h"

/* A column of a row. */
typedef struct
{
  const gchar *name;
  enum
  { NOTHING, STRING, WHOLE, REAL, BOOLEAN } type;
  const gchar *string;
  gint64 whole;                 /* or boolean */
  gdouble real;
} Cell;

typedef struct
{
  Cell cell[MEASURE_N_COLUMNS + 20
      + 2 * BDCT_N_METRICS * (BDCT_METRIC_ALL + 1)];
  guint n;
} Cells;

static Cell *
add_cell (Cells * cells, const gchar * name)
{
  Cell *cell = &cells->cell[cells->n++];

  *cell = (Cell) {
  .name = name};
  return cell;
}

static void
add_string (Cells * cells, const gchar * name, const gchar * string)
{
  Cell *cell = add_cell (cells, name);

  cell->type = string != NULL ? STRING : NOTHING;
  cell->string = string;
}

static void
add_whole (Cells * cells, const gchar * name, gboolean there, gint64 whole)
{
  Cell *cell = add_cell (cells, name);

  cell->type = there ? WHOLE : NOTHING;
  cell->whole = whole;
}

static void
add_real (Cells * cells, const gchar * name, gboolean there, gdouble real)
{
  Cell *cell = add_cell (cells, name);

  cell->type = there ? REAL : NOTHING;
  cell->real = real;
}

static void
add_boolean (Cells * cells, const gchar * name, gboolean there, gboolean v)
{
  Cell *cell = add_cell (cells, name);

  cell->type = there ? BOOLEAN : NOTHING;
  cell->whole = v;
}

static gdouble
get_nonzero (const MeasureRow * row)
{
  gint64 levels = row->count[MEASURE_LEVELS];

  return levels ? (gdouble) row->count[MEASURE_NONZERO] / levels : 0.0;
}

/* The columns of the metrics: their sums, or their figures. */
static void
add_metrics (Cells * cells, const MeasureRow * row, guint metrics,
    gboolean sums)
{
  BdctStats stats;

  measure_row_get_stats (row, &stats);
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++) {
      const gdouble figure = measure_row_figure (row, &stats, m, c);

      if (!(metrics >> m & 1) || measure_name_figure (m, c) == NULL)
        continue;
      if (sums)
        add_whole (cells, measure_name_sum (m, c), !isnan (figure),
            row->metrics.sum[m][c]);
      else
        add_real (cells, measure_name_figure (m, c), !isnan (figure), figure);
    }
}

/* The missed targets, such as "psnr+size"; empty if there are none. */
static gchar *
name_missed (const MeasureRow * row)
{
  GString *names = g_string_new (NULL);

  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (row->missed >> k & 1)
      g_string_append_printf (names, "%s%s", names->len > 0 ? "+" : "",
          measure_keep_name (k));
  return g_string_free (names, FALSE);
}

/* Fill in a row's cells; `missed` comes from name_missed(). */
static void
fill_cells (const MeasureRow * row, const gchar * missed, Cells * cells,
    guint metrics)
{
  static const gchar *psnr[] = { "psnr-y", "psnr-u", "psnr-v" };
  gboolean encoded = row->encoder != NULL;

  cells->n = 0;
  add_string (cells, "file", row->file);
  add_string (cells, "transform", encoded ? NULL : measure_row_name (row));
  add_string (cells, "encoder", row->encoder);
  for (guint i = 0; i < ENCODER_N_SCALES; i++)
    add_whole (cells, encoder_scale_name (i), row->scale == i, row->setting);
  add_string (cells, "format", row->format);
  add_whole (cells, "width", TRUE, row->width);
  add_whole (cells, "height", TRUE, row->height);
  add_whole (cells, "depth", TRUE, row->depth);
  add_whole (cells, "frame", row->frame >= 0, row->frame);
  for (guint i = 0; i < MEASURE_N_COLUMNS; i++)
    add_whole (cells, measure_columns[i].name, measure_row_has_column (row, i),
        row->count[measure_columns[i].count]);
  add_metrics (cells, row, metrics, TRUE);
  for (guint p = 0; p < BDCT_MAX_COMPONENTS; p++)
    add_real (cells, psnr[p], measure_row_has_plane (row,
            MEASURE_SAMPLES_Y + p), measure_row_psnr (row, p));
  add_real (cells, "psnr", TRUE, measure_row_psnr (row, -1));
  add_metrics (cells, row, metrics, FALSE);
  add_real (cells, "bpp", TRUE, measure_row_bpp (row));
  add_real (cells, "nonzero", !encoded, get_nonzero (row));
  add_boolean (cells, "file-size-exact", row->exact, row->coded);
  add_boolean (cells, "target-met", row->target != MEASURE_NO_TARGET,
      row->target == MEASURE_TARGET_MET);
  add_string (cells, "target-missed", missed);
}

static void
append_quoted (GString * text, const gchar * string)
{
  if (string[strcspn (string, ",\"\r\n")] == '\0') {
    g_string_append (text, string);
    return;
  }
  g_string_append_c (text, '"');
  for (; *string; string++) {
    if (*string == '"')
      g_string_append_c (text, '"');
    g_string_append_c (text, *string);
  }
  g_string_append_c (text, '"');
}

static void
append_csv (GString * text, const Cells * cells)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < cells->n; i++) {
    const Cell *cell = &cells->cell[i];

    if (i > 0)
      g_string_append_c (text, ',');
    if (cell->type == STRING)
      append_quoted (text, cell->string);
    else if (cell->type == WHOLE)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, cell->whole);
    else if (cell->type == BOOLEAN)
      g_string_append (text, cell->whole ? "true" : "false");
    else if (cell->type == REAL)
      g_string_append (text, g_ascii_dtostr (number, sizeof number,
              cell->real));
  }
  g_string_append_c (text, '\n');
}

static void
append_json (GString * text, const Cells * cells)
{
  JsonBuilder *builder = json_builder_new ();
  JsonGenerator *generator = json_generator_new ();
  JsonNode *root;
  gchar *line;

  json_builder_begin_object (builder);
  for (guint i = 0; i < cells->n; i++) {
    const Cell *cell = &cells->cell[i];

    if (cell->type == NOTHING)
      continue;
    json_builder_set_member_name (builder, cell->name);
    if (cell->type == STRING)
      json_builder_add_string_value (builder, cell->string);
    else if (cell->type == WHOLE)
      json_builder_add_int_value (builder, cell->whole);
    else if (cell->type == BOOLEAN)
      json_builder_add_boolean_value (builder, cell->whole);
    else if (isinf (cell->real))        /* JSON has no such number */
      json_builder_add_null_value (builder);
    else
      json_builder_add_double_value (builder, cell->real);
  }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  line = json_generator_to_data (generator, NULL);
  g_string_append (text, line);
  g_string_append_c (text, '\n');
  g_free (line);
  json_node_unref (root);
  g_object_unref (generator);
  g_object_unref (builder);
}

/* A column for people: a metric's main figure. */
static void
append_figure (GString * text, const MeasureRow * row, guint metric)
{
  gdouble figure = measure_row_quality (row, metric);

  if (isnan (figure))
    g_string_append_printf (text, " %9s", "");
  else
    g_string_append_printf (text, " %9.*f",
        bdct_metric_info (metric)->in_db ? 4 : 6, figure);
}

static void
append_text (GString * text, const MeasureRow * row, const gchar * missed,
    guint metrics)
{
  static const gchar *targets[] = { "", "  missed ", "  met" };

  g_string_append_printf (text, "%-12s %3d  %-9s ",
      measure_row_name (row), row->setting, row->format);
  if (row->frame < 0)
    g_string_append_printf (text, "%8" G_GINT64_FORMAT,
        row->count[MEASURE_FRAMES]);
  else
    g_string_append_printf (text, "#%-7" G_GINT64_FORMAT, row->frame);
  for (gint p = 0; p < BDCT_MAX_COMPONENTS; p++)
    if (measure_row_has_plane (row, MEASURE_SAMPLES_Y + p))
      g_string_append_printf (text, " %6.2f", measure_row_psnr (row, p));
    else
      g_string_append_printf (text, " %6s", "");
  g_string_append_printf (text, " %6.2f", measure_row_psnr (row, -1));
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1)
      append_figure (text, row, m);
  g_string_append_printf (text, " %8.4f %12.0f", measure_row_bpp (row),
      measure_row_size (row));
  if (row->encoder == NULL)
    g_string_append_printf (text, " %6.2f%%", 100.0 * get_nonzero (row));
  else
    g_string_append_printf (text, " %7s", "");
  g_string_append_printf (text, "%s%s  %s\n", targets[row->target], missed,
      row->file);
}

void
measure_row_append_head (GString * text, MeasureStyle style, guint metrics)
{
  if (style == MEASURE_TEXT) {
    g_string_append_printf (text, "%-12s %3s  %-9s %8s %6s %6s %6s %6s",
        "transform", "set", "format", "frames", "Y dB", "U dB", "V dB", "dB");
    for (guint m = 0; m < BDCT_N_METRICS; m++)
      if (metrics >> m & 1)
        g_string_append_printf (text, " %9s", measure_name_figure (m,
                bdct_metric_info (m)->main));
    g_string_append_printf (text, " %8s %12s %7s  %s\n", "bpp", "bytes",
        "nonzero", "file");
  } else if (style == MEASURE_CSV) {
    const MeasureRow row = {.depth = 8 };
    Cells cells;

    fill_cells (&row, NULL, &cells, metrics);
    for (guint i = 0; i < cells.n; i++) {
      cells.cell[i].type = STRING;
      cells.cell[i].string = cells.cell[i].name;
    }
    append_csv (text, &cells);
  }
}

void
measure_row_append (GString * text, const MeasureRow * row, MeasureStyle style,
    guint metrics)
{
  gchar *missed = name_missed (row);
  Cells cells;

  fill_cells (row, *missed != '\0' ? missed : NULL, &cells, metrics);
  if (style == MEASURE_TEXT)
    append_text (text, row, missed, metrics);
  else if (style == MEASURE_CSV)
    append_csv (text, &cells);
  else
    append_json (text, &cells);
  g_free (missed);
}
