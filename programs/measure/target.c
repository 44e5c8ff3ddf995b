/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "target.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

/* A setting of a series, with its rows of one file or of all files. */
typedef struct
{
  GPtrArray *rows;              /* const MeasureRow */
  gint64 bits;
  gdouble figure[MEASURE_N_KEEPS];
} Candidate;

/* The settings to choose from: those of one series, for a file or for all
 * files. */
typedef struct
{
  GPtrArray *candidates;
  guint n_files;
  const Candidate *best;        /* NULL: no setting exists for all files */
} Choice;

static const struct
{
  const gchar *name;
  gboolean quality;
  gint metric;
} keeps[MEASURE_N_KEEPS] = {
  [MEASURE_KEEP_PSNR] = {"psnr", TRUE, -1},
  [MEASURE_KEEP_SSIM] = {"ssim", TRUE, BDCT_METRIC_SSIM},
  [MEASURE_KEEP_BPP] = {"bpp", FALSE, -1},
  [MEASURE_KEEP_SIZE] = {"size", FALSE, -1},
};

const gchar *
measure_keep_name (MeasureKeep keep)
{
  return keeps[keep].name;
}

gint
measure_keep_metric (MeasureKeep keep)
{
  return keeps[keep].metric;
}

gboolean
measure_target_parse (const gchar * text, gint * collection, GError ** error)
{
  guint64 percentile = 0;

  *collection = MEASURE_EACH_FILE;
  if (text == NULL)
    return TRUE;
  if (strcmp (text, "mean") == 0) {
    *collection = MEASURE_MEAN;
  } else if (strcmp (text, "min") == 0 || (*text == 'p'
          && g_ascii_string_to_unsigned (text + 1, 10, 1, 99, &percentile,
              NULL))) {
    *collection = percentile;
  } else {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--collection: '%s' is not mean, min or p1 to p99", text);
    return FALSE;
  }
  return TRUE;
}

static gboolean
has_limit (const MeasureTarget * target, gboolean quality)
{
  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (target->limit[k] > 0.0 && keeps[k].quality == quality)
      return TRUE;
  return FALSE;
}

gboolean
measure_target_is_set (const MeasureTarget * target)
{
  return has_limit (target, TRUE) || has_limit (target, FALSE);
}

gboolean
measure_target_check (const MeasureTarget * target, const GArray * rows,
    GError ** error)
{
  for (guint i = 0; i < rows->len
      && target->limit[MEASURE_KEEP_SIZE] > 0.0; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);

    if (!row->exact || row->coded)
      continue;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "--target-size: the file-size of %s comes from a model; measure it "
        "with --exact-size", row->file);
    return FALSE;
  }
  return TRUE;
}

/* Figures */

static gint
compare_figures (gconstpointer a, gconstpointer b)
{
  const gdouble *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

/* The mean of the files' figures, or, by nearest rank, a percentile. */
static gdouble
get_quality (const MeasureTarget * target, const GPtrArray * rows, gint metric)
{
  const guint n = rows->len;
  guint rank = 1;
  GArray *figures = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble sum = 0.0, figure;

  for (guint i = 0; i < n; i++) {
    figure = measure_row_quality (rows->pdata[i], metric);
    if (isnan (figure))         /* a row without the figure misses the target */
      figure = -INFINITY;
    sum += figure;
    g_array_append_val (figures, figure);
  }
  g_array_sort (figures, compare_figures);
  if (target->collection > 0)
    rank = (target->collection * n + 99) / 100;
  figure = g_array_index (figures, gdouble, rank - 1);
  if (target->collection == MEASURE_MEAN && figure > -INFINITY)
    figure = sum / n;
  g_array_unref (figures);
  return figure;
}

static void
add_up (const MeasureTarget * target, Candidate * candidate)
{
  gdouble size = 0.0, samples = 0.0;

  candidate->bits = 0;
  for (guint i = 0; i < candidate->rows->len; i++) {
    const MeasureRow *row = candidate->rows->pdata[i];

    candidate->bits += row->count[MEASURE_BITS];
    samples += row->count[MEASURE_SAMPLES_Y];
    size += measure_row_size (row);
  }
  candidate->figure[MEASURE_KEEP_SIZE] = size;
  candidate->figure[MEASURE_KEEP_BPP] = samples > 0.0
      ? candidate->bits / samples : 0.0;
  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (keeps[k].quality && target->limit[k] > 0.0)
      candidate->figure[k] = get_quality (target, candidate->rows,
          keeps[k].metric);
}

/* The fraction of a limit by which a candidate misses it; 0 if it meets the
 * target. */
static gdouble
get_lack (const MeasureTarget * target, const Candidate * candidate,
    MeasureKeep keep)
{
  gdouble limit = target->limit[keep], figure = candidate->figure[keep];

  if (!(limit > 0.0))
    return 0.0;
  return MAX ((keeps[keep].quality ? limit - figure : figure - limit) / limit,
      0.0);
}

static gdouble
get_most (const MeasureTarget * target, const Candidate * candidate,
    gboolean quality)
{
  gdouble most = 0.0;

  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (keeps[k].quality == quality)
      most = MAX (most, get_lack (target, candidate, k));
  return most;
}

static gboolean
is_finer (const Candidate * a, const Candidate * b)
{
  const MeasureRow *p = a->rows->pdata[0], *q = b->rows->pdata[0];

  return p->scale == ENCODER_QP ? p->setting < q->setting
      : p->setting > q->setting;
}

/* Whether `a` is a better choice than `b`. */
static gboolean
is_better (const MeasureTarget * target, const Candidate * a,
    const Candidate * b)
{
  for (gint quality = TRUE; quality >= FALSE; quality--) {
    gdouble p = get_most (target, a, quality);
    gdouble q = get_most (target, b, quality);

    if (p != q)
      return p < q;
  }
  if (!has_limit (target, TRUE))
    return is_finer (a, b);
  if (target->collection != MEASURE_EACH_FILE && a->bits != b->bits)
    return a->bits < b->bits;
  return is_finer (b, a);
}

/* Choices */

static void
free_candidate (gpointer data)
{
  Candidate *candidate = data;

  g_ptr_array_unref (candidate->rows);
  g_free (candidate);
}

static void
free_choice (gpointer data)
{
  Choice *choice = data;

  g_ptr_array_unref (choice->candidates);
  g_free (choice);
}

static const MeasureRow *
get_first (const Choice * choice)
{
  return ((Candidate *) choice->candidates->pdata[0])->rows->pdata[0];
}

/* Whether a file has several formats, which are then chosen for separately. */
static gboolean
are_formats_apart (const GArray * rows)
{
  for (guint i = 1; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);

    if (row->file == row[-1].file && row->format != row[-1].format)
      return TRUE;
  }
  return FALSE;
}

