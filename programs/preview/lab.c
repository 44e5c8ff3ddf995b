/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lab.h"
#include "controls.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#define LIMIT (20 * GST_SECOND)

typedef struct
{
  GstElement *pipeline, *source, *dct, *sink;
} Lab;

static void
copy_setting (GParamSpec * pspec, const GValue * value, gpointer dct)
{
  g_object_set_property (dct, pspec->name, value);
}

/* As one change: some exclude each other on the way. */
static gboolean
set (GstElement * dct, GstElement * model, const gchar * const *changes,
    GError ** error)
{
  gboolean ok = TRUE;

  g_object_freeze_notify (G_OBJECT (dct));
  preview_foreach_setting (model, copy_setting, dct);
  while (ok && *changes != NULL)
    ok = preview_set_property (dct, *changes++, error);
  g_object_thaw_notify (G_OBJECT (dct));
  return ok;
}

static gboolean
build (Lab * lab, GError ** error)
{
  GError *failed = NULL;

  lab->pipeline = gst_parse_launch_full ("appsrc name=source format=time ! "
      "blockdct name=dct ! appsink name=sink sync=false", NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &failed);
  if (lab->pipeline == NULL) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  lab->source = gst_bin_get_by_name (GST_BIN (lab->pipeline), "source");
  lab->dct = gst_bin_get_by_name (GST_BIN (lab->pipeline), "dct");
  lab->sink = gst_bin_get_by_name (GST_BIN (lab->pipeline), "sink");
  return TRUE;
}

static void
take_down (Lab * lab)
{
  gst_element_set_state (lab->pipeline, GST_STATE_NULL);
  gst_object_unref (lab->source);
  gst_object_unref (lab->dct);
  gst_object_unref (lab->sink);
  gst_object_unref (lab->pipeline);
}

static void
take_messages (GstBus * bus, GstStructure ** figures, GstStructure ** curve)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);
    GstStructure **to = gst_structure_has_name (s, "blockdct") ? figures
        : gst_structure_has_name (s, "blockdct-curve") ? curve : NULL;

    if (to != NULL && *to == NULL)
      *to = gst_structure_copy (s);
    gst_message_unref (message);
  }
}

static void
explain (GstBus * bus, GError ** error)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  if (message != NULL) {
    gst_message_parse_error (message, error, NULL);
    gst_message_unref (message);
  } else {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "A frame did not come back.");
  }
}

GstSample *
preview_lab_run (GstElement * dct, GstSample * frame,
    const gchar * const *changes, GstStructure ** figures,
    GstStructure ** curve, GError ** error)
{
  GstSample *out = NULL;
  GstBus *bus;
  Lab lab;

  if (!build (&lab, error))
    return NULL;
  if (set (lab.dct, dct, changes, error)) {
    bus = gst_element_get_bus (lab.pipeline);
    gst_element_set_state (lab.pipeline, GST_STATE_PLAYING);
    gst_app_src_push_sample (GST_APP_SRC (lab.source), frame);
    gst_app_src_end_of_stream (GST_APP_SRC (lab.source));
    out = gst_app_sink_try_pull_sample (GST_APP_SINK (lab.sink), LIMIT);
    if (out == NULL)
      explain (bus, error);
    take_messages (bus, figures, curve);
    gst_object_unref (bus);
  }
  take_down (&lab);
  return out;
}
