/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoder.h"

#include <string.h>
#include "settings.h"

/* The ranges of the options with encoders, whose properties may exceed
 * blockdct's own ranges. */
static const struct
{
  gint min, max;
} limits[ENCODER_N_SCALES] = {
  [ENCODER_QUALITY] = {0, 100},
  [ENCODER_QP] = {0, 255},
  [ENCODER_BITRATE] = {1, 1000000},
};

/* The first element of a line. */
static gchar *
get_name (const gchar * line)
{
  line += strspn (line, " \t\n");
  return g_strndup (line, strcspn (line, " \t\n!"));
}

/* The properties of an encoder that may be the one to set. */
static gchar *
list_properties (GObjectClass * klass)
{
  GRegex *regex = g_regex_new ("quant|qp|quality|bitrate|cq|crf", 0, 0, NULL);
  GString *names = g_string_new (NULL);
  guint n;
  GParamSpec **specs = g_object_class_list_properties (klass, &n);

  for (guint i = 0; i < n; i++)
    if (specs[i]->flags & G_PARAM_WRITABLE
        && g_regex_match (regex, specs[i]->name, 0, NULL))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
          specs[i]->name);
  if (names->len == 0)
    g_string_append (names, "none");
  g_free (specs);
  g_regex_unref (regex);
  return g_string_free (names, FALSE);
}

/* The same for an element by its name; NULL: there is no such element. */
static gchar *
list_properties_of (const gchar * name)
{
  GstElement *element = gst_element_factory_make (name, NULL);
  gchar *names;

  if (element == NULL)
    return NULL;
  names = list_properties (G_OBJECT_GET_CLASS (element));
  gst_object_unref (element);
  return names;
}

static gboolean
refuse (GError ** error, const gchar * format, ...)
G_GNUC_PRINTF (2, 3);

     static gboolean refuse (GError ** error, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  *error = g_error_new_valist (G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format,
      arguments);
  va_end (arguments);
  return FALSE;
}

static gboolean
refuse_absent (const gchar * name, GError ** error)
{
  const EncoderInfo *info = encoder_find (name);
  const gchar *package = info != NULL ? info->package
      : g_str_has_prefix (name, "avenc_") ? ENCODER_LIBAV : NULL;

  return refuse (error, "--encoder: the element %s is not installed (%s%s)",
      name, package != NULL ? "Debian: " : "gst-inspect-1.0 lists those that "
      "are", package != NULL ? package : "");
}

/* Set an error from the parser's result. */
static gboolean
refuse_line (const MeasureEncoder * encoder, GstParseContext * context,
    GError * reason, GError ** error)
{
  gchar **missing = gst_parse_context_get_missing_elements (context);
  gchar *name = get_name (encoder->line), *names = NULL;

  if (reason->code == GST_PARSE_ERROR_NO_SUCH_ELEMENT && missing != NULL
      && missing[0] != NULL) {
    refuse_absent (missing[0], error);
  } else {
    if (reason->code == GST_PARSE_ERROR_NO_SUCH_PROPERTY)
      names = list_properties_of (name);
    refuse (error, "--encoder '%s': %s%s%s", encoder->line, reason->message,
        names != NULL ? "; its properties of this kind: " : "",
        names != NULL ? names : "");
  }
  g_error_free (reason);
  g_strfreev (missing);
  g_free (name);
  g_free (names);
  return FALSE;
}

GstElement *
measure_encoder_make (const MeasureEncoder * encoder, gint value,
    GError ** error)
{
  GstParseContext *context = gst_parse_context_new ();
  gchar *text = encoder_fill (encoder->text, encoder->scale, value);
  GError *reason = NULL;
  GstElement *bin = gst_parse_bin_from_description_full (text, TRUE, context,
      GST_PARSE_FLAG_FATAL_ERRORS, &reason);

  if (reason != NULL) {
    refuse_line (encoder, context, reason, error);
    gst_clear_object (&bin);
  }
  gst_parse_context_free (context);
  g_free (text);
  return bin;
}

