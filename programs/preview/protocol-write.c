/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page-parts.h"

#include <math.h>

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
describe_array (const GValue * value)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < gst_value_array_get_size (value); i++)
    json_array_add_element (array,
        preview_protocol_write_value (gst_value_array_get_value (value, i)));
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

JsonNode *
preview_protocol_write_value (const GValue * value)
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
      preview_protocol_write_value (value));
  return TRUE;
}

void
preview_protocol_add_structure (JsonObject * object,
    const GstStructure * structure)
{
  gst_structure_foreach (structure, describe_field, object);
}

JsonObject *
preview_protocol_write_structure (const GstStructure * structure)
{
  JsonObject *object = json_object_new ();

  preview_protocol_add_structure (object, structure);
  return object;
}

static void
add_range (JsonObject * object, gdouble minimum, gdouble maximum, gdouble step)
{
  json_object_set_double_member (object, "minimum", minimum);
  json_object_set_double_member (object, "maximum", maximum);
  json_object_set_double_member (object, "step", step);
}

static void
add_choice (JsonArray * choices, const gchar * nick, const gchar * about)
{
  JsonObject *choice = json_object_new ();

  json_object_set_string_member (choice, "nick", nick);
  json_object_set_string_member (choice, "about", about);
  json_array_add_object_element (choices, choice);
}

static JsonArray *
describe_enumeration (GEnumClass * klass)
{
  JsonArray *values = json_array_new ();

  for (guint i = 0; i < klass->n_values; i++)
    add_choice (values, klass->values[i].value_nick,
        klass->values[i].value_name);
  return values;
}

static JsonArray *
describe_choices (GFlagsClass * klass)
{
  JsonArray *flags = json_array_new ();

  for (guint i = 0; i < klass->n_values; i++)
    if (klass->values[i].value != 0)
      add_choice (flags, klass->values[i].value_nick,
          klass->values[i].value_name);
  return flags;
}

JsonObject *
preview_protocol_write_control (const gchar * name, GParamSpec * pspec)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "name", name);
  json_object_set_string_member (object, "about",
      g_param_spec_get_blurb (pspec));
  json_object_set_member (object, "default",
      preview_protocol_write_value (g_param_spec_get_default_value (pspec)));
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    json_object_set_array_member (object, "values",
        describe_enumeration (G_PARAM_SPEC_ENUM (pspec)->enum_class));
  else if (G_IS_PARAM_SPEC_FLAGS (pspec))
    json_object_set_array_member (object, "flags",
        describe_choices (G_PARAM_SPEC_FLAGS (pspec)->flags_class));
  else if (G_IS_PARAM_SPEC_INT (pspec))
    add_range (object, G_PARAM_SPEC_INT (pspec)->minimum,
        G_PARAM_SPEC_INT (pspec)->maximum, 1);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    add_range (object, G_PARAM_SPEC_UINT (pspec)->minimum,
        G_PARAM_SPEC_UINT (pspec)->maximum, 1);
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    add_range (object, G_PARAM_SPEC_DOUBLE (pspec)->minimum,
        G_PARAM_SPEC_DOUBLE (pspec)->maximum, 0.01);
  return object;
}
