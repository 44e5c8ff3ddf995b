/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What goes wrong while a pipeline plays: it must be an element error, in time,
 * and the same process must play again after it. */
#include "long-run.h"

#include <stdio.h>
#include <string.h>

/* Frames of a run, and where in it the fault is. */
#define N_FRAMES 200
#define STRIKE 60

/* Seconds until the error is there. */
#define ERROR_LIMIT 20

typedef struct
{
  guint n;                      /* frames that came by */
  gpointer context;             /* CUDA's */
  gboolean ok;
} Strike;

static GstPadProbeReturn
strike_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Strike *strike = data;

  (void) pad;
  if (strike->n++ == STRIKE) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

    gst_buffer_copy_into (buffer, GST_PAD_PROBE_INFO_BUFFER (info),
        GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
    gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
    strike->ok = TRUE;
  }
  return GST_PAD_PROBE_OK;
}

/* Have it called with each frame before an element, in the streaming thread. */
static void
prepare_strike (Stream * stream, const gchar * element,
    GstPadProbeCallback callback, Strike * strike)
{
  GstElement *dct = gst_bin_get_by_name (GST_BIN (stream->pipeline), element);
  GstPad *pad = gst_element_get_static_pad (dct, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, strike, NULL);
  gst_object_unref (pad);
  gst_object_unref (dct);
}

/* The error that has to come, within the limit, from the element, with this
 * word in it; then the pipeline is stopped. */
static gboolean
expect_error (Stream * stream, const gchar * word)
{
  gint64 begin = g_get_monotonic_time (), end;
  gboolean ok = stream_wait (stream, FRAMES_ERROR, ERROR_LIMIT);

  end = g_get_monotonic_time ();
  if (ok) {
    printf ("after %" G_GINT64_FORMAT " ms, %" G_GUINT64_FORMAT " frames: %s "
        "%d, %s: %s [%s]\n", (end - begin) / 1000, stream_frames (stream),
        g_quark_to_string (stream->error->domain), stream->error->code,
        stream->error_is_ours ? "blockdct" : "ANOTHER ELEMENT",
        stream->error->message, stream->debug);
    ok = stream->error_is_ours && (strstr (stream->error->message, word)
        || (stream->debug != NULL && strstr (stream->debug, word)));
    if (!ok)
      printf ("not an error of blockdct that says '%s'\n", word);
  } else
    printf ("no error\n");
  begin = g_get_monotonic_time ();
  stream_end (stream);
  printf ("stopped in %" G_GINT64_FORMAT " ms\n",
      (g_get_monotonic_time () - begin) / 1000);
  if (stream->wrong > 0)
    printf ("%" G_GUINT64_FORMAT " messages are wrong\n", stream->wrong);
  return ok && stream->wrong == 0;
}

/* A new pipeline like it. */
static gboolean
another_plays (const Recipe * recipe, guint64 n_frames)
{
  Stream *another = stream_new (recipe, n_frames);
  gboolean ok = another != NULL && stream_run (another, n_frames);

  printf ("%s a new pipeline plays\n", ok ? "ok" : "NOT");
  g_clear_pointer (&another, stream_free);
  return ok;
}

static gboolean
plays_again (Stream * stream)
{
  gboolean ok = stream_run (stream, N_FRAMES);

  printf ("%s the same pipeline plays again\n", ok ? "ok" : "NOT");
  return another_plays (&stream->recipe, N_FRAMES) && ok;
}

static gboolean
run_short_buffer (const gchar * memory, guint depth)
{
  Recipe recipe = {.memory = MEMORY_OWN,.between = memory,
    .forms = {{"NV12", 320, 180}},.depth = depth
  };
  Stream *stream = stream_new (&recipe, N_FRAMES);
  Strike strike = { 0 };
  gboolean ok;

  if (stream == NULL)
    return FALSE;
  prepare_strike (stream, "dct0", strike_buffer, &strike);
  stream_play (stream);
  ok = expect_error (stream, "16 bytes") && plays_again (stream);
  stream_free (stream);
  return ok;
}

#ifdef HAVE_CUDA

#include <cuda_runtime_api.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds for another program to take all memory. */
#define TAKE_LIMIT 120

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

static void
launch (Strike * strike, const gchar * name)
{
  CUmodule module;
  CUfunction function;

  strike->ok = check (CuCtxPushCurrent (strike->context), "cuCtxPushCurrent")
      && check (CuModuleLoadData (&module, ptx), "cuModuleLoadData")
      && check (CuModuleGetFunction (&function, module, name),
      "cuModuleGetFunction")
      && check (CuLaunchKernel (function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL,
          NULL), "cuLaunchKernel");
  CuCtxPopCurrent (NULL);
}

