/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "row.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include "settings.h"

/* The columns of counts. Bits are named for what they are. */
static const struct
{
  const gchar *name;
  MeasureCount count;
  enum { ANY, EXACT, ESTIMATE } bits;
} columns[] = {
  {"frames", MEASURE_FRAMES, ANY},
  {"samples-y", MEASURE_SAMPLES_Y, ANY},
  {"samples-u", MEASURE_SAMPLES_U, ANY},
  {"samples-v", MEASURE_SAMPLES_V, ANY},
  {"sse-y", MEASURE_SSE_Y, ANY},
  {"sse-u", MEASURE_SSE_U, ANY},
  {"sse-v", MEASURE_SSE_V, ANY},
  {"levels", MEASURE_LEVELS, ANY},
  {"nonzero-levels", MEASURE_NONZERO, ANY},
  {"bits-y", MEASURE_BITS_Y, EXACT},
  {"bits-u", MEASURE_BITS_U, EXACT},
  {"bits-v", MEASURE_BITS_V, EXACT},
  {"bits", MEASURE_BITS, EXACT},
  {"bits-optimized", MEASURE_BITS_OPTIMIZED, EXACT},
  {"file-size", MEASURE_FILE_SIZE, EXACT},
  {"file-size-optimized", MEASURE_FILE_SIZE_OPTIMIZED, EXACT},
  {"bits-estimated-y", MEASURE_BITS_Y, ESTIMATE},
  {"bits-estimated-u", MEASURE_BITS_U, ESTIMATE},
  {"bits-estimated-v", MEASURE_BITS_V, ESTIMATE},
  {"bits-estimated", MEASURE_BITS, ESTIMATE},
};

/* A column of a row. */
typedef struct
{
  const gchar *name;
  enum { NOTHING, STRING, WHOLE, REAL, BOOLEAN } type;
  const gchar *string;
  gint64 whole;                 /* or boolean */
  gdouble real;
} Cell;

typedef struct
{
  Cell cell[G_N_ELEMENTS (columns) + 20
      + 2 * BDCT_N_METRICS * (BDCT_METRIC_ALL + 1)];
  guint n;
} Cells;

gboolean
measure_row_set_stats (MeasureRow * row, const BdctStats * stats, gint64 frames)
{
  BdctCounters total = bdct_stats_total (stats);
  const BdctCounters *c = stats->component;
  guint64 count[MEASURE_N_COUNTS] = {
    frames, c[0].samples, c[1].samples, c[2].samples, c[0].sse, c[1].sse,
    c[2].sse, total.levels, total.nonzero, c[0].bits, c[1].bits, c[2].bits,
    total.bits, stats->bits_optimized, stats->file_size,
    stats->file_size_optimized
  };

  for (guint i = 0; i < MEASURE_N_COUNTS; i++) {
    if (count[i] > G_MAXINT64)
      return FALSE;
    row->count[i] = count[i];
  }
  return total.sse_high == 0 && total.sse <= G_MAXINT64;
}

gdouble
measure_row_psnr (const MeasureRow * row, gint plane)
{
  const gint64 *samples = &row->count[MEASURE_SAMPLES_Y];
  const gint64 *sse = &row->count[MEASURE_SSE_Y];
  BdctCounters counters = { 0 };

  for (gint p = 0; p < BDCT_MAX_COMPONENTS; p++)
    if (plane < 0 || p == plane) {
      counters.samples += samples[p];
      counters.sse += sse[p];
    }
  return bdct_psnr (bdct_mse (&counters), row->depth);
}

/* What the metrics' figures are made of. */
static void
get_stats (const MeasureRow * row, BdctStats * stats)
{
  *stats = (BdctStats) {
  .metrics = row->count[MEASURE_FRAMES] > 0 ? row->metrics.there : 0};
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++)
    stats->component[c].samples = row->count[MEASURE_SAMPLES_Y + c];
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      stats->metric[m][c] = measure_metrics_get (&row->metrics, m, c);
}

static gdouble
get_figure (const MeasureRow * row, const BdctStats * stats, guint metric,
    guint component)
{
  if (!bdct_metric_has_figure (stats, metric, component))
    return NAN;
  return bdct_metric_figure (stats, row->count[MEASURE_FRAMES], row->depth,
      metric, component);
}

gdouble
measure_row_quality (const MeasureRow * row, gint metric)
{
  BdctStats stats;

  if (metric < 0)
    return measure_row_psnr (row, -1);
  get_stats (row, &stats);
  return get_figure (row, &stats, metric, bdct_metric_main (metric));
}

