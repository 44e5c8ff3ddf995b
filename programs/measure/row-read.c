/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads rows from CSV and JSON. */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include "row-columns.h"
#include "settings.h"
#include "target.h"

/* Read a record's cells by their names; FALSE after the last complete
 * record. */
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

/* A row that has the sum of a metric's main figure has to have all of the
 * metric's sums. */
static gboolean
get_metrics (GHashTable * cells, MeasureRow * row)
{
  BdctStats stats;

  for (guint m = 0; m < BDCT_N_METRICS; m++)
    if (g_hash_table_contains (cells, measure_name_sum (m,
                bdct_metric_info (m)->main)))
      row->metrics.there |= 1 << m;
  measure_row_get_stats (row, &stats);
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++)
      if (!isnan (measure_row_figure (row, &stats, m, c))
          && !get_range (cells, measure_name_sum (m, c), -G_MAXINT64,
              G_MAXINT64, &row->metrics.sum[m][c]))
        return FALSE;
  return TRUE;
}

/* Parse names of targets, joined by +. */
static guint
read_missed (const gchar * names)
{
  gchar **all = g_strsplit (names, "+", -1);
  guint missed = 0;

  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (g_strv_contains ((const gchar * const *) all, measure_keep_name (k)))
      missed |= 1 << k;
  g_strfreev (all);
  return missed;
}

static gboolean
make_row (GHashTable * cells, MeasureRow * row)
{
  const gchar *file = g_hash_table_lookup (cells, "file");
  const gchar *format = g_hash_table_lookup (cells, "format");
  const gchar *transform = g_hash_table_lookup (cells, "transform");
  const gchar *encoder = g_hash_table_lookup (cells, "encoder");
  const gchar *coded = g_hash_table_lookup (cells, "file-size-exact");
  const gchar *met = g_hash_table_lookup (cells, "target-met");
  const gchar *missed = g_hash_table_lookup (cells, "target-missed");

  *row = (MeasureRow) {
  .frame = -1};
  if (file == NULL || format == NULL
      || (transform == NULL) == (encoder == NULL))
    return FALSE;
  row->file = g_intern_string (file);
  row->format = g_intern_string (format);
  row->encoder = g_intern_string (encoder);
  row->transform = encoder != NULL ? BDCT_N_TRANSFORMS
      : measure_find_transform (transform);
  while (row->scale < ENCODER_N_SCALES && !get_int (cells,
          encoder_scale_name (row->scale), G_MAXINT, &row->setting))
    row->scale++;
  if (row->scale == ENCODER_N_SCALES || (encoder == NULL
          && (row->transform == BDCT_N_TRANSFORMS
              || row->scale != measure_scale (row->transform)))
      || !get_int (cells, "width", BDCT_MAX_SIDE, &row->width)
      || !get_int (cells, "height", BDCT_MAX_SIDE, &row->height)
      || !get_int (cells, "depth", 12, &row->depth) || row->depth < 8)
    return FALSE;
  if (g_hash_table_contains (cells, "frame")
      && !get_whole (cells, "frame", G_MAXINT64, &row->frame))
    return FALSE;
  row->exact = g_hash_table_contains (cells, "file-size");
  row->coded = g_strcmp0 (coded, "true") == 0;
  if (met != NULL)
    row->target = strcmp (met, "true") == 0 ? MEASURE_TARGET_MET
        : MEASURE_TARGET_MISSED;
  if (missed != NULL)
    row->missed = read_missed (missed);
  for (guint i = 0; i < MEASURE_N_COLUMNS; i++)
    if (!get_whole (cells, measure_columns[i].name, G_MAXINT64,
            &row->count[measure_columns[i].count])
        && measure_row_has_column (row, i))
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
          "line %u is not a row of blockdct-measure", line);
    if (ok && ends != NULL)
      g_array_append_val (ends, offset);
    g_hash_table_remove_all (cells);
  }
  g_hash_table_unref (cells);
  g_ptr_array_unref (names);
  return ok;
}
