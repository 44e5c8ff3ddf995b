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
#include <gst/gst.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_STREAMS 256
#define PHASE_LIMIT 240         /* s, beside the time that a phase is to take */
#define PATIENCE 60             /* s, for frames or an error */
#define CUDA "video/x-raw(memory:CUDAMemory)"

typedef enum { PASSED = 0, FAILED = 1, SKIPPED = 77 } Outcome;

static gdouble minutes;
static gint depth, n_pipelines, n_restarts, number;
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

static const gchar *
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

/* What the process is doing, which it says when it is ended. */
static const gchar *current = "starting";

static void
on_end (int signal)
{
  (void) signal;
  if (write (STDOUT_FILENO, "ended while ", 12) < 0
      || write (STDOUT_FILENO, current, strlen (current)) < 0)
    _exit (2);
  _exit (FAILED);
}

/* Streams */

/* A pipeline with blockdct once or twice, and what its messages say. */
typedef struct
{
  GstElement *pipeline;
  const gchar *engine;
  guint n_elements;
  gint64 last;                  /* frame of each that is checked */
  GMutex lock;
  GCond changed;
  guint64 n[2], wrong;          /* messages of each, and wrong ones ever */
  gdouble psnr[2];              /* 0: the first is to tell */
  gboolean eos;
  GError *error;
  gchar *debug;
  gboolean error_is_ours;
} Stream;

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

/* In the thread that posts, and thrown away: no queue can grow. */
static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  const gchar *name = GST_MESSAGE_SRC_NAME (message);
  const gboolean ours = name != NULL && g_str_has_prefix (name, "dct");
  Stream *self = data;

  (void) bus;
  g_mutex_lock (&self->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT && ours
      && g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0)
    check_message (self, name[3] - '0', s);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && self->error == NULL) {
    gst_message_parse_error (message, &self->error, &self->debug);
    self->error_is_ours = ours;
  }
  self->eos |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
stream_end (Stream * self)
{
  current = "stopping";
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
}

static void
stream_free (Stream * self)
{
  GstBus *bus = gst_element_get_bus (self->pipeline);

  stream_end (self);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (self->pipeline);
  g_clear_error (&self->error);
  g_free (self->debug);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* `between`: caps between two elements; NULL: one. `n`: frames, or -1. */
static Stream *
make (const gchar * engine, gint width, const gchar * between, gint at, gint n)
{
  const gboolean two = between != NULL;
  gchar *more = !two ? g_strdup ("") : g_strdup_printf ("! %s ! blockdct "
      "name=dct1 backend=%s async-depth=%d quality=30 ",
      strcmp (engine, "cpu") == 0 ? "video/x-raw" : between, engine, at);
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 pattern=smpte75 ! "
      "capsfilter name=size caps=video/x-raw,format=NV12,width=%d,height=%d,"
      "framerate=25/1 ! imagefreeze name=src num-buffers=%d ! blockdct "
      "name=dct0 backend=%s async-depth=%d quality=60 %s! fakesink sync=false "
      "enable-last-sample=false", width, width * 9 / 16 & ~1, n, engine, at,
      more);
  Stream *self = g_new0 (Stream, 1);
  GstBus *bus;

  self->pipeline = gst_parse_launch (line, &self->error);
  if (self->error != NULL)
    g_error ("%s: %s", line, self->error->message);
  self->engine = engine;
  self->n_elements = 1 + two;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  bus = gst_element_get_bus (self->pipeline);
  gst_bus_set_sync_handler (bus, on_message, self, NULL);
  gst_object_unref (bus);
  g_free (line);
  g_free (more);
  return self;
}

