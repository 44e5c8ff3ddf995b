/* blockdct-app: how a program uses blockdct.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   blockdct-app [FILE]
 *
 * Decodes FILE, or makes a test pattern, pushes it through blockdct and lowers
 * `quality` frame by frame while it plays. What blockdct measured is read in
 * the two ways it is told: from the message on the bus, and from the meta on
 * each buffer that comes out of an appsink. */
#include <gst/gst.h>
#include <gst/app/gstappsink.h>

#define MAX_FRAMES 17
#define QUALITY_STEP 5

/* What both the message and the meta say about a frame. */
typedef struct
{
  guint64 index;
  gint quality;
  gdouble psnr;
} Figures;

static gboolean
get_figures (const GstStructure * s, Figures * f)
{
  return gst_structure_get (s,
      "index", G_TYPE_UINT64, &f->index,
      "quality", G_TYPE_INT, &f->quality, "psnr", G_TYPE_DOUBLE, &f->psnr,
      NULL);
}

/* The pipeline. max-buffers keeps it from running ahead of the changes made
 * here; sync=false lets it run as fast as it can. */
static GstElement *
make_pipeline (const gchar * file, GError ** error)
{
  const gchar *rest = "blockdct name=dct quality=90 ! "
      "appsink name=sink max-buffers=1 sync=false";
  gchar *description;
  GstElement *pipeline;

  if (file != NULL)
    description = g_strdup_printf ("filesrc name=source ! decodebin ! "
        "videoconvert ! video/x-raw,format=I420 ! %s", rest);
  else
    description = g_strdup_printf ("videotestsrc pattern=zone-plate kx2=20 "
        "ky2=20 ! video/x-raw,format=I420,width=320,height=240 ! %s", rest);
  pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (description);
  if (pipeline != NULL && file != NULL) {
    GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");

    g_object_set (source, "location", file, NULL);
    gst_object_unref (source);
  }
  return pipeline;
}

/* The figures on a buffer. */
static gboolean
read_meta (GstBuffer * buffer, Figures * figures)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "blockdct");

  return meta != NULL
      && get_figures (gst_custom_meta_get_structure (meta), figures);
}

/* The next message of a frame. It is posted before its buffer is pushed, so it
 * is there when the buffer is. */
static gboolean
read_message (GstBus * bus, Figures * figures)
{
  GstMessage *message;
  gboolean found = FALSE;

  while (!found
      && (message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);

    found = gst_structure_has_name (s, "blockdct")
        && g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0
        && get_figures (s, figures);
    gst_message_unref (message);
  }
  return found;
}

/* Whether the pipeline had an error, printed then. */
static gboolean
print_error (GstBus * bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;
  gchar *debug = NULL;

  if (message == NULL)
    return FALSE;
  gst_message_parse_error (message, &error, &debug);
  g_printerr ("%s: %s\n%s\n", GST_MESSAGE_SRC_NAME (message), error->message,
      debug ? debug : "");
  g_clear_error (&error);
  g_free (debug);
  gst_message_unref (message);
  return TRUE;
}

/* The next frame; NULL at the end or, with `ok` made FALSE, after an error. An
 * error elsewhere does not wake an appsink: hence the timeout. */
static GstSample *
next_sample (GstAppSink * sink, GstBus * bus, gboolean * ok)
{
  GstSample *sample = NULL;

  while (*ok && sample == NULL && !gst_app_sink_is_eos (sink)) {
    sample = gst_app_sink_try_pull_sample (sink, 100 * GST_MSECOND);
    if (sample == NULL && print_error (bus))
      *ok = FALSE;
  }
  return sample;
}

/* Take frames out until the end, or MAX_FRAMES. */
static gboolean
run (GstElement * dct, GstAppSink * sink, GstBus * bus)
{
  gint quality = 90;
  gboolean ok = TRUE;
  GstSample *sample;

  g_print ("%5s %8s %12s %12s\n", "frame", "quality", "PSNR meta",
      "PSNR message");
  for (gint n = 0; n < MAX_FRAMES
      && (sample = next_sample (sink, bus, &ok)) != NULL; n++) {
    Figures meta, message;
    gboolean found = read_meta (gst_sample_get_buffer (sample), &meta)
        && read_message (bus, &message);

    gst_sample_unref (sample);
    if (!found) {
      g_printerr ("a frame came without its figures\n");
      return FALSE;
    }
    g_print ("%5" G_GUINT64_FORMAT " %8d %12.3f %12.3f\n", meta.index,
        meta.quality, meta.psnr, message.psnr);
    /* From any thread, at any time: the next frame to enter has it. A frame or
     * two are on their way here with the old one, as their figures say. */
    quality = MAX (quality - QUALITY_STEP, 10);
    g_object_set (dct, "quality", quality, NULL);
  }
  return ok;
}

int
main (int argc, char *argv[])
{
  GstElement *pipeline, *dct, *sink;
  GError *error = NULL;
  gboolean ok;
  GstBus *bus;

  gst_init (&argc, &argv);
  pipeline = make_pipeline (argc > 1 ? argv[1] : NULL, &error);
  if (pipeline == NULL) {
    g_printerr ("no pipeline: %s\n", error->message);
    g_clear_error (&error);
    return 1;
  }
  dct = gst_bin_get_by_name (GST_BIN (pipeline), "dct");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  ok = run (dct, GST_APP_SINK (sink), bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (dct);
  gst_object_unref (pipeline);
  return ok ? 0 : 1;
}
