/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stats-file where somebody reads, or does not; where there is no thread for
 * it; and where it is another's. Whatever the reader does, the stream goes
 * on. */
#define _GNU_SOURCE             /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench.h"

/* What the end may wait for a reader, and what a machine may be late. */
#define SECOND G_USEC_PER_SEC
/* It takes a second at most; a busy machine adds to it. */
#define STOPPING (5 * SECOND)
#define PATIENCE (60 * SECOND)

/* Threads: none can be made while this is set. */
static gint refuse_threads;

int
pthread_create (pthread_t * thread, const pthread_attr_t * attr,
    void *(*func) (void *), void *data)
{
  static int (*real) (pthread_t *, const pthread_attr_t *,
      void *(*) (void *), void *);

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "pthread_create");
  return g_atomic_int_get (&refuse_threads) ? EAGAIN
      : real (thread, attr, func, data);
}

/* What must not hang is done in a thread, and waited for. */
typedef struct
{
  void (*func) (Bench * bench, gint n);
  Bench *bench;
  gint n;
  gint done;                    /* atomic */
} Task;

static gpointer
run_task (gpointer data)
{
  Task *task = data;

  task->func (task->bench, task->n);
  g_atomic_int_set (&task->done, TRUE);
  return NULL;
}

/* How long it takes. */
static gint64
within (gint64 limit, void (*func) (Bench * bench, gint n), Bench * bench,
    gint n)
{
  Task task = { func, bench, n, FALSE };
  gint64 start = g_get_monotonic_time ();
  GThread *thread = g_thread_new ("task", run_task, &task);

  while (!g_atomic_int_get (&task.done)) {
    if (g_get_monotonic_time () > start + limit)
      g_error ("it hangs");
    g_usleep (1000);
  }
  g_thread_join (thread);
  return g_get_monotonic_time () - start;
}

static void
push (Bench * bench, gint n)
{
  static guint next;

  for (gint i = 0; i < n; i++) {
    bench_push (bench, next++);
    gst_buffer_unref (gst_harness_pull (bench->h));
  }
}

static void
push_eos (Bench * bench, gint unused)
{
  (void) unused;
  g_assert_true (gst_harness_push_event (bench->h, gst_event_new_eos ()));
}

static void
stop (Bench * bench, gint unused)
{
  (void) unused;
  gst_element_set_state (bench->element, GST_STATE_NULL);
}

static void
start (Bench * bench, gint unused)
{
  (void) unused;
  g_assert_cmpint (gst_element_set_state (bench->element, GST_STATE_PLAYING),
      !=, GST_STATE_CHANGE_FAILURE);
  bench_set_caps (bench, "GRAY8", 8, 8);
}

/* A stopped element that will write there. */
static void
set_up (Bench * bench, const gchar * path)
{
  bench_init (bench, NULL, 0, 0, "async-depth", 1, "threads", 1,
      "post-messages", FALSE, NULL);
  gst_element_set_state (bench->element, GST_STATE_NULL);
  g_object_set (bench->element, "stats-file", path, NULL);
}

/* The start fails with an error that has this in it. */
static void
check_error (Bench * bench, const gchar * reason)
{
  text_expect (bench_pop_text (bench, GST_MESSAGE_ERROR), "stats-file=", reason,
      NULL);
  g_assert_null (bench_pop (bench, GST_MESSAGE_ERROR));
  gst_element_set_state (bench->element, GST_STATE_NULL);
}

static void
check_refused (Bench * bench, const gchar * reason)
{
  g_assert_cmpint (gst_element_set_state (bench->element, GST_STATE_PAUSED),
      ==, GST_STATE_CHANGE_FAILURE);
  check_error (bench, reason);
}

/* The number in the next warning; 0: there is none. */
static guint
pop_lost (Bench * bench)
{
  GstMessage *message = bench_pop (bench, GST_MESSAGE_WARNING);
  GError *error;
  gchar *lines;
  guint lost;

  if (message == NULL)
    return 0;
  gst_message_parse_warning (message, &error, NULL);
  g_test_message ("%s", error->message);
  lines = strstr (error->message, " lines are lost");
  g_assert_nonnull (lines);
  while (g_ascii_isdigit (lines[-1]))
    lines--;
  lost = atoi (lines);
  g_error_free (error);
  gst_message_unref (message);
  return lost;
}

