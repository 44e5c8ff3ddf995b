/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctstatsfile.h"
#include "gst-plugin/gstblockdctreport.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Frames that may wait for the disk. */
#define MAX_WAITING 4096

typedef void (*Format) (GString * line, const GstStructure * s, gboolean first);

struct _GstBlockDctStatsFile
{
  FILE *stream;
  Format format;
  gboolean first;               /* no line was written; the thread's */
  GThread *thread;

  GMutex lock;
  GCond added, written;
  GQueue waiting;               /* GstStructure */
  gboolean busy, quit;          /* the thread is writing; is to end */
  gboolean told;                /* of the error */
  gint error;                   /* errno; 0: none */
};

/* A number as every reader wants it, whatever the locale. */
static void
append_double (GString * line, const gchar * format, gdouble v)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isinf (v))
    g_string_append (line, v > 0 ? "inf" : "-inf");
  else
    g_string_append (line, g_ascii_formatd (text, sizeof text, format, v));
}

static void
append_ffmpeg (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  gdouble v;

  if (!gst_structure_get_double (s, field, &v))
    return;
  g_string_append_printf (line, "%s:", name);
  append_double (line, "%.2f", v);
  g_string_append_c (line, ' ');
}

/* What `ffmpeg -lavfi psnr=stats_file=...:stats_version=2` writes. */
static void
format_ffmpeg (GString * line, const GstStructure * s, gboolean first)
{
  gboolean colour = gst_structure_has_field (s, "mse-u");
  guint64 index = 0;

  if (first)
    g_string_append (line, colour ? "psnr_log_version:2 fields:n,mse_avg,mse_y,"
        "mse_u,mse_v,psnr_avg,psnr_y,psnr_u,psnr_v\n"
        : "psnr_log_version:2 fields:n,mse_avg,mse_y,psnr_avg,psnr_y\n");
  gst_structure_get_uint64 (s, "index", &index);
  g_string_append_printf (line, "n:%" G_GUINT64_FORMAT " ", index + 1);
  append_ffmpeg (line, s, "mse_avg", "mse");
  append_ffmpeg (line, s, "mse_y", "mse-y");
  append_ffmpeg (line, s, "mse_u", "mse-u");
  append_ffmpeg (line, s, "mse_v", "mse-v");
  append_ffmpeg (line, s, "psnr_avg", "psnr");
  append_ffmpeg (line, s, "psnr_y", "psnr-y");
  append_ffmpeg (line, s, "psnr_u", "psnr-u");
  append_ffmpeg (line, s, "psnr_v", "psnr-v");
  g_string_append_c (line, '\n');
}

