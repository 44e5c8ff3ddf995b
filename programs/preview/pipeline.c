/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes what compares: appsrc for the original, and for each side that is an
 * encoder's or a file's; blockdct for each other side; blockdctcompare; a
 * sink. */
#include "parts.h"

#include <gst/app/gstappsrc.h>
#include <string.h>
#include "gst-plugin/blockdct/gstblockdct.h"
#include "gst-plugin/coded/gstblockdctcoded.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/compare/gstblockdctcompare.h"

static gboolean
init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (blockdct, plugin)
      && GST_ELEMENT_REGISTER (blockdctcoded, plugin)
      && GST_ELEMENT_REGISTER (blockdctcompare, plugin);
}

/* The program has the elements in it, of its own version. */
static void
register_elements (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_plugin_register_static (GST_VERSION_MAJOR, GST_VERSION_MINOR,
        "blockdctpage", "The elements of blockdct-preview", init, "0", "LGPL",
        "gst-blockdct", "gst-blockdct", "gst-blockdct");
    g_once_init_leave (&once, 1);
  }
}

gboolean
preview_pipeline_is_made (PreviewSession * self, PreviewStream stream)
{
  return stream != PREVIEW_ORIGINAL
      && self->broken[stream - PREVIEW_OF_A] == NULL
      && (self->line[stream - PREVIEW_OF_A] != NULL
      || self->file[stream - PREVIEW_OF_A] != NULL);
}

gboolean
preview_pipeline_encodes (PreviewSession * self, PreviewStream stream)
{
  return preview_pipeline_is_made (self, stream)
      && self->line[stream - PREVIEW_OF_A] != NULL
      && preview_pipeline_uses (self, stream);
}

gchar *
preview_pipeline_get_line (PreviewSession * self, PreviewStream stream)
{
  if (!preview_pipeline_is_made (self, stream))
    return NULL;
  return self->line[stream - PREVIEW_OF_A] != NULL
      ? g_strdup (self->line[stream - PREVIEW_OF_A])
      : g_path_get_basename (self->file[stream - PREVIEW_OF_A]);
}

gboolean
preview_pipeline_uses (PreviewSession * self, PreviewStream stream)
{
  return stream != PREVIEW_OF_B || preview_session_shows_b (self);
}

static GstElement *
add (PreviewSession * self, const gchar * name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  gst_bin_add (GST_BIN (self->pipeline), element);
  g_ptr_array_add (self->chain, gst_object_ref (element));
  return element;
}

static GstElement *
add_entrance (PreviewSession * self, PreviewStream stream)
{
  GstElement *source = add (self, "appsrc");

  g_object_set (source, "format", GST_FORMAT_TIME, "block", TRUE,
      "max-buffers", G_GUINT64_CONSTANT (2), "max-bytes",
      G_GUINT64_CONSTANT (0), NULL);
  g_mutex_lock (&self->lock);
  self->entrance[stream] = gst_object_ref (source);
  g_mutex_unlock (&self->lock);
  return source;
}

/* Sides take the original's size. Called with the lock. */
static void
follow_size (PreviewSession * self, GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width, height;

  if (!gst_structure_get (s, "width", G_TYPE_INT, &width, "height", G_TYPE_INT,
          &height, NULL))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (self->size); i++)
    if (self->size[i] != NULL) {
      g_autoptr (GstCaps) size = gst_caps_new_simple ("video/x-raw", "width",
          G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);

      g_object_set (self->size[i], "caps", size, NULL);
    }
}

