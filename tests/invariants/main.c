/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fuzzer of invariants: --help says how. Sequences of steps run in a child
 * process, so that whatever they do this process lives to tell of them. */
#define _GNU_SOURCE
#include "invariants.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH 60               /* steps of a sequence */

/* What a child tells of itself, in memory that both have. */
typedef struct
{
  guint sequence, at;
  guint64 steps, frames;
  gchar doing[64], text[6000];
} Progress;

static gint64 n_steps = 20000, seed = -1, only = -1;
static gint limit = 60;
static gboolean no_fork;
static gchar *element = "blockdct";

static const GOptionEntry options[] = {
  {"element", 'e', 0, G_OPTION_ARG_STRING, &element,
      "blockdct, blockdctcompare or blockdctpreview", "NAME"},
  {"steps", 'n', 0, G_OPTION_ARG_INT64, &n_steps, "Steps in all (20000)", "N"},
  {"seed", 's', 0, G_OPTION_ARG_INT64, &seed,
      "What steps are drawn from (by the clock)", "S"},
  {"sequence", 0, 0, G_OPTION_ARG_INT64, &only,
      "Only this sequence of that seed", "I"},
  {"limit", 0, 0, G_OPTION_ARG_INT, &limit,
      "Seconds that a step may take (60)", "N"},
  {"no-fork", 0, 0, G_OPTION_ARG_NONE, &no_fork,
      "In this process alone, for debuggers", NULL},
  {.long_name = NULL}
};

static Progress *progress;
static Subject subject;

extern int __lsan_do_recoverable_leak_check (void) __attribute__((weak));
const char *__tsan_default_options (void);

/* Whoever forks here has no other threads. */
const char *
__tsan_default_options (void)
{
  return "halt_on_error=1:exitcode=99:die_after_fork=0:"
      "ignore_noninstrumented_modules=1";
}

void
fail (const gchar * format, ...)
{
  static gint once;
  va_list args;

  /* The first of several threads that fail. */
  while (!g_atomic_int_compare_and_exchange (&once, 0, 1))
    pause ();
  va_start (args, format);
  g_vsnprintf (progress->text, sizeof progress->text, format, args);
  va_end (args);
  if (no_fork)
    g_printerr ("%s\n", progress->text);
  _exit (1);
}

void
doing (const gchar * what)
{
  g_strlcpy (progress->doing, what, sizeof progress->doing);
  progress->steps++;
  alarm (limit);
}

void
count_frame (void)
{
  progress->frames++;
}

static void
print_stack (int number)
{
  void *frames[64];

  (void) number;
  backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), 2);
  if (write (2, "\n", 1) < 0)
    _exit (2);
}

/* The watchdog: each thread prints where it is. */
static void
on_alarm (int number)
{
  DIR *tasks = opendir ("/proc/self/task");
  struct dirent *task;

  (void) number;
  strcpy (progress->text, "no end: ");
  strcat (progress->text, progress->doing);
  while (tasks != NULL && (task = readdir (tasks)) != NULL)
    if (atoi (task->d_name) > 0) {
      syscall (SYS_tgkill, getpid (), atoi (task->d_name), SIGUSR2);
      usleep (50000);
    }
  _exit (1);
}

static void
on_log (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer data)
{
  (void) data;
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    fail ("%s: %s", domain, message);
}

static void
begin (void)
{
  static const gchar *tags[] = { NULL };
  void *frame[1];

  backtrace (frame, 1);         /* which loads what it needs */
  signal (SIGALRM, on_alarm);
  signal (SIGUSR2, print_stack);
  g_log_set_default_handler (on_log, NULL);
  gst_meta_register_custom ("fuzz-meta", tags, NULL, NULL, NULL);
}

static void
run (const Step * steps)
{
  steps_run (steps, LENGTH, subject, &progress->at);
  doing ("the search for leaks");
  if (__lsan_do_recoverable_leak_check != NULL
      && __lsan_do_recoverable_leak_check () != 0)
    fail ("memory leaks");
}

static Step *
draw (guint sequence)
{
  return steps_draw ((guint64) seed * 1000003 + sequence, LENGTH, subject);
}

static void
run_sequences (guint first, guint end)
{
  for (guint i = first; i < end; i++) {
    Step *steps = draw (i);

    progress->sequence = i;
    run (steps);
    g_free (steps);
  }
}

/* Run sequences in a child, and show what it prints. What is wrong, to be
 * freed; NULL: nothing. */
static gchar *
try (guint first, guint end)
{
  gint output = memfd_create ("output", MFD_CLOEXEC), status;
  gchar *text = NULL, *at;
  gsize size;
  pid_t pid;

  progress->text[0] = '\0';
  fflush (NULL);
  pid = fork ();
  if (pid == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    dup2 (output, 2);
    begin ();
    run_sequences (first, end);
    _exit (0);
  }
  waitpid (pid, &status, 0);
  size = CLAMP (lseek (output, 0, SEEK_END), 0, 1 << 22);
  text = g_malloc0 (size + 1);
  if (pread (output, text, size, 0) != (gssize) size)
    text[0] = '\0';
  close (output);
  g_print ("%s", text);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0) {
    g_free (text);
    return NULL;
  }
  at = strstr (text, "SUMMARY: ");
  at = progress->text[0] != '\0' ? g_strdup (progress->text)
      : at != NULL ? g_strndup (at, strcspn (at, "\n"))
      : g_strdup_printf ("status %x", (guint) status);
  g_free (text);
  return at;
}

static void
report (const gchar * text)
{
  Step *steps = draw (progress->sequence);

  g_print ("FAILED: %s\n--element %s --seed %" G_GINT64_FORMAT
      " --sequence %u\n", text, element, seed, progress->sequence);
  for (guint i = 0; i <= progress->at; i++) {
    gchar *line = step_print (&steps[i]);

    g_print ("%s\n", line);
    g_free (line);
  }
  g_free (steps);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  GstPlugin *core;
  guint first, end;
  gint64 began;
  gchar *text;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  while (subject < N_SUBJECTS && strcmp (element, subject_names[subject]) != 0)
    subject++;
  if (subject == N_SUBJECTS) {
    g_printerr ("there is no element %s: --help\n", element);
    return 2;
  }
  if (seed < 0)
    seed = g_get_real_time () % 1000000000;
  progress = mmap (NULL, sizeof *progress, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  /* No threads: children go on from here. */
  gst_init (&argc, &argv);
  core = gst_plugin_load_file (CORE_ELEMENTS, NULL);
  gst_clear_object (&core);
  first = only >= 0 ? only : 0;
  end = only >= 0 ? only + 1 : (n_steps + LENGTH - 1) / LENGTH;
  began = g_get_monotonic_time ();
  if (no_fork) {
    begin ();
    run_sequences (first, end);
    return 0;
  }
  text = try (first, end);
  g_print ("%s, seed %" G_GINT64_FORMAT ": %" G_GUINT64_FORMAT " steps, %"
      G_GUINT64_FORMAT " frames, %.1f s\n", element, seed, progress->steps,
      progress->frames, (g_get_monotonic_time () - began) / 1e6);
  if (text == NULL)
    return 0;
  report (text);
  return 1;
}