/* Times that are unknown, and what a frame has not, are empty. */
static void
append_value (GString * line, const GValue * value, const gchar * nothing,
    gboolean json)
{
  if (value == NULL) {
    g_string_append (line, nothing);
  } else if (G_VALUE_HOLDS_UINT64 (value)) {
    if (g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE)
      g_string_append (line, nothing);
    else
      g_string_append_printf (line, "%" G_GUINT64_FORMAT,
          g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    if (json && !isfinite (g_value_get_double (value)))
      g_string_append (line, "null");
    else
      append_double (line, "%.17g", g_value_get_double (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (line, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_string_append (line, g_value_get_boolean (value) ? "true" : "false");
  } else {
    gchar *text = g_strescape (g_value_get_string (value), NULL);

    g_string_append_printf (line, json ? "\"%s\"" : "%s", text);
    g_free (text);
  }
}

static void
format_csv (GString * line, const GstStructure * s, gboolean first)
{
  static const gchar *columns[] = {
    "index", "timestamp", "stream-time", "running-time", "duration", "mse",
    "mse-y", "mse-u", "mse-v", "psnr", "psnr-y", "psnr-u", "psnr-v",
    "identical", "nonzero", "transform", "quality", "qp", "backend"
  };

  for (guint i = 0; i < G_N_ELEMENTS (columns) && first; i++)
    g_string_append_printf (line, "%s%s", i ? "," : "", columns[i]);
  if (first)
    g_string_append_c (line, '\n');
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_value (line, gst_structure_get_value (s, columns[i]), "", FALSE);
  }
  g_string_append_c (line, '\n');
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
  (void) first;
  g_string_append_c (line, '{');
  gst_structure_foreach (s, append_member, line);
  g_string_append (line, "}\n");
}

/* Called with the lock, which it lets go while it writes. */
static void
write_waiting (GstBlockDctStatsFile * file)
{
  GstStructure *s = g_queue_pop_head (&file->waiting);
  GString *line = g_string_new (NULL);
  gint error = 0;

  file->busy = TRUE;
  g_mutex_unlock (&file->lock);
  while (s != NULL && error == 0) {
    g_string_truncate (line, 0);
    file->format (line, s, file->first);
    file->first = FALSE;
    if (fwrite (line->str, 1, line->len, file->stream) != line->len)
      error = errno;
    gst_structure_free (s);
    g_mutex_lock (&file->lock);
    s = g_queue_pop_head (&file->waiting);
    g_cond_broadcast (&file->written);
    g_mutex_unlock (&file->lock);
  }
  g_clear_pointer (&s, gst_structure_free);
  /* Who follows the file sees every frame; who fills the disk hears of it. */
  if (error == 0 && fflush (file->stream) != 0)
    error = errno;
  g_string_free (line, TRUE);
  g_mutex_lock (&file->lock);
  file->busy = FALSE;
  if (file->error == 0)
    file->error = error;
  if (file->error != 0)
    g_queue_clear_full (&file->waiting, (GDestroyNotify) gst_structure_free);
  g_cond_broadcast (&file->written);
}

static gpointer
writer (gpointer data)
{
  GstBlockDctStatsFile *file = data;

  g_mutex_lock (&file->lock);
  while (!file->quit || file->waiting.length > 0) {
    if (file->waiting.length > 0)
      write_waiting (file);
    else
      g_cond_wait (&file->added, &file->lock);
  }
  g_mutex_unlock (&file->lock);
  return NULL;
}

GstBlockDctStatsFile *
gst_blockdct_stats_file_open (const gchar * path, BdctError * error)
{
  gchar *lower = g_ascii_strdown (path, -1);
  gboolean csv = g_str_has_suffix (lower, ".csv");
  gboolean json = g_str_has_suffix (lower, ".json");
  GstBlockDctStatsFile *file;
  FILE *stream = strcmp (path, "-") == 0 ? stdout : fopen (path, "we");

  g_free (lower);
  if (stream == NULL) {
    bdct_error (error, "%s", g_strerror (errno));
    return NULL;
  }
  file = g_new0 (GstBlockDctStatsFile, 1);
  file->stream = stream;
  file->format = csv ? format_csv : json ? format_json : format_ffmpeg;
  file->first = TRUE;
  g_mutex_init (&file->lock);
  g_cond_init (&file->added);
  g_cond_init (&file->written);
  g_queue_init (&file->waiting);
  file->thread = g_thread_new ("blockdct-stats", writer, file);
  return file;
}

/* Called with the lock. */
static gboolean
tell_error (GstBlockDctStatsFile * file, BdctError * error)
{
  gboolean told = file->told;

  file->told = file->error != 0;
  return file->error == 0 || told
      || bdct_error (error, "%s", g_strerror (file->error));
}

gboolean
gst_blockdct_stats_file_add (GstBlockDctStatsFile * file, GstBuffer * buffer,
    BdctError * error)
{
  GstCustomMeta *meta;
  gboolean ok;

  if (file == NULL)
    return TRUE;
  meta = gst_buffer_get_custom_meta (buffer, GST_BLOCKDCT_NAME);
  g_mutex_lock (&file->lock);
  while (file->waiting.length >= MAX_WAITING && file->error == 0)
    g_cond_wait (&file->written, &file->lock);
  if (file->error == 0 && meta != NULL) {
    g_queue_push_tail (&file->waiting,
        gst_structure_copy (gst_custom_meta_get_structure (meta)));
    g_cond_signal (&file->added);
  }
  ok = tell_error (file, error);
  g_mutex_unlock (&file->lock);
  return ok;
}

gboolean
gst_blockdct_stats_file_flush (GstBlockDctStatsFile * file, BdctError * error)
{
  gboolean ok;

  if (file == NULL)
    return TRUE;
  g_mutex_lock (&file->lock);
  while (file->busy || file->waiting.length > 0)
    g_cond_wait (&file->written, &file->lock);
  ok = tell_error (file, error);
  g_mutex_unlock (&file->lock);
  return ok;
}

gboolean
gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file, BdctError * error)
{
  GstBlockDctStatsFile *self = g_steal_pointer (file);
  gboolean ok;

  if (self == NULL)
    return TRUE;
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_signal (&self->added);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  if (self->stream != stdout && fclose (self->stream) != 0
      && self->error == 0)
    self->error = errno;
  ok = tell_error (self, error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->added);
  g_cond_clear (&self->written);
  g_free (self);
  return ok;
}
