/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A side's line alone determines it: an encoder counts as chosen if the line is
 * the one that its number makes. */
#include "parts.h"

#include <gst/video/gstvideoencoder.h>
#include <string.h>

/* The values of the choice; from FIRST on, each is an encoder and a scale. */
enum
{
  TRANSFORM, LINE, FIRST
};

/* The characters of numbers and nicks. */
#define PLAIN G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_."

/* The controls beside the choice: a number for each scale; of B with "b::". */
static const struct
{
  const gchar *name;
  gint min, max, normal;
  const gchar *about;
} numbers[ENCODER_N_SCALES] = {
  [ENCODER_QUALITY] = {"encoder-quality", 0, 100, 75,
      "The quality of the encoder"},
  [ENCODER_QP] = {"encoder-qp", 0, 63, 30, "The QP of the encoder"},
  [ENCODER_CRF] = {"encoder-crf", 0, 63, 25, "The CRF of the encoder"},
  [ENCODER_BITRATE] = {"encoder-bitrate", 1, 20000, 2000,
      "The bitrate of the encoder, kbit/s"},
};

#define N_NAMES (1 + ENCODER_N_SCALES)

static void
add_choice (GArray * values, gint value, const gchar * about,
    const gchar * nick)
{
  const GEnumValue choice = { value, about, nick };

  g_array_append_val (values, choice);
}

static GType
register_choices (void)
{
  GArray *values = g_array_new (TRUE, FALSE, sizeof (GEnumValue));

  add_choice (values, TRANSFORM, "the transform", "transform");
  for (gint i = 0; encoders[i].name != NULL; i++) {
    g_autoptr (GstElementFactory) factory = gst_element_factory_find
        (encoders[i].name);

    for (gint scale = 0; factory != NULL && scale < ENCODER_N_SCALES; scale++)
      if (encoders[i].text[scale] != NULL)
        add_choice (values, FIRST + i * ENCODER_N_SCALES + scale,
            gst_element_factory_get_metadata (factory,
                GST_ELEMENT_METADATA_LONGNAME), g_strdup_printf ("%s-%s",
                encoders[i].name, encoder_scale_name (scale)));
  }
  add_choice (values, LINE, "the encoder that was written", "line");
  return g_enum_register_static ("PreviewCoding",
      (GEnumValue *) g_array_free (values, FALSE));
}

static GParamSpec **
get_pspecs (void)
{
  static GParamSpec *pspecs[N_NAMES];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    pspecs[0] = g_param_spec_enum ("encoder", NULL,
        "What it is: a transform, or an encoder", register_choices (),
        TRANSFORM, G_PARAM_READWRITE);
    for (guint i = 0; i < ENCODER_N_SCALES; i++)
      pspecs[1 + i] = g_param_spec_int (numbers[i].name, NULL,
          numbers[i].about, numbers[i].min, numbers[i].max, numbers[i].normal,
          G_PARAM_READWRITE);
    for (guint i = 0; i < N_NAMES; i++)
      g_param_spec_ref_sink (pspecs[i]);
    g_once_init_leave (&once, 1);
  }
  return pspecs;
}

/* The index of a name, and the side; N_NAMES: none. */
static guint
find (const gchar * name, guint * side)
{
  guint i = 0;

  *side = g_str_has_prefix (name, "b::");
  name += *side * strlen ("b::");
  while (i < N_NAMES && strcmp (name, get_pspecs ()[i]->name) != 0)
    i++;
  return i;
}

GParamSpec *
preview_coding_find_pspec (const gchar * name)
{
  guint side;
  const guint i = find (name, &side);

  return i < N_NAMES ? get_pspecs ()[i] : NULL;
}

static EncoderScale
scale_of (gint choice)
{
  return (choice - FIRST) % ENCODER_N_SCALES;
}

static const EncoderInfo *
encoder_of (gint choice)
{
  return &encoders[(choice - FIRST) / ENCODER_N_SCALES];
}

static gboolean
append (GQuark field, const GValue * value, gpointer line)
{
  g_string_append_printf (line, " %s=%s", g_quark_to_string (field),
      g_value_get_string (value));
  return TRUE;
}

/* The line of an encoder and its number, owned by the caller. */
static gchar *
make_line (PreviewSession * self, guint side, gint choice)
{
  const EncoderInfo *encoder = encoder_of (choice);
  const EncoderScale scale = scale_of (choice);
  g_autofree gchar *text = encoder_fill (encoder->text[scale], scale,
      self->number[side][scale]);

  GString *line = g_string_new (encoder->name);

  g_string_append_printf (line, " %s", text);
  gst_structure_foreach (self->more[side], append, line);
  return g_string_free (line, FALSE);
}

