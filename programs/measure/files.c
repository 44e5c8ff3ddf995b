/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files.h"

#include <glib/gstdio.h>
#include <glob.h>
#include <gst/base/gsttypefindhelper.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include "../decoding.h"
#include "source.h"

/* The number of bytes from which a file's type is found. */
#define HEAD_SIZE 4096

typedef struct
{
  GArray *files;
  GHashTable *paths;            /* the paths that have been added */
  GList *decoders;
} Search;

static void
clear_file (gpointer data)
{
  g_free (((MeasureFile *) data)->path);
}

/* A unique name in UTF-8 that a terminal can show: invalid bytes and those of
 * control characters become \xFF, and so does a backslash that would be read as
 * the start of such a byte. */
static const gchar *
make_name (const gchar * path)
{
  GString *text = g_string_new (NULL);
  const gchar *name;

  while (*path != '\0') {
    const gchar *next = g_utf8_next_char (path);
    const gunichar c = g_utf8_get_char_validated (path, -1);

    if (c >= (gunichar) - 2 || g_unichar_iscntrl (c)
        || (path[0] == '\\' && path[1] == 'x' && g_ascii_isxdigit (path[2])
            && g_ascii_isxdigit (path[3])))
      g_string_append_printf (text, "\\x%02X", (guchar) * path++);
    else
      for (; path < next; path++)
        g_string_append_c (text, *path);
  }
  name = g_intern_string (text->str);
  g_string_free (text, TRUE);
  return name;
}

static void
add_file (Search * search, const gchar * path, gboolean found)
{
  MeasureFile file = {.name = make_name (path),.found = found };
  GStatBuf status;

  if (g_hash_table_contains (search->paths, path))
    return;
  file.path = g_strdup (path);
  if (g_stat (path, &status) == 0)
    file.size = status.st_size;
  g_hash_table_add (search->paths, file.path);
  g_array_append_val (search->files, file);
}

/* Add a file of a folder if its type, found from its first bytes, has pictures
 * and an installed demuxer or decoder; or if it cannot be read, as the
 * measurement then reports that. */
static void
add_decodable (Search * search, const gchar * path)
{
  guint8 head[HEAD_SIZE];
  FILE *file = fopen (path, "rb");
  gsize size = file != NULL ? fread (head, 1, sizeof head, file) : 0;
  gboolean readable = file != NULL && !ferror (file), decodable = FALSE;
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

    for (GList * l = able; l != NULL; l = l->next)
      decodable = decodable || !decoding_refuses (l->data);
    decodable = decodable && !g_str_has_prefix (kind, "audio/")
        && !g_str_has_prefix (kind, "text/");
    gst_plugin_feature_list_free (able);
    gst_caps_unref (caps);
  }
  if (decodable || !readable)
    add_file (search, path, readable);
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

  if (folder == NULL)           /* then it cannot be read as a file either */
    add_file (search, path, FALSE);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (name[0] != '.')
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_clear_pointer (&folder, g_dir_close);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    const gchar *inner = names->pdata[i];

    if (!g_file_test (inner, G_FILE_TEST_IS_DIR)) {
      /* Broken links are added, too. */
      if (g_file_test (inner, G_FILE_TEST_IS_REGULAR)
          || !g_file_test (inner, G_FILE_TEST_EXISTS))
        add_decodable (search, inner);
    } else if (!g_file_test (inner, G_FILE_TEST_IS_SYMLINK)) {
      add_folder (search, inner);       /* not for links, which could form a
                                           loop */
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

gboolean
measure_files_list (GArray * files, gint limit)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < files->len; i++) {
    const MeasureFile *file = &g_array_index (files, MeasureFile, i);
    MeasureSource *source = measure_source_new (file->path, limit);
    GError *error = NULL;
    gint stop = 0;
    GstSample *sample = measure_source_pull (source, &stop, &error);

    if (error == NULL || !file->found
        || !g_error_matches (error, MEASURE_SOURCE_ERROR, MEASURE_NO_VIDEO)) {
      JsonObject *object = json_object_new ();
      JsonNode *node = json_node_init_object (json_node_alloc (), object);
      gchar *line;

      json_object_set_string_member (object, "file", file->name);
      json_object_set_int_member (object, "frames", sample != NULL
          ? measure_source_frames (source) : 0);
      line = json_to_string (node, FALSE);
      puts (line);              /* UTF-8 in every locale */
      g_free (line);
      json_node_unref (node);
      json_object_unref (object);
      if (error != NULL)
        g_printerr ("blockdct-measure: %s: %s\n", file->name, error->message);
      ok = ok && error == NULL;
    }
    g_clear_error (&error);
    g_clear_pointer (&sample, gst_sample_unref);
    measure_source_free (source);
  }
  return ok;
}