static guint
count_descriptors (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

static void
test_no_thread (void)
{
  gchar *path = test_path ("no-thread.csv");
  guint before;
  Bench bench;

  set_up (&bench, path);
  before = count_descriptors ();
  g_atomic_int_set (&refuse_threads, TRUE);
  check_refused (&bench, "Run fewer threads");
  g_atomic_int_set (&refuse_threads, FALSE);
  g_assert_cmpuint (count_descriptors (), ==, before);
  /* And then it can. */
  start (&bench, 0);
  push (&bench, 1);
  bench_clear (&bench);
  g_free (path);
}

static gchar *
make_fifo (const gchar * name)
{
  gchar *path = test_path (name);

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  return path;
}

static gint
open_reader (const gchar * path)
{
  gint fd = open (path, O_RDONLY | O_NONBLOCK);

  g_assert_cmpint (fd, >=, 0);
  return fd;
}

/* Frames' lines, of which the first has to be whole too; the last number is
 * `*last`. */
static guint
count_lines (const gchar * text, guint * last)
{
  gchar **lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "n:")) {
      guint number = atoi (lines[i] + 2);

      g_assert_cmpuint (number, >, *last);
      g_assert_true (g_str_has_suffix (lines[i], " "));
      *last = number;
      n++;
    } else {
      g_assert_true (g_str_has_prefix (lines[i], "psnr_log_version")
          || *lines[i] == '\0');
    }
  g_strfreev (lines);
  return n;
}

/* What is there, until there are `n` lines of frames or, without, until there
 * is nothing. */
static guint
read_lines (gint fd, guint n, guint * last)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;
  GString *text = g_string_new (NULL);
  guint lines = 0;

  while (lines < MAX (n, 1)) {
    gchar data[65536];
    gssize got = read (fd, data, sizeof data);
    guint scratch = *last;

    if (got > 0)
      g_string_append_len (text, data, got);
    else if (n == 0)
      break;
    else if (g_get_monotonic_time () > end)
      g_error ("%u lines of %u", lines, n);
    else
      g_usleep (1000);
    if (got > 0 && n > 0 && text->str[text->len - 1] == '\n')
      lines = count_lines (text->str, &scratch);
  }
  lines = count_lines (text->str, last);
  g_string_free (text, TRUE);
  return lines;
}

/* A reader that stands still stops nothing: lines are lost, one warning says so
 * when it begins, and at the end another how many. */
static void
test_stalled (void)
{
  const guint n_frames = 8000;

  for (guint eos = 0; eos < 2; eos++) {
    gchar *path = make_fifo (eos ? "stalled-eos.log" : "stalled.log");
    gint fd = open_reader (path);
    guint lost, more, last = 0;
    Bench bench;

    set_up (&bench, path);
    within (PATIENCE, start, &bench, 0);
    within (PATIENCE, push, &bench, n_frames);
    g_assert_cmpuint (pop_lost (&bench), ==, 1);
    g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
    if (eos)
      g_assert_cmpint (within (PATIENCE, push_eos, &bench, 0), <, STOPPING);
    else
      g_assert_cmpint (within (PATIENCE, stop, &bench, 0), <, STOPPING);
    lost = pop_lost (&bench);
    /* The one that was being written, unless there was room for it. */
    g_assert_cmpint (within (PATIENCE, stop, &bench, 0), <, STOPPING);
    more = pop_lost (&bench);
    lost = MAX (lost, more);
    g_assert_cmpuint (lost + read_lines (fd, 0, &last), ==, n_frames);
    g_assert_cmpuint (lost, >, 4096);
    close (fd);
    bench_clear (&bench);
    g_free (path);
  }
}

/* A reader may come late: nothing is lost. */
static void
test_late_reader (void)
{
  gchar *path = make_fifo ("late.log");
  guint last = 0;
  Bench bench;
  gint fd;

  set_up (&bench, path);
  within (PATIENCE, start, &bench, 0);
  within (PATIENCE, push, &bench, 100);
  fd = open_reader (path);
  g_assert_cmpuint (read_lines (fd, 100, &last), ==, 100);
  within (PATIENCE, push, &bench, 1);
  within (PATIENCE, push_eos, &bench, 0);
  g_assert_cmpuint (read_lines (fd, 1, &last), ==, 1);
  g_assert_cmpuint (last, ==, 101);
  close (fd);
  bench_clear (&bench);
  g_free (path);
}

/* Or never. */
static void
test_no_reader (void)
{
  gchar *path = make_fifo ("nobody.log");
  Bench bench;

  set_up (&bench, path);
  for (guint i = 0; i < 2; i++) {
    within (PATIENCE, start, &bench, 0);
    g_assert_cmpint (within (PATIENCE, stop, &bench, 0), <, STOPPING);
  }
  within (PATIENCE, start, &bench, 0);
  within (PATIENCE, push, &bench, 10);
  g_assert_cmpint (within (PATIENCE, push_eos, &bench, 0), <, STOPPING);
  g_assert_cmpint (within (PATIENCE, stop, &bench, 0), <, STOPPING);
  /* At the end of the stream one may just be tried. */
  if (pop_lost (&bench) < 10)
    g_assert_cmpuint (pop_lost (&bench), ==, 10);
  bench_clear (&bench);
  g_free (path);
}

/* Whether this process, which has the writer, has a file open. */
static gboolean
is_open (const gchar * path)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  gboolean found = FALSE;
  const gchar *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL) {
    gchar *link = g_build_filename ("/proc/self/fd", name, NULL);
    gchar *target = g_file_read_link (link, NULL);

    found = found || g_strcmp0 (target, path) == 0;
    g_free (target);
    g_free (link);
  }
  g_dir_close (dir);
  return found;
}

