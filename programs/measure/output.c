/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "encoder.h"
#include "settings.h"

/* The number of bytes from which a table is recognised. */
#define HEAD_SIZE (1 << 16)

struct _MeasureOutput
{
  gchar *path;
  FILE *file;
  MeasureStyle style;
  guint metrics;
};

static gboolean
set_error (const gchar * path, gint code, GError ** error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s",
      path, g_strerror (code));
  return FALSE;
}

static gboolean
write_text (MeasureOutput * output, GString * text, GError ** error)
{
  gboolean ok = fwrite (text->str, 1, text->len, output->file) == text->len
      && fflush (output->file) == 0;

  g_string_free (text, TRUE);
  return ok || set_error (output->path, errno, error);
}

/* Whether a file is empty, or has a table of this program, complete or
 * truncated. */
static gboolean
is_table (int fd)
{
  static const gchar *const starts[] = { "file,transform,", "{\"file\":" };
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  gchar *text = g_malloc (HEAD_SIZE);
  gssize n = pread (fd, text, HEAD_SIZE, 0);
  gboolean is = FALSE;

  for (guint i = 0; n >= 0 && i < G_N_ELEMENTS (starts); i++)
    is = is || strncmp (text, starts[i], MIN ((gsize) n,
            strlen (starts[i]))) == 0;
  is = is && measure_rows_read (rows, NULL, text, n, NULL);
  g_free (text);
  g_array_unref (rows);
  return is;
}

/* Open and lock a file without changing it, and check its content. A file that
 * is not regular, such as a pipe, counts as empty. */
static FILE *
open_table (const gchar * path, GError ** error)
{
  GStatBuf status;
  int fd;

  if (g_stat (path, &status) == 0 && !S_ISREG (status.st_mode)
      && !S_ISDIR (status.st_mode))
    return g_fopen (path, "w");
  fd = g_open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "another run is writing %s: wait for its end, or name another file",
        path);
    close (fd);
    return NULL;
  }
  return fd >= 0 ? fdopen (fd, "r+") : NULL;
}

static MeasureOutput *
open_output (const gchar * path, MeasureStyle style, guint metrics,
    GError ** error)
{
  GError *reason = NULL;
  FILE *file = strcmp (path, "-") == 0 ? stdout : open_table (path, &reason);
  MeasureOutput *output;

  if (file == NULL && reason == NULL)
    set_error (path, errno, &reason);
  if (file == NULL) {
    g_propagate_error (error, reason);
    return NULL;
  }
  output = g_new0 (MeasureOutput, 1);
  output->path = g_strdup (path);
  output->file = file;
  output->style = style;
  output->metrics = metrics;
  return output;
}

static gboolean
is_regular_file (const MeasureOutput * output)
{
  struct stat status;

  return output->file != stdout && fstat (fileno (output->file), &status) == 0
      && S_ISREG (status.st_mode);
}

/* Continue after `kept` bytes of a file; with 0, write the heading. */
static gboolean
start_at (MeasureOutput * output, gsize kept, GError ** error)
{
  GString *head = g_string_new (NULL);

  if (kept == 0)
    measure_row_append_head (head, output->style, output->metrics);
  if (is_regular_file (output) && (ftruncate (fileno (output->file), kept) != 0
          || fseeko (output->file, kept, SEEK_SET) != 0)) {
    g_string_free (head, TRUE);
    return set_error (output->path, errno, error);
  }
  return write_text (output, head, error);
}

MeasureOutput *
measure_output_new (const gchar * path, MeasureStyle style, guint metrics,
    GError ** error)
{
  MeasureOutput *output = open_output (path, style, metrics, error);
  gboolean ok = FALSE;

  if (output == NULL)
    return NULL;
  if (is_regular_file (output) && !is_table (fileno (output->file)))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s is not a table of blockdct-measure, and is not overwritten: remove "
        "it, or name another file", path);
  else
    ok = start_at (output, 0, error);
  if (!ok) {
    measure_output_close (output, NULL);
    return NULL;
  }
  return output;
}

gboolean
measure_output_write (MeasureOutput * output, const GArray * rows,
    GError ** error)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < rows->len; i++)
    measure_row_append (text, &g_array_index (rows, MeasureRow, i),
        output->style, output->metrics);
  return write_text (output, text, error);
}

gboolean
measure_output_close (MeasureOutput * output, GError ** error)
{
  gboolean ok = output->file == stdout || fclose (output->file) == 0
      || set_error (output->path, errno, error);

  g_free (output->path);
  g_free (output);
  return ok;
}

/* Resuming */

/* The expected sums of a file in one format: rows with transform or encoder,
 * and setting. */
static GArray *
list_expected (const MeasurePlan * plan, gboolean chosen)
{
  GArray *expected = g_array_new (FALSE, FALSE, sizeof (MeasureRow));

  for (guint i = 0; i < plan->settings->len; i++) {
    const BdctParams *params = &g_array_index (plan->settings, BdctParams, i);

    const MeasureRow row = {.transform = params->transform,
      .scale = measure_scale (params->transform),
      .setting = measure_setting (params)
    };

    if (!chosen || i == 0 || params->transform != params[-1].transform)
      g_array_append_val (expected, row);
  }
  for (guint i = 0; i < plan->encoders->len; i++) {
    const MeasureEncoder *e = &g_array_index (plan->encoders, MeasureEncoder,
        i);

    for (guint k = 0; k < (chosen ? 1 : e->values->len); k++) {
      const MeasureRow row = {.transform = BDCT_N_TRANSFORMS,
        .encoder = e->line,.scale = e->scale,
        .setting = g_array_index (e->values, gint, k)
      };

      g_array_append_val (expected, row);
    }
  }
  return expected;
}