static gint
get_choice (PreviewSession * self, guint side)
{
  const GEnumClass *choices = G_PARAM_SPEC_ENUM (get_pspecs ()[0])->enum_class;
  const gchar *line = self->line[side];

  for (guint i = 0; line != NULL && i < choices->n_values; i++) {
    const gint choice = choices->values[i].value;
    g_autofree gchar *made = choice < FIRST ? NULL : make_line (self, side,
        choice);

    if (g_strcmp0 (line, made) == 0)
      return choice;
  }
  return line == NULL ? TRANSFORM : LINE;
}

guint
preview_session_count_codings (PreviewSession * self)
{
  return self->n_codings;
}

gint
preview_coding_get (PreviewSession * self, const gchar * name)
{
  guint side;
  const guint i = find (name, &side);

  return i == 0 ? get_choice (self, side) : self->number[side][i - 1];
}

/* Limit the number, as GStreamer would silently take the nearest one. */
static void
limit_number (PreviewSession * self, guint side, gint choice)
{
  const EncoderInfo *encoder = encoder_of (choice);
  const EncoderScale scale = scale_of (choice);
  GstElement *element = gst_element_factory_make (encoder->name, NULL);
  gint *number = &self->number[side][scale];
  gdouble min, max;

  if (element != NULL && encoder_find_range (encoder->text[scale], scale,
          G_OBJECT_GET_CLASS (element), &min, &max) != NULL)
    *number = (gint) CLAMP (*number, min, max);
  gst_clear_object (&element);
}

/* blockdctcompare measures the metrics of A where no blockdct does. */
static void
measure (PreviewSession * self)
{
  GObject *compare = self->part[PREVIEW_COMPARE];
  const GParamSpecFlags *pspec = G_PARAM_SPEC_FLAGS
      (g_object_class_find_property (G_OBJECT_GET_CLASS (compare), "metrics"));
  const gboolean measured = self->measures;
  guint metrics = 0;

  self->measures = FALSE;
  for (guint i = 0; i < 2; i++)
    self->measures |= preview_pipeline_is_made (self, PREVIEW_OF_A + i);
  if (self->measures)
    g_object_get (self->part[PREVIEW_A], "metrics", &metrics, NULL);
  if (self->measures || measured)
    g_object_set (compare, "metrics", pspec->default_value | (metrics
            & pspec->flags_class->mask), NULL);
}

static void
change (PreviewSession * self)
{
  measure (self);
  preview_transport_restart (self);
  g_signal_emit_by_name (self, "changed");
}

/* The encoder or the file that makes it from now on; NULL: neither. */
static void
set_side (PreviewSession * self, guint side, const gchar * line,
    const gchar * file)
{
  g_mutex_lock (&self->lock);
  g_free (self->line[side]);
  self->line[side] = g_strdup (line);
  g_free (self->file[side]);
  self->file[side] = g_strdup (file);
  g_clear_pointer (&self->broken[side], g_free);
  self->said_scaled[side] = self->aligned[side] = FALSE;
  self->shift[side] = 0;
  g_mutex_unlock (&self->lock);
  self->n_codings++;
  change (self);
  preview_align_start (self);
}

gboolean
preview_coding_set_line (PreviewSession * self, guint side,
    const gchar * line, GError ** error)
{
  g_autofree gchar *described = line == NULL ? NULL
      : preview_line_describe (line, error);

  if (line != NULL && described == NULL) {
    g_prefix_error (error, "The encoder '%s' is refused: ", line);
    return FALSE;
  }
  if (g_strcmp0 (line, self->line[side]) != 0 || self->file[side] != NULL
      || self->broken[side] != NULL)
    set_side (self, side, line, NULL);
  return TRUE;
}

void
preview_coding_fail (PreviewSession * self, guint side, const gchar * why)
{
  g_mutex_lock (&self->lock);
  g_free (self->broken[side]);
  self->broken[side] = g_strdup (why);
  g_mutex_unlock (&self->lock);
  change (self);
}

void
preview_coding_set_file (PreviewSession * self, guint side, const gchar * file)
{
  set_side (self, side, NULL, file);
}