/* The choice that a row belongs to: the last one or, for a collection, any. */
static Choice *
find_choice (GPtrArray * choices, const MeasureRow * row, gboolean each_file,
    gboolean formats)
{
  Choice *choice;

  for (guint i = choices->len; i > 0; i--) {
    const MeasureRow *first = get_first (choices->pdata[i - 1]);

    if (measure_row_same_series (first, row)
        && (!each_file || first->file == row->file)
        && (!formats || first->format == row->format))
      return choices->pdata[i - 1];
    if (each_file)
      break;
  }
  choice = g_new0 (Choice, 1);
  choice->candidates = g_ptr_array_new_with_free_func (free_candidate);
  g_ptr_array_add (choices, choice);
  return choice;
}

static void
add_row (Choice * choice, const MeasureRow * row)
{
  Candidate *candidate = NULL;
  guint i = 0;

  for (; i < choice->candidates->len; i++) {
    candidate = choice->candidates->pdata[i];
    if (((MeasureRow *) candidate->rows->pdata[0])->setting == row->setting)
      break;
  }
  if (i == choice->candidates->len) {
    candidate = g_new0 (Candidate, 1);
    candidate->rows = g_ptr_array_new ();
    g_ptr_array_add (choice->candidates, candidate);
  }
  g_ptr_array_add (candidate->rows, (gpointer) row);
}

/* Take the best of the settings that exist for all of the choice's files, as an
 * encoder may have failed at others. */
static void
choose (const MeasureTarget * target, Choice * choice)
{
  GHashTable *files = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < choice->candidates->len; i++) {
    Candidate *candidate = choice->candidates->pdata[i];

    add_up (target, candidate);
    for (guint k = 0; k < candidate->rows->len; k++)
      g_hash_table_add (files, (gpointer) ((MeasureRow *)
              candidate->rows->pdata[k])->file);
  }
  choice->n_files = g_hash_table_size (files);
  g_hash_table_unref (files);
  for (guint i = 0; i < choice->candidates->len; i++) {
    const Candidate *candidate = choice->candidates->pdata[i];

    if (candidate->rows->len == choice->n_files && (choice->best == NULL
            || is_better (target, candidate, choice->best)))
      choice->best = candidate;
  }
}

/* Make all choices; `of` receives the choice of each row, NULL for rows of
 * single frames. */
static GPtrArray *
make_choices (const MeasureTarget * target, const GArray * rows,
    GPtrArray * of)
{
  GPtrArray *choices = g_ptr_array_new_with_free_func (free_choice);
  gboolean each_file = target->collection == MEASURE_EACH_FILE;
  gboolean formats = each_file || are_formats_apart (rows);

  for (guint i = 0; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);
    Choice *choice = row->frame >= 0 ? NULL : find_choice (choices, row,
        each_file, formats);

    if (choice != NULL)
      add_row (choice, row);
    g_ptr_array_add (of, choice);
  }
  for (guint i = 0; i < choices->len; i++)
    choose (target, choices->pdata[i]);
  return choices;
}