/* The encoder among the elements of a bin, with a reference. */
static GstElement *
find_encoder (GstElement * bin)
{
  GstIterator *elements = gst_bin_iterate_elements (GST_BIN (bin));
  GstElement *found = NULL;
  GValue item = G_VALUE_INIT;

  while (found == NULL && gst_iterator_next (elements, &item)
      == GST_ITERATOR_OK) {
    const gchar *klass = gst_element_get_metadata (g_value_get_object (&item),
        GST_ELEMENT_METADATA_KLASS);

    if (klass != NULL && strstr (klass, "Encoder") != NULL)
      found = g_value_dup_object (&item);
    g_value_reset (&item);
  }
  if (G_IS_VALUE (&item))
    g_value_unset (&item);
  gst_iterator_free (elements);
  return found;
}

/* Check the values, as GStreamer would silently take a property's nearest
 * number. */
static gboolean
check_values (const MeasureEncoder * e, GstElement * element, GError ** error)
{
  gdouble min, max;
  GParamSpec *spec = encoder_find_range (e->text, e->scale,
      G_OBJECT_GET_CLASS (element), &min, &max);

  for (guint i = 0; spec != NULL && i < e->values->len; i++) {
    const gint value = g_array_index (e->values, gint, i);

    if (value < min || value > max)
      return refuse (error, "--%s: %s of '%s' takes %.15g to %.15g, not %d",
          encoder_scale_name (e->scale), spec->name, e->line, min, max, value);
  }
  return TRUE;
}

