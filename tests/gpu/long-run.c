/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs of any length: what the process takes must stay flat, every message must
 * be right, and after every fault the same process plays again. Each phase is a
 * process of its own, so that a crash or a hang is one failed test.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where the backend of
 * BLOCKDCT_TEST_BACKEND does not run. */
#include "long-run.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_STREAMS 256

static const gint depths[] = { 1, 8 };

/* Of a phase, beside the time it is to take: the CPU engine under sanitizers
 * needs some. */
#define PHASE_LIMIT 240

/* For frames to come out of all pipelines. */
#define PATIENCE 60

static gdouble minutes;
static gint depth, n_pipelines, n_restarts, number, n_passed, n_failed,
    n_skipped;
static gboolean soak_asked, faults_asked, take_asked;
static gchar *phase;

static const GOptionEntry entries[] = {
  {"soak", 0, 0, G_OPTION_ARG_NONE, &soak_asked,
      "Pipelines in each kind of memory at full speed", NULL},
  {"pipelines", 0, 0, G_OPTION_ARG_INT, &n_pipelines,
      "N pipelines at full speed", "N"},
  {"restarts", 0, 0, G_OPTION_ARG_INT, &n_restarts,
      "NULL to PLAYING and back, N times", "N"},
  {"faults", 0, 0, G_OPTION_ARG_NONE, &faults_asked,
      "What goes wrong while it plays", NULL},
  {"minutes", 0, 0, G_OPTION_ARG_DOUBLE, &minutes,
      "How long --soak and --pipelines run (default: seconds)", "M"},
  {"depth", 0, 0, G_OPTION_ARG_INT, &depth,
      "Their async-depth (default: --soak at 1 and at 8, --pipelines at 2)",
      "D"},
  {"phase", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &phase, NULL, NULL},
  {"number", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &number, NULL, NULL},
  {"take-memory", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &take_asked,
      NULL, NULL},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

const gchar *
backend (void)
{
  const gchar *name = g_getenv ("BLOCKDCT_TEST_BACKEND");

  return name != NULL && *name != '\0' ? name : "cpu";
}

gboolean
on_cuda (void)
{
  return strcmp (backend (), "cuda") == 0;
}

/* Phases, each in its own process */

static gchar current[256];

void
stage (const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (current, sizeof current, format, args);
  va_end (args);
}

static void
on_end (int signal)
{
  static const char before[] = "ended while: ";
  ssize_t ret;

  (void) signal;
  ret = write (STDOUT_FILENO, before, sizeof before - 1);
  ret += write (STDOUT_FILENO, current, strlen (current));
  ret += write (STDOUT_FILENO, "\n", 1);
  _exit (ret > 0 ? FAILED : 2);
}

/* Where frames lie; by the stream's number in turn. */
static Stream *
make_stream (guint i)
{
  Recipe recipe = {
    .memory = i % 3 == 0 && on_cuda () ? MEMORY_CUDA
        : i % 3 == 1 ? MEMORY_OWN : MEMORY_POOL,
    .between = i % 3 == 2 ? CUDA_CAPS : NULL,
    .forms = {{"NV12", 320, 180}},
    .depth = depth,
  };

  if (on_cuda ())
    recipe.forms[0] = (Form) {"NV12", 1920, 1080};
  return stream_new (&recipe, 0);
}

static guint64
count_frames (Stream ** streams, guint n)
{
  guint64 frames = 0;

  for (guint i = 0; i < n; i++)
    frames += stream_frames (streams[i]);
  return frames;
}

static void
print_line (gdouble seconds, guint64 frames, gdouble fps, const Usage * usage)
{
  gchar gpu[16] = "-";

  if (usage->gpu >= 0)
    g_snprintf (gpu, sizeof gpu, "%d", usage->gpu);
  printf ("%8.1f %12" G_GUINT64_FORMAT " %9.0f %9" G_GINT64_FORMAT
      " %6d %8d %8s\n", seconds, frames, fps, usage->resident / 1024,
      usage->descriptors, usage->threads, gpu);
}

/* Watch what plays; FALSE if a stream stands still. */
static gboolean
watch (Stream ** streams, guint n, Growth * growth)
{
  gdouble seconds = minutes * 60, line = CLAMP (seconds / 10, 0.2, 60);
  gdouble next = seconds / 20, last = 0;
  guint64 frames = count_frames (streams, n), before[MAX_STREAMS];
  gint64 begin = g_get_monotonic_time ();
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++)
    before[i] = stream_frames (streams[i]);
  printf ("%8s %12s %9s %9s %6s %8s %8s\n", "seconds", "frames", "frames/s",
      "RSS KiB", "files", "threads", "GPU MiB");
  for (gdouble now = 0; now < seconds && ok;) {
    gboolean is_line = now >= next;
    Usage usage = usage_now (is_line);

    growth_add (growth, &usage, now < seconds / 10);
    if (is_line) {
      guint64 all = count_frames (streams, n);

      print_line (now, all, (all - frames) / (now - last), &usage);
      for (guint i = 0; i < n; i++) {
        guint64 passed = stream_frames (streams[i]);

        /* Seconds are enough for one frame, but not on a busy machine. */
        if (passed == before[i] && now - last > 10) {
          printf ("pipeline %u stands still at %" G_GUINT64_FORMAT "\n", i,
              passed);
          ok = FALSE;
        }
        before[i] = passed;
        ok = ok && stream_wait (streams[i], 0, 0.01);
      }
      frames = all;
      last = now;
      next = MAX (next + line, seconds / 10 + 0.01);
    }
    stage ("playing, %.0f of %.0f s", now, seconds);
    g_usleep (20000);
    now = (g_get_monotonic_time () - begin) / (gdouble) G_USEC_PER_SEC;
  }
  return ok;
}