/* Or go, which ends neither the process nor the stream, and another one comes.
 * It gets what stands before all lines. */
static void
test_next_reader (void)
{
  gchar *path = make_fifo ("next.log"), head[17] = "";
  gint fd = open_reader (path);
  gint64 end = g_get_monotonic_time () + PATIENCE;
  guint last = 0;
  Bench bench;

  set_up (&bench, path);
  within (PATIENCE, start, &bench, 0);
  within (PATIENCE, push, &bench, 3);
  g_assert_cmpuint (read_lines (fd, 3, &last), ==, 3);
  close (fd);
  within (PATIENCE, push, &bench, 3);
  /* It finds out when it writes. */
  while (is_open (path) && g_get_monotonic_time () < end)
    g_usleep (1000);
  fd = open_reader (path);
  for (end = g_get_monotonic_time () + PATIENCE;
      read (fd, head, 16) != 16 && g_get_monotonic_time () < end;)
    g_usleep (1000);
  g_assert_cmpstr (head, ==, "psnr_log_version");
  while (read (fd, head, 1) == 1 && *head != '\n');
  g_assert_cmpuint (read_lines (fd, 3, &last), ==, 3);
  g_assert_cmpuint (last, ==, 6);
  close (fd);
  bench_clear (&bench);
  g_free (path);
}

/* A regular file gets all. */
static void
test_regular (void)
{
  gchar *path = test_path ("regular.log"), *text;
  guint last = 0;
  Bench bench;

  set_up (&bench, path);
  start (&bench, 0);
  push (&bench, 10000);
  push_eos (&bench, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpuint (count_lines (text, &last), ==, 10000);
  g_free (text);
  bench_clear (&bench);
  g_free (path);
}

/* Two elements on one file, whatever it is called. */
static void
test_two (void)
{
  gchar *path = test_path ("one.csv"), *link = test_path ("two.csv"), *text;
  const gchar *names[2] = { path, link };
  Bench first, second;

  set_up (&first, path);
  start (&first, 0);
  push (&first, 1);
  g_assert_cmpint (symlink (path, link), ==, 0);
  for (guint i = 0; i < 2; i++) {
    set_up (&second, names[i]);
    check_refused (&second, "another element");
    bench_clear (&second);
  }
  push_eos (&first, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\n0,"));
  g_free (text);
  stop (&first, 0);
  /* Now it is free. */
  set_up (&second, link);
  start (&second, 0);
  bench_clear (&second);
  bench_clear (&first);
  g_free (path);
  g_free (link);
}

/* Standard output that is closed, or whose number some other file has got. */
static void
test_closed_stdout (void)
{
  gint saved, pair[2], other = eventfd (0, 0);
  Bench bench;

  set_up (&bench, "-");
  fflush (stdout);
  saved = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, pair), ==, 0);
  for (guint i = 0; i < 4; i++) {
    GstStateChangeReturn ret;

    if (i == 0)
      close (STDOUT_FILENO);
    else if (i == 1)
      dup2 (other, STDOUT_FILENO);
    else if (i == 2)
      dup2 (pair[0], STDOUT_FILENO);
    else
      dup3 (saved, STDOUT_FILENO, O_CLOEXEC);
    ret = gst_element_set_state (bench.element, GST_STATE_PAUSED);
    dup2 (saved, STDOUT_FILENO);
    g_assert_cmpint (ret, ==, GST_STATE_CHANGE_FAILURE);
    check_error (&bench, "standard output is closed");
  }
  close (saved);
  close (other);
  close (pair[0]);
  close (pair[1]);
  bench_clear (&bench);
}

/* Two elements may share it. */
static void
test_shared_stdout (void)
{
  gchar *path = test_path ("out.log"), *text;
  gint saved = dup (STDOUT_FILENO);
  gint file = g_open (path, O_RDWR | O_CREAT, 0600);
  Bench first, second, third;

  set_up (&first, "-");
  set_up (&second, "-");
  set_up (&third, path);
  fflush (stdout);
  dup2 (file, STDOUT_FILENO);
  start (&first, 0);
  start (&second, 0);
  check_refused (&third, "another element");
  push (&first, 1);
  push (&second, 1);
  stop (&first, 0);
  stop (&second, 0);
  fflush (stdout);
  dup2 (saved, STDOUT_FILENO);
  close (saved);
  close (file);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "n:1 "));
  g_assert_nonnull (strstr (strstr (text, "n:1 ") + 1, "n:1 "));
  g_free (text);
  bench_clear (&first);
  bench_clear (&second);
  bench_clear (&third);
  g_free (path);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/writer/no-thread", test_no_thread);
  test_add ("/writer/stalled", test_stalled);
  test_add ("/writer/late-reader", test_late_reader);
  test_add ("/writer/no-reader", test_no_reader);
  test_add ("/writer/next-reader", test_next_reader);
  test_add ("/writer/regular", test_regular);
  test_add ("/writer/two", test_two);
  test_add ("/writer/closed-stdout", test_closed_stdout);
  test_add ("/writer/shared-stdout", test_shared_stdout);
  return test_run ();
}