/* Check that a bin takes pictures, and gives a coded stream. */
static gboolean
check_ends (const MeasureEncoder * e, GstElement * bin, GError ** error)
{
  const struct
  {
    const gchar *pad, *lack;
  } ends[] = {
    {"sink", "none of its elements has a free pad that takes pictures; begin "
          "with the encoder"},
    {"src", "none of its elements has a free pad that gives coded data; end "
          "with the encoder, or with an element that takes its stream"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    GstPad *pad = gst_element_get_static_pad (bin, ends[i].pad);

    if (pad == NULL)
      return refuse (error, "--encoder '%s': %s", e->line, ends[i].lack);
    gst_object_unref (pad);
  }
  return TRUE;
}

static gboolean
check_line (const MeasureEncoder * e, GError ** error)
{
  GstElement *bin = measure_encoder_make (e, g_array_index (e->values, gint,
          0), error), *element, *decoder;
  gboolean ok;

  if (bin == NULL)
    return FALSE;
  element = find_encoder (bin);
  ok = (element != NULL || refuse (error, "--encoder '%s': there is no encoder "
          "in it", e->line)) && check_ends (e, bin, error)
      && check_values (e, element, error);
  decoder = ok ? measure_encoder_make_decoder (bin, error) : NULL;
  gst_clear_object (&decoder);
  gst_clear_object (&element);
  gst_object_unref (bin);
  return ok && *error == NULL;
}

/* The scale of a line's placeholder; ENCODER_N_SCALES: none. */
static EncoderScale
find_placeholder (const gchar * line)
{
  EncoderScale scale = 0;

  while (scale < ENCODER_N_SCALES
      && strstr (line, encoder_placeholder (scale)) == NULL)
    scale++;
  return scale;
}

/* Set the text and its scale: those of the line or, for a known encoder, its
 * bitrate, QP or quality, the first one that has numbers. The user's properties
 * follow, and so take precedence. */
static gboolean
complete (MeasureEncoder * e, const gchar * const numbers[], GError ** error)
{
  gchar *name = get_name (e->line), *names;
  const EncoderInfo *info = encoder_find (name);
  const gchar *rest = strstr (e->line, name) + strlen (name);
  GString *takes = g_string_new (NULL);

  e->scale = find_placeholder (e->line);
  if (*name == '\0') {
    refuse (error, "--encoder: the line is empty");
  } else if (e->scale < ENCODER_N_SCALES) {
    e->text = g_strdup (e->line);
    if (numbers[e->scale] == NULL)
      refuse (error, "--encoder '%s' needs numbers: give them with --%s",
          e->line,
          encoder_scale_name (e->scale));
  } else {
    for (gint s = ENCODER_N_SCALES - 1; info != NULL && e->text == NULL
        && s >= 0; s--)
      if (info->text[s] != NULL && numbers[s] != NULL) {
        e->scale = s;
        e->text = g_strdup_printf ("%s %s%s", name, info->text[s], rest);
      } else if (info->text[s] != NULL) {
        g_string_append_printf (takes, "%s--%s", takes->len > 0 ? " or " : "",
            encoder_scale_name (s));
      }
    if (e->text == NULL && takes->len > 0) {
      refuse (error, "--encoder '%s' needs numbers: give them with %s", e->line,
          takes->str);
    } else if (e->text == NULL && (names = list_properties_of (name)) != NULL) {
      refuse (error, "--encoder '%s': name the property to set, as in "
          "NAME={qp}, {quality} or {bitrate}; its properties of this kind: %s",
          e->line, names);
      g_free (names);
    } else if (e->text == NULL) {
      refuse_absent (name, error);
    }
  }
  g_string_free (takes, TRUE);
  g_free (name);
  return *error == NULL;
}

static void
clear_encoder (gpointer data)
{
  MeasureEncoder *e = data;

  g_free (e->text);
  g_clear_pointer (&e->values, g_array_unref);
}

GArray *
measure_encoders_new (gchar ** lines,
    const gchar * const numbers[ENCODER_N_SCALES],
    gboolean used[ENCODER_N_SCALES], GError ** error)
{
  GArray *encoders = g_array_new (FALSE, TRUE, sizeof (MeasureEncoder));
  gboolean ok = TRUE;

  g_array_set_clear_func (encoders, clear_encoder);
  memset (used, 0, ENCODER_N_SCALES * sizeof *used);
  for (guint i = 0; ok && lines != NULL && lines[i] != NULL; i++) {
    MeasureEncoder *e;
    gchar *option;

    g_array_set_size (encoders, i + 1);
    e = &g_array_index (encoders, MeasureEncoder, i);
    e->line = g_intern_string (lines[i]);
    for (guint k = 0; ok && k < i; k++)
      ok = g_array_index (encoders, MeasureEncoder, k).line != e->line
          || refuse (error, "--encoder '%s' is given twice", e->line);
    if (!ok || !(ok = complete (e, numbers, error)))
      break;
    used[e->scale] = TRUE;
    option = g_strconcat ("--", encoder_scale_name (e->scale), NULL);
    e->values = measure_numbers_new (option, numbers[e->scale],
        limits[e->scale].min, limits[e->scale].max, error);
    g_free (option);
    ok = e->values != NULL && check_line (e, error);
  }
  if (!ok)
    g_clear_pointer (&encoders, g_array_unref);
  return encoders;
}

guint
measure_encoders_count (const GArray * encoders)
{
  guint n = 0;

  for (guint i = 0; i < encoders->len; i++)
    n += g_array_index (encoders, MeasureEncoder, i).values->len;
  return n;
}

/* The software decoder of the highest rank that takes all of an encoder's
 * streams; its pictures are in system memory. NULL: there is none, or the caps
 * are unknown. */
static GstElementFactory *
find_decoder (const GstCaps * caps)
{
  GList *all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_DECODER, GST_RANK_MARGINAL);
  GList *fit = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, TRUE);
  gboolean known = !gst_caps_is_any (caps) && !gst_caps_is_empty (caps);
  GstElementFactory *found = NULL;

  for (GList * l = fit; known && found == NULL && l != NULL; l = l->next) {
    const gchar *klass = gst_element_factory_get_metadata (l->data,
        GST_ELEMENT_METADATA_KLASS);

    if (strstr (klass, "Hardware") == NULL && strstr (klass, "Bin") == NULL)
      found = gst_object_ref (l->data);
  }
  gst_plugin_feature_list_free (all);
  gst_plugin_feature_list_free (fit);
  return found;
}

