/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The command lines that blockdct-preview gives of what is seen: they run, and
 * make the same frames with the same figures. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include "parts.h"
#include "player-bench.h"

/* The system's, which may have PyGObject where the first in PATH has not. */
#define PYTHON "/usr/bin/python3"

static void
replace (gchar ** text, const gchar * old, const gchar * new)
{
  g_auto (GStrv) parts = g_strsplit (*text, old, -1);

  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  g_free (*text);
  *text = g_strjoinv (new, parts);
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
  g_autofree gchar *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpmem (data, size, pictures->data, pictures->len);
  g_unlink (path);
}

/* The line's frames are the program's, and so are their figures. Its elements
 * write these to standard output for that. */
static void
compare_recipe (Player * player, const gchar * figures,
    const GByteArray * pictures)
{
  g_autofree gchar *path = g_build_filename (player_folder, "frames", NULL);
  g_autofree gchar *sink = g_strdup_printf ("filesink location=%s", path);
  g_autofree gchar *shell = preview_session_describe_for_shell
      (player->session);
  g_autofree gchar *python = preview_session_describe_for_python
      (player->session);
  gchar *out;

  replace (&shell, "gst-launch-1.0 ", "gst-launch-1.0 -q ");
  replace (&shell, " blockdctpreview ", " blockdctpreview a::stats-file=- ");
  replace (&shell, "autovideosink", sink);
  out = run ((const gchar *[]) {"timeout", "60", "sh", "-c", shell, NULL});
  g_assert_cmpstr (out, ==, figures);
  compare_pictures (path, pictures);
  g_free (out);
  replace (&python, "pipeline.set_state(Gst.State.PLAYING)\n",
      "pipeline.get_by_name('a').set_property('stats-file', '-')\n"
      "pipeline.set_state(Gst.State.PLAYING)\n");
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
}

static void
try_recipe (Player * player, const gchar * more)
{
  g_autofree gchar *steps = g_build_filename (player_folder,
      "it's 64 \"steps\".txt", NULL);
  g_autofree gchar *path = g_build_filename (player_folder, "figures.log",
      NULL);
  gchar *settings[] = {
    g_strconcat ("quantization-file=", steps, NULL),
    g_strconcat ("stats-file=", path, NULL), (gchar *) "wipe-position=0.25",
    /* Not a wipe, whose line the page draws, and elements. */
    (gchar *) "quantization-tables=file", (gchar *) "view=difference",
    (gchar *) "metrics=ssim+psnr-hvs", (gchar *) "b::transform=hevc-8x8",
    (gchar *) "b::qp=40", (gchar *) "left=b", (gchar *) "right=a",
    (gchar *) "zoom=2.5", (gchar *) "zoom-x=0.3",
    (gchar *) "zoom-y=0.333333333333333333"
  };
  GByteArray *pictures = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gchar *figures = NULL;

  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "%u ", 3 + i);
  g_assert_true (g_file_set_contents (steps, text->str, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    player_set (player, settings[i]);
  player_set (player, more);
  /* The page draws the line itself. */
  g_object_set (player->session->sink, "signal-handoffs", TRUE, NULL);
  g_signal_connect (player->session->sink, "handoff", G_CALLBACK (take_picture),
      pictures);
  preview_session_start (player->session);
  while (!player->ended)
    g_main_context_iteration (NULL, TRUE);
  gst_element_set_state (player->session->pipeline, GST_STATE_READY);
  g_assert_true (g_file_get_contents (path, &figures, NULL, NULL));
  compare_recipe (player, figures, pictures);
  g_byte_array_unref (pictures);
  g_unlink (steps);
  g_unlink (path);
  g_free (settings[0]);
  g_free (settings[1]);
}

static void
test_recipe (Player * player)
{
  try_recipe (player, "b::encoder=transform");
}

/* B's pictures are the encoder's. */
static void
test_encoder (Player * player)
{
  try_recipe (player, "b::encoder=jpegenc-quality");
}

int
main (int argc, char **argv)
{
  static const PlayerTest tests[] = {
    {"/player-recipe/recipe", test_recipe, &player_video, PREVIEW_FILES},
    {"/player-recipe/encoder", test_encoder, &player_video, PREVIEW_FILES},
  };

  return player_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
