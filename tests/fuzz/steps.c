/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps: drawn, printed, read. */
#include "steps.h"

#include <string.h>
#include <unistd.h>

guint
n_kinds (void)
{
  guint n = 0;

  for (guint t = 0; kind_tables[t] != NULL; t++)
    for (const Kind * kind = kind_tables[t]; kind->name != NULL; kind++)
      n++;
  return n;
}

const Kind *
kind_get (guint n)
{
  for (guint t = 0; kind_tables[t] != NULL; t++)
    for (const Kind * kind = kind_tables[t]; kind->name != NULL; kind++)
      if (n-- == 0)
        return kind;
  g_assert_not_reached ();
}

/* splitmix64: the same on every machine. */
static guint64
next (guint64 * state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void
draw (guint64 * state, Step * step)
{
  static guint all;
  const Kind *kind;
  guint64 at;

  if (all == 0)
    for (guint i = 0; i < n_kinds (); i++)
      all += kind_get (i)->weight;
  at = next (state) % all;
  memset (step, 0, sizeof *step);
  while (at >= kind_get (step->kind)->weight)
    at -= kind_get (step->kind++)->weight;
  kind = kind_get (step->kind);
  for (guint i = 0; i < MAX_ARGS && kind->arg[i].name != NULL; i++)
    step->arg[i] = kind->arg[i].min + (gint64) (next (state)
        % (guint64) (kind->arg[i].max - kind->arg[i].min + 1));
}

Step *
steps_draw (guint64 seed, guint n)
{
  Step *steps = g_new0 (Step, n);

  for (guint i = 0; i < n; i++)
    draw (&seed, &steps[i]);
  return steps;
}

gchar *
step_print (const Step * step)
{
  const Kind *kind = kind_get (step->kind);
  GString *line = g_string_new (kind->name);

  for (guint i = 0; i < MAX_ARGS && kind->arg[i].name != NULL; i++)
    g_string_append_printf (line, " %s=%" G_GINT64_FORMAT, kind->arg[i].name,
        step->arg[i]);
  return g_string_free (line, FALSE);
}

static gboolean
parse_arg (const Kind * kind, const gchar * word, Step * step, gchar ** error)
{
  for (guint i = 0; i < MAX_ARGS && kind->arg[i].name != NULL; i++) {
    gsize length = strlen (kind->arg[i].name);

    if (strncmp (word, kind->arg[i].name, length) != 0 || word[length] != '=')
      continue;
    step->arg[i] = g_ascii_strtoll (word + length + 1, NULL, 10);
    if (step->arg[i] >= kind->arg[i].min && step->arg[i] <= kind->arg[i].max)
      return TRUE;
    *error = g_strdup_printf ("%s: %s is from %" G_GINT64_FORMAT " to %"
        G_GINT64_FORMAT, word, kind->arg[i].name, kind->arg[i].min,
        kind->arg[i].max);
    return FALSE;
  }
  *error = g_strdup_printf ("'%s' has no argument '%s'", kind->name, word);
  return FALSE;
}

gboolean
step_parse (const gchar * line, Step * step, gchar ** error)
{
  gchar *text = g_strstrip (g_strdup (line));
  gchar **words = g_strsplit (text, " ", -1);
  gboolean ok = TRUE;
  guint k = 0;

  memset (step, 0, sizeof *step);
  *error = NULL;
  if (*text == '\0' || *text == '#') {
    step->kind = n_kinds ();
    goto end;
  }
  while (k < n_kinds () && strcmp (kind_get (k)->name, words[0]) != 0)
    k++;
  if (k == n_kinds ()) {
    *error = g_strdup_printf ("no step is called '%s'", words[0]);
    ok = FALSE;
    goto end;
  }
  step->kind = k;
  /* What is not said is as small as it may be. */
  for (guint i = 0; i < MAX_ARGS && kind_get (k)->arg[i].name != NULL; i++)
    step->arg[i] = kind_get (k)->arg[i].min;
  for (guint i = 1; words[i] != NULL && ok; i++)
    ok = *words[i] == '\0' || parse_arg (kind_get (k), words[i], step, error);

end:
  g_strfreev (words);
  g_free (text);
  return ok;
}

/* Worlds */

void
world_step (World * w, const Step * step)
{
  const Kind *kind = kind_get (step->kind);

  doing (kind->name);
  kind->run (w, step->arg);
  world_settle (w);
  count_step ();
}

void
world_change_state (World * w, GstElement * element, gint to)
{
  world_start (w);
  if (to > 0) {
    world_stop (w, to == 1 ? GST_STATE_READY : GST_STATE_NULL);
    return;
  }
  gst_element_set_state (element, GST_STATE_PAUSED);
  gst_element_set_state (element, GST_STATE_PLAYING);
}

void
world_release (GstElement * element, GstBus * bus)
{
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_element_set_bus (element, NULL);
  /* A message that came in between holds the element. */
  gst_bus_set_flushing (bus, TRUE);
  check (GST_OBJECT_REFCOUNT (element) == 1,
      "the element has %d references at its end",
      GST_OBJECT_REFCOUNT (element));
  gst_object_unref (element);
  gst_object_unref (bus);
}

void
world_new_file (gchar ** file, const gchar * ending)
{
  static guint n;

  if (*file != NULL)
    unlink (*file);
  g_free (*file);
  *file = ending == NULL ? NULL : g_strdup_printf ("%s/fuzz-%d-%u.%s",
      g_get_tmp_dir (), getpid (), n++, ending);
}

guint
noise (guint32 * state, guint below)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return (*state >> 8) % below;
}

void
message_parse (GstMessage * message, GError ** error, gchar ** debug)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, error, debug);
  else
    gst_message_parse_warning (message, error, debug);
  check (strstr ((*error)->message, "(null)") == NULL && (*debug == NULL
          || strstr (*debug, "(null)") == NULL), "'(null)' in a message: %s, "
      "%s", (*error)->message, *debug);
}
