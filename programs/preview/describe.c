/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "describe.h"

#include <math.h>

static const gchar *
get_nick (const GValue * value)
{
  GEnumClass *klass = g_type_class_peek (G_VALUE_TYPE (value));
  GEnumValue *known = g_enum_get_value (klass, g_value_get_enum (value));

  return known != NULL ? known->value_nick : NULL;
}

static void
describe_array (JsonBuilder * json, const GValue * value)
{
  json_builder_begin_array (json);
  for (guint i = 0; i < gst_value_array_get_size (value); i++)
    preview_describe_value (json, gst_value_array_get_value (value, i));
  json_builder_end_array (json);
}

static void
describe_flags (JsonBuilder * json, const GValue * value)
{
  GFlagsClass *klass = g_type_class_peek (G_VALUE_TYPE (value));

  json_builder_begin_array (json);
  for (guint i = 0; i < klass->n_values; i++)
    if (klass->values[i].value & g_value_get_flags (value))
      json_builder_add_string_value (json, klass->values[i].value_nick);
  json_builder_end_array (json);
}

void
preview_describe_value (JsonBuilder * json, const GValue * value)
{
  if (GST_VALUE_HOLDS_ARRAY (value))
    describe_array (json, value);
  else if (G_VALUE_HOLDS_ENUM (value))
    json_builder_add_string_value (json, get_nick (value));
  else if (G_VALUE_HOLDS_FLAGS (value))
    describe_flags (json, value);
  else if (G_VALUE_HOLDS_STRING (value))
    json_builder_add_string_value (json, g_value_get_string (value));
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    json_builder_add_boolean_value (json, g_value_get_boolean (value));
  else if (G_VALUE_HOLDS_INT (value))
    json_builder_add_int_value (json, g_value_get_int (value));
  else if (G_VALUE_HOLDS_UINT (value))
    json_builder_add_int_value (json, g_value_get_uint (value));
  else if (G_VALUE_HOLDS_UINT64 (value)
      && g_value_get_uint64 (value) <= G_MAXINT64)
    json_builder_add_int_value (json, g_value_get_uint64 (value));
  else if (G_VALUE_HOLDS_DOUBLE (value)
      && isfinite (g_value_get_double (value)))
    json_builder_add_double_value (json, g_value_get_double (value));
  else
    json_builder_add_null_value (json);
}

static gboolean
describe_field (GQuark field, const GValue * value, gpointer json)
{
  json_builder_set_member_name (json, g_quark_to_string (field));
  preview_describe_value (json, value);
  return TRUE;
}

void
preview_describe_structure (JsonBuilder * json, const GstStructure * structure)
{
  json_builder_begin_object (json);
  gst_structure_foreach (structure, describe_field, json);
  json_builder_end_object (json);
}

static void
add_string (JsonBuilder * json, const gchar * name, const gchar * value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_string_value (json, value);
}

static void
add_range (JsonBuilder * json, gdouble minimum, gdouble maximum, gdouble step)
{
  json_builder_set_member_name (json, "minimum");
  json_builder_add_double_value (json, minimum);
  json_builder_set_member_name (json, "maximum");
  json_builder_add_double_value (json, maximum);
  json_builder_set_member_name (json, "step");
  json_builder_add_double_value (json, step);
}

static void
add_enumeration (JsonBuilder * json, GEnumClass * klass)
{
  json_builder_set_member_name (json, "values");
  json_builder_begin_array (json);
  for (guint i = 0; i < klass->n_values; i++) {
    json_builder_begin_object (json);
    add_string (json, "nick", klass->values[i].value_nick);
    add_string (json, "about", klass->values[i].value_name);
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
}

static void
add_flags (JsonBuilder * json, GFlagsClass * klass)
{
  json_builder_set_member_name (json, "flags");
  json_builder_begin_array (json);
  for (guint i = 0; i < klass->n_values; i++) {
    if (klass->values[i].value == 0)
      continue;
    json_builder_begin_object (json);
    add_string (json, "nick", klass->values[i].value_nick);
    add_string (json, "about", klass->values[i].value_name);
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
}

void
preview_describe_control (JsonBuilder * json, const gchar * name,
    GParamSpec * pspec)
{
  json_builder_begin_object (json);
  add_string (json, "name", name);
  add_string (json, "about", g_param_spec_get_blurb (pspec));
  json_builder_set_member_name (json, "default");
  preview_describe_value (json, g_param_spec_get_default_value (pspec));
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    add_enumeration (json, G_PARAM_SPEC_ENUM (pspec)->enum_class);
  else if (G_IS_PARAM_SPEC_FLAGS (pspec))
    add_flags (json, G_PARAM_SPEC_FLAGS (pspec)->flags_class);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    add_range (json, G_PARAM_SPEC_INT (pspec)->minimum,
        G_PARAM_SPEC_INT (pspec)->maximum, 1);
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    add_range (json, G_PARAM_SPEC_DOUBLE (pspec)->minimum,
        G_PARAM_SPEC_DOUBLE (pspec)->maximum, 0.01);
  json_builder_end_object (json);
}
