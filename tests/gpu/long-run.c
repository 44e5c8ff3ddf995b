/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * long-run [NAME N DEPTH ROUNDS]
 *
 * Runs of any length: what the process takes must stay flat, every message must
 * be right, and after every fault of a GPU the same process plays again. N: of
 * pipelines for "soak" and "restarts", of elements for the faults "stop",
 * "stray" and "memory". By default all of them, each a process of its own, so
 * that a crash or a hang is one failed test. Pictures are still, so that a
 * source costs next to nothing and the figures of all frames are those of the
 * first, which the CPU engine tells.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where the backend of
 * BLOCKDCT_TEST_BACKEND does not run. */
#include <gst/gst.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "long-run.h"

#define MAX_STREAMS 256
#define PHASE_LIMIT 240         /* s, of those that run by default */
#define SKIPPED 77              /* exit status */

gint depth;

const gchar *
backend (void)
{
  const gchar *name = g_getenv ("BLOCKDCT_TEST_BACKEND");

  return name != NULL && *name != '\0' ? name : "cpu";
}

static gboolean
on_cuda (void)
{
  return strcmp (backend (), "cuda") == 0;
}

/* Pipelines */

/* The next index, the figures of the picture, the engine that was asked for. */
static void
check_message (Stream * self, guint i, const GstStructure * s)
{
  const gchar *engine = gst_structure_get_string (s, "backend");
  guint64 index = G_MAXUINT64;
  gdouble psnr = -1;

  gst_structure_get (s, "index", G_TYPE_UINT64, &index, "psnr", G_TYPE_DOUBLE,
      &psnr, NULL);
  if (self->psnr[i] == 0)
    self->psnr[i] = psnr;
  if ((index != self->n[i] || psnr != self->psnr[i] || psnr <= 0
          || !g_str_has_prefix (engine, self->engine)) && self->wrong++ == 0)
    printf ("element %u: message %" G_GUINT64_FORMAT " has index %"
        G_GUINT64_FORMAT ", psnr %.17g, not %.17g, and %s\n", i, self->n[i],
        index, psnr, self->psnr[i], engine);
  self->n[i]++;
}

static gchar *
error_text (GstMessage * message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  gst_message_parse_error (message, &error, &debug);
  return g_strdup_printf ("%s: %s (%s)", GST_MESSAGE_SRC_NAME (message),
      error->message, debug);
}

/* In the thread that posts, and thrown away: no queue can grow. */
static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  const gchar *name = GST_MESSAGE_SRC_NAME (message);
  Stream *self = data;

  (void) bus;
  g_mutex_lock (&self->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
      && g_str_has_prefix (name, "dct")
      && g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0)
    check_message (self, name[3] - '0', s);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && self->error == NULL)
    self->error = error_text (message);
  self->eos |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

void
stream_end (Stream * self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
}

void
stream_free (Stream * self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);

  stream_end (self);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (self->pipeline);
  g_free (self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

Stream *
stream_new (const gchar * engine, gint width, const gchar * between, gint n)
{
  g_autofree gchar *dct = g_strdup_printf ("blockdct backend=%s async-depth=%d",
      engine, n == REFERENCE ? 1 : depth);
  g_autofree gchar *more = g_strdup_printf ("! %s ! %s name=dct1 quality=30",
      between == NULL || strcmp (engine, "cpu") == 0 ? "video/x-raw" : between,
      dct);
  g_autofree gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 "
      "pattern=smpte75 ! video/x-raw,format=NV12,width=%d,height=%d,"
      "framerate=25/1 ! imagefreeze num-buffers=%d ! %s name=dct0 quality=60 "
      "%s ! fakesink sync=false enable-last-sample=false", width,
      width * 9 / 16 & ~1, n, dct, between == NULL ? "" : more);
  Stream *self = g_new0 (Stream, 1);
  GError *error = NULL;
  g_autoptr (GstBus) bus = NULL;

  self->pipeline = gst_parse_launch (line, &error);
  if (error != NULL)
    g_error ("%s: %s", line, error->message);
  self->engine = engine;
  self->n_elements = 1 + (between != NULL);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  bus = gst_element_get_bus (self->pipeline);
  gst_bus_set_sync_handler (bus, on_message, self, NULL);
  if (n != REFERENCE) {
    Stream *cpu = stream_new ("cpu", width, between, REFERENCE);

    if (!stream_run (cpu, REFERENCE))
      g_error ("the CPU engine does not play");
    memcpy (self->psnr, cpu->psnr, sizeof self->psnr);
    stream_free (cpu);
  }
  return self;
}

