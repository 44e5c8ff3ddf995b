/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Presets hold what makes the picture, and come into force as one set, as all
 * groups of properties do. Where the element runs, what it reports and to which
 * file is the application's. */
#include "gstblockdct.h"

#include <string.h>

static gboolean (*parent_load) (GstPreset * preset, const gchar * name);

/* What makes the picture can be set by stream time; but for tables, which are
 * no single value. `rate` and `metrics` can, too. */
static gboolean
is_picture (const GParamSpec * pspec)
{
  return strcmp (pspec->name, "quantization-matrix") == 0
      || strcmp (pspec->name, "quantization-file") == 0
      || strcmp (pspec->name, "scaling-list-file") == 0
      || ((pspec->flags & GST_PARAM_CONTROLLABLE) != 0
      && strcmp (pspec->name, "rate") != 0
      && strcmp (pspec->name, "metrics") != 0);
}

static gchar **
get_property_names (GstPreset * preset)
{
  guint n, n_names = 0;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (preset), &n);
  gchar **names = g_new0 (gchar *, n + 1);

  for (guint i = 0; i < n; i++)
    if (is_picture (all[i]))
      names[n_names++] = g_strdup (all[i]->name);
  g_free (all);
  return names;
}

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
  preset->get_property_names = GST_DEBUG_FUNCPTR (get_property_names);
  preset->load_preset = GST_DEBUG_FUNCPTR (load_preset);
}
