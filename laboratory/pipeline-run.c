/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_DEVICES 16
#define MAX_LATENCIES 65536
#define TIMEOUT (180 * GST_SECOND)

/* Frames and time (us) before the measurement. */
#define WARM_FRAMES 32
#define WARM_TIME 40000
#define LONG_WARM_TIME 400000

/* While queues fill, the source draws frames, which is slower than anything
 * measured: it must not have drawn one for this many frames. */
#define FULL_FRAMES 128
#define FULL_TIME 3000000

typedef struct
{
  const Run *run;
  Result *result;
  BenchSrc *src;

  /* Used by the streaming thread. */
  guint64 arrived;
  gint64 first_arrival;
  enum
  { WARMING, FIRST_HALF, SECOND_HALF, DONE } phase;
  guint64 begin_frames;
  gint64 begin_time, begin_cpu, host, device;
  gint latencies[MAX_LATENCIES];
  guint n_latencies;

  gboolean ok;
} Runner;

/* The GstCudaContext of a device, created once; NULL: there is none. */
static GstObject *
get_context (gint device)
{
  static GstObject *contexts[MAX_DEVICES];

  if (device >= limit_devices () || device >= MAX_DEVICES
      || !gst_cuda_load_library ())
    return NULL;
  gst_cuda_memory_init_once ();
  if (contexts[device] == NULL)
    contexts[device] = GST_OBJECT (gst_cuda_context_new (device));
  return contexts[device];
}

/* CPU time of all threads, us. */
static gint64
cpu_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC
      + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* The resident bytes of the process. */
static gint64
resident (void)
{
  gchar *text = NULL;
  long pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)
      && sscanf (text, "%*d %ld", &pages) != 1)
    pages = 0;
  g_free (text);
  return (gint64) pages *sysconf (_SC_PAGESIZE);
}

static int
compare (const void *a, const void *b)
{
  return *(const gint *) a - *(const gint *) b;
}

static void
finish (Runner * self, gint64 now)
{
  Result *r = self->result;

  r->frames = self->arrived - self->begin_frames;
  r->fps = r->frames * (gdouble) G_USEC_PER_SEC
      / MAX (now - self->begin_time, 1);
  r->cpu_us = (cpu_time () - self->begin_cpu) / (gdouble) MAX (r->frames, 1);
  r->host_growth = resident () - self->host;
  r->device_growth = self->device - limit_free_memory (self->run->device);
  qsort (self->latencies, self->n_latencies, sizeof self->latencies[0],
      compare);
  r->latency_us = self->latencies[self->n_latencies / 2];
  r->latency_max_us = self->latencies[self->n_latencies - 1];
}

static gboolean
is_warm (const Runner * self, gint64 now)
{
  const gint64 since = now - self->first_arrival;

  return since >= WARM_TIME
      && (self->arrived >= WARM_FRAMES || since >= LONG_WARM_TIME)
      && (self->src->n - self->src->drawn >= FULL_FRAMES || since >= FULL_TIME);
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Runner *self = data;
  const Run *run = self->run;
  const gint64 now = g_get_monotonic_time ();
  const guint64 n =
      GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) / BENCH_TICK;
  gdouble done;

  (void) pad;
  self->result->in_flight = MAX (self->result->in_flight,
      (gint) (self->src->n - n));
  if (self->arrived++ == 0)
    self->first_arrival = now;
  if (self->phase == WARMING && is_warm (self, now)) {
    self->phase = FIRST_HALF;
    self->begin_frames = self->arrived;
    self->begin_time = g_get_monotonic_time ();
    self->begin_cpu = cpu_time ();
    return GST_PAD_PROBE_OK;
  }
  if (self->phase == WARMING || self->phase == DONE)
    return GST_PAD_PROBE_OK;
  if (self->n_latencies < MAX_LATENCIES)
    self->latencies[self->n_latencies++] =
        now - self->src->pushed_at[n % BENCH_TIMES];
  done = (now - self->begin_time) / (run->seconds * G_USEC_PER_SEC);
  if (self->phase == FIRST_HALF && done >= 0.5) {
    self->phase = SECOND_HALF;
    self->host = resident ();
    self->device = limit_free_memory (run->device);
  }
  if (self->phase == SECOND_HALF && done >= 1) {
    self->phase = DONE;
    finish (self, now);
    g_atomic_int_set (&self->src->stop, TRUE);
  }
  return GST_PAD_PROBE_OK;
}

/* Pop messages as they come, as an application does. */
static void
follow (Runner * self, GstBus * bus)
{
  GstMessageType type = GST_MESSAGE_UNKNOWN;

  while (type != GST_MESSAGE_EOS && type != GST_MESSAGE_ERROR) {
    GstMessage *message = gst_bus_timed_pop (bus, TIMEOUT);
    GError *error = NULL;

    if (message == NULL) {
      printf ("%s: nothing in %d s\n", self->run->middle,
          (gint) (TIMEOUT / GST_SECOND));
      self->ok = FALSE;
      return;
    }
    type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_ELEMENT)
      self->result->messages++;
    if (type == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    if (type == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    if (error != NULL)
      printf ("%s: %s\n", self->run->middle, error->message);
    g_clear_error (&error);
    gst_message_unref (message);
  }
}

static gpointer
run_one (gpointer data)
{
  Runner *self = data;
  const Run *run = self->run;
  GstObject *context = get_context (run->device);
  GstElement *pipeline;
  GstBus *bus;

  self->src = bench_src_new (run->source, &run->picture, context, run->fps);
  pipeline = bench_pipeline (self->src, run->middle, on_buffer, self);
  self->ok = pipeline != NULL;
  if (!self->ok)
    return NULL;
  if (context != NULL) {
    GstContext *shared =
        gst_context_new_cuda_context (GST_CUDA_CONTEXT (context));

    gst_element_set_context (pipeline, shared);
    gst_context_unref (shared);
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  follow (self, bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  self->ok = self->ok && self->phase == DONE;
  return NULL;
}

gboolean
bench_run (const Run * runs, Result * results, guint n)
{
  Runner *runners = g_new0 (Runner, n);
  GThread **threads = g_new0 (GThread *, n);
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++) {
    results[i] = (Result) {
    0};
    runners[i].run = &runs[i];
    runners[i].result = &results[i];
    /* Created before the threads, as there is no lock. */
    get_context (runs[i].device);
  }
  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new ("run", run_one, &runners[i]);
  for (guint i = 0; i < n; i++) {
    g_thread_join (threads[i]);
    ok = ok && runners[i].ok;
  }
  g_free (threads);
  g_free (runners);
  return ok;
}
