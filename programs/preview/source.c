/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.h"

#include <string.h>
#include "../decoding.h"

#define DEFAULT_PATTERN "zone-plate kx2=20 ky2=20 kt=1"
#define PATTERN_CAPS "video/x-raw,format=I420,width=640,height=480," \
    "framerate=30/1"
/* Video alone: unlinked sound is an error if the video ends first. */
#define DECODED "video/x-raw(ANY)"
#define FLIP "upright"
/* The characters that are special to gst_parse_launch(). */
#define SPECIAL " \t\n\"'\\!()<>"
#define DECODER "decoder"

gboolean
preview_refuse (GError ** error, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (GST_CORE_ERROR,
          GST_CORE_ERROR_FAILED, format, arguments));
  va_end (arguments);
  return FALSE;
}

GstElement *
preview_make (const gchar * elements, GError ** error)
{
  g_autoptr (GstParseContext) context = gst_parse_context_new ();
  GstElement *made = gst_parse_launch_full (elements, context,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_auto (GStrv) missing = gst_parse_context_get_missing_elements (context);

  if (missing != NULL) {
    g_clear_error (error);
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "There is no element '%s': install gstreamer1.0-plugins-base and "
        "-good.", missing[0]);
  }
  return made;
}

static GstElement *
add_element (GstBin * bin, const gchar * element, GError ** error)
{
  GstElement *made = preview_make (element, error);

  if (made != NULL)
    gst_bin_add (bin, made);
  return made;
}

/* Whether, by the stream's tags, the camera was not held upright. */
static gboolean
is_turned (GstPad * pad)
{
  gboolean turned = FALSE;
  GstEvent *event;

  for (guint i = 0; (event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i))
      != NULL; i++) {
    g_autofree gchar *orientation = NULL;
    GstTagList *tags;

    gst_event_parse_tag (event, &tags);
    if (gst_tag_list_get_string (tags, GST_TAG_IMAGE_ORIENTATION, &orientation))
      turned = strcmp (orientation, "rotate-0") != 0;
    gst_event_unref (event);
  }
  return turned;
}

/* All tags are known at the first frame. The element that rotates is only
 * inserted for streams that need it, because it does not support all
 * formats. */
static GstPadProbeReturn
turn_upright (GstPad * pad, GstPadProbeInfo * info, gpointer ghost)
{
  g_autoptr (GstElement) source = gst_pad_get_parent_element (ghost);
  g_autoptr (GstPad) first = NULL, last = NULL;
  GstElement *flip;

  (void) info;
  if (!is_turned (pad))
    return GST_PAD_PROBE_REMOVE;
  flip = gst_parse_bin_from_description ("videoconvert ! videoflip name=" FLIP
      " video-direction=auto", TRUE, NULL);
  if (flip == NULL) {
    g_printerr ("blockdct-preview: the picture should be rotated, but there is "
        "no element 'videoflip': install gstreamer1.0-plugins-good.\n");
    return GST_PAD_PROBE_REMOVE;
  }
  gst_bin_add (GST_BIN (source), flip);
  first = gst_element_get_static_pad (flip, "sink");
  last = gst_element_get_static_pad (flip, "src");
  gst_ghost_pad_set_target (ghost, last);
  gst_pad_link (pad, first);
  gst_element_sync_state_with_parent (flip);
  return GST_PAD_PROBE_REMOVE;
}

/* Link a decoder's first video. */
static void
link_video (GstElement * decoder, GstPad * pad, GstGhostPad * ghost)
{
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (ghost);

  (void) decoder;
  if (target == NULL && gst_ghost_pad_set_target (ghost, pad))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, turn_upright, ghost,
        NULL);
}

/* NULL: moving rings, with every angle and every frequency. */
static gchar *
describe_pattern (const gchar * pattern, const gchar * filter)
{
  return g_strdup_printf ("videotestsrc pattern=%s ! %s" PATTERN_CAPS,
      pattern != NULL ? pattern : DEFAULT_PATTERN, filter);
}

