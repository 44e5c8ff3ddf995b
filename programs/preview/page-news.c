/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values, structures and properties as JSON. */
#include "../encoders.h"
#include "server.h"

#include <math.h>

static JsonNode *write_value (const GValue * value);

static const gchar *
get_nick (const GValue * value)
{
  GEnumClass *klass = g_type_class_peek (G_VALUE_TYPE (value));
  GEnumValue *known = g_enum_get_value (klass, g_value_get_enum (value));

  return known != NULL ? known->value_nick : NULL;
}

static JsonNode *
take_array (JsonArray * array)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  json_node_take_array (node, array);
  return node;
}

static JsonNode *
take_object (JsonObject * object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

static JsonNode *
describe_array (const GValue * value)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < gst_value_array_get_size (value); i++)
    json_array_add_element (array,
        write_value (gst_value_array_get_value (value, i)));
  return take_array (array);
}

static JsonNode *
describe_flags (const GValue * value)
{
  GFlagsClass *klass = g_type_class_peek (G_VALUE_TYPE (value));
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < klass->n_values; i++)
    if (klass->values[i].value & g_value_get_flags (value))
      json_array_add_string_element (array, klass->values[i].value_nick);
  return take_array (array);
}

/* A number, a string (for an enumeration, the nick), true or false, or an array
 * of these (for flags, of their nicks); infinity, and anything else that JSON
 * lacks, is null. */
static JsonNode *
write_value (const GValue * value)
{
  JsonNode *node;

  if (GST_VALUE_HOLDS_ARRAY (value))
    return describe_array (value);
  if (G_VALUE_HOLDS_FLAGS (value))
    return describe_flags (value);
  node = json_node_init_null (json_node_alloc ());
  if (G_VALUE_HOLDS_ENUM (value))
    json_node_init_string (node, get_nick (value));
  else if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value) != NULL)
    json_node_init_string (node, g_value_get_string (value));
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    json_node_init_boolean (node, g_value_get_boolean (value));
  else if (G_VALUE_HOLDS_INT (value))
    json_node_init_int (node, g_value_get_int (value));
  else if (G_VALUE_HOLDS_UINT (value))
    json_node_init_int (node, g_value_get_uint (value));
  else if (G_VALUE_HOLDS_INT64 (value)
      && g_value_get_int64 (value) < G_MAXINT64)
    json_node_init_int (node, g_value_get_int64 (value));
  else if (G_VALUE_HOLDS_UINT64 (value)
      && g_value_get_uint64 (value) <= G_MAXINT64)
    json_node_init_int (node, g_value_get_uint64 (value));
  else if (G_VALUE_HOLDS_DOUBLE (value)
      && isfinite (g_value_get_double (value)))
    json_node_init_double (node, g_value_get_double (value));
  return node;
}

static gboolean
describe_field (GQuark field, const GValue * value, gpointer object)
{
  json_object_set_member (object, g_quark_to_string (field),
      write_value (value));
  return TRUE;
}

JsonNode *
preview_news_write_structure (const GstStructure * structure)
{
  JsonObject *object = json_object_new ();

  gst_structure_foreach (structure, describe_field, object);
  return take_object (object);
}

static void
add_choice (JsonArray * choices, const gchar * nick, const gchar * about)
{
  JsonObject *choice = json_object_new ();

  json_object_set_string_member (choice, "nick", nick);
  json_object_set_string_member (choice, "about", about);
  json_array_add_object_element (choices, choice);
}

/* An object with `name`, `about`, `default`, and either `values` (of an
 * enumeration) or `flags`, each with `nick` and `about`, or `minimum`,
 * `maximum` and `step` (of numbers), or neither (true or false). */
static JsonNode *
write_control (const gchar * name, GParamSpec * pspec)
{
  JsonObject *object = json_object_new ();
  JsonArray *choices = json_array_new ();
  gdouble minimum, maximum;

  json_object_set_string_member (object, "name", name);
  json_object_set_string_member (object, "about",
      g_param_spec_get_blurb (pspec));
  json_object_set_member (object, "default",
      write_value (g_param_spec_get_default_value (pspec)));
  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      add_choice (choices, klass->values[i].value_nick,
          klass->values[i].value_name);
    json_object_set_array_member (object, "values", json_array_ref (choices));
  } else if (G_IS_PARAM_SPEC_FLAGS (pspec)) {
    const GFlagsClass *klass = G_PARAM_SPEC_FLAGS (pspec)->flags_class;

    for (guint i = 0; i < klass->n_values; i++)
      if (klass->values[i].value != 0)
        add_choice (choices, klass->values[i].value_nick,
            klass->values[i].value_name);
    json_object_set_array_member (object, "flags", json_array_ref (choices));
  } else if (encoder_get_range (pspec, &minimum, &maximum)) {
    json_object_set_double_member (object, "minimum", minimum);
    json_object_set_double_member (object, "maximum", maximum);
    json_object_set_double_member (object, "step",
        G_IS_PARAM_SPEC_DOUBLE (pspec) ? 0.01 : 1);
  }
  json_array_unref (choices);
  return take_object (object);
}