gdouble
measure_row_bpp (const MeasureRow * row)
{
  gint64 samples = row->count[MEASURE_SAMPLES_Y];

  return samples ? (gdouble) row->count[MEASURE_BITS] / samples : 0.0;
}

gdouble
measure_row_size (const MeasureRow * row)
{
  return row->exact ? row->count[MEASURE_FILE_SIZE]
      : row->count[MEASURE_BITS] / 8.0;
}

/* Writing */

/* Whether the format has the plane that a count is of. */
static gboolean
has_plane (const MeasureRow * row, MeasureCount count)
{
  switch (count) {
    case MEASURE_SAMPLES_U:
    case MEASURE_SSE_U:
    case MEASURE_BITS_U:
      return row->count[MEASURE_SAMPLES_U] > 0;
    case MEASURE_SAMPLES_V:
    case MEASURE_SSE_V:
    case MEASURE_BITS_V:
      return row->count[MEASURE_SAMPLES_V] > 0;
    default:
      return TRUE;
  }
}

static gboolean
has_column (const MeasureRow * row, guint i)
{
  return has_plane (row, columns[i].count) && (columns[i].bits == ANY
      || row->exact == (columns[i].bits == EXACT));
}

static Cell *
add_cell (Cells * cells, const gchar * name)
{
  Cell *cell = &cells->cell[cells->n++];

  *cell = (Cell) {.name = name };
  return cell;
}

