/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fuzzer's program: --help says how. Sequences of steps run in a child
 * process, one after the other until one fails, so that whatever it does, this
 * process lives to shorten it. */
#define _GNU_SOURCE
#include "steps.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH 120              /* steps of a sequence */
#define MAX_JOBS 64
#define SHORTEN (120 * G_USEC_PER_SEC)  /* longer is not worth a shorter one */

/* What a process tells of itself, in memory that both have. */
typedef struct
{
  guint sequence, step;
  guint64 steps, frames;
  gchar doing[64], text[1500];
} Progress;

static gint64 n_steps = 20000, seed = -1, only = -1;
static gint n_jobs = 1, limit = 30;
static gboolean with_threads, keep_going, no_fork;
static gchar *replay;

static const GOptionEntry options[] = {
  {"steps", 'n', 0, G_OPTION_ARG_INT64, &n_steps, "Steps in all (20000)", "N"},
  {"seed", 's', 0, G_OPTION_ARG_INT64, &seed,
      "What steps are drawn from (by the clock)", "S"},
  {"sequence", 0, 0, G_OPTION_ARG_INT64, &only,
      "Only this sequence of that seed", "I"},
  {"threads", 't', 0, G_OPTION_ARG_NONE, &with_threads,
      "With several threads", NULL},
  {"jobs", 'j', 0, G_OPTION_ARG_INT, &n_jobs, "Processes at a time (1)", "N"},
  {"limit", 0, 0, G_OPTION_ARG_INT, &limit,
      "Seconds that a step may take (30)", "N"},
  {"replay", 'r', 0, G_OPTION_ARG_FILENAME, &replay,
      "Run the steps in a file (-: standard input)", "FILE"},
  {"keep-going", 'k', 0, G_OPTION_ARG_NONE, &keep_going,
      "Go on after a failure, and report each sort once", NULL},
  {"no-fork", 0, 0, G_OPTION_ARG_NONE, &no_fork,
      "In this process alone, which ends at the first failure", NULL},
  {.long_name = NULL}
};

static Progress *progress;      /* of this process, or all of them */

/* A sanitizer's finding ends the process, with a status of its own. Leaks are
 * looked for where the environment asks for it, as it does in `meson test`, and
 * says which are the libraries'. */
extern int __lsan_do_recoverable_leak_check (void) __attribute__ ((weak));
const char *__asan_default_options (void);
const char *__ubsan_default_options (void);
const char *__tsan_default_options (void);

const char *
__asan_default_options (void)
{
  return "exitcode=99:detect_leaks=0:allocator_may_return_null=1";
}

const char *
__ubsan_default_options (void)
{
  return "halt_on_error=1:exitcode=99:print_stacktrace=1";
}

const char *
__tsan_default_options (void)
{
  /* Whoever forks here has no other threads. Reference counts of libraries
   * that are not built with it are nothing that it sees. */
  return "halt_on_error=1:exitcode=99:die_after_fork=0:"
      "ignore_noninstrumented_modules=1";
}

/* Failures */

/* Called by a signal's handler, too. */
static void
print_failure (void)
{
  gchar text[2 * sizeof progress->text];
  gint n = g_snprintf (text, sizeof text, "\nFAILED: %s\nseed %"
      G_GINT64_FORMAT ", sequence %u%s: --seed %" G_GINT64_FORMAT
      " --sequence %u%s\n", progress->text, seed, progress->sequence,
      with_threads ? ", threads" : "", seed, progress->sequence,
      with_threads ? " --threads" : "");

  if (write (1, text, n) != n)
    _exit (2);
}

void
fail (const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (progress->text, sizeof progress->text, format, args);
  va_end (args);
  if (no_fork)
    print_failure ();
  _exit (1);
}

void
doing (const gchar * what)
{
  g_strlcpy (progress->doing, what, sizeof progress->doing);
  alarm (limit);
}

void
count_step (void)
{
  progress->steps++;
}

void
count_frames (guint n)
{
  progress->frames += n;
}

