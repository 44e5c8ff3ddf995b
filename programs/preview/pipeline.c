/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"
#include "controls.h"

#include <gst/video/video.h>

/* Names of elements. */
#define SOURCE "source"
#define CONVERT "convert"
#define FIT "fit"
/* A picture up to this size GTK can scale. */
#define SMALL_WIDTH 1280
#define SMALL_HEIGHT 720

/* The frame after the last one that is wanted ends the stream. */
static GstPadProbeReturn
count_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  gint *left = data;

  if (*left > 0) {
    --*left;
    return GST_PAD_PROBE_OK;
  }
  gst_pad_push_event (pad, gst_event_new_eos ());
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  gst_clear_buffer ((GstBuffer **) & GST_PAD_PROBE_INFO_DATA (info));
  return GST_PAD_PROBE_HANDLED;
}

static void
limit_frames (GstElement * element, gint frames)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame,
      g_memdup2 (&frames, sizeof frames), g_free);
  gst_object_unref (pad);
}

gboolean
preview_pipeline_open (GstElement * pipeline, const PreviewOptions * options,
    GError ** error)
{
  GstElement *source = preview_source_new (options, error);
  GstElement *old = gst_bin_get_by_name (GST_BIN (pipeline), SOURCE);
  GstElement *fit = gst_bin_get_by_name (GST_BIN (pipeline), FIT);
  GstElement *convert = gst_bin_get_by_name (GST_BIN (pipeline), CONVERT);

  if (source != NULL) {
    if (old != NULL) {
      gst_element_set_state (pipeline, GST_STATE_READY);
      gst_element_set_state (old, GST_STATE_NULL);
      gst_bin_remove (GST_BIN (pipeline), old);
    }
    gst_util_set_object_arg (G_OBJECT (fit), "caps", "ANY");
    gst_object_set_name (GST_OBJECT (source), SOURCE);
    gst_bin_add (GST_BIN (pipeline), source);
    gst_element_link (source, convert);
  }
  gst_clear_object (&old);
  gst_object_unref (fit);
  gst_object_unref (convert);
  return source != NULL;
}

GstElement *
preview_pipeline_get_source (GstElement * pipeline)
{
  return gst_bin_get_by_name (GST_BIN (pipeline), SOURCE);
}

GstElement *
preview_pipeline_new (const PreviewOptions * options, GstElement * sink,
    GstElement ** dct, GError ** error)
{
  static const struct
  {
    const gchar *factory, *name;
  } chain[] = {
    {"videoconvert", CONVERT}, {"queue", NULL}, {"blockdct", NULL},
    {"videoscale", NULL}, {"capsfilter", FIT}, {"videoconvert", NULL}
  };
  GstElement *pipeline = gst_pipeline_new ("preview");
  GstElement *element[G_N_ELEMENTS (chain)];
  gboolean linked = TRUE;

  gst_bin_add (GST_BIN (pipeline), sink);
  for (guint i = 0; i < G_N_ELEMENTS (chain); i++) {
    element[i] = preview_add_element (GST_BIN (pipeline), chain[i].factory,
        chain[i].name, error);
    if (element[i] == NULL)
      goto failed;
    linked = linked && (i == 0 || gst_element_link (element[i - 1],
            element[i]));
  }
  *dct = element[2];
  /* What the transform was spent on is shown: those before it drop frames. */
  g_object_set (element[3], "qos", FALSE, NULL);
  g_object_set (element[5], "qos", FALSE, NULL);
  if (options->frames > 0)
    limit_frames (element[0], options->frames);
  g_object_set (element[1], "max-size-buffers", 3, "max-size-bytes", 0,
      "max-size-time", (guint64) 0, NULL);
  if (options->csv != NULL)
    g_object_set (*dct, "stats-file", options->csv, NULL);
  for (gchar ** pair = options->properties; pair != NULL && *pair; pair++)
    if (!preview_set_property (*dct, *pair, error))
      goto failed;
  if (!linked || !gst_element_link (element[5], sink)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The elements of the preview cannot be linked.");
    goto failed;
  }
  if (preview_pipeline_open (pipeline, options, error))
    return pipeline;

failed:
  gst_object_unref (pipeline);
  return NULL;
}

/* The picture's size if it is larger than this, scaled; else any. */
static GstCaps *
make_fit (GstElement * dct, gint width, gint height)
{
  GstPad *pad = gst_element_get_static_pad (dct, "src");
  GstCaps *caps = gst_pad_get_current_caps (pad), *fit = NULL;
  gdouble ratio = 1;
  GstVideoInfo info;

  if (caps != NULL && gst_video_info_from_caps (&info, caps)) {
    ratio = MIN ((gdouble) width / info.width, (gdouble) height / info.height);
    if (ratio < 1 && (info.width > SMALL_WIDTH || info.height > SMALL_HEIGHT))
      fit = gst_caps_new_simple ("video/x-raw",
          "width", G_TYPE_INT, MAX ((gint) (info.width * ratio), 1),
          "height", G_TYPE_INT, MAX ((gint) (info.height * ratio), 1), NULL);
  }
  gst_clear_caps (&caps);
  gst_object_unref (pad);
  return fit ? fit : gst_caps_new_any ();
}

void
preview_pipeline_fit (GstElement * pipeline, GstElement * dct, gint width,
    gint height)
{
  GstElement *filter = gst_bin_get_by_name (GST_BIN (pipeline), FIT);
  GstCaps *caps = make_fit (dct, width, height), *old;

  g_object_get (filter, "caps", &old, NULL);
  if (!gst_caps_is_equal (caps, old))
    g_object_set (filter, "caps", caps, NULL);
  gst_caps_unref (caps);
  gst_caps_unref (old);
  gst_object_unref (filter);
}

gboolean
preview_pipeline_save (GstElement * sink, const gchar * path, GError ** error)
{
  GstCaps *caps = gst_caps_new_empty_simple ("image/png");
  GstSample *sample = NULL, *png = NULL;
  gboolean ok = FALSE;
  GstMapInfo map;

  g_object_get (sink, "last-sample", &sample, NULL);
  if (sample == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "There was no frame to save.");
  else
    png = gst_video_convert_sample (sample, caps, 10 * GST_SECOND, error);
  if (png != NULL && gst_buffer_map (gst_sample_get_buffer (png), &map,
          GST_MAP_READ)) {
    ok = g_file_set_contents (path, (const gchar *) map.data, map.size, error);
    gst_buffer_unmap (gst_sample_get_buffer (png), &map);
  }
  g_clear_pointer (&png, gst_sample_unref);
  g_clear_pointer (&sample, gst_sample_unref);
  gst_caps_unref (caps);
  return ok;
}
