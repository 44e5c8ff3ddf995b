/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "own-table.h"

#include <gio/gio.h>
#include <math.h>
#include <stdlib.h>
#include "../file.h"
#include "error.h"
#include "files.h"
#include "settings.h"
#include "write-jpeg.h"

#define MAX_STEP 255
/* Coefficients of 8 bits are smaller. */
#define MAX_COEFFICIENT 2047
#define N_TABLES 2

/* How often each magnitude of a frequency's coefficients occurs, and what each
 * of its squared errors weighs. */
typedef struct
{
  guint64 n[3][64][MAX_COEFFICIENT + 1];
  gdouble weight[3];
} Histogram;

/* Of a table's frequencies, at each step. */
typedef struct
{
  gdouble errors[64][MAX_STEP + 1], bits[64][MAX_STEP + 1];
} Curves;

/* A squared error of Cb or Cr in those of R, G and B, beside one of Y (JFIF's
 * matrix), for each pixel that it reaches. Interpolation between samples
 * spreads an error over two pixels, and halves what is not common to
 * neighbours: 1.6 is between noise's 1.25 and a slope's 2. */
static gdouble
find_weight (const BdctLayout * layout, gint component)
{
  static const gdouble rgb[3] = {
    1, (0.344 * 0.344 + 1.772 * 1.772) / 3, (0.714 * 0.714 + 1.402 * 1.402) / 3
  };
  const gint halves = layout->chroma == BDCT_CHROMA_420 ? 2
      : layout->chroma == BDCT_CHROMA_444 ? 0 : 1;

  return component == 0 ? 1 : rgb[component] * pow (1.6, halves);
}

static gboolean
count (Histogram * histogram, const gchar * path, const MeasurePlan * plan,
    gint limit, GError ** error)
{
  const BdctParams initial = BDCT_PARAMS_DEFAULT;
  BdctJobInfo job = {.size = sizeof job };
  BdctParams params = initial;
  BdctLayout layout;
  int16_t *levels;

  /* With steps of 1 levels are coefficients. */
  params.n_steps = 64;
  for (guint k = 0; k < 64; k++)
    params.steps[k] = 1;
  levels = measure_find_levels (path, plan, &params, limit, &layout, &job,
      error);
  if (levels == NULL)
    return FALSE;
  if (layout.depth != 8)
    measure_fail (error, "its samples have more than 8 bits");
  for (guint c = 0; c < BDCT_MAX_COMPONENTS && layout.depth == 8; c++) {
    const gsize n = (gsize) job.grid[c].columns * job.grid[c].rows * 64;

    histogram->weight[c] = find_weight (&layout, c);
    for (gsize i = 0; i < n; i++)
      histogram->n[c][i % 64][MIN (abs (levels[job.first_level[c] + i]),
              MAX_COEFFICIENT)]++;
  }
  free (levels);
  return layout.depth == 8;
}

/* The bits of levels of which `n[i]` have the magnitude i: their entropy, and a
 * sign each. */
static gdouble
find_entropy (const guint64 * n, gint max)
{
  gdouble sum = 0, bits = 0;

  for (gint i = 0; i <= max; i++)
    sum += n[i];
  for (gint i = 0; i <= max; i++)
    if (n[i] > 0)
      bits += n[i] * (log2 (sum / n[i]) + (i > 0));
  return bits;
}

/* Compute the curves of a table, which components `first` to `last` have. */
static void
find_curves (Curves * curves, const Histogram * histogram, gint first,
    gint last)
{
  for (guint k = 0; k < 64; k++)
    for (gint step = 1; step <= MAX_STEP; step++) {
      guint64 n[MAX_COEFFICIENT + 1] = { 0 };
      gdouble errors = 0;

      for (gint c = first; c <= last; c++)
        for (gint i = 0; i <= MAX_COEFFICIENT; i++) {
          const guint64 here = histogram->n[c][k][i];
          const gint level = (2 * i + step) / (2 * step);
          const gint e = i - level * step;

          if (here == 0)
            continue;
          errors += histogram->weight[c] * here * e * e;
          n[level] += here;
        }
      curves->errors[k][step] = errors;
      curves->bits[k][step] = find_entropy (n, MAX_COEFFICIENT / step + 1);
    }
}

