/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decoding.h"

#include <string.h>

/* Of a decodebin: the media type of its file, and of the list that it is. */
#define TYPE "blockdct-type"
#define LIST "blockdct-list"

#define OPENS_OTHERS "it is a list of other files (%s), which are not " \
    "opened: name those files instead"

/* A GstAutoplugSelectResult, which no header defines. */
enum
{
  TRY, EXPOSE, SKIP
};

/* What an element is decides, not its name: one that opens what a file names is
 * a demuxer with elements of its own, a source, or loads the parts of an
 * adaptive stream. Some decoders have elements of their own, too: that of VP8
 * with alpha, for one. */
gboolean
decoding_refuses (GstElementFactory * factory)
{
  const gchar *klass = gst_element_factory_get_metadata (factory,
      GST_ELEMENT_METADATA_KLASS);
  g_autoptr (GstPluginFeature) loaded = NULL;
  GType type;

  if (strstr (klass, "Adaptive") != NULL)
    return TRUE;
  loaded = gst_plugin_feature_load (GST_PLUGIN_FEATURE (factory));
  if (loaded == NULL)
    return TRUE;
  type = gst_element_factory_get_element_type (GST_ELEMENT_FACTORY (loaded));
  return g_type_is_a (type, GST_TYPE_URI_HANDLER)
      || (g_type_is_a (type, GST_TYPE_BIN)
      && strstr (klass, "Demuxer") != NULL);
}

static gint
select_factory (GstElement * decodebin, GstPad * pad, GstCaps * caps,
    GstElementFactory * factory, gpointer data)
{
  GObject *object = G_OBJECT (decodebin);
  const gboolean refused = decoding_refuses (factory);
  /* Interned, as streaming threads set what others read. */
  const gchar *type = g_intern_string (gst_structure_get_name
      (gst_caps_get_structure (caps, 0)));

  (void) pad, (void) data;
  if (g_object_get_data (object, TYPE) == NULL)
    g_object_set_data (object, TYPE, (gpointer) type);
  if (refused)
    g_object_set_data (object, LIST, (gpointer) type);
  return refused ? SKIP : TRY;
}

void
decoding_guard (GstElement * decodebin)
{
  g_signal_connect (decodebin, "autoplug-select", G_CALLBACK (select_factory),
      NULL);
}

gboolean
decoding_met_list (GstElement * decodebin)
{
  return g_object_get_data (G_OBJECT (decodebin), LIST) != NULL;
}

/* What files of a type have that their decoders do not do, and of which they
 * say no more than 'Internal data stream error'. */
static const struct
{
  const gchar *type, *what;
} undone[] = {
  {"image/jpeg", ", such as CMYK"}, {"image/webp", ", such as an animation"},
};

/* The name of what is missing, without its caps, which can have kilobytes;
 * owned by the caller. */
static gchar *
name_missing (const gchar * debug)
{
  const gchar *missing = debug != NULL ? strstr (debug, "Missing ") : NULL;

  return missing == NULL ? NULL
      : g_strndup (missing, strcspn (missing, "(\n"));
}

gchar *
decoding_explain (GstElement * decodebin, const GError * error,
    const gchar * debug)
{
  g_autofree gchar *missing = name_missing (debug);
  const gchar *list = g_object_get_data (G_OBJECT (decodebin), LIST);
  const gchar *type = g_object_get_data (G_OBJECT (decodebin), TYPE);
  const gchar *what = "";

  if (decoding_met_list (decodebin))
    return g_strdup_printf (OPENS_OTHERS, list);
  if (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN))
    return g_strdup_printf ("there is no video or picture in it that GStreamer "
        "can decode%s%s", missing != NULL ? ". " : "", missing != NULL ? missing
        : "");
  if (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_TYPE_NOT_FOUND))
    return g_strdup_printf ("GStreamer does not recognise what it is (%s); nor "
        "some pictures of a few bytes", error->message);
  if (type == NULL || (error != NULL && error->domain != GST_STREAM_ERROR))
    return g_strdup (error != NULL ? error->message : "it has no picture");
  for (guint i = 0; i < G_N_ELEMENTS (undone); i++)
    if (strcmp (type, undone[i].type) == 0)
      what = undone[i].what;
  return g_strdup_printf ("it is damaged, or GStreamer does not decode this "
      "kind of %s%s (%s)", type, what, error != NULL ? error->message
      : "no picture came");
}

gchar *
decoding_explain_redirect (GstMessage * message)
{
  const GstStructure *s = gst_message_get_structure (message);

  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
      && gst_structure_has_name (s, "redirect")
      ? g_strdup_printf (OPENS_OTHERS, gst_structure_get_string (s,
          "new-location")) : NULL;
}
