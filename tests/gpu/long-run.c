/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs of any length: what the process takes must stay flat, every message must
 * be right, and after every fault of a GPU the same process plays again. Each
 * phase is a process of its own, so that a crash or a hang is one failed test.
 * Pictures are still, so that a source costs next to nothing and the figures of
 * all frames are those of the first, which the CPU engine tells.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where the backend of
 * BLOCKDCT_TEST_BACKEND does not run. */
#include "long-run.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_STREAMS 256
#define PHASE_LIMIT 240         /* s, beside the time that a phase is to take */

static gdouble minutes;
static gint n_pipelines, n_restarts, number;
gint depth;
static gint counts[3];          /* passed, failed, skipped */
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
      "What goes wrong on a GPU while it plays", NULL},
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

/* The process says what it is doing when it is ended. */

static void
on_end (int signal)
{
  (void) signal;
  if (write (STDOUT_FILENO, "ended while ", 12) < 0
      || write (STDOUT_FILENO, current, strlen (current)) < 0)
    _exit (2);
  _exit (FAILED);
}

/* What the process takes */

typedef struct
{
  gint64 resident;              /* bytes */
  gint descriptors, threads, gpu;       /* gpu: MiB; -1: not asked for */
} Usage;

/* What may come and go without a leak: the heap of each thread keeps pages as
 * it likes. Over a run of minutes a byte a frame is much more. */
#define RESIDENT_SLACK (4 << 20)

static gint64
resident (void)
{
  gchar *text = NULL;
  gint64 pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*d %" G_GINT64_FORMAT, &pages);
  g_free (text);
  return pages * sysconf (_SC_PAGESIZE);
}

