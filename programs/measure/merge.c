/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "merge.h"

#include <gio/gio.h>

/* A row's position in a single run. Files and formats are in the order of their
 * first rows; frames precede their sums; transforms and settings are sorted by
 * number, as in measure_settings_new(); encoders follow, in the order of their
 * first rows. */
typedef struct
{
  MeasureRow row;
  guint file, format, encoder;
} Placed;

static gint
compare_placed (gconstpointer a, gconstpointer b)
{
  const Placed *p = a, *q = b;
  guint64 frame_p = p->row.frame, frame_q = q->row.frame;

#define COMPARE(a, b) if (a != b) return a < b ? -1 : 1
  COMPARE (p->file, q->file);
  COMPARE (p->format, q->format);
  COMPARE (frame_p, frame_q);   /* -1 comes last */
  COMPARE (p->row.transform, q->row.transform);
  COMPARE (p->encoder, q->encoder);
  COMPARE (p->row.scale, q->row.scale);
  COMPARE (p->row.setting, q->row.setting);
#undef COMPARE
  return 0;
}

/* The number of an interned name, from 0, in the order in which names are first
 * seen. */
static guint
find_place (GHashTable * places, const gchar * name)
{
  gpointer place;

  if (!g_hash_table_lookup_extended (places, name, NULL, &place)) {
    place = GUINT_TO_POINTER (g_hash_table_size (places));
    g_hash_table_insert (places, (gpointer) name, place);
  }
  return GPOINTER_TO_UINT (place);
}

gboolean
measure_row_add (MeasureRow * sum, const MeasureRow * row, GError ** error)
{
  gboolean fits = TRUE;

  if (sum->width != row->width || sum->height != row->height
      || sum->depth != row->depth || sum->exact != row->exact) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s has rows of %dx%d and of %dx%d: not segments of one file",
        row->file, sum->width, sum->height, row->width, row->height);
    return FALSE;
  }
  sum->coded = sum->coded && row->coded;
  /* A part without frames has no figures. */
  if (sum->count[MEASURE_FRAMES] == 0)
    sum->metrics = row->metrics;
  else if (row->count[MEASURE_FRAMES] > 0)
    fits = measure_metrics_add (&sum->metrics, &row->metrics);
  for (guint i = 0; i < MEASURE_N_COUNTS; i++)
    fits = !__builtin_add_overflow (sum->count[i], row->count[i],
        &sum->count[i]) && fits;
  if (!fits)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "a sum of %s does not fit into 63 bits", row->file);
  return fits;
}

static gint
compare_formats (gconstpointer a, gconstpointer b, gpointer places)
{
  const MeasureRow *p = a, *q = b;
  guint format_p = find_place (places, p->format);
  guint format_q = find_place (places, q->format);
  guint64 frame_p = p->frame, frame_q = q->frame;

  if (format_p != format_q)
    return format_p < format_q ? -1 : 1;
  return (frame_p > frame_q) - (frame_p < frame_q);     /* -1 comes last */
}

void
measure_rows_arrange (GArray * rows)
{
  GHashTable *places = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < rows->len; i++)
    find_place (places, g_array_index (rows, MeasureRow, i).format);
  g_array_sort_with_data (rows, compare_formats, places);       /* stable */
  g_hash_table_unref (places);
}

gboolean
measure_rows_merge (GArray * rows, GError ** error)
{
  GHashTable *places[3];        /* of files, of formats, of encoders */
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Placed));
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    places[i] = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);
    Placed placed = {.row = *row };

    placed.file = find_place (places[0], row->file);
    placed.format = find_place (places[1], row->format);
    placed.encoder = find_place (places[2], row->encoder);
    g_array_append_val (all, placed);
  }
  g_array_sort (all, compare_placed);
  g_array_set_size (rows, 0);
  for (guint i = 0; ok && i < all->len; i++) {
    const Placed *placed = &g_array_index (all, Placed, i);

    if (i > 0 && compare_placed (placed - 1, placed) == 0)
      ok = measure_row_add (&g_array_index (rows, MeasureRow, rows->len - 1),
          &placed->row, error);
    else
      g_array_append_val (rows, placed->row);
  }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    g_hash_table_unref (places[i]);
  g_array_unref (all);
  return ok;
}