static void
on_alarm (int number)
{
  static const char text[] = "this took too long: ";

  (void) number;
  memcpy (progress->text, text, sizeof text);
  memcpy (progress->text + sizeof text - 1, progress->doing,
      sizeof progress->doing);
  if (no_fork)
    print_failure ();
  _exit (2);
}

static void
on_log (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer data)
{
  (void) data;
  /* What GStreamer says of a navigation event that is none. */
  if (g_str_has_prefix (message, "Couldn't extract"))
    return;
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    fail ("%s: %s: %s", level & G_LOG_LEVEL_WARNING ? "WARNING" : "CRITICAL",
        domain, message);
}

/* In a child */

static guint64
seed_of (guint64 sequence)
{
  return (guint64) seed * G_GUINT64_CONSTANT (1000003) + sequence;
}

/* In a build without AddressSanitizer the function is not there. */
static void
check_leaks (void)
{
  doing ("the search for leaks");
  if (__lsan_do_recoverable_leak_check != NULL
      && __lsan_do_recoverable_leak_check () != 0)
    fail ("memory leaks");
}

static void
run_steps (const Step * steps, guint n)
{
  World *w = world_new (FALSE);

  for (guint i = 0; i < n; i++) {
    progress->step = i;
    world_step (w, &steps[i]);
  }
  progress->step = n;
  world_free (w);
  check_leaks ();
}

static void
run_sequences (guint first, guint step, guint end)
{
  for (guint i = first; i < end; i += step) {
    progress->sequence = i;
    if (with_threads) {
      threads_run (seed_of (i), LENGTH);
      check_leaks ();
    } else {
      Step *steps = steps_draw (seed_of (i), LENGTH);

      run_steps (steps, LENGTH);
      g_free (steps);
    }
  }
}

/* What a process does before its first sequence. */
static void
begin (Progress * slot)
{
  static const gchar *tags[] = { NULL };

  progress = slot;
  signal (SIGALRM, on_alarm);
  signal (SIGPIPE, SIG_IGN);
  g_log_set_default_handler (on_log, NULL);
  gst_meta_register_custom ("fuzz-meta", tags, NULL, NULL, NULL);
}

/* A child; what it prints goes to `*output`. */
static pid_t
start (Progress * slot, gint * output)
{
  pid_t pid;

  *output = memfd_create ("output", MFD_CLOEXEC);
  slot->text[0] = '\0';
  fflush (NULL);
  pid = fork ();
  if (pid < 0)
    g_error ("fork: %s", g_strerror (errno));
  if (pid == 0) {
    dup2 (*output, 2);
    begin (slot);
  }
  return pid;
}

/* How a child ended, as a line; NULL: well. A sanitizer's is its summary. */
static gchar *
verdict (const Progress * slot, gint status, gint output)
{
  gchar *text = NULL, *at = NULL;
  /* A sanitizer's are some kilobytes. */
  const gsize size = CLAMP (lseek (output, 0, SEEK_END), 0, 1 << 24);

  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return NULL;
  if (slot->text[0] != '\0')
    return g_strdup (slot->text);
  text = g_malloc0 (size + 1);
  if (pread (output, text, size, 0) == (gssize) size
      && ((at = strstr (text, "SUMMARY: ")) != NULL
          || (at = strstr (text, "runtime error: ")) != NULL))
    at = g_strndup (at, strcspn (at, "\n"));
  else
    at = WIFSIGNALED (status) ? g_strdup_printf ("signal %d: %s",
        WTERMSIG (status), g_strsignal (WTERMSIG (status)))
        : g_strdup_printf ("exit status %d", WEXITSTATUS (status));
  g_free (text);
  return at;
}

/* What stays the same where only numbers differ. */
static gchar *
sort_of (const gchar * text)
{
  GString *sort = g_string_new (NULL);

  const gchar *end = strstr (text, ", in ");

  for (; *text != '\0' && text != end; text++)
    if (!g_ascii_isdigit (*text) && strchr ("abcdef.-", *text) == NULL)
      g_string_append_c (sort, *text);
  return g_string_free (sort, FALSE);
}

