/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Not by g_file_replace(), which writes to another file that takes the name
 * only at the end. */
#include "gstblockdctstatsfile.h"
#include "gstblockdctstatistics.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Append a frame's line, given the fields of its message; with `first`, append
 * the heading of the file before it. */
typedef void (*Format) (GString * line, const GstStructure * frame,
    gboolean first);

/* Append a number in the C locale. */
static void
append_double (GString * line, const gchar * format, gdouble v)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (line, g_ascii_formatd (text, sizeof text, format, v));
}

/* Unknown times, sums that are not finite or do not fit, and fields that a
 * frame lacks, are `nothing`. */
static void
append_value (GString * line, const GValue * value, const gchar * nothing,
    gboolean json)
{
  if (value == NULL || (G_VALUE_HOLDS_UINT64 (value)
          && g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE)
      || (G_VALUE_HOLDS_INT64 (value)
          && g_value_get_int64 (value) == G_MAXINT64)) {
    g_string_append (line, nothing);
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    if (json && !isfinite (g_value_get_double (value)))
      g_string_append (line, "null");
    else
      append_double (line, "%.17g", g_value_get_double (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    g_autofree gchar *text = g_strescape (g_value_get_string (value), NULL);

    g_string_append_printf (line, json ? "\"%s\"" : "%s", text);
  } else {
    /* Whole numbers and booleans, without their type. */
    g_autofree gchar *text = gst_value_serialize (value);

    g_string_append (line, text);
  }
}

/* ffmpeg's columns, and fields. */
static const struct
{
  const gchar *column, *field;
} of_ffmpeg[] = {
  {"mse_avg", "mse"}, {"mse_y", "mse-y"}, {"mse_u", "mse-u"},
  {"mse_v", "mse-v"}, {"psnr_avg", "psnr"}, {"psnr_y", "psnr-y"},
  {"psnr_u", "psnr-u"}, {"psnr_v", "psnr-v"},
};

/* Append the names or the values of the columns that the frame has. */
static void
append_log (GString * line, const GstStructure * s, GstBlockDctColumns which,
    gboolean names)
{
  const GQuark *columns = gst_blockdct_structure_columns (which);

  for (; *columns != 0; columns++) {
    const GValue *value = gst_structure_id_get_value (s, *columns);
    g_autofree gchar *name = NULL;

    if (value == NULL)
      continue;
    name = g_strdelimit (g_strdup (g_quark_to_string (*columns)), "-", '_');
    if (names) {
      g_string_append_printf (line, ",%s", name);
      continue;
    }
    g_string_append_printf (line, "%s:", name);
    if (which == GST_BLOCKDCT_COLUMNS_FIGURES)
      append_double (line, "%.6f", g_value_get_double (value));
    else
      append_value (line, value, "", FALSE);
    g_string_append_c (line, ' ');
  }
}

/* The format of `ffmpeg -lavfi psnr=stats_file=...:stats_version=2`, followed
 * by metrics, errors of RGB, and bits, if the frame has them. */
static void
format_ffmpeg (GString * line, const GstStructure * s, gboolean first)
{
  const gboolean colour = gst_structure_has_field (s, "mse-u");
  guint64 index = 0;
  gdouble v;

  if (first) {
    g_string_append (line, "psnr_log_version:2 fields:n");
    for (guint i = 0; i < G_N_ELEMENTS (of_ffmpeg); i++)
      if (colour || i % 4 < 2)
        g_string_append_printf (line, ",%s", of_ffmpeg[i].column);
    append_log (line, s, GST_BLOCKDCT_COLUMNS_FIGURES, TRUE);
    append_log (line, s, GST_BLOCKDCT_COLUMNS_LOG, TRUE);
    g_string_append_c (line, '\n');
  }
  gst_structure_get_uint64 (s, "index", &index);
  g_string_append_printf (line, "n:%" G_GUINT64_FORMAT " ", index + 1);
  for (guint i = 0; i < G_N_ELEMENTS (of_ffmpeg); i++)
    if (gst_structure_get_double (s, of_ffmpeg[i].field, &v)) {
      g_string_append_printf (line, "%s:", of_ffmpeg[i].column);
      append_double (line, "%.2f", v);
      g_string_append_c (line, ' ');
    }
  append_log (line, s, GST_BLOCKDCT_COLUMNS_FIGURES, FALSE);
  append_log (line, s, GST_BLOCKDCT_COLUMNS_LOG, FALSE);
  g_string_append_c (line, '\n');
}

/* Append the columns' names or, with a frame, its values. */
static void
append_cells (GString * line, GstBlockDctColumns which, const GstStructure * s,
    const gchar * separator)
{
  const GQuark *columns = gst_blockdct_structure_columns (which);

  for (; *columns != 0; columns++, separator = ",") {
    g_string_append (line, separator);
    if (s == NULL)
      g_string_append (line, g_quark_to_string (*columns));
    else
      append_value (line, gst_structure_id_get_value (s, *columns), "", FALSE);
  }
}

/* A frame of blockdctcompare has one line for each pad. */
static void
format_csv (GString * line, const GstStructure * s, gboolean first)
{
  const GstBlockDctColumns which = gst_structure_has_field (s, "pad")
      ? GST_BLOCKDCT_COLUMNS_PADS : GST_BLOCKDCT_COLUMNS_CSV;

  for (gint i = first ? 0 : 1; i < 2; i++) {
    append_cells (line, which, i == 0 ? NULL : s, "");
    append_cells (line, GST_BLOCKDCT_COLUMNS_FIGURES, i == 0 ? NULL : s, ",");
    g_string_append_c (line, '\n');
  }
}

static gboolean
append_member (GQuark name, const GValue * value, gpointer data)
{
  GString *line = data;

  g_string_append_printf (line, "%s\"%s\":",
      line->str[line->len - 1] == '{' ? "" : ",", g_quark_to_string (name));
  append_value (line, value, "null", TRUE);
  return TRUE;
}

static void
format_json (GString * line, const GstStructure * s, gboolean first)
{
  g_string_append_c (line, '{');
  gst_structure_foreach (s, append_member, line);
  g_string_append (line, "}\n");
}

/* The format of a file with this name; NULL: none of them. */
static Format
find_format (const gchar * path)
{
  static const struct
  {
    const gchar *ending;
    Format format;
  } formats[] = {
    {".log", format_ffmpeg}, {".csv", format_csv}, {".jsonl", format_json},
  };
  Format format = strcmp (path, "-") == 0 ? format_ffmpeg : NULL;
  g_autofree gchar *lower = g_ascii_strdown (path, -1);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (lower, formats[i].ending))
      format = formats[i].format;
  return format;
}

/* The file */

struct _GstBlockDctStatsFile
{
  gchar *path;
  Format format;
  GOutputStream *stream;
  GCancellable *cancellable;
  GString *line;
  gboolean first, failed;
};

/* Without O_NONBLOCK a FIFO would wait for a reader. A regular file is locked,
 * so that it has one writer, and then truncated. Returns -1 with errno. */
static gint
open_path (const gchar * path)
{
  const gint fd = open (path,
      O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
  struct stat st;

  if (fd < 0 || fstat (fd, &st) < 0 || !S_ISREG (st.st_mode)
      || ((flock (fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
          && ftruncate (fd, 0) == 0))
    return fd;
  close (fd);
  return -1;
}

gboolean
gst_blockdct_stats_file_open (GstBlockDctStatsFile ** file,
    gchar * const *setting, GstElement * element)
{
  GstBlockDctStatsFile *self;
  g_autofree gchar *path = NULL;
  gboolean is_stdout;
  gint fd;

  *file = NULL;
  GST_OBJECT_LOCK (element);
  path = g_strdup (*setting);
  GST_OBJECT_UNLOCK (element);
  if (path == NULL || *path == '\0')
    return TRUE;
  if (find_format (path) == NULL) {
    GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS,
        ("stats-file=%s has an unknown ending.", path),
        ("Use .log, .csv or .jsonl."));
    return FALSE;
  }
  is_stdout = g_str_equal (path, "-");
  fflush (stdout);
  fd = is_stdout ? STDOUT_FILENO : open_path (path);
  if (fd < 0) {
    GST_ELEMENT_ERROR (element, RESOURCE, OPEN_WRITE,
        ("stats-file=%s cannot be written: %s.", path, errno == EWOULDBLOCK
            ? "another element or program is writing to it"
            : errno == ENXIO ? "nobody reads from it" : g_strerror (errno)),
        ("Set stats-file to a path that you may write to and that nothing else "
            "writes to. Start the reader of a FIFO first."));
    return FALSE;
  }
  *file = self = g_new0 (GstBlockDctStatsFile, 1);
  self->format = find_format (path);
  self->path = g_steal_pointer (&path);
  self->stream = g_unix_output_stream_new (fd, !is_stdout);
  self->cancellable = g_cancellable_new ();
  self->line = g_string_new (NULL);
  self->first = TRUE;
  return TRUE;
}

/* A reader that leaves is an error of writing, whose signal would end the
 * process. */
static gboolean
write_line (GstBlockDctStatsFile * self, GError ** error)
{
  const struct timespec at_once = { 0 };
  sigset_t pipe, before;
  gboolean ok;

  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe, &before);
  ok = g_output_stream_write_all (self->stream, self->line->str,
      self->line->len, NULL, self->cancellable, error);
  if (!ok && !sigismember (&before, SIGPIPE))
    sigtimedwait (&pipe, NULL, &at_once);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return ok;
}

/* Post an error, which is freed, but not that the file was cancelled. */
static gboolean
fail (GstBlockDctStatsFile * self, GstElement * element, GError * error)
{
  self->failed = !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  if (self->failed)
    GST_ELEMENT_ERROR (element, RESOURCE, WRITE,
        ("The statistics cannot be written to stats-file=%s: %s.", self->path,
            error->message),
        ("Free some space there, or set stats-file to another place."));
  g_error_free (error);
  return !self->failed;
}

gboolean
gst_blockdct_stats_file_add (GstBlockDctStatsFile * self, GstElement * element,
    const GstStructure * frame)
{
  GError *error = NULL;

  if (self == NULL || self->failed)
    return self == NULL;
  g_string_truncate (self->line, 0);
  self->format (self->line, frame, self->first);
  self->first = FALSE;
  return write_line (self, &error) || fail (self, element, error);
}

void
gst_blockdct_stats_file_cancel (GstBlockDctStatsFile * self)
{
  if (self != NULL)
    g_cancellable_cancel (self->cancellable);
}

void
gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file,
    GstElement * element)
{
  GstBlockDctStatsFile *self = g_steal_pointer (file);
  GError *error = NULL;

  if (self == NULL)
    return;
  if (!g_output_stream_close (self->stream, NULL, &error))
    fail (self, element, error);
  g_object_unref (self->stream);
  g_object_unref (self->cancellable);
  g_string_free (self->line, TRUE);
  g_free (self->path);
  g_free (self);
}
