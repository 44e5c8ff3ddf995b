/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties: how they are set and read. */
#include "gstblockdctproperties.h"

/* Filled when the class is made. */
static struct
{
  GstBlockDctField field;
  GstBlockDctSet set;
  GstBlockDctGet get;
} properties[N_PROPERTIES];

static void (*parent_dispatch) (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs);

void
gst_blockdct_property (GObjectClass * klass, guint id, GstBlockDctField field,
    GParamSpec * pspec)
{
  properties[id].field = field;
  g_object_class_install_property (klass, id, pspec);
}

void
gst_blockdct_property_access (guint id, GstBlockDctSet set, GstBlockDctGet get)
{
  properties[id].set = set;
  properties[id].get = get;
}

GstBlockDctSettings
gst_blockdct_get_settings (GstBlockDct * self)
{
  GstBlockDctSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->changes.current;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

gboolean
gst_blockdct_property_set_checked (GstBlockDct * self, guint id,
    GstBlockDctChecked which, gconstpointer value, gboolean ok,
    const BdctError * error)
{
  if (ok)
    return gst_blockdct_changes_set (&self->changes, GST_ELEMENT (self), id,
        &properties[id].field, value);
  gst_blockdct_changes_warn (&self->changes, GST_ELEMENT (self), which, error);
  return TRUE;
}

void
gst_blockdct_property_append_int (GValue * array, gint n)
{
  GValue v = G_VALUE_INIT;

  g_value_init (&v, G_TYPE_INT);
  g_value_set_int (&v, n);
  gst_value_array_append_and_take_value (array, &v);
}

static gboolean
set_field (GstBlockDct * self, guint id, const GValue * value)
{
  guint64 field;

  gst_blockdct_param_set (&field, value);
  return gst_blockdct_changes_set (&self->changes, GST_ELEMENT (self), id,
      &properties[id].field, &field);
}

/* What is set is in force, or refused aloud. */
static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT (object);

  if (properties[id].set ? !properties[id].set (self, value)
      : !set_field (self, id, value))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s was not changed: it is read when the element starts.",
            pspec->name), ("Set it up to the READY state."));
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT (object);

  (void) pspec;
  GST_OBJECT_LOCK (self);
  if (properties[id].get != NULL)
    properties[id].get (self, &self->changes.wanted, value);
  else
    gst_blockdct_param_get ((const guint8 *) &self->changes.wanted
        + properties[id].field.offset, value);
  GST_OBJECT_UNLOCK (self);
}

static void
dispatch_properties_changed (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs)
{
  gboolean shown;

  n_pspecs = gst_blockdct_changes_take (&GST_BLOCKDCT (object)->changes,
      GST_ELEMENT (object), n_pspecs, pspecs, &shown);
  if (shown)
    gst_blockdct_repeat_ask (GST_BLOCKDCT (object));
  if (n_pspecs > 0)
    parent_dispatch (object, n_pspecs, pspecs);
}

void
gst_blockdct_init_properties (GstBlockDct * self)
{
  const BdctView view = BDCT_VIEW_DEFAULT;
  const BdctParams params = BDCT_PARAMS_DEFAULT;
  const GstBlockDctSettings initial = {
    .params = params,
    .second = {0, params.quality, params.qp},
    .subsampling = BDCT_CHROMA_420,
    .backend = GST_BLOCKDCT_BACKEND_AUTO,
    .device_id = -1,
    .async_depth = 1,
    .post_messages = TRUE,
    .view = view.mode,
    .left = view.left,
    .right = view.right,
    .wipe_position = view.position,
    .difference_gain = view.gain,
    .zoom = view.zoom,
    .zoom_x = view.zoom_x,
    .zoom_y = view.zoom_y,
    .magnifier_x = 0.5,
    .magnifier_y = 0.5,
  };

  gst_blockdct_changes_init (&self->changes, &initial);
}

void
gst_blockdct_install_properties (GObjectClass * klass)
{
  klass->set_property = GST_DEBUG_FUNCPTR (set_property);
  klass->get_property = GST_DEBUG_FUNCPTR (get_property);
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed =
      GST_DEBUG_FUNCPTR (dispatch_properties_changed);

  gst_blockdct_install_quantizers (klass);
  gst_blockdct_install_reports (klass);
  gst_blockdct_install_views (klass);
}
