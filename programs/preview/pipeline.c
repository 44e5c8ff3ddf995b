/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"
#include "controls.h"

#include <gst/video/video.h>
#include <string.h>

#define DEFAULT_PATTERN "zone-plate"
#define FIT "fit"
/* A picture up to this size GTK can scale. */
#define SMALL_WIDTH 1280
#define SMALL_HEIGHT 720

/* Which package of Debian's has an element. */
static const struct
{
  const gchar *element, *advice;
} packages[] = {
  {"blockdct", "install gst-blockdct, or set GST_PLUGIN_PATH to the folder of "
        "libgstblockdct.so"},
  {"decodebin", "install gstreamer1.0-plugins-base"},
  {"videoconvert", "install gstreamer1.0-plugins-base"},
  {"videoscale", "install gstreamer1.0-plugins-base"},
  {"videotestsrc", "install gstreamer1.0-plugins-base"},
  {"v4l2src", "install gstreamer1.0-plugins-good"},
};

static GstElement *
add (GstBin * bin, const gchar * name, GError ** error)
{
  GstElement *element;
  const gchar *advice = "check the installation of GStreamer";

  if (bin == NULL)
    return NULL;
  element = gst_element_factory_make (name, NULL);
  if (element != NULL) {
    gst_bin_add (bin, element);
    return element;
  }
  for (guint i = 0; i < G_N_ELEMENTS (packages); i++)
    if (strcmp (name, packages[i].element) == 0)
      advice = packages[i].advice;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      "There is no element '%s': %s.", name, advice);
  return NULL;
}

/* Whether the stream's tags say that the camera was not held upright. */
static gboolean
is_turned (GstPad * pad)
{
  gboolean turned = FALSE;
  GstEvent *event;

  for (guint i = 0; (event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i))
      != NULL; i++) {
    gchar *orientation = NULL;
    GstTagList *tags;

    gst_event_parse_tag (event, &tags);
    if (gst_tag_list_get_string (tags, GST_TAG_IMAGE_ORIENTATION, &orientation))
      turned = strcmp (orientation, "rotate-0") != 0;
    g_free (orientation);
    gst_event_unref (event);
  }
  return turned;
}

/* With the first frame all tags are there. What turns the picture comes in
 * then, for streams that need it: it does not know all formats. */
static GstPadProbeReturn
turn_upright (GstPad * pad, GstPadProbeInfo * info, gpointer bin)
{
  GstElement *convert, *flip;
  GstPad *next, *first, *last;

  (void) info;
  if (!is_turned (pad))
    return GST_PAD_PROBE_REMOVE;
  flip = gst_element_factory_make ("videoflip", NULL);
  if (flip == NULL) {
    g_printerr ("blockdct-preview: the picture should be turned, and there is "
        "no element 'videoflip': install gstreamer1.0-plugins-good.\n");
    return GST_PAD_PROBE_REMOVE;
  }
  convert = gst_element_factory_make ("videoconvert", NULL);
  gst_util_set_object_arg (G_OBJECT (flip), "video-direction", "auto");
  gst_bin_add_many (bin, convert, flip, NULL);
  gst_element_link (convert, flip);
  next = gst_pad_get_peer (pad);
  first = gst_element_get_static_pad (convert, "sink");
  last = gst_element_get_static_pad (flip, "src");
  gst_pad_unlink (pad, next);
  gst_pad_link (last, next);
  gst_pad_link (pad, first);
  gst_element_sync_state_with_parent (flip);
  gst_element_sync_state_with_parent (convert);
  gst_object_unref (next);
  gst_object_unref (first);
  gst_object_unref (last);
  return GST_PAD_PROBE_REMOVE;
}

/* A decoder's first video goes on, once. */
static void
link_video (GstElement * decoder, GstPad * pad, GstElement * next)
{
  GstPad *sink = gst_element_get_static_pad (next, "sink");
  GstObject *bin = gst_object_get_parent (GST_OBJECT (next));

  (void) decoder;
  if (!gst_pad_is_linked (sink) && gst_pad_link (pad, sink) == GST_PAD_LINK_OK)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, turn_upright, bin, NULL);
  gst_object_unref (bin);
  gst_object_unref (sink);
}

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

/* NULL: rings at every angle and every frequency, in motion. */
static gboolean
set_pattern (GstElement * source, const gchar * pattern, GError ** error)
{
  GParamSpec *pspec = g_object_class_find_property
      (G_OBJECT_GET_CLASS (source), "pattern");
  GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  GEnumValue *value = g_enum_get_value_by_nick (klass, pattern != NULL
      ? pattern : DEFAULT_PATTERN);
  GString *known;

  if (pattern == NULL)
    g_object_set (source, "kx2", 20, "ky2", 20, "kt", 1, NULL);
  if (value != NULL) {
    g_object_set (source, "pattern", value->value, NULL);
    return TRUE;
  }
  known = g_string_new (NULL);
  for (guint i = 0; i < klass->n_values; i++)
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "",
        klass->values[i].value_nick);
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "There is no test pattern '%s'. There are %s.", pattern, known->str);
  g_string_free (known, TRUE);
  return FALSE;
}