static gint
count_entries (const gchar * path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  gint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

/* What a query of nvidia-smi prints; to be freed. NULL without. */
static gchar *
ask_driver (const gchar * query)
{
  gchar *line = g_strdup_printf ("nvidia-smi %s --format=csv,noheader,nounits",
      query);
  gchar *text = NULL;

  if (!g_spawn_command_line_sync (line, &text, NULL, NULL, NULL))
    g_clear_pointer (&text, g_free);
  g_free (line);
  return text;
}

/* MiB of this process; -1 if the driver does not list it, as in a container. */
static gint
own_memory (void)
{
  gchar *text = ask_driver ("--query-compute-apps=pid,used_memory");
  gchar **lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  gint memory = -1;

  for (gchar ** line = lines; *line != NULL; line++) {
    gint pid, used;

    if (sscanf (*line, "%d, %d", &pid, &used) == 2 && pid == getpid ())
      memory = MAX (memory, 0) + used;
  }
  g_strfreev (lines);
  g_free (text);
  return memory;
}

static gint
gpu_memory (void)
{
  static gboolean whole;
  gint memory = whole ? -1 : own_memory ();

  if (memory < 0) {
    gchar *text = ask_driver ("--query-gpu=memory.used");

    if (!whole)
      printf ("GPU memory is that of the whole device: the driver does not "
          "list this process\n");
    whole = TRUE;
    if (text == NULL || sscanf (text, "%d", &memory) != 1)
      memory = -1;
    g_free (text);
  }
  return memory;
}

static Usage
usage_now (gboolean gpu)
{
  return (Usage) {
    .resident = resident (),
    .descriptors = count_entries ("/proc/self/fd"),
    .threads = count_entries ("/proc/self/task"),
    .gpu = gpu && on_cuda () ? gpu_memory () : -1,
  };
}

/* The most in the first part of a run, and what came then. */
typedef struct
{
  Usage warm, last, most;
} Growth;

static void
growth_add (Growth * self, const Usage * usage, gboolean warm)
{
  Usage *most = warm ? &self->warm : &self->most;

  most->resident = MAX (most->resident, usage->resident);
  most->descriptors = MAX (most->descriptors, usage->descriptors);
  most->threads = MAX (most->threads, usage->threads);
  most->gpu = MAX (most->gpu, usage->gpu);
  self->last = *usage;
}

static gboolean
is_flat (const gchar * what, gint64 before, gint64 after, gint64 slack)
{
  const gboolean ok = after <= before + slack;

  printf ("%s %s: %" G_GINT64_FORMAT " warm, %" G_GINT64_FORMAT " then\n",
      ok ? "flat" : "GREW", what, before, after);
  return ok;
}

static gboolean
growth_is_flat (const Growth * self)
{
  const Usage *a = &self->warm, *b = &self->most;
  gboolean ok = is_flat ("resident bytes", a->resident, self->last.resident,
      RESIDENT_SLACK);

  ok = is_flat ("descriptors", a->descriptors, b->descriptors, 0) && ok;
  ok = is_flat ("threads", a->threads, b->threads, 0) && ok;
  ok = is_flat ("MiB of the GPU", a->gpu, b->gpu, 0) && ok;
  return ok && b->resident > 0;
}

/* Phases */

/* By the stream's number in turn: one element, and two with system or CUDA
 * memory between. */
static Stream *
make_stream (guint i)
{
  return stream_new (on_cuda () ? 1920 : 320, i % 3 == 0 ? NULL
      : i % 3 == 1 || !on_cuda () ? "video/x-raw" : CUDA, depth, -1);
}

/* Watch what plays; FALSE if a stream stands still. */
static gboolean
watch (Stream ** streams, guint n, Growth * growth)
{
  const gdouble seconds = minutes * 60;
  const gint64 begin = g_get_monotonic_time ();
  gdouble now = 0, next = 0;
  gboolean ok = TRUE;

  printf ("%8s %12s %9s %6s %8s %8s\n", "seconds", "frames", "RSS KiB",
      "files", "threads", "GPU MiB");
  while (now < seconds && ok) {
    const gboolean is_line = now >= next;
    const Usage usage = usage_now (is_line);
    guint64 frames = 0;

    growth_add (growth, &usage, now < seconds / 10);
    for (guint i = 0; i < n; i++)
      frames += stream_frames (streams[i]);
    for (guint i = 0; i < n && is_line && ok; i++)
      ok = stream_wait (streams[i], stream_frames (streams[i]) + 1, PATIENCE)
          && streams[i]->error == NULL;
    if (is_line) {
      printf ("%8.1f %12" G_GUINT64_FORMAT " %9" G_GINT64_FORMAT
          " %6d %8d %8d\n", now, frames, usage.resident / 1024,
          usage.descriptors, usage.threads, usage.gpu);
      next = MAX (now + CLAMP (seconds / 10, 0.2, 60), seconds / 10 + 0.01);
    }
    current = "playing";
    g_usleep (20000);
    now = (g_get_monotonic_time () - begin) / (gdouble) G_USEC_PER_SEC;
  }
  return ok;
}

static Outcome
run_soak (guint n)
{
  Stream *streams[MAX_STREAMS];
  Growth growth = { 0 };
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++)
    streams[i] = make_stream (i);
  for (guint i = 0; i < n; i++)
    stream_play (streams[i]);
  for (guint i = 0; i < n && ok; i++)
    ok = stream_wait (streams[i], 4 * depth, PATIENCE);
  ok = ok && watch (streams, n, &growth) && growth_is_flat (&growth);
  for (guint i = 0; i < n; i++) {
    stream_end (streams[i]);
    ok = stream_is_well (streams[i]) && ok;
    /* But for what was in flight. */
    ok = streams[i]->n[0] <= streams[i]->n[streams[i]->n_elements - 1]
        + 2 * depth + 2 && ok;
    stream_free (streams[i]);
  }
  return ok ? PASSED : FAILED;
}

static Outcome
run_restarts (guint n)
{
  const guint n_warm = MAX (n / 10, 4);
  Stream *stream = make_stream (2);
  Growth growth = { 0 };
  gboolean ok = TRUE;

#ifdef M_MMAP_THRESHOLD
  /* Else what is large is kept once it was freed, in the heap of whichever
   * thread asks next, and that may be after the warm-up. */
  mallopt (M_MMAP_THRESHOLD, 1 << 17);
#endif
  for (guint i = 0; i < n && ok; i++) {
    Usage usage;

    stream_play (stream);
    /* Some are stopped at once. */
    if (i % 3 != 1)
      ok = stream_wait (stream, 3, PATIENCE);
    stream_end (stream);
    ok = stream_is_well (stream) && ok;
    if (i >= n_warm && i % (n_warm / 2) != 0 && i + 1 < n)
      continue;
    usage = usage_now (TRUE);
    /* Threads that were there may be about to end. */
    for (guint k = 0; k < 100 && i >= n_warm
        && usage.threads > growth.warm.threads; k++) {
      g_usleep (10000);
      usage.threads = usage_now (FALSE).threads;
    }
    growth_add (&growth, &usage, i < n_warm);
  }
  ok = growth_is_flat (&growth) && ok;
  stream_free (stream);
  return ok ? PASSED : FAILED;
}