static void
add_string (Cells * cells, const gchar * name, const gchar * string)
{
  Cell *cell = add_cell (cells, name);

  cell->type = STRING;
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

static gdouble
get_nonzero (const MeasureRow * row)
{
  gint64 levels = row->count[MEASURE_LEVELS];

  return levels ? (gdouble) row->count[MEASURE_NONZERO] / levels : 0.0;
}

static const gchar *
name_sum (guint metric, guint component)
{
  gchar name[4 + BDCT_METRIC_FIELD] = "sum-";

  bdct_metric_field (metric, component, name + 4);
  return g_intern_string (name);
}

static const gchar *
name_figure (guint metric, guint component)
{
  gchar name[BDCT_METRIC_FIELD];

  bdct_metric_field (metric, component, name);
  return g_intern_string (name);
}

static void
add_sums (Cells * cells, const MeasureRow * row, const BdctStats * stats,
    guint metrics)
{
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      if (metrics >> m & 1 && bdct_metric_has (m, c))
        add_whole (cells, name_sum (m, c), bdct_metric_has_figure (stats, m,
                c), row->metrics.sum[m][c]);
}

static void
add_quality (Cells * cells, const MeasureRow * row, const BdctStats * stats,
    guint metrics)
{
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      if (metrics >> m & 1 && bdct_metric_has (m, c))
        add_real (cells, name_figure (m, c), bdct_metric_has_figure (stats, m,
                c), get_figure (row, stats, m, c));
}

static void
fill_cells (const MeasureRow * row, Cells * cells, guint metrics)
{
  static const gchar *psnr[] = { "psnr-y", "psnr-u", "psnr-v" };
  gboolean has_qp = measure_has_qp (row->transform);
  BdctStats stats;
  Cell *target;

  get_stats (row, &stats);

  cells->n = 0;
  add_string (cells, "file", row->file);
  add_string (cells, "transform", bdct_transform_info (row->transform)->name);
  add_whole (cells, "quality", !has_qp, row->setting);
  add_whole (cells, "qp", has_qp, row->setting);
  add_string (cells, "format", row->format);
  add_whole (cells, "width", TRUE, row->width);
  add_whole (cells, "height", TRUE, row->height);
  add_whole (cells, "depth", TRUE, row->depth);
  add_whole (cells, "frame", row->frame >= 0, row->frame);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    add_whole (cells, columns[i].name, has_column (row, i),
        row->count[columns[i].count]);
  add_sums (cells, row, &stats, metrics);
  for (guint p = 0; p < BDCT_MAX_COMPONENTS; p++)
    add_real (cells, psnr[p], has_plane (row, MEASURE_SAMPLES_Y + p),
        measure_row_psnr (row, p));
  add_real (cells, "psnr", TRUE, measure_row_psnr (row, -1));
  add_quality (cells, row, &stats, metrics);
  add_real (cells, "bpp", TRUE, measure_row_bpp (row));
  add_real (cells, "nonzero", TRUE, get_nonzero (row));
  target = add_cell (cells, "target-met");
  if (row->target != MEASURE_NO_TARGET) {
    target->type = BOOLEAN;
    target->whole = row->target == MEASURE_TARGET_MET;
  }
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
append_text (GString * text, const MeasureRow * row, guint metrics)
{
  static const gchar *targets[] = { "", "  missed", "  met" };

  g_string_append_printf (text, "%-12s %3d  %-9s ",
      bdct_transform_info (row->transform)->name, row->setting, row->format);
  if (row->frame < 0)
    g_string_append_printf (text, "%8" G_GINT64_FORMAT,
        row->count[MEASURE_FRAMES]);
  else
    g_string_append_printf (text, "#%-7" G_GINT64_FORMAT, row->frame);
  for (gint p = 0; p < BDCT_MAX_COMPONENTS; p++)
    if (has_plane (row, MEASURE_SAMPLES_Y + p))
      g_string_append_printf (text, " %6.2f", measure_row_psnr (row, p));
    else
      g_string_append_printf (text, " %6s", "");
  g_string_append_printf (text, " %6.2f", measure_row_psnr (row, -1));
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1)
      append_figure (text, row, m);
  g_string_append_printf (text, " %8.4f %12.0f %6.2f%%%s  %s\n",
      measure_row_bpp (row),
      measure_row_size (row), 100.0 * get_nonzero (row), targets[row->target],
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
        g_string_append_printf (text, " %9s", name_figure (m,
                bdct_metric_main (m)));
    g_string_append_printf (text, " %8s %12s %7s  %s\n", "bpp", "bytes",
        "nonzero", "file");
  } else if (style == MEASURE_CSV) {
    const MeasureRow row = {.depth = 8 };
    Cells cells;

    fill_cells (&row, &cells, metrics);
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
  Cells cells;

  fill_cells (row, &cells, metrics);
  if (style == MEASURE_TEXT)
    append_text (text, row, metrics);
  else if (style == MEASURE_CSV)
    append_csv (text, &cells);
  else
    append_json (text, &cells);
}

/* Reading */

/* A record's cells by their names; FALSE at the end of the whole records. */
typedef gboolean (*ReadFunc) (GHashTable * cells, const gchar ** at,
    const gchar * end, gpointer data);

static gboolean
read_csv_record (GPtrArray * record, const gchar ** at, const gchar * end)
{
  GString *cell = g_string_new (NULL);
  gboolean quoted = FALSE, whole = FALSE;
  const gchar *p = *at;

  g_ptr_array_set_size (record, 0);
  for (; p < end && !whole; p++) {
    if (*p == '"' && quoted && p + 1 < end && p[1] == '"') {
      g_string_append_c (cell, *p++);
    } else if (*p == '"') {
      quoted = !quoted;
    } else if (!quoted && (*p == ',' || *p == '\n')) {
      g_ptr_array_add (record, g_strdup (cell->str));
      g_string_truncate (cell, 0);
      whole = *p == '\n';
    } else if (quoted || *p != '\r') {
      g_string_append_c (cell, *p);
    }
  }
  g_string_free (cell, TRUE);
  if (whole)
    *at = p;
  return whole;
}

static gboolean
read_csv (GHashTable * cells, const gchar ** at, const gchar * end,
    gpointer data)
{
  GPtrArray *names = data;
  GPtrArray *record = g_ptr_array_new_with_free_func (g_free);
  gboolean whole = read_csv_record (record, at, end);

  for (guint i = 0; whole && i < MIN (record->len, names->len); i++)
    if (*(gchar *) record->pdata[i] != '\0')
      g_hash_table_insert (cells, g_strdup (names->pdata[i]),
          g_strdup (record->pdata[i]));
  g_ptr_array_unref (record);
  return whole;
}

static gboolean
read_json (GHashTable * cells, const gchar ** at, const gchar * end,
    gpointer data)
{
  const gchar *newline = memchr (*at, '\n', end - *at);
  JsonParser *parser;

  (void) data;
  if (newline == NULL)
    return FALSE;
  parser = json_parser_new ();
  if (json_parser_load_from_data (parser, *at, newline - *at, NULL)
      && json_parser_get_root (parser) != NULL
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser))) {
    JsonObject *object = json_node_get_object (json_parser_get_root (parser));
    GList *names = json_object_get_members (object);

    for (GList * l = names; l != NULL; l = l->next) {
      GValue value = G_VALUE_INIT;

      if (!JSON_NODE_HOLDS_VALUE (json_object_get_member (object, l->data)))
        continue;
      json_node_get_value (json_object_get_member (object, l->data), &value);
      if (G_VALUE_HOLDS_STRING (&value))
        g_hash_table_insert (cells, g_strdup (l->data),
            g_value_dup_string (&value));
      else if (G_VALUE_HOLDS_INT64 (&value))
        g_hash_table_insert (cells, g_strdup (l->data),
            g_strdup_printf ("%" G_GINT64_FORMAT, g_value_get_int64 (&value)));
      else if (G_VALUE_HOLDS_BOOLEAN (&value))
        g_hash_table_insert (cells, g_strdup (l->data),
            g_strdup (g_value_get_boolean (&value) ? "true" : "false"));
      g_value_unset (&value);
    }
    g_list_free (names);
  }
  g_object_unref (parser);
  *at = newline + 1;
  return TRUE;
}

