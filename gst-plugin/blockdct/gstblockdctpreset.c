/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Presets hold the properties that determine the picture. Where the element
 * runs, what it reports and to which file is left to the application. */
#include "gstblockdctpreset.h"

#include "gstblockdctproperties.h"

static const gchar *const pictures[] = { "transform", "quality", "qp",
  "chroma-qp-offset", "deadzone", "min-block", "max-block",
  "lambda-scale", "scaling-list", "scaling-list-file", "quantization-tables",
  "quantization-matrix", "quantization-file", "quantization-scale", "baseline",
  "chroma-subsampling", "target-psnr", "target-ssim", "target-bpp",
  "target-size", "view", "grid", NULL
};

static gboolean (*parent_load) (GstPreset * preset, const gchar * name);

static gchar **
get_property_names (GstPreset * preset)
{
  (void) preset;
  return g_strdupv ((gchar **) pictures);
}

/* The names in a user's preset that no preset may have; NULL: none. */
static gchar *
find_unknown (GstPreset * preset, const gchar * name)
{
  gchar *file = g_strconcat (G_OBJECT_TYPE_NAME (preset), ".prs", NULL);
  gchar *path = g_build_filename (g_get_user_data_dir (), "gstreamer-1.0",
      "presets", file, NULL);
  GKeyFile *keys = g_key_file_new ();
  gchar **names = NULL;
  GString *unknown = g_string_new (NULL);

  if (g_key_file_load_from_file (keys, path, G_KEY_FILE_NONE, NULL))
    names = g_key_file_get_keys (keys, name, NULL, NULL);
  for (gchar ** key = names; key != NULL && *key != NULL; key++)
    if (**key != '_' && !g_strv_contains (pictures, *key))
      g_string_append_printf (unknown, "%s%s", unknown->len > 0 ? ", " : "",
          *key);
  g_strfreev (names);
  g_key_file_free (keys);
  g_free (path);
  g_free (file);
  return g_string_free (unknown, unknown->len == 0);
}

static gboolean
load_preset (GstPreset * preset, const gchar * name)
{
  gchar *unknown = find_unknown (preset, name);

  if (unknown != NULL) {
    gchar *text = g_strdup_printf ("The preset '%s' is loaded only in part: "
        "presets of blockdct have no %s.", name, unknown);

    gst_blockdct_property_warn (GST_BLOCKDCT_CAST (preset), text);
    g_free (text);
  }
  g_free (unknown);
  return parent_load (preset, name);
}

void
gst_blockdct_preset_init (gpointer iface, gpointer data)
{
  GstPresetInterface *preset = iface;

  (void) data;
  parent_load = preset->load_preset;
  preset->load_preset = GST_DEBUG_FUNCPTR (load_preset);
  preset->get_property_names = GST_DEBUG_FUNCPTR (get_property_names);
}