/* The gst-launch description of a stream's decoder, behind an element that
 * counts bits if there is one for this stream; NULL: there is none. */
static gchar *
describe_decoder (const GstCaps * caps)
{
  GstElementFactory *factory = find_decoder (caps);
  GstElementFactory *coded = gst_element_factory_find ("blockdctcoded");
  const gboolean counts = coded != NULL
      && gst_element_factory_can_sink_any_caps (coded, caps);
  const GstStructure *s = gst_caps_get_size (caps) > 0
      ? gst_caps_get_structure (caps, 0) : NULL;
  gint version = 0;
  gchar *text;

  gst_clear_object (&coded);
  /* The line has a decoder of its own. */
  if (factory == NULL && s != NULL && gst_structure_has_name (s, "video/x-raw"))
    return g_strdup ("identity");
  if (factory == NULL)
    return NULL;
  /* A parser splits an MPEG stream into pictures. jpegdec's default inverse DCT
   * is the fast one; libjpeg's default, islow, gives up to 4 dB more at quality
   * 90. */
  gst_structure_get_int (s, "mpegversion", &version);
  text = g_strconcat (!gst_structure_has_name (s, "video/mpeg") ? ""
      : version == 4 ? "mpeg4videoparse ! " : "mpegvideoparse ! ",
      counts ? "blockdctcoded ! " : "", GST_OBJECT_NAME (factory),
      g_str_equal (GST_OBJECT_NAME (factory), "jpegdec")
      ? " idct-method=islow" : "", NULL);
  gst_object_unref (factory);
  return text;
}

GstElement *
measure_encoder_make_decoder (GstElement * encoder, GError ** error)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "src");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  gchar *decoder = describe_decoder (caps), *text = NULL;
  GstElement *bin = NULL;

  if (decoder != NULL) {
    bin = gst_parse_bin_from_description (decoder, TRUE, error);
  } else {
    text = gst_caps_to_string (caps);
    refuse (error, "--encoder: there is no decoder for %s", text);
  }
  g_free (decoder);
  g_free (text);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  return bin;
}

/* The names of the formats that an encoder's caps have; NULL: none. */
static gchar *
list_formats (const GstCaps * caps)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GValue *value = gst_structure_get_value (gst_caps_get_structure
        (caps, i), "format");
    guint n = value == NULL ? 0 : GST_VALUE_HOLDS_LIST (value)
        ? gst_value_list_get_size (value) : 1;

    for (guint k = 0; k < n; k++) {
      const gchar *name = g_value_get_string (GST_VALUE_HOLDS_LIST (value)
          ? gst_value_list_get_value (value, k) : value);

      if (strstr (names->str, name) == NULL)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
            name);
    }
  }
  return g_string_free (names, names->len == 0);
}

gboolean
measure_encoder_check (GstElement * encoder, const GstCaps * caps,
    GError ** error)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "sink");
  GstCaps *taken = gst_pad_query_caps (pad, NULL);
  gboolean ok = gst_caps_can_intersect (taken, caps);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gchar *names = list_formats (taken), *text = gst_caps_to_string (taken);
  gint width = 0, height = 0;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  if (!ok)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "it does not accept %s %dx%d; it accepts %s (--format converts)",
        gst_structure_get_string (s, "format"), width, height,
        names == NULL || strstr (names, gst_structure_get_string (s, "format"))
        ? text : names);
  g_free (names);
  g_free (text);
  gst_caps_unref (taken);
  gst_object_unref (pad);
  return ok;
}