static guint
get_missed (const MeasureTarget * target, const Candidate * candidate)
{
  guint missed = 0;

  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (get_lack (target, candidate, k) > 0.0)
      missed |= 1 << k;
  return missed;
}

/* The format of all rows, or a text that says that there are several. */
static const gchar *
name_format (const Candidate * candidate)
{
  const MeasureRow *first = candidate->rows->pdata[0];

  for (guint i = 1; i < candidate->rows->len; i++)
    if (((MeasureRow *) candidate->rows->pdata[i])->format != first->format)
      return "several";
  return first->format;
}

static gchar *
name_statistic (const MeasureTarget * target)
{
  return target->collection == MEASURE_MEAN ? g_strdup ("mean")
      : target->collection == 0 ? g_strdup ("min")
      : g_strdup_printf ("p%d", target->collection);
}

/* Append a line about the targets that the best setting misses, if it misses
 * any. */
static void
tell_missed (const MeasureTarget * target, const Choice * choice,
    GString * text)
{
  const MeasureRow *row = get_first (choice);
  gchar *statistic = name_statistic (target);
  const gchar *before = "";
  guint missed;

  if (choice->best == NULL) {
    g_string_append_printf (text, "  %s: no setting was measured in all of %u "
        "files\n", measure_row_name (row), choice->n_files);
  } else if ((missed = get_missed (target, choice->best)) != 0) {
    row = choice->best->rows->pdata[0];
    g_string_append_printf (text, "  nearest is %s, %s, %s %d: ",
        measure_row_name (row), name_format (choice->best),
        encoder_scale_name (row->scale), row->setting);
    for (guint k = 0; k < MEASURE_N_KEEPS; k++) {
      if (!(missed >> k & 1))
        continue;
      g_string_append_printf (text, "%s%s%s%s is %.8g, %s %.8g", before,
          keeps[k].quality ? statistic : "", keeps[k].quality ? " " : "",
          keeps[k].name, choice->best->figure[k],
          keeps[k].quality ? "below" : "above", target->limit[k]);
      before = "; ";
    }
    g_string_append_c (text, '\n');
  }
  g_free (statistic);
}

GArray *
measure_target_choose (const MeasureTarget * target, const GArray * rows,
    GString * missed)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  GPtrArray *of = g_ptr_array_new ();
  GPtrArray *choices = make_choices (target, rows, of);

  for (guint i = 0; i < rows->len; i++) {
    MeasureRow row = g_array_index (rows, MeasureRow, i);
    const Choice *choice = of->pdata[i];

    if (choice == NULL || choice->best == NULL || row.setting
        != ((MeasureRow *) choice->best->rows->pdata[0])->setting)
      continue;
    row.missed = get_missed (target, choice->best);
    row.target = row.missed ? MEASURE_TARGET_MISSED : MEASURE_TARGET_MET;
    g_array_append_val (chosen, row);
  }
  for (guint i = 0; missed != NULL && i < choices->len; i++)
    tell_missed (target, choices->pdata[i], missed);
  g_ptr_array_unref (of);
  g_ptr_array_unref (choices);
  return chosen;
}

gchar *
measure_target_tell (const MeasureTarget * target, const GArray * chosen)
{
  GPtrArray *of = g_ptr_array_new ();
  GPtrArray *choices = make_choices (target, chosen, of);
  GString *text = g_string_new (NULL);
  gchar *statistic = name_statistic (target);

  g_string_append_printf (text, "\nOne setting for all files (%s)\n"
      "%-12s %3s  %-9s %8s", statistic, "transform", "set", "format", "files");
  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (keeps[k].quality && target->limit[k] > 0.0)
      g_string_append_printf (text, " %9s", keeps[k].name);
  g_string_append_printf (text, " %8s %12s\n", "bpp", "bytes");
  for (guint i = 0; i < choices->len; i++) {
    const Choice *choice = choices->pdata[i];
    const MeasureRow *row = get_first (choice);

    g_string_append_printf (text, "%-12s %3d  %-9s %8u",
        measure_row_name (row), row->setting, name_format (choice->best),
        choice->n_files);
    for (guint k = 0; k < MEASURE_N_KEEPS; k++)
      if (keeps[k].quality && target->limit[k] > 0.0)
        g_string_append_printf (text, " %9.4f", choice->best->figure[k]);
    g_string_append_printf (text, " %8.4f %12.0f  %s\n",
        choice->best->figure[MEASURE_KEEP_BPP],
        choice->best->figure[MEASURE_KEEP_SIZE],
        row->target == MEASURE_TARGET_MET ? "met" : "missed");
  }
  g_ptr_array_unref (of);
  g_ptr_array_unref (choices);
  g_free (statistic);
  return g_string_free (text, FALSE);
}
