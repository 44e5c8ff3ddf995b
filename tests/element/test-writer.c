/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stats-file where somebody reads, slowly or not at all, and where it is
 * another's. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench.h"

#define N_FRAMES 3000

/* Push frames until there are enough, or one is refused. */
static gpointer
push (gpointer data)
{
  Bench *bench = data;
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < N_FRAMES && ret == GST_FLOW_OK; i++) {
    GstBuffer *out;

    ret = gst_harness_push (bench->h, frame_new (&bench->info, i));
    out = gst_harness_try_pull (bench->h);
    gst_clear_buffer (&out);
  }
  return GINT_TO_POINTER (ret);
}

static void
push_eos (Bench * bench)
{
  g_assert_true (gst_harness_push_event (bench->h, gst_event_new_eos ()));
}

static void
start (Bench * bench)
{
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

/* A slow reader gets every line, whole. */
TEST ("/writer/slow", test_slow)
{
  g_autofree gchar *path = make_fifo ("slow.log");
  GString *text = g_string_new (NULL);
  gint fd = open_reader (path);
  g_auto (GStrv) lines;
  guint newlines = 0;
  GThread *thread;
  Bench bench;

  set_up (&bench, path);
  start (&bench);
  thread = g_thread_new ("push", push, &bench);
  while (newlines < 1 + N_FRAMES) {
    gchar data[512];
    gssize n = read (fd, data, sizeof data);

    if (n > 0)
      g_string_append_len (text, data, n);
    else
      g_usleep (1000);
    for (gssize i = 0; i < n; i++)
      newlines += data[i] == '\n';
  }
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_OK);
  lines = g_strsplit (text->str, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "psnr_log_version"));
  for (guint i = 1; i <= N_FRAMES; i++) {
    g_autofree gchar *number = g_strdup_printf ("n:%u ", i);

    g_assert_true (g_str_has_prefix (lines[i], number)
        && g_str_has_suffix (lines[i], " "));
  }
  g_string_free (text, TRUE);
  close (fd);
  bench_clear (&bench);
}

/* One that stands still holds up the stream, but not its end. */
TEST ("/writer/stopped", test_stopped)
{
  g_autofree gchar *path = make_fifo ("stopped.log");
  gint fd = open_reader (path);
  struct pollfd room = {.events = POLLOUT };
  GThread *thread;
  Bench bench;

  set_up (&bench, path);
  start (&bench);
  thread = g_thread_new ("push", push, &bench);
  room.fd = open (path, O_WRONLY | O_NONBLOCK);
  g_assert_cmpint (room.fd, >=, 0);
  while (poll (&room, 1, 0) > 0)
    g_usleep (1000);
  gst_element_set_state (bench.element, GST_STATE_NULL);
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==,
      GST_FLOW_FLUSHING);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ERROR));
  close (room.fd);
  close (fd);
  bench_clear (&bench);
}

/* One that leaves ends the stream, not the process; and there has to be one. */
TEST ("/writer/no-reader", test_no_reader)
{
  g_autofree gchar *path = make_fifo ("nobody.log");
  Bench bench;
  gint fd;

  set_up (&bench, path);
  check_refused (&bench, "nobody reads");
  fd = open_reader (path);
  start (&bench);
  close (fd);
  g_assert_cmpint (GPOINTER_TO_INT (push (&bench)), ==, GST_FLOW_ERROR);
  check_error (&bench, "Broken pipe");
  bench_clear (&bench);
}

/* Two elements on one file, whatever it is called. */
TEST ("/writer/two", test_two)
{
  gchar *path = test_path ("one.csv"), *link = test_path ("two.csv"), *text;
  const gchar *names[2] = { path, link };
  Bench first, second;

  set_up (&first, path);
  start (&first);
  bench_pass (&first, 0);
  g_assert_cmpint (symlink (path, link), ==, 0);
  for (guint i = 0; i < 2; i++) {
    set_up (&second, names[i]);
    check_refused (&second, "another element");
    bench_clear (&second);
  }
  push_eos (&first);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\n0,"));
  g_free (text);
  gst_element_set_state (first.element, GST_STATE_NULL);
  /* Now it is free. */
  set_up (&second, link);
  start (&second);
  bench_clear (&second);
  bench_clear (&first);
  g_free (path);
  g_free (link);
}

/* Two elements may share standard output. */
TEST ("/writer/shared-stdout", test_shared_stdout)
{
  gchar *path = test_path ("out.log"), *text;
  gint saved = dup (STDOUT_FILENO);
  gint file = g_open (path, O_RDWR | O_CREAT, 0600);
  Bench first, second;

  set_up (&first, "-");
  set_up (&second, "-");
  fflush (stdout);
  dup2 (file, STDOUT_FILENO);
  start (&first);
  start (&second);
  bench_pass (&first, 0);
  bench_pass (&second, 0);
  gst_element_set_state (first.element, GST_STATE_NULL);
  gst_element_set_state (second.element, GST_STATE_NULL);
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
  g_free (path);
}
