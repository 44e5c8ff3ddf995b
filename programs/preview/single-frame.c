/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Processes the shown frame again: with other settings, or to save it. */
#include "../file.h"
#include "parts.h"
#include "server.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

static void
copy_setting (GParamSpec * pspec, const GValue * value, gpointer element)
{
  g_object_set_property (element, pspec->name, value);
}

/* Set the part's properties and the changes, with one notification. */
static gboolean
set (PreviewSession * self, PreviewPart part, gpointer element,
    const gchar * const *changes, GError ** error)
{
  gboolean ok = TRUE;

  g_object_freeze_notify (element);
  preview_session_foreach (self, part, copy_setting, element);
  while (ok && *changes != NULL)
    ok = preview_set_property (element, *changes++, error);
  g_object_thaw_notify (element);
  return ok;
}

/* A floating blockdct with the settings of a part and these changes. */
static GstElement *
copy_part (PreviewSession * self, PreviewPart part,
    const gchar * const *changes, GError ** error)
{
  GstElement *element = gst_element_factory_make ("blockdct", NULL);

  if (set (self, part, element, changes, error))
    return element;
  gst_object_unref (gst_object_ref_sink (element));
  return NULL;
}

/* The message `blockdct-curve`, owned by the caller; NULL: there is none. */
static GstStructure *
find_curve (GstBus * bus)
{
  GstStructure *curve = NULL;
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    if (curve == NULL && gst_message_has_name (message, "blockdct-curve"))
      curve = gst_structure_copy (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  return curve;
}

/* Process a frame with the element, which is taken. `curve` receives its
 * message, unless it is NULL. */
static GstSample *
run (GstElement * element, GstSample * frame, GstStructure ** curve,
    GError ** error)
{
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  GstElement *source = gst_element_factory_make ("appsrc", NULL);
  GstElement *sink = gst_element_factory_make ("appsink", NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstSample *out;

  gst_bin_add_many (GST_BIN (pipeline), source, element, sink, NULL);
  gst_element_link_many (source, element, sink, NULL);
  g_object_set (source, "format", GST_FORMAT_TIME, NULL);
  g_object_set (sink, "sync", FALSE, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_sample (GST_APP_SRC (source), frame);
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  out = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  if (out == NULL)
    preview_encoder_explain (bus, "A frame did not come back.", error);
  if (curve != NULL)
    *curve = find_curve (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return out;
}

GstSample *
preview_session_get_original (PreviewSession * self)
{
  g_autoptr (GstSample) sample = preview_frames_get (self->frames,
      PREVIEW_ORIGINAL);
  g_autoptr (GstBuffer) buffer = NULL;

  if (sample == NULL)
    return NULL;
  buffer = gst_buffer_copy (gst_sample_get_buffer (sample));
  GST_BUFFER_PTS (buffer) = PREVIEW_TIME (buffer);
  return gst_sample_new (buffer, gst_sample_get_caps (sample), NULL, NULL);
}

gboolean
preview_session_get_curve (PreviewSession * self, gboolean of_b,
    GstSample * original, const gchar * curve, GstStructure ** result,
    GError ** error)
{
  g_autofree gchar *settings = g_strconcat ("curve=", curve, NULL);
  const gchar *const changes[] = { settings, "metrics=bits",
    "interval=0", "view=reconstruction", "grid=false", "min-psnr-error=0",
    "min-psnr-warning=0", NULL
  };
  GstElement *element = copy_part (self, of_b ? PREVIEW_B
      : PREVIEW_A, changes, error);
  g_autoptr (GstSample) out = element == NULL ? NULL
      : run (element, original, result, error);

  return out != NULL;
}

static GBytes *
make_png (GstSample * frame, gboolean map, GError ** error)
{
  PreviewEncoder *encoder = preview_encoder_new (error);
  PreviewPicture picture = { 0 };

  if (encoder != NULL)
    preview_encoder_run (encoder, frame, PREVIEW_PNG, map, &picture, error);
  g_clear_pointer (&encoder, preview_encoder_free);
  return picture.file;
}

static GstSample *
save_part (PreviewSession * self, guint side, GstSample * original,
    GError ** error)
{
  static const gchar *const plain[] = { "view=reconstruction", "grid=false",
    NULL
  };
  GstElement *element = copy_part (self, PREVIEW_A + side, plain, error);

  return element == NULL ? NULL : run (element, original, NULL, error);
}

GBytes *
preview_session_save (PreviewSession * self, GstSample * original,
    PreviewSave what, GError ** error)
{
  const guint side = what == PREVIEW_SAVE_B;
  g_autoptr (GstSample) picture = NULL;

  if (what == PREVIEW_SAVE_ORIGINAL)
    picture = gst_sample_ref (original);
  else if (what == PREVIEW_SAVE_VIEW)
    picture = preview_flow_get_view (self);
  else if (side == 1 && !preview_session_shows_b (self))
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "There is no B to save: neither left nor right shows it.");
  else if (preview_pipeline_is_made (self, PREVIEW_OF_A + side))
    picture = preview_frames_get (self->frames, PREVIEW_OF_A + side);
  else
    picture = save_part (self, side, original, error);
  if (picture == NULL && error != NULL && *error == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "There is no picture yet.");
  return picture == NULL ? NULL : make_png (picture, what == PREVIEW_SAVE_VIEW
      && preview_session_shows_map (self), error);
}

gboolean
preview_session_save_last (PreviewSession * self, const gchar * path,
    GError ** error)
{
  g_autoptr (GstSample) sample = NULL;
  g_autoptr (GBytes) png = NULL;

  g_object_get (self->sink, "last-sample", &sample, NULL);
  if (sample == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "There was no frame to save.");
  else
    png = make_png (sample, preview_session_shows_map (self), error);
  return png != NULL && file_write (path, g_bytes_get_data (png, NULL),
      g_bytes_get_size (png), error);
}
