/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "long-run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Two functions that no context survives: one traps, one writes outside the
 * memory. */
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
    again = stream_make ("auto", 640, between ? "video/x-raw" : NULL, depth,
        N_FRAMES);
    again->engine = "cpu";
    ok = stream_run (again, N_FRAMES) && ok;
    printf ("%s backend=auto plays on the CPU\n", ok ? "ok" : "NOT");
    stream_free (again);
  }
  stream_free (stream);
  gst_object_unref (context);
  check (CuCtxDestroy (handle), "cuCtxDestroy");
  /* With the lost one gone, CUDA may answer otherwise. */
  return gives_another () ? another_plays (640, between, N_FRAMES) && ok : ok;
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
  stream = stream_make (backend (), 7680, between, depth, -1);
  stream_play (stream);
  ok = expect_error (stream, "memory") && ok;
  taker_end (&taker);
  stream_play (stream);
  ok = stream_wait (stream, 50, TAKE_LIMIT) && stream_is_well (stream) && ok;
  printf ("%s the same pipeline plays again\n", ok ? "ok" : "NOT");
  stream_free (stream);
  return ok && another_plays (640, between, N_FRAMES);
}

const gchar *const faults[] = { "stop", "stray", "memory" };

const guint n_faults = G_N_ELEMENTS (faults);

gboolean
run_fault (const gchar * name, const gchar * between)
{
  return strcmp (name, "memory") == 0 ? run_memory (between)
      : lose_context (name, between);
}
#else
const gchar *const faults[1];

const guint n_faults = 0;

gboolean
run_fault (const gchar * name, const gchar * between)
{
  (void) name, (void) between;
  return FALSE;
}

gint
take_memory (void)
{
  return SKIPPED;
}
#endif
