/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE             /* struct ucred */
#include "gstblockdctstatsfile.h"
#include "gst-plugin/common/gstblockdctfail.h"
#include <blockdct/blockdct.h>
#include "gstblockdctstatistics.h"
#include "gstblockdctstatsline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Frames that may wait to be written. */
#define MAX_WAITING 4096

/* How long the end waits for a reader, and the interval at which a wait is
 * checked; together less than a second. */
#define PATIENCE (800 * G_TIME_SPAN_MILLISECOND)
#define NAP 50                  /* ms */

struct _GstBlockDctStatsFile
{
  gchar *path;
  struct stat stat;
  gint fd;                      /* -1: a FIFO without a reader; used by the
                                   thread */
  GstBlockDctStatsFormat format;
  gboolean first;               /* no line has been written; used by the
                                   thread */
  GThread *thread;

  GMutex lock;
  GCond added, written;
  GQueue waiting;               /* GstStructure */
  gboolean busy, quit;          /* the thread is writing; has to end */
  gboolean give_up;             /* it has to end at once */
  gint64 deadline;              /* for the reader, at the end; 0: not yet */
  guint64 lost, reported_lost;  /* frames */
  gboolean reported_error;
  gint error;                   /* errno; 0: none */
};

/* The files that this process writes, so that none gets two writers. */
static GMutex open_lock;
static GSList *open_files;

/* A regular file has no reader to wait for: none of its lines is lost. */
static gboolean
is_regular (const GstBlockDctStatsFile * file)
{
  return S_ISREG (file->stat.st_mode);
}

static gboolean
is_stdout (const GstBlockDctStatsFile * file)
{
  return strcmp (file->path, "-") == 0;
}

/* The thread */

static gboolean
has_to_give_up (GstBlockDctStatsFile * file)
{
  gboolean give_up;

  g_mutex_lock (&file->lock);
  give_up = file->give_up;
  g_mutex_unlock (&file->lock);
  return give_up;
}

/* Write as much as is possible without waiting, after poll(): to a pipe
 * PIPE_BUF bytes, even if its description, shared with other processes,
 * blocks. */
static gssize
write_some (GstBlockDctStatsFile * file, const gchar * data, gsize size)
{
  size = MIN (size, PIPE_BUF);
  return S_ISSOCK (file->stat.st_mode)
      ? send (file->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
      : write (file->fd, data, size);
}

/* Returns an errno: ECANCELED if it had to give up. */
static gint
write_all (GstBlockDctStatsFile * file, const gchar * data, gsize size)
{
  while (size > 0) {
    struct pollfd ready = {.fd = file->fd,.events = POLLOUT };
    gssize n = 0;

    if (is_regular (file))
      n = write (file->fd, data, size);
    else if (has_to_give_up (file))
      return ECANCELED;
    else if (poll (&ready, 1, NAP) > 0)
      n = write_some (file, data, size);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return errno;
    data += MAX (n, 0);
    size -= MAX (n, 0);
  }
  return 0;
}

/* Wait for a reader of a FIFO. Returns an errno. */
static gint
find_reader (GstBlockDctStatsFile * file)
{
  while (file->fd < 0) {
    if (has_to_give_up (file))
      return ECANCELED;
    file->fd = open (file->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file->fd < 0 && errno != ENXIO && errno != EINTR)
      return errno;
    if (file->fd < 0)
      g_usleep (NAP * 1000);
  }
  return 0;
}

/* Returns an errno. If a FIFO's reader leaves, its next reader gets the heading
 * and the whole line again. */
static gint
write_frame (GstBlockDctStatsFile * file, const GstStructure * s)
{
  GString *line = g_string_new (NULL);
  gint error;

  do {
    error = find_reader (file);
    if (error != 0)
      break;
    g_string_truncate (line, 0);
    file->format (line, s, file->first);
    error = write_all (file, line->str, line->len);
    file->first = error != 0;
    if (error == EPIPE && S_ISFIFO (file->stat.st_mode) && !is_stdout (file)) {
      close (file->fd);
      file->fd = -1;
    }
  } while (file->fd < 0);
  g_string_free (line, TRUE);
  return error;
}

/* Called with the lock. */
static void
lose_waiting (GstBlockDctStatsFile * file)
{
  file->lost += file->waiting.length;
  g_queue_clear_full (&file->waiting, (GDestroyNotify) gst_structure_free);
}

/* Called with the lock, which is released while it writes. */
static void
write_next (GstBlockDctStatsFile * file)
{
  GstStructure *s = g_queue_pop_head (&file->waiting);
  gint error;

  file->busy = TRUE;
  g_mutex_unlock (&file->lock);
  error = write_frame (file, s);
  gst_structure_free (s);
  g_mutex_lock (&file->lock);
  file->busy = FALSE;
  file->lost += error != 0;
  if (error != 0 && error != ECANCELED && file->error == 0)
    file->error = error;
  if (file->error != 0)
    lose_waiting (file);
  g_cond_broadcast (&file->written);
}

static gpointer
writer (gpointer data)
{
  GstBlockDctStatsFile *file = data;
  sigset_t pipe;

  /* A reader that leaves must not end the process. */
  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe, NULL);
  if (file->fd < 0)
    find_reader (file);
  g_mutex_lock (&file->lock);
  while (!file->quit || file->waiting.length > 0) {
    if (file->waiting.length > 0)
      write_next (file);
    else
      g_cond_wait (&file->added, &file->lock);
  }
  g_mutex_unlock (&file->lock);
  return NULL;
}