static void
stream_play (Stream * self)
{
  g_mutex_lock (&self->lock);
  memset (self->n, 0, sizeof self->n);
  self->eos = FALSE;
  g_clear_error (&self->error);
  g_clear_pointer (&self->debug, g_free);
  g_mutex_unlock (&self->lock);
  current = "starting to play";
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

/* Frames that have passed all elements. */
static guint64
stream_frames (Stream * self)
{
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n[self->n_elements - 1];
  g_mutex_unlock (&self->lock);
  return n;
}

/* Wait for so many frames, or for what ends it: whether that came in time. */
static gboolean
stream_wait (Stream * self, guint64 frames, gdouble seconds)
{
  const gint64 end = g_get_monotonic_time ()
      + (gint64) (seconds * G_USEC_PER_SEC);
  const guint64 *n = &self->n[self->n_elements - 1];
  gboolean in_time = TRUE, ok;

  current = "waiting for frames, the end or an error";
  g_mutex_lock (&self->lock);
  while (self->error == NULL && !self->eos && *n < frames && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->lock, end);
  ok = *n >= frames || self->eos || self->error != NULL;
  if (!ok)
    printf ("%" G_GUINT64_FORMAT " frames in %g s\n", *n, seconds);
  g_mutex_unlock (&self->lock);
  return ok;
}

/* Whether neither an error nor a wrong figure came; what did is printed. */
static gboolean
stream_is_well (Stream * self)
{
  if (self->error != NULL)
    printf ("%s (%s)\n", self->error->message, self->debug);
  if (self->wrong > 0)
    printf ("%" G_GUINT64_FORMAT " messages are wrong\n", self->wrong);
  return self->error == NULL && self->wrong == 0;
}

/* Play `n` frames to their end. */
static gboolean
stream_run (Stream * self, guint64 n)
{
  gboolean ok;

  stream_play (self);
  ok = stream_wait (self, G_MAXUINT64, PATIENCE);
  stream_end (self);
  return stream_is_well (self) && ok && stream_frames (self) == n;
}

static Stream *
stream_new (gint width, const gchar * between, gint at, gint n)
{
  Stream *cpu = make ("cpu", width, between, 1, 2);
  Stream *self = make (backend (), width, between, at, n);

  if (!stream_run (cpu, 2))
    g_error ("the CPU engine does not play");
  memcpy (self->psnr, cpu->psnr, sizeof self->psnr);
  stream_free (cpu);
  return self;
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

#ifdef HAVE_CUDA

#include <cuda_runtime_api.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>
#include <poll.h>

#define N_FRAMES 200
#define STRIKE 60               /* the frame at which it happens */
#define ERROR_LIMIT 20          /* s */
#define TAKE_LIMIT 120          /* s, for another program to take all memory */

/* The element's error has to come in time, with this word in it. */
static gboolean
expect_error (Stream * stream, const gchar * word)
{
  gboolean ok = stream_wait (stream, G_MAXUINT64, ERROR_LIMIT)
      && stream->error != NULL && stream->error_is_ours
      && (strstr (stream->error->message, word) != NULL
      || (stream->debug != NULL && strstr (stream->debug, word) != NULL));

  printf ("%s an error that says '%s': %s [%s]\n", ok ? "ok" : "NOT", word,
      stream->error != NULL ? stream->error->message : "none",
      stream->debug != NULL ? stream->debug : "");
  stream_end (stream);
  return ok && stream->wrong == 0;
}

static gboolean
another_plays (gint width, const gchar * between, guint n)
{
  Stream *another = stream_new (width, between, depth, n);
  const gboolean ok = stream_run (another, n);

  printf ("%s a new pipeline plays\n", ok ? "ok" : "NOT");
  stream_free (another);
  return ok;
}

static gboolean
check (CUresult result, const gchar * call)
{
  const char *name = "an unknown error";

  if (result == CUDA_SUCCESS)
    return TRUE;
  CuGetErrorName (result, &name);
  printf ("%s: %s\n", call, name);
  return FALSE;
}

/* Two functions that no context survives. */
static const gchar ptx[] =
    ".version 6.4\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry stop () { trap; }\n"
    ".visible .entry stray () {\n"
    "  .reg .u64 %address;\n"
    "  .reg .u32 %value;\n"
    "  mov.u64 %address, 64;\n"
    "  mov.u32 %value, 1;\n"
    "  st.global.u32 [%address], %value;\n"
    "  ret;\n"
    "}\n";

typedef struct
{
  const gchar *function;
  gpointer context;
  guint n;                      /* frames that came by */
} Strike;

static GstPadProbeReturn
strike (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Strike *self = data;
  CUmodule module;
  CUfunction function;

  (void) pad, (void) info;
  if (self->n++ != STRIKE)
    return GST_PAD_PROBE_OK;
  if (!(check (CuCtxPushCurrent (self->context), "cuCtxPushCurrent")
      && check (CuModuleLoadData (&module, ptx), "cuModuleLoadData")
      && check (CuModuleGetFunction (&function, module, self->function),
      "cuModuleGetFunction")
      && check (CuLaunchKernel (function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL,
          NULL), "cuLaunchKernel")))
    exit (FAILED);
  CuCtxPopCurrent (NULL);
  return GST_PAD_PROBE_OK;
}

/* An application's own context, which it destroys itself when the pipeline is
 * gone: CUDA does not survive what is asked of a destroyed one. */
static GstCudaContext *
make_context (CUcontext * handle)
{
  CUdevice device;

  if (!gst_cuda_load_library () || !check (CuInit (0), "cuInit")
      || !check (CuDeviceGet (&device, 0), "cuDeviceGet")
      || !check (CuCtxCreate (handle, 0, device), "cuCtxCreate"))
    return NULL;
  CuCtxPopCurrent (NULL);
  return gst_cuda_context_new_wrapped (*handle, device);
}

/* Whether CUDA gives this process another context, without the element. */
static gboolean
gives_another (void)
{
  CUcontext context = NULL;
  CUdeviceptr memory;
  CUdevice device;
  gboolean ok;

  current = "making another context";
  ok = check (CuDeviceGet (&device, 0), "cuDeviceGet")
      && check (CuCtxCreate (&context, 0, device), "cuCtxCreate")
      && check (CuMemAlloc (&memory, 4096), "cuMemAlloc")
      && check (CuStreamSynchronize (NULL), "cuStreamSynchronize")
      && check (CuMemFree (memory), "cuMemFree");
  if (context != NULL)
    ok = check (CuCtxDestroy (context), "cuCtxDestroy") && ok;
  printf ("CUDA gives this process %s context\n", ok ? "another" : "no other");
  return ok;
}

/* A context is lost under a pipeline that works in it. Where CUDA is over for
 * this process, who asked for it is told, and who did not plays on the CPU,
 * which has no CUDA memory. */
static gboolean
lose_context (const gchar * function, const gchar * between)
{
  Stream *stream = stream_new (640, between, depth, -1), *again;
  Strike data = {.function = function };
  GstElement *dct;
  GstContext *shared;
  CUcontext handle = NULL;
  GstCudaContext *context = make_context (&handle);
  GstPad *pad;
  gboolean ok, others;

  if (context == NULL)
    return FALSE;
  shared = gst_context_new_cuda_context (context);
  gst_element_set_context (stream->pipeline, shared);
  gst_context_unref (shared);
  data.context = handle;
  dct = gst_bin_get_by_name (GST_BIN (stream->pipeline), between ? "dct1"
      : "dct0");
  pad = gst_element_get_static_pad (dct, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, strike, &data, NULL);
  gst_object_unref (pad);
  gst_object_unref (dct);
  stream_play (stream);
  ok = expect_error (stream, "context is lost");
  others = gives_another ();
  stream_play (stream);
  ok = others ? stream_wait (stream, N_FRAMES, PATIENCE)
      && stream_is_well (stream) && ok
      : expect_error (stream, "restart the program") && ok;
  if (!others) {
    again = make ("auto", 640, between ? "video/x-raw" : NULL, depth,
        N_FRAMES);
    again->engine = "cpu";
    ok = stream_run (again, N_FRAMES) && ok;
    printf ("%s backend=auto plays on the CPU\n", ok ? "ok" : "NOT");
    stream_free (again);
  }
  current = "letting go of all";
  stream_free (stream);
  gst_object_unref (context);
  check (CuCtxDestroy (handle), "cuCtxDestroy");
  /* With the lost one gone, CUDA may answer otherwise. */
  return gives_another () ? another_plays (640, between, N_FRAMES) && ok : ok;
}

static gboolean
run_trap (const gchar * between)
{
  return lose_context ("stop", between);
}

static gboolean
run_illegal_address (const gchar * between)
{
  return lose_context ("stray", between);
}

/* Another program that takes the memory */

typedef struct
{
  GPid pid;
  gint in, out;
} Taker;

/* All there is, in pieces, the last ones small. */
static gsize
take_all (void)
{
  gsize taken = 0;
  void *piece;

  for (gsize size = (gsize) 1 << 32; size >= 1 << 16; size /= 2)
    while (cudaMalloc (&piece, size) == cudaSuccess)
      taken += size;
  (void) cudaGetLastError ();
  return taken;
}

static gint
take_memory (void)
{
  struct pollfd input = {.fd = STDIN_FILENO,.events = POLLIN };
  gsize taken = take_all ();

  if (taken == 0)
    return FAILED;
  printf ("%" G_GSIZE_FORMAT " MiB\n", taken >> 20);
  while (poll (&input, 1, 5) == 0)
    take_all ();
  return PASSED;
}

static gboolean
taker_start (Taker * self)
{
  gchar *argv[] = { (gchar *) "/proc/self/exe", (gchar *) "--take-memory",
    NULL
  };
  struct pollfd output = {.events = POLLIN };
  gchar text[64];
  gssize n = 0;

  if (!g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
          NULL, NULL, &self->pid, &self->in, &self->out, NULL, NULL))
    return FALSE;
  current = "waiting for another program to take the memory";
  output.fd = self->out;
  if (poll (&output, 1, TAKE_LIMIT * 1000) == 1)
    n = read (self->out, text, sizeof text - 1);
  text[MAX (n, 0)] = '\0';
  printf ("another program has taken %s", n > 0 ? text : "nothing\n");
  return n > 0;
}

static void
taker_end (Taker * self)
{
  current = "waiting for the other program to end";
  close (self->in);
  for (guint i = 0; i < 1000; i++) {
    if (waitpid (self->pid, NULL, WNOHANG) != 0)
      break;
    if (i == 990)
      kill (self->pid, SIGKILL);
    g_usleep (20000);
  }
  close (self->out);
}

/* While nothing has to be allocated it goes on; what has to be, is refused; and
 * is not any more once there is memory. */
static gboolean
run_memory (const gchar * between)
{
  Stream *stream = stream_new (640, between, depth, -1);
  Taker taker;
  gboolean ok;

  stream_play (stream);
  ok = stream_wait (stream, STRIKE, ERROR_LIMIT) && taker_start (&taker);
  if (!ok) {
    stream_free (stream);
    return FALSE;
  }
  ok = stream_wait (stream, stream_frames (stream) + 1000, ERROR_LIMIT)
      && stream_is_well (stream);
  printf ("%s it goes on where nothing is allocated\n", ok ? "ok" : "NOT");
  stream_free (stream);
  stream = make (backend (), 7680, between, depth, -1);
  stream_play (stream);
  ok = expect_error (stream, "memory") && ok;
  taker_end (&taker);
  stream_play (stream);
  ok = stream_wait (stream, 50, TAKE_LIMIT) && stream_is_well (stream) && ok;
  printf ("%s the same pipeline plays again\n", ok ? "ok" : "NOT");
  stream_free (stream);
  return ok && another_plays (640, between, N_FRAMES);
}

static const struct
{
  const gchar *name, *what;
  gboolean (*run) (const gchar * between);
} faults[] = {
  {"trap", "a kernel that traps: an error that the context is lost", run_trap},
  {"illegal-address", "a kernel that writes outside the memory: an error that "
        "the context is lost", run_illegal_address},
  {"memory", "all GPU memory taken: an error about memory for large frames",
      run_memory},
};

static const guint n_faults = G_N_ELEMENTS (faults);
#else
static const guint n_faults = 0;

static const struct
{
  const gchar *name, *what;
  gboolean (*run) (const gchar * between);
} faults[1];

static gint
take_memory (void)
{
  return SKIPPED;
}
#endif

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