static GstPadProbeReturn
strike_trap (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad, (void) info;
  if (((Strike *) data)->n++ == STRIKE)
    launch (data, "stop");
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
strike_address (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad, (void) info;
  if (((Strike *) data)->n++ == STRIKE)
    launch (data, "stray");
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

  stage ("making another context");
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

/* CUDA is over for this process: who asked for it is told, and who did not
 * plays on the CPU, which has no CUDA memory. */
static gboolean
plays_on_cpu (Stream * stream)
{
  Recipe recipe = stream->recipe;
  Stream *another = stream;
  gboolean ok;

  stream_play (stream);
  ok = expect_error (stream, "restart the program");
  if (recipe.between != NULL) {
    recipe.between = NULL;
    another = stream_new (&recipe, N_FRAMES);
  }
  if (another == NULL)
    return FALSE;
  stream_fall_back (another);
  ok = stream_run (another, N_FRAMES) && ok;
  printf ("%s backend=auto plays on the CPU\n", ok ? "ok" : "NOT");
  if (another != stream)
    stream_free (another);
  return ok;
}

/* A context is lost under a pipeline that works in it. */
static gboolean
lose_context (GstPadProbeCallback callback, const gchar * memory, guint depth)
{
  Recipe recipe = {.memory = MEMORY_POOL,.between = memory,
    .forms = {{"NV12", 640, 360}},.depth = depth
  };
  Stream *stream = stream_new (&recipe, N_FRAMES);
  Strike strike = { 0 };
  GstCudaContext *context;
  GstContext *shared;
  CUcontext handle = NULL;
  gboolean ok, others;

  if (stream == NULL)
    return FALSE;
  context = make_context (&handle);
  if (context == NULL) {
    stream_free (stream);
    return FALSE;
  }
  shared = gst_context_new_cuda_context (context);
  gst_element_set_context (stream->pipeline, shared);
  gst_context_unref (shared);
  strike.context = handle;
  prepare_strike (stream, memory ? "dct1" : "dct0", callback, &strike);
  stream_play (stream);
  ok = expect_error (stream, "context is lost") && strike.ok;
  others = gives_another ();
  ok = (others ? plays_again (stream) : plays_on_cpu (stream)) && ok;
  stage ("letting go of all");
  stream_free (stream);
  gst_object_unref (context);
  check (CuCtxDestroy (handle), "cuCtxDestroy");
  /* With the lost one gone, CUDA may answer otherwise. */
  if (!others && gives_another ())
    ok = another_plays (&recipe, N_FRAMES) && ok;
  return ok;
}

static gboolean
run_trap (const gchar * memory, guint depth)
{
  return lose_context (strike_trap, memory, depth);
}

static gboolean
run_illegal_address (const gchar * memory, guint depth)
{
  return lose_context (strike_address, memory, depth);
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

gint
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
  stage ("waiting for another program to take the memory");
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
  stage ("waiting for the other program to end");
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

/* Frames of another size, in the same pipeline, and all the others. */
static gboolean
plays_larger (Stream * stream)
{
  gboolean ok;

  stream_play (stream);
  ok = stream_wait (stream, 30, ERROR_LIMIT);
  long_src_change (stream->src);
  ok = ok && stream_wait (stream, stream_frames (stream) + 50, TAKE_LIMIT);
  long_src_stop (stream->src);
  ok = ok && stream_wait (stream, FRAMES_EOS, ERROR_LIMIT);
  stream_end (stream);
  ok = stream_is_well (stream) && ok;
  printf ("%s the same pipeline plays again\n", ok ? "ok" : "NOT");
  return ok;
}

/* While nothing has to be allocated it goes on; what has to be, is refused. */
static gboolean
run_memory (const gchar * memory, guint depth)
{
  Recipe recipe = {.memory = MEMORY_POOL,.between = memory,
    .forms = {{"NV12", 640, 360}, {"NV12", 7680, 4320}},.depth = depth
  };
  Stream *stream = stream_new (&recipe, 0);
  Taker taker;
  guint64 n;
  gboolean ok;

  if (stream == NULL)
    return FALSE;
  stream_play (stream);
  ok = stream_wait (stream, STRIKE, ERROR_LIMIT) && taker_start (&taker);
  if (!ok) {
    stream_is_well (stream);
    stream_free (stream);
    return FALSE;
  }
  n = stream_frames (stream);
  ok = stream_wait (stream, n + 1000, ERROR_LIMIT) && stream_is_well (stream);
  printf ("%s it goes on where nothing is allocated: frame %" G_GUINT64_FORMAT
      ", then %" G_GUINT64_FORMAT "\n", ok ? "ok" : "NOT", n,
      stream_frames (stream));
  long_src_change (stream->src);
  ok = expect_error (stream, "memory") && ok;
  taker_end (&taker);
  ok = plays_larger (stream) && ok;
  recipe.forms[0] = recipe.forms[1];
  ok = another_plays (&recipe, 50) && ok;
  stream_free (stream);
  return ok;
}

#else
gint
take_memory (void)
{
  return SKIPPED;
}
#endif

const Fault faults[] = {
  {"short-buffer", "a buffer that is too small: an error with its size",
      run_short_buffer, FALSE},
#ifdef HAVE_CUDA
  {"trap",
        "a kernel that traps: an error that the context is lost, with a cure",
      run_trap, TRUE},
  {"illegal-address", "a kernel that writes outside the memory: an error that "
        "the context is lost, with a cure", run_illegal_address, TRUE},
  {"memory",
        "all GPU memory taken: an error about memory when the frames grow",
      run_memory, TRUE},
#endif
};

const guint n_faults = G_N_ELEMENTS (faults);