/* The best steps at a price of a bit. */
static void
choose (const Curves curves[N_TABLES], gdouble price, gint steps[128])
{
  for (guint i = 0; i < 128; i++) {
    const gdouble *errors = curves[i / 64].errors[i % 64];
    const gdouble *bits = curves[i / 64].bits[i % 64];

    steps[i] = 1;
    for (gint step = 2; step <= MAX_STEP; step++)
      if (errors[step] + price * bits[step] < errors[steps[i]]
          + price * bits[steps[i]])
        steps[i] = step;
  }
}

static gdouble
sum_up (const Curves curves[N_TABLES], const gint steps[128], gdouble * bits)
{
  gdouble errors = 0;

  *bits = 0;
  for (guint i = 0; i < 128; i++) {
    errors += curves[i / 64].errors[i % 64][steps[i]];
    *bits += curves[i / 64].bits[i % 64][steps[i]];
  }
  return errors;
}

/* Find the highest price at which steps have no more errors than these. */
static void
search (const Curves curves[N_TABLES], gint steps[128], gdouble * saved)
{
  gdouble low = 1e-6, high = 1e9, before, after;
  const gdouble goal = sum_up (curves, steps, &before);

  for (guint round = 0; round < 60; round++) {
    const gdouble price = sqrt (low * high);

    choose (curves, price, steps);
    if (sum_up (curves, steps, &after) > goal)
      high = price;
    else
      low = price;
  }
  choose (curves, low, steps);
  sum_up (curves, steps, &after);
  *saved = before > 0 ? 1 - after / before : 0;
}

/* Find luma's and chroma's steps for the pictures that a plan begins with, all
 * together: with the squared errors of `params`' quality, in R, G and B, and
 * the fewest bits. `saved` is the part of the levels' entropy that they
 * save. */
static gboolean
find_tables (const GArray * files, const MeasurePlan * plan, gint limit,
    BdctParams * params, gdouble * saved, GError ** error)
{
  Histogram *histogram = g_new0 (Histogram, 1);
  Curves *curves = g_new0 (Curves, N_TABLES);
  guint16 steps[2][64];
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < files->len; i++) {
    const MeasureFile *file = &g_array_index (files, MeasureFile, i);

    ok = count (histogram, file->path, plan, limit, error);
    if (!ok)
      g_prefix_error (error, "%s: ", file->name);
  }
  if (ok) {
    find_curves (&curves[0], histogram, 0, 0);
    find_curves (&curves[1], histogram, 1, 2);
    measure_jpeg_steps (params, steps);
    for (guint i = 0; i < 128; i++)
      params->steps[i] = steps[i / 64][i % 64];
    search (curves, params->steps, saved);
    params->n_steps = 128;
  }
  g_free (curves);
  g_free (histogram);
  return ok;
}

static gboolean
write_tables (const gchar * path, const BdctParams * params,
    GError ** error)
{
  GString *text = g_string_new
      ("# For cjpeg -qtables, without -quality, which would scale these.\n");
  gboolean ok;

  for (gint i = 0; i < params->n_steps; i++)
    g_string_append_printf (text, "%s%3d%s", i == 0 ? "# luma\n"
        : i == 64 ? "# chroma\n" : "", params->steps[i], i % 8 == 7 ? "\n"
        : " ");
  ok = file_write (path, text->str, text->len, error);
  g_string_free (text, TRUE);
  return ok;
}

gboolean
measure_own_table_run (const MeasureOptions * options, const GArray * files,
    GError ** error)
{
  const GArray *settings = options->plan.settings;
  BdctParams params = g_array_index (settings, BdctParams, 0);
  gdouble saved;

  if (settings->len != 1 || params.transform != BDCT_JPEG_8X8)
    return measure_fail (error, "--own-table needs one --quality of jpeg-8x8, "
        "whose error it keeps");
  if (options->write_jpeg != NULL && files->len != 1)
    return measure_fail (error, "--write-jpeg writes one picture: name one "
        "file");
  if (!find_tables (files, &options->plan, options->stall_limit, &params,
          &saved, error)
      || !write_tables (options->own_table, &params, error))
    return FALSE;
  g_print ("%s: %.1f %% fewer bits, by their entropy, than annex-k at "
      "quality %d with the same error\n", options->own_table, 100 * saved,
      params.quality);
  return options->write_jpeg == NULL || measure_write_jpeg (options->write_jpeg,
      g_array_index (files, MeasureFile, 0).path, &options->plan, &params,
      options->stall_limit, error);
}
