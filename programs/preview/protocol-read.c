/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "protocol-read.h"

#include <string.h>

/* Only controls and properties of the encoder can be set, as others name
 * files. */
static gboolean
set (PreviewSession * session, gchar ** words, GError ** error)
{
  g_autofree gchar *name = g_strndup (words[1], strcspn (words[1], "="));
  gboolean ok = FALSE;

  if (preview_find_control (name) < PREVIEW_N_CONTROLS
      || g_str_has_prefix (name, "encoder::")
      || g_str_has_prefix (name, "b::encoder::"))
    ok = preview_session_set_text (session, words[1], error);
  else
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "'%s' has no control.", name);
  return ok;
}

static gboolean
load_preset (PreviewSession * session, gchar ** words, GError ** error)
{
  if (preview_session_load_preset (session, words[1]))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "There is no preset '%s'.", words[1]);
  return FALSE;
}

static gboolean
drop_original (PreviewSession * session, gchar ** words, GError ** error)
{
  (void) words;
  return preview_session_drop_original (session, error);
}

static gboolean
pause_or_play (PreviewSession * session, gchar ** words, GError ** error)
{
  (void) error;
  preview_session_set_paused (session, strcmp (words[0], "pause") == 0);
  return TRUE;
}

static gboolean
seek (PreviewSession * session, gchar ** words, GError ** error)
{
  gdouble seconds = g_ascii_strtod (words[1], NULL);

  /* NAN is outside of this range, too. */
  if (seconds >= 0 && seconds < G_MAXINT64 / GST_SECOND
      && preview_session_seek (session, seconds * GST_SECOND))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_SEEK,
      "It is not possible to seek to %s s.", words[1]);
  return FALSE;
}

static gboolean
step (PreviewSession * session, gchar ** words, GError ** error)
{
  if (preview_session_step (session, strcmp (words[0], "back") == 0 ? -1 : 1))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_SEEK,
      "It is not possible to step to another frame.");
  return FALSE;
}

static gboolean
point (PreviewSession * session, gchar ** words, GError ** error)
{
  (void) error;
  preview_session_point (session, words[0], g_ascii_strtod (words[1], NULL),
      g_ascii_strtod (words[2], NULL));
  return TRUE;
}

static gboolean
press_key (PreviewSession * session, gchar ** words, GError ** error)
{
  (void) error;
  preview_session_press_key (session, words[1]);
  return TRUE;
}

static gboolean
mark (PreviewSession * session, gchar ** words, GError ** error)
{
  (void) words;
  if (preview_session_mark (session))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_SEEK,
      "A stream without a duration cannot be repeated.");
  return FALSE;
}

static const struct
{
  const gchar *name;
  guint n_words;
    gboolean (*run) (PreviewSession * session, gchar ** words,
      GError ** error);
} commands[] = {
  {"set", 2, set},
  {"preset", 2, load_preset},
  {"no-original", 1, drop_original},
  {"pause", 1, pause_or_play},
  {"play", 1, pause_or_play},
  {"seek", 2, seek},
  {"step", 1, step},
  {"back", 1, step},
  {"mark", 1, mark},
  {"press", 3, point},
  {"move", 3, point},
  {"release", 3, point},
  {"key", 2, press_key},
};

gboolean
preview_protocol_run (PreviewSession * session, const gchar * text,
    GError ** error)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  guint n = g_strv_length (words), i = 0;
  gboolean ok = FALSE;

  while (i < G_N_ELEMENTS (commands) && (n != commands[i].n_words
          || strcmp (words[0], commands[i].name) != 0))
    i++;
  if (i < G_N_ELEMENTS (commands))
    ok = commands[i].run (session, words, error);
  else
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "'%s' is not a command.", text);
  return ok;
}