static gchar *
try_steps (Progress * slot, const Step * steps, guint n)
{
  gint output, status;
  pid_t pid = start (slot, &output);
  gchar *text;

  if (pid == 0) {
    run_steps (steps, n);
    _exit (0);
  }
  waitpid (pid, &status, 0);
  text = verdict (slot, status, output);
  close (output);
  return text;
}

static gint64 until;            /* that may shorten */

static gboolean
fails_alike (Progress * slot, const Step * steps, guint n, const gchar * sort)
{
  gchar *text, *other;
  gboolean alike;

  if (g_get_monotonic_time () > until)
    return FALSE;
  text = try_steps (slot, steps, n);
  if (text == NULL)
    return FALSE;
  other = sort_of (text);
  alike = strcmp (sort, other) == 0;
  g_free (other);
  g_free (text);
  return alike;
}

/* Leave out parts, ever smaller, as long as it fails alike. */
static guint
shorten (Progress * slot, Step * steps, guint n, const gchar * sort)
{
  Step *fewer = g_new (Step, n + 1);
  guint part = (n + 1) / 2;

  while (n > 0 && part > 0) {
    gboolean shorter = FALSE;

    for (guint at = 0; at < n;) {
      guint left_out = MIN (part, n - at);

      memcpy (fewer, steps, at * sizeof *steps);
      memcpy (fewer + at, steps + at + left_out,
          (n - at - left_out) * sizeof *steps);
      if (fails_alike (slot, fewer, n - left_out, sort)) {
        n -= left_out;
        memcpy (steps, fewer, n * sizeof *steps);
        shorter = TRUE;
      } else {
        at += left_out;
      }
    }
    if (!shorter || part > n)
      part = part == 1 && shorter ? 1 : part / 2;
  }
  g_free (fewer);
  return n;
}

/* And make what is left plainer: every number as small as it may be. */
static void
simplify (Progress * slot, Step * steps, guint n, const gchar * sort)
{
  for (guint i = 0; i < n; i++)
    for (guint a = 0; a < MAX_ARGS; a++) {
      const Arg *arg = &kind_get (steps[i].kind)->arg[a];
      gint64 old = steps[i].arg[a];

      if (arg->name == NULL)
        break;
      if (old == arg->min)
        continue;
      steps[i].arg[a] = arg->min;
      if (!fails_alike (slot, steps, n, sort))
        steps[i].arg[a] = old;
    }
}

/* In the parent */

static void
print_output (gint output)
{
  gchar buffer[4096];
  off_t at = 0;
  gssize n;

  while ((n = pread (output, buffer, sizeof buffer, at)) > 0) {
    fwrite (buffer, 1, n, stdout);
    at += n;
  }
  fflush (stdout);
}

static void
report (Progress * slot, const gchar * text, gint output, GHashTable * sorts)
{
  guint sequence = slot->sequence, step = slot->step, n = LENGTH;
  gchar *sort = sort_of (text);
  Step *steps;

  if (!g_hash_table_add (sorts, g_strdup (sort))) {
    g_free (sort);
    return;
  }
  progress = slot;
  g_strlcpy (slot->text, text, sizeof slot->text);
  print_failure ();
  print_output (output);
  if (!with_threads) {
    steps = steps_draw (seed_of (sequence), n);
    until = g_get_monotonic_time () + SHORTEN;
    n = shorten (slot, steps, MIN (step + 1, n), sort);
    simplify (slot, steps, n, sort);
    g_print ("the shortest that fails so%s, for --replay:\n",
        g_get_monotonic_time () > until ? ", as far as time allowed" : "");
    for (guint i = 0; i < n; i++) {
      gchar *line = step_print (&steps[i]);

      g_print ("%s\n", line);
      g_free (line);
    }
    g_free (steps);
  }
  g_free (sort);
}

static void
print_sum (gint64 began, gint64 steps, gint64 frames, guint failures,
    guint sorts)
{
  gdouble seconds = (g_get_monotonic_time () - began) / 1e6;

  g_print ("seed %" G_GINT64_FORMAT "%s: %" G_GINT64_FORMAT " steps, %"
      G_GINT64_FORMAT " frames, %.1f s, %.0f steps/s, %u failures of %u "
      "sorts\n", seed, with_threads ? ", threads" : "", steps, frames, seconds,
      steps / seconds, failures, sorts);
}