/* Opening */

/* Whether the descriptor of standard output is something else. If standard
 * output was closed at the start, the first file that the process opens gets
 * its number: one with FD_CLOEXEC, one that is only for reading, one of a kind
 * that a shell cannot open (an eventfd), or a socket of the process to itself,
 * such as GstPoll's. */
static gboolean
is_stdout_closed (struct stat *stat)
{
  gint flags = fcntl (STDOUT_FILENO, F_GETFD);
  struct ucred peer = { 0 };
  socklen_t size = sizeof peer;

  if (flags < 0 || flags & FD_CLOEXEC || fstat (STDOUT_FILENO, stat) < 0
      || (fcntl (STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
    return TRUE;
  if (S_ISSOCK (stat->st_mode))
    return getsockopt (STDOUT_FILENO, SOL_SOCKET, SO_PEERCRED, &peer,
        &size) == 0 && peer.pid == getpid ();
  return (stat->st_mode & S_IFMT) == 0;
}

/* A new description can be non-blocking; but for a regular file it would not
 * share the offset with others that write to it. */
static gint
open_stdout (struct stat *stat)
{
  gint fd = -1;

  if (is_stdout_closed (stat)) {
    errno = EBADF;
    return -1;
  }
  fflush (stdout);
  if (!S_ISREG (stat->st_mode) && !S_ISSOCK (stat->st_mode))
    fd = open ("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  return fd >= 0 ? fd : fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

/* It is not truncated yet, as another element may be writing to it. */
static gint
open_path (const gchar * path, struct stat *st)
{
  gint fd = open (path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
      0666);
  gint error = errno;

  if (fd >= 0)
    fstat (fd, st);
  else if (error == ENXIO && stat (path, st) == 0 && S_ISFIFO (st->st_mode))
    error = 0;
  errno = fd >= 0 ? 0 : error;
  return fd;
}

/* Several elements may share standard output: they write line by line. */
static gboolean
is_same (const GstBlockDctStatsFile * a, const GstBlockDctStatsFile * b)
{
  return a->stat.st_dev == b->stat.st_dev && a->stat.st_ino == b->stat.st_ino
      && !(is_stdout (a) && is_stdout (b));
}

static gboolean
claim (GstBlockDctStatsFile * file, BdctError * error)
{
  gboolean free = TRUE;

  if (!is_regular (file) && !S_ISFIFO (file->stat.st_mode))
    return TRUE;
  g_mutex_lock (&open_lock);
  for (GSList * l = open_files; l != NULL; l = l->next)
    free = free && !is_same (l->data, file);
  if (free)
    open_files = g_slist_prepend (open_files, file);
  g_mutex_unlock (&open_lock);
  return free || gst_blockdct_fail (error, "another element is writing to it");
}

/* Close the file, which others may then open. Returns an errno. */
static gint
file_leave (GstBlockDctStatsFile * file)
{
  gint error = file->fd >= 0 && close (file->fd) < 0 ? errno : 0;

  file->fd = -1;
  g_mutex_lock (&open_lock);
  open_files = g_slist_remove (open_files, file);
  g_mutex_unlock (&open_lock);
  return error;
}

static void
file_free (GstBlockDctStatsFile * file)
{
  file_leave (file);
  g_queue_clear_full (&file->waiting, (GDestroyNotify) gst_structure_free);
  g_mutex_clear (&file->lock);
  g_cond_clear (&file->added);
  g_cond_clear (&file->written);
  g_free (file->path);
  g_free (file);
}

/* FALSE with an error, and with its own advice if it has any. */
static gboolean
file_start (GstBlockDctStatsFile * file, BdctError * error,
    const gchar ** advice)
{
  GError *reason = NULL;

  errno = 0;
  file->fd = is_stdout (file) ? open_stdout (&file->stat)
      : open_path (file->path, &file->stat);
  if (file->fd < 0 && errno != 0)
    return gst_blockdct_fail (error, "%s", is_stdout (file) && errno == EBADF
        ? "standard output is closed" : g_strerror (errno));
  if (!claim (file, error))
    return FALSE;
  if (is_regular (file) && !is_stdout (file) && ftruncate (file->fd, 0) < 0)
    return gst_blockdct_fail (error, "%s", g_strerror (errno));
  file->thread = g_thread_try_new ("blockdct-stats", writer, file, &reason);
  if (file->thread != NULL)
    return TRUE;
  gst_blockdct_fail (error, "its thread cannot be started (%s)",
      reason->message);
  g_error_free (reason);
  *advice = "Run fewer threads, or allow more (ulimit -u, a container's "
      "limit of processes).";
  return FALSE;
}

GstBlockDctStatsFile *
gst_blockdct_stats_file_open (const gchar * path, GstElement * element)
{
  const gchar *advice = "Set stats-file to a path that you may write to and "
      "that nothing else writes to.";
  const GstBlockDctStatsFormat format = gst_blockdct_stats_format (path);
  GstBlockDctStatsFile *file;
  BdctError error;

  if (format == NULL) {
    GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS,
        ("stats-file=%s has an unknown ending.", path),
        ("Use .log, .csv or .jsonl."));
    return NULL;
  }
  file = g_new0 (GstBlockDctStatsFile, 1);
  file->path = g_strdup (path);
  file->format = format;
  file->first = TRUE;
  g_mutex_init (&file->lock);
  g_cond_init (&file->added);
  g_cond_init (&file->written);
  g_queue_init (&file->waiting);
  if (file_start (file, &error, &advice))
    return file;
  file_free (file);
  GST_ELEMENT_ERROR (element, RESOURCE, OPEN_WRITE,
      ("stats-file=%s cannot be written: %s.", path, error.message),
      ("%s", advice));
  return NULL;
}

/* Adding, and the end */

/* Post what has not been reported yet. Called with the lock, which is
 * released. */
static gboolean
unlock_and_report (GstBlockDctStatsFile * file, GstElement * element,
    gboolean all)
{
  gint error = file->reported_error ? 0 : file->error;
  guint64 lost = file->error == 0 && (all || file->reported_lost == 0)
      && file->lost > file->reported_lost ? file->lost : 0;
  gchar *path = g_strdup (file->path);

  file->reported_error = file->error != 0;
  if (lost > 0)
    file->reported_lost = lost;
  g_mutex_unlock (&file->lock);
  if (error != 0)
    GST_ELEMENT_ERROR (element, RESOURCE, WRITE,
        ("The statistics cannot be written to stats-file=%s: %s.", path,
            g_strerror (error)),
        ("Free some space there, or set stats-file to another place."));
  if (lost > 0)
    GST_ELEMENT_WARNING (element, RESOURCE, WRITE,
        ("stats-file=%s: %" G_GUINT64_FORMAT " lines are lost so far.", path,
            lost),
        ("Its reader is too slow, or there is none, and the stream does not "
            "wait for it. Use a faster reader, or write to a regular file."));
  g_free (path);
  return error == 0;
}

gboolean
gst_blockdct_stats_file_add (GstBlockDctStatsFile * file, GstElement * element,
    const GstStructure * frame)
{
  if (file == NULL)
    return TRUE;
  g_mutex_lock (&file->lock);
  file->deadline = 0;
  while (is_regular (file) && file->waiting.length >= MAX_WAITING
      && file->error == 0)
    g_cond_wait (&file->written, &file->lock);
  if (file->waiting.length >= MAX_WAITING) {
    file->lost++;
  } else if (file->error == 0) {
    g_queue_push_tail (&file->waiting, gst_structure_copy (frame));
    g_cond_signal (&file->added);
  }
  return unlock_and_report (file, element, FALSE);
}

/* Called with the lock. Lines that a reader has not taken in time are dropped,
 * so that the number of lost lines is final. */
static void
wait_until_written (GstBlockDctStatsFile * file)
{
  gboolean in_time = TRUE;

  if (file->deadline == 0)
    file->deadline = g_get_monotonic_time () + PATIENCE;
  while ((file->busy || file->waiting.length > 0) && in_time) {
    if (is_regular (file))
      g_cond_wait (&file->written, &file->lock);
    else
      in_time = g_cond_wait_until (&file->written, &file->lock, file->deadline);
  }
  if (!in_time)
    lose_waiting (file);
}

void
gst_blockdct_stats_file_flush (GstBlockDctStatsFile * file,
    GstElement * element)
{
  if (file == NULL)
    return;
  g_mutex_lock (&file->lock);
  wait_until_written (file);
  unlock_and_report (file, element, TRUE);
}

void
gst_blockdct_stats_file_close (GstBlockDctStatsFile ** file,
    GstElement * element)
{
  GstBlockDctStatsFile *self = g_steal_pointer (file);
  gint error;

  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  wait_until_written (self);
  self->quit = self->give_up = TRUE;
  g_cond_signal (&self->added);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  error = file_leave (self);
  g_mutex_lock (&self->lock);
  if (self->error == 0)
    self->error = error;
  unlock_and_report (self, element, TRUE);
  file_free (self);
}