static gboolean
add_pattern (GstBin * bin, const gchar * pattern, GstPad * ghost,
    GError ** error)
{
  g_autofree gchar *text = describe_pattern (pattern, "capsfilter caps=");
  GstElement *source = gst_parse_bin_from_description_full (text, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_autoptr (GstPad) pad = NULL;

  if (source == NULL) {
    g_autofree gchar *known = NULL;

    g_clear_error (error);
    source = add_element (bin, "videotestsrc", error);
    if (source == NULL)
      return FALSE;
    known = preview_describe_range (g_object_class_find_property
        (G_OBJECT_GET_CLASS (source), "pattern"));
    return preview_refuse (error, "There is no test pattern '%s'. It is %s.",
        pattern, known);
  }
  gst_bin_add (bin, source);
  pad = gst_element_get_static_pad (source, "src");
  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), pad);
  return TRUE;
}

/* The y4mdec of GStreamer 1.28 pulls, and pushes before decodebin has linked
 * its pads; after a queue it is pushed its data, when decodebin is ready. */
static gboolean
link_source (GstBin * bin, GstElement * source, const gchar * file,
    GstElement * decoder, GError ** error)
{
  GstElement *queue;

  if (file == NULL || !g_str_has_suffix (file, ".y4m"))
    return gst_element_link (source, decoder);
  queue = add_element (bin, "queue", error);
  return queue != NULL && gst_element_link_many (source, queue, decoder, NULL);
}

gboolean
preview_source_is_uri (const gchar * name)
{
  return gst_uri_is_valid (name) && !g_file_test (name, G_FILE_TEST_EXISTS);
}

static gchar *
make_uri (const gchar * file, GError ** error)
{
  return preview_source_is_uri (file) ? g_strdup (file)
      : gst_filename_to_uri (file, error);
}

static gboolean
add_decoder (GstBin * bin, const PreviewOptions * options, GstPad * ghost,
    GError ** error)
{
  GstElement *decoder = add_element (bin, "decodebin name=" DECODER
      " caps=\"" DECODED "\" expose-all-streams=false", error);
  GstElement *source;
  g_autoptr (GstPluginFeature) parser = gst_registry_lookup_feature
      (gst_registry_get (), "jpegparse");

  /* The parser reads the orientation of a camera, but its rank is too low to be
   * used by default. */
  if (parser != NULL)
    gst_plugin_feature_set_rank (parser, GST_RANK_PRIMARY + 1);
  if (decoder == NULL)
    return FALSE;
  decoding_guard (decoder);
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_video), ghost);
  if (options->camera) {
    source = add_element (bin, "v4l2src", error);
    if (source != NULL && options->device != NULL)
      g_object_set (source, "device", options->device, NULL);
  } else {
    g_autofree gchar *uri = make_uri (options->file, error);

    source = uri == NULL ? NULL
        : gst_element_make_from_uri (GST_URI_SRC, uri, NULL, error);
    if (source != NULL)
      gst_bin_add (bin, source);
    else if (preview_source_is_uri (options->file))
      g_prefix_error (error, "There is no file %s: ", options->file);
  }
  return source != NULL
      && link_source (bin, source, options->file, decoder, error);
}

