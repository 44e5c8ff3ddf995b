/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files.h"

#include <glib/gstdio.h>
#include <glob.h>
#include <gst/base/gsttypefindhelper.h>
#include <gst/pbutils/pbutils.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

/* What a file's kind is told from. */
#define HEAD_SIZE 4096

typedef struct
{
  GArray *files;
  GHashTable *paths;            /* those that are there already */
  GList *decoders;
} Search;

static void
clear_file (gpointer data)
{
  g_free (((MeasureFile *) data)->path);
}

static void
add_file (Search * search, const gchar * path, gboolean found)
{
  MeasureFile file = {.found = found };
  gchar *name;
  GStatBuf status;

  if (g_hash_table_contains (search->paths, path))
    return;
  file.path = g_strdup (path);
  name = g_filename_display_name (path);
  file.name = g_intern_string (name);
  g_free (name);
  if (g_stat (path, &status) == 0)
    file.size = status.st_size;
  g_hash_table_add (search->paths, file.path);
  g_array_append_val (search->files, file);
}

/* Whether its first bytes are of a kind with pictures that something here can
 * take apart or decode. */
static gboolean
is_decodable (Search * search, const gchar * path)
{
  guint8 head[HEAD_SIZE];
  FILE *file = fopen (path, "rb");
  gsize size = file != NULL ? fread (head, 1, sizeof head, file) : 0;
  gboolean decodable = FALSE;
  GstCaps *caps = NULL;

  if (file != NULL)
    fclose (file);
  if (size > 0)
    caps = gst_type_find_helper_for_data (NULL, head, size, NULL);
  if (caps != NULL) {
    const gchar *kind = gst_structure_get_name (gst_caps_get_structure (caps,
            0));
    GList *able = gst_element_factory_list_filter (search->decoders, caps,
        GST_PAD_SINK, FALSE);

    decodable = able != NULL && !g_str_has_prefix (kind, "audio/")
        && !g_str_has_prefix (kind, "text/");
    gst_plugin_feature_list_free (able);
    gst_caps_unref (caps);
  }
  return decodable;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

static void
add_folder (Search * search, const gchar * path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GDir *folder = g_dir_open (path, 0, NULL);
  const gchar *name;

  if (folder == NULL)           /* it then cannot be read as a file either */
    add_file (search, path, FALSE);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (name[0] != '.')
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_clear_pointer (&folder, g_dir_close);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    const gchar *inner = names->pdata[i];

    if (!g_file_test (inner, G_FILE_TEST_IS_DIR)) {
      if (g_file_test (inner, G_FILE_TEST_IS_REGULAR)
          && is_decodable (search, inner))
        add_file (search, inner, TRUE);
    } else if (!g_file_test (inner, G_FILE_TEST_IS_SYMLINK)) {
      add_folder (search, inner);       /* links could lead in a circle */
    }
  }
  g_ptr_array_unref (names);
}

static void
add_path (Search * search, const gchar * path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    add_folder (search, path);
  else
    add_file (search, path, FALSE);
}

GArray *
measure_files_new (gchar ** arguments)
{
  Search search = {
    g_array_new (FALSE, FALSE, sizeof (MeasureFile)),
    g_hash_table_new (g_str_hash, g_str_equal),
    gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_DECODABLE,
        GST_RANK_MARGINAL)
  };

  g_array_set_clear_func (search.files, clear_file);
  for (gchar ** argument = arguments; *argument != NULL; argument++) {
    glob_t matches = { 0 };

    if (!g_file_test (*argument, G_FILE_TEST_EXISTS)
        && glob (*argument, GLOB_TILDE, NULL, &matches) == 0)
      for (gsize i = 0; i < matches.gl_pathc; i++)
        add_path (&search, matches.gl_pathv[i]);
    else
      add_path (&search, *argument);
    globfree (&matches);
  }
  g_hash_table_unref (search.paths);
  gst_plugin_feature_list_free (search.decoders);
  return search.files;
}

/* No file is. */
#define LONGEST (1000 * 3600 * GST_SECOND)

/* The frames of the first video, 0 where that is not known; -1 without one. */
static gint64
count_frames (GstDiscovererInfo * info)
{
  GList *videos = gst_discoverer_info_get_video_streams (info);
  GstDiscovererVideoInfo *video = videos != NULL ? videos->data : NULL;
  gint64 frames = -1;

  if (video != NULL && gst_discoverer_video_info_is_image (video))
    frames = 1;
  else if (video != NULL
      && gst_discoverer_info_get_duration (info) > LONGEST)
    frames = 0;
  else if (video != NULL)
    frames = gst_util_uint64_scale_round (gst_discoverer_info_get_duration
        (info), gst_discoverer_video_info_get_framerate_num (video),
        GST_SECOND * MAX (gst_discoverer_video_info_get_framerate_denom
            (video), 1));
  gst_discoverer_stream_info_list_free (videos);
  return frames;
}

gboolean
measure_files_list (GArray * files)
{
  GstDiscoverer *discoverer = gst_discoverer_new (30 * GST_SECOND, NULL);
  gboolean ok = TRUE;

  for (guint i = 0; i < files->len; i++) {
    const MeasureFile *file = &g_array_index (files, MeasureFile, i);
    GError *error = NULL;
    gchar *path = g_canonicalize_filename (file->path, NULL);
    gchar *uri = gst_filename_to_uri (path, NULL);
    GstDiscovererInfo *info = gst_discoverer_discover_uri (discoverer, uri,
        &error);
    gint64 frames = info != NULL && error == NULL ? count_frames (info) : -1;

    if (error != NULL || (frames < 0 && !file->found)) {
      g_printerr ("blockdct-measure: %s: %s\n", file->name, error != NULL
          ? error->message : "there is no video in it");
      ok = FALSE;
    }
    if (frames >= 0 || error != NULL || !file->found) {
      JsonObject *object = json_object_new ();
      JsonNode *node = json_node_init_object (json_node_alloc (), object);
      gchar *line;

      json_object_set_string_member (object, "file", file->name);
      json_object_set_int_member (object, "frames", MAX (frames, 0));
      line = json_to_string (node, FALSE);
      puts (line);              /* UTF-8 in every locale */
      g_free (line);
      json_node_unref (node);
      json_object_unref (object);
    }
    g_clear_error (&error);
    g_clear_object (&info);
    g_free (uri);
    g_free (path);
  }
  g_object_unref (discoverer);
  return ok;
}
