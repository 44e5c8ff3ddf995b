/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Presets come into force as one set, as all groups of properties do. */
#include "gstblockdct.h"

static gboolean (*parent_load) (GstPreset * preset, const gchar * name);

static gboolean
load_preset (GstPreset * preset, const gchar * name)
{
  gboolean ret;

  g_object_freeze_notify (G_OBJECT (preset));
  ret = parent_load (preset, name);
  g_object_thaw_notify (G_OBJECT (preset));
  return ret;
}

void
gst_blockdct_preset_init (gpointer iface, gpointer data)
{
  GstPresetInterface *preset = iface;

  (void) data;
  parent_load = preset->load_preset;
  preset->load_preset = GST_DEBUG_FUNCPTR (load_preset);
}
