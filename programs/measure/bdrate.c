/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bdrate.h"

#include <math.h>
#include <string.h>

/* The number of a cubic's coefficients. */
#define N 4

/* PSNR and the metrics. */
#define N_RATES (1 + BDCT_N_METRICS)

/* The curve of a transform or an encoder for a file and a format; or the
 * results of all files. */
typedef struct
{
  const MeasureRow *first;
  GArray *rows;                 /* MeasureRow */
  guint n_files;
  gdouble rate[N_RATES];        /* the sum over files; NAN: none */
  guint n_rates[N_RATES];       /* the number of files in it */
} Series;

/* Quality, shifted and scaled to about -1 to 1, so that sums of its powers keep
 * their precision. */
typedef struct
{
  gdouble middle, half;
} Scale;

/* The quality of a row's point; FALSE: it has none. */
static gboolean
get_quality (const MeasureRow * row, gint metric, gdouble * quality)
{
  *quality = measure_row_quality (row, metric);
  return isfinite (*quality) && row->count[MEASURE_BITS] > 0;
}

static guint
find_range (const GArray * rows, gint metric, gdouble * min, gdouble * max)
{
  guint n = 0;
  gdouble x;

  *min = INFINITY;
  *max = -INFINITY;
  for (guint i = 0; i < rows->len; i++)
    if (get_quality (&g_array_index (rows, MeasureRow, i), metric, &x)) {
      *min = MIN (*min, x);
      *max = MAX (*max, x);
      n++;
    }
  return n;
}

/* Gaussian elimination with pivoting; FALSE if there is no unique solution. */
static gboolean
solve (gdouble a[N][N + 1], gdouble x[N])
{
  for (guint c = 0; c < N; c++) {
    guint pivot = c;

    for (guint r = c + 1; r < N; r++)
      if (fabs (a[r][c]) > fabs (a[pivot][c]))
        pivot = r;
    if (fabs (a[pivot][c]) < 1e-12)
      return FALSE;
    for (guint k = 0; k <= N; k++) {
      gdouble swapped = a[c][k];

      a[c][k] = a[pivot][k];
      a[pivot][k] = swapped;
    }
    for (guint r = 0; r < N; r++) {
      gdouble times = r != c ? a[r][c] / a[c][c] : 0.0;

      for (guint k = c; k <= N; k++)
        a[r][k] -= times * a[c][k];
    }
  }
  for (guint i = 0; i < N; i++)
    x[i] = a[i][N] / a[i][i];
  return TRUE;
}

/* Fit the cubic that maps quality to log10 of bits a sample. */
static gboolean
fit (const GArray * rows, gint metric, const Scale * scale, gdouble cubic[N])
{
  gdouble a[N][N + 1] = { {0.0} }, x;

  for (guint i = 0; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);

    if (!get_quality (row, metric, &x))
      continue;
    x = (x - scale->middle) / scale->half;
    for (guint r = 0; r < N; r++) {
      for (guint c = 0; c < N; c++)
        a[r][c] += pow (x, r + c);
      a[r][N] += pow (x, r) * log10 (measure_row_bpp (row));
    }
  }
  return solve (a, cubic);
}

/* Whether bits rise with quality: where a cubic turns back, its mean says
 * nothing. */
static gboolean
is_rising (const gdouble cubic[N], gdouble low, gdouble high)
{
  const gdouble turn = cubic[3] != 0.0 ? -cubic[2] / (3 * cubic[3]) : low;
  const gdouble x[] = { low, high, CLAMP (turn, low, high) };

  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    if (cubic[1] + 2 * cubic[2] * x[i] + 3 * cubic[3] * x[i] * x[i] <= 0.0)
      return FALSE;
  return TRUE;
}

static gdouble
integrate (const gdouble cubic[N], gdouble low, gdouble high)
{
  gdouble area = 0.0;

  for (guint i = 0; i < N; i++)
    area += cubic[i] * (pow (high, i + 1) - pow (low, i + 1)) / (i + 1);
  return area;
}

/* The difference in bits by a metric, -1 for PSNR; NAN: none. */
static gdouble
get_rate (const GArray * reference, const GArray * rows, gint metric)
{
  const GArray *curves[] = { reference, rows };
  gdouble min[2], max[2], areas[2];
  gdouble low, high;

  for (guint i = 0; i < 2; i++)
    if (find_range (curves[i], metric, &min[i], &max[i]) < N)
      return NAN;
  low = MAX (min[0], min[1]);
  high = MIN (max[0], max[1]);
  if (low >= high)
    return NAN;
  for (guint i = 0; i < 2; i++) {
    const Scale scale = { (min[i] + max[i]) / 2, (max[i] - min[i]) / 2 };
    const gdouble from = (low - scale.middle) / scale.half;
    const gdouble to = (high - scale.middle) / scale.half;
    gdouble cubic[N];

    if (!fit (curves[i], metric, &scale, cubic)
        || !is_rising (cubic, from, to))
      return NAN;
    /* An integral over the scaled quality; divided by its range it is a
     * mean. */
    areas[i] = integrate (cubic, from, to) * scale.half / (high - low);
  }
  return 100.0 * (pow (10.0, areas[1] - areas[0]) - 1.0);
}

