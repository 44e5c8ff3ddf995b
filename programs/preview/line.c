/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.h"

#include <string.h>

/* What sets a decoder up for the least delay, and for the picture that the
 * standard defines. Frame threads would delay pictures. libjpeg's default
 * inverse DCT is the exact one, but jpegdec's is the fast one. */
static const gchar *const decoder_settings[][2] = {
  {"thread-type", "slice"}, {"max-frame-delay", "1"}, {"idct-method", "islow"}
};

static gboolean
has_class (GstElementFactory * factory, const gchar * word)
{
  return factory != NULL && strstr (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), word) != NULL;
}

static gint
compare_encoder (gconstpointer item, gconstpointer unused)
{
  (void) unused;
  return !has_class (gst_element_get_factory (g_value_get_object (item)),
      "Encoder");
}

static gboolean
has_encoder (GstElement * bin)
{
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (bin));
  g_auto (GValue) item = G_VALUE_INIT;
  const gboolean found = gst_iterator_find_custom (elements, compare_encoder,
      &item, NULL);

  gst_iterator_free (elements);
  return found;
}

/* The software element of the highest rank that takes all streams of these
 * caps; its pictures are in system memory. NULL: there is none, or the caps are
 * unknown. */
static GstElementFactory *
find_factory (GstElementFactoryListType type, const GstCaps * caps)
{
  GList *all = gst_element_factory_list_get_elements (type, GST_RANK_MARGINAL);
  GList *fit = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, TRUE);
  GstElementFactory *found = NULL;

  for (GList * l = fit; found == NULL && l != NULL; l = l->next)
    if (!has_class (l->data, "Hardware") && !has_class (l->data, "Bin"))
      found = gst_object_ref (l->data);
  gst_plugin_feature_list_free (all);
  gst_plugin_feature_list_free (fit);
  return found;
}

/* Append an element to the line; what it gives of these caps replaces them. */
static void
append (GString * line, GstElementFactory * factory, GstCaps ** caps)
{
  g_autoptr (GstElement) element = gst_object_ref_sink
      (gst_element_factory_create (factory, NULL));
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  GstCaps *given = gst_pad_query_caps (pad, NULL);

  gst_caps_take (caps, gst_caps_intersect (*caps, given));
  gst_caps_unref (given);
  g_string_append_printf (line, " ! %s", GST_OBJECT_NAME (factory));
  for (guint i = 0; i < G_N_ELEMENTS (decoder_settings); i++)
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element),
            decoder_settings[i][0]) != NULL)
      g_string_append_printf (line, " %s=%s", decoder_settings[i][0],
          decoder_settings[i][1]);
}

/* Append what decodes a stream of these caps, and counts its bits. A buffer may
 * be any part of the stream, unless the caps have `parsed` or `alignment`. */
static gboolean
add_decoder (GString * line, GstCaps ** caps, GError ** error)
{
  const GstStructure *s = gst_caps_get_structure (*caps, 0);
  g_autoptr (GstElementFactory) parser = gst_structure_has_field (s, "parsed")
      || gst_structure_has_field (s, "alignment") ? NULL
      : find_factory (GST_ELEMENT_FACTORY_TYPE_PARSER, *caps);
  g_autoptr (GstElementFactory) counter =
      gst_element_factory_find ("blockdctcoded");
  g_autoptr (GstElementFactory) decoder = NULL;
  g_autofree gchar *text = gst_caps_to_string (*caps);

  if (parser != NULL)
    append (line, parser, caps);
  decoder = find_factory (GST_ELEMENT_FACTORY_TYPE_DECODER, *caps);
  if (decoder == NULL)
    return preview_refuse (error, "there is no decoder for %s", text);
  if (gst_element_factory_can_sink_any_caps (counter, *caps))
    g_string_append (line, " ! blockdctcoded");
  append (line, decoder, caps);
  return TRUE;
}

gchar *
preview_line_describe (const gchar * line, GError ** error)
{
  g_autoptr (GstElement) bin = gst_parse_bin_from_description_full (line, TRUE,
      NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_autoptr (GstPad) sink = NULL, src = NULL;
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GString) all = g_string_new (line);
  gboolean ok = bin != NULL;

  if (ok) {
    gst_object_ref_sink (bin);
    sink = gst_element_get_static_pad (bin, "sink");
    src = gst_element_get_static_pad (bin, "src");
    ok = (has_encoder (bin)
        || preview_refuse (error, "there is no encoder in it"))
        && (sink != NULL || preview_refuse (error, "none of its elements has a "
            "free pad that takes pictures")) && (src != NULL
        || preview_refuse (error, "none of its elements has a free pad that "
            "gives coded data"));
  }
  if (ok) {
    caps = gst_pad_query_caps (src, NULL);
    /* Else the line has its own decoder. */
    ok = gst_caps_get_size (caps) == 0 ? preview_refuse (error, "there is no "
        "decoder for unknown streams")
        : gst_structure_has_name (gst_caps_get_structure (caps, 0),
        "video/x-raw") || add_decoder (all, &caps, error);
  }
  return ok ? g_string_free (g_steal_pointer (&all), FALSE) : NULL;
}