static Outcome
run_soak (guint n)
{
  Stream *streams[MAX_STREAMS] = { NULL };
  Growth growth = { 0 };
  gboolean ok = TRUE;

  for (guint i = 0; i < n && ok; i++)
    ok = (streams[i] = make_stream (i)) != NULL;
  for (guint i = 0; i < n && ok; i++)
    stream_play (streams[i]);
  for (guint i = 0; i < n && ok; i++)
    ok = stream_wait (streams[i], 4 * depth, PATIENCE);
  if (ok)
    ok = watch (streams, n, &growth) && growth_is_flat (&growth);
  for (guint i = 0; i < n && streams[i] != NULL; i++)
    long_src_stop (streams[i]->src);
  for (guint i = 0; i < n && streams[i] != NULL; i++) {
    Stream *stream = streams[i];

    ok = stream_wait (stream, FRAMES_EOS, PATIENCE) && ok;
    if (stream_frames (stream) != long_src_frames (stream->src)) {
      printf ("pipeline %u: %" G_GUINT64_FORMAT " messages for %"
          G_GUINT64_FORMAT " frames\n", i, stream_frames (stream),
          long_src_frames (stream->src));
      ok = FALSE;
    }
    ok = stream_is_well (stream) && ok;
    stream_free (stream);
  }
  return ok ? PASSED : FAILED;
}

/* When stopped, once the threads that were there have ended. */
static void
add_settled (Growth * growth, gboolean warm)
{
  Usage usage = usage_now (TRUE);

  for (guint i = 0; i < 100 && !warm
      && usage.threads > growth->warm.threads; i++) {
    g_usleep (10000);
    usage.threads = usage_now (FALSE).threads;
  }
  growth_add (growth, &usage, warm);
}

static Outcome
run_restarts (guint n)
{
  guint n_warm = MAX (n / 10, 4);
  Stream *stream = make_stream (2);
  Growth growth = { 0 };
  gboolean ok = stream != NULL;

#ifdef M_MMAP_THRESHOLD
  /* Else what is large is kept once it was freed, in the heap of whichever
   * thread asks next, and that may be after the warm-up. */
  mallopt (M_MMAP_THRESHOLD, 1 << 17);
#endif
  for (guint i = 0; i < n && ok; i++) {
    stream_play (stream);
    /* Some are stopped at once. */
    if (i % 3 != 1)
      ok = stream_wait (stream, 3, PATIENCE);
    stream_end (stream);
    ok = stream_is_well (stream) && ok;
    if (i < n_warm || i % (n_warm / 2) == 0 || i + 1 == n)
      add_settled (&growth, i < n_warm);
  }
  ok = growth_is_flat (&growth) && ok;
  g_clear_pointer (&stream, stream_free);
  return ok ? PASSED : FAILED;
}

static Outcome
run_phase (void)
{
  signal (SIGTERM, on_end);
  stage ("starting");
  /* A thread that is done with is gone. */
  g_thread_pool_set_max_unused_threads (0);
  if (strcmp (phase, "soak") == 0)
    return run_soak (number);
  if (strcmp (phase, "restarts") == 0)
    return run_restarts (number);
  for (guint i = 0; i < n_faults; i++)
    if (strcmp (phase, faults[i].name) == 0)
      return faults[i].run (number ? CUDA_CAPS : NULL, depth) ? PASSED : FAILED;
  printf ("no phase '%s'\n", phase);
  return FAILED;
}

/* The process that starts them */

static gboolean
has_ended (GPid pid, gdouble seconds, int *status)
{
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);

  do {
    if (waitpid (pid, status, WNOHANG) != 0)
      return TRUE;
    g_usleep (20000);
  } while (g_get_monotonic_time () < end);
  return FALSE;
}

static void
count (Outcome outcome, const gchar * what, const gchar * how)
{
  printf ("%s: %s%s\n", outcome == PASSED ? "ok" : outcome == SKIPPED
      ? "skipped" : "FAILED", what, how);
  if (outcome == PASSED)
    n_passed++;
  else if (outcome == SKIPPED)
    n_skipped++;
  else
    n_failed++;
}