static void
run_here (void)
{
  gint64 began = g_get_monotonic_time ();
  Progress here = { 0 };

  begin (&here);
  if (only >= 0)
    run_sequences (only, 1, only + 1);
  else
    run_sequences (0, 1, (n_steps + LENGTH - 1) / LENGTH);
  print_sum (began, here.steps, here.frames, 0, 0);
}

static gint
run_all (void)
{
  guint n_sequences = (n_steps + LENGTH - 1) / LENGTH, failures = 0;
  GHashTable *sorts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  Progress *slots = mmap (NULL, (MAX_JOBS + 1) * sizeof *slots,
      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  gint64 began = g_get_monotonic_time (), steps = 0, frames = 0;
  guint next[MAX_JOBS], end = n_sequences;
  gint output[MAX_JOBS], status;
  pid_t pid[MAX_JOBS] = { 0 };

  n_jobs = CLAMP (n_jobs, 1, MAX_JOBS);
  if (only >= 0) {
    n_jobs = 1;
    end = only + 1;
  }
  for (gint j = 0; j < n_jobs; j++)
    next[j] = only >= 0 ? only : j;
  for (gint running = n_jobs; running > 0;) {
    for (gint j = 0; j < n_jobs; j++)
      if (pid[j] == 0 && next[j] < end
          && (pid[j] = start (&slots[j], &output[j])) == 0) {
        run_sequences (next[j], n_jobs, end);
        _exit (0);
      }
    running = 0;
    for (gint j = 0; j < n_jobs; j++) {
      gchar *text;

      if (pid[j] == 0)
        continue;
      waitpid (pid[j], &status, 0);
      pid[j] = 0;
      text = verdict (&slots[j], status, output[j]);
      next[j] = text == NULL ? end : slots[j].sequence + n_jobs;
      if (text != NULL) {
        failures++;
        if (!keep_going)
          end = 0;
        slots[MAX_JOBS] = slots[j];
        report (&slots[MAX_JOBS], text, output[j], sorts);
      }
      close (output[j]);
      g_free (text);
      running += next[j] < end;
    }
  }
  for (gint j = 0; j < n_jobs; j++) {
    steps += slots[j].steps;
    frames += slots[j].frames;
  }
  print_sum (began, steps, frames, failures, g_hash_table_size (sorts));
  g_hash_table_unref (sorts);
  return failures > 0;
}

static gint
run_file (void)
{
  Progress *slot = mmap (NULL, sizeof *slot, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  FILE *file = strcmp (replay, "-") == 0 ? stdin : fopen (replay, "r");
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (Step));
  gchar *text, *error, line[512];
  gint output, status;
  pid_t pid;

  if (file == NULL) {
    g_printerr ("%s: %s\n", replay, g_strerror (errno));
    return 2;
  }
  for (guint n = 1; fgets (line, sizeof line, file) != NULL; n++) {
    Step step;

    if (!step_parse (line, &step, &error)) {
      g_printerr ("%s:%u: %s\n", replay, n, error);
      return 2;
    }
    if (step.kind < n_kinds ())
      g_array_append_val (steps, step);
  }
  pid = start (slot, &output);
  if (pid == 0) {
    run_steps ((Step *) steps->data, steps->len);
    _exit (0);
  }
  waitpid (pid, &status, 0);
  text = verdict (slot, status, output);
  print_output (output);
  if (text == NULL)
    g_print ("%u steps, %" G_GUINT64_FORMAT " frames: passed\n", steps->len,
        slot->frames);
  else
    g_print ("FAILED at step %u: %s\n", slot->step + 1, text);
  return text != NULL;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  if (seed < 0)
    seed = g_get_real_time () % 1000000000;
  /* No threads: children go on from here. */
  gst_init (&argc, &argv);
  if (no_fork) {
    run_here ();
    return 0;
  }
  return replay != NULL ? run_file () : run_all ();
}