void
preview_coding_set (PreviewSession * self, const gchar * name, gint value)
{
  guint side;
  const guint i = find (name, &side);
  const gint choice = i == 0 ? value : get_choice (self, side);
  const gchar *written[2] = { NULL, self->options.b_encoder };
  g_autofree gchar *line = NULL;

  if (i > 0)
    self->number[side][i - 1] = value;
  if (i == 0 || (choice >= FIRST && scale_of (choice) == i - 1)) {
    if (i == 0)
      gst_structure_remove_all_fields (self->more[side]);
    if (choice >= FIRST) {
      limit_number (self, side, choice);
      line = make_line (self, side, choice);
    }
    preview_coding_set_line (self, side, choice == LINE ? written[side] : line,
        NULL);
  } else {
    g_signal_emit_by_name (self, "changed");
  }
}

/* The class of the chosen encoder, owned by the caller; NULL: there is none. */
static GTypeClass *
get_class (PreviewSession * self, guint side)
{
  const gint choice = get_choice (self, side);
  g_autoptr (GstElement) element = choice < FIRST ? NULL : gst_object_ref_sink
      (gst_element_factory_make (encoder_of (choice)->name, NULL));

  return element == NULL ? NULL : g_type_class_ref (G_OBJECT_TYPE (element));
}

/* Not a text, which may name a file, and not what the number sets. */
static gboolean
is_free (PreviewSession * self, guint side, GParamSpec * pspec)
{
  const gint choice = get_choice (self, side);
  g_autofree gchar *set = g_strconcat (" ", encoder_of (choice)->text[scale_of
          (choice)], NULL);
  g_autofree gchar *word = g_strconcat (" ", pspec->name, "=", NULL);

  return strstr (set, word) == NULL && (pspec->flags & G_PARAM_WRITABLE)
      && !(pspec->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_DEPRECATED))
      && pspec->owner_type != GST_TYPE_VIDEO_ENCODER
      && (G_IS_PARAM_SPEC_ENUM (pspec) || G_IS_PARAM_SPEC_INT (pspec)
      || G_IS_PARAM_SPEC_UINT (pspec) || G_IS_PARAM_SPEC_BOOLEAN (pspec)
      || G_IS_PARAM_SPEC_DOUBLE (pspec));
}

void
preview_session_foreach_property (PreviewSession * self, guint side,
    void (*take) (GParamSpec * pspec, const gchar * value, gpointer data),
    gpointer data)
{
  g_autoptr (GTypeClass) klass = get_class (self, side);
  guint n = 0;
  g_autofree GParamSpec **pspecs = klass == NULL ? NULL
      : g_object_class_list_properties ((GObjectClass *) klass, &n);

  for (guint i = 0; i < n; i++)
    if (is_free (self, side, pspecs[i]))
      take (pspecs[i], gst_structure_get_string (self->more[side],
              pspecs[i]->name), data);
}

gboolean
preview_coding_set_property (PreviewSession * self, const gchar * pair,
    GError ** error)
{
  const guint side = g_str_has_prefix (pair, "b::");
  g_auto (GStrv) words = g_strsplit (strstr (pair, "encoder::")
      + strlen ("encoder::"), "=", 2);
  g_autoptr (GTypeClass) klass = get_class (self, side);
  GParamSpec *pspec = klass == NULL || words[0] == NULL ? NULL
      : g_object_class_find_property ((GObjectClass *) klass, words[0]);
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean ok = pspec != NULL && words[1] != NULL
      && words[1][strspn (words[1], PLAIN)] == '\0' && is_free (self, side,
      pspec);
  g_autofree gchar *line = NULL;
  gint choice;

  if (ok)
    g_value_init (&value, pspec->value_type);
  if (!ok || !gst_value_deserialize_with_pspec (&value, words[1], pspec)
      || g_param_value_validate (pspec, &value))
    return preview_refuse (error, "'%s' is not possible: gst-inspect-1.0 lists "
        "the properties of encoders, and their values.", pair);
  choice = get_choice (self, side);
  if (g_param_value_defaults (pspec, &value))
    gst_structure_remove_field (self->more[side], words[0]);
  else
    gst_structure_set (self->more[side], words[0], G_TYPE_STRING, words[1],
        NULL);
  line = make_line (self, side, choice);
  ok = preview_coding_set_line (self, side, line, error);
  if (!ok)
    gst_structure_remove_field (self->more[side], words[0]);
  return ok;
}

void
preview_coding_follow (PreviewSession * self)
{
  self->n_codings = 1;
  for (guint i = 0; i < 2; i++) {
    self->more[i] = gst_structure_new_empty ("more");
    for (guint k = 0; k < ENCODER_N_SCALES; k++)
      self->number[i][k] = numbers[k].normal;
  }
  g_signal_connect_swapped (self->part[PREVIEW_A], "notify::metrics",
      G_CALLBACK (measure), self);
}