/* The table */

static void
free_series (gpointer data)
{
  Series *series = data;

  g_array_unref (series->rows);
  g_free (series);
}

static gboolean
is_same_file (const MeasureRow * a, const MeasureRow * b)
{
  return a->file == b->file && a->format == b->format;
}

static Series *
add_series (GPtrArray * all, const MeasureRow * first)
{
  Series *series = g_new0 (Series, 1);

  series->first = first;
  series->rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  g_ptr_array_add (all, series);
  return series;
}

/* The series of all files, in the order of the rows. */
static GPtrArray *
make_series (const GArray * rows)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (free_series);
  Series *series = NULL;

  for (guint i = 0; i < rows->len; i++) {
    const MeasureRow *row = &g_array_index (rows, MeasureRow, i);

    if (series == NULL || !is_same_file (series->first, row)
        || !measure_row_same_series (series->first, row))
      series = add_series (all, row);
    g_array_append_val (series->rows, *row);
  }
  return all;
}

/* The sums of a series over all files. */
static Series *
find_sums (GPtrArray * sums, const MeasureRow * first)
{
  for (guint i = 0; i < sums->len; i++) {
    Series *sum = sums->pdata[i];

    if (measure_row_same_series (sum->first, first)
        && sum->first->format == first->format)
      return sum;
  }
  return add_series (sums, first);
}

/* Compare each series with the first one, `reference`, of its own file, which
 * precedes it; and add up the results. */
static GPtrArray *
compare_series (GPtrArray * all, const MeasureRow * reference)
{
  GPtrArray *sums = g_ptr_array_new_with_free_func (free_series);
  const Series *head = NULL;

  for (guint i = 0; i < all->len; i++) {
    Series *series = all->pdata[i], *sum;

    if (measure_row_same_series (series->first, reference)) {
      head = series;
      continue;
    }
    sum = find_sums (sums, series->first);
    sum->n_files++;
    for (gint m = -1; m < BDCT_N_METRICS; m++) {
      gdouble rate = head != NULL && is_same_file (head->first, series->first)
          ? get_rate (head->rows, series->rows, m) : NAN;

      series->rate[m + 1] = rate;
      series->n_rates[m + 1] = 1;
      if (isnan (rate))
        continue;
      sum->rate[m + 1] += rate;
      sum->n_rates[m + 1]++;
    }
  }
  return sums;
}

static void
append_series (GString * text, const Series * series, gint width,
    guint metrics)
{
  g_string_append_printf (text, "%-*s %-9s", width,
      measure_row_name (series->first), series->first->format);
  for (gint m = -1; m < BDCT_N_METRICS; m++) {
    gdouble rate = series->rate[m + 1] / series->n_rates[m + 1];

    if (m >= 0 && !(metrics >> m & 1))
      continue;
    if (isnan (rate))
      g_string_append_printf (text, " %9s", "-");
    else
      g_string_append_printf (text, " %+8.2f%%", rate);
  }
}

/* Whether a row is an encoder's. */
static gboolean
is_any_encoded (const GArray * rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, MeasureRow, i).encoder != NULL)
      return TRUE;
  return FALSE;
}

gchar *
measure_bd_rates (const GArray * rows)
{
  guint metrics = measure_rows_metrics (rows);
  const MeasureRow *reference = &g_array_index (rows, MeasureRow, 0);
  GPtrArray *all, *sums;
  gint width = 12;              /* of names, as in the table above */
  GString *text;

  if (!is_any_encoded (rows))
    return NULL;
  all = make_series (rows);
  sums = compare_series (all, reference);
  text = g_string_new (NULL);
  for (guint i = 0; i < sums->len; i++)
    width = MAX (width, (gint) strlen (measure_row_name (((Series *)
                    sums->pdata[i])->first)));
  g_string_append_printf (text, "\nBD-rate against %s\n%-*s %-9s %9s",
      measure_row_name (reference), width, "", "format", "psnr");
  for (gint m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1)
      g_string_append_printf (text, " %9s", measure_metrics_label (m));
  g_string_append (text, "  file\n");
  for (guint i = 0; i < all->len; i++) {
    const Series *series = all->pdata[i];

    if (measure_row_same_series (series->first, reference))
      continue;
    append_series (text, series, width, metrics);
    g_string_append_printf (text, "  %s\n", series->first->file);
  }
  for (guint i = 0; i < sums->len; i++) {
    const Series *sum = sums->pdata[i];

    if (sum->n_files < 2)
      continue;
    append_series (text, sum, width, metrics);
    g_string_append_printf (text, "  mean of %u files\n", sum->n_files);
  }
  if (sums->len == 0)
    g_string_truncate (text, 0);
  g_ptr_array_unref (all);
  g_ptr_array_unref (sums);
  return g_string_free (text, text->len == 0);
}