/* Link what makes a side to its input. */
static void
add_side (PreviewSession * self, GstElement * tee, PreviewStream stream,
    const gchar * input)
{
  const guint side = stream - PREVIEW_OF_A;
  GstElement *last = GST_ELEMENT (self->part[PREVIEW_A + side]);

  if (!preview_pipeline_is_made (self, stream)) {
    GstElement *queue = add (self, "queue");

    g_object_set (queue, "max-size-buffers", 1, "max-size-bytes", 0,
        "max-size-time", G_GUINT64_CONSTANT (0), NULL);
    gst_bin_add (GST_BIN (self->pipeline), last);
    g_ptr_array_add (self->chain, gst_object_ref (last));
    gst_element_link_many (tee, queue, last, NULL);
  } else {
    GstElement *source = add_entrance (self, stream);
    GstElement *scale = add (self, "videoscale"), *filter;

    last = add (self, "videoconvert");
    gst_util_set_object_arg (G_OBJECT (last), "dither", "none");
    filter = add (self, "capsfilter");
    g_mutex_lock (&self->lock);
    self->size[side] = gst_object_ref (filter);
    if (self->caps != NULL)
      follow_size (self, self->caps);
    g_mutex_unlock (&self->lock);
    gst_element_link_many (source, scale, filter, last, NULL);
  }
  gst_element_link_pads (last, "src", self->compare, input);
}

void
preview_pipeline_clear (PreviewSession * self)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    gst_clear_object (&self->entrance[i]);
  for (guint i = 0; i < G_N_ELEMENTS (self->size); i++)
    gst_clear_object (&self->size[i]);
  gst_clear_caps (&self->caps);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    preview_frames_watch (self->frames, i, NULL, NULL);
  for (guint i = 0; i < self->chain->len; i++) {
    GstElement *element = self->chain->pdata[i];

    gst_element_set_state (element, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (self->pipeline), element);
  }
  g_ptr_array_set_size (self->chain, 0);
}

void
preview_pipeline_arrange (PreviewSession * self)
{
  static const gchar *const inputs[] = { "ref_sink", "dist_sink",
    "dist_sink_1"
  };
  g_autoptr (GstPad) old = NULL;
  GstElement *tee;

  gst_element_set_state (self->pipeline, GST_STATE_READY);
  preview_pipeline_clear (self);
  self->has_b = preview_session_shows_b (self);
  old = gst_element_get_static_pad (self->compare, inputs[PREVIEW_OF_B]);
  if (old != NULL)
    gst_element_release_request_pad (self->compare, old);
  tee = add (self, "tee");
  gst_element_link (add_entrance (self, PREVIEW_ORIGINAL), tee);
  gst_element_link_pads (tee, NULL, self->compare, inputs[PREVIEW_ORIGINAL]);
  for (guint i = PREVIEW_OF_A; i < PREVIEW_N_STREAMS; i++)
    if (preview_pipeline_uses (self, i))
      add_side (self, tee, i, inputs[i]);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (self->compare,
        inputs[i]);
    g_autofree gchar *line = preview_pipeline_get_line (self, i);

    if (pad != NULL)
      preview_frames_watch (self->frames, i, pad, line);
  }
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

/* A side's caps with the original's colours, as decoders report others and no
 * sample is to be converted; owned by the caller. */
static GstCaps *
recolour (const GstCaps * caps, const GstCaps * original)
{
  static const gchar *const fields[] = { "colorimetry", "chroma-site" };
  GstCaps *copy = gst_caps_copy (caps);

  for (guint i = 0; original != NULL && i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (gst_caps_get_structure
        (original, 0), fields[i]);

    if (value != NULL)
      gst_caps_set_value (copy, fields[i], value);
    else
      gst_structure_remove_field (gst_caps_get_structure (copy, 0), fields[i]);
  }
  return copy;
}

static void
get_size (const GstCaps * caps, gint size[2])
{
  gst_structure_get (gst_caps_get_structure (caps, 0), "width", G_TYPE_INT,
      &size[0], "height", G_TYPE_INT, &size[1], NULL);
}

