/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctparam.h"

void
gst_blockdct_param_install (GObjectClass * klass, guint id, GParamSpec * pspec)
{
  if (G_IS_PARAM_SPEC_ENUM (pspec) || G_IS_PARAM_SPEC_FLAGS (pspec))
    gst_type_mark_as_plugin_api (pspec->value_type, 0);
  g_object_class_install_property (klass, id, pspec);
}

/* The names of a type in GType, C and GValue; strings are handled separately.
 * An enumeration is as large as an int. */
#define TYPES(TYPE) \
  TYPE (ENUM, gint, enum) \
  TYPE (FLAGS, guint, flags) \
  TYPE (INT, gint, int) \
  TYPE (BOOLEAN, gboolean, boolean) \
  TYPE (UINT, guint, uint) \
  TYPE (UINT64, guint64, uint64) \
  TYPE (DOUBLE, gdouble, double)

#define READ_VALUE(TYPE, type, name) \
    case G_TYPE_ ## TYPE: \
      *(type *) field = g_value_get_ ## name (value); \
      break;

void
gst_blockdct_param_set (gpointer field, const GValue * value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
      TYPES (READ_VALUE)
    case G_TYPE_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
  }
}

#define WRITE_VALUE(TYPE, type, name) \
    case G_TYPE_ ## TYPE: \
      g_value_set_ ## name (value, *(const type *) field); \
      break;

void
gst_blockdct_param_get (gconstpointer field, GValue * value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
      TYPES (WRITE_VALUE)
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar * const *) field);
  }
}

gint
gst_blockdct_param_get_int (GstElement * element, const gchar * property)
{
  gint value;

  g_object_get (element, property, &value, NULL);
  return value;
}
