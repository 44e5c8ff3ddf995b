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
 * Messages are popped as they come, as an application does. blockdct is found
 * like every element, in GST_PLUGIN_PATH_1_0. */
#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>
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
  const gchar *format;
  gint side;
  guint streams, frames;        /* in a round; in each stream */
} Row;

typedef struct
{
  gdouble wall, cpu;            /* us; CPU time of all threads */
} Times;

static const Row rows[] = {
  {"GRAY8 64x64, long", LONG, "GRAY8", 64, 1, 200},
  {"I420 64x64, long", LONG, "I420", 64, 1, 200},
  {"NV12 64x64, long", LONG, "NV12", 64, 1, 200},
  {"I420_10LE 64x64, long", LONG, "I420_10LE", 64, 1, 200},
  {"I420 128x128, long", LONG, "I420", 128, 1, 200},
  {"I420 256x256, long", LONG, "I420", 256, 1, 200},
  {"I420 64x64, 1 frame, reused", REUSED, "I420", 64, 20, 1},
  {"I420 64x64, 10 frames, reused", REUSED, "I420", 64, 20, 10},
  {"I420 64x64, 1 frame, new", NEW, "I420", 64, 20, 1},
  {"I420 64x64, 10 frames, new", NEW, "I420", 64, 20, 10},
};

static gchar *only, *properties;
static gint n_rounds = 101;
static GstBuffer *picture;      /* of the row that is measured */
static GstCaps *caps;
static Times first, last;       /* when the first and last frame reached the
                                   sink */

static const GOptionEntry options[] = {
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "rows with this text", "TEXT"},
  {"rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "of each row", "N"},
  {"options", 0, 0, G_OPTION_ARG_STRING, &properties, "of blockdct", "TEXT"},
  {.long_name = NULL}
};

/* A minimal source, whose frames share their memory. */
typedef struct
{
  GstPushSrc parent;
  guint64 n;
} SmallSrc;

typedef struct
{
  GstPushSrcClass parent;
} SmallSrcClass;

static GType small_src_get_type (void);
G_DEFINE_TYPE (SmallSrc, small_src, GST_TYPE_PUSH_SRC);

static GstCaps *
get_caps (GstBaseSrc * src, GstCaps * filter)
{
  (void) src;
  return filter != NULL ? gst_caps_intersect (caps, filter)
      : gst_caps_ref (caps);
}

static gboolean
start (GstBaseSrc * src)
{
  ((SmallSrc *) src)->n = 0;
  return TRUE;
}

static GstFlowReturn
create (GstPushSrc * src, GstBuffer ** buffer)
{
  const GstClockTime duration = GST_SECOND / 30;

  *buffer = gst_buffer_copy (picture);
  GST_BUFFER_PTS (*buffer) = ((SmallSrc *) src)->n++ * duration;
  GST_BUFFER_DURATION (*buffer) = duration;
  return GST_FLOW_OK;
}

static void
small_src_class_init (SmallSrcClass * klass)
{
  GstBaseSrcClass *base = GST_BASE_SRC_CLASS (klass);

  gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_CAPS_ANY));
  base->get_caps = get_caps;
  base->start = start;
  GST_PUSH_SRC_CLASS (klass)->create = create;
}

static void
small_src_init (SmallSrc * self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

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
  if (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) == 0)
    first = now ();
  last = now ();
  return GST_PAD_PROBE_OK;
}

static GstElement *
build (const Row * row, const gchar * middle)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *src = g_object_new (small_src_get_type (), "num-buffers",
      row->frames, NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL), *element;
  GError *error = NULL;
  GstPad *pad;

  element = gst_parse_launch (middle, &error);
  if (error != NULL) {
    fprintf (stderr, "%s: %s\n", middle, error->message);
    exit (2);
  }
  g_object_set (sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, NULL, NULL);
  gst_object_unref (pad);
  gst_bin_add_many (GST_BIN (pipeline), src, element, sink, NULL);
  gst_element_link_many (src, element, sink, NULL);
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
  GstElement *pipeline = row->kind != NEW ? build (row, middle) : NULL;
  Times begin = now (), times;

  for (guint i = 0; i < row->streams; i++) {
    if (row->kind == NEW)
      pipeline = build (row, middle);
    play (pipeline);
    if (row->kind == NEW)
      gst_object_unref (pipeline);
  }
  times = row->kind == LONG ? since (first, last, row->frames - 1)
      : since (begin, now (), row->streams);
  if (row->kind != NEW)
    gst_object_unref (pipeline);
  return times;
}

/* Fill the picture with noise, so that levels are not 0 by chance. */
static void
make_picture (const Row * row)
{
  GstVideoInfo info;
  GstMapInfo map;

  gst_video_info_set_format (&info, gst_video_format_from_string (row->format),
      row->side, row->side);
  caps = gst_video_info_to_caps (&info);
  picture = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_map (picture, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = i * i / 7 % 251 & (info.finfo->bits > 8 && i % 2 ? 3 : 255);
  gst_buffer_unmap (picture, &map);
}

static int
compare (const void *a, const void *b)
{
  gdouble d = *(const gdouble *) a - *(const gdouble *) b;

  return d < 0 ? -1 : d > 0;
}

static void
run (const Row * row)
{
  gchar *middle[2] = { g_strdup ("identity"),
    g_strdup_printf ("blockdct %s", properties)
  };
  gdouble wall[2][MAX_ROUNDS], cpu[2][MAX_ROUNDS];
  const gint n = row->kind == LONG ? 1 : row->frames, half = n_rounds / 2;

  make_picture (row);
  for (gint i = 0; i < n_rounds; i++)
    for (guint k = 0; k < 2; k++) {
      Times times = measure (row, middle[k]);

      wall[k][i] = times.wall;
      cpu[k][i] = times.cpu;
    }
  for (guint k = 0; k < 2; k++) {
    qsort (wall[k], n_rounds, sizeof wall[k][0], compare);
    qsort (cpu[k], n_rounds, sizeof cpu[k][0], compare);
    g_free (middle[k]);
  }
  printf ("%-30s %9.1f %9.1f %9.1f %9.1f %9.1f\n", row->name, wall[0][half],
      wall[1][half], (wall[1][half] - wall[0][half]) / n,
      (wall[1][0] - wall[0][0]) / n, (cpu[1][half] - cpu[0][half]) / n);
  fflush (stdout);
  gst_clear_buffer (&picture);
  gst_clear_caps (&caps);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1
      || n_rounds < 1 || n_rounds > MAX_ROUNDS) {
    fprintf (stderr, "%s\n", error != NULL ? error->message
        : "no such argument");
    return 2;
  }
  g_option_context_free (context);
  if (properties == NULL)
    properties = g_strdup ("backend=cpu");
  printf ("us; %u processors\n%-30s %9s %9s %29s\n%-30s %9s %9s %9s %9s %9s\n",
      g_get_num_processors (), "", "", "", "more, a frame:       ", "",
      "identity", "blockdct", "median", "least", "CPU");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (only == NULL || strstr (rows[i].name, only) != NULL)
      run (&rows[i]);
  g_free (properties);
  g_free (only);
  return 0;
}