/* Warn, once of each file, that it is scaled. Called with the lock. */
static void
check_size (PreviewSession * self, guint side, const GstCaps * caps,
    const GstCaps * original)
{
  gint is[2] = { 0, 0 }, wanted[2] = { 0, 0 };
  g_autofree gchar *name = NULL, *text = NULL;

  get_size (caps, is);
  get_size (original, wanted);
  name = preview_pipeline_get_line (self, PREVIEW_OF_A + side);
  if (name == NULL || self->said_scaled[side]
      || memcmp (is, wanted, sizeof is) == 0)
    return;
  self->said_scaled[side] = TRUE;
  text = g_strdup_printf ("%s has %dx%d samples; it is scaled to %s's %dx%d.",
      name, is[0], is[1], preview_session_has_original (self) ? "the original"
      : "A", wanted[0], wanted[1]);
  gst_element_post_message (self->pipeline, gst_message_new_warning
      (GST_OBJECT (self->pipeline), g_error_new_literal (GST_STREAM_ERROR,
              GST_STREAM_ERROR_FORMAT, text), NULL));
}

/* The stream's entrance, the caller's, or NULL. */
static GstElement *
get_entrance (PreviewSession * self, PreviewStream stream)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->entrance[stream] == NULL ? NULL
      : gst_object_ref (self->entrance[stream]);
}

void
preview_pipeline_push (PreviewSession * self, PreviewStream stream,
    GstBuffer * buffer, GstCaps * caps)
{
  g_autoptr (GstSample) sample = NULL;
  g_autoptr (GstElement) entrance = get_entrance (self, stream);
  g_autoptr (GstCaps) coloured = NULL;

  g_mutex_lock (&self->lock);
  if (stream != PREVIEW_ORIGINAL && self->caps != NULL)
    check_size (self, stream - PREVIEW_OF_A, caps, self->caps);
  coloured = recolour (caps, stream == PREVIEW_ORIGINAL ? NULL : self->caps);
  if (stream == PREVIEW_ORIGINAL && (self->caps == NULL
          || !gst_caps_is_equal (self->caps, caps))) {
    preview_transport_take_rate (self, caps);
    gst_caps_replace (&self->caps, caps);
    follow_size (self, caps);
    g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  sample = gst_sample_new (buffer, coloured, NULL, NULL);
  if (entrance != NULL)
    gst_app_src_push_sample (GST_APP_SRC (entrance), sample);
}

void
preview_pipeline_drain (PreviewSession * self, PreviewStream stream)
{
  g_autoptr (GstElement) entrance = get_entrance (self, stream);

  if (entrance != NULL)
    gst_element_send_event (entrance, gst_event_new_custom
        (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty
            ("blockdct-drain")));
}

void
preview_pipeline_end (PreviewSession * self, PreviewStream stream)
{
  g_autoptr (GstElement) entrance = get_entrance (self, stream);

  if (entrance != NULL)
    gst_app_src_end_of_stream (GST_APP_SRC (entrance));
}

void
preview_pipeline_build (PreviewSession * self)
{
  static const gchar *const elements[] = { "blockdct", "blockdct",
    "blockdctcompare"
  };

  register_elements ();
  if (self->output == PREVIEW_PAGE)
    gst_blockdct_format_bare_views ();
  self->pipeline = gst_object_ref_sink (gst_pipeline_new ("preview"));
  self->chain = g_ptr_array_new_with_free_func (gst_object_unref);
  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    self->part[i] = G_OBJECT (gst_object_ref_sink (gst_element_factory_make
            (elements[i], preview_part_names[i])));
  self->compare = GST_ELEMENT (self->part[PREVIEW_COMPARE]);
  self->sink = gst_object_ref_sink (gst_element_factory_make ("fakesink",
          "sink"));
  gst_bin_add_many (GST_BIN (self->pipeline), self->compare, self->sink, NULL);
  gst_element_link (self->compare, self->sink);
  g_object_set (self->sink, "sync", FALSE, "enable-last-sample", TRUE,
      "signal-handoffs", self->output == PREVIEW_PAGE, "async", FALSE, NULL);
}
