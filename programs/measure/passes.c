/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "passes.h"

#include "coder.h"
#include "merge.h"
#include "origin.h"

/* Send a file through an encoder at one value, and add to the result. FALSE:
 * the file cannot be measured any further. */
static gboolean
encode (const MeasureCoding * coding, MeasureSource * source,
    MeasureResult * result, GString * without, GString * lost)
{
  gboolean of_file = FALSE;
  GError *error = NULL;

  if (measure_coder_run (coding, source, result->rows, without, &of_file,
          &error))
    return TRUE;
  if (of_file)
    g_propagate_error (&result->error, g_steal_pointer (&error));
  if (error == NULL)
    return FALSE;
  g_string_append_printf (lost, "%s%s, %s %d: %s", lost->len > 0 ? "\n    "
      : "", coding->encoder->line, encoder_scale_name (coding->encoder->scale),
      coding->value, error->message);
  g_error_free (error);
  return TRUE;
}

/* Send a file through each encoder, at each of its values and in each format.
 * `source`, which is taken, may be open already for the first pass. */
static gboolean
encode_all (const MeasureOptions * o, MeasureCoding * coding,
    const gchar * path, MeasureSource * source, MeasureResult * result,
    GString * without, GString * lost)
{
  const GArray *encoders = o->plan.encoders, *formats = o->plan.formats;
  gboolean ok = TRUE;

  for (guint f = 0; f < MAX (formats->len, 1); f++) {
    const gsize before = without->len;

    coding->format = formats->len > 0 ? g_array_index (formats, GstVideoFormat,
        f) : GST_VIDEO_FORMAT_UNKNOWN;
    for (guint i = 0; i < encoders->len; i++) {
      coding->encoder = &g_array_index (encoders, MeasureEncoder, i);
      for (guint k = 0; ok && k < coding->encoder->values->len; k++) {
        coding->value = g_array_index (coding->encoder->values, gint, k);
        if (source == NULL)
          source = measure_source_new (path, o->stall_limit);
        /* Each pass repeats the same lines for a format. */
        g_string_truncate (without, before);
        ok = encode (coding, source, result, without, lost);
        g_clear_pointer (&source, measure_source_free);
        coding->pass++;
      }
    }
  }
  return ok;
}

void
measure_passes_run (const MeasureOptions * o, MeasureBench * bench,
    MeasureSource * source, const MeasureFile * file, gint * stop,
    gint * progress, MeasureResult * result)
{
  const MeasurePlan *plan = &o->plan;
  const gboolean transforms = plan->settings->len > 0;
  MeasureCoding coding = {.plan = plan,.file = file->name,
    .backend = o->backend,.threads = o->threads,
    .stall_limit = o->stall_limit,.stop = stop,.progress = progress,
    .pass = transforms,
    .n_passes = transforms + measure_encoders_count (plan->encoders)
        * MAX (plan->formats->len, 1)
  };
  GString *without = g_string_new (NULL), *lost = g_string_new (NULL);

  if (transforms) {
    result->origin = measure_origin_of_file (file->path);
    result->rows = measure_bench_run (bench, source, file->name,
        coding.n_passes, stop, progress, &result->without,
        result->origin == NULL ? &result->origin : NULL, &result->error);
    g_clear_pointer (&source, measure_source_free);
  } else {
    result->rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  }
  if (result->rows != NULL && plan->encoders->len > 0) {
    if (!encode_all (o, &coding, file->path, source, result, without, lost))
      g_clear_pointer (&result->rows, g_array_unref);
    else
      measure_rows_arrange (result->rows);
    if (result->rows != NULL && result->without == NULL && without->len > 0)
      result->without = g_strdup (without->str);
    if (result->rows != NULL && lost->len > 0)
      result->lost = g_strdup (lost->str);
  }
  g_string_free (without, TRUE);
  g_string_free (lost, TRUE);
}
