/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Not by g_file_replace(), which writes to another file that takes the name
 * only at the end. */
#include "gstblockdctstatsfile.h"
#include "gstblockdctstatsline.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct _GstBlockDctStatsFile
{
  gchar *path;
  GstBlockDctStatsFormat format;
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
gst_blockdct_stats_file_open (GstBlockDctStatsFile ** file, const gchar * path,
    GstElement * element)
{
  const gboolean is_stdout = g_strcmp0 (path, "-") == 0;
  GstBlockDctStatsFile *self;
  gint fd;

  *file = NULL;
  if (path == NULL || *path == '\0')
    return TRUE;
  if (gst_blockdct_stats_format (path) == NULL) {
    GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS,
        ("stats-file=%s has an unknown ending.", path),
        ("Use .log, .csv or .jsonl."));
    return FALSE;
  }
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
  self->path = g_strdup (path);
  self->format = gst_blockdct_stats_format (path);
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
  const gboolean failed =
      !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  self->failed = failed;
  if (failed)
    GST_ELEMENT_ERROR (element, RESOURCE, WRITE,
        ("The statistics cannot be written to stats-file=%s: %s.", self->path,
            error->message),
        ("Free some space there, or set stats-file to another place."));
  g_error_free (error);
  return !failed;
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