static Outcome
run_phase (void)
{
  signal (SIGTERM, on_end);
  /* A thread that is done with is gone. */
  g_thread_pool_set_max_unused_threads (0);
  if (strcmp (phase, "soak") == 0)
    return run_soak (number);
  if (strcmp (phase, "restarts") == 0)
    return run_restarts (number);
  for (guint i = 0; i < n_faults; i++)
    if (strcmp (phase, faults[i].name) == 0)
      return faults[i].run (number ? CUDA : NULL) ? PASSED : FAILED;
  printf ("no phase '%s'\n", phase);
  return FAILED;
}

/* The process that starts them */

static gboolean
has_ended (GPid pid, gdouble seconds, int *status)
{
  const gint64 end = g_get_monotonic_time ()
      + (gint64) (seconds * G_USEC_PER_SEC);

  do {
    if (waitpid (pid, status, WNOHANG) != 0)
      return TRUE;
    g_usleep (20000);
  } while (g_get_monotonic_time () < end);
  return FALSE;
}

static void
start_phase (const gchar * name, gint with_number, gint with_depth,
    gdouble for_minutes)
{
  gchar *line = g_strdup_printf ("/proc/self/exe --phase %s --number=%d "
      "--depth=%d --minutes=%.9f", name, with_number, with_depth, for_minutes);
  gchar **argv = g_strsplit (line, " ", -1);
  Outcome outcome = FAILED;
  int status = 0;
  GPid pid;

  printf ("\n%s: %d, depth %d, %g s\n", name, with_number, with_depth,
      for_minutes * 60);
  if (!g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
          &pid, NULL))
    printf ("cannot be started\n");
  else if (!has_ended (pid, for_minutes * 60 + PHASE_LIMIT, &status)) {
    kill (pid, SIGTERM);
    if (!has_ended (pid, 5, &status)) {
      kill (pid, SIGKILL);
      waitpid (pid, &status, 0);
    }
  } else if (WIFSIGNALED (status))
    printf ("%s\n", g_strsignal (WTERMSIG (status)));
  else
    outcome = WEXITSTATUS (status);
  printf ("%s: %s\n", outcome == PASSED ? "ok" : outcome == SKIPPED ? "skipped"
      : "FAILED", name);
  counts[outcome == PASSED ? 0 : outcome == SKIPPED ? 2 : 1]++;
  g_strfreev (argv);
  g_free (line);
}

static void
run_all (void)
{
  static const gint depths[] = { 1, 8 };
  const gboolean all = !soak_asked && !n_pipelines && !n_restarts
      && !faults_asked;
  const gdouble time = minutes > 0 ? minutes : on_cuda () ? 5 / 60. : 1 / 60.;

  if (all) {
    soak_asked = faults_asked = TRUE;
    n_pipelines = on_cuda () ? 32 : 8;
    n_restarts = on_cuda () ? 100 : 20;
  }
  for (guint i = 0; soak_asked && i < (depth > 0 ? 1 : 2); i++)
    start_phase ("soak", 3, depth > 0 ? depth : depths[i], time);
  if (n_pipelines > 0)
    start_phase ("soak", n_pipelines, depth > 0 ? depth : 2, time);
  if (n_restarts > 0)
    start_phase ("restarts", n_restarts, depth > 0 ? depth : 2, 0);
  for (guint i = 0; faults_asked && on_cuda () && i < 4 * n_faults; i++)
    start_phase (faults[i / 4].name, i / 2 % 2, depths[i % 2], 0);
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
  if (missing == NULL && !gst_registry_check_feature_version
      (gst_registry_get (), "imagefreeze", 1, 0, 0))
    missing = g_strdup ("no imagefreeze: install gstreamer1.0-plugins-good");
  if (missing != NULL) {
    printf ("%s\n0 passed, 0 failed, 1 skipped\n", missing);
    g_free (missing);
    return SKIPPED;
  }
  run_all ();
  printf ("%d passed, %d failed, %d skipped\n", counts[PASSED], counts[1],
      counts[2]);
  return counts[1] > 0;
}