GstElement *
preview_source_new (const PreviewOptions * options, GError ** error)
{
  GstElement *source = gst_bin_new (NULL);
  GstPad *ghost = gst_ghost_pad_new_no_target ("src", GST_PAD_SRC);

  gst_element_add_pad (source, ghost);
  if (options->camera || options->file != NULL
      ? add_decoder (GST_BIN (source), options, ghost, error)
      : add_pattern (GST_BIN (source), options->pattern, ghost, error))
    return source;
  if (error != NULL && *error == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The source cannot be linked to a decoder.");
  gst_object_unref (gst_object_ref_sink (source));
  return NULL;
}

gchar *
preview_source_explain (GstElement * source, const GError * error,
    const gchar * debug)
{
  g_autoptr (GstElement) decoder = gst_bin_get_by_name (GST_BIN (source),
      DECODER);

  return decoding_explain (decoder, error, debug);
}

/* decodebin may refuse while it is adding elements, and then others keep their
 * state: ask again. */
void
preview_source_stop (GstElement * pipeline)
{
  for (guint i = 0; i < 10; i++)
    if (gst_element_set_state (pipeline, GST_STATE_NULL)
        != GST_STATE_CHANGE_FAILURE && i > 0)
      return;
}

/* What a file's message says against it; NULL: nothing. The caller owns it. */
static gchar *
read_complaint (GstElement * source, GstMessage * message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
    return decoding_explain_redirect (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return preview_source_explain (source, NULL, NULL);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return NULL;
  gst_message_parse_error (message, &error, &debug);
  return preview_source_explain (source, error, debug);
}

gboolean
preview_source_check (const PreviewOptions * options, GError ** error)
{
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstElement *source = preview_source_new (options, error);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autofree gchar *name = g_path_get_basename (options->file);
  g_autofree gchar *complaint = NULL;
  g_autoptr (GstMessage) message = NULL;

  gst_bin_add (GST_BIN (pipeline), sink);
  if (source == NULL)
    return FALSE;
  gst_bin_add (GST_BIN (pipeline), source);
  gst_element_link (source, sink);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  do {
    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_timed_pop_filtered (bus, PREVIEW_LIMIT, GST_MESSAGE_ERROR
        | GST_MESSAGE_EOS | GST_MESSAGE_ELEMENT | GST_MESSAGE_ASYNC_DONE);
    complaint = message != NULL ? read_complaint (source, message)
        : g_strdup ("no picture comes of it");
  } while (complaint == NULL
      && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ASYNC_DONE);
  preview_source_stop (pipeline);
  if (complaint != NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "%s: %s",
        name, complaint);
  return complaint == NULL;
}

gchar *
preview_source_quote (const gchar * value)
{
  GString *quoted;

  if (strpbrk (value, SPECIAL) == NULL)
    return g_strdup (value);
  quoted = g_string_new ("\"");
  for (const gchar * c = value; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_c (quoted, '\\');
    g_string_append_c (quoted, *c);
  }
  g_string_append_c (quoted, '"');
  return g_string_free (quoted, FALSE);
}

/* A file that a browser sent is in its user's folder, or a colleague's; any
 * other is where it is. */
static gchar *
describe_file (const PreviewOptions * options, gboolean upright)
{
  g_autofree gchar *name = options->sent ? g_path_get_basename (options->file)
      : make_uri (options->file, NULL);
  g_autofree gchar *value = preview_source_quote (name);

  return g_strdup_printf (options->sent ? "filesrc location=%s ! decodebin "
      "caps=\"" DECODED "\" expose-all-streams=false !%s"
      : "uridecodebin uri=%s caps=\"" DECODED "\" expose-all-streams=false !%s",
      value, upright ? " videoconvert ! videoflip video-direction=auto !" : "");
}

gchar *
preview_source_describe (const PreviewOptions * options, GstElement * source,
    gboolean still)
{
  g_autoptr (GstElement) flip = gst_bin_get_by_name (GST_BIN (source), FLIP);
  g_autofree gchar *pattern = describe_pattern (options->pattern, "");
  g_autofree gchar *text = NULL;

  if (options->camera)
    text = g_strdup_printf ("v4l2src%s%s ! decodebin !", options->device
        ? " device=" : "", options->device ? options->device : "");
  else if (options->file != NULL)
    text = describe_file (options, flip != NULL);
  else
    text = g_strconcat (pattern, " !", NULL);
  return g_strconcat (text, still ? " videoconvert ! imagefreeze ! "
      "video/x-raw,framerate=30/1 !" : NULL, NULL);
}
