/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page-parts.h"

#include <string.h>

/* The commands and their numbers of words. */
static const struct
{
  const gchar *name;
  guint n_words;
} commands[] = {
  {"set", 2}, {"preset", 2}, {"no-original", 1}, {"pause", 1}, {"play", 1},
  {"seek", 2}, {"step", 1}, {"back", 1}, {"mark", 1}, {"press", 3},
  {"move", 3}, {"release", 3}, {"key", 2},
};

/* Only controls and properties of the encoder can be set, as others name
 * files. */
static gboolean
may_set (const gchar * pair)
{
  g_autofree gchar *name = g_strndup (pair, strcspn (pair, "="));

  return preview_find_control (name) < PREVIEW_N_CONTROLS
      || g_str_has_prefix (name, "encoder::")
      || g_str_has_prefix (name, "b::encoder::");
}

static gboolean
seek (PreviewSession * session, const gchar * text)
{
  const gdouble seconds = g_ascii_strtod (text, NULL);

  /* NAN is outside of this range, too. */
  return seconds >= 0 && seconds < G_MAXINT64 / GST_SECOND
      && preview_session_seek (session, seconds * GST_SECOND);
}

static gboolean
run (PreviewSession * session, gchar ** words, GError ** error)
{
  const gchar *name = words[0], *word = words[1];

  if (strcmp (name, "set") == 0)
    return may_set (word) ? preview_session_set_text (session, word, error)
        : preview_refuse (error, "'%.*s' has no control.", (gint) strcspn (word,
            "="), word);
  if (strcmp (name, "preset") == 0)
    return preview_session_load_preset (session, word)
        || preview_refuse (error, "There is no preset '%s'.", word);
  if (strcmp (name, "no-original") == 0)
    return preview_session_drop_original (session, error);
  if (strcmp (name, "seek") == 0)
    return seek (session, word)
        || preview_refuse (error, "It is not possible to seek to %s s.", word);
  if (strcmp (name, "step") == 0 || strcmp (name, "back") == 0)
    return preview_session_step (session, *name == 's' ? 1 : -1)
        || preview_refuse (error,
        "It is not possible to step to another frame.");
  if (strcmp (name, "mark") == 0)
    return preview_session_mark (session)
        || preview_refuse (error,
        "A stream without a duration cannot be repeated.");
  if (strcmp (name, "key") == 0)
    preview_session_press_key (session, word);
  else if (word == NULL)
    preview_session_set_paused (session, strcmp (name, "pause") == 0);
  else
    preview_session_point (session, name, g_ascii_strtod (word, NULL),
        g_ascii_strtod (words[2], NULL));
  return TRUE;
}

gboolean
preview_protocol_run (PreviewSession * session, const gchar * text,
    GError ** error)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  guint i = 0;

  /* An empty text has no word. */
  while (i < G_N_ELEMENTS (commands) && (g_strv_length (words)
          != commands[i].n_words || strcmp (words[0], commands[i].name) != 0))
    i++;
  return i < G_N_ELEMENTS (commands) ? run (session, words, error)
      : preview_refuse (error, "'%s' is not a command.", text);
}
