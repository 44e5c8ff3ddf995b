/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

/* Pictures decoded ahead of those that are measured. */
#define AHEAD 4

/* How often a wait for a picture looks for an error, and whether to stop. */
#define NAP (20 * GST_MSECOND)

struct _MeasureSource
{
  GstElement *pipeline, *sink;
  gint no_video;                /* atomic */
  GstClockTime position;        /* of the last picture's end */
};

G_DEFINE_QUARK (blockdct_measure_source, measure_source_error);

/* Sound and subtitles are left as they are, and not linked. */
static gboolean
is_to_decode (GstElement * decoder, GstPad * pad, GstCaps * caps)
{
  const gchar *kind = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  (void) decoder, (void) pad;
  return !g_str_has_prefix (kind, "audio/")
      && !g_str_has_prefix (kind, "text/")
      && !g_str_has_prefix (kind, "subpicture/");
}

/* A pad may be there before its caps are, with nothing but what they can be. */
static gboolean
is_video (GstPad * pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gboolean video;

  if (caps == NULL)
    caps = gst_pad_query_caps (pad, NULL);
  video = gst_caps_get_size (caps) > 0
      && gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "video/x-raw");
  gst_caps_unref (caps);
  return video;
}

static void
link_pad (GstElement * decoder, GstPad * pad, gpointer data)
{
  MeasureSource *source = data;
  GstPad *sink = gst_element_get_static_pad (source->sink, "sink");

  (void) decoder;
  /* The first video is the file's. */
  if (!gst_pad_is_linked (sink) && is_video (pad))
    gst_pad_link (pad, sink);
  gst_object_unref (sink);
}

/* Without a linked sink no end would come. */
static void
check_linked (GstElement * decoder, gpointer data)
{
  MeasureSource *source = data;
  GstPad *sink = gst_element_get_static_pad (source->sink, "sink");

  (void) decoder;
  if (!gst_pad_is_linked (sink))
    g_atomic_int_set (&source->no_video, TRUE);
  gst_object_unref (sink);
}

/* The y4mdec of GStreamer 1.28 reads by itself, and decodebin has no place yet
 * for what comes; behind a queue it is given what to decode when there is. */
static void
link_file (GstElement * pipeline, GstElement * file, GstElement * decoder,
    const gchar * path)
{
  GstElement *queue;

  if (!g_str_has_suffix (path, ".y4m")) {
    gst_element_link (file, decoder);
    return;
  }
  queue = gst_element_factory_make ("queue", NULL);
  gst_bin_add (GST_BIN (pipeline), queue);
  gst_element_link_many (file, queue, decoder, NULL);
}

MeasureSource *
measure_source_new (const gchar * path)
{
  MeasureSource *source = g_new0 (MeasureSource, 1);
  GstElement *file = gst_element_factory_make ("filesrc", NULL);
  GstElement *decoder = gst_element_factory_make ("decodebin", NULL);
  /* A frame is taken as it lies: two fields may be woven into it, but not stand
   * apart. */
  GstCaps *woven = gst_caps_from_string ("video/x-raw, "
      "interlace-mode = (string) { progressive, interleaved, mixed }");

  source->pipeline = gst_pipeline_new (NULL);
  source->sink = gst_element_factory_make ("appsink", NULL);
  source->position = GST_CLOCK_TIME_NONE;
  g_object_set (file, "location", path, NULL);
  g_object_set (source->sink, "caps", woven, "sync", FALSE,
      "max-buffers", AHEAD, "enable-last-sample", FALSE, NULL);
  gst_caps_unref (woven);
  gst_bin_add_many (GST_BIN (source->pipeline), file, decoder, source->sink,
      NULL);
  link_file (source->pipeline, file, decoder, path);
  g_signal_connect (decoder, "autoplug-continue", G_CALLBACK (is_to_decode),
      NULL);
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_pad), source);
  g_signal_connect (decoder, "no-more-pads", G_CALLBACK (check_linked), source);
  gst_element_set_state (source->pipeline, GST_STATE_PLAYING);
  return source;
}

static gboolean
find_error (MeasureSource * source, GError ** error)
{
  GstBus *bus = gst_element_get_bus (source->pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  /* Without one, elements complain about whatever follows from it. */
  if (g_atomic_int_get (&source->no_video))
    g_set_error_literal (error, MEASURE_SOURCE_ERROR, MEASURE_NO_VIDEO,
        "there is no video or picture in it that GStreamer can decode");
  else if (message != NULL)
    gst_message_parse_error (message, error, NULL);
  if (g_error_matches (*error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_FOUND)) {
    g_free ((*error)->message);
    (*error)->message = g_strdup ("there is no such file");
  }
  g_clear_pointer (&message, gst_message_unref);
  gst_object_unref (bus);
  return *error != NULL;
}

GstSample *
measure_source_pull (MeasureSource * source, gint * stop, GError ** error)
{
  GstAppSink *sink = GST_APP_SINK (source->sink);

  while (!g_atomic_int_get (stop)) {
    GstSample *sample = gst_app_sink_try_pull_sample (sink, NAP);

    if (sample != NULL) {
      GstBuffer *buffer = gst_sample_get_buffer (sample);

      source->position = GST_BUFFER_PTS (buffer);
      if (GST_CLOCK_TIME_IS_VALID (source->position)
          && GST_BUFFER_DURATION_IS_VALID (buffer))
        source->position += GST_BUFFER_DURATION (buffer);
      return sample;
    }
    if (find_error (source, error) || gst_app_sink_is_eos (sink))
      break;
  }
  return NULL;
}

gdouble
measure_source_progress (MeasureSource * source)
{
  gint64 duration;

  if (!GST_CLOCK_TIME_IS_VALID (source->position)
      || !gst_element_query_duration (source->pipeline, GST_FORMAT_TIME,
          &duration) || duration <= 0)
    return 0.0;
  return MIN ((gdouble) source->position / duration, 1.0);
}

void
measure_source_free (MeasureSource * source)
{
  gst_element_set_state (source->pipeline, GST_STATE_NULL);
  gst_object_unref (source->pipeline);
  g_free (source);
}
