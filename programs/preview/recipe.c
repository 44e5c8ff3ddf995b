/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Describes what is shown, for other programs. */
#include "parts.h"

#include <string.h>

/* X11's sinks do not scale. */
#define TAIL "videoconvert ! videoscale ! " \
    "video/x-raw,width=[1,1280],height=[1,720] ! autovideosink"
#define BEGIN "import gi\n" \
    "gi.require_version('Gst', '1.0')\n" \
    "from gi.repository import Gst\n\n" \
    "Gst.init(None)\n" \
    "pipeline = Gst.parse_launch(\n    '"
#define END "pipeline.set_state(Gst.State.PLAYING)\n" \
    "pipeline.get_bus().timed_pop_filtered(\n" \
    "    Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR | Gst.MessageType.EOS)\n" \
    "pipeline.set_state(Gst.State.NULL)\n"
/* The characters that are not special to a shell. */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" \
    "-_./:=,+%"

/* Their nicks: GStreamer has their names. */
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
  return G_VALUE_HOLDS_FLAGS (value) ? describe_flags (value)
      : G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value)
      : gst_value_serialize (value);
}

/* A part, and what its settings are appended to. */
typedef struct Words Words;
struct Words
{
  const gchar *part;            /* NULL: the bin itself */
  GString *to;
  void (*add) (const Words * words, const gchar * name, const gchar * value);
};

/* Append an argument of gst-launch-1.0, quoted for a shell if needed. */
static void
add_word (GString * line, const gchar * word)
{
  g_autofree gchar *quoted = word[strspn (word, PLAIN)] == '\0'
      || strcmp (word, "!") == 0 ? g_strdup (word) : g_shell_quote (word);

  g_string_append_printf (line, " %s", quoted);
}

static void
add_setting (const Words * words, const gchar * name, const gchar * value)
{
  g_autofree gchar *quoted = preview_source_quote (value);
  g_autofree gchar *word = g_strdup_printf ("%s%s%s=%s", words->part != NULL
      ? words->part : "", words->part != NULL ? "::" : "", name, quoted);

  add_word (words->to, word);
}

static void
append_quoted (GString * line, const gchar * text)
{
  g_autoptr (GString) quoted = g_string_new (text);

  g_string_replace (quoted, "\\", "\\\\", 0);
  g_string_replace (quoted, "'", "\\'", 0);
  g_string_append (line, quoted->str);
}

/* Append a Python line that sets a property, because GStreamer 1.22 loses a
 * child whose property is in gst_parse_launch()'s line. */
static void
add_line (const Words * words, const gchar * name, const gchar * value)
{
  g_string_append_printf (words->to, "Gst.util_set_object_arg("
      "pipeline.get_by_name('%s'), '%s', '", words->part != NULL
      ? words->part : "blockdctpreview0", name);
  append_quoted (words->to, value);
  g_string_append (words->to, "')\n");
}

static void
add_property (GParamSpec * pspec, const GValue * value, gpointer data)
{
  const Words *words = data;
  g_autofree gchar *text = describe_value (value);

  if (text != NULL)
    words->add (words, pspec->name, text);
}

static void
add_settings (PreviewSession * self, Words words)
{
  for (guint i = 0; i < PREVIEW_N_PARTS; i++) {
    g_autofree gchar *line = i == PREVIEW_COMPARE || self->line[i] == NULL
        ? NULL : preview_line_describe (self->line[i], NULL);
    const gchar *by_default = i == PREVIEW_B ? "" : "blockdct";
    const gchar *made = line != NULL ? line : i == PREVIEW_B && !self->has_b
        ? "" : "blockdct";

    words.part = NULL;
    if (strcmp (made, by_default) != 0)
      words.add (&words, preview_part_names[i], made);
    words.part = preview_part_names[i];
    if (strcmp (made, "blockdct") == 0)
      preview_session_foreach (self, i, add_property, &words);
  }
}

/* The elements before the preview; the caller owns the text. */
static gchar *
describe_source (PreviewSession * self)
{
  g_autofree gchar *first = preview_source_describe (&self->options,
      preview_player_get_source (self->player, PREVIEW_ORIGINAL),
      self->stays && !preview_session_moves (self));

  return g_strconcat (first, " videoconvert dither=none ! blockdctpreview",
      NULL);
}

/* Append a description's words: blanks in quotes belong to them. */
static void
add_words (GString * line, const gchar * text)
{
  g_autoptr (GRegex) word = g_regex_new
      ("(?:[^ \"]|\"(?:[^\"\\\\]|\\\\.)*\")+", G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_regex_match (word, text, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL)) {
    g_autofree gchar *found = g_match_info_fetch (match, 0);

    add_word (line, found);
  }
}

static gboolean
has_files (PreviewSession * self)
{
  return self->file[0] != NULL || self->file[1] != NULL;
}

gchar *
preview_session_describe_for_shell (PreviewSession * self)
{
  GString *line;
  g_autofree gchar *source = describe_source (self);

  if (has_files (self))
    return NULL;
  line = g_string_new ("gst-launch-1.0");
  add_words (line, source);
  add_settings (self, (Words) {NULL, line, add_setting});
  add_words (line, "! " TAIL);
  return g_string_free (line, FALSE);
}

gchar *
preview_session_describe_for_python (PreviewSession * self)
{
  g_autoptr (GString) line = g_string_new (NULL);
  GString *text;
  g_autofree gchar *source = describe_source (self);

  if (has_files (self))
    return NULL;
  text = g_string_new (BEGIN);
  append_quoted (line, source);
  g_string_append (line, " ! " TAIL);
  g_string_replace (line, " ! ", " ! '\n    '", 0);
  g_string_append_printf (text, "%s')\n", line->str);
  add_settings (self, (Words) {NULL, text, add_line});
  g_string_append (text, END);
  return g_string_free (text, FALSE);
}
