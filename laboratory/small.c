/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures what blockdct adds to a pipeline with small frames or short streams:
 * a source, blockdct and a sink, alternating with the same pipeline with
 * identity.
 *
 *   small                    everything; about a minute
 *   small --only=TEXT        the rows with this in their name
 *   small --rounds=N         of each row (101); the median is shown
 *   small --options=TEXT     blockdct's properties ("backend=cpu")
 *
 * blockdct is found like every element, in GST_PLUGIN_PATH_1_0. */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_ROUNDS 1001
#define TIMEOUT (60 * GST_SECOND)

typedef enum
{
  LONG,                         /* one stream; only the time between its
                                   frames */
  REUSED,                       /* one pipeline, restarted from NULL each
                                   time */
  NEW,                          /* a new pipeline each time */
} Kind;

typedef struct
{
  const gchar *name;
  Kind kind;
  Picture picture;
  guint streams, frames;        /* in a round; in each stream */
} Row;

typedef struct
{
  gdouble wall, cpu;            /* us; CPU time of all threads */
} Times;

static const Row rows[] = {
  {"GRAY8 64x64, long", LONG, {"GRAY8", 64, 64}, 1, 200},
  {"I420 64x64, long", LONG, {"I420", 64, 64}, 1, 200},
  {"NV12 64x64, long", LONG, {"NV12", 64, 64}, 1, 200},
  {"I420_10LE 64x64, long", LONG, {"I420_10LE", 64, 64}, 1, 200},
  {"I420 128x128, long", LONG, {"I420", 128, 128}, 1, 200},
  {"I420 256x256, long", LONG, {"I420", 256, 256}, 1, 200},
  {"I420 64x64, 1 frame, reused", REUSED, {"I420", 64, 64}, 20, 1},
  {"I420 64x64, 10 frames, reused", REUSED, {"I420", 64, 64}, 20, 10},
  {"I420 64x64, 1 frame, new", NEW, {"I420", 64, 64}, 20, 1},
  {"I420 64x64, 10 frames, new", NEW, {"I420", 64, 64}, 20, 10},
};

static gchar *only, *properties;
static gint n_rounds = 101;
static Times first, last;       /* when the first and last frame reached the
                                   sink */

static const GOptionEntry options[] = {
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "rows with this text", "TEXT"},
  {"rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "of each row", "N"},
  {"options", 0, 0, G_OPTION_ARG_STRING, &properties, "of blockdct", "TEXT"},
  {.long_name = NULL}
};

static Times
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (Times) {
  g_get_monotonic_time (), t.tv_sec * 1e6 + t.tv_nsec / 1e3};
}

static Times
since (Times begin, Times end, guint n)
{
  return (Times) {
  (end.wall - begin.wall) / n, (end.cpu - begin.cpu) / n};
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad, (void) data;
  last = now ();
  if (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) == 0)
    first = last;
  return GST_PAD_PROBE_OK;
}

static GstElement *
build (const Row * row, const gchar * middle)
{
  BenchSrc *src = bench_src_new (SOURCE_OWN, &row->picture, NULL, 0);
  GstElement *pipeline;

  g_object_set (src, "num-buffers", row->frames, NULL);
  pipeline = bench_pipeline (src, middle, on_buffer, NULL);
  if (pipeline == NULL)
    exit (2);
  return pipeline;
}

static void
play (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, TIMEOUT,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  if (message == NULL || GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS) {
    fprintf (stderr, "no end of stream\n");
    exit (1);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* The time of a frame or, for short streams, of a stream. */
static Times
measure (const Row * row, const gchar * middle)
{
  GstElement *pipeline = NULL;
  Times begin = now (), times;

  for (guint i = 0; i < row->streams; i++) {
    if (pipeline == NULL || row->kind == NEW) {
      g_clear_pointer (&pipeline, gst_object_unref);
      pipeline = build (row, middle);
      if (row->kind != NEW)
        begin = now ();
    }
    play (pipeline);
  }
  times = row->kind == LONG ? since (first, last, row->frames - 1)
      : since (begin, now (), row->streams);
  gst_object_unref (pipeline);
  return times;
}

static int
compare (const void *a, const void *b)
{
  gdouble d = *(const gdouble *) a - *(const gdouble *) b;

  return d < 0 ? -1 : d > 0;
}

static void
run (const Row * row, gchar * const *middle)
{
  gdouble wall[2][MAX_ROUNDS], cpu[2][MAX_ROUNDS];
  const gint n = row->kind == LONG ? 1 : row->frames, half = n_rounds / 2;

  for (gint i = 0; i < n_rounds; i++)
    for (guint k = 0; k < 2; k++) {
      const Times times = measure (row, middle[k]);

      wall[k][i] = times.wall;
      cpu[k][i] = times.cpu;
    }
  for (guint k = 0; k < 2; k++) {
    qsort (wall[k], n_rounds, sizeof wall[k][0], compare);
    qsort (cpu[k], n_rounds, sizeof cpu[k][0], compare);
  }
  printf ("%-30s %9.1f %9.1f %9.1f %9.1f %9.1f\n", row->name, wall[0][half],
      wall[1][half], (wall[1][half] - wall[0][half]) / n,
      (wall[1][0] - wall[0][0]) / n, (cpu[1][half] - cpu[0][half]) / n);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gchar *middle[2];

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1
      || n_rounds < 1 || n_rounds > MAX_ROUNDS) {
    fprintf (stderr, "%s\n", error != NULL ? error->message
        : "no such argument");
    return 2;
  }
  g_option_context_free (context);
  middle[0] = g_strdup ("identity");
  middle[1] = g_strdup_printf ("blockdct %s", properties != NULL ? properties
      : "backend=cpu");
  printf ("us; %u processors\n%-30s %9s %9s %29s\n%-30s %9s %9s %9s %9s %9s\n",
      g_get_num_processors (), "", "", "", "more, a frame:       ", "",
      "identity", "blockdct", "median", "least", "CPU");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (only == NULL || strstr (rows[i].name, only) != NULL)
      run (&rows[i], middle);
  g_free (middle[0]);
  g_free (middle[1]);
  return 0;
}
