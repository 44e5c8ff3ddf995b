/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.h"

#include <string.h>

static gboolean
refuse (GError ** error, const gchar * reason)
{
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      reason);
  return FALSE;
}

static gboolean
has_class (GstElementFactory * factory, const gchar * word)
{
  const gchar *klass = gst_element_factory_get_metadata (factory,
      GST_ELEMENT_METADATA_KLASS);

  return klass != NULL && strstr (klass, word) != NULL;
}

static gint
compare_encoder (gconstpointer item, gconstpointer unused)
{
  GstElementFactory *factory =
      gst_element_get_factory (g_value_get_object (item));

  (void) unused;
  return factory == NULL || !has_class (factory, "Encoder");
}

static gboolean
has_encoder (GstElement * bin)
{
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (bin));
  GValue item = G_VALUE_INIT;
  const gboolean found = gst_iterator_find_custom (elements, compare_encoder,
      &item, NULL);

  if (found)
    g_value_unset (&item);
  gst_iterator_free (elements);
  return found;
}

static gboolean
has_pad (GstElement * bin, const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (bin, name);
  const gboolean there = pad != NULL;

  gst_clear_object (&pad);
  return there;
}

/* Make the bin that a line describes; its input are pictures, its output a
 * stream. */
static GstElement *
make_encoder (const gchar * line, GError ** error)
{
  GstElement *bin = gst_parse_bin_from_description_full (line, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (bin == NULL)
    return NULL;
  if ((has_encoder (bin) || refuse (error, "there is no encoder in it"))
      && (has_pad (bin, "sink") || refuse (error, "none of its elements has a "
              "free pad that takes pictures")) && (has_pad (bin,
              "src") || refuse (error,
              "none of its elements has a free pad that gives coded data")))
    return bin;
  gst_object_unref (bin);
  return NULL;
}

/* The software element of the highest rank that takes all streams of these
 * caps; its pictures are in system memory. NULL: there is none, or the caps are
 * unknown. */
static GstElementFactory *
find_factory (GstElementFactoryListType type, const GstCaps * caps)
{
  GList *all = gst_element_factory_list_get_elements (type, GST_RANK_MARGINAL);
  GList *fit = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, TRUE);
  gboolean known = !gst_caps_is_any (caps) && !gst_caps_is_empty (caps);
  GstElementFactory *found = NULL;

  for (GList * l = fit; known && found == NULL && l != NULL; l = l->next)
    if (!has_class (l->data, "Hardware") && !has_class (l->data, "Bin"))
      found = gst_object_ref (l->data);
  gst_plugin_feature_list_free (all);
  gst_plugin_feature_list_free (fit);
  return found;
}

/* What sets a decoder up for the least delay, and for the picture that the
 * standard defines. Frame threads would delay pictures. libjpeg's default
 * inverse DCT is the exact one, but jpegdec's is the fast one. */
static const gchar *const decoder_settings[][2] = {
  {"thread-type", "slice"}, {"max-frame-delay", "1"}, {"idct-method", "islow"}
};

static gboolean
has_setting (GstElement * decoder, guint i)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (decoder),
      decoder_settings[i][0]) != NULL;
}

/* Add a parser for a stream of these caps to `chain`. None is needed if the
 * caps have `parsed` or `alignment`; otherwise a buffer may be any part of the
 * stream. */
static void
add_parser (GPtrArray * chain, GstCaps ** caps)
{
  const GstStructure *s = gst_caps_get_structure (*caps, 0);
  GstElementFactory *factory = gst_structure_has_field (s, "parsed")
      || gst_structure_has_field (s, "alignment") ? NULL
      : find_factory (GST_ELEMENT_FACTORY_TYPE_PARSER, *caps);
  GstElement *parser;
  GstPad *pad;
  GstCaps *given, *both;

  if (factory == NULL)
    return;
  parser = gst_element_factory_create (factory, NULL);
  gst_object_unref (factory);
  pad = gst_element_get_static_pad (parser, "src");
  given = gst_pad_query_caps (pad, NULL);
  both = gst_caps_intersect (*caps, given);
  gst_caps_replace (caps, both);
  gst_caps_unref (both);
  gst_caps_unref (given);
  gst_object_unref (pad);
  g_ptr_array_add (chain, gst_object_ref_sink (parser));
}

static gboolean
add (GPtrArray * chain, const gchar * name, GError ** error)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (element == NULL) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "the element %s is not installed", name);
    return FALSE;
  }
  g_ptr_array_add (chain, gst_object_ref_sink (element));
  return TRUE;
}

/* Add a blockdctcoded, if it takes streams of these caps. */
static gboolean
add_counter (GPtrArray * chain, const GstCaps * caps, GError ** error)
{
  GstElementFactory *factory = gst_element_factory_find ("blockdctcoded");
  const gboolean counts = factory != NULL
      && gst_element_factory_can_sink_any_caps (factory, caps);

  gst_clear_object (&factory);
  return !counts || add (chain, "blockdctcoded", error);
}

/* Add the elements that decode an encoder's stream to `chain`. */
static gboolean
add_decoder (GPtrArray * chain, GstElement * encoder, GError ** error)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "src");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  GstElementFactory *factory = NULL;
  gboolean ok = gst_caps_get_size (caps) > 0;
  gboolean raw = ok && gst_structure_has_name (gst_caps_get_structure (caps,
          0), "video/x-raw");
  GstElement *decoder = NULL;
  gchar *text;

  if (ok && !raw) {
    add_parser (chain, &caps);
    factory = find_factory (GST_ELEMENT_FACTORY_TYPE_DECODER, caps);
    decoder = factory != NULL ? gst_element_factory_create (factory, NULL)
        : NULL;
  }
  if (decoder != NULL) {
    ok = add_counter (chain, caps, error);
    g_ptr_array_add (chain, gst_object_ref_sink (decoder));
  } else if (!raw) {            /* else the line has its own decoder */
    text = gst_caps_to_string (caps);
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "there is no decoder for %s", text);
    g_free (text);
    ok = FALSE;
  }
  gst_clear_object (&factory);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  return ok;
}

/* Add the elements from a line's encoder to its decoder to `chain`. */
static gboolean
add_coder (GPtrArray * chain, const gchar * line, GError ** error)
{
  GstElement *encoder = make_encoder (line, error);

  if (encoder == NULL)
    return FALSE;
  g_ptr_array_add (chain, gst_object_ref_sink (encoder));
  return add_decoder (chain, encoder, error);
}

gchar *
preview_line_describe (const gchar * line, GError ** error)
{
  GPtrArray *chain = g_ptr_array_new_with_free_func (gst_object_unref);
  GString *text = NULL;

  if (add_coder (chain, line, error)) {
    text = g_string_new (line);
    for (guint i = 1; i < chain->len; i++) {
      g_string_append_printf (text, " ! %s",
          GST_OBJECT_NAME (gst_element_get_factory (chain->pdata[i])));
      for (guint k = 0; k < G_N_ELEMENTS (decoder_settings); k++)
        if (has_setting (chain->pdata[i], k))
          g_string_append_printf (text, " %s=%s", decoder_settings[k][0],
              decoder_settings[k][1]);
    }
  }
  g_ptr_array_unref (chain);
  return text == NULL ? NULL : g_string_free (text, FALSE);
}
