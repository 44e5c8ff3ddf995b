/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"
#include "controls.h"

#include <gst/video/navigation.h>
#include <string.h>

typedef struct
{
  GstElement *dct;
  PreviewTransport *transport;
} Target;

static gboolean
is_control (const gchar * name)
{
  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    if (strcmp (name, preview_controls[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Only what has a control: other properties name files. */
static gboolean
set (const Target * target, gchar ** words, GError ** error)
{
  gchar *name = g_strndup (words[1], strcspn (words[1], "="));
  gboolean ok = FALSE;

  if (is_control (name))
    ok = preview_set_property (target->dct, words[1], error);
  else
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "'%s' has no control.", name);
  g_free (name);
  return ok;
}

static gboolean
load_preset (const Target * target, gchar ** words, GError ** error)
{
  if (gst_preset_load_preset (GST_PRESET (target->dct), words[1]))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "There is no preset '%s'.", words[1]);
  return FALSE;
}

static gboolean
pause_or_play (const Target * target, gchar ** words, GError ** error)
{
  (void) error;
  preview_transport_set_paused (target->transport,
      strcmp (words[0], "pause") == 0);
  return TRUE;
}

static gboolean
seek (const Target * target, gchar ** words, GError ** error)
{
  gdouble seconds = g_ascii_strtod (words[1], NULL);

  /* What is not a number is not within them, either. */
  if (seconds >= 0 && seconds < G_MAXINT64 / GST_SECOND
      && preview_transport_seek (target->transport, seconds * GST_SECOND))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_SEEK,
      "There is no way to %s s.", words[1]);
  return FALSE;
}

static gboolean
step (const Target * target, gchar ** words, GError ** error)
{
  if (preview_transport_step (target->transport,
          strcmp (words[0], "back") == 0 ? -1 : 1))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_SEEK,
      "There is no way to another frame.");
  return FALSE;
}

static gboolean
navigate (const Target * target, GstEvent * event)
{
  preview_navigate (target->dct, event);
  return TRUE;
}

static gboolean
point (const Target * target, gchar ** words, GError ** error)
{
  gdouble x = g_ascii_strtod (words[1], NULL);
  gdouble y = g_ascii_strtod (words[2], NULL);

  (void) error;
  if (strcmp (words[0], "press") == 0)
    return navigate (target, gst_navigation_event_new_mouse_button_press (1, x,
            y, GST_NAVIGATION_MODIFIER_NONE));
  if (strcmp (words[0], "release") == 0)
    return navigate (target, gst_navigation_event_new_mouse_button_release (1,
            x, y, GST_NAVIGATION_MODIFIER_NONE));
  return navigate (target, gst_navigation_event_new_mouse_move (x, y,
          GST_NAVIGATION_MODIFIER_BUTTON1_MASK));
}

/* At a place, by steps: Ctrl and the wheel. */
static gboolean
zoom (const Target * target, gchar ** words, GError ** error)
{
  (void) error;
  return navigate (target, gst_navigation_event_new_mouse_scroll
      (g_ascii_strtod (words[1], NULL), g_ascii_strtod (words[2], NULL), 0,
          g_ascii_strtod (words[3], NULL),
          GST_NAVIGATION_MODIFIER_CONTROL_MASK));
}

static gboolean
press_key (const Target * target, gchar ** words, GError ** error)
{
  (void) error;
  preview_press_key (target->dct, words[1]);
  return TRUE;
}

static const struct
{
  const gchar *name;
  guint n_words;
    gboolean (*run) (const Target * target, gchar ** words, GError ** error);
} commands[] = {
  {"set", 2, set},
  {"preset", 2, load_preset},
  {"pause", 1, pause_or_play},
  {"play", 1, pause_or_play},
  {"seek", 2, seek},
  {"step", 1, step},
  {"back", 1, step},
  {"press", 3, point},
  {"move", 3, point},
  {"release", 3, point},
  {"zoom", 4, zoom},
  {"key", 2, press_key},
};

gboolean
preview_command_run (GstElement * dct, PreviewTransport * transport,
    const gchar * text, GError ** error)
{
  gchar **words = g_strsplit (text, " ", -1);
  guint n = g_strv_length (words), i = 0;
  Target target = { dct, transport };
  gboolean ok = FALSE;

  while (i < G_N_ELEMENTS (commands) && (n != commands[i].n_words
          || strcmp (words[0], commands[i].name) != 0))
    i++;
  if (i < G_N_ELEMENTS (commands))
    ok = commands[i].run (&target, words, error);
  else
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "'%s' is no command.", text);
  g_strfreev (words);
  return ok;
}