JsonNode *
preview_news_write_controls (PreviewSession * session)
{
  JsonArray *controls = json_array_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    json_array_add_element (controls, write_control (preview_controls[i],
            preview_session_get_pspec (session, i)));
  return take_array (controls);
}

JsonNode *
preview_news_write_presets (PreviewSession * session)
{
  g_auto (GStrv) presets = preview_session_get_presets (session);
  JsonArray *names = json_array_new ();

  for (gchar ** name = presets; name != NULL && *name != NULL; name++)
    json_array_add_string_element (names, *name);
  return take_array (names);
}

static JsonObject *
describe_values (PreviewPage * self)
{
  JsonObject *values = json_object_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++) {
    g_auto (GValue) value = G_VALUE_INIT;

    preview_session_get_value (self->session, i, &value);
    json_object_set_member (values, preview_controls[i], write_value (&value));
  }
  return values;
}

/* The figures that the viewer does not have yet. */
static JsonArray *
describe_points (Viewer * viewer)
{
  PreviewPage *self = viewer->page;
  const guint n = json_array_get_length (self->points);
  JsonArray *array = json_array_new ();

  for (guint i = n - MIN (self->n_points - viewer->point, n); i < n; i++)
    json_array_add_element (array, json_array_dup_element (self->points, i));
  viewer->point = self->n_points;
  return array;
}

/* How many frames it has, across and down; and how wide a sample of theirs is
 * for its height. */
static void
describe_sample (GstSample * sample, JsonObject * picture)
{
  const GstStructure *both = gst_sample_get_info (sample);
  const gboolean stacked = both != NULL
      && gst_structure_has_name (both, PREVIEW_STACKED);
  gint n = 1, d = 1;

  gst_structure_get_fraction (gst_caps_get_structure (gst_sample_get_caps
          (sample), 0), "pixel-aspect-ratio", &n, &d);
  json_object_set_int_member (picture, "columns", 1 + (both && !stacked));
  json_object_set_int_member (picture, "rows", 1 + stacked);
  json_object_set_double_member (picture, "aspect", (gdouble) n / d);
}

void
preview_news_add_picture (Viewer * viewer, JsonObject * json)
{
  PreviewPage *self = viewer->page;
  const PreviewPicture *file = &self->picture.file;
  JsonObject *picture = json_object_new ();

  if (viewer->frame > 0)
    viewer->skipped += self->picture.number - viewer->frame - 1;
  viewer->frame = self->picture.number;
  json_object_set_int_member (picture, "frame", viewer->frame);
  json_object_set_int_member (picture, "skipped", viewer->skipped);
  json_object_set_string_member (picture, "format", file->format);
  json_object_set_int_member (picture, "width", file->width);
  json_object_set_int_member (picture, "height", file->height);
  if (file->matrix != NULL)
    json_object_set_string_member (picture, "matrix", file->matrix);
  json_object_set_boolean_member (picture, "full", file->full);
  describe_sample (self->picture.sample, picture);
  json_object_set_object_member (json, "picture", picture);
  json_object_set_boolean_member (json, "tone-mapped", file->tone_mapped);
  if (self->picture.figures != NULL)
    json_object_set_member (json, "figures",
        preview_news_write_structure (self->picture.figures));
}

static void
add_property (GParamSpec * pspec, const gchar * value, gpointer array)
{
  JsonNode *property = write_control (pspec->name, pspec);

  if (value != NULL)
    json_object_set_string_member (json_node_get_object (property), "value",
        value);
  json_array_add_element (array, property);
}

JsonNode *
preview_news_write_properties (PreviewSession * session)
{
  JsonArray *sides = json_array_new ();

  for (guint i = 0; i < 2; i++) {
    JsonArray *properties = json_array_new ();

    preview_session_foreach_property (session, i, add_property, properties);
    json_array_add_array_element (sides, properties);
  }
  return take_array (sides);
}

void
preview_news_add (Viewer * viewer, JsonObject * json)
{
  static const gchar *const names[PREVIEW_N_NEWS] = { "controls", "presets",
    "properties", "opened", "notice", "block", "curve"
  };
  PreviewPage *self = viewer->page;
  g_autoptr (GstStructure) session = preview_session_describe (self->session);

  json_object_set_int_member (json, "heard", viewer->heard);
  json_object_set_object_member (json, "values", describe_values (self));
  gst_structure_foreach (session, describe_field, json);
  if (viewer->point < self->n_points)
    json_object_set_array_member (json, "points", describe_points (viewer));
  for (guint i = 0; i < PREVIEW_N_NEWS; i++)
    if (self->news[i].at > viewer->sent)
      json_object_set_member (json, names[i], json_node_copy
          (self->news[i].is));
}
