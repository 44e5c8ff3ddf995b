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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_STREAMS 256
#define PHASE_LIMIT 240         /* s, beside the time that a phase is to take */

static gdouble minutes;
static gint n_pipelines, n_restarts, number;
gint depth;
static gint passed, failed;
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

/* What the process takes */

enum { RESIDENT, DESCRIPTORS, THREADS, GPU_MEMORY, N_USAGES };

/* How much may come and go without a leak: the heap of each thread keeps pages
 * as it likes. Over a run of minutes a byte a frame is much more. */
static const struct {
  const gchar *name;
  gint64 slack;
} usages[N_USAGES] = {
  {"resident bytes", 4 << 20}, {"descriptors", 0}, {"threads", 0},
  {"MiB of the GPU", 0},
};

typedef gint64 Usage[N_USAGES];

static gint64
count_entries (const gchar * path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  gint64 n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

/* The whole device's memory, in MiB: nothing else uses it meanwhile. */
static gint64
gpu_memory (void)
{
  gchar *text = NULL;
  gint64 memory = 0;

  if (!g_spawn_command_line_sync ("nvidia-smi --query-gpu=memory.used "
          "--format=csv,noheader,nounits", &text, NULL, NULL, NULL)
      || sscanf (text, "%" G_GINT64_FORMAT, &memory) != 1)
    printf ("nvidia-smi does not say what the GPU's memory is used for\n");
  g_free (text);
  return memory;
}

static void
usage_now (Usage usage, gboolean gpu)
{
  gchar *text = NULL;
  gint64 pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*d %" G_GINT64_FORMAT, &pages);
  g_free (text);
  usage[RESIDENT] = pages * sysconf (_SC_PAGESIZE);
  usage[DESCRIPTORS] = count_entries ("/proc/self/fd");
  usage[THREADS] = count_entries ("/proc/self/task");
  usage[GPU_MEMORY] = gpu && on_cuda () ? gpu_memory () : 0;
}

/* The most in the first part of a run, and what came then. */
typedef struct
{
  Usage warm, most;
  gint64 last;                  /* resident bytes, which may go again */
} Growth;

static void
growth_add (Growth * self, const Usage usage, gboolean warm)
{
  gint64 *most = warm ? self->warm : self->most;

  for (guint i = 0; i < N_USAGES; i++)
    most[i] = MAX (most[i], usage[i]);
  self->last = usage[RESIDENT];
}

static gboolean
growth_is_flat (const Growth * self)
{
  gboolean all = self->most[RESIDENT] > 0;

  for (guint i = 0; i < N_USAGES; i++) {
    const gint64 then = i == RESIDENT ? self->last : self->most[i];
    const gboolean ok = then <= self->warm[i] + usages[i].slack;

    printf ("%s %s: %" G_GINT64_FORMAT " warm, %" G_GINT64_FORMAT " then\n",
        ok ? "flat" : "GREW", usages[i].name, self->warm[i], then);
    all = all && ok;
  }
  return all;
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
  guint64 frames = 0;
  gboolean ok = TRUE;

  while (now < seconds && ok) {
    const gboolean looks = now >= next;
    Usage usage;

    usage_now (usage, looks);
    growth_add (growth, usage, now < seconds / 10);
    for (guint i = 0; i < n && looks && ok; i++)
      ok = stream_wait (streams[i], stream_frames (streams[i]) + 1, PATIENCE)
          && streams[i]->error == NULL;
    if (looks)
      next = MAX (now + CLAMP (seconds / 10, 0.2, 60), seconds / 10 + 0.01);
    g_usleep (20000);
    now = (g_get_monotonic_time () - begin) / (gdouble) G_USEC_PER_SEC;
  }
  for (guint i = 0; i < n; i++)
    frames += stream_frames (streams[i]);
  printf ("%" G_GUINT64_FORMAT " frames in %.1f s\n", frames, now);
  return ok;
}

static gboolean
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
  return ok;
}

static gboolean
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
    usage_now (usage, TRUE);
    /* Threads that were there may be about to end. */
    for (guint k = 0; k < 100 && i >= n_warm
        && usage[THREADS] > growth.warm[THREADS]; k++) {
      g_usleep (10000);
      usage[THREADS] = count_entries ("/proc/self/task");
    }
    growth_add (&growth, usage, i < n_warm);
  }
  ok = growth_is_flat (&growth) && ok;
  stream_free (stream);
  return ok;
}

static Outcome
run_phase (void)
{
  gboolean ok;

  /* A thread that is done with is gone. */
  g_thread_pool_set_max_unused_threads (0);
  ok = strcmp (phase, "soak") == 0 ? run_soak (number)
      : strcmp (phase, "restarts") == 0 ? run_restarts (number)
      : run_fault (phase, number ? CUDA : NULL);
  return ok ? PASSED : FAILED;
}

/* The process that starts them */

static void
start_phase (const gchar * name, gint with_number, gint with_depth,
    gdouble for_minutes)
{
  gchar *line = g_strdup_printf ("timeout -k 5 %.0f /proc/%d/exe --phase %s "
      "--number=%d --depth=%d --minutes=%.9f", for_minutes * 60 + PHASE_LIMIT,
      getpid (), name, with_number, with_depth, for_minutes);
  int status;

  printf ("\n%s: %d, depth %d, %g s\n", name, with_number, with_depth,
      for_minutes * 60);
  status = system (line);
  if (status == 0)
    passed++;
  else
    failed++;
  printf ("%s: %s, status 0x%x\n", status == 0 ? "ok" : "FAILED", name, status);
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
    start_phase (faults[i / 4], i / 2 % 2, depths[i % 2], 0);
}

/* Whether the backend starts here; if not, it says why. */
static gboolean
backend_starts (void)
{
  Stream *stream = stream_make (backend (), 320, NULL, 1, 1);
  const gboolean ok = gst_element_set_state (stream->pipeline,
      GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;

  if (!ok)
    stream_is_well (stream);
  stream_free (stream);
  return ok;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new
      ("- blockdct for minutes, and after faults");
  GError *error = NULL;

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
  if (!gst_registry_check_feature_version (gst_registry_get (), "imagefreeze",
          1, 0, 0)) {
    printf ("no imagefreeze: install gstreamer1.0-plugins-good\n"
        "0 passed, 0 failed, 1 skipped\n");
    return SKIPPED;
  }
  if (!backend_starts ()) {
    printf ("0 passed, 0 failed, 1 skipped\n");
    return SKIPPED;
  }
  run_all ();
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