void
stream_play (Stream * self)
{
  g_mutex_lock (&self->lock);
  memset (self->n, 0, sizeof self->n);
  self->eos = FALSE;
  g_clear_pointer (&self->error, g_free);
  g_mutex_unlock (&self->lock);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

guint64
stream_frames (Stream * self)
{
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n[self->n_elements - 1];
  g_mutex_unlock (&self->lock);
  return n;
}

gboolean
stream_wait (Stream * self, guint64 frames, gdouble seconds)
{
  const gint64 end = g_get_monotonic_time ()
      + (gint64) (seconds * G_USEC_PER_SEC);
  const guint64 *n = &self->n[self->n_elements - 1];
  gboolean in_time = TRUE, ok;

  g_mutex_lock (&self->lock);
  while (self->error == NULL && !self->eos && *n < frames && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->lock, end);
  ok = *n >= frames || self->eos || self->error != NULL;
  if (!ok)
    printf ("%" G_GUINT64_FORMAT " frames in %g s\n", *n, seconds);
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
stream_is_well (Stream * self)
{
  if (self->error != NULL)
    printf ("%s\n", self->error);
  if (self->wrong > 0)
    printf ("%" G_GUINT64_FORMAT " messages are wrong\n", self->wrong);
  return self->error == NULL && self->wrong == 0;
}

gboolean
stream_run (Stream * self, guint64 n)
{
  gboolean ok;

  stream_play (self);
  ok = stream_wait (self, G_MAXUINT64, PATIENCE);
  stream_end (self);
  return stream_is_well (self) && ok && stream_frames (self) == n;
}

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

/* The most in the first part of a run, the most that came then, and the last of
 * it. */
typedef struct {
  gint64 warm[N_USAGES], most[N_USAGES], last[N_USAGES];
} Growth;

static gint64
count_entries (const gchar * path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  gint64 n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* The whole device's memory, in MiB: nothing else uses it meanwhile. */
static gint64
gpu_memory (void)
{
  g_autofree gchar *text = NULL;
  gint64 memory = 0;

  if (!g_spawn_command_line_sync ("nvidia-smi --query-gpu=memory.used "
          "--format=csv,noheader,nounits", &text, NULL, NULL, NULL)
      || sscanf (text, "%" G_GINT64_FORMAT, &memory) != 1)
    printf ("nvidia-smi does not say what the GPU's memory is used for\n");
  return memory;
}

static void
growth_add (Growth * self, gboolean warm, gboolean gpu)
{
  gint64 *most = warm ? self->warm : self->most, *now = self->last;
  g_autofree gchar *text = NULL;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*d %" G_GINT64_FORMAT, &now[RESIDENT]);
  now[RESIDENT] *= sysconf (_SC_PAGESIZE);
  now[DESCRIPTORS] = count_entries ("/proc/self/fd");
  now[THREADS] = count_entries ("/proc/self/task");
  /* Threads that were there may be about to end. */
  for (guint k = 0; k < 100 && !warm && now[THREADS] > self->warm[THREADS];
      k++) {
    g_usleep (10000);
    now[THREADS] = count_entries ("/proc/self/task");
  }
  if (gpu && on_cuda ())
    now[GPU_MEMORY] = gpu_memory ();
  for (guint i = 0; i < N_USAGES; i++)
    most[i] = MAX (most[i], now[i]);
}

static gboolean
growth_is_flat (const Growth * self)
{
  gboolean all = self->most[RESIDENT] > 0;

  for (guint i = 0; i < N_USAGES; i++) {
    /* Resident bytes may go again. */
    const gint64 then = i == RESIDENT ? self->last[i] : self->most[i];
    const gboolean ok = then <= self->warm[i] + usages[i].slack;

    printf ("%s %s: %" G_GINT64_FORMAT " warm, %" G_GINT64_FORMAT " then\n",
        ok ? "flat" : "GREW", usages[i].name, self->warm[i], then);
    all = all && ok;
  }
  return all;
}

/* Pipelines at full speed, and such that stop after each round. By a stream's
 * number in turn: one element, and two with system or CUDA memory between; one
 * alone has these. */
static gboolean
run_rounds (guint n, guint rounds, gboolean restarts)
{
  const guint n_warm = MAX (rounds / 10, 4);
  const gint64 begin = g_get_monotonic_time ();
  Stream *streams[MAX_STREAMS];
  Growth growth = { 0 };
  guint64 frames = 0;
  gboolean ok = TRUE;

  /* Else what is large is kept once it was freed, in the heap of whichever
   * thread asks next, and that may be after the warm-up. */
#ifdef M_MMAP_THRESHOLD
  mallopt (M_MMAP_THRESHOLD, 1 << 17);
#endif
  for (guint i = 0; i < n; i++) {
    const guint kind = n > 1 ? i % 3 : 2;

    streams[i] = stream_new (backend (), on_cuda () ? 1920 : 320,
        kind == 0 ? NULL : kind == 1 || !on_cuda () ? "video/x-raw" : CUDA, -1);
  }
  for (guint r = 0; r < rounds && ok; r++) {
    for (guint i = 0; i < n && ok; i++) {
      if (r == 0 || restarts)
        stream_play (streams[i]);
      /* Some are stopped at once. */
      if (!restarts || r % 3 != 1)
        ok = stream_wait (streams[i], stream_frames (streams[i]) + 4 * depth,
            PATIENCE);
      if (restarts)
        stream_end (streams[i]);
      ok = stream_is_well (streams[i]) && ok;
    }
    g_usleep (restarts ? 0 : 20000);
    growth_add (&growth, r < n_warm, (r + 1) % (n_warm / 2) == 0);
  }
  ok = ok && growth_is_flat (&growth);
  for (guint i = 0; i < n; i++) {
    stream_end (streams[i]);
    frames += stream_frames (streams[i]);
    ok = stream_is_well (streams[i]) && ok;
    /* But for what was in flight. */
    ok = streams[i]->n[0] <= stream_frames (streams[i]) + 2 * depth + 2 && ok;
    stream_free (streams[i]);
  }
  printf ("%" G_GUINT64_FORMAT " frames at last, %.1f s\n", frames,
      (g_get_monotonic_time () - begin) / (gdouble) G_USEC_PER_SEC);
  return ok;
}

/* A process's exit status. */
static gint
run_phase (const gchar * name, guint n, guint rounds)
{
  Stream *stream;
  gboolean ok;

  gst_init (NULL, NULL);
  if (!gst_registry_check_feature_version (gst_registry_get (), "imagefreeze",
          1, 0, 0)) {
    printf ("no imagefreeze: install gstreamer1.0-plugins-good\n");
    return SKIPPED;
  }
  /* Whether the backend starts here; if not, it says why. */
  stream = stream_new (backend (), 320, NULL, REFERENCE);
  ok = gst_element_set_state (stream->pipeline, GST_STATE_PAUSED)
      != GST_STATE_CHANGE_FAILURE || (stream_is_well (stream), FALSE);
  stream_free (stream);
  if (!ok)
    return SKIPPED;
  /* A thread that is done with is gone. */
  g_thread_pool_set_max_unused_threads (0);
  if (strcmp (name, "soak") == 0 || strcmp (name, "restarts") == 0)
    return !run_rounds (n, rounds, *name == 'r');
#ifdef HAVE_CUDA
  return !run_fault (name, n == 1 ? NULL : CUDA);
#else
  return SKIPPED;
#endif
}

static guint counts[3];

static void
start (const gchar * name, guint n, gint with_depth)
{
  pid_t pid;
  int status;

  printf ("\n%s: %u, depth %d\n", name, n, with_depth);
  pid = fork ();
  if (pid == 0) {
    alarm (PHASE_LIMIT);
    depth = with_depth;
    exit (run_phase (name, n, on_cuda () ? 100 : 20));
  }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    status = -1;
  printf ("%s: %s, status 0x%x\n", status == 0 ? "ok" : "NOT", name, status);
  counts[status == 0 ? 0 : WIFEXITED (status)
      && WEXITSTATUS (status) == SKIPPED ? 2 : 1]++;
}

int
main (int argc, char **argv)
{
  static const gchar *const faults[] = { "stop", "stray", "memory" };

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (argc == 5 && atoi (argv[2]) <= MAX_STREAMS) {
    depth = atoi (argv[3]);
    return run_phase (argv[1], atoi (argv[2]), atoi (argv[4]));
  }
  start ("soak", 3, 1);
  start ("soak", 3, 8);
  start ("soak", 8, 2);
  start ("restarts", 1, 2);
  for (guint i = 0; i < 4 * G_N_ELEMENTS (faults) && on_cuda (); i++)
    start (faults[i / 4], 1 + i / 2 % 2, i % 2 ? 8 : 1);
  printf ("%u passed, %u failed, %u skipped\n", counts[0], counts[1],
      counts[2]);
  return counts[1] > 0 ? 1 : counts[0] > 0 ? 0 : SKIPPED;
}
