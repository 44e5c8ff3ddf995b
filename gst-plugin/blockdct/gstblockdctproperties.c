/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sets and reads properties. */
#include "gstblockdctproperties.h"

#include <string.h>
#include "gst-plugin/common/gstblockdctstructure.h"

/* Filled by class_init. */
static struct
{
  gsize offset, size;
  GstBlockDctParse parse;
  GstBlockDctFormat format;
} properties[N_PROPERTIES];

void
gst_blockdct_property (GObjectClass * klass, guint id, gsize offset,
    gsize size, GParamSpec * pspec)
{
  properties[id].offset = offset;
  properties[id].size = size;
  gst_blockdct_param_install (klass, id, pspec);
}

void
gst_blockdct_property_convert (guint id, GstBlockDctParse parse,
    GstBlockDctFormat format)
{
  properties[id].parse = parse;
  properties[id].format = format;
}

void
gst_blockdct_property_append_int (GValue * array, gint n)
{
  GValue v = G_VALUE_INIT;

  g_value_init (&v, G_TYPE_INT);
  g_value_set_int (&v, n);
  gst_value_array_append_and_take_value (array, &v);
}

static gpointer
get_field (GstBlockDct * self, guint id)
{
  return G_STRUCT_MEMBER_P (&self->shared.settings, properties[id].offset);
}

void
gst_blockdct_property_warn (GstBlockDct * self, const gchar * text)
{
  gboolean has_bus;

  GST_OBJECT_LOCK (self);
  has_bus = GST_ELEMENT_BUS (self) != NULL;
  if (!has_bus) {
    if (self->shared.refused == NULL)
      self->shared.refused = g_string_new (NULL);
    g_string_append_printf (self->shared.refused, "%s%s",
        self->shared.refused->len > 0 ? " " : "", text);
  }
  GST_OBJECT_UNLOCK (self);
  if (has_bus)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", text), (NULL));
  else
    GST_WARNING_OBJECT (self, "%s", text);
}

static void
refuse (GstBlockDct * self, const gchar * name, const gchar * reason)
{
  gchar *text = g_strdup_printf ("%s was not changed: %s.", name, reason);

  gst_blockdct_property_warn (self, text);
  g_free (text);
}

/* Copy a value, converted if `parsed` is not NULL. */
static void
store (GstBlockDct * self, guint id, const GValue * value, gconstpointer parsed)
{
  if (parsed != NULL)
    memcpy (get_field (self, id), parsed, properties[id].size);
  else
    gst_blockdct_param_set (get_field (self, id), value);
  self->shared.was_set |= G_GUINT64_CONSTANT (1) << id;
}

/* Whether a property has this value already. Called with the lock. */
static gboolean
has_value (GstBlockDct * self, GParamSpec * pspec, const GValue * value)
{
  GValue current = G_VALUE_INIT;
  gboolean same;

  g_value_init (&current, pspec->value_type);
  gst_blockdct_param_get (get_field (self, pspec->param_id), &current);
  same = g_param_values_cmp (pspec, value, &current) == 0;
  g_value_unset (&current);
  return same;
}

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (object);
  gpointer parsed = NULL;
  BdctError error;
  gboolean late;

  if (properties[id].parse != NULL) {
    parsed = g_malloc0 (properties[id].size);
    if (!properties[id].parse (value, parsed, &error)) {
      refuse (self, pspec->name, error.message);
      g_free (parsed);
      return;
    }
  }
  GST_OBJECT_LOCK (self);
  late = self->shared.started && (pspec->flags & GST_PARAM_MUTABLE_READY) != 0
      && !has_value (self, pspec, value);
  if (!late)
    store (self, id, value, parsed);
  GST_OBJECT_UNLOCK (self);
  g_free (parsed);
  if (late)
    refuse (self, pspec->name, "it is read when the element starts; set it in "
        "the state NULL or READY");
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (object);

  (void) pspec;
  GST_OBJECT_LOCK (self);
  if (id == PROP_STATS)
    g_value_take_boxed (value, gst_blockdct_structure_stats
        (&self->shared.totals, NULL));
  else if (id == PROP_ACTIVE_BACKEND)
    g_value_set_string (value, self->shared.active_backend);
  else if (properties[id].format != NULL)
    properties[id].format (get_field (self, id), value);
  else
    gst_blockdct_param_get (get_field (self, id), value);
  GST_OBJECT_UNLOCK (self);
}

void
gst_blockdct_init_properties (GstBlockDct * self)
{
  const BdctParams params = BDCT_PARAMS_DEFAULT;

  self->shared.settings = (GstBlockDctSettings) {
  .params = params,.tables = params.preset,.subsampling =
        BDCT_CHROMA_420,.post_messages = TRUE,.start =
        { GST_BLOCKDCT_BACKEND_AUTO, -1, 0, 1, NULL },};
}

void
gst_blockdct_clear_properties (GstBlockDct * self)
{
  g_free (self->shared.settings.start.stats_file);
  g_free (self->shared.active_backend);
  if (self->shared.refused != NULL)
    g_string_free (self->shared.refused, TRUE);
}

void
gst_blockdct_properties_start (GstBlockDct * self)
{
  GString *refused;

  GST_OBJECT_LOCK (self);
  self->shared.started = TRUE;
  refused = g_steal_pointer (&self->shared.refused);
  GST_OBJECT_UNLOCK (self);
  if (refused == NULL)
    return;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", refused->str), (NULL));
  g_string_free (refused, TRUE);
}

void
gst_blockdct_properties_stop (GstBlockDct * self)
{
  GST_OBJECT_LOCK (self);
  self->shared.started = FALSE;
  GST_OBJECT_UNLOCK (self);
}

void
gst_blockdct_install_properties (GObjectClass * klass)
{
  klass->set_property = GST_DEBUG_FUNCPTR (set_property);
  klass->get_property = GST_DEBUG_FUNCPTR (get_property);
}