static gboolean
get_range (GHashTable * cells, const gchar * name, gint64 min, gint64 max,
    gint64 * value)
{
  const gchar *text = g_hash_table_lookup (cells, name);

  return text != NULL
      && g_ascii_string_to_signed (text, 10, min, max, value, NULL);
}

static gboolean
get_whole (GHashTable * cells, const gchar * name, gint64 max, gint64 * value)
{
  return get_range (cells, name, 0, max, value);
}

static gboolean
get_int (GHashTable * cells, const gchar * name, gint max, gint * value)
{
  gint64 whole = 0;
  gboolean found = get_whole (cells, name, max, &whole);

  *value = whole;
  return found;
}

/* A row has a metric if it has its main figure's sum, and then all of them. */
static gboolean
get_metrics (GHashTable * cells, MeasureRow * row)
{
  BdctStats stats;

  for (guint m = 0; m < BDCT_N_METRICS; m++)
    if (g_hash_table_contains (cells, name_sum (m, bdct_metric_main (m))))
      row->metrics.there |= 1 << m;
  get_stats (row, &stats);
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      if (bdct_metric_has_figure (&stats, m, c)
          && !get_range (cells, name_sum (m, c), -G_MAXINT64, G_MAXINT64,
              &row->metrics.sum[m][c]))
        return FALSE;
  return TRUE;
}

static gboolean
make_row (GHashTable * cells, MeasureRow * row)
{
  const gchar *file = g_hash_table_lookup (cells, "file");
  const gchar *format = g_hash_table_lookup (cells, "format");
  const gchar *transform = g_hash_table_lookup (cells, "transform");
  const gchar *met = g_hash_table_lookup (cells, "target-met");

  *row = (MeasureRow) {.frame = -1 };
  if (file == NULL || format == NULL || transform == NULL)
    return FALSE;
  row->file = g_intern_string (file);
  row->format = g_intern_string (format);
  row->transform = measure_find_transform (transform);
  if (row->transform == BDCT_N_TRANSFORMS
      || !get_int (cells, measure_has_qp (row->transform) ? "qp" : "quality",
          100, &row->setting)
      || !get_int (cells, "width", BDCT_MAX_SIDE, &row->width)
      || !get_int (cells, "height", BDCT_MAX_SIDE, &row->height)
      || !get_int (cells, "depth", 12, &row->depth) || row->depth < 8)
    return FALSE;
  if (g_hash_table_contains (cells, "frame")
      && !get_whole (cells, "frame", G_MAXINT64, &row->frame))
    return FALSE;
  row->exact = g_hash_table_contains (cells, "file-size");
  if (met != NULL)
    row->target = strcmp (met, "true") == 0 ? MEASURE_TARGET_MET
        : MEASURE_TARGET_MISSED;
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (!get_whole (cells, columns[i].name, G_MAXINT64,
            &row->count[columns[i].count]) && has_column (row, i))
      return FALSE;
  return get_metrics (cells, row);
}

gboolean
measure_rows_read (GArray * rows, GArray * ends, const gchar * text,
    gsize length, GError ** error)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GHashTable *cells = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  const gchar *at = text, *end = text + length;
  gboolean json = length > 0 && *text == '{', ok = TRUE;
  ReadFunc read = json ? read_json : read_csv;

  if (!json)
    read_csv_record (names, &at, end);
  for (guint line = json ? 1 : 2; ok && read (cells, &at, end, names); line++) {
    gsize offset = at - text;
    MeasureRow row;

    ok = make_row (cells, &row);
    if (ok)
      g_array_append_val (rows, row);
    else
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "line %u is no row of blockdct-measure", line);
    if (ok && ends != NULL)
      g_array_append_val (ends, offset);
    g_hash_table_remove_all (cells);
  }
  g_hash_table_unref (cells);
  g_ptr_array_unref (names);
  return ok;
}