/* Whether a name is the plan's format or, where the decoder chooses the format,
 * has its subsampling. */
static gboolean
is_format (const gchar * name, const MeasurePlan * plan, guint i)
{
  GstVideoFormat format = plan->formats->len > 0
      ? g_array_index (plan->formats, GstVideoFormat, i)
      : GST_VIDEO_FORMAT_RGB;

  return strcmp (name, measure_format_name (format, plan->subsampling)) == 0
      || (plan->formats->len == 0 && !g_str_has_prefix (name, "RGB "));
}

/* Whether a row is the n-th sum of a file. */
static gboolean
is_expected (const MeasureRow * row, guint n, const MeasurePlan * plan,
    const GArray * expected, gboolean chosen)
{
  const MeasureRow *wanted = &g_array_index (expected, MeasureRow,
      n % expected->len);

  return measure_row_same_series (row, wanted)
      && (chosen || row->setting == wanted->setting)
      && is_format (row->format, plan, n / expected->len);
}

static gboolean
is_encoders (guint n, const GArray * expected)
{
  return g_array_index (expected, MeasureRow, n % expected->len).encoder
      != NULL;
}

/* Compare a file's rows, from `first`, with the plan's. FALSE if they differ;
 * `*whole` if they are complete, or if only rows of encoders are missing and
 * another file follows, so that the encoders have failed. */
static gboolean
check_file (const GArray * rows, guint first, const MeasurePlan * plan,
    const GArray * expected, gboolean chosen, guint * end, gboolean * whole)
{
  const MeasureRow *row = &g_array_index (rows, MeasureRow, first);
  const gchar *file = row->file;
  guint n_sums = 0, n_frames = 0, i = first;
  guint n_all = expected->len * MAX (plan->formats->len, 1);
  gboolean ok = TRUE;

  for (; ok && i < rows->len && row->file == file; i++, row++) {
    if (row->frame >= 0) {
      n_frames++;
    } else if (n_sums < n_all && !(row->metrics.there & ~plan->metrics)) {
      /* Encoders may have failed. */
      while (n_sums < n_all && is_encoders (n_sums, expected)
          && !is_expected (row, n_sums, plan, expected, chosen))
        n_sums++;
      ok = n_sums < n_all && is_expected (row, n_sums, plan, expected, chosen);
      n_sums++;
    } else {
      ok = FALSE;
    }
  }
  while (i < rows->len && n_sums < n_all && is_encoders (n_sums, expected))
    n_sums++;
  *whole = n_sums == n_all;
  *end = i;
  /* Only the last file may be incomplete. */
  return ok && (*whole || i == rows->len)
      && (!*whole || (n_frames > 0) == plan->each_frame);
}

/* Find the rows to keep, and their number of bytes. */
static gboolean
find_end (const gchar * path, MeasureStyle style, const MeasurePlan * plan,
    gboolean chosen, GArray * rows, gsize * kept, GError ** error)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (gsize)), *expected;
  GString *head = g_string_new (NULL);
  guint n_kept = 0, end;
  gboolean ok, whole = TRUE;
  gsize length;
  gchar *text;

  if (!g_file_get_contents (path, &text, &length, error)) {
    g_array_unref (ends);
    g_string_free (head, TRUE);
    return FALSE;
  }
  measure_row_append_head (head, style, plan->metrics);
  expected = list_expected (plan, chosen);
  *kept = 0;
  ok = strncmp (text, head->str, MIN (length, head->len)) == 0
      && (length == 0 || (*text == '{') == (style == MEASURE_JSON));
  if (!ok)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--resume: %s has other columns; remove it, or name another", path);
  /* A truncated heading is written again. */
  else if (length >= head->len && length > 0)
    ok = measure_rows_read (rows, ends, text, length, error);
  while (ok && whole && n_kept < rows->len) {
    ok = check_file (rows, n_kept, plan, expected, chosen, &end, &whole);
    if (!ok)
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "--resume: the rows of %s in %s have other transforms, settings, "
          "formats or metrics; remove it, or name another",
          g_array_index (rows, MeasureRow, n_kept).file, path);
    else if (whole)
      n_kept = end;
  }
  g_array_set_size (rows, ok ? n_kept : 0);
  if (n_kept > 0)
    *kept = g_array_index (ends, gsize, n_kept - 1);
  g_array_unref (ends);
  g_array_unref (expected);
  g_string_free (head, TRUE);
  g_free (text);
  return ok;
}

MeasureOutput *
measure_output_resume (const gchar * path, MeasureStyle style,
    const MeasurePlan * plan, gboolean chosen, GArray * rows, GError ** error)
{
  MeasureOutput *output = open_output (path, style, plan->metrics, error);
  gsize kept;

  if (output != NULL && (!find_end (path, style, plan, chosen, rows, &kept,
              error) || !start_at (output, kept, error))) {
    measure_output_close (output, NULL);
    return NULL;
  }
  return output;
}
