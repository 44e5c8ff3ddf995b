/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recipe.h"
#include "controls.h"

#include <string.h>

/* X11's sinks do not scale. */
#define TAIL "! videoconvert ! videoscale ! " \
    "video/x-raw,width=[1,1280],height=[1,720] ! autovideosink"
#define PYTHON "import gi\n" \
    "gi.require_version('Gst', '1.0')\n" \
    "from gi.repository import Gst\n\n" \
    "Gst.init(None)\n" \
    "pipeline = Gst.parse_launch(\n    '%s')\n" \
    "pipeline.set_state(Gst.State.PLAYING)\n" \
    "pipeline.get_bus().timed_pop_filtered(\n" \
    "    Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR | Gst.MessageType.EOS)\n" \
    "pipeline.set_state(Gst.State.NULL)\n"

static gchar *
describe_flags (const GValue * value)
{
  GFlagsClass *klass = g_type_class_peek (G_VALUE_TYPE (value));
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < klass->n_values; i++)
    if (klass->values[i].value & g_value_get_flags (value))
      g_string_append_printf (text, "%s%s", text->len > 0 ? "+" : "",
          klass->values[i].value_nick);
  return g_string_free (text, FALSE);
}

static gchar *
describe_value (const GValue * value)
{
  if (G_VALUE_HOLDS_ENUM (value))
    return g_strdup (g_enum_get_value (g_type_class_peek (G_VALUE_TYPE
                (value)), g_value_get_enum (value))->value_nick);
  if (G_VALUE_HOLDS_FLAGS (value))
    return describe_flags (value);
  if (G_VALUE_HOLDS_STRING (value))
    return g_value_dup_string (value);
  return gst_value_serialize (value);
}

/* In quotes where gst_parse_launch() would not take it for one word. */
static void
add_setting (GParamSpec * pspec, const GValue * value, gpointer words)
{
  gchar *text = describe_value (value);
  GString *word;

  if (text == NULL)
    return;
  word = g_string_new (pspec->name);
  g_string_append_c (word, '=');
  if (strpbrk (text, " \t\n\"'\\!()<>") == NULL) {
    g_string_append (word, text);
  } else {
    g_string_append_c (word, '"');
    for (const gchar * c = text; *c != '\0'; c++) {
      if (*c == '"' || *c == '\\')
        g_string_append_c (word, '\\');
      g_string_append_c (word, *c);
    }
    g_string_append_c (word, '"');
  }
  g_ptr_array_add (words, g_string_free (word, FALSE));
  g_free (text);
}

static void
add_words (GPtrArray * words, const gchar * text)
{
  gchar **split = g_strsplit (text, " ", -1);

  for (gchar ** word = split; *word != NULL; word++)
    g_ptr_array_add (words, *word);
  g_free (split);
}

/* The words of the pipeline. */
static GPtrArray *
describe (const PreviewOptions * options, GstElement * source, gboolean still,
    GstElement * dct)
{
  gchar *first = preview_source_describe (options, source, still);
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);

  add_words (words, first);
  add_words (words, "videoconvert ! blockdct");
  preview_foreach_setting (dct, add_setting, words);
  add_words (words, TAIL);
  g_free (first);
  return words;
}

/* As gst-launch-1.0 gets its arguments. */
gchar *
preview_recipe_for_shell (const PreviewOptions * options, GstElement * source,
    gboolean still, GstElement * dct)
{
  GPtrArray *words = describe (options, source, still, dct);
  GString *line = g_string_new ("gst-launch-1.0");

  for (guint i = 0; i < words->len; i++) {
    const gchar *word = g_ptr_array_index (words, i);
    gsize plain = strspn (word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        "abcdefghijklmnopqrstuvwxyz0123456789-_./:=,+%");
    gchar *quoted = word[plain] == '\0' || strcmp (word, "!") == 0
        ? g_strdup (word) : g_shell_quote (word);

    g_string_append_printf (line, " %s", quoted);
    g_free (quoted);
  }
  g_ptr_array_unref (words);
  return g_string_free (line, FALSE);
}

gchar *
preview_recipe_for_python (const PreviewOptions * options, GstElement * source,
    gboolean still, GstElement * dct)
{
  GPtrArray *words = describe (options, source, still, dct);
  GString *line = g_string_new (NULL);
  gchar *text;

  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (line, "%s%s", i > 0 ? " " : "",
        (const gchar *) g_ptr_array_index (words, i));
  g_string_replace (line, "\\", "\\\\", 0);
  g_string_replace (line, "'", "\\'", 0);
  g_string_replace (line, " ! ", " ! '\n    '", 0);
  text = g_strdup_printf (PYTHON, line->str);
  g_string_free (line, TRUE);
  g_ptr_array_unref (words);
  return text;
}