static gboolean
add_pattern (GstBin * bin, const gchar * pattern, GstElement * next,
    GError ** error)
{
  GstElement *source = add (bin, "videotestsrc", error);
  GstCaps *caps;
  gboolean ok;

  if (source == NULL || !set_pattern (source, pattern, error))
    return FALSE;
  caps = gst_caps_from_string ("video/x-raw, format=I420, width=640, "
      "height=480, framerate=30/1");
  ok = gst_element_link_filtered (source, next, caps);
  gst_caps_unref (caps);
  return ok;
}

/* The y4mdec of GStreamer 1.28 reads by itself, and decodebin has no place yet
 * for what comes; behind a queue it is given what to decode when there is. */
static gboolean
link_source (GstBin * bin, GstElement * source, const gchar * file,
    GstElement * decoder, GError ** error)
{
  GstElement *queue;

  if (file == NULL || !g_str_has_suffix (file, ".y4m"))
    return gst_element_link (source, decoder);
  queue = add (bin, "queue", error);
  return queue != NULL && gst_element_link_many (source, queue, decoder, NULL);
}

static gboolean
add_decoder (GstBin * bin, const PreviewOptions * options, GstElement * next,
    GError ** error)
{
  GstElement *source, *decoder = add (bin, "decodebin", error);
  GstPluginFeature *parser = gst_registry_lookup_feature (gst_registry_get (),
      "jpegparse");
  GstCaps *caps;

  /* It reads how a camera was held, and is not used unless asked for. */
  if (parser != NULL) {
    gst_plugin_feature_set_rank (parser, GST_RANK_PRIMARY + 1);
    gst_object_unref (parser);
  }

  if (decoder == NULL)
    return FALSE;
  /* No sound: what nobody takes is an error where the video ends first. */
  caps = gst_caps_from_string ("video/x-raw(ANY)");
  g_object_set (decoder, "caps", caps, "expose-all-streams", FALSE, NULL);
  gst_caps_unref (caps);
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_video), next);
  if (options->camera) {
    source = add (bin, "v4l2src", error);
    if (source != NULL && options->device != NULL)
      g_object_set (source, "device", options->device, NULL);
  } else {
    gchar *uri = gst_uri_is_valid (options->file)
        ? g_strdup (options->file) : gst_filename_to_uri (options->file, error);

    source = uri == NULL ? NULL
        : gst_element_make_from_uri (GST_URI_SRC, uri, NULL, error);
    if (source != NULL)
      gst_bin_add (bin, source);
    g_free (uri);
  }
  return source != NULL
      && link_source (bin, source, options->file, decoder, error);
}

GstElement *
preview_pipeline_new (const PreviewOptions * options, GstElement * sink,
    GstElement ** dct, GError ** error)
{
  GstElement *pipeline = gst_pipeline_new ("preview");
  GstBin *bin = GST_BIN (pipeline);
  GstElement *queue, *before, *scale, *fit, *after;

  gst_bin_add (bin, sink);
  before = add (bin, "videoconvert", error);
  queue = before ? add (bin, "queue", error) : NULL;
  *dct = queue ? add (bin, "blockdct", error) : NULL;
  scale = *dct ? add (bin, "videoscale", error) : NULL;
  fit = scale ? add (bin, "capsfilter", error) : NULL;
  after = fit ? add (bin, "videoconvert", error) : NULL;
  if (after == NULL)
    goto failed;
  g_object_set_data (G_OBJECT (pipeline), FIT, fit);
  if (options->frames > 0)
    limit_frames (before, options->frames);
  g_object_set (queue, "max-size-buffers", 3, "max-size-bytes", 0,
      "max-size-time", (guint64) 0, NULL);
  if (options->csv != NULL)
    g_object_set (*dct, "stats-file", options->csv, NULL);
  for (gchar ** pair = options->properties; pair != NULL && *pair; pair++)
    if (!preview_set_property (*dct, *pair, error))
      goto failed;
  if (!gst_element_link_many (before, queue, *dct, scale, fit, after, sink,
          NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The elements of the preview cannot be linked.");
    goto failed;
  }
  if (!(options->camera || options->file != NULL
          ? add_decoder (bin, options, before, error)
          : add_pattern (bin, options->pattern, before, error))) {
    if (error != NULL && *error == NULL)
      g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
          "The source cannot be linked to a decoder.");
    goto failed;
  }
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
  GstElement *filter = g_object_get_data (G_OBJECT (pipeline), FIT);
  GstCaps *caps = make_fit (dct, width, height), *old;

  g_object_get (filter, "caps", &old, NULL);
  if (!gst_caps_is_equal (caps, old))
    g_object_set (filter, "caps", caps, NULL);
  gst_caps_unref (caps);
  gst_caps_unref (old);
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
