/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page-news.h"

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

/* FALSE with an error, or with what is wrong as a text, the caller's. */
static gboolean
run (PreviewSession * session, gchar ** words, gchar ** wrong, GError ** error)
{
  const gchar *name = words[0], *word = words[1];
  gboolean ok = TRUE;

  if (strcmp (name, "set") == 0) {
    if (may_set (word))
      return preview_session_set_text (session, word, error);
    ok = FALSE;
    *wrong = g_strdup_printf ("'%.*s' has no control.", (gint) strcspn (word,
            "="), word);
  } else if (strcmp (name, "preset") == 0) {
    ok = preview_session_load_preset (session, word);
    *wrong = g_strdup_printf ("There is no preset '%s'.", word);
  } else if (strcmp (name, "no-original") == 0) {
    return preview_session_drop_original (session, error);
  } else if (strcmp (name, "seek") == 0) {
    ok = seek (session, word);
    *wrong = g_strdup_printf ("It is not possible to seek to %s s.", word);
  } else if (strcmp (name, "step") == 0 || strcmp (name, "back") == 0) {
    ok = preview_session_step (session, *name == 's' ? 1 : -1);
    *wrong = g_strdup ("It is not possible to step to another frame.");
  } else if (strcmp (name, "mark") == 0) {
    ok = preview_session_mark (session);
    *wrong = g_strdup ("A stream without a duration cannot be repeated.");
  } else if (strcmp (name, "key") == 0) {
    preview_session_press_key (session, word);
  } else if (word == NULL) {
    preview_session_set_paused (session, strcmp (name, "pause") == 0);
  } else {
    preview_session_point (session, name, g_ascii_strtod (word, NULL),
        g_ascii_strtod (words[2], NULL));
  }
  return ok;
}

gboolean
preview_protocol_run (PreviewSession * session, const gchar * text,
    GError ** error)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  g_autofree gchar *wrong = NULL;
  guint i = 0;

  /* An empty text has no word. */
  while (i < G_N_ELEMENTS (commands) && (g_strv_length (words)
          != commands[i].n_words || strcmp (words[0], commands[i].name) != 0))
    i++;
  if (i == G_N_ELEMENTS (commands))
    wrong = g_strdup_printf ("'%s' is not a command.", text);
  else if (run (session, words, &wrong, error))
    return TRUE;
  if (wrong != NULL)
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, wrong);
  return FALSE;
}
