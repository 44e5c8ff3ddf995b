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
  enum { WARMING, FIRST_HALF, SECOND_HALF, DONE } phase;
  guint64 begin_frames;
  gint64 begin_time, begin_cpu, host, device;
  gint latencies[MAX_LATENCIES];
  guint n_latencies;

  gboolean ok;
} Runner;

GstObject *
bench_context (gint device)
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
  FILE *file = fopen ("/proc/self/statm", "r");
  long total, pages = 0;

  if (file != NULL && fscanf (file, "%ld %ld", &total, &pages) != 2)
    pages = 0;
  if (file != NULL)
    fclose (file);
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
  gint64 time = MAX (now - self->begin_time, 1);

  r->frames = self->arrived - self->begin_frames;
  r->fps = r->frames * (gdouble) G_USEC_PER_SEC / time;
  r->cpu_us = (cpu_time () - self->begin_cpu) / (gdouble) MAX (r->frames, 1);
  r->host_growth = resident () - self->host;
  r->device_growth = self->device - limit_free_memory (self->run->device);
  qsort (self->latencies, self->n_latencies, sizeof self->latencies[0],
      compare);
  if (self->n_latencies > 0) {
    r->latency_us = self->latencies[self->n_latencies / 2];
    r->latency_max_us = self->latencies[self->n_latencies - 1];
  }
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Runner *self = data;
  const Run *run = self->run;
  gint64 now = g_get_monotonic_time (), pushed_at;
  guint64 n = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) / BENCH_TICK;
  gint in_flight = bench_src_n_pushed (self->src) - n;
  gdouble done;

  (void) pad;
  self->result->in_flight = MAX (self->result->in_flight, in_flight);
  pushed_at = bench_src_pushed_at (self->src, n);
  self->arrived++;
  if (self->arrived == 1)
    self->first_arrival = now;
  if (self->phase == WARMING) {
    gint64 since = now - self->first_arrival;

    if (since < WARM_TIME || (self->arrived < WARM_FRAMES
            && since < LONG_WARM_TIME) || (since < FULL_TIME
            && bench_src_n_since_new (self->src) < FULL_FRAMES))
      return GST_PAD_PROBE_OK;
    self->phase = FIRST_HALF;
    self->begin_frames = self->arrived;
    self->begin_time = g_get_monotonic_time ();
    self->begin_cpu = cpu_time ();
    return GST_PAD_PROBE_OK;
  }
  if (self->phase == DONE)
    return GST_PAD_PROBE_OK;
  if (self->n_latencies < MAX_LATENCIES)
    self->latencies[self->n_latencies++] = now - pushed_at;
  done = run->frames > 0
      ? (self->arrived - self->begin_frames) / (gdouble) run->frames
      : (now - self->begin_time) / (run->seconds * G_USEC_PER_SEC);
  if (self->phase == FIRST_HALF && done >= 0.5) {
    self->phase = SECOND_HALF;
    self->host = resident ();
    self->device = limit_free_memory (run->device);
  }
  if (self->phase == SECOND_HALF && done >= 1) {
    self->phase = DONE;
    finish (self, now);
    bench_src_stop (self->src);
  }
  return GST_PAD_PROBE_OK;
}

static GstElement *
build (Runner * self)
{
  const Run *run = self->run;
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL), *middle;
  GstObject *context = bench_context (run->device);
  GError *error = NULL;
  GstPad *pad;

  self->src = BENCH_SRC (bench_src_new (run->source, &run->picture, context,
          run->fps));
  g_object_set (sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, self, NULL);
  gst_object_unref (pad);
  gst_bin_add_many (GST_BIN (pipeline), GST_ELEMENT (self->src), sink, NULL);
  if (context != NULL) {
    GstContext *shared =
        gst_context_new_cuda_context (GST_CUDA_CONTEXT (context));

    gst_element_set_context (pipeline, shared);
    gst_context_unref (shared);
  }
  if (run->middle == NULL) {
    self->ok = gst_element_link (GST_ELEMENT (self->src), sink);
    return pipeline;
  }
  middle = gst_parse_bin_from_description (run->middle, TRUE, &error);
  if (error != NULL) {
    printf ("%s: %s\n", run->middle, error->message);
    g_clear_error (&error);
  }
  if (middle == NULL)
    return pipeline;
  gst_bin_add (GST_BIN (pipeline), middle);
  self->ok = gst_element_link_many (GST_ELEMENT (self->src), middle, sink,
      NULL);
  return pipeline;
}

/* Pop messages as they come, as an application does. */
static void
follow (Runner * self, GstBus * bus)
{
  for (;;) {
    GstMessage *message = gst_bus_timed_pop (bus, TIMEOUT);
    GstMessageType type = message != NULL ? GST_MESSAGE_TYPE (message)
        : GST_MESSAGE_ERROR;

    if (type == GST_MESSAGE_ELEMENT)
      self->result->messages++;
    if (message == NULL) {
      printf ("%s: nothing in %d s\n", self->run->middle,
          (gint) (TIMEOUT / GST_SECOND));
      self->ok = FALSE;
      return;
    }
    if (type & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) {
      GError *error = NULL;
      gchar *debug = NULL;

      if (type == GST_MESSAGE_ERROR)
        gst_message_parse_error (message, &error, &debug);
      else
        gst_message_parse_warning (message, &error, &debug);
      printf ("%s: %s (%s)\n", self->run->middle, error->message, debug);
      g_error_free (error);
      g_free (debug);
      self->ok = self->ok && type != GST_MESSAGE_ERROR;
    }
    gst_message_unref (message);
    if (type == GST_MESSAGE_ERROR || type == GST_MESSAGE_EOS)
      return;
  }
}

static gpointer
run_one (gpointer data)
{
  Runner *self = data;
  GstElement *pipeline = build (self);
  GstBus *bus = gst_element_get_bus (pipeline);

  if (self->ok) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    follow (self, bus);
  }
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
    results[i] = (Result) { 0 };
    runners[i].run = &runs[i];
    runners[i].result = &results[i];
    /* Created before the threads, as there is no lock. */
    bench_context (runs[i].device);
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
