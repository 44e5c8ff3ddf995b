/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "long-run.h"

#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_FRAMES 200
#define STRIKE 60               /* the frame at which it happens */
#define ERROR_LIMIT 20          /* s */

/* The element's error has to come in time, with this word in it. */
static gboolean
expect_error (Stream * stream, const gchar * word)
{
  const gboolean ok = stream_wait (stream, G_MAXUINT64, ERROR_LIMIT)
      && stream->error != NULL && g_str_has_prefix (stream->error, "dct")
      && strstr (stream->error, word) != NULL;

  printf ("%s an error that says '%s': %s\n", ok ? "ok" : "NOT", word,
      stream->error != NULL ? stream->error : "none");
  stream_end (stream);
  return ok && stream->wrong == 0;
}

static gboolean
another_plays (const gchar * between)
{
  Stream *another = stream_new (backend (), 640, between, N_FRAMES);
  const gboolean ok = stream_run (another, N_FRAMES);

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

#define CALL(function, ...) check (function (__VA_ARGS__), #function)

/* A context without the element, not current; NULL if CUDA gives none. */
static CUcontext
make_context (void)
{
  CUcontext context;
  CUdevice device;

  if (!CALL (CuDeviceGet, &device, 0) || !CALL (CuCtxCreate, &context, 0,
          device))
    return NULL;
  CuCtxPopCurrent (NULL);
  return context;
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
  CUcontext context;
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
  if (!CALL (CuCtxPushCurrent, self->context)
      || !CALL (CuModuleLoadData, &module, ptx)
      || !CALL (CuModuleGetFunction, &function, module, self->function)
      || !CALL (CuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL,
          NULL))
    exit (1);
  CuCtxPopCurrent (NULL);
  return GST_PAD_PROBE_OK;
}

/* Whether CUDA gives this process another context, without the element. */
static gboolean
gives_another (void)
{
  CUcontext context = make_context ();
  CUdeviceptr memory;
  gboolean ok = context != NULL && CALL (CuCtxPushCurrent, context)
      && CALL (CuMemAlloc, &memory, 4096) && CALL (CuStreamSynchronize, NULL)
      && CALL (CuMemFree, memory);

  if (context != NULL)
    ok = CALL (CuCtxDestroy, context) && ok;
  printf ("CUDA gives this process %s context\n", ok ? "another" : "no other");
  return ok;
}

/* A context is lost under a pipeline that works in it: an application's own,
 * which it destroys itself when the pipeline is gone, as CUDA does not survive
 * what is asked of a destroyed one. Where CUDA is over for this process, who
 * asked for it is told, and who did not plays on the CPU, which has no CUDA
 * memory. */
static gboolean
lose_context (const gchar * function, const gchar * between)
{
  Stream *stream = stream_new (backend (), 640, between, -1), *again;
  Strike data = { function, make_context (), 0 };
  GstElement *dct = gst_bin_get_by_name (GST_BIN (stream->pipeline), between
      ? "dct1" : "dct0");
  GstPad *pad = gst_element_get_static_pad (dct, "sink");
  GstCudaContext *context;
  GstContext *shared;
  gboolean ok, others;

  if (data.context == NULL)
    return FALSE;
  context = gst_cuda_context_new_wrapped (data.context, 0);
  shared = gst_context_new_cuda_context (context);
  gst_element_set_context (stream->pipeline, shared);
  gst_context_unref (shared);
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
    again = stream_new ("auto", 640, between ? "video/x-raw" : NULL, N_FRAMES);
    again->engine = "cpu";
    ok = stream_run (again, N_FRAMES) && ok;
    printf ("%s backend=auto plays on the CPU\n", ok ? "ok" : "NOT");
    stream_free (again);
  }
  stream_free (stream);
  gst_object_unref (context);
  CALL (CuCtxDestroy, data.context);
  /* With the lost one gone, CUDA may answer otherwise. */
  return gives_another () ? another_plays (between) && ok : ok;
}

/* All the memory there is, in pieces, the last ones small: what the context
 * has goes with it. */
static void
take_all (CUcontext context)
{
  gsize taken = 0;
  CUdeviceptr piece;

  CuCtxPushCurrent (context);
  for (gsize size = (gsize) 1 << 32; size >= 1 << 16; size /= 2)
    while (CuMemAlloc (&piece, size) == CUDA_SUCCESS)
      taken += size;
  CuCtxPopCurrent (NULL);
  printf ("%" G_GSIZE_FORMAT " KiB are taken\n", taken >> 10);
}

/* While nothing has to be allocated it goes on; what has to be, is refused; and
 * is not any more once there is memory. */
static gboolean
run_memory (const gchar * between)
{
  Stream *stream = stream_new (backend (), 640, between, -1);
  CUcontext taker = make_context ();
  gboolean ok;

  stream_play (stream);
  ok = taker != NULL && stream_wait (stream, STRIKE, ERROR_LIMIT);
  for (guint i = 0; i < 10 && ok; i++) {
    take_all (taker);
    ok = stream_wait (stream, stream_frames (stream) + 100, ERROR_LIMIT)
        && stream_is_well (stream);
  }
  printf ("%s it goes on where nothing is allocated\n", ok ? "ok" : "NOT");
  stream_free (stream);
  if (!ok)
    return FALSE;
  stream = stream_new (backend (), 7680, between, -1);
  take_all (taker);
  stream_play (stream);
  ok = expect_error (stream, "memory");
  CALL (CuCtxDestroy, taker);
  stream_play (stream);
  ok = stream_wait (stream, 50, PATIENCE) && stream_is_well (stream) && ok;
  printf ("%s the same pipeline plays again\n", ok ? "ok" : "NOT");
  stream_free (stream);
  return ok && another_plays (between);
}

gboolean
run_fault (const gchar * name, const gchar * between)
{
  return gst_cuda_load_library () && CALL (CuInit, 0)
      && (strcmp (name, "memory") == 0 ? run_memory (between)
      : lose_context (name, between));
}