static void
start_phase (const gchar * what, const gchar * name, gint with_number,
    gint with_depth, gdouble for_minutes)
{
  gchar *argv[] = { (gchar *) "/proc/self/exe", (gchar *) "--phase",
    (gchar *) name, g_strdup_printf ("--number=%d", with_number),
    g_strdup_printf ("--depth=%d", with_depth),
    g_strdup_printf ("--minutes=%.9f", for_minutes), NULL
  };
  gdouble limit = for_minutes * 60 + PHASE_LIMIT;
  gchar how[64] = "";
  Outcome outcome = FAILED;
  int status = 0;
  GPid pid;

  printf ("\n%s\n", what);
  if (!g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
          &pid, NULL))
    g_snprintf (how, sizeof how, ": cannot be started");
  else if (!has_ended (pid, limit, &status)) {
    g_snprintf (how, sizeof how, ": hangs, ended after %.0f s", limit);
    kill (pid, SIGTERM);
    if (!has_ended (pid, 5, &status)) {
      kill (pid, SIGKILL);
      waitpid (pid, &status, 0);
    }
  } else if (WIFSIGNALED (status))
    g_snprintf (how, sizeof how, ": %s", g_strsignal (WTERMSIG (status)));
  else
    outcome = WEXITSTATUS (status);
  count (outcome, what, how);
  for (guint i = 3; i < 6; i++)
    g_free (argv[i]);
}

static void
start_fault (const Fault * fault)
{
  for (gint on_gpu = 0; on_gpu <= fault->needs_gpu; on_gpu++)
    for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
      gchar *what = g_strdup_printf ("%s; depth %d, %s memory", fault->what,
          depths[i], on_gpu ? "CUDA" : "system");

      start_phase (what, fault->name, on_gpu, depths[i], 0);
      g_free (what);
    }
}

static void
run_all (void)
{
  gboolean all = !soak_asked && !n_pipelines && !n_restarts && !faults_asked;
  gdouble time = minutes > 0 ? minutes : on_cuda () ? 5 / 60. : 1 / 60.;
  gchar what[128];

  if (all) {
    soak_asked = faults_asked = TRUE;
    n_pipelines = on_cuda () ? 32 : 8;
    n_restarts = on_cuda () ? 100 : 20;
  }
  for (guint i = 0; soak_asked && i < (depth > 0 ? 1 : G_N_ELEMENTS (depths));
      i++) {
    gint d = depth > 0 ? depth : depths[i];

    g_snprintf (what, sizeof what, "%g s at full speed, depth %d", time * 60,
        d);
    start_phase (what, "soak", 3, d, time);
  }
  if (n_pipelines > 0) {
    g_snprintf (what, sizeof what, "%d pipelines, %g s", n_pipelines,
        time * 60);
    start_phase (what, "soak", n_pipelines, depth > 0 ? depth : 2, time);
  }
  if (n_restarts > 0) {
    g_snprintf (what, sizeof what, "%d times NULL to PLAYING", n_restarts);
    start_phase (what, "restarts", n_restarts, depth > 0 ? depth : 2, 0);
  }
  for (guint i = 0; faults_asked && i < n_faults; i++)
    if (on_cuda () || !faults[i].needs_gpu)
      start_fault (&faults[i]);
}

/* Why the backend does not run here; NULL if it does. To be freed. */
static gchar *
backend_missing (void)
{
  GstElement *element = gst_element_factory_make ("blockdct", NULL);
  GError *error = NULL;
  GstMessage *message;
  gchar *reason = NULL;
  GstBus *bus;

  if (element == NULL)
    return g_strdup ("no element 'blockdct': set GST_PLUGIN_PATH_1_0");
  bus = gst_bus_new ();
  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  gst_util_set_object_arg (G_OBJECT (element), "backend", backend ());
  gst_element_set_state (element, GST_STATE_PAUSED);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message != NULL) {
    gst_message_parse_error (message, &error, NULL);
    reason = g_strdup (error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  return reason;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new
      ("- blockdct for minutes, and after faults");
  GError *error = NULL;
  gchar *missing;

  setvbuf (stdout, NULL, _IOLBF, 0);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1
      || minutes < 0 || depth < 0 || n_restarts < 0 || n_pipelines < 0
      || n_pipelines > MAX_STREAMS) {
    fprintf (stderr, "%s\n", error != NULL ? error->message
        : "see --help; no more than " G_STRINGIFY (MAX_STREAMS) " pipelines");
    return 2;
  }
  g_option_context_free (context);
  if (take_asked)
    return take_memory ();
  gst_init (NULL, NULL);
  if (phase != NULL)
    return run_phase ();
  missing = backend_missing ();
  if (missing != NULL) {
    printf ("%s\n0 passed, 0 failed, 1 skipped\n", missing);
    g_free (missing);
    return SKIPPED;
  }
  run_all ();
  printf ("%d passed, %d failed, %d skipped\n", n_passed, n_failed, n_skipped);
  return n_failed > 0;
}
