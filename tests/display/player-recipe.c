/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The command lines that blockdct-preview gives of what is seen: they run, and
 * make the same frames with the same figures. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include "player-bench.h"
#include "recipe.h"

/* The system's, which may have PyGObject where the first in PATH has not. */
#define PYTHON "/usr/bin/python3"

static void
replace (gchar ** text, const gchar * old, const gchar * new)
{
  gchar **parts = g_strsplit (*text, old, -1);

  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  g_free (*text);
  *text = g_strjoinv (new, parts);
  g_strfreev (parts);
}

/* What it prints; NULL if it says 77. */
static gchar *
run (const gchar * const *command)
{
  GError *error = NULL;
  gchar *out, *said;
  gint status;

  g_assert_true (g_spawn_sync (NULL, (gchar **) command, NULL,
          G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &said, &status, &error));
  g_assert_no_error (error);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_clear_pointer (&out, g_free);
  else if (status != 0)
    g_error ("%s: %s%s", command[0], out, said);
  g_free (said);
  return out;
}

static void
take_picture (GstElement * sink, GstBuffer * buffer, GstPad * pad,
    GByteArray * pictures)
{
  GstMapInfo map;

  (void) sink, (void) pad;
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (pictures, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* The frames in a file are these. */
static void
compare_pictures (const gchar * path, const GByteArray * pictures)
{
  gchar *data;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpmem (data, size, pictures->data, pictures->len);
  g_unlink (path);
  g_free (data);
}

/* The line's frames are the program's, and so are their figures. Its elements
 * write these to standard output for that. */
static void
compare_recipe (Player * player, const gchar * figures,
    const GByteArray * pictures)
{
  gchar *path = g_build_filename (player_folder, "frames", NULL);
  gchar *sink = g_strdup_printf ("filesink location=%s", path);
  GstElement *source = preview_pipeline_get_source (player->pipeline);
  gchar *shell = preview_recipe_for_shell (&player->options, source, FALSE,
      player->dct);
  gchar *python = preview_recipe_for_python (&player->options, source, FALSE,
      player->dct);
  gchar *out;

  replace (&shell, "gst-launch-1.0 ", "gst-launch-1.0 -q ");
  replace (&shell, " blockdct ", " blockdct stats-file=- ");
  replace (&shell, "autovideosink", sink);
  out = run ((const gchar *[]) {"timeout", "60", "sh", "-c", shell, NULL});
  g_assert_cmpstr (out, ==, figures);
  compare_pictures (path, pictures);
  g_free (out);
  replace (&python, "blockdct ", "blockdct stats-file=- ");
  replace (&python, "autovideosink", sink);
  replace (&python, "import gi\n", "import sys\ntry:\n    import gi\n"
      "except ImportError:\n    sys.exit(77)\n");
  out = run ((const gchar *[]) {"timeout", "60", "python3", "-c", python,
          NULL});
  if (out == NULL && g_file_test (PYTHON, G_FILE_TEST_IS_EXECUTABLE))
    out = run ((const gchar *[]) {"timeout", "60", PYTHON, "-c", python,
            NULL});
  if (out != NULL) {
    g_assert_cmpstr (out, ==, figures);
    compare_pictures (path, pictures);
  } else {
    g_test_message ("python3 has no gi: not run");
  }
  g_free (out);
  g_free (path);
  g_free (sink);
  g_free (shell);
  g_free (python);
  gst_object_unref (source);
}

static void
test_recipe (void)
{
  gchar *steps = g_build_filename (player_folder, "it's 64 \"steps\".txt",
      NULL);
  gchar *path = g_build_filename (player_folder, "figures.log", NULL);
  GByteArray *pictures = g_byte_array_new ();
  GString *text = g_string_new (NULL);
  GstElement *sink;
  gchar *figures;
  Player player;

  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "%u ", 3 + i);
  g_assert_true (g_file_set_contents (steps, text->str, -1, NULL));
  player_open (&player, player_video);
  sink = gst_bin_get_by_name (GST_BIN (player.pipeline), "sink");
  g_object_set (sink, "signal-handoffs", TRUE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (take_picture), pictures);
  gst_object_unref (sink);
  g_object_set (player.dct, "quantization-file", steps, "stats-file", path,
      "wipe-position", 0.25, NULL);
  gst_util_set_object_arg (G_OBJECT (player.dct), "view", "wipe");
  gst_util_set_object_arg (G_OBJECT (player.dct), "metrics", "ssim+psnr-b");
  gst_util_set_object_arg (G_OBJECT (player.dct), "b-transform", "hevc-8x8");
  gst_util_set_object_arg (G_OBJECT (player.dct), "left", "b");
  gst_util_set_object_arg (G_OBJECT (player.dct), "right", "a");
  g_object_set (player.dct, "b-qp", 40, "zoom", 2.5, "zoom-x", 0.3, "zoom-y",
      1 / 3.0, NULL);
  preview_transport_set_paused (player.transport, FALSE);
  player_wait (&player, N_FRAMES - 1);
  for (guint i = 0; i < 50 && player.n_ends == 0; i++)
    player_settle (&player);
  g_assert_cmpuint (player.n_ends, ==, 1);
  gst_element_set_state (player.pipeline, GST_STATE_READY);
  g_assert_true (g_file_get_contents (path, &figures, NULL, NULL));
  compare_recipe (&player, figures, pictures);
  player_close (&player);
  g_byte_array_unref (pictures);
  g_unlink (steps);
  g_unlink (path);
  g_string_free (text, TRUE);
  g_free (figures);
  g_free (steps);
  g_free (path);
}

int
main (int argc, char **argv)
{
  if (!player_begin (&argc, &argv))
    return 77;
  g_test_add_func ("/player-recipe/recipe", test_recipe);
  return player_end ();
}
